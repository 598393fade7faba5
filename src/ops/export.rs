//! `export`: every issue as `bd` 1.x JSONL, sorted by id; or a table as CSV.

use std::io::Write;

use serde_json::{Map, Value};

use super::{Error, Kind, Result, Tracker, View};
use crate::index::Row;
use crate::model::bd::{self, Names};
use crate::model::{Memory, Status, Uid, json, time};

/// How an export is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A record per line, without loss.
    #[default]
    Jsonl,
    /// A table of the main fields.
    Csv,
}

/// How far an export is: issues written, issues in all.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize);

/// Writes every issue, deleted ones too; returns how many.
///
/// # Errors
/// A store that can't be read, or an output that can't be written.
pub fn export(tracker: &Tracker, format: Format, out: &mut dyn Write, progress: Progress<'_>) -> Result<usize> {
    let mut written = 0;
    tracker.read(|view| {
        let rows = view.index.all()?;
        if format == Format::Csv {
            write(out, "id,title,status,priority,type,assignee,parent,labels,created_at,updated_at,closed_at\n")?;
        }
        for (i, row) in rows.iter().enumerate() {
            match format {
                Format::Jsonl => issue(view, row, out)?,
                Format::Csv => write(out, &csv(row))?,
            }
            progress(i + 1, rows.len());
        }
        if format == Format::Jsonl {
            for note in view.snapshot().notes()?.iter().filter(|note| !note.is_redacted()) {
                line(out, &bd::export_memory(note))?;
            }
        }
        written = rows.len();
        Ok(())
    })?;
    Ok(written)
}

fn issue(view: &View<'_>, row: &Row, out: &mut dyn Write) -> Result<()> {
    if row.unreadable.is_some() {
        view.tracker.warn(format!("{} can't be read and is not exported: {}", row.id, row.title));
        return Ok(());
    }
    let issue = view.issue(row.uid)?;
    let memory: Vec<Memory> = if !issue.is_purged() && view.index.memory_count(row.uid)? > 0 {
        view.snapshot().memory(row.uid)?.0
    } else {
        Vec::new()
    };
    let name = |uid: Uid| view.index.bare_id_of(uid).ok().flatten();
    let mut record = bd::export(&issue, &memory, &Names { id: &name });
    if row.status == Status::Open && issue.status() == Status::Closed {
        record.insert("status".into(), "open".into());
        record.retain(|key, _| !["closed_at", "close_reason", "closed_by_session"].contains(&key.as_str()));
    }
    let comments = record.get("comments").and_then(Value::as_array).map_or(0, Vec::len);
    record.insert("_type".into(), "issue".into());
    record.insert("dependency_count".into(), row.dependencies.into());
    record.insert("dependent_count".into(), row.dependents.into());
    record.insert("comment_count".into(), comments.into());
    line(out, &record)
}

fn line(out: &mut dyn Write, record: &Map<String, Value>) -> Result<()> {
    write(out, &format!("{}\n", json::narrow(&Value::Object(record.clone()))))
}

fn write(out: &mut dyn Write, text: &str) -> Result<()> {
    out.write_all(text.as_bytes()).map_err(|error| {
        let code = if error.kind() == std::io::ErrorKind::BrokenPipe { "closed_pipe" } else { "io" };
        Error::new(Kind::Io, code, format!("can't write the export: {error}"))
    })
}

fn csv(row: &Row) -> String {
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    let cells = [
        row.id.clone(),
        row.title.clone(),
        row.status.to_string(),
        row.priority.to_string(),
        row.kind.clone(),
        optional(&row.assignee),
        optional(&row.parent),
        row.labels.join(" "),
        time::format(row.created),
        time::format(row.updated),
        row.closed.map(time::format).unwrap_or_default(),
    ];
    let mut line = cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",");
    line.push('\n');
    line
}

/// Quotes a cell; one that a spreadsheet would take for a formula gets an apostrophe.
fn quoted(cell: &str) -> String {
    let cell = if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{cell}") } else { cell.to_owned() };
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}
