//! Tables with a header: the exports of Jira, Linear and our own, and others by a map of their columns.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::github::lines;
use super::words::{
    JIRA, LINEAR, NAMES, OWN, SourceColumn, exported_time, is_plain_end, kind_of, priority, state,
};
use super::{NewId, SourceFile, SourceIssue, SourceKey, blocked_by};
use crate::model::Status;
use crate::model::time;

use SourceColumn as C;

/// A table, by its header.
pub(crate) struct SourceTable {
    /// `Jira`, `Linear`, `CSV`.
    kind: &'static str,
    host: &'static str,
    is_own: bool,
    /// What the numbers of its rows are of.
    project: Option<String>,
    /// The column of each cell; none of what has no place here.
    columns: Vec<Option<SourceColumn>>,
    /// The names in the header.
    header: Vec<String>,
    delimiter: u8,
}

/// Returns the table that a text is: by a map of its columns, else by its header; none where it is no known one.
/// Errors: the fault of the map, as a text for people.
pub(crate) fn table(
    text: &str,
    map: &BTreeMap<String, String>,
    project: Option<&str>,
) -> Result<Option<SourceTable>, String> {
    let text = body(text);
    if text.bytes().filter(|byte| *byte == b'"').count() % 2 == 1 {
        return Err("a quote is not closed".to_owned());
    }
    let first = text.lines().next().unwrap_or_default();
    let delimiter = [b'\t', b';', b',']
        .into_iter()
        .max_by_key(|delimiter| first.bytes().filter(|byte| byte == delimiter).count())
        .unwrap_or(b',');
    let mut reader = reader(text, delimiter);
    let Ok(header) = reader.headers() else {
        return Ok(None);
    };
    let header: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
    let has = |name: &str| header.iter().any(|it| it.eq_ignore_ascii_case(name));
    let (kind, host, columns) = if !map.is_empty() {
        ("CSV", "csv", mapped(&header, map)?)
    } else if has("issue key") && has("summary") {
        ("Jira", "jira", known(&header, &JIRA))
    } else if has("id") && has("title") && has("team") {
        ("Linear", "linear", known(&header, &LINEAR))
    } else if has("id") && has("title") && has("created_at") && has("priority") {
        ("CSV", "csv", known(&header, &OWN))
    } else {
        return Ok(None);
    };
    Ok(Some(SourceTable {
        kind,
        host,
        is_own: kind == "CSV" && map.is_empty(),
        project: project.map(str::to_owned),
        columns,
        header,
        delimiter,
    }))
}

/// Returns a table from its header on: a spreadsheet can write a line before it that names the separator.
fn body(text: &str) -> &str {
    let text = text.trim_start_matches(['\r', '\n']);
    match text.split_once('\n') {
        Some((first, rest)) if first.trim().len() == 5 && first.starts_with("sep=") => rest,
        _ => text,
    }
}

/// Returns the columns of a header by their names.
fn known(header: &[String], names: &[(&str, SourceColumn)]) -> Vec<Option<SourceColumn>> {
    let columns = header.iter().map(|it| {
        let mut names = names.iter();
        let found = names.find(|(name, _)| it.eq_ignore_ascii_case(name));
        found.map(|(_, column)| *column)
    });
    columns.collect()
}

fn mapped(
    header: &[String],
    map: &BTreeMap<String, String>,
) -> Result<Vec<Option<SourceColumn>>, String> {
    let mut columns = vec![None; header.len()];
    for (name, column) in map {
        let Some((_, known)) = NAMES.iter().find(|(known, _)| known == name) else {
            let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            return Err(format!(
                "`{name}` is nothing that a column can hold; these are: {}",
                names.join(", ")
            ));
        };
        let mut found = false;
        for (at, it) in header.iter().enumerate() {
            if it.eq_ignore_ascii_case(column) {
                (columns[at], found) = (Some(*known), true);
            }
        }
        if !found {
            return Err(format!(
                "the file has no column `{column}`; it has: {}",
                header.join(", ")
            ));
        }
    }
    for (name, known) in [("id", C::Id), ("title", C::Title)] {
        if !columns.contains(&Some(known)) {
            return Err(format!("the map names no column for `{name}`"));
        }
    }
    Ok(columns)
}

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    let mut builder = csv::ReaderBuilder::new();
    builder
        .delimiter(delimiter)
        .flexible(true)
        .from_reader(text.as_bytes())
}

impl SourceTable {
    /// Reads the rows.
    pub(crate) fn read(&self, text: &str) -> SourceFile {
        let mut file = SourceFile {
            kind: self.kind,
            is_table: true,
            is_own: self.is_own,
            ..SourceFile::default()
        };
        let (mut rows, mut internal) = (Vec::new(), BTreeMap::new());
        let whole = text;
        let text = body(text);
        let mut lines = LineCounter::of(whole, text);
        for row in reader(text, self.delimiter).records() {
            let row = match row {
                Ok(row) => row,
                Err(error) => {
                    let line = error.position().map_or(1, |it| lines.at(it.byte()));
                    file.faults
                        .push((line, format!("no row of the table: {error}")));
                    continue;
                }
            };
            let at = row.position().map_or(1, |it| lines.at(it.byte()));
            let cells = Cells { table: self, row };
            match cells.first(C::Id) {
                None => file.faults.push((at, "it has no id".to_owned())),
                Some(id) => {
                    if let Some(number) = cells.first(C::Internal) {
                        internal.insert(number.to_owned(), id.to_owned());
                    }
                    rows.push((at, cells));
                }
            }
        }
        let mut words = BTreeMap::new();
        for (at, cells) in &rows {
            let id = cells.first(C::Id).unwrap_or_default();
            match self.record(cells, &internal, &mut words) {
                Ok(record) => file.issues.push(SourceIssue {
                    key: self.key(id),
                    record,
                    at: *at,
                    id: NewId::Same(id.to_owned()),
                }),
                Err(why) => file.faults.push((*at, why)),
            }
        }
        for (word, count) in words {
            file.leave_out(&word, count);
        }
        for (name, column) in self.header.iter().zip(&self.columns) {
            if column.is_some() || name.is_empty() {
                continue;
            }
            let at = self.header.iter().position(|it| it == name);
            let at = at.unwrap_or_default();
            let cells = rows.iter().filter_map(|(_, cells)| cells.row.get(at));
            let count = cells.filter(|cell| !cell.is_empty()).count();
            file.leave_out(&format!("column {name}"), count);
        }
        file
    }

    fn key(&self, id: &str) -> SourceKey {
        match id
            .rsplit_once('-')
            .filter(|(project, _)| !project.is_empty())
        {
            Some((project, number)) => SourceKey::new(self.host, project, number),
            None => SourceKey::new(self.host, self.project.as_deref().unwrap_or_default(), id),
        }
    }

    /// Returns the record of a row. `words` collects what is not understood.
    fn record(
        &self,
        cells: &Cells<'_>,
        internal: &BTreeMap<String, String>,
        words: &mut BTreeMap<String, usize>,
    ) -> Result<Map<String, Value>, String> {
        let mut record = Map::new();
        let title = cells.first(C::Title).ok_or("it has no title")?;
        record.insert("title".to_owned(), json!(title));
        let author = cells.first(C::Author).unwrap_or(self.host);
        record.insert("created_by".to_owned(), json!(author));
        self.put_texts(&mut record, cells);
        self.put_words(&mut record, cells, words);
        let name_of = |id: &str| internal.get(id).map_or(id, String::as_str).to_owned();
        if self.has(C::Parent) {
            // Linear calls it by id and title.
            let parent = cells.first(C::Parent);
            let parent = parent.and_then(|it| it.split_whitespace().next());
            let parent = parent.map_or(Value::Null, |it| json!(name_of(it)));
            record.insert("parent".to_owned(), parent);
        }
        if self.has(C::BlockedBy) {
            let ids = cells.all(C::BlockedBy);
            let ids = ids.flat_map(|it| it.split([',', ';', ' ']).map(str::trim));
            let ids: BTreeSet<String> = ids.filter(|it| !it.is_empty()).map(name_of).collect();
            let edges = ids.iter().map(|id| blocked_by(id)).collect();
            record.insert("dependencies".to_owned(), edges);
        }
        if self.has(C::Comment) {
            let created = record.get("created_at").and_then(Value::as_str);
            let created = created.unwrap_or_default();
            let comments = cells
                .all(C::Comment)
                .map(|it| comment(it, created))
                .collect();
            record.insert("comments".to_owned(), comments);
        }
        Ok(record)
    }

    fn has(&self, column: SourceColumn) -> bool {
        self.columns.contains(&Some(column))
    }

    fn put_texts(&self, record: &mut Map<String, Value>, cells: &Cells<'_>) {
        for (column, key) in [
            (C::Description, "description"),
            (C::Assignee, "assignee"),
            (C::Url, "external_ref"),
        ] {
            if self.has(column) {
                let text = cells.first(column);
                let text = text.map_or(Value::Null, |it| json!(lines(it)));
                record.insert(key.to_owned(), text);
            }
        }
        if self.has(C::Labels) || self.has(C::Milestone) {
            let labels = cells.all(C::Labels).flat_map(labels_in);
            let milestones = cells.all(C::Milestone).map(|it| format!("milestone:{it}"));
            let all: BTreeSet<String> = labels.chain(milestones).collect();
            record.insert("labels".to_owned(), all.into_iter().collect());
        }
    }

    fn put_words(
        &self,
        record: &mut Map<String, Value>,
        cells: &Cells<'_>,
        words: &mut BTreeMap<String, usize>,
    ) {
        let mut put = |key: &str, value: Value| _ = record.insert(key.to_owned(), value);
        for (column, key) in [
            (C::Created, "created_at"),
            (C::Updated, "updated_at"),
            (C::Closed, "closed_at"),
            (C::Due, "due_at"),
        ] {
            let Some(text) = cells.first(column) else {
                continue;
            };
            match exported_time(text) {
                Some(at) => put(key, json!(time::format(at))),
                None => *words.entry(format!("times as `{text}`")).or_default() += 1,
            }
        }
        if self.has(C::Status) {
            let word = cells.first(C::Status).unwrap_or_default();
            let known = state(word).or_else(|| state(cells.first(C::Category)?));
            let resolution = cells.first(C::Reason).filter(|it| *it != "Unresolved");
            let is_over = cells.first(C::Closed).or(resolution).is_some();
            let status = match (&known, is_over) {
                (Some(known), _) => known.clone(),
                (None, true) => Status::Closed,
                (None, false) => Status::Open,
            };
            if known.is_none() && !word.is_empty() {
                let taken = status.as_str();
                *words
                    .entry(format!("status `{word}` (taken as {taken})"))
                    .or_default() += 1;
            }
            put("status", json!(status.as_str()));
            if !self.is_own {
                // The word itself says why, where it says more than that it is over.
                let reason = resolution.or(Some(word).filter(|_| !is_plain_end(word)));
                let reason = reason.filter(|_| status == Status::Closed);
                put("close_reason", json!(reason.map(str::to_lowercase)));
            }
        }
        if self.has(C::Priority) {
            let word = cells.first(C::Priority).unwrap_or_default();
            match priority(word) {
                Some(known) => put("priority", json!(known)),
                None => *words.entry(format!("priority `{word}`")).or_default() += 1,
            }
        }
        if let Some(kind) = cells.first(C::Type) {
            put("issue_type", json!(kind_of(kind)));
        }
    }
}

/// Counts the lines of a text up to a place, from 1; places only rise.
struct LineCounter<'t> {
    text: &'t [u8],
    seen: usize,
    line: usize,
}

impl<'t> LineCounter<'t> {
    /// Returns one for a part of a text that goes to its end.
    fn of(whole: &str, part: &'t str) -> Self {
        let skipped = &whole.as_bytes()[..whole.len() - part.len()];
        Self {
            text: part.as_bytes(),
            seen: 0,
            line: 1 + newlines(skipped),
        }
    }

    /// Returns the line of a row that begins at a place, or behind the line ends there.
    fn at(&mut self, place: u64) -> usize {
        let place = usize::try_from(place)
            .unwrap_or(self.text.len())
            .min(self.text.len());
        let ends = self.text[place..]
            .iter()
            .take_while(|byte| matches!(**byte, b'\r' | b'\n'));
        let place = (place + ends.count()).max(self.seen);
        self.line += newlines(&self.text[self.seen..place]);
        self.seen = place;
        self.line
    }
}

fn newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

/// One row.
struct Cells<'t> {
    table: &'t SourceTable,
    row: csv::StringRecord,
}

impl Cells<'_> {
    /// Returns the cells of all columns that hold something, without the empty ones.
    fn all(&self, column: SourceColumn) -> impl Iterator<Item = &str> {
        let cells = self.row.iter().zip(&self.table.columns);
        let cells = cells.filter(move |(_, it)| **it == Some(column));
        cells
            .map(|(cell, _)| unescaped(cell.trim()))
            .filter(|cell| !cell.is_empty())
    }

    fn first(&self, column: SourceColumn) -> Option<&str> {
        self.all(column).next()
    }
}

/// Returns a cell without the apostrophe that keeps a spreadsheet from taking it for a formula.
fn unescaped(cell: &str) -> &str {
    let rest = cell.strip_prefix('\'');
    let rest = rest.filter(|rest| rest.starts_with(['=', '+', '-', '@']));
    rest.unwrap_or(cell)
}

fn labels_in(cell: &str) -> impl Iterator<Item = String> {
    let parts = cell.split([',', ';']).map(str::trim);
    parts.filter(|part| !part.is_empty()).map(str::to_owned)
}

/// Returns a comment of Jira: `time;author;text`, or the text alone, as of when its issue was made.
fn comment(cell: &str, created: &str) -> Value {
    let mut parts = cell.splitn(3, ';');
    if let (Some(at), Some(author), Some(text)) = (
        parts.next().and_then(exported_time),
        parts.next(),
        parts.next(),
    ) {
        return json!({"author": author, "created_at": time::format(at), "text": lines(text)});
    }
    json!({"author": "csv", "created_at": created, "text": lines(cell)})
}
