//! What the face asks of a repository.

use crate::desk::acts::{SentAct, exchange, perform_sent};
use crate::desk::drafts::{TextDraft, drafts, keep};
use crate::desk::feed::Question;
use crate::desk::own_keys::{OwnKeys, own_keys};
use crate::model::Uid;
use crate::ops::act::{Acted, perform_written};
use crate::ops::answer::Link;
use crate::ops::scene::board::{Board, BoardRequest, board};
use crate::ops::scene::change::{Change, change};
use crate::ops::scene::inbox::{Inbox, inbox};
use crate::ops::scene::issue::{IssueScene, issue};
use crate::ops::scene::named::{NamedIssue, found, ids};
use crate::ops::scene::rows::{Head, Rows, RowsRequest, rows};
use crate::ops::scene::words::{Words, words};
use crate::ops::shared::query::{SavedQuery, saved_queries};
use crate::ops::{Result, Tracker};

/// Open issues that are offered for a link.
const MOST_OFFERED: usize = 1000;

/// A question about a repository.
#[derive(Clone, Debug)]
pub(super) enum Ask {
    Inbox,
    Rows(RowsRequest),
    Board(BoardRequest),
    Issue(Uid),
    Change(Uid),
    Saved,
    Words,
    Links(Uid),
    OwnKeys,
    Drafts,
    Keep(TextDraft),
    /// Which words are ids of issues.
    Ids(Vec<String>),
    /// Which issues a text finds by id or title.
    Find(String),
    Act(SentAct),
    Sync,
    Write(WriteAsk),
}

/// What the user writes in the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// All fields of an issue.
    Fields,
    Comment,
    /// The parts that it is split into.
    Parts,
}

/// Lets the user write in the editor, and saves it; returns what was done, in words.
pub(crate) type Write = fn(&Tracker, Written, &str) -> Result<String>;

/// A text of an issue, by its id, that the user writes.
#[derive(Clone, Debug)]
pub(super) struct WriteAsk {
    pub(super) what: Written,
    pub(super) id: String,
    pub(super) write: Write,
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    Inbox(Box<Inbox>),
    Rows(Box<Rows>),
    Board(Board),
    Issue(Box<IssueScene>),
    Change(Box<Change>),
    Saved(Vec<SavedQuery>),
    Words(Words),
    Links(Links),
    OwnKeys(OwnKeys),
    Drafts(Vec<TextDraft>),
    Kept,
    Ids(Vec<(String, Uid)>),
    Found(Vec<NamedIssue>),
    Act(Box<Acted>),
    /// What an exchange has come to.
    Synced(String),
    Written(Box<Acted>),
}

/// The links of an issue, and what it can be linked with.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// The open issues, as those of a list.
    pub(super) others: Vec<Head>,
    /// What it depends on.
    pub(super) own: Vec<Link>,
}

impl Question for Ask {
    type Answer = Answer;

    fn is_act(&self) -> bool {
        matches!(self, Self::Act(_))
    }

    fn is_long(&self) -> bool {
        matches!(self, Self::Sync | Self::Write(_))
    }

    fn answer(&self, tracker: &Tracker) -> Result<Answer> {
        Ok(match self {
            Self::Inbox => Answer::Inbox(Box::new(inbox(tracker, false)?)),
            Self::Rows(request) => Answer::Rows(Box::new(rows(tracker, request)?)),
            Self::Board(request) => Answer::Board(board(tracker, request)?),
            Self::Issue(uid) => Answer::Issue(Box::new(issue(tracker, *uid)?)),
            Self::Change(uid) => Answer::Change(Box::new(change(tracker, *uid)?)),
            Self::Saved => Answer::Saved(saved_queries(tracker)),
            Self::Words => Answer::Words(words(tracker)?),
            Self::Links(uid) => Answer::Links(links(tracker, *uid)?),
            Self::OwnKeys => Answer::OwnKeys(own_keys(tracker.env())?),
            Self::Drafts => Answer::Drafts(drafts(tracker)),
            Self::Keep(draft) => {
                keep(tracker, draft)?;
                Answer::Kept
            }
            Self::Write(asked) => {
                let write = || (asked.write)(tracker, asked.what, &asked.id);
                Answer::Written(Box::new(perform_written(tracker, &asked.id, write)?))
            }
            Self::Sync => Answer::Synced(exchange(tracker)?),
            Self::Ids(words) => Answer::Ids(ids(tracker, words)?),
            Self::Find(text) => Answer::Found(found(tracker, text)?),
            Self::Act(asked) => Answer::Act(Box::new(perform_sent(tracker, asked)?)),
        })
    }
}

fn links(tracker: &Tracker, uid: Uid) -> Result<Links> {
    let request = RowsRequest {
        count: MOST_OFFERED,
        ..RowsRequest::default()
    };
    let mut others = rows(tracker, &request)?.heads;
    others.retain(|head| head.uid != uid);
    let own = issue(tracker, uid)?.issue.dependencies;
    Ok(Links { others, own })
}
