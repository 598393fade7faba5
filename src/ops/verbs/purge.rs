//! `purge`: leaked text out of the current tree, for good.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::Wanted;
use crate::ops::answer::{Answer, Kind};
use crate::ops::{Result, Tracker};

/// What was purged.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Purged {
    /// The issue.
    pub id: String,
    /// Entries of memory that went with it.
    pub memory: usize,
    /// Commits of the history that still hold the text.
    pub held_by: usize,
}

impl Answer for Purged {
    fn kind(&self) -> Kind {
        Kind::Report
    }
}

/// Replaces an issue and its memory by marks that absorb every merge. It can't be undone; the history,
/// here and in every clone, still holds what was there.
///
/// # Errors
/// Not found.
pub fn purge(tracker: &Tracker, id: &str) -> Result<Purged> {
    let purged = tracker.write(
        |tx| {
            let uid = tx.find(id)?;
            let mut issue = tx.view.issue_to_write(uid)?;
            let writer = tx.writer(&issue)?;
            let entries = tx.view.snapshot().memory(uid)?.0;
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
            let held_by = view
                .index
                .operations(&Wanted {
                    issue: Some(uid),
                    ..Wanted::default()
                })?
                .len()
                .saturating_sub(1);
            Ok(Purged {
                id,
                memory,
                held_by,
            })
        },
    )?;
    tracker.store().clear_journal()?;
    Ok(purged)
}
