//! `purge`: leaked text out of the current tree, for good.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Index, OpFilter};
use crate::model::Uid;
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::{Code, Command, Error, Result, Tracker, View};
use crate::store::own_files::FileKind;

/// What was purged.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Purged {
    /// The issue.
    pub id: String,
    /// Entries of memory that went with it.
    pub memory: usize,
    /// Commits of the history that still hold the text.
    pub held_by: usize,
    /// Files of ours that held, or can hold, the text: what became of each.
    pub files: Vec<String>,
    /// Whether nothing was changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl Answer for Purged {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Says what [`purge`] would do, and changes nothing.
pub(crate) fn plan(tracker: &Tracker, id: &str) -> Result<Purged> {
    check_nothing_left_out(tracker)?;
    let files = files(tracker)?;
    tracker.read(|view| {
        let uid = view.find(id)?;
        Ok(Purged {
            id: view.id(uid)?,
            memory: view.snapshot().memory(uid)?.0.len(),
            held_by: holding(view, uid)?,
            files: files.clone(),
            dry_run: true,
        })
    })
}

/// Refuses to clear journals that may hold the last copy of what the ref lacks. What can't be merged stops nothing: it
/// holds the text as well.
fn check_nothing_left_out(tracker: &Tracker) -> Result<()> {
    let left_out = tracker.store().set_back().all_left_out()?;
    let Some(left) = left_out.iter().find(|left| left.can_be_merged()) else {
        return Ok(());
    };
    let message = format!(
        "refs/beads/main lacks what {} has, and a purge would remove the copy of it that is left",
        left.tip
    );
    Err(Error::new(Code::LeftOut, message).hinted(Command::of("doctor").flag("--fix")))
}

/// A purge that left text behind would be none.
fn cant_read(id: &str, count: usize) -> Error {
    let message = format!(
        "{count} of the entries of {id} can't be read here, so their text would stay: nothing was purged"
    );
    Error::new(Code::Unreadable, message).hinted(Command::of("doctor"))
}

/// The files below `.git/beads` that can hold text of issues, each with what a purge does to it.
fn files(tracker: &Tracker) -> Result<Vec<String>> {
    let files = tracker.store().own_files()?.into_iter();
    let cleared = files.filter(|file| file.kind.holds_text()).map(|file| {
        let what = match file.kind {
            FileKind::Journal => "packed and begun again",
            FileKind::Index => "rewritten, or removed",
            FileKind::Agents => "notices removed",
            _ => "removed",
        };
        format!("{}: {what}", file.path.display())
    });
    Ok(cleared.collect())
}

/// Returns the number of commits of the history that hold an issue.
fn holding(view: &View<'_>, uid: Uid) -> Result<usize> {
    let wanted = OpFilter::of(uid);
    Ok(view.index.oplog().operations(&wanted)?.len())
}

/// Replaces an issue and its memory by marks that absorb every merge. It can't be undone; the history,
/// here and in every clone, still holds what was there.
pub(crate) fn purge(tracker: &Tracker, id: &str) -> Result<Purged> {
    check_nothing_left_out(tracker)?;
    let files = files(tracker)?;
    let purged = tracker.write(
        |tx| {
            let uid = tx.find(id)?;
            // Not `tx.issue`, which refuses what was purged: a purge may be done again, for the files.
            let mut issue = tx.view.issue_to_write(uid)?;
            let writer = tx.writer(&issue)?;
            let (entries, unreadable) = tx.view.snapshot().memory(uid)?;
            if unreadable > 0 {
                return Err(cant_read(issue.id(), unreadable));
            }
            let memory = entries.len();
            for mut entry in entries {
                entry.blob_mut().purge(writer.at);
                tx.put_memory(uid, entry);
            }
            let id = issue.id().to_owned();
            if !issue.is_purged() {
                issue.blob_mut().purge(writer.at);
            }
            tx.subject(format!("purge {id}"));
            tx.put(issue);
            Ok((uid, id, memory))
        },
        |(uid, id, memory), view| {
            // The purge itself holds nothing of it.
            let held_by = holding(view, uid)?.saturating_sub(1);
            Ok(Purged {
                id,
                memory,
                held_by,
                files: files.clone(),
                dry_run: false,
            })
        },
    )?;
    // After the commit: a kill in between leaves text that the next purge of the issue removes.
    tracker.store().clear_text()?;
    Index::clear_purged(tracker.store())?;
    Ok(purged)
}
