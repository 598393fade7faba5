//! From blobs to a line of JSONL.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::record::{comment_uid, edge_of};
use super::{ORDER, order, overlay};
use crate::model::edge::Target;
use crate::model::field::{Field, FieldKind};
use crate::model::issue::Issue;
use crate::model::limits::MAX_LABEL;
use crate::model::memory::{ANSWER_MARKER, Memory, MemoryKind, classify};
use crate::model::stamp::Uid;
use crate::model::status::Status;
use crate::model::time;

/// Lookup of the ids of issues.
pub(crate) struct Names<'a> {
    /// Returns the id of an issue of this store.
    pub id: &'a dyn Fn(Uid) -> Option<String>,
}

impl Names<'_> {
    /// Returns the id that a dependency or parent is shown under.
    pub(crate) fn of(&self, target: &Target) -> String {
        match target {
            Target::Uid(uid) => (self.id)(*uid).unwrap_or_else(|| uid.to_string()),
            Target::Literal(literal) => literal.clone(),
        }
    }
}

/// Renders an issue as `bd` 1.x would write it; imported values that were not edited are written
/// exactly as they were read.
///
/// The caller adds the derived counts: only it knows the dependents.
pub(crate) fn export(issue: &Issue, memory: &[Memory], names: &Names<'_>) -> Map<String, Value> {
    let mut out = render(issue, memory, names);
    let import = issue.blob().value("import");
    overlay(&mut out, import, |key, value| {
        is_fresh(issue, memory, names, key, value)
    });
    if let (Some(Value::Array(comments)), Some(kept)) = (out.get_mut("comments"), import.get(ORDER))
    {
        order::restore(comments, kept, &shown_uids(memory));
    }
    // Entries that no set can hold are in `import` alone. An edit of the list must not lose them.
    for (key, identity) in LISTS {
        let kept = import[key]
            .as_array()
            // A list that was laid over as a whole has them already.
            .filter(|list| out.get(key).and_then(Value::as_array) != Some(list));
        let odd: Vec<Value> = kept
            .into_iter()
            .flatten()
            .filter(|entry| !identity(entry))
            .cloned()
            .collect();
        if !odd.is_empty()
            && let Value::Array(list) = out.entry(key).or_insert_with(|| json!([]))
        {
            list.extend(odd);
        }
    }
    out
}

/// Predicate: an entry of a list can be a member of a set of the format.
type Member = fn(&Value) -> bool;

/// The keys that hold lists, with the predicate for entries that become members; all others are
/// kept as they are.
const LISTS: [(&str, Member); 3] = [
    ("labels", |entry| label(entry).is_some()),
    ("dependencies", |entry| dependency(entry).is_some()),
    ("comments", |entry| entry["text"].is_string()),
];

/// Renders a memory line that belongs to no issue.
pub(crate) fn export_memory(memory: &Memory) -> Map<String, Value> {
    let mut out = render_memory(memory);
    overlay(&mut out, memory.blob().value("import"), |_, _| true);
    out
}

/// Renders the registers alone, without `import`.
pub(super) fn render(issue: &Issue, memory: &[Memory], names: &Names<'_>) -> Map<String, Value> {
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        if !matches!(&value, Value::Null) && value != json!("") {
            out.insert(key.to_owned(), value);
        }
    };
    let register = |key: &str| issue.blob().value(key).clone();
    put("id", register("id"));
    for field in Field::ALL {
        let spec = field.spec();
        let value = match spec.kind {
            FieldKind::Status => issue.status().as_str().into(),
            FieldKind::Priority => issue.priority().into(),
            FieldKind::Word => issue.kind().into(),
            FieldKind::Labels => non_empty(issue.labels()),
            // It is one of the dependencies.
            FieldKind::Parent => Value::Null,
            FieldKind::Title
            | FieldKind::LongText
            | FieldKind::ShortText
            | FieldKind::Name
            | FieldKind::Date => register(spec.key),
        };
        put(spec.bd, value);
    }
    put("created_at", time::format(issue.created()).into());
    put("created_by", issue.created_by().into());
    put("updated_at", time::format(issue.updated()).into());
    ended(issue, &mut put);
    put("dependencies", non_empty(dependencies(issue, names)));
    put("comments", non_empty(comments(issue, memory)));
    out
}

/// Returns a list; null where it is empty, which is left out.
fn non_empty<T: Into<Value>>(list: Vec<T>) -> Value {
    if list.is_empty() {
        Value::Null
    } else {
        list.into()
    }
}

fn ended(issue: &Issue, put: &mut impl FnMut(&str, Value)) {
    if issue.is_deleted() {
        let deleted = issue.blob().registers.get("deleted");
        put(
            "deleted_at",
            issue.written("deleted").map(time::format).into(),
        );
        put(
            "deleted_by",
            deleted.map(|register| register.by.clone()).into(),
        );
        put(
            "delete_reason",
            issue.blob().value("deleted")["reason"].clone(),
        );
    } else if issue.status() == Status::Closed {
        put("closed_at", issue.closed().map(time::format).into());
        put("close_reason", issue.state().reason.into());
    }
}

fn dependencies(issue: &Issue, names: &Names<'_>) -> Vec<Value> {
    let imported = issue.stamp_of("import");
    let mut seen = BTreeSet::new();
    let mut rows = Vec::new();
    let mut push =
        |kind: &str, target: &Target, payload: &Map<String, Value>, created: Option<u64>| {
            let to = names.of(target);
            // An id without an issue and the issue that got this id since are two edges, but one row of the file.
            if !seen.insert((kind.to_owned(), to.clone())) {
                return;
            }
            let mut row = payload.clone();
            // Payloads come first: an import keeps an `issue_id` only where it is not that of the record.
            row.entry("issue_id").or_insert_with(|| issue.id().into());
            row.insert("depends_on_id".into(), to.into());
            row.insert("type".into(), kind.into());
            if let Some(created) = created {
                row.entry("created_at")
                    .or_insert_with(|| time::format(created).into());
            }
            // An undo brings an edge back that had no time.
            if row.get("created_at").is_some_and(Value::is_null) {
                row.remove("created_at");
            }
            rows.push(row);
        };
    if let Some((target, payload)) = issue.parent() {
        let written = issue
            .written("parent")
            .filter(|_| !issue.is_as_imported("parent"));
        push("parent-child", &target, &payload, written);
    }
    for edge in issue.edges() {
        // An edge of the import has the time that the file gave it, in its payload, or none.
        let created = (imported != Some(edge.at)).then_some(edge.at.millis());
        push(&edge.kind, &edge.target, &edge.payload, created);
    }
    let text = |row: &Map<String, Value>, key: &str| {
        row.get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    rows.sort_by_cached_key(|row| {
        (
            text(row, "created_at"),
            text(row, "depends_on_id"),
            text(row, "type"),
        )
    });
    rows.into_iter().map(Value::Object).collect()
}

/// A comment of an export: an entry, or the answer to a question.
struct Said<'a> {
    at: u64,
    uid: Uid,
    by: &'a str,
    text: String,
    /// The entry; an answer is a part of one.
    entry: Option<&'a Memory>,
}

impl<'a> Said<'a> {
    fn entry(entry: &'a Memory) -> Self {
        Self {
            at: entry.at(),
            uid: entry.uid(),
            by: entry.by(),
            text: said(entry),
            entry: Some(entry),
        }
    }

    /// Returns the answer to an entry, which is known by the stamp of its write.
    fn answer(entry: &'a Memory) -> Option<Self> {
        let (text, register) = entry.answer()?;
        Some(Self {
            at: register.written(),
            uid: register.at,
            by: &register.by,
            text: format!("{ANSWER_MARKER}{text}"),
            entry: None,
        })
    }

    fn render(&self, issue: &str) -> Map<String, Value> {
        Map::from_iter([
            ("id".to_owned(), json!(self.uid)),
            ("issue_id".to_owned(), json!(issue)),
            ("author".to_owned(), json!(self.by)),
            ("text".to_owned(), json!(self.text)),
            ("created_at".to_owned(), json!(time::format(self.at))),
        ])
    }
}

/// Returns the text of an entry as a comment: with its marker, a question with the answers that it offers.
fn said(entry: &Memory) -> String {
    let mut text = format!("{}{}", entry.kind().marker(), entry.text());
    // Where only comments exist there is no other place for them.
    for (n, option) in (1..).zip(entry.options()) {
        text.push_str(&format!("\n{n}. {option}"));
    }
    text
}

/// Returns the comments of an export, in their order.
fn shown(memory: &[Memory]) -> Vec<Said<'_>> {
    let entries = memory.iter().filter(|entry| !entry.is_redacted());
    let mut shown: Vec<Said<'_>> = entries
        .flat_map(|entry| [Some(Said::entry(entry)), Said::answer(entry)])
        .flatten()
        .collect();
    shown.sort_unstable_by_key(|said| (said.at, said.uid));
    shown
}

/// Returns the uids of the comments of an export, in their order.
pub(super) fn shown_uids(memory: &[Memory]) -> Vec<Uid> {
    shown(memory).into_iter().map(|said| said.uid).collect()
}

fn comments(issue: &Issue, memory: &[Memory]) -> Vec<Value> {
    let full = |said: &Said<'_>| {
        let mut out = said.render(issue.id());
        if let Some(entry) = said.entry {
            overlay(&mut out, entry.blob().value("import"), |_, _| true);
        }
        Value::Object(out)
    };
    shown(memory).iter().map(full).collect()
}

pub(super) fn render_comment(entry: &Memory, issue: &str) -> Map<String, Value> {
    Said::entry(entry).render(issue)
}

pub(super) fn render_memory(memory: &Memory) -> Map<String, Value> {
    let mut out = Map::from_iter([("_type".to_owned(), json!("memory"))]);
    if let Some(key) = memory.blob().text("key") {
        out.insert("key".into(), key.into());
    }
    out.insert("value".into(), memory.text().into());
    out
}

/// Returns whether the registers behind a key still have the imported values.
fn is_fresh(
    issue: &Issue,
    memory: &[Memory],
    names: &Names<'_>,
    key: &str,
    original: &Value,
) -> bool {
    if let Some(field) = Field::from_bd(key) {
        return is_fresh_field(issue, names, field, original);
    }
    let stamp = issue.stamp_of("import");
    let is_unchanged = |register: &str| issue.is_as_imported(register);
    match key {
        "id" => is_unchanged(key),
        // Both registers: of a deleted issue the end of work is not exported.
        "close_reason" | "closed_at" | "closed_by_session" => {
            is_unchanged("status") && is_unchanged("deleted")
        }
        "deleted_at" | "deleted_by" | "delete_reason" | "original_type" => is_unchanged("deleted"),
        "updated_at" => Some(issue.blob().newest()) == stamp,
        // The key was absent, or null.
        "dependencies" if original.is_null() => is_unchanged("parent") && issue.edges().is_empty(),
        // By members, not by stamps: what was removed and added again is as imported.
        "dependencies" => {
            set_of(original, dependency)
                == dependencies(issue, names)
                    .iter()
                    .filter_map(dependency)
                    .collect()
        }
        // Uids are made of the contents, and a redacted entry is not rendered: the kept texts go with it.
        "comments" => {
            let rendered = comments(issue, memory);
            let identity = |value: &Value| comment(issue.uid(), value);
            set_of(original, identity) == rendered.iter().filter_map(identity).collect()
        }
        // No command changes what such a key holds.
        _ => true,
    }
}

fn is_fresh_field(issue: &Issue, names: &Names<'_>, field: Field, original: &Value) -> bool {
    let is_unchanged = issue.is_as_imported(field.key());
    match field.kind() {
        FieldKind::Labels => set_of(original, label) == issue.labels().into_iter().collect(),
        // The register may be untouched while the parent has another id by now.
        FieldKind::Parent => {
            let parent = issue.parent().map(|(target, _)| names.of(&target));
            is_unchanged && parent.as_deref() == original.as_str()
        }
        // A deletion does not touch the status, but is exported as one.
        FieldKind::Status => is_unchanged && issue.is_as_imported("deleted"),
        _ => is_unchanged,
    }
}

fn set_of<T: Ord>(list: &Value, identity: impl Fn(&Value) -> Option<T>) -> BTreeSet<T> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(identity)
        .collect()
}

fn label(value: &Value) -> Option<String> {
    value
        .as_str()
        .filter(|label| !label.is_empty() && label.chars().count() <= MAX_LABEL)
        .map(str::to_owned)
}

fn dependency(value: &Value) -> Option<(String, String)> {
    let (kind, id) = edge_of(value.as_object()?)?;
    Some((kind.to_owned(), id.to_owned()))
}

fn comment(issue: Uid, value: &Value) -> Option<Uid> {
    let (kind, text): (MemoryKind, &str) = classify(value["text"].as_str()?);
    let author = value["author"]
        .as_str()
        .filter(|author| !author.is_empty())
        .unwrap_or("import");
    Some(comment_uid(
        issue,
        kind,
        author,
        value["created_at"].as_str().unwrap_or_default(),
        text,
    ))
}
