//! Progress on standard error.

use std::io::{IsTerminal, Write};

/// A line on a terminal that says how far something is, after half a second.
pub(in crate::cli) struct Meter {
    what: &'static str,
    start: std::time::Instant,
    drawn: Option<std::time::Instant>,
    terminal: bool,
}

impl Meter {
    pub(in crate::cli) fn new(what: &'static str) -> Self {
        Self {
            what,
            start: std::time::Instant::now(),
            drawn: None,
            terminal: std::io::stderr().is_terminal(),
        }
    }

    pub(in crate::cli) fn step(&mut self, done: usize, total: usize) {
        let now = std::time::Instant::now();
        // A short run draws nothing at all.
        let due = self.drawn.map_or(
            now - self.start >= std::time::Duration::from_millis(500),
            |at| now - at >= std::time::Duration::from_millis(100),
        );
        if !self.terminal || !due {
            return;
        }
        self.drawn = Some(now);
        let filled = done * 30 / total.max(1);
        let bar = format!("{}{}", "#".repeat(filled), ".".repeat(30 - filled));
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "\r{} [{bar}] {done}/{total}", self.what).and_then(|()| err.flush());
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let mut err = std::io::stderr().lock();
            let _ = write!(err, "\r{}\r", " ".repeat(70)).and_then(|()| err.flush());
        }
    }
}
