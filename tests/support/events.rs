//! Events that a test waits for, instead of for a time: lines of the program's log, and anything else that can be looked
//! at. Whatever comes takes as long as it takes, so the one limit is for what never comes.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::World;

const LIMIT: Duration = Duration::from_secs(300);
const PAUSE: Duration = Duration::from_millis(5);

/// A call waits for the lock of the repository.
pub const WAITS_FOR_LOCK: &str = "waits for the lock";
/// A call has given up waiting for it.
pub const GAVE_UP: &str = "waited for the lock held=false";
/// A purge waits until another process has packed a journal.
pub const WAITS_FOR_PACKER: &str = "waits for a process that packs the journal";
/// A remote has said nothing for too long.
pub const SILENT: &str = "gives up a git that says nothing";
/// A call of an agent waits for news.
pub const WAITS_FOR_NEWS: &str = "waits for news";
/// A call of an agent was cancelled.
pub const CANCELLED: &str = "a call was cancelled";

/// Waits until something is so.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < LIMIT, "it never came: {what}");
        std::thread::sleep(PAUSE);
    }
}

/// The log of all programs that a world starts.
pub struct Events(PathBuf);

impl World {
    /// Lets the programs that are started from now on log what they do.
    pub fn events(&mut self) -> Events {
        let file = self.path("events");
        self.set("GIT_BEADS_LOG", "debug");
        self.set("GIT_BEADS_LOG_FILE", file.to_str().unwrap());
        Events(file)
    }
}

impl Events {
    /// How often an event has come.
    pub fn count(&self, event: &str) -> usize {
        self.lines(event).len()
    }

    /// The lines of an event.
    pub fn lines(&self, event: &str) -> Vec<String> {
        let log = fs::read_to_string(&self.0).unwrap_or_default();
        let lines = log.lines().filter(|line| line.contains(event));
        lines.map(str::to_owned).collect()
    }

    /// Waits until an event has come so often.
    #[track_caller]
    pub fn wait(&self, event: &str, times: usize) {
        until(event, || self.count(event) >= times);
    }
}

/// Runs a program, and kills it once it has logged so many lines; false where it has ended before.
pub fn killed_after(lines: usize, mut command: Command) -> bool {
    command
        .env("GIT_BEADS_LOG", "trace")
        .env_remove("GIT_BEADS_LOG_FILE")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Open until it is killed: a log that no one reads ends nothing.
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let logged = log.by_ref().take(lines).count();
    let _ = child.kill();
    child.wait().unwrap();
    logged == lines
}

/// A place where scripts wait until it is opened; it is opened at the latest when it is dropped.
pub struct Gate(PathBuf);

impl Gate {
    pub fn new(world: &World, name: &str) -> Self {
        let path = world.path(name);
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, mode).unwrap();
        Self(path)
    }

    /// The line of a script that waits here.
    pub fn line(&self) -> String {
        format!("cat <'{}' 2>/dev/null", self.0.display())
    }

    /// The lines of a script that waits here and is not taken for one that has died: it says something each second.
    pub fn spoken_lines(&self) -> String {
        let path = self.0.display();
        format!("while [ -p '{path}' ]; do echo waits; timeout 1 cat '{path}'; done")
    }

    /// Lets all go on that wait, and all that come later.
    pub fn open(self) {}
}

impl Drop for Gate {
    fn drop(&mut self) {
        // Open in both directions it waits for nobody; what waits goes on when it is closed.
        let _both = File::options().read(true).write(true).open(&self.0);
        let _ = fs::remove_file(&self.0);
    }
}
