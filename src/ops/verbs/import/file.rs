//! The contents of the file of an import, as the first reading finds them.

use std::collections::HashMap;

use super::lines::lines;
use super::{LineError, Unit};
use crate::model::bd::{self, ImportRecord, OtherFile, ParsedLine};
use crate::model::id::check_prefix;
use crate::model::{Memory, Uid};
use crate::ops::Result;

/// So many characters of what is no record are shown.
const MOST_QUOTED: usize = 40;

/// So many issues of a file tell its prefix.
const SAMPLE: usize = 200;

/// The outcome of the first reading.
#[derive(Default)]
pub(super) struct FileContents {
    pub(super) unit: Unit,
    pub(super) issues: Vec<Chosen>,
    pub(super) ids: HashMap<String, usize>,
    pub(super) memory: Vec<Memory>,
    pub(super) duplicates: usize,
    pub(super) errors: Vec<LineError>,
    /// Lines that have something.
    pub(super) records: usize,
    /// Those of them that are no JSON object.
    pub(super) no_json: usize,
    /// The beginning of the first of these.
    pub(super) begins_with: String,
    /// Records of other kinds, and how many there are of each.
    pub(super) others: Vec<(&'static OtherFile, usize)>,
    /// Issues whose links, labels and comments are elsewhere.
    pub(super) without_links: usize,
}

/// The line that speaks for an id.
pub(super) struct Chosen {
    pub(super) id: String,
    pub(super) line: usize,
    pub(super) offset: u64,
    pub(super) created: u64,
    pub(super) updated: Option<i128>,
    pub(super) uid: Uid,
}

/// Reads the file for the first time: the line that speaks for each id, and the memory of the store.
pub(super) fn scan(input: &mut std::fs::File, unit: Unit) -> Result<FileContents> {
    let mut contents = FileContents {
        unit,
        ..FileContents::default()
    };
    let (mut rows, mut has_links) = (0, false);
    lines(input, |line, offset, text| {
        let shown = text.as_ref().map_or("", |text| text.trim());
        let begins_with: String = shown.chars().take(MOST_QUOTED).collect();
        let parsed = text.and_then(bd::parse_line);
        contents.records += usize::from(!matches!(parsed, Ok(None)));
        if parsed.is_err() && !begins_with.starts_with('{') {
            contents.no_json += 1;
            if contents.begins_with.is_empty() {
                contents.begins_with = begins_with;
            }
        }
        let fault = match parsed {
            Ok(None) => None,
            Ok(Some(ParsedLine::Memory(memory))) => contents.remember(memory.build()),
            Ok(Some(ParsedLine::Issue(record))) => {
                rows += usize::from(record.is_row());
                has_links |= record.has_links();
                contents.without_links += usize::from(record.lacks_links());
                contents.choose(&record, line, offset);
                None
            }
            Ok(Some(ParsedLine::Other(other))) => {
                contents.count(other);
                Some(format!("not an issue: a record of {}", other.what))
            }
            Err(message) => Some(message),
        };
        let fault = fault.map(|message| LineError::new(unit, line, message));
        contents.errors.extend(fault);
    })?;
    // Rows of a table have each column, and their links in other tables.
    if !has_links {
        contents.without_links = contents.without_links.max(rows);
    }
    Ok(contents)
}

/// Returns the prefix that more than half of the ids have.
fn most_common(ids: &[&str]) -> Option<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (prefix, _) in ids.iter().filter_map(|id| id.rsplit_once('-')) {
        *counts.entry(prefix).or_default() += 1;
    }
    let most = counts
        .into_iter()
        .max_by_key(|(prefix, count)| (*count, *prefix));
    let most = most.filter(|(prefix, count)| 2 * count > ids.len() && check_prefix(prefix).is_ok());
    most.map(|(prefix, _)| prefix.to_owned())
}

impl FileContents {
    /// Returns the prefix that most of the first ids have; none where they have none in common.
    pub(super) fn common_prefix(&self) -> Option<String> {
        let issues = self.issues.iter().take(SAMPLE);
        let ids: Vec<&str> = issues.map(|issue| issue.id.as_str()).collect();
        most_common(&ids)
    }

    /// Adds an entry of the store's memory; returns why it can't be one.
    fn remember(&mut self, memory: Memory) -> Option<String> {
        match memory.blob().to_checked_bytes() {
            Ok(_) => self.memory.push(memory),
            Err(why) => return Some(why.to_string()),
        }
        None
    }

    fn count(&mut self, other: &'static OtherFile) {
        match self
            .others
            .iter_mut()
            .find(|(known, _)| known.what == other.what)
        {
            Some((_, count)) => *count += 1,
            None => self.others.push((other, 1)),
        }
    }

    /// Of the lines of one id the newest speaks for it, the last of equals.
    fn choose(&mut self, record: &ImportRecord, line: usize, offset: u64) {
        let chosen = Chosen {
            id: record.id.as_str().to_owned(),
            line,
            offset,
            created: record.created(),
            updated: record.updated,
            uid: record.uid(),
        };
        match self.ids.get(record.id.as_str()) {
            None => {
                self.ids.insert(chosen.id.clone(), self.issues.len());
                self.issues.push(chosen);
            }
            Some(&at) => {
                self.duplicates += 1;
                if chosen.updated >= self.issues[at].updated {
                    self.issues[at] = chosen;
                }
            }
        }
    }
}
