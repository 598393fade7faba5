//! The file of an import, read line by line.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};

use super::LineError;
use crate::model::bd::{self, ImportRecord, ParsedLine};
use crate::model::id::check_prefix;
use crate::model::{Memory, Uid};
use crate::ops::{Error, Result};

/// Longest line that is read.
pub(super) const LONGEST_LINE: u64 = 64 << 20;

/// So many issues of a file tell its prefix.
const SAMPLE: usize = 200;

/// The outcome of the first reading.
#[derive(Default)]
pub(super) struct FileContents {
    pub(super) issues: Vec<Chosen>,
    pub(super) ids: HashMap<String, usize>,
    pub(super) memory: Vec<Memory>,
    pub(super) duplicates: usize,
    pub(super) errors: Vec<LineError>,
}

/// The line that speaks for an id.
pub(super) struct Chosen {
    pub(super) id: String,
    pub(super) line: usize,
    pub(super) offset: u64,
    pub(super) updated: Option<i128>,
    pub(super) uid: Uid,
}

/// Copies standard input into a file that can be read twice.
pub(crate) fn spool(mut input: impl Read) -> Result<std::fs::File> {
    let failed = |error: std::io::Error| Error::io("can't copy the input", &error);
    let mut file = tempfile::tempfile().map_err(failed)?;
    std::io::copy(&mut input, &mut file).map_err(failed)?;
    file.flush().map_err(failed)?;
    Ok(file)
}

pub(super) fn unread(error: &std::io::Error) -> Error {
    Error::io("can't read the file", error)
}

/// Reads the next line in the place of what the buffer holds, up to the limit; returns its length in bytes.
pub(super) fn read_line(reader: &mut impl BufRead, buffer: &mut Vec<u8>) -> Result<u64> {
    buffer.clear();
    let mut line = reader.take(LONGEST_LINE);
    let length = line.read_until(b'\n', buffer);
    length
        .map(|length| length as u64)
        .map_err(|error| unread(&error))
}

/// Calls `each` with number, offset and text of every line.
fn lines(
    input: &mut std::fs::File,
    mut each: impl FnMut(usize, u64, Result<&str, String>),
) -> Result<()> {
    input
        .seek(SeekFrom::Start(0))
        .map_err(|error| unread(&error))?;
    let mut reader = BufReader::with_capacity(1 << 18, input);
    let (mut buffer, mut offset) = (Vec::new(), 0);
    for number in 1.. {
        let length = read_line(&mut reader, &mut buffer)?;
        if length == 0 {
            break;
        }
        let bytes = if number == 1 {
            buffer.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&buffer)
        } else {
            &buffer
        };
        let text = std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"));
        each(number, offset, text);
        offset += length;
    }
    Ok(())
}

/// Reads the file for the first time: the line that speaks for each id, and the memory of the store.
pub(super) fn scan(input: &mut std::fs::File) -> Result<FileContents> {
    let mut contents = FileContents::default();
    lines(input, |line, offset, text| {
        match text.and_then(bd::parse_line) {
            Ok(None) => {}
            Ok(Some(ParsedLine::Memory(memory))) => contents.remember(memory.build(), line),
            Ok(Some(ParsedLine::Issue(record))) => contents.choose(&record, line, offset),
            Err(message) => contents.errors.push(LineError { line, message }),
        }
    })?;
    Ok(contents)
}

/// Returns the prefix that most of the first ids of a file have; none where they have none in common.
pub(crate) fn common_prefix(input: &mut std::fs::File) -> Result<Option<String>> {
    let mut ids: Vec<String> = Vec::new();
    lines(input, |_, _, text| {
        if ids.len() < SAMPLE
            && let Ok(Some(ParsedLine::Issue(record))) = text.and_then(bd::parse_line)
        {
            ids.push(record.id.as_str().to_owned());
        }
    })?;
    Ok(most_common(&ids))
}

/// Returns the prefix that more than half of the ids have.
fn most_common(ids: &[String]) -> Option<String> {
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
    fn remember(&mut self, memory: Memory, line: usize) {
        match memory.blob().to_checked_bytes() {
            Ok(_) => self.memory.push(memory),
            Err(why) => self.errors.push(LineError {
                line,
                message: why.to_string(),
            }),
        }
    }

    /// Of the lines of one id the newest speaks for it, the last of equals.
    fn choose(&mut self, record: &ImportRecord, line: usize, offset: u64) {
        let chosen = Chosen {
            id: record.id.as_str().to_owned(),
            line,
            offset,
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
