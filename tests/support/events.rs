//! Events that a test waits for, instead of for a time: lines of the program's log, and anything else that can be looked
//! at. Whatever comes takes as long as it takes, so the one limit is for what never comes.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::support::World;

const LIMIT: Duration = Duration::from_secs(300);
const PAUSE: Duration = Duration::from_millis(5);

/// A call waits for the lock of the repository.
pub const WAITS_FOR_LOCK: &str = "waits for the lock";
/// A call has given up waiting for it.
pub const GAVE_UP: &str = "waited for the lock held=false";
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
        let log = std::fs::read_to_string(&self.0).unwrap_or_default();
        log.lines().filter(|line| line.contains(event)).count()
    }

    /// Waits until an event has come so often.
    #[track_caller]
    pub fn wait(&self, event: &str, times: usize) {
        until(event, || self.count(event) >= times);
    }
}
