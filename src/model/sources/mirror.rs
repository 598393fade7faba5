//! The merge, field by field, of what another tracker says with what is here.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::bd::digest;
use super::super::blob::{Blob, Element, SOURCE};
use super::super::edge::{Edge, Target};
use super::super::field::{Field, FieldKind};
use super::super::issue::StatusRegister;
use super::super::join::{Side, join};
use super::super::stamp::{Stamp, Uid};

/// The last record of a tracker for an issue: by the keys of bd, with digests for long texts.
pub(crate) type LastSaid = Map<String, Value>;

/// The data of a member that a source has added: its place.
const SAID_BY: &str = "created_by";
/// The label of the milestone, which a file can be without although it has labels.
pub(crate) const MILESTONE: &str = "milestone";

/// Keys of a record that are not compared: times, and what can't change.
const APART: [&str; 6] = [
    "id",
    "comments",
    "created_at",
    "updated_at",
    "closed_at",
    "created_by",
];

/// Returns what a record says, as it is kept with the issue.
pub(crate) fn said_of(record: &Map<String, Value>) -> LastSaid {
    let mut said = Map::new();
    for (key, value) in record {
        if APART.contains(&key.as_str()) {
            continue;
        }
        let is_long = Field::from_bd(key).is_some_and(|it| it.kind() == FieldKind::LongText);
        let value = match value {
            Value::String(text) if text.is_empty() => Value::Null,
            Value::String(text) if is_long => json!(fingerprint(text)),
            // Trackers name the same in any order.
            Value::Array(items) => {
                let mut items = items.clone();
                items.sort_by_key(ToString::to_string);
                Value::Array(items)
            }
            value => value.clone(),
        };
        said.insert(key.clone(), value);
    }
    said
}

fn fingerprint(text: &str) -> String {
    format!("{:020x}", digest(&[text]))
}

/// An issue that a record names: its identity where it is here, and the name that stands for it until it is.
pub(crate) struct NamedIssue {
    pub(crate) uid: Option<Uid>,
    pub(crate) literal: String,
}

impl NamedIssue {
    pub(crate) fn target(&self) -> Target {
        match self.uid {
            Some(uid) => Target::Uid(uid),
            None => Target::Literal(self.literal.clone()),
        }
    }

    /// Returns both spellings: it may not have been here when it was named.
    fn spellings(&self) -> [Target; 2] {
        [self.target(), Target::Literal(self.literal.clone())]
    }
}

/// The words of a source on an issue, for the merge with what is here.
pub(crate) struct Mirror<'a> {
    /// Those of the last file; nothing where it is not followed yet.
    pub(crate) before: LastSaid,
    pub(crate) now: LastSaid,
    /// Those of now, and of before where a file says nothing of a key.
    pub(crate) all: LastSaid,
    /// True if all that is here counts as changed, of an issue that is not followed.
    pub(crate) is_edited: bool,
    /// The actor of what the source has written here: what has another one was changed here.
    pub(crate) place: String,
    /// Finds the issue of an id of the record.
    pub(crate) resolve: &'a dyn Fn(&str) -> NamedIssue,
}

impl Mirror<'_> {
    /// Joins what the source says with the issue that is here; `built` is the blob of its record, whose stamp comes after all
    /// of the issue.
    ///
    /// A new value is taken; one that was changed here alone stays; of what was changed in both, that of the source counts,
    /// and the other is kept as a lost value.
    pub(crate) fn merge(&self, local: Side<'_>, mut built: Blob) -> Blob {
        let at = built.origin.at;
        let mut lost = Vec::new();
        let keys: Vec<String> = built.registers.keys().cloned().collect();
        for key in keys.iter().filter(|key| *key != "import") {
            let field = Field::from_key(key);
            let Some(field) = field.filter(|field| self.is_news(local.blob, &built, *field)) else {
                built.registers.remove(key);
                continue;
            };
            if let Some(register) = local.blob.registers.get(key)
                && self.is_changed_here(local.blob, field)
            {
                lost.push((key.clone(), register.clone()));
            }
        }
        for set in ["labels", "deps"] {
            self.merge_members(local.blob, &mut built, set, at);
        }
        let known = local.blob.sets.get(SOURCE);
        let said = built.sets.get(SOURCE);
        let has_said = said.into_iter().flatten().all(|(key, element)| {
            let known = known.and_then(|known| known.get(key));
            known.is_some_and(|known| known.payload == element.payload)
        });
        let has_more = built.registers.keys().any(|key| key != "import")
            || built.sets.keys().any(|set| set != SOURCE);
        if !has_more && has_said {
            return local.blob.clone();
        }
        let mut joined = join(local.blob, &built);
        // Who made it, and when, a later file may not have.
        joined.origin = local.blob.origin.clone();
        for (key, register) in lost {
            joined.lose(&key, &register, local.oid);
        }
        joined
    }

    /// Returns the blob of an issue that is new here.
    pub(crate) fn merge_new(&self, mut built: Blob) -> Blob {
        for set in ["labels", "deps"] {
            if let Some(members) = built.sets.get_mut(set) {
                self.mark_as_said(members);
            }
        }
        built
    }

    /// Notes in members that the source has added them.
    fn mark_as_said(&self, members: &mut BTreeMap<String, Element>) {
        for element in members.values_mut() {
            let place = json!(self.place);
            element.payload.insert(SAID_BY.to_owned(), place);
        }
    }

    /// Returns whether the source says something new of a field that is not here already.
    fn is_news(&self, local: &Blob, built: &Blob, field: Field) -> bool {
        let key = field.spec().bd;
        let is_said_before = self.before.contains_key(key);
        // Nothing, where nothing was said before, is no news.
        let is_nothing = self.now.get(key).is_some_and(Value::is_null) && !is_said_before;
        if !self.now.contains_key(key) || is_nothing {
            return false;
        }
        let register = local.registers.get(field.key());
        // What it wrote itself follows it: another clone may have read a file that said something else.
        let is_own = register.is_some_and(|register| register.by == self.place);
        let is_same_there = !is_own
            && is_said_before
            && value_in(&self.before, field) == value_in(&self.all, field);
        let (ours, theirs) = (local.value(field.key()), built.value(field.key()));
        let is_here = match field {
            // The reason is news where the status was not set here.
            Field::Status => {
                ours["s"] == theirs["s"]
                    && (ours["reason"] == theirs["reason"]
                        || !self.now.contains_key("close_reason")
                        || self.is_changed_here(local, field))
            }
            _ => ours == theirs,
        };
        !is_same_there && !is_here
    }

    /// Returns whether a field is not as the source had said it last.
    fn is_changed_here(&self, local: &Blob, field: Field) -> bool {
        let ours = local.value(field.key());
        let register = local.registers.get(field.key());
        if register.is_some_and(|register| register.by == self.place) {
            return false;
        }
        if !self.before.contains_key(field.spec().bd) {
            // It was here before the source was followed: a value of then counts as an own one.
            return self.is_edited && !is_empty(field, ours);
        }
        let said = value_in(&self.before, field);
        match field.kind() {
            FieldKind::Status => {
                let state = StatusRegister::of(local);
                let reason = state.reason.filter(|_| state.status.is_done());
                said != json!([state.status.as_str(), reason])
            }
            FieldKind::LongText => {
                let ours = ours.as_str().filter(|text| !text.is_empty());
                said.as_str().map(str::to_owned) != ours.map(fingerprint)
            }
            FieldKind::Parent => {
                let ours = ours.as_str().or_else(|| ours["to"].as_str());
                match said.as_str() {
                    Some(id) => {
                        let spellings = (self.resolve)(id).spellings();
                        !spellings
                            .iter()
                            .any(|it| Some(it.to_key().as_str()) == ours)
                    }
                    None => ours.is_some(),
                }
            }
            _ => *ours != said && !(said == "" && ours.is_null()),
        }
    }

    /// Merges the members of a set: what was removed here alone is not added again, and what the source has no more is
    /// removed.
    fn merge_members(&self, local: &Blob, built: &mut Blob, set: &str, at: Stamp) {
        let (was, is) = (self.named(&self.before, set), self.named(&self.all, set));
        let empty = BTreeMap::new();
        let here = local.sets.get(set).unwrap_or(&empty);
        let is_here = |key: &String| here.get(key).is_some_and(|it| it.live);
        let mut theirs = built.sets.remove(set).unwrap_or_default();
        self.mark_as_said(&mut theirs);
        for spellings in &is {
            let is_old =
                was.iter().any(|was| was[0] == spellings[0]) || spellings.iter().any(is_here);
            if is_old {
                theirs.retain(|key, _| !spellings.contains(key));
            }
        }
        for (key, element) in here.iter().filter(|(_, element)| element.live) {
            let has = |all: &[Vec<String>]| all.iter().any(|spellings| spellings.contains(key));
            let is_theirs =
                element.payload.get(SAID_BY).and_then(Value::as_str) == Some(self.place.as_str());
            if keys_of(set).iter().any(|key| self.now.contains_key(*key))
                && (is_theirs || has(&was))
                && !has(&is)
            {
                let removed = Element {
                    live: false,
                    at,
                    payload: Map::new(),
                };
                theirs.insert(key.clone(), removed);
            }
        }
        if !theirs.is_empty() {
            built.sets.insert(set.to_owned(), theirs);
        }
    }

    /// Returns the members of a set that were said, each in all its spellings.
    fn named(&self, said: &LastSaid, set: &str) -> Vec<Vec<String>> {
        let mut named = Vec::new();
        for key in keys_of(set) {
            let value = said.get(*key);
            // A milestone is a text of its own, and a label here.
            named.extend(value.and_then(Value::as_str).map(|it| vec![it.to_owned()]));
            for item in value.and_then(Value::as_array).into_iter().flatten() {
                if let Some(label) = item.as_str() {
                    named.push(vec![label.to_owned()]);
                }
                if let (Some(kind), Some(id)) =
                    (item["type"].as_str(), item["depends_on_id"].as_str())
                {
                    let spellings = (self.resolve)(id).spellings();
                    named.push(spellings.iter().map(|it| Edge::key(kind, it)).collect());
                }
            }
        }
        named
    }
}

/// Returns the keys that the members of a set are said by.
const fn keys_of(set: &str) -> &'static [&'static str] {
    match set.as_bytes() {
        b"labels" => &["labels", MILESTONE],
        _ => &["dependencies"],
    }
}

/// Returns what was said of a field; of a status with its reason.
fn value_in(said: &LastSaid, field: Field) -> Value {
    let value = |key: &str| said.get(key).cloned().unwrap_or_default();
    match field {
        Field::Status => json!([value("status"), value("close_reason")]),
        field => value(field.spec().bd),
    }
}

fn is_empty(field: Field, ours: &Value) -> bool {
    match field {
        Field::Status => ours["s"] == "open" || ours.is_null(),
        Field::Priority => ours == &json!(2),
        Field::Type => ours == "task",
        _ => ours.is_null() || ours == "",
    }
}

/// Returns what a source said of an issue last; nothing where it is not followed.
pub(crate) fn last_said(local: &Blob, key: &str) -> Option<LastSaid> {
    let mut members = local.live(SOURCE);
    members
        .find(|(name, _)| *name == key)
        .map(|(_, element)| element.payload.clone())
}
