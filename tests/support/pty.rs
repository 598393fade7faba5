//! Runs the program on a terminal: python3 makes the pty.

use serde_json::{Value, json};

use super::{Output, World, tools};

/// Arguments: rows, columns, steps, and the program. Each step waits for a text, from wherever it came.
const SCRIPT: &str = r#"
import fcntl, json, os, pty, signal, struct, subprocess, sys, termios
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
        _, what, given = steps.pop(0)
        if what == "type":
            os.write(fd, given.encode())
        elif what == "run":
            subprocess.run(given, check=True, stdout=subprocess.DEVNULL)
        else:
            os.kill(pid, getattr(signal, given))
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(out)
if steps:
    sys.exit("never seen: " + steps[0][0])
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 99)
"#;

/// What somebody does beside a program on a terminal.
pub enum Step<'a> {
    /// Types.
    Type(&'a str),
    /// Runs a command elsewhere.
    Run(&'a [&'a str]),
    /// Sends a signal.
    Signal(&'a str),
}

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

    /// Runs a program in a folder on a terminal of so many rows and columns, and takes steps, each when a text has
    /// come.
    pub fn conversation(
        &self,
        folder: &str,
        size: (u32, u32),
        words: &[&str],
        steps: &[(&str, Step<'_>)],
    ) -> Option<Output> {
        let python = tools::python()?;
        let step = |(text, step): &(&str, Step<'_>)| match step {
            Step::Type(keys) => json!([text, "type", keys]),
            Step::Run(words) => json!([text, "run", words]),
            Step::Signal(name) => json!([text, "signal", name]),
        };
        let steps = steps.iter().map(step).collect::<Value>().to_string();
        let size = [size.0.to_string(), size.1.to_string()];
        let script = ["-c", SCRIPT, &size[0], &size[1], &steps];
        let all: Vec<&str> = script.iter().chain(words).copied().collect();
        let mut output = self.run(self.command(folder, python.to_str().unwrap(), &all), None);
        output.stdout = output.stdout.replace("\r\n", "\n");
        Some(output)
    }
}
