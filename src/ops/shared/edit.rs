//! One change applied to several issues, in one commit.

use schemars::JsonSchema;
use serde::Serialize;

use super::close::{close_finished_epics, names};
use super::next_ready::free;
use super::remote_claim::send_ends;
use crate::model::{Issue, Status, Uid, Writer};
use crate::ops::answer::{After, Answer, AnswerKind, Next, Summary};
use crate::ops::{Code, Command, Error, Result, Tracker, Tx};

/// What has changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Updated {
    /// The id of the first issue.
    pub id: String,
    /// The issues that were named.
    pub issues: Vec<Summary>,
    /// The fields that have other values now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// Epics that ended with their last child.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub auto_closed: Vec<String>,
    /// Whose work that has ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    #[serde(skip)]
    pub(crate) after: After,
}

impl Answer for Updated {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Updated
    }
    fn next(&self) -> Next {
        self.after.next()
    }
}

/// Runs a change over several issues in one commit. `edit` names the fields it has changed.
pub(crate) fn change(
    tracker: &Tracker,
    ids: &[String],
    verb: &str,
    mut edit: impl FnMut(&mut Tx<'_>, &mut Issue, &Writer) -> Result<Vec<&'static str>>,
) -> Result<Updated> {
    let updated = tracker.write(
        |tx| edit_all(tx, ids, verb, &mut edit),
        |Edited {
             uids,
             changed,
             auto_closed,
             remarks,
             is_aside,
         },
         view| {
            let issues = uids
                .iter()
                .map(|uid| Summary::of(view, *uid))
                .collect::<Result<Vec<_>>>()?;
            let auto_closed = auto_closed
                .iter()
                .map(|uid| view.id(*uid))
                .collect::<Result<_>>()?;
            let id = issues
                .first()
                .map(|issue| issue.id.clone())
                .unwrap_or_default();
            Ok(Updated {
                id,
                issues,
                changed,
                auto_closed,
                remarks,
                after: match is_aside {
                    true => free(view)?,
                    false => After::Changed,
                },
            })
        },
    )?;
    send_ends(tracker)?;
    Ok(updated)
}

/// The outcome of a change of several issues.
#[derive(Clone, Default)]
pub(crate) struct Edited {
    pub(crate) uids: Vec<Uid>,
    pub(crate) changed: Vec<String>,
    pub(crate) auto_closed: Vec<Uid>,
    pub(crate) remarks: Vec<String>,
    /// True if the caller is free for another issue.
    pub(crate) is_aside: bool,
}

/// Returns whether a change of status ends the work on an issue, or puts it aside, so that its caller is free for another.
pub(crate) fn is_put_aside(before: &Status, now: &Status) -> bool {
    match now {
        Status::Blocked | Status::Deferred => true,
        Status::Open => *before == Status::InProgress,
        now => now.is_done() && !before.is_done(),
    }
}

/// Runs a change over several issues within one commit.
pub(crate) fn edit_all(
    tx: &mut Tx<'_>,
    ids: &[String],
    verb: &str,
    mut edit: impl FnMut(&mut Tx<'_>, &mut Issue, &Writer) -> Result<Vec<&'static str>>,
) -> Result<Edited> {
    let Edited {
        mut uids,
        mut changed,
        mut auto_closed,
        mut is_aside,
        ..
    } = Edited::default();
    for id in ids {
        let uid = tx.find(id)?;
        if uids.contains(&uid) {
            continue;
        }
        let mut issue = tx.issue(uid)?;
        let writer = tx.writer(&issue)?;
        let before = issue.status();
        let fields = edit(tx, &mut issue, &writer)?;
        let ended = issue.status().is_done() && !before.is_done();
        is_aside |= issue.status() != before && is_put_aside(&before, &issue.status());
        // Staged first: the roll-up reads the status of this child.
        tx.put(issue);
        if ended {
            auto_closed.extend(close_finished_epics(tx, uid)?);
        }
        let new = fields
            .into_iter()
            .filter(|field| !changed.iter().any(|known| known == field))
            .map(str::to_owned);
        changed.extend(new.collect::<Vec<_>>());
        uids.push(uid);
    }
    // The caller may have set one that says more.
    if !tx.has_subject() {
        tx.subject(format!("{verb} {}{}", names(tx, &uids)?, list_of(&changed)));
    }
    Ok(Edited {
        uids,
        changed,
        auto_closed,
        remarks: tx.remarks.take(),
        is_aside,
    })
}

fn list_of(fields: &[String]) -> String {
    if fields.is_empty() {
        String::new()
    } else {
        format!(": {}", fields.join(", "))
    }
}

/// Refuses an issue that has ended.
pub(crate) fn alive(tx: &Tx<'_>, issue: &Issue) -> Result<()> {
    let id = issue.id();
    match tx.status(issue.uid())? {
        Status::Tombstone => Err(Error::deleted(id)),
        Status::Closed => Err(Error::new(Code::Closed, format!("{id} is closed"))
            .hinted(Command::of("reopen").id(id))),
        _ => Ok(()),
    }
}
