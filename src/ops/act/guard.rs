//! The guard: an act sets nothing that has changed since its face has drawn it. It runs within the change, under the lock.

use std::collections::{BTreeSet, HashSet};

use crate::model::blob::{Register, lost_key};
use crate::model::{Blob, Party, Stamp, Uid};
use crate::ops::shared::field_diff::{INNER, register_changes};
use crate::ops::shared::origin::writers_of;
use crate::ops::shared::question::brief;
use crate::ops::{Code, Command, Error, ExitClass, Result, Retry, Tx, View};
use crate::store::{Snapshot, TreePath, decode};

/// What an act was decided on.
pub(super) struct Guard {
    /// The commit of the state that was drawn; without one nothing is compared.
    pub(super) seen: Option<String>,
    /// Commits of the same desk.
    pub(super) mine: Vec<String>,
    /// The issues that the act is about.
    pub(super) ids: Vec<String>,
    /// A register that the act does not set, but rests on.
    pub(super) rests_on: Option<&'static str>,
}

/// A blob that the act changes, as it is now and as it was drawn.
struct SinceDrawn<'a> {
    uid: Uid,
    path: TreePath,
    now: &'a Blob,
    drawn: Option<Blob>,
}

impl Guard {
    /// Refuses a change where a register that it sets was written since, but by this desk. Labels, dependencies and new entries
    /// are no registers: they never conflict.
    pub(super) fn check(&self, tx: &Tx<'_>) -> Result<()> {
        let Some(seen) = &self.seen else {
            return Ok(());
        };
        if tx.view.snapshot().commit().to_string() == *seen {
            return Ok(());
        }
        let mut named = HashSet::new();
        for id in &self.ids {
            named.insert(tx.find(id)?);
        }
        let mut drawn = None;
        for path in tx.paths() {
            let (TreePath::Issue(uid) | TreePath::Entry(uid, _)) = path else {
                continue;
            };
            let (Some(now), Some(staged)) = (read(tx.view.snapshot(), path)?, tx.staged(path))
            else {
                continue;
            };
            let keys = self.keys(&now, staged, path);
            if keys.is_empty() || !named.contains(&uid) {
                continue;
            }
            let state = match drawn {
                Some(state) => state,
                None => *drawn.insert(state(&tx.view, seen)?),
            };
            let compared = SinceDrawn {
                uid,
                path,
                now: &now,
                drawn: read(state, path)?,
            };
            self.compare(&tx.view, &compared, &keys)?;
        }
        Ok(())
    }

    /// Returns the registers that a change sets or rests on, and those whose lost values it settles.
    fn keys(&self, now: &Blob, staged: &Blob, path: TreePath) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        for (key, register) in &staged.registers {
            if now.registers.get(key) != Some(register) && !INNER.contains(&key.as_str()) {
                keys.insert(key.clone());
            }
        }
        for (key, lost) in &staged.lost {
            if now.lost.get(key) != Some(lost) {
                keys.extend(lost_key(key).map(|(register, _)| register.to_owned()));
            }
        }
        if matches!(path, TreePath::Issue(_)) && !keys.is_empty() {
            keys.extend(self.rests_on.map(str::to_owned));
        }
        keys
    }

    fn compare(
        &self,
        view: &View<'_>,
        blob: &SinceDrawn<'_>,
        keys: &BTreeSet<String>,
    ) -> Result<()> {
        let Some(drawn) = &blob.drawn else {
            return match self.is_mine(view, blob.uid, blob.now.origin.at)? {
                true => Ok(()),
                false => Err(came(&view.id(blob.uid)?, blob.path)),
            };
        };
        for key in keys {
            let (old, new) = (drawn.registers.get(key), blob.now.registers.get(key));
            let at = new.map(|register| register.at).unwrap_or_default();
            let is_same = old.map(|register| register.at).unwrap_or_default() == at;
            if !is_same && !self.is_mine(view, blob.uid, at)? {
                return Err(changed(view, blob.uid, key, old, new)?);
            }
            if is_same && lost_of(drawn, key) != lost_of(blob.now, key) {
                let id = view.id(blob.uid)?;
                let message = format!("the conflict in `{key}` of {id} is another one by now");
                return Err(error(message, &id));
            }
        }
        Ok(())
    }

    /// Returns whether a stamp was made by this desk.
    fn is_mine(&self, view: &View<'_>, uid: Uid, at: Stamp) -> Result<bool> {
        if self.mine.is_empty() {
            return Ok(false);
        }
        let writers = writers_of(view, uid, HashSet::from([at]))?;
        let commit = writers.get(&at).map(|writer| writer.commit.to_string());
        Ok(commit.is_some_and(|commit| self.mine.contains(&commit)))
    }
}

/// Returns the state that was drawn.
fn state<'t>(view: &View<'t>, seen: &str) -> Result<Snapshot<'t>> {
    let is_commit = seen.len() >= 40 && seen.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_commit {
        return Err(Error::invalid(format!(
            "`seen` is no commit: {}",
            brief(seen)
        )));
    }
    view.revision(seen).map_err(|error| {
        // A disk that can't be read says nothing about the state.
        if error.retry() != Retry::No || error.class() == ExitClass::Io {
            return error;
        }
        let shown: String = seen.chars().take(10).collect();
        let message = format!("the state that was shown ({shown}) is no longer here");
        Error::new(Code::Changed, message).hinted(Command::of("log"))
    })
}

fn read(snapshot: Snapshot<'_>, path: TreePath) -> Result<Option<Blob>> {
    let found = snapshot.find(path)?;
    Ok(found.and_then(|(_, bytes)| decode(path, &bytes).ok()))
}

/// Returns the stamps of the values that a register has lost.
fn lost_of(blob: &Blob, key: &str) -> Vec<Stamp> {
    let lost = blob.unsettled();
    lost.filter(|(register, ..)| *register == key)
        .map(|(_, at, _)| at)
        .collect()
}

/// Returns the error of a register that was written since, with both values, the writer and the time.
fn changed(
    view: &View<'_>,
    uid: Uid,
    key: &str,
    old: Option<&Register>,
    new: Option<&Register>,
) -> Result<Error> {
    let changes = register_changes(view, key, old, new)?;
    let differs = changes.iter().find(|change| change.old != change.new);
    let text = |value: Option<&serde_json::Value>| match value {
        None | Some(serde_json::Value::Null) => "none".to_owned(),
        Some(serde_json::Value::String(text)) => brief(text),
        Some(other) => brief(&other.to_string()),
    };
    let id = view.id(uid)?;
    let what = match differs.or(changes.first()) {
        Some(change) => {
            let (old, new) = (text(change.old.as_ref()), text(change.new.as_ref()));
            format!("{} of {id} has changed from {old} to {new}", change.field)
        }
        None => format!("`{key}` of {id} has changed"),
    };
    let Some(new) = new else {
        return Ok(error(what, &id));
    };
    let writers = writers_of(view, uid, HashSet::from([new.at]))?;
    let by = Party {
        person: new.by.clone(),
        agent: writers.get(&new.at).and_then(|writer| writer.agent.clone()),
    };
    let at = view.clock().formatted(new.written(), "%Y-%m-%d %H:%M");
    Ok(error(
        format!("{what}, by {} at {at}", brief(&by.to_string())),
        &id,
    ))
}

/// Returns the error of a blob that was not there yet.
fn came(id: &str, path: TreePath) -> Error {
    let message = match path {
        TreePath::Entry(..) => format!("{id} asks a question that was not shown"),
        _ => format!("{id} was not there yet in the state that was shown"),
    };
    error(message, id)
}

fn error(message: String, id: &str) -> Error {
    Error::new(Code::Changed, message).hinted(Command::of("show").id(id))
}
