//! A file of another tracker: its issues, followed here and merged field by field.

mod ids;
mod recognise;

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::{Import, ImportOptions, ImportProgress, LineError};
use crate::index::FollowedIssue;
use crate::model::bd::{self, Built, ImportRecord, Names};
use crate::model::join::Side;
use crate::model::sources::{
    LastSaid, MILESTONE, Mirror, NamedIssue, NewId, SourceFile, SourceIssue, SourceKey, last_said,
    places_of, said_of,
};
use crate::model::{Blob, Edge, Issue, Stamp, Target, Uid, Writer, time};
use crate::ops::{Error, Result};
use crate::store::TreePath;

pub(super) use recognise::recognise;

/// The columns of a table, by what they hold.
pub(crate) type ColumnMap = BTreeMap<String, String>;

/// Reads the columns of a table as they are given: `title=Summary,status=State`.
pub(crate) fn column_map(text: &str) -> Result<ColumnMap> {
    let mut columns = ColumnMap::new();
    for pair in text.split(',').filter(|pair| !pair.trim().is_empty()) {
        let Some((what, column)) = pair.split_once('=') else {
            let message = format!("`{}` names no column; write `title=Summary`", pair.trim());
            return Err(Error::invalid(message));
        };
        columns.insert(what.trim().to_lowercase(), column.trim().to_owned());
    }
    Ok(columns)
}

/// The issues of a file, each with its identity here.
struct Followed<'f> {
    issues: Vec<(&'f SourceIssue, Uid)>,
    /// By their keys, and by the ids that they have there.
    by_name: HashMap<String, Uid>,
    names: HashMap<Uid, String>,
    is_own: bool,
}

impl Import<'_, '_> {
    /// Merges what a file of another tracker says.
    pub(super) fn follow(
        &mut self,
        file: &SourceFile,
        options: &ImportOptions,
        progress: ImportProgress<'_>,
    ) -> Result<()> {
        let mut followed = Followed {
            issues: Vec::with_capacity(file.issues.len()),
            by_name: HashMap::new(),
            names: HashMap::new(),
            is_own: file.is_own,
        };
        let here = self.view.index.ids().followed()?;
        let known = by_place(&here);
        let newest = newest(&file.issues);
        self.contents.duplicates = file.issues.len() - newest.len();
        for issue in newest {
            let uid = self.identity(issue, file.is_own, &known)?;
            let name = match &issue.id {
                NewId::Same(id) => id.clone(),
                NewId::Numbered => issue.key.to_string(),
            };
            followed.by_name.insert(name.clone(), uid);
            followed.names.insert(uid, name);
            followed.issues.push((issue, uid));
        }
        let ids = ids::given(
            self.view,
            &followed.issues,
            &here,
            options.prefix.as_deref(),
        )?;
        for (done, (issue, uid)) in followed.issues.iter().enumerate() {
            if let Err(message) = self.follow_one(issue, *uid, &ids[done], &followed)? {
                let unit = self.contents.unit;
                self.report
                    .errors
                    .push(LineError::new(unit, issue.at, message));
            }
            progress(done + 1, followed.issues.len());
        }
        self.link(&followed)
    }

    /// Links what names an issue of this file, was here before, and is not in it: until now a name stood for the issue.
    fn link(&mut self, followed: &Followed<'_>) -> Result<()> {
        let mut links: BTreeMap<Uid, Vec<(String, Uid)>> = BTreeMap::new();
        for (name, target) in &followed.by_name {
            let name = format!("{EXTERNAL}{name}");
            for uid in self.view.index.edges().naming(&name)? {
                if !followed.names.contains_key(&uid) {
                    links.entry(uid).or_default().push((name.clone(), *target));
                }
            }
        }
        for (uid, links) in links {
            let found = self.view.snapshot().find(TreePath::Issue(uid))?;
            // What can't be read stays as it is.
            let Ok(Some(local)) = self.local(uid, found) else {
                continue;
            };
            let now = self.view.now();
            let writer = Writer {
                at: self.view.tracker.stamp(now, local.newest()),
                by: self.view.tracker.actor().to_owned(),
                millis: now,
            };
            let linked = linked(&local, &writer, &links);
            if let Err(message) = self.take(uid, Some(&local), &linked, &[])? {
                tracing::debug!(%uid, message, "not linked");
            }
        }
        Ok(())
    }

    /// Returns the identity of an issue: that of its key, or of the one that has its reference or its id here already.
    fn identity(
        &self,
        issue: &SourceIssue,
        is_own: bool,
        known: &HashMap<&str, Uid>,
    ) -> Result<Uid> {
        let own = issue.key.uid();
        if self.view.snapshot().find(TreePath::Issue(own))?.is_some() {
            return Ok(own);
        }
        if let Some(uid) = known.get(issue.key.to_string().as_str()) {
            return Ok(*uid);
        }
        let NewId::Same(id) = &issue.id else {
            return Ok(own);
        };
        let named = self.view.index.ids().meant_by(id)?;
        // What is followed elsewhere is another one that is called so there.
        let is_meant = |uid: &Uid| {
            let found = self.view.issue(*uid);
            is_own || found.is_ok_and(|found| places_of(&found).is_none())
        };
        Ok(named.filter(is_meant).unwrap_or(own))
    }

    /// Merges one issue; the inner error is the record's, the outer one the store's.
    fn follow_one(
        &mut self,
        issue: &SourceIssue,
        uid: Uid,
        id: &str,
        followed: &Followed<'_>,
    ) -> Result<Result<(), String>> {
        let found = self.view.snapshot().find(TreePath::Issue(uid))?;
        let oid = found.as_ref().map(|(oid, _)| oid.to_string());
        let local = match self.local(uid, found) {
            Ok(local) => local,
            Err(message) => return Ok(Err(message)),
        };
        let key = issue.key.to_string();
        let before = local.as_ref().and_then(|local| last_said(local, &key));
        if local.as_ref().is_some_and(|local| local.purged.is_some()) {
            self.report.unchanged += 1;
            return Ok(Ok(()));
        }
        if before.is_some() && local.as_ref().is_some_and(|local| is_older(issue, local)) {
            self.report.older += 1;
            return Ok(Ok(()));
        }
        let before = before.unwrap_or_default();
        let now = said_of(&issue.record);
        let mut all = before.clone();
        all.extend(now.clone());
        let built = match self.built(issue, uid, id, local.as_ref(), &all, followed) {
            Ok(built) => built,
            Err(message) => return Ok(Err(message)),
        };
        let side = local.as_ref().map(|blob| Side {
            blob,
            oid: oid.as_deref().unwrap_or_default(),
        });
        let mirror = Mirror {
            before,
            now,
            all,
            is_edited: !followed.is_own
                || local
                    .as_ref()
                    .is_some_and(|local| is_edited_since(issue, uid, local)),
            place: issue.key.place(),
            resolve: &|id| self.named(id, followed),
        };
        let joined = self.mirrored(issue, side, &built, &mirror, followed.is_own);
        drop(mirror);
        let open = |blob: &Blob| blob.unsettled().count();
        if local
            .as_ref()
            .is_some_and(|local| open(local) < open(&joined))
        {
            self.report.conflicts.push(id.to_owned());
        }
        self.take(uid, local.as_ref(), &joined, &built.memory)
    }

    /// Returns an issue as it is after the merge of its record.
    fn mirrored(
        &self,
        issue: &SourceIssue,
        local: Option<Side<'_>>,
        built: &Built,
        mirror: &Mirror<'_>,
        is_own: bool,
    ) -> Blob {
        let mut blob = built.issue.blob().clone();
        finish(&mut blob, issue, local.map(|local| local.blob));
        let by = match is_own {
            true => self.view.tracker.actor(),
            false => &mirror.place,
        };
        for register in blob.registers.values_mut() {
            by.clone_into(&mut register.by);
        }
        if !is_own {
            blob.keep_said(&issue.key.to_string(), mirror.all.clone());
        }
        match local {
            None => mirror.merge_new(blob),
            Some(local) => {
                // The times in our own table are those of this store.
                if is_own {
                    blob.registers.remove("import");
                }
                mirror.merge(local, blob)
            }
        }
    }

    fn built(
        &self,
        issue: &SourceIssue,
        uid: Uid,
        id: &str,
        local: Option<&Blob>,
        all: &LastSaid,
        followed: &Followed<'_>,
    ) -> Result<Built, String> {
        let mut map = issue.record.clone();
        put_labels(&mut map, all);
        for (key, value) in [("priority", json!(2)), ("issue_type", json!("task"))] {
            map.entry(key).or_insert(value);
        }
        // What is not here, and not in the file, is named and blocks nothing.
        let literal = |id: &Value| {
            let named = self.named(id.as_str()?, followed);
            named.uid.is_none().then_some(named.literal)
        };
        if let Some(parent) = map.get_mut("parent")
            && let Some(name) = literal(parent)
        {
            *parent = json!(name);
        }
        let edges = map.get_mut("dependencies").and_then(Value::as_array_mut);
        for edge in edges.into_iter().flatten() {
            if let Some(name) = literal(&edge["depends_on_id"]) {
                edge["depends_on_id"] = json!(name);
            }
        }
        let updated = ["updated_at", "created_at"]
            .into_iter()
            .find_map(|key| map.get(key)?.as_str());
        // Where a table has no times, it is as of now.
        let millis = updated.and_then(time::parse);
        let millis = millis.unwrap_or_else(|| self.view.now());
        let random = bd::record_digest(&issue.key.to_string(), &map);
        let seen = local.map(Blob::newest).unwrap_or_default();
        let record = ImportRecord::of_source(id, Stamp::after(seen, millis, random), map)?;
        let resolve = |id: &str| self.named(id, followed).uid;
        let names = Names {
            id: &|target| followed.names.get(&target).cloned(),
        };
        bd::build(&record, uid, &resolve, &names)
    }

    /// Returns the issue that an id of a record names. Until it is here, the id stands for it that it will get.
    fn named(&self, text: &str, followed: &Followed<'_>) -> NamedIssue {
        let known = followed.by_name.get(text).copied();
        let Some(key) = SourceKey::parse(text) else {
            let here = || self.view.index.ids().meant_by(text).ok().flatten();
            return NamedIssue {
                uid: known.or_else(here),
                literal: text.to_owned(),
            };
        };
        let here = || {
            let found = self.view.snapshot().find(TreePath::Issue(key.uid()));
            found.ok().flatten().map(|_| key.uid())
        };
        NamedIssue {
            uid: known.or_else(here),
            literal: format!("{EXTERNAL}{text}"),
        }
    }
}

/// Returns the issues that are followed here, by their places elsewhere.
fn by_place(here: &[FollowedIssue]) -> HashMap<&str, Uid> {
    let mut known = HashMap::new();
    for issue in here {
        for place in issue.places.split(' ') {
            known.entry(place).or_insert(issue.uid);
        }
    }
    known
}

/// The beginning of the name that stands for an issue until it is here.
const EXTERNAL: &str = "external:";

/// Returns an issue whose dependencies and parent lead to issues that names stood for.
fn linked(local: &Blob, writer: &Writer, links: &[(String, Uid)]) -> Blob {
    let mut blob = local.clone();
    for (name, uid) in links {
        let (literal, target) = (Target::Literal(name.clone()), Target::Uid(*uid));
        let edges = local
            .live("deps")
            .filter_map(|(key, element)| Edge::parse(key, element));
        for edge in edges.filter(|edge| edge.target == literal) {
            blob.mark(writer, "deps", &Edge::key(&edge.kind, &literal), false);
            blob.mark(writer, "deps", &Edge::key(&edge.kind, &target), true);
            blob.keep_payload("deps", &Edge::key(&edge.kind, &target), edge.payload);
        }
        if blob.text("parent") == Some(literal.to_key().as_str()) {
            blob.put(writer, "parent", target.to_key().into());
        }
    }
    blob
}

/// Returns the issues of a file, of several with one key the one that changed last: pages can overlap.
fn newest(issues: &[SourceIssue]) -> Vec<&SourceIssue> {
    let mut places: HashMap<&SourceKey, usize> = HashMap::new();
    let mut newest: Vec<&SourceIssue> = Vec::new();
    for issue in issues {
        let Some(at) = places.get(&issue.key) else {
            places.insert(&issue.key, newest.len());
            newest.push(issue);
            continue;
        };
        if updated(issue) >= updated(newest[*at]) {
            newest[*at] = issue;
        }
    }
    newest
}

fn updated(issue: &SourceIssue) -> Option<i128> {
    let text = issue.record.get("updated_at").and_then(Value::as_str);
    text.and_then(time::instant)
}

/// Puts the milestone among the labels; what a file does not say of either was said before.
fn put_labels(map: &mut Map<String, Value>, all: &LastSaid) {
    let has_milestone = map.remove(MILESTONE).is_some();
    if !has_milestone && !map.contains_key("labels") {
        return;
    }
    let labels = all.get("labels").and_then(Value::as_array);
    let labels = labels.into_iter().flatten().chain(all.get(MILESTONE));
    let labels = labels.filter(|label| label.is_string()).cloned().collect();
    map.insert("labels".to_owned(), labels);
}

/// Returns whether an issue has changed since a file was written.
fn is_edited_since(issue: &SourceIssue, uid: Uid, local: &Blob) -> bool {
    let updated = issue.record.get("updated_at").and_then(Value::as_str);
    let updated = updated.and_then(time::parse);
    let changed = Issue::from_blob(uid, local.clone()).updated();
    updated.is_none_or(|updated| updated < changed)
}

/// Returns whether a file says what was true before the last one.
fn is_older(issue: &SourceIssue, local: &Blob) -> bool {
    let known = local.value("import")["updated_at"].as_str();
    let known = known.and_then(time::instant);
    updated(issue).is_some_and(|now| known.is_some_and(|known| now < known))
}

/// Gives the blob of a record its times.
fn finish(blob: &mut Blob, issue: &SourceIssue, local: Option<&Blob>) {
    let times = ["created_at", "updated_at", "closed_at"];
    let mut import = match local.map(|local| local.value("import")) {
        Some(Value::Object(import)) => import.clone(),
        _ => Map::new(),
    };
    for key in times {
        if let Some(value) = issue.record.get(key) {
            import.insert(key.to_owned(), value.clone());
        }
    }
    let closed = issue
        .record
        .get("closed_at")
        .and_then(Value::as_str)
        .and_then(time::parse);
    for (key, register) in &mut blob.registers {
        if key == "status" && register.value["s"] == "closed" {
            register.when = closed.map(time::format);
        }
        if key == "import" {
            register.value = Value::Object(std::mem::take(&mut import));
        }
    }
    if local.is_none() {
        blob.registers.remove("deleted");
    }
}
