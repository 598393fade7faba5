//! Progress on standard error.

use std::io::Write as _;

use crate::env::Env;

/// A line on a terminal that says how far something is, after half a second.
pub(in crate::cli) struct Meter {
    what: &'static str,
    start: std::time::Instant,
    drawn: Option<std::time::Instant>,
    terminal: bool,
    env: Env,
}

impl Meter {
    pub(in crate::cli) fn new(env: &Env, what: &'static str) -> Self {
        Self {
            what,
            start: std::time::Instant::now(),
            drawn: None,
            terminal: env.error_is_terminal(),
            env: env.clone(),
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
        let mut err = self.env.error();
        let _ = write!(err, "\r{} [{bar}] {done}/{total}", self.what).and_then(|()| err.flush());
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let mut err = self.env.error();
            let _ = write!(err, "\r{}\r", " ".repeat(70)).and_then(|()| err.flush());
        }
    }
}
