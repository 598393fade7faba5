//! `prime`: what a session should know, for a hook: compact and bounded.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::ops::answer::shortened;
use crate::ops::shared::session::{INBOX, RECENT, Recent, SessionSection, gather};
use crate::ops::{Code, Result, Tracker};

pub(crate) use crate::ops::shared::first_contact::join_usual;
pub(crate) use crate::ops::shared::session::Session;

/// The last line of `prime` for a shell.
const COMMANDS: &str = "Commands: git beads ready | show ID | start ID | note ID --finding/--decision TEXT | \
    create TITLE | done ID -r WHY";
/// The last line of `prime` for a client that has our server.
const TOOLS: &str = "Tools: task_list(mode=ready) | task_status(id) | task_start(id) | \
    task_progress(id, findings, decisions) | task_create | task_done(id, reason)";
/// Characters around the parts of a line, as far as a title has to leave room for them.
const MARKS: usize = 6;
/// The same for a client that has our server: only a person answers questions.
const PERSON: &str = "a person can run: git beads inbox";
/// Most characters of the title of an issue whose findings and decisions follow.
const TITLE: usize = 50;

/// The limits of what a session-start hook prints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prime {
    /// Findings and decisions at most.
    pub limit: usize,
    /// Characters of a line at most.
    pub width: usize,
    /// Bytes in all at most.
    pub bytes: usize,
    /// Whether the texts of findings and decisions are left out.
    pub compact: bool,
    /// Whether the tools are named instead of the commands.
    pub tools: bool,
}

/// Returns what a session should know, within the limits of a hook; none where there is no store.
///
/// # Errors
/// A store that can't be read.
pub(crate) fn prime(tracker: &Tracker, request: Prime) -> Result<Option<Session>> {
    let mut session = match gather(tracker, request.limit, request.compact) {
        // A hook runs in repositories without issues too, and says nothing there.
        Err(error) if error.is(Code::NoStore) => return Ok(None),
        gathered => gathered?,
    };
    let mut sections = session.sections((!request.compact).then(|| tracker.now()));
    if let Some(section) = sections
        .iter_mut()
        .find(|section| section.heading == RECENT)
        && !request.compact
    {
        section.rows = by_issue(&session.recent, request.width);
    }
    if !request.compact {
        let notices = tracker.take_notices();
        let rows: Vec<_> = notices.iter().map(|notice| format!("- {notice}")).collect();
        sections.extend((!rows.is_empty()).then(|| SessionSection::of("Notices:", rows)));
    }
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
    let (last, inbox) = if request.tools {
        (TOOLS, PERSON)
    } else {
        (COMMANDS, INBOX)
    };
    if request.tools {
        sections.iter_mut().for_each(SessionSection::name_tool);
    }
    session.text = fitting(&session.counts(inbox), sections, last, request.bytes);
    Ok(Some(session))
}

/// Returns findings and decisions as lines, those of an issue together: the first line of each names it. The issue with
/// the newest one comes first.
fn by_issue(recent: &[Recent], width: usize) -> Vec<String> {
    let mut named = HashSet::new();
    let issues = recent.iter().filter(|entry| named.insert(&entry.id));
    let of = |first: &Recent| {
        let entries = recent.iter().filter(|entry| entry.id == first.id);
        let lines = entries.enumerate().map(|(n, entry)| match n {
            0 => format!("- {}{}", name(entry, width), said(entry)),
            _ => format!("  {}", said(entry).trim_start()),
        });
        lines.collect::<Vec<_>>()
    };
    issues.flat_map(of).collect()
}

/// Returns id and title of the issue of an entry. The title leaves the text half of the line at least.
fn name(entry: &Recent, width: usize) -> String {
    let other = [&entry.id, &entry.kind].map(|text| text.chars().count());
    let room = width.saturating_sub(other[0] + other[1]) / 2;
    let title = shortened(&entry.title, TITLE.min(room.saturating_sub(MARKS)))
        .unwrap_or_else(|| entry.title.clone());
    format!("{} {title}", entry.id).trim_end().to_owned()
}

fn said(entry: &Recent) -> String {
    format!(" [{}] {}", entry.kind, entry.text)
}

impl SessionSection {
    /// Names the tool instead of the command that leads to the rest.
    fn name_tool(&mut self) {
        self.command = self.tool;
    }

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
fn fitting(counts: &str, mut sections: Vec<SessionSection>, last: &str, bytes: usize) -> String {
    loop {
        let lists: String = sections.iter().map(SessionSection::render).collect();
        let text = format!("git-beads: {counts}\n{lists}{last}\n");
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
