//! A program on a terminal that a test looks at: python3 makes the pty, and what is sent to it becomes a screen.

use std::io::{BufRead, BufReader, Read, Write};
use std::num::NonZero;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::{World, tools};

/// The time after which something never comes.
const LIMIT: Duration = Duration::from_secs(120);

/// Arguments: rows, columns, and the program. Commands come as lines; the last line on standard error says how it ended.
const SCRIPT: &str = r#"
import fcntl, json, os, select, signal, struct, sys, termios
def resize(rows, columns):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
master, slave = os.openpty()
resize(int(sys.argv[1]), int(sys.argv[2]))
before = termios.tcgetattr(slave)
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in range(3):
        os.dup2(slave, fd)
    os.close(master)
    os.execvp(sys.argv[3], sys.argv[3:])
signal.alarm(300)
line, status, hung_up = b"", None, False
while True:
    wanted = [0] if hung_up else [0, master]
    ready = select.select(wanted, [], [], 0.02)[0]
    if master in ready:
        os.write(1, os.read(master, 65536))
    elif status is not None:
        break
    if 0 in ready:
        line += os.read(0, 65536)
        while b"\n" in line:
            given, line = line.split(b"\n", 1)
            what, value = json.loads(given)
            if what == "type":
                os.write(master, value.encode())
            elif what == "resize":
                resize(*value)
                os.kill(pid, signal.SIGWINCH)
            elif what == "hang up":
                hung_up = True
                os.close(slave)
                os.close(master)
            else:
                os.kill(pid, getattr(signal, value))
    if status is None:
        ended, code = os.waitpid(pid, os.WNOHANG)
        status = code if ended else None
same = hung_up or termios.tcgetattr(slave) == before
code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
sys.stderr.write(json.dumps({"code": code, "same": same}) + "\n")
"#;

fn size(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

/// The terminal of a program that runs.
pub struct Screen {
    child: Child,
    input: ChildStdin,
    output: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    /// All that was sent to it.
    pub sent: Vec<u8>,
}

/// The end of a program on a terminal.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code; below zero the signal that has ended it.
    pub code: i64,
    /// Whether the modes of the terminal are those from before.
    pub has_same_modes: bool,
    pub sent: Vec<u8>,
    /// What the terminal shows then.
    pub contents: String,
    /// Whether that is the screen from before, and not one of the program's own.
    pub is_usual_screen: bool,
}

impl World {
    /// Starts a program in a folder on a terminal of so many columns and rows; none where there is no pty.
    pub fn screen(
        &self,
        folder: &str,
        (columns, rows): (u16, u16),
        words: &[&str],
    ) -> Option<Screen> {
        let python = tools::python()?;
        let shape = [rows.to_string(), columns.to_string()];
        let script = ["-c", SCRIPT, &shape[0], &shape[1]];
        let all: Vec<&str> = script.iter().chain(words).copied().collect();
        let mut command = self.command(folder, python.to_str().unwrap(), &all);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 65536];
            while let Ok(n @ 1..) = stdout.read(&mut bytes) {
                if sender.send(bytes[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        Some(Screen {
            child,
            input,
            output,
            parser: vt100::Parser::new(size(rows), size(columns), 0),
            sent: Vec::new(),
        })
    }
}

/// The numbers that make a cell look as it does.
fn looks(cell: &vt100::Cell) -> String {
    let mut out = String::new();
    for (is_so, number) in [(cell.bold(), 1), (cell.dim(), 2), (cell.inverse(), 7)] {
        if is_so {
            out.push_str(&format!(";{number}"));
        }
    }
    if let vt100::Color::Idx(colour) = cell.fgcolor() {
        out.push_str(&format!(";{}", 30 + colour));
    }
    out
}

impl Screen {
    /// Waits until the screen is as it has to be, and returns it.
    #[track_caller]
    pub fn until_is(&mut self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        self.wait(what, |screen| is_so(&screen.contents()));
        self.contents()
    }

    #[track_caller]
    fn wait(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        while self.is_amid_frame() || !is_so(self) {
            match self.output.recv_timeout(LIMIT) {
                Ok(bytes) => self.take(&bytes),
                Err(_) => panic!("it never came: {what}\n{}", self.contents()),
            }
        }
    }

    /// Waits until the screen has a text, and returns it.
    #[track_caller]
    pub fn until(&mut self, text: &str) -> String {
        self.until_is(text, |screen| screen.contains(text))
    }

    /// Returns whether a frame has begun and is not whole yet: what is read of a terminal ends anywhere.
    fn is_amid_frame(&self) -> bool {
        let mut places = self.sent.windows(b"\x1b[?2026h".len());
        places
            .rfind(|bytes| bytes.starts_with(b"\x1b[?2026"))
            .is_some_and(|mark| mark.ends_with(b"h"))
    }

    fn take(&mut self, bytes: &[u8]) {
        self.parser.process(bytes);
        self.sent.extend_from_slice(bytes);
    }

    /// The rows of the screen, without the spaces at their ends.
    pub fn contents(&self) -> String {
        let screen = self.parser.screen();
        let rows = screen.rows(0, screen.size().1.get());
        rows.map(|row| row.trim_end().to_owned() + "\n").collect()
    }

    /// The rows of the screen with their colours, as a program prints them.
    pub fn painted(&self) -> String {
        let screen = self.parser.screen();
        let (rows, columns) = screen.size();
        let mut out = String::new();
        for row in 0..rows.get() {
            let mut last = String::new();
            for column in 0..columns.get() {
                let Some(cell) = screen
                    .cell(row, column)
                    .filter(|it| !it.is_wide_continuation())
                else {
                    continue;
                };
                let looks = looks(cell);
                if looks != last {
                    out.push_str(&format!("\u{1b}[0{looks}m"));
                    last = looks;
                }
                out.push_str(if cell.has_contents() {
                    cell.contents()
                } else {
                    " "
                });
            }
            out.push_str("\u{1b}[0m\n");
        }
        out
    }

    /// The row that is turned round, and that the cursor stands on.
    pub fn selected(&self) -> Option<String> {
        let screen = self.parser.screen();
        let row = screen.cursor_position().0;
        let is_selected = screen.cell(row, 0).is_some_and(vt100::Cell::inverse);
        is_selected.then(|| {
            screen
                .rows(0, screen.size().1.get())
                .nth(row.into())
                .unwrap_or_default()
        })
    }

    /// Waits until another row is selected.
    #[track_caller]
    pub fn until_moved(&mut self, before: Option<&str>) {
        self.wait("another row", |screen| {
            screen.selected().as_deref() != before
        });
    }

    /// The title of the window is not part of the screen; whether any cell has a colour is.
    pub fn is_coloured(&self) -> bool {
        let screen = self.parser.screen();
        let (rows, columns) = screen.size();
        let mut cells =
            (0..rows.get()).flat_map(|row| (0..columns.get()).map(move |column| (row, column)));
        cells.any(|(row, column)| {
            screen
                .cell(row, column)
                .is_some_and(|cell| cell.fgcolor() != vt100::Color::Default)
        })
    }

    fn command(&mut self, what: &str, value: &Value) {
        writeln!(self.input, "{}", json!([what, value])).unwrap();
    }

    /// Types keys.
    pub fn keys(&mut self, keys: &str) {
        self.command("type", &json!(keys));
    }

    /// Gives the window another size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.parser.screen_mut().set_size(size(rows), size(columns));
        self.command("resize", &json!([rows, columns]));
    }

    /// Sends a signal to the program.
    pub fn signal(&mut self, name: &str) {
        self.command("signal", &json!(name));
    }

    /// Closes the terminal.
    pub fn hang_up(&mut self) {
        self.command("hang up", &json!(null));
    }

    /// Waits for the end of the program.
    pub fn end(mut self) -> Ended {
        while let Ok(bytes) = self.output.recv_timeout(LIMIT) {
            self.take(&bytes);
        }
        let stderr = self.child.stderr.take().unwrap();
        let last = BufReader::new(stderr).lines().map_while(Result::ok).last();
        self.child.wait().unwrap();
        let last: Value = serde_json::from_str(&last.unwrap_or_default()).unwrap();
        Ended {
            code: last["code"].as_i64().unwrap(),
            has_same_modes: last["same"] == json!(true),
            contents: self.contents(),
            is_usual_screen: !self.parser.screen().alternate_screen(),
            sent: self.sent,
        }
    }
}
