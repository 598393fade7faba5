//! Times as people see them: in their zone, and in the form that `--date` or git's `log.date` asks for.

use std::cell::OnceCell;

use crate::env::Env;
use crate::env::time_zone::time_zone;
use crate::model::date_form::DateForm;
use crate::model::{Clock, time};

/// Times for one person.
#[derive(Debug)]
pub(in crate::cli) struct Dates {
    env: Env,
    form: Option<DateForm>,
    clock: OnceCell<Clock>,
}

impl Dates {
    /// Returns times in the form that is asked for, else in the one that git is configured to use.
    pub(in crate::cli) fn new(
        env: &Env,
        asked: Option<DateForm>,
        configured: Option<&str>,
        is_terminal: bool,
    ) -> Self {
        let configured = configured.and_then(|text| match text.strip_prefix("auto:") {
            Some(form) => is_terminal.then_some(form),
            None => Some(text),
        });
        Self {
            env: env.clone(),
            // One that git alone understands is no reason to refuse a command.
            form: asked.or_else(|| configured?.parse().ok()),
            clock: OnceCell::new(),
        }
    }

    /// Returns a time to the minute.
    pub(in crate::cli) fn minute(&self, at: &str) -> String {
        self.text(at, "%Y-%m-%d %H:%M %z")
    }

    /// Returns a time to the second.
    pub(in crate::cli) fn second(&self, at: &str) -> String {
        self.text(at, "%Y-%m-%d %H:%M:%S %z")
    }

    /// Returns the day of a time.
    pub(in crate::cli) fn day(&self, at: &str) -> String {
        self.text(at, "%Y-%m-%d")
    }

    /// Returns the day until which something is due or hidden, with the time where it is not that of a whole day.
    pub(in crate::cli) fn limit(&self, at: &str) -> String {
        time::parse(at).map_or_else(|| at.to_owned(), |at| self.limit_at(at))
    }

    /// Returns the same of a time in milliseconds.
    fn limit_at(&self, millis: u64) -> String {
        match self.clock().is_edge_of_day(millis) {
            true => self.formatted(millis, "%Y-%m-%d"),
            false => self.formatted(millis, "%Y-%m-%d %H:%M %z"),
        }
    }

    /// Returns when something is due, and true if that is over.
    pub(in crate::cli) fn due(&self, millis: u64) -> (String, bool) {
        let is_over = millis < self.clock().now();
        let mark = if is_over { "overdue" } else { "due" };
        (format!("{mark} {}", self.limit_at(millis)), is_over)
    }

    /// Returns a time in the form that is asked for, else in this one. What is no time is left as it is.
    fn text(&self, at: &str, usual: &str) -> String {
        time::parse(at).map_or_else(|| at.to_owned(), |at| self.formatted(at, usual))
    }

    fn formatted(&self, millis: u64, usual: &str) -> String {
        match &self.form {
            None => self.clock().formatted(millis, usual),
            Some(form) => form.text(millis, self.clock()),
        }
    }

    fn clock(&self) -> &Clock {
        self.clock
            .get_or_init(|| Clock::new(self.env.now(), time_zone(&self.env)))
    }
}
