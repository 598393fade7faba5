//! Runs the program on a terminal: python3 makes the pty.

use std::path::PathBuf;
use std::process::Command;

use super::{Output, World};

const SCRIPT: &str = r#"
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
out = b""
while True:
    try:
        piece = os.read(fd, 65536)
    except OSError:
        break
    if not piece:
        break
    out += piece
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(out)
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 99)
"#;

/// The python to use, found with the variables of the world outside; none: the test is skipped.
pub fn python() -> Option<PathBuf> {
    let asked = Command::new("python3").args(["-c", "import pty, sys; print(sys.executable)"]).output();
    if let Ok(asked) = asked
        && asked.status.success()
    {
        return Some(PathBuf::from(String::from_utf8(asked.stdout).unwrap().trim()));
    }
    super::missing("python3 with its pty module");
    None
}

impl World {
    /// Runs the program in `repo` on a terminal of so many columns; none where there is no pty.
    /// Both streams arrive in `stdout`, lines end with `\n`.
    pub fn on_terminal(&self, columns: u32, args: &[&str]) -> Option<Output> {
        let mut all = vec![env!("CARGO_BIN_EXE_git-beads")];
        all.extend(args);
        self.program_on_terminal(columns, &all)
    }

    /// Runs any program of the world on a terminal.
    pub fn program_on_terminal(&self, columns: u32, words: &[&str]) -> Option<Output> {
        let python = python()?;
        let columns = columns.to_string();
        let mut all = vec!["-c", SCRIPT, columns.as_str()];
        all.extend(words);
        let mut output = self.run(self.command("repo", python.to_str().unwrap(), &all), None);
        output.stdout = output.stdout.replace("\r\n", "\n");
        Some(output)
    }
}
