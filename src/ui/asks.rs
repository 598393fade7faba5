//! What the face asks of a repository.

use serde_json::Value;

use crate::desk::feed::Question;
use crate::model::Uid;
use crate::ops::act::{Acted, perform};
use crate::ops::scene::board::{Board, BoardRequest, board};
use crate::ops::scene::change::{Change, change};
use crate::ops::scene::inbox::{Inbox, inbox};
use crate::ops::scene::issue::{IssueScene, issue};
use crate::ops::scene::rows::{Rows, RowsRequest, rows};
use crate::ops::scene::words::{Words, words};
use crate::ops::shared::query::{SavedQuery, saved_queries};
use crate::ops::{Error, Result, Tracker};

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
    Act(ActAsk),
}

/// An act, as JSON, and the commits of this face, which it may follow unseen.
#[derive(Clone, Debug)]
pub(super) struct ActAsk {
    pub(super) act: Value,
    pub(super) mine: Vec<String>,
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
    Act(Box<Acted>),
}

impl Question for Ask {
    type Answer = Answer;

    fn is_act(&self) -> bool {
        matches!(self, Self::Act(_))
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
            Self::Act(asked) => Answer::Act(Box::new(acted(tracker, asked)?)),
        })
    }
}

fn acted(tracker: &Tracker, asked: &ActAsk) -> Result<Acted> {
    let request = serde_json::from_value(asked.act.clone());
    let request = request.map_err(|error| Error::invalid(error.to_string()))?;
    perform(tracker, &request, &asked.mine)
}
