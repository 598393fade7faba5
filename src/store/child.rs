//! A child of git that talks to a remote. It ends when it says nothing for too long, when the call is
//! cancelled, and when a signal ends us: no exchange outlives the command that began it.

use std::io::{self, Read};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::{flag, low_level};

use super::relay::Relay;
use super::run::{self, RunningGit};
use super::{Cancel, Result, StoreError};
use crate::env::{Env, start_thread};
use crate::platform::{self, ChildProcess, ENDING_SIGNALS};

/// The time that a remote may say nothing: the key, and the seconds unless it says otherwise.
pub(super) const TIMEOUT: (&str, &str) = ("beads.timeout", "60");

/// The pause between two looks at signals, time and cancellation while a child says nothing.
const TICK: Duration = Duration::from_millis(50);
/// The time that a child may take to end by itself, after the first signal.
const GRACE: Duration = Duration::from_secs(1);
/// The most that is read of a child at once.
const CHUNK: usize = 1 << 13;

/// The reasons to end a child before its time.
pub(super) struct Limits {
    /// So long without a word.
    pub(super) silence: Option<Duration>,
    /// True if it may ask a person before it says anything: then its time begins with its first word.
    pub(super) asks: bool,
    /// Set when the caller no longer wants the answer.
    pub(super) cancel: Cancel,
    /// True if its standard error is passed on to the terminal.
    pub(super) shown: bool,
    pub(super) env: Env,
}

/// The end of a child.
pub(super) enum Ended {
    /// By itself.
    Itself(Output),
    /// It said nothing for too long.
    Silent,
    /// The caller gave it up.
    GivenUp,
}

/// Reads a time to wait in seconds, of which 0 is without end: none then.
pub(super) fn patience(
    (key, usual): (&'static str, &'static str),
    configured: Option<String>,
) -> Result<Option<Duration>> {
    let text = configured.unwrap_or_else(|| usual.to_owned());
    let seconds = text.trim().parse().map_err(|_| StoreError::Setting {
        key: key.to_owned(),
        value: text,
        example: usual,
    })?;
    Ok((seconds > 0).then(|| Duration::from_secs(seconds)))
}

/// Runs a child to its end, or to the limits.
pub(super) fn run(command: &mut Command, limits: &Limits) -> io::Result<Ended> {
    if IS_ENDING.load(Ordering::SeqCst) {
        return Ok(Ended::GivenUp);
    }
    let signals = Signals::listen();
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    // With a terminal it stays in our group: another one may not read from there, where ssh asks.
    // A face has that terminal for itself: nothing is written there, and the group ends as a whole.
    let has_face = HAS_FACE.load(Ordering::SeqCst);
    let grouped = has_face || !limits.env.has_terminal();
    if grouped {
        platform::lead_group(command);
    }
    let mut running = Running::begin(run::start(command)?, grouped);
    let heard = running.listen()?;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut relay = Relay::new(&limits.env);
    // Beside a face no one is asked.
    let mut last = (!limits.asks || has_face).then(Instant::now);
    loop {
        match heard.recv_timeout(TICK) {
            Ok((is_error, chunk)) => {
                let chunk = chunk?;
                last = Some(Instant::now());
                if is_error && limits.shown && !has_face {
                    relay.pass(&chunk);
                }
                if is_error { &mut stderr } else { &mut stdout }.extend(chunk);
            }
            Err(mpsc::RecvTimeoutError::Timeout) => relay.pause(),
            // Both pipes are closed: it has ended, or is about to.
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
        signals.obey();
        if limits.cancel.is_cancelled() {
            return Ok(Ended::GivenUp);
        }
        let silent = |limit| last.is_some_and(|last| last.elapsed() > limit);
        if limits.silence.is_some_and(silent) {
            tracing::debug!(after = ?limits.silence, "gives up a git that says nothing");
            return Ok(Ended::Silent);
        }
    }
    relay.end();
    let status = running.run.wait()?;
    Ok(Ended::Itself(Output {
        status,
        stdout,
        stderr,
    }))
}

/// All children of this process that run. Static since a signal is for the whole process: the thread that sees it
/// first ends the children of all.
static CHILDREN: Mutex<Vec<ChildProcess>> = Mutex::new(Vec::new());

fn children() -> MutexGuard<'static, Vec<ChildProcess>> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True once this process is about to end: what fails then is not tried again.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Ends all children, since this process is about to end, and lets none begin.
pub(crate) fn end_children() {
    IS_ENDING.store(true, Ordering::SeqCst);
    for child in children().iter() {
        child.ask_to_end();
    }
}

/// A child that does not outlive this value.
struct Running {
    run: RunningGit,
    process: ChildProcess,
}

impl Running {
    fn begin(run: RunningGit, grouped: bool) -> Self {
        let process = ChildProcess::new(&run.child, grouped);
        children().push(process);
        // It began while all were ended.
        if IS_ENDING.load(Ordering::SeqCst) {
            process.ask_to_end();
        }
        Self { run, process }
    }

    /// Reads what the child writes; the channel ends with the last of its outputs.
    fn listen(&mut self) -> io::Result<mpsc::Receiver<(bool, io::Result<Vec<u8>>)>> {
        let (sender, receiver) = mpsc::channel();
        if let Some(stdout) = self.run.child.stdout.take() {
            let sender = sender.clone();
            let pass = move |chunk| sender.send((false, chunk)).is_ok();
            start_thread(move || read(stdout, pass))?;
        }
        if let Some(stderr) = self.run.child.stderr.take() {
            let pass = move |chunk| sender.send((true, chunk)).is_ok();
            start_thread(move || read(stderr, pass))?;
        }
        Ok(receiver)
    }
}

impl Drop for Running {
    /// Ends what is still there. Only afterwards its number is free for another process.
    fn drop(&mut self) {
        let child = &mut self.run.child;
        if matches!(child.try_wait(), Ok(None)) {
            self.process.ask_to_end();
            let end = Instant::now() + GRACE;
            while Instant::now() < end && matches!(child.try_wait(), Ok(None)) {
                thread::sleep(TICK / 10);
            }
            if matches!(child.try_wait(), Ok(None)) {
                self.process.kill(child);
                let _ = child.wait();
            }
        }
        children().retain(|process| *process != self.process);
    }
}

/// Passes on what a pipe holds, up to its end or an error.
fn read(mut pipe: impl Read, mut pass: impl FnMut(io::Result<Vec<u8>>) -> bool) {
    let mut buffer = [0; CHUNK];
    loop {
        let chunk = match pipe.read(&mut buffer) {
            Ok(0) => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Ok(length) => Ok(buffer[..length].to_vec()),
            Err(error) => Err(error),
        };
        let failed = chunk.is_err();
        if !pass(chunk) || failed {
            return;
        }
    }
}

/// True where a face has a terminal or pages, which it has to leave in order: it ends by itself, and all children with it.
static HAS_FACE: AtomicBool = AtomicBool::new(false);

/// Leaves the signals that end a program to a face, which calls [`end_children`] as it ends.
pub(crate) fn leave_signals() {
    HAS_FACE.store(true, Ordering::SeqCst);
}

/// Listens for the signals that end a program, while a child runs; at other times they do what they always do.
struct Signals(Option<&'static Heard>);

/// The flags that signals set. Static since handlers of signals belong to the process, and stay.
struct Heard {
    /// True if no child runs, so that a signal ends us where we stand.
    idle: Arc<AtomicBool>,
    running: AtomicUsize,
    signals: [(i32, Arc<AtomicBool>); ENDING_SIGNALS.len()],
}

impl Signals {
    fn listen() -> Self {
        static HEARD: OnceLock<Heard> = OnceLock::new();
        if HAS_FACE.load(Ordering::SeqCst) {
            return Self(None);
        }
        let heard = HEARD.get_or_init(Heard::new);
        heard.running.fetch_add(1, Ordering::SeqCst);
        heard.idle.store(false, Ordering::SeqCst);
        Self(Some(heard))
    }

    /// Ends all children and this process, where a signal has asked for it.
    fn obey(&self) {
        let came = |it: &&(i32, Arc<AtomicBool>)| it.1.load(Ordering::SeqCst);
        let heard = self.0.and_then(|heard| heard.signals.iter().find(came));
        let Some((signal, _)) = heard else {
            return;
        };
        end_children();
        // The default of each of these signals is to end the process, so this does not return.
        let _ = low_level::emulate_default_handler(*signal);
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // A signal that came with the end of the child is obeyed now: nothing looks at it later.
        if let Some(heard) = self.0
            && heard.running.fetch_sub(1, Ordering::SeqCst) == 1
        {
            heard.idle.store(true, Ordering::SeqCst);
        }
        self.obey();
    }
}

impl Heard {
    fn new() -> Self {
        let idle = Arc::new(AtomicBool::new(false));
        let ignored = platform::ignored_signals();
        let signals = ENDING_SIGNALS.map(|signal| {
            let flag = Arc::new(AtomicBool::new(false));
            // It was ignored when we started, as for a shell's job in the background or under nohup: so it stays.
            if ignored >> (signal - 1) & 1 == 0 {
                // Where this can't be done, a signal ends us and leaves the child to itself.
                let _ = flag::register_conditional_default(signal, Arc::clone(&idle))
                    .and_then(|_| flag::register(signal, Arc::clone(&flag)));
            }
            (signal, flag)
        });
        Self {
            idle,
            running: AtomicUsize::new(0),
            signals,
        }
    }
}
