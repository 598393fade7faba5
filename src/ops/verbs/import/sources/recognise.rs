//! The kind of a file, by its contents.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use serde_json::Value;

use crate::model::sources::{SourceFile, columns, github};
use crate::ops::verbs::import::ImportOptions;
use crate::ops::verbs::import::lines::unread;
use crate::ops::{Command, Error, Result};

/// Returns what a file of another tracker says; none where it is not of one.
/// Errors: a table that can't be read, or whose columns are not known.
pub(in crate::ops::verbs::import) fn recognise(
    name: &str,
    path: Option<&Path>,
    file: &mut File,
    options: &ImportOptions,
) -> Result<Option<SourceFile>> {
    let is_followed = match kind_of_lines(file)? {
        LinesKind::Records => return Ok(None),
        kind => kind == LinesKind::GitHub,
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(|error| unread(&error))?;
    rewind(file)?;
    let text = std::str::from_utf8(&bytes);
    let text = text.map_err(|error| Error::invalid(format!("`{name}` is not UTF-8: {error}")))?;
    let text = text.trim_start_matches('\u{feff}');
    if is_followed {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let items = lines.map(|line| serde_json::from_str(line).map_err(|it| it.to_string()));
        return Ok(Some(github::read(items)));
    }
    let table = columns::table(text, &options.columns, options.prefix.as_deref());
    let table = table.map_err(|why| Error::invalid(format!("`{name}`: {why}")))?;
    if table.is_none() && name.ends_with(".csv") {
        let message =
            format!("`{name}` is a table of another kind than Jira's, Linear's or our own");
        let again = match path {
            Some(path) => Command::of("import").path(path),
            None => Command::of("import").word("-"),
        };
        let again = again.flag("--map");
        let hint = again.text("id=COLUMN,title=COLUMN,status=COLUMN");
        return Err(Error::invalid(message).hinted(hint));
    }
    Ok(table.map(|table| table.read(text)))
}

/// The kind of a file, by its first lines.
#[derive(PartialEq, Eq)]
enum LinesKind {
    /// JSON, but nothing of GitHub.
    Records,
    GitHub,
    Other,
}

/// Elements that are looked at: one that is nothing decides nothing.
const MOST_LOOKED_AT: usize = 20;

fn kind_of_lines(file: &mut File) -> Result<LinesKind> {
    rewind(file)?;
    let mut kind = LinesKind::Other;
    let lines = BufReader::new(&mut *file).split(b'\n');
    let filled = lines.filter(|line| !line.as_ref().is_ok_and(|line| line.trim_ascii().is_empty()));
    for line in filled.take(MOST_LOOKED_AT) {
        let line = line.map_err(|error| unread(&error))?;
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_start_matches('\u{feff}').trim();
        let item: Option<Value> = serde_json::from_str(text).ok();
        if item.as_ref().is_some_and(github::is_github) {
            kind = LinesKind::GitHub;
            break;
        }
        if text.starts_with(['{', '[']) || item.is_some() {
            kind = LinesKind::Records;
        }
    }
    rewind(file)?;
    Ok(kind)
}

fn rewind(file: &mut File) -> Result<()> {
    file.seek(SeekFrom::Start(0))
        .map_err(|error| unread(&error))?;
    Ok(())
}
