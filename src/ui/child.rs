//! A verb as a child of this program, for what it prints: it has no terminal to ask on, and lasts no longer than it is wanted.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::painted::plain;
use super::runs::{BESIDE, Ran, Run};
use crate::env::{Env, start_thread};
use crate::ops::Location;
use crate::ops::shared::current_branch::PANE;
use crate::platform::{ChildProcess, Waker, lead_group};
use crate::text::words::id_words;

/// Bytes that are kept of an output.
const MOST: u64 = 2 << 20;
/// Words that may be ids, of which the repository is asked.
const MOST_WORDS: usize = 5_000;
/// The time that a child may take to end by itself.
const GRACE: Duration = Duration::from_secs(1);
/// The pause between two looks whether it has.
const TICK: Duration = Duration::from_millis(5);

/// Keeps git, and what it runs, from asking on the terminal that the face has.
const UNATTENDED: [(&str, &str); 6] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", "false"),
    ("SSH_ASKPASS_REQUIRE", "force"),
    ("GCM_INTERACTIVE", "never"),
    ("GIT_EDITOR", "false"),
];

/// What each child is started with.
pub(super) struct ChildStart {
    pub(super) env: Env,
    /// The options that say as whom the user acts.
    pub(super) lead: Vec<String>,
    /// The place of each repository.
    pub(super) locations: Vec<Location>,
    pub(super) is_coloured: bool,
}

/// The child that is wanted, if any, and what children have printed.
pub(super) struct VerbChildren {
    start: ChildStart,
    waker: Arc<Waker>,
    to_face: Sender<Ran>,
    ran: Receiver<Ran>,
    running: Option<Running>,
    /// Those that run until this is dropped.
    beside: Vec<Running>,
}

impl VerbChildren {
    pub(super) fn new(start: ChildStart, waker: Waker) -> Self {
        let (to_face, ran) = channel();
        Self {
            start,
            waker: Arc::new(waker),
            to_face,
            ran,
            running: None,
            beside: Vec::new(),
        }
    }

    /// Starts what is wanted, and ends what is not any more.
    pub(super) fn keep(&mut self, wanted: Option<&Run>) {
        let number = wanted.map(|run| run.number);
        if self.running.as_ref().map(|running| running.number) == number {
            return;
        }
        if let Some(old) = self.running.take() {
            old.process.ask_to_end();
            // Aside, as it may take its time.
            let _ = start_thread(move || drop(old));
        }
        if let Some(run) = wanted {
            self.running = self.started(run);
        }
    }

    /// Starts one that runs as long as this lives.
    pub(super) fn add(&mut self, run: &Run) {
        self.beside.retain_mut(|running| !running.has_ended());
        let started = self.started(run);
        self.beside.extend(started);
    }

    /// Starts one; where that fails, it has printed why.
    fn started(&self, run: &Run) -> Option<Running> {
        let begun = self.begin(run);
        if let Err(error) = &begun {
            let _ = self.to_face.send(Ran {
                number: run.number,
                lines: vec![format!("error: can't run git beads here: {error}")],
                words: Vec::new(),
            });
            self.waker.wake();
        }
        begun.ok()
    }

    /// Returns what has been printed meanwhile.
    pub(super) fn ran(&mut self) -> Option<Ran> {
        let ran = self.ran.try_recv().ok()?;
        let is_of_it = |running: &mut Running| running.number == ran.number;
        if let Some(mut ended) = self.running.take_if(is_of_it) {
            // It has closed its output, and ends by itself.
            let _ = start_thread(move || ended.child.wait());
        }
        Some(ran)
    }

    fn begin(&self, run: &Run) -> io::Result<Running> {
        let start = &self.start;
        let program = start.env.program().ok_or(io::ErrorKind::NotFound)?;
        let (output, input) = io::pipe()?;
        let mut command = start.env.command(program);
        let location = &start.locations[run.repo];
        if location.explicit {
            command.arg("-C").arg(&location.dir);
        }
        command.args(&start.lead).args(&run.words).envs(UNATTENDED);
        command.env(PANE, run.columns.to_string());
        let (on, off) = match start.is_coloured {
            true => ("CLICOLOR_FORCE", "NO_COLOR"),
            false => ("NO_COLOR", "CLICOLOR_FORCE"),
        };
        command.env(on, "1").env_remove(off);
        command.stdin(Stdio::null());
        command.stdout(input.try_clone()?).stderr(input);
        let child = lead_group(&mut command).spawn()?;
        // With it goes our end of the pipe.
        drop(command);
        let running = Running {
            number: run.number,
            process: ChildProcess::new(&child, true),
            child,
        };
        let (number, to_face) = (run.number, self.to_face.clone());
        let waker = self.waker.clone();
        start_thread(move || {
            let mut output = BufReader::new(output);
            let ran = match number {
                BESIDE => first_line(&mut output),
                _ => read(number, &mut output),
            };
            let _ = to_face.send(ran);
            waker.wake();
            // It goes on where it prints more.
            let _ = io::copy(&mut output, &mut io::sink());
        })?;
        Ok(running)
    }
}

/// A child that does not outlive this value.
struct Running {
    number: u64,
    process: ChildProcess,
    child: Child,
}

impl Running {
    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.has_ended() {
            return;
        }
        self.process.ask_to_end();
        let end = Instant::now() + GRACE;
        while !self.has_ended() && Instant::now() < end {
            std::thread::sleep(TICK);
        }
        if !self.has_ended() {
            self.process.kill(&mut self.child);
            let _ = self.child.wait();
        }
    }
}

/// Reads the first line that a child prints.
fn first_line(output: &mut impl BufRead) -> Ran {
    let mut bytes = Vec::new();
    // What fails here is the end as well.
    let _ = output.take(MOST).read_until(b'\n', &mut bytes);
    let line = String::from_utf8_lossy(&bytes);
    Ran {
        number: BESIDE,
        lines: vec![line.trim_end().to_owned()],
        words: Vec::new(),
    }
}

/// Reads what a child prints, to its end.
fn read(number: u64, mut output: impl Read) -> Ran {
    let mut bytes = Vec::new();
    // What fails here is the end as well.
    let _ = (&mut output).take(MOST).read_to_end(&mut bytes);
    let rest = io::copy(&mut output, &mut io::sink()).unwrap_or(0);
    let text = String::from_utf8_lossy(&bytes);
    let mut words = BTreeSet::new();
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let plain = plain(line);
        for (_, word) in id_words(&plain) {
            if words.len() < MOST_WORDS && !words.contains(word) {
                words.insert(word.to_owned());
            }
        }
        lines.push(line.to_owned());
    }
    if rest > 0 {
        lines.push(format!("(cut here: {rest} more bytes were printed)"));
    }
    if lines.is_empty() {
        lines.push("done; it has nothing to say".to_owned());
    }
    Ran {
        number,
        lines,
        words: words.into_iter().collect(),
    }
}
