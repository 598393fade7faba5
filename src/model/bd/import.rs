//! From a line of JSONL to blobs.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::export::{Names, render, render_comment, shown_uids};
use super::order::order_of;
use super::other::{OtherFile, check_issue, other_kind};
use super::record::{comment_uid, edge_of};
use super::{DERIVED, ORDER, digest, residue};
use crate::model::blob::{Element, Writer};
use crate::model::edge::{Edge, Target};
use crate::model::field::{Field, FieldKind};
use crate::model::id::IssueId;
use crate::model::issue::{Issue, StatusRegister};
use crate::model::limits::{
    MAX_LABEL, MAX_NAME, MAX_TITLE, MAX_WORD, ValueError, check_chars, check_text,
};
use crate::model::memory::{Memory, MemoryKind, classify};
use crate::model::stamp::{Stamp, Uid};
use crate::model::status::Status;
use crate::model::{canonical_json, time};

/// A line of an import.
#[derive(Debug)]
pub(crate) enum ParsedLine {
    Issue(ImportRecord),
    /// A memory line that belongs to no issue.
    Memory(MemoryLine),
    /// A record of another kind.
    Other(&'static OtherFile),
}

/// An issue as a line of an import has it.
#[derive(Clone, Debug)]
pub(crate) struct ImportRecord {
    pub id: IssueId,
    /// The stamp of everything it writes.
    pub stamp: Stamp,
    /// Time of the last update in nanoseconds; decides between lines of one id.
    pub updated: Option<i128>,
    map: Map<String, Value>,
}

#[derive(Debug)]
pub(crate) struct MemoryLine {
    map: Map<String, Value>,
}

/// The blobs that a record becomes.
pub(crate) struct Built {
    pub issue: Issue,
    /// Its comments, findings and decisions, in file order.
    pub memory: Vec<Memory>,
}

/// Parses a line; `None` for a blank one.
///
/// # Errors
/// The fault of the line as a text for people; the import goes on with the next.
pub(crate) fn parse_line(text: &str) -> Result<Option<ParsedLine>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let value = canonical_json::parse_wide(text).map_err(|error| not_json(&error))?;
    let Value::Object(map) = value else {
        return Err("not a JSON object".into());
    };
    if map.get("_type").and_then(Value::as_str) == Some("memory") {
        return Ok(Some(ParsedLine::Memory(MemoryLine { map })));
    }
    // The header of bd's interchange format, which readers skip.
    if map.contains_key("_schema") && !map.contains_key("id") {
        return Ok(None);
    }
    if let Some(other) = other_kind(&map) {
        return Ok(Some(ParsedLine::Other(other)));
    }
    check_issue(&map)?;
    let id = map.get("id").and_then(Value::as_str).ok_or("no `id`")?;
    let id = IssueId::parse(id).map_err(|error| error.to_string())?;
    let instant = |key: &str| map.get(key).and_then(Value::as_str).and_then(time::instant);
    let updated = instant("updated_at").or_else(|| instant("created_at"));
    let millis = updated.map_or(0, |nanos| u64::try_from(nanos / 1_000_000).unwrap_or(0));
    // Counts change with other issues. The same record must get the same stamp in each export.
    let mut bare = map.clone();
    bare.retain(|key, _| !DERIVED.contains(&key.as_str()));
    let stamp = Stamp::new(
        millis,
        digest(&[&canonical_json::canonical(&Value::Object(bare))]),
    );
    Ok(Some(ParsedLine::Issue(ImportRecord {
        id,
        stamp,
        updated,
        map,
    })))
}

fn not_json(error: &serde_json::Error) -> String {
    let error = error.to_string();
    match error.starts_with("duplicate key") {
        // bd takes the last one; which is meant only the writer knows.
        true => format!("{error}: leave one of the two"),
        false => format!("not JSON: {error}"),
    }
}

impl MemoryLine {
    /// Makes the blob; its identity is a function of key and value.
    pub(crate) fn build(&self) -> Memory {
        let text = |key: &str| {
            self.map
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let uid = Stamp::new(0, digest(&[text("key"), text("value")]));
        let writer = Writer {
            at: uid,
            by: "import".into(),
            millis: 0,
        };
        let mut memory = Memory::new(uid, &writer, MemoryKind::Note, text("value"));
        if self.map.contains_key("key") {
            memory.blob_mut().put(&writer, "key", text("key").into());
        }
        let kept = residue(&self.map, &super::export::render_memory(&memory));
        if !kept.is_empty() {
            memory
                .blob_mut()
                .put(&writer, "import", Value::Object(kept));
        }
        memory
    }
}

impl ImportRecord {
    /// Makes a record of what another tracker says.
    /// Errors: the fault of the id, as a text for people.
    pub(crate) fn of_source(
        id: &str,
        stamp: Stamp,
        mut map: Map<String, Value>,
    ) -> Result<Self, String> {
        map.insert("id".to_owned(), id.into());
        check_issue(&map)?;
        Ok(Self {
            id: IssueId::parse(id).map_err(|error| error.to_string())?,
            stamp,
            updated: None,
            map,
        })
    }

    /// Returns whether it is the row of a table: that has a value for each column, also where there is none.
    pub(crate) fn is_row(&self) -> bool {
        self.map.values().any(Value::is_null)
    }

    /// Returns whether it has members that a table of issues has not.
    pub(crate) fn has_links(&self) -> bool {
        let mut lists = ["dependencies", "labels", "comments"].iter();
        lists.any(|key| self.map.get(*key).is_some_and(Value::is_array))
    }

    /// Returns whether it counts links that it does not name.
    pub(crate) fn lacks_links(&self) -> bool {
        let count = self.map.get("dependency_count").and_then(Value::as_i64);
        count.is_some_and(|count| count > 0) && !self.map.contains_key("dependencies")
    }

    /// Stamps all that it writes as newer than a state here.
    pub(crate) fn overwrite(&mut self, here: Stamp) {
        // A function of both, so that two clones in one state write the same.
        self.stamp = Stamp::after(
            here,
            self.stamp.millis(),
            digest(&[&self.stamp.to_string()]),
        );
    }

    /// Returns whether an exported record says the same.
    pub(crate) fn is_same_as(&self, mut exported: Map<String, Value>) -> bool {
        let mut own = self.map.clone();
        for derived in DERIVED {
            own.remove(derived);
            exported.remove(derived);
        }
        own == exported
    }

    /// Returns when the issue was created; 0 where the record does not say it.
    pub(crate) fn created(&self) -> u64 {
        self.text("created_at").and_then(time::parse).unwrap_or(0)
    }

    /// Returns the identity of the issue, if no issue has its id yet.
    pub(crate) fn uid(&self) -> Uid {
        let created = self.text("created_at").unwrap_or_default();
        Stamp::new(self.created(), digest(&[self.id.as_str(), created]))
    }

    /// Returns the ids that its dependencies and its parent name.
    pub(crate) fn references(&self) -> impl Iterator<Item = &str> {
        let edges = self
            .items("dependencies")
            .filter_map(|edge| edge.get("depends_on_id").and_then(Value::as_str));
        edges.chain(self.filled("parent"))
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.map.get(key).and_then(Value::as_str)
    }

    fn filled(&self, key: &str) -> Option<&str> {
        self.text(key).filter(|text| !text.is_empty())
    }

    fn items(&self, key: &str) -> impl Iterator<Item = &Map<String, Value>> {
        self.map
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_object)
    }
}

/// Builds the blobs of a record. `resolve` finds the issue of an id in the file and in the store.
///
/// # Errors
/// The value past a limit of the format, as a text for people.
pub(crate) fn build(
    record: &ImportRecord,
    uid: Uid,
    resolve: &dyn Fn(&str) -> Option<Uid>,
    names: &Names<'_>,
) -> Result<Built, String> {
    let by = record
        .text("created_by")
        .filter(|by| !by.is_empty())
        .unwrap_or("import");
    check_chars("created_by", by, MAX_NAME).map_err(|error| error.to_string())?;
    let writer = Writer {
        at: record.stamp,
        by: by.to_owned(),
        // The clock of the stamp: a time of today would differ between two clones.
        millis: record.stamp.millis(),
    };
    let mut issue = Issue::new(uid, &writer);
    issue
        .blob_mut()
        .put(&writer, "id", record.id.as_str().into());
    fields(record, &writer, &mut issue)?;
    status(record, &writer, &mut issue)?;
    labels(record, &mut issue);
    edges(record, &writer, &mut issue, resolve);
    let memory = comments(record, uid)?;
    // Last, since `import` keeps just what all the registers together do not render.
    let rendered = render(&issue, &memory, names);
    let mut kept = residue(&record.map, &rendered);
    if let (Some(original), Some(rendered)) = (kept.get("comments"), rendered.get("comments"))
        && let Some(order) = order_of(original, rendered, &shown_uids(&memory))
    {
        // Only the order differs: places are kept instead of a second copy of each text.
        kept.remove("comments");
        kept.insert(ORDER.into(), order);
    }
    issue.blob_mut().put(&writer, "import", Value::Object(kept));
    Ok(Built { issue, memory })
}

/// Writes the fields. Each register is written, as null where the record has no value, so that a
/// newer import also clears what an older one had set.
fn fields(record: &ImportRecord, writer: &Writer, issue: &mut Issue) -> Result<(), String> {
    for field in Field::ALL {
        let spec = field.spec();
        let text = record.filled(spec.bd);
        let value = match spec.kind {
            FieldKind::Title => checked(text, |text| check_chars("the title", text, MAX_TITLE))?,
            FieldKind::Name => checked(text, |text| check_chars(spec.key, text, MAX_NAME))?,
            FieldKind::LongText | FieldKind::ShortText => {
                checked(text, |text| check_text(spec.key, text))?
            }
            FieldKind::Date => text.and_then(time::parse).map(time::format).into(),
            // A word past the limit becomes the default here. Its spelling stays in `import`, as it is not rendered.
            FieldKind::Word => text
                .filter(|kind| kind.chars().count() <= MAX_WORD)
                .unwrap_or("task")
                .into(),
            // Files of about v0.30 leave out priority 0, and only that.
            FieldKind::Priority => {
                let priority = record.map.get(spec.bd);
                let priority = priority.map_or(0, |value| value.as_i64().unwrap_or(2));
                priority.clamp(0, 4).into()
            }
            // The dependencies say it.
            FieldKind::Parent => Value::Null,
            FieldKind::Labels | FieldKind::Status => continue,
        };
        issue.blob_mut().put(writer, spec.key, value);
    }
    Ok(())
}

/// Returns the value of a text that passes its check; null where there is none.
fn checked(
    text: Option<&str>,
    check: impl FnOnce(&str) -> Result<(), ValueError>,
) -> Result<Value, String> {
    let Some(text) = text else {
        return Ok(Value::Null);
    };
    check(text).map_err(|error| error.to_string())?;
    Ok(text.into())
}

fn status(record: &ImportRecord, writer: &Writer, issue: &mut Issue) -> Result<(), String> {
    let word = record
        .filled("status")
        .filter(|word| word.chars().count() <= MAX_WORD)
        .unwrap_or("open");
    let (status, deleted) = match Status::new(word) {
        // The record does not say which status was deleted.
        Status::Tombstone => (
            Status::Open,
            json!({"reason": record.text("delete_reason")}),
        ),
        status => (status, Value::Null),
    };
    let reason = if status == Status::Closed {
        record.filled("close_reason").map(str::to_owned)
    } else {
        None
    };
    for text in [reason.as_deref(), deleted["reason"].as_str()]
        .into_iter()
        .flatten()
    {
        check_text("the reason", text).map_err(|error| error.to_string())?;
    }
    issue.set_state(writer, &StatusRegister::new(status, reason.as_deref()));
    issue.blob_mut().put(writer, "deleted", deleted);
    Ok(())
}

fn labels(record: &ImportRecord, issue: &mut Issue) {
    let labels = record
        .map
        .get("labels")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    // What is left out here `import` keeps, and the export appends it.
    for label in labels.filter(|label| !label.is_empty() && label.chars().count() <= MAX_LABEL) {
        add(issue, "labels", label.to_owned(), record.stamp, Map::new());
    }
}

fn add(issue: &mut Issue, set: &str, key: String, at: Stamp, payload: Map<String, Value>) {
    let elements = issue.blob_mut().sets.entry(set.to_owned()).or_default();
    elements.insert(
        key,
        Element {
            live: true,
            at,
            payload,
        },
    );
}

fn edges(
    record: &ImportRecord,
    writer: &Writer,
    issue: &mut Issue,
    resolve: &dyn Fn(&str) -> Option<Uid>,
) {
    let target = |id: &str| resolve(id).map_or_else(|| Target::Literal(id.to_owned()), Target::Uid);
    let mut has_parent = false;
    for edge in record.items("dependencies") {
        let Some((kind, id)) = edge_of(edge) else {
            continue;
        };
        let mut payload = edge.clone();
        payload.remove("depends_on_id");
        payload.remove("type");
        // The export adds it by itself. Kept, it would be wrong after a rename.
        if payload.get("issue_id").and_then(Value::as_str) == Some(record.id.as_str()) {
            payload.remove("issue_id");
        }
        // An issue has one parent here: the first. Further ones stay as dependencies.
        if kind == "parent-child" && !has_parent {
            has_parent = true;
            let to = target(id).to_key();
            payload.insert("to".into(), to.as_str().into());
            // Without further data, as `set_parent` writes it.
            let value = if payload.len() == 1 {
                Value::from(to)
            } else {
                Value::Object(payload)
            };
            issue.blob_mut().put(writer, "parent", value);
        } else {
            add(
                issue,
                "deps",
                Edge::key(kind, &target(id)),
                record.stamp,
                payload,
            );
        }
    }
    if let (false, Some(parent)) = (has_parent, record.filled("parent")) {
        issue
            .blob_mut()
            .put(writer, "parent", target(parent).to_key().into());
    }
}

fn comments(record: &ImportRecord, issue: Uid) -> Result<Vec<Memory>, String> {
    let mut seen = HashSet::new();
    let mut memory = Vec::new();
    for comment in record.items("comments") {
        let Some(text) = comment.get("text").and_then(Value::as_str) else {
            continue;
        };
        check_text("a comment", text).map_err(|error| error.to_string())?;
        let entry = build_comment(issue, record.id.as_str(), comment, text);
        // The same comment twice is one entry, as its uid is made of its contents.
        if seen.insert(entry.uid()) {
            memory.push(entry);
        }
    }
    Ok(memory)
}

fn build_comment(issue: Uid, id: &str, comment: &Map<String, Value>, text: &str) -> Memory {
    let field = |key: &str| comment.get(key).and_then(Value::as_str);
    let (kind, rest) = classify(text);
    let author = field("author")
        .filter(|author| !author.is_empty())
        .unwrap_or("import");
    let uid = comment_uid(
        issue,
        kind,
        author,
        field("created_at").unwrap_or_default(),
        rest,
    );
    let writer = Writer {
        at: uid,
        by: author.to_owned(),
        millis: uid.millis(),
    };
    let mut entry = Memory::new(uid, &writer, kind, rest);
    let kept = residue(comment, &render_comment(&entry, id));
    entry.blob_mut().put(&writer, "import", Value::Object(kept));
    entry
}
