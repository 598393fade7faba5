//! Runs the program on a terminal: python3 makes the pty.

use serde_json::json;

use super::{Output, World, tools};

/// Arguments: rows, columns, steps, and the program. Each step waits for a text, and types another one.
const SCRIPT: &str = r#"
import fcntl, json, os, pty, signal, struct, sys, termios
rows, columns, steps = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execvp(sys.argv[4], sys.argv[4:])
signal.alarm(300)
out = b""
while True:
    try:
        piece = os.read(fd, 65536)
    except OSError:
        break
    if not piece:
        break
    out += piece
    while steps and steps[0][0].encode() in out:
        os.write(fd, steps.pop(0)[1].encode())
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(out)
if steps:
    sys.exit("never seen: " + steps[0][0])
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 99)
"#;

impl World {
    /// Runs the program in `repo` on a terminal of so many columns; none where there is no pty.
    /// Both streams arrive in `stdout`, lines end with `\n`.
    pub fn on_terminal(&self, columns: u32, args: &[&str]) -> Option<Output> {
        let mut all = vec![super::binary()];
        all.extend(args);
        self.program_on_terminal(columns, &all)
    }

    /// Runs any program of the world on a terminal.
    pub fn program_on_terminal(&self, columns: u32, words: &[&str]) -> Option<Output> {
        self.conversation("repo", (50, columns), words, &[])
    }

    /// Runs a program in a folder on a terminal of so many rows and columns, and types something each time when a text
    /// has come.
    pub fn conversation(
        &self,
        folder: &str,
        size: (u32, u32),
        words: &[&str],
        steps: &[(&str, &str)],
    ) -> Option<Output> {
        let python = tools::python()?;
        let steps = json!(steps).to_string();
        let size = [size.0.to_string(), size.1.to_string()];
        let script = ["-c", SCRIPT, &size[0], &size[1], &steps];
        let all: Vec<&str> = script.iter().chain(words).copied().collect();
        let mut output = self.run(self.command(folder, python.to_str().unwrap(), &all), None);
        output.stdout = output.stdout.replace("\r\n", "\n");
        Some(output)
    }
}
