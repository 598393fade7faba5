//! `context`: what a session should know, in full.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::ops::shared::session::{INBOX, SessionSection, gather};
use crate::ops::{Result, Tracker};

pub(crate) use crate::ops::shared::session::Session;

/// Findings and decisions, unless the caller says how many.
const RECENT: usize = 20;

/// The words that Go's `strconv.ParseBool` takes for true; all others are false.
const TRUE: [&str; 6] = ["1", "t", "T", "TRUE", "true", "True"];

/// The size of the summary; the zero value is the full text.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct ContextOptions {
    /// Number of findings and decisions (20)
    pub limit: Option<i64>,
    /// Omit their text
    pub compact: Option<bool>,
}

impl ContextOptions {
    /// Reads both as a command line has them: what can't be read is the default.
    pub(crate) fn read(limit: Option<&str>, compact: Option<&str>) -> Self {
        Self {
            limit: limit.and_then(|text| text.trim().parse().ok()),
            compact: Some(is_true(compact)),
        }
    }

    fn limit(self) -> usize {
        self.limit
            .and_then(|n| usize::try_from(n).ok())
            // Zero and less mean nothing here: the default is taken.
            .filter(|n| *n > 0)
            .unwrap_or(RECENT)
    }
}

/// Returns true where a word says so as `--compact` takes it.
pub(crate) fn is_true(word: Option<&str>) -> bool {
    word.is_some_and(|word| TRUE.contains(&word))
}

/// Returns what a session should know: counts, what is in progress and ready, recent findings and decisions.
pub(crate) fn context(tracker: &Tracker, options: ContextOptions) -> Result<Session> {
    let mut session = gather(tracker, options.limit(), options.compact.unwrap_or(false))?;
    let sections = session.sections(None);
    session.text = format!("{}\n", session.counts(INBOX));
    for SessionSection { heading, rows, .. } in &sections {
        let _ = write!(
            session.text,
            "\n{heading}\n{}",
            rows.iter()
                .map(|row| format!("{row}\n"))
                .collect::<String>()
        );
    }
    Ok(session)
}
