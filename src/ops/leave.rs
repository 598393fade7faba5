//! `uninstall`: takes out of a repository what was put into it. The issues themselves stay, unless asked for.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::view::{Answer, Kind};
use super::{Result, Tracker};
use crate::index::{Filter, Order};
use crate::store::Oid;

/// What goes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leave {
    /// The refs too, with all issues.
    pub purge_ref: bool,
    /// Say what would go.
    pub dry_run: bool,
}

/// What went, and what stays.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Left {
    /// What was taken out, a line each.
    pub removed: Vec<String>,
    /// What is left, here and elsewhere, a line each.
    pub remains: Vec<String>,
    /// Whether nothing was changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl Answer for Left {
    fn kind(&self) -> Kind {
        Kind::Report
    }
}

/// What the refs of a repository hold.
#[derive(Clone, Debug)]
pub struct Holdings {
    refs: Vec<(String, Oid)>,
    /// The same in words: how many issues, and how many commits no remote is known to have.
    pub said: Vec<String>,
}

/// Tells what `purge_ref` would remove.
///
/// # Errors
/// Refs or a store that can't be read.
pub fn holdings(tracker: &Tracker) -> Result<Holdings> {
    let store = tracker.store();
    let refs = store.own_refs()?;
    let mut said = Vec::new();
    if let Some(tip) = store.tip()? {
        let issues = tracker.read(|view| {
            let all = Filter { done: true, deleted: true, ..Filter::default() };
            Ok(view.index.page(&all, Order::Priority, 1, 0)?.total)
        })?;
        let mut alone = store.snapshot_at(tip)?.history(None)?.len();
        for remote in store.remotes() {
            if let Some(theirs) = store.remote_tip(&remote)? {
                alone = alone.min(store.ahead_behind(tip, theirs)?.0);
            }
        }
        said.push(format!("refs/beads/main at {tip}: {issues} issues"));
        said.push(match alone {
            0 => "a remote has all of it".to_owned(),
            n => format!("{n} of its commits are on no remote"),
        });
        said.push(format!("to bring it back while git keeps the objects: git update-ref refs/beads/main {tip}"));
    }
    Ok(Holdings { refs, said })
}

/// Takes out configuration, refspecs, index and journal; the refs where that is asked for.
///
/// # Errors
/// What can't be written; what was taken out before that stays out.
pub fn leave(tracker: &Tracker, request: Leave) -> Result<Left> {
    let store = tracker.store();
    let mut left = Left { dry_run: request.dry_run, ..Left::default() };
    let (keys, refspecs) = (store.own_keys()?, store.own_refspecs());
    let held = holdings(tracker)?;
    left.removed.extend(keys.iter().map(|key| format!("configuration: {key}")));
    left.removed.extend(refspecs.iter().map(|(key, value)| format!("configuration: {key} {value}")));
    if request.purge_ref {
        left.removed.extend(held.refs.iter().map(|(name, oid)| format!("ref: {name} ({oid})")));
    } else {
        left.remains.extend(held.refs.iter().map(|(name, _)| format!("ref: {name}")));
    }
    if store.folder().exists() {
        left.removed.push(format!("folder: {}", store.folder().display()));
    }
    left.remains.extend(elsewhere(tracker));
    if request.dry_run {
        return Ok(left);
    }
    store.unset(&keys, &refspecs)?;
    if request.purge_ref {
        store.remove_refs(&held.refs)?;
    }
    let kept = store.remove_folder()?;
    left.remains.extend(kept.iter().map(|path| format!("kept of damaged files: {}", path.display())));
    Ok(left)
}

/// What is in other places.
fn elsewhere(tracker: &Tracker) -> Vec<String> {
    let store = tracker.store();
    let remotes: BTreeSet<String> =
        store.remotes().into_iter().filter(|remote| store.remote_tip(remote).ok().flatten().is_some()).collect();
    let mut said: Vec<String> = remotes.iter().map(|remote| format!("the issues at the remote {remote}")).collect();
    said.push("other clones, with their own refs and hooks".to_owned());
    if let Some(program) = crate::env::program() {
        said.push(format!("the program: {}", program.display()));
    }
    said
}
