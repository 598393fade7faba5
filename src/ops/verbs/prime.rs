//! `prime`: what a session should know, for a hook: compact and bounded.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::ops::answer::shortened;
use crate::ops::shared::session::{SessionSection, gather};
use crate::ops::{Code, Result, Tracker};

pub(crate) use crate::ops::shared::session::Session;

/// The last lines of `prime`.
const COMMANDS: &str = "Commands: git beads ready | show ID | start ID | note ID --finding/--decision TEXT | \
    create TITLE | done ID -r WHY";

/// The limits of what a session-start hook prints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prime {
    /// Findings and decisions at most.
    pub limit: usize,
    /// Characters of a line at most.
    pub width: usize,
    /// Bytes in all at most.
    pub bytes: usize,
}

/// Returns what a session should know, within the limits of a hook; none where there is no store.
///
/// # Errors
/// A store that can't be read.
pub(crate) fn prime(tracker: &Tracker, request: Prime) -> Result<Option<Session>> {
    let mut session = match gather(tracker, request.limit, true) {
        // A hook runs in repositories without issues too, and says nothing there.
        Err(error) if error.is(Code::NoStore) => return Ok(None),
        gathered => gathered?,
    };
    let mut sections = session.sections();
    for section in &mut sections {
        // Without their texts, several entries of one issue read the same.
        let mut seen = HashSet::new();
        section.rows = section
            .rows
            .iter()
            .map(|row| within(row, request.width))
            .collect();
        section.rows.retain(|row| seen.insert(row.clone()));
    }
    session.text = fitting(&session.counts(), sections, request.bytes);
    Ok(Some(session))
}

impl SessionSection {
    fn render(&self) -> String {
        if self.rows.is_empty() && self.command.is_empty() {
            return String::new();
        }
        let mut text = format!("{}\n", self.heading);
        self.rows.iter().for_each(|row| text.extend([row, "\n"]));
        if self.more > 0 && !self.command.is_empty() {
            let _ = writeln!(text, "+{} more: {}", self.more, self.command);
        }
        text
    }
}

/// The text in so many bytes: rows are left out, the last first; the counts stay.
fn fitting(counts: &str, mut sections: Vec<SessionSection>, bytes: usize) -> String {
    loop {
        let lists: String = sections.iter().map(SessionSection::render).collect();
        let text = format!("git-beads: {counts}\n{lists}{COMMANDS}\n");
        if text.len() <= bytes {
            return text;
        }
        // The longest list gives way first; of equal ones, the last.
        let Some(longest) = sections.iter_mut().max_by_key(|section| section.rows.len()) else {
            return text[..text.floor_char_boundary(bytes)].to_owned();
        };
        if longest.rows.pop().is_some() {
            longest.more += 1;
        } else {
            // All lists are empty and it is still too long: their headings go too.
            sections.clear();
        }
    }
}

/// A line of at most so many characters, the dots included.
fn within(line: &str, width: usize) -> String {
    match line.chars().count() > width {
        true => shortened(line, width.saturating_sub(3)).unwrap_or_default(),
        false => line.to_owned(),
    }
}
