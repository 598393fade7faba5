//! The tables of a backup of bd: a file of issues, and files of their links, labels and comments.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use serde_json::value::RawValue;

use super::lines::{Records, copied, lines, read_line, unread};
use super::{LineError, Unit};
use crate::ops::Result;

/// A table whose rows become a list of their issue.
struct BackupTable {
    file: &'static str,
    /// The key of the list.
    list: &'static str,
    /// The column of a row that is the member; none where the row is.
    column: Option<&'static str>,
}

const TABLES: [BackupTable; 3] = [
    BackupTable {
        file: "dependencies.jsonl",
        list: "dependencies",
        column: None,
    },
    BackupTable {
        file: "labels.jsonl",
        list: "labels",
        column: Some("label"),
    },
    BackupTable {
        file: "comments.jsonl",
        list: "comments",
        column: None,
    },
];

/// An object whose values are kept as they are written.
type Raw = BTreeMap<String, Box<RawValue>>;

/// The members of the lists of an issue, each with the number of its line.
type Members = HashMap<String, Vec<(usize, Box<RawValue>)>>;

/// Returns whether a file is one of the tables.
pub(super) fn is_table(path: &Path) -> bool {
    let is_it = |table: &BackupTable| path.file_name().is_some_and(|name| name == table.file);
    TABLES.iter().any(is_it)
}

/// Returns whether a folder has one of the tables.
pub(super) fn has_tables(folder: &Path) -> bool {
    TABLES.iter().any(|table| folder.join(table.file).is_file())
}

/// Adds the rows of the tables to the issues that they name.
pub(super) fn join(folder: &Path, issues: Records) -> Result<Records> {
    let mut errors = issues.errors;
    let mut tables = Vec::new();
    for table in &TABLES {
        let mut members = Members::new();
        if let Ok(mut file) = File::open(folder.join(table.file)) {
            read(table, &mut file, &mut members, &mut errors)?;
        }
        tables.push((table, members));
    }
    let (mut source, mut out) = (
        issues.file,
        tempfile::tempfile().map_err(|error| copied(&error))?,
    );
    source
        .seek(SeekFrom::Start(0))
        .map_err(|error| unread(&error))?;
    let mut source = BufReader::with_capacity(1 << 18, source);
    let mut writer = BufWriter::with_capacity(1 << 18, &mut out);
    let mut line = Vec::new();
    while read_line(&mut source, &mut line)? > 0 {
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
        match serde_json::from_slice::<Raw>(text) {
            Ok(mut issue) => {
                add(&mut issue, &mut tables);
                serde_json::to_writer(&mut writer, &issue).map_err(|why| copied(&why.into()))?;
                writer.write_all(b"\n").map_err(|error| copied(&error))?;
            }
            // Named where it is read as an issue.
            Err(_) => writer.write_all(&line).map_err(|error| copied(&error))?,
        }
    }
    writer.flush().map_err(|error| copied(&error))?;
    drop(writer);
    for (table, members) in tables {
        for (id, rows) in members {
            errors.extend(rows.iter().map(|(line, _)| {
                LineError::new(Unit::Line, *line, format!("no issue `{id}`")).in_file(table.file)
            }));
        }
    }
    Ok(Records {
        errors,
        is_joined: true,
        ..Records::lines(out)
    })
}

fn read(
    table: &BackupTable,
    file: &mut File,
    members: &mut Members,
    errors: &mut Vec<LineError>,
) -> Result<()> {
    lines(file, |line, _, text| {
        match text.and_then(|text| row(table, text)) {
            Ok(None) => {}
            Ok(Some((id, member))) => members.entry(id).or_default().push((line, member)),
            Err(why) => errors.push(LineError::new(Unit::Line, line, why).in_file(table.file)),
        }
    })
}

/// Returns the issue of a row, and the member of its list.
fn row(table: &BackupTable, text: &str) -> Result<Option<(String, Box<RawValue>)>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let mut row: Raw = serde_json::from_str(text).map_err(|why| format!("not JSON: {why}"))?;
    let id = row.get("issue_id").ok_or("no `issue_id`")?;
    let id = serde_json::from_str(id.get()).map_err(|_| "no `issue_id`")?;
    let member = match table.column {
        Some(column) => row.remove(column).ok_or_else(|| format!("no `{column}`"))?,
        None => serde_json::value::to_raw_value(&row).map_err(|why| why.to_string())?,
    };
    Ok(Some((id, member)))
}

/// Moves the members of an issue into it, unless it has such a list.
fn add(issue: &mut Raw, tables: &mut [(&BackupTable, Members)]) {
    let id = issue
        .get("id")
        .and_then(|id| serde_json::from_str::<String>(id.get()).ok());
    let Some(id) = id else { return };
    for (table, members) in tables {
        let Some(rows) = members.remove(&id) else {
            continue;
        };
        let has_list = issue
            .get(table.list)
            .is_some_and(|list| list.get().starts_with('['));
        let rows: Vec<Box<RawValue>> = rows.into_iter().map(|(_, member)| member).collect();
        if let (false, Ok(list)) = (has_list, serde_json::value::to_raw_value(&rows)) {
            issue.insert(table.list.to_owned(), list);
        }
    }
}
