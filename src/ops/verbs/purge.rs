//! `purge`: leaked text out of the current tree, for good, and out of the commits that were sent to no one.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Index, OpFilter};
use crate::model::Uid;
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::{Code, Command, Error, Result, Tracker, View};
use crate::store::own_files::FileKind;
use crate::store::{self, ExchangeLock, Rewriting};

/// What was purged.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Purged {
    /// The issue.
    pub id: String,
    /// Entries of memory that went with it.
    pub memory: usize,
    /// Commits of the history that still hold the text: it has left this clone, or may have.
    pub held_by: usize,
    /// Commits that were sent to no one, and that are rewritten without it.
    pub rewritten: usize,
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
        let rewritten = unsent(view, uid)?.map_or(0, |unsent| unsent.commits.len());
        Ok(Purged {
            id: view.id(uid)?,
            memory: view.snapshot().memory(uid)?.0.len(),
            held_by: match rewritten {
                0 => holding(view, uid)?,
                _ => 0,
            },
            rewritten,
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

/// Returns the commits that hold an issue, where all of them can be rewritten; none once it is purged and none of them has its
/// text.
fn unsent(view: &View<'_>, uid: Uid) -> Result<Option<Rewriting>> {
    match view.issue(uid)?.is_purged() && holding(view, uid)? == 0 {
        true => Ok(None),
        false => Ok(store::unsent(view.snapshot(), uid)?),
    }
}

/// Returns the number of operations of the history that hold the text of an issue.
fn holding(view: &View<'_>, uid: Uid) -> Result<usize> {
    let mut held_by = 0;
    for operation in view.index.oplog().operations(&OpFilter::of(uid))? {
        let state = view.tracker.store().snapshot_at(operation.commit)?;
        // What can't be read may hold it too.
        let is_held = match state.issue(uid)? {
            Some(Ok(issue)) => !issue.is_purged(),
            Some(Err(_)) => true,
            None => false,
        };
        held_by += usize::from(is_held);
    }
    Ok(held_by)
}

/// Replaces an issue and its memory by marks that absorb every merge. It can't be undone. Where no one else is known to have
/// a commit that holds it, these commits are rewritten without it; else the history, here and in every clone, still
/// holds what was there.
pub(crate) fn purge(tracker: &Tracker, id: &str) -> Result<Purged> {
    // What is being sent at this moment would be neither sent nor unsent.
    let _alone = ExchangeLock::take(tracker.store(), tracker.cancel())?;
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
                if entry.is_redacted() {
                    continue;
                }
                entry.blob_mut().purge(writer.at);
                tx.put_memory(uid, entry);
            }
            let id = issue.id().to_owned();
            tx.rewriting = unsent(&tx.view, uid)?;
            let rewritten = tx.rewriting.as_ref().map_or(0, |it| it.commits.len());
            // Old commits of a purged one can come back: a new mark has them rewritten.
            if !issue.is_purged() || rewritten > 0 {
                issue.blob_mut().purge(writer.at);
            }
            tx.subject(format!("purge {id}"));
            tx.put(issue);
            Ok((uid, id, memory, rewritten))
        },
        |(uid, id, memory, rewritten), view| {
            Ok(Purged {
                id,
                memory,
                held_by: holding(view, uid)?,
                rewritten,
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
