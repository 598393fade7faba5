//! `export`: issues as `bd` 1.x JSONL, sorted by id; as a table; as a page for a browser.

use std::io::Write;

use serde_json::{Map, Value};

use crate::index::Row;
use crate::model::bd::{self, Names};
use crate::model::{Issue, Memory, Status, Uid, canonical_json, time};
use crate::ops::shared::query::{self, Query};
use crate::ops::{Code, Error, Result, Tracker, View};
use crate::store::BulkReader;

/// The progress of an export: issues written, issues in all.
pub type ExportProgress<'a> = &'a mut dyn FnMut(usize, usize);

/// Writes the page of some issues.
pub type PageWriter = fn(&Source<'_, '_>, &[Row], &mut dyn Write, ExportProgress<'_>) -> Result<()>;

/// The format of an export.
#[derive(Clone, Copy, Debug, Default)]
pub enum Format {
    /// A record per line, without loss.
    #[default]
    Jsonl,
    /// A table of the main fields.
    Csv,
    /// One page for a browser, by who knows how to write it; without the deleted issues.
    Html(PageWriter),
}

/// An export.
#[derive(Clone, Debug, Default)]
pub struct Export {
    /// Its format.
    pub format: Format,
    /// Its issues; closed ones always count.
    pub query: Query,
}

impl Export {
    fn is_whole(&self) -> bool {
        self.query.is_plain() && self.query.limit == 0
    }

    fn query(&self) -> Query {
        let sort = self.query.sort.clone().or_else(|| Some("id".into()));
        Query {
            sort,
            all: true,
            deleted: !matches!(self.format, Format::Html(_)),
            ..self.query.clone()
        }
    }
}

/// Writes the issues that a query lets through, all where it says nothing; returns how many.
///
/// # Errors
/// A store or a past state of it that can't be read, or an output that can't be written.
pub fn export(
    tracker: &Tracker,
    request: &Export,
    out: &mut dyn Write,
    progress: ExportProgress<'_>,
) -> Result<usize> {
    let mut out = Once { out, begun: false };
    let mut failure: Option<Error> = None;
    tracker.read_copy_at(request.query.at.as_deref(), |view| {
        // What was written can't be taken back, so nothing is asked again after damage on the way.
        if let Some(error) = &failure {
            return Err(error.clone());
        }
        let outcome = written(view, request, &mut out, progress);
        // Before the first byte the question may still be asked again.
        failure = outcome.as_ref().err().filter(|_| out.begun).cloned();
        outcome
    })
}

fn written(
    view: &View<'_>,
    request: &Export,
    out: &mut dyn Write,
    progress: ExportProgress<'_>,
) -> Result<usize> {
    let mut rows = query::rows(view, &request.query())?;
    rows.retain(|row| is_readable(view, row));
    match request.format {
        Format::Html(page) => page(
            &Source::new(view, request.is_whole())?,
            &rows,
            out,
            progress,
        )?,
        Format::Csv => table(&rows, out, progress)?,
        Format::Jsonl => records(
            &Source::new(view, request.is_whole())?,
            &rows,
            out,
            progress,
        )?,
    }
    Ok(rows.len())
}

/// An output that knows whether anything was written to it.
struct Once<'a> {
    out: &'a mut dyn Write,
    begun: bool,
}

impl Write for Once<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.begun = true;
        self.out.write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

fn is_readable(view: &View<'_>, row: &Row) -> bool {
    if row.unreadable.is_some() {
        view.tracker.warn(format!(
            "{} can't be read and is not exported: {}",
            row.id, row.title
        ));
    }
    row.unreadable.is_none()
}

fn table(rows: &[Row], out: &mut dyn Write, progress: ExportProgress<'_>) -> Result<()> {
    write(
        out,
        "id,title,status,priority,type,assignee,parent,labels,created_at,updated_at,closed_at\n",
    )?;
    for (i, row) in rows.iter().enumerate() {
        write(out, &csv(row))?;
        progress(i + 1, rows.len());
    }
    Ok(())
}

fn records(
    source: &Source<'_, '_>,
    rows: &[Row],
    out: &mut dyn Write,
    progress: ExportProgress<'_>,
) -> Result<()> {
    for (i, row) in rows.iter().enumerate() {
        issue(source, row, out)?;
        progress(i + 1, rows.len());
    }
    // Memory of the store belongs to no issue, so only a whole export has it.
    if source.blobs.is_some() {
        for note in source
            .view
            .snapshot()
            .notes()?
            .iter()
            .filter(|note| !note.is_redacted())
        {
            line(out, bd::export_memory(note))?;
        }
    }
    Ok(())
}

/// The source of the issues of an export: one walk through the trees, or each by itself.
pub struct Source<'a, 's> {
    pub(crate) view: &'a View<'s>,
    blobs: Option<BulkReader<'s>>,
}

impl<'a, 's> Source<'a, 's> {
    fn new(view: &'a View<'s>, whole: bool) -> Result<Self> {
        let blobs = if whole {
            Some(view.snapshot().bulk_reader()?)
        } else {
            None
        };
        Ok(Self { view, blobs })
    }

    /// An issue.
    pub(crate) fn issue(&self, row: &Row) -> Result<Issue> {
        let Some(blobs) = &self.blobs else {
            return self.view.issue(row.uid);
        };
        let found = blobs.issue(row.uid)?;
        Ok(found.ok_or_else(|| Error::no_issue(&row.id))??)
    }

    /// The memory of an issue; what is redacted is still in it.
    pub(crate) fn memory(&self, issue: &Issue) -> Result<Vec<Memory>> {
        if issue.is_purged()
            || (self.blobs.is_none() && self.view.index.memory().count(issue.uid())? == 0)
        {
            return Ok(Vec::new());
        }
        match &self.blobs {
            Some(blobs) => Ok(blobs.memory(issue.uid())?),
            None => Ok(self.view.snapshot().memory(issue.uid())?.0),
        }
    }
}

fn issue(source: &Source<'_, '_>, row: &Row, out: &mut dyn Write) -> Result<()> {
    let issue = source.issue(row)?;
    let memory = source.memory(&issue)?;
    let name = |uid: Uid| source.view.index.ids().bare_id_of(uid).ok().flatten();
    let mut record = bd::export(&issue, &memory, &Names { id: &name });
    // The index knows what follows from other issues: an epic that a roll-up closed is open again as soon
    // as it has an open child.
    if row.status == Status::Open && issue.status() == Status::Closed {
        record.insert("status".into(), "open".into());
        record.retain(|key, _| {
            !["closed_at", "close_reason", "closed_by_session"].contains(&key.as_str())
        });
    }
    let comments = record
        .get("comments")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    record.insert("_type".into(), "issue".into());
    record.insert("dependency_count".into(), row.dependencies.into());
    record.insert("dependent_count".into(), row.dependents.into());
    record.insert("comment_count".into(), comments.into());
    line(out, record)
}

fn line(out: &mut dyn Write, record: Map<String, Value>) -> Result<()> {
    write(
        out,
        &format!("{}\n", canonical_json::narrow(&Value::Object(record))),
    )
}

/// Writes a text; a reader that has gone is another error than a full disk.
pub(crate) fn write(out: &mut dyn Write, text: &str) -> Result<()> {
    out.write_all(text.as_bytes()).map_err(|error| {
        let code = if error.kind() == std::io::ErrorKind::BrokenPipe {
            Code::ClosedPipe
        } else {
            Code::Io
        };
        Error::new(code, format!("can't write the export: {error}"))
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
        row.labels.join(", "),
        time::format(row.created),
        time::format(row.updated),
        row.closed.map(time::format).unwrap_or_default(),
    ];
    let mut line = cells
        .iter()
        .map(|cell| quoted(cell))
        .collect::<Vec<_>>()
        .join(",");
    line.push('\n');
    line
}

/// Quotes a cell; one that a spreadsheet would take for a formula gets an apostrophe.
fn quoted(cell: &str) -> String {
    let cell = if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{cell}")
    } else {
        cell.to_owned()
    };
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}
