//! `uninstall`: takes out of a repository what was put into it. The issues themselves stay, unless asked for.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Condition, Order};
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::{Code, Command, Error, Result, Tracker};
use crate::store::push_url::sent_tip;
use crate::store::{Oid, Store};

/// What was taken out, and what stays.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Uninstalled {
    /// What was taken out, a line each.
    pub removed: Vec<String>,
    /// What is left, here and elsewhere, a line each.
    pub remains: Vec<String>,
    /// Whether nothing was changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl Answer for Uninstalled {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// The contents of the refs of a repository.
#[derive(Clone, Debug)]
pub(crate) struct Holdings {
    refs: Vec<(String, Oid)>,
    /// The same in words: how many issues, and how many commits no remote is known to have.
    pub said: Vec<String>,
}

/// Returns what [`purge`] would remove; what can't be read is named too.
pub(crate) fn holdings(tracker: &Tracker) -> Result<Holdings> {
    let store = tracker.store();
    let mut said = Vec::new();
    match store.tip() {
        Ok(None) => {}
        Ok(Some(tip)) => {
            let issues =
                issues(tracker).map_or_else(|error| error.message, |n| format!("{n} issues"));
            said.push(format!("refs/beads/main at {tip}: {issues}"));
            said.push(match alone(store, tip) {
                Ok(0) => "a remote has all of it".to_owned(),
                Ok(n) => format!("{n} of its commits are on no remote"),
                Err(error) => format!(
                    "how much of it remotes have can't be determined: {}",
                    error.message
                ),
            });
            let restore = Command::line("git update-ref refs/beads/main").word(tip);
            said.push(format!(
                "to bring it back while git keeps the objects: {restore}"
            ));
        }
        Err(error) => said.push(error.to_string()),
    }
    Ok(Holdings {
        refs: store.uninstall().own_refs()?,
        said,
    })
}

fn issues(tracker: &Tracker) -> Result<u64> {
    let all = Condition::everything();
    tracker.read(|view| Ok(view.index.page(&all, Order::Priority, 1, 0)?.total))
}

/// Returns how many operations no remote is known to have.
fn alone(store: &Store, tip: Oid) -> Result<usize> {
    let mut alone = store.snapshot_at(tip)?.operations()?;
    for remote in store.remotes().names() {
        let sent = sent_tip(store, &remote)?;
        // What a remote was sent may have been removed here by git since.
        if let Some(theirs) = sent.filter(|tip| store.is_commit(*tip).unwrap_or(false)) {
            alone = alone.min(store.ancestry().distance(tip, theirs)?.ahead);
        }
    }
    Ok(alone)
}

/// Removes the refs, with all issues, if they are still as they were shown: they stay where another process has
/// written meanwhile.
pub(crate) fn purge(tracker: &Tracker, held: &Holdings, left: &mut Uninstalled) -> Result<()> {
    if !left.dry_run {
        tracker.store().fsck().set_broken_remote_refs_aside()?;
        tracker
            .store()
            .uninstall()
            .remove_refs(&held.refs)
            .map_err(|error| {
                let message = format!("the refs have moved since, and the issues stay: {error}");
                Error::new(Code::Moved, message)
                    .hinted(Command::of("uninstall").flag("--purge-ref"))
            })?;
    }
    left.removed.extend(
        held.refs
            .iter()
            .map(|(name, oid)| format!("ref: {name} ({oid})")),
    );
    Ok(())
}

/// Takes out configuration and refspecs. What was taken out before an error stays out.
pub(crate) fn configuration(tracker: &Tracker, left: &mut Uninstalled) -> Result<()> {
    let store = tracker.store();
    let (keys, refspecs) = (
        store.uninstall().own_keys()?,
        store.uninstall().own_refspecs(),
    );
    if !left.dry_run {
        store.uninstall().unset(&keys, &refspecs)?;
    }
    left.removed
        .extend(keys.iter().map(|key| format!("configuration: {key}")));
    left.removed.extend(
        refspecs
            .iter()
            .map(|(key, value)| format!("configuration: {key} {value}")),
    );
    Ok(())
}

/// Takes out the folder with index and journal.
pub(crate) fn folder(tracker: &Tracker, left: &mut Uninstalled) -> Result<()> {
    let store = tracker.store();
    // A link in its place belongs to a person: it is not followed.
    if std::fs::symlink_metadata(store.folder()).is_ok_and(|meta| meta.is_dir()) {
        let kept = if left.dry_run {
            let files = store.own_files()?.into_iter();
            let kept = files.filter(|file| file.kind.is_left());
            kept.map(|file| file.path).collect()
        } else {
            store.uninstall().remove_folder()?
        };
        left.removed
            .push(format!("folder: {}", store.folder().display()));
        left.remains
            .extend(kept.iter().map(|path| format!("kept: {}", path.display())));
    }
    Ok(())
}

/// Returns what remains here and in other places.
pub(crate) fn remains(tracker: &Tracker, left: &mut Uninstalled) -> Result<()> {
    let store = tracker.store();
    let gone = |name: &str| {
        left.removed
            .iter()
            .any(|line| line.starts_with(&format!("ref: {name} (")))
    };
    let refs = store
        .uninstall()
        .own_refs()?
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| !gone(name));
    let mut said: Vec<String> = refs.map(|name| format!("ref: {name}")).collect();
    said.extend(
        store
            .uninstall()
            .foreign_keys()?
            .iter()
            .map(|key| format!("configuration: {}", key.replace('\t', " "))),
    );
    let trees = store.uninstall().other_work_trees();
    said.extend(trees.iter().map(|tree| {
        format!(
            "the work tree {}, with files of agents of its own",
            tree.display()
        )
    }));
    let known = store
        .remotes()
        .names()
        .into_iter()
        .filter(|remote| store.remotes().remote_tip(remote).ok().flatten().is_some());
    said.extend(known.map(|remote| format!("the issues at the remote {remote}")));
    said.push("other clones, with their own refs and hooks".to_owned());
    said.extend(
        store
            .env()
            .program()
            .map(|program| format!("the program: {}", program.display())),
    );
    left.remains.extend(said);
    Ok(())
}
