//! Conditions on issues as a tree: every choice of issues is one.

use super::expression::Expression;
use crate::model::query::Grouping;
use crate::model::status::IN_PROGRESS;
use crate::model::{Field, Party, Uid};

/// A condition on an issue.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    /// All of them; none lets everything through.
    All(Vec<Self>),
    /// Any of them; none lets nothing through.
    Any(Vec<Self>),
    Not(Box<Self>),
    Fact(Fact),
}

/// One fact about an issue. Times are in milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fact {
    /// Neither closed nor deleted.
    Open,
    /// Not deleted.
    Kept,
    /// Closed or deleted.
    Done,
    Deleted,
    /// It can be started at this time.
    Ready(u64),
    /// The same, or it is an epic whose children can be.
    ReadyOrRollUp(u64),
    Blocked,
    /// It can't be started at this time, and waits for no other issue.
    Held(u64),
    /// An epic whose children have all ended.
    Finished,
    /// It waits for a person.
    ForAPerson,
    /// It waits for a person, or asks one; with the names of the agents that are known.
    Waiting(Vec<String>),
    /// It asks a question that this party can answer.
    Asks(Party),
    /// Closed by an agent since this time and not accepted, or open with the label that asks for a review.
    ToReview(u64),
    /// It has values that were written at the same time.
    Conflicted,
    /// Put off at this time.
    Deferred(u64),
    /// In progress, and not changed since this time.
    Stale(u64),
    /// Open, and due before this time.
    Overdue(u64),
    Status(String),
    /// A type, in any case.
    Kind(String),
    /// It is followed in another tracker whose address has this text, in lower case.
    Source(String),
    /// From one priority to another, both included.
    Priority(i64, i64),
    Label(Pattern),
    AnyLabel(Vec<String>),
    /// A part of its title, in any case.
    TitlePart(String),
    Assignee(Pattern),
    Unassigned,
    /// No one else is assigned to it.
    FreeFor(String),
    /// It can be handed to this agent: it neither waits for a person nor asks anyone else.
    HandedTo(Party),
    Author(Pattern),
    /// Somebody who changed it.
    Actor(String),
    /// In progress by this person or agent.
    Holder(Party),
    /// In progress by an agent of this name.
    Agent(String),
    /// A direct child of the issue.
    Child(Uid),
    /// A child of the issue, on any level.
    Below(Uid),
    /// It waits or waited for the issue.
    WaitsFor(Uid),
    /// The issue waits or waited for it.
    Blocks(Uid),
    Is(Uid),
    /// Its id begins so.
    IdBegins(String),
    /// A time that is there, from one (included) to another (not included).
    Time(TimeColumn, Option<u64>, Option<u64>),
    /// Texts that match.
    Matches(Expression),
    /// It has this value of what issues are put together by, or none.
    Group(Grouping, Option<String>),
    /// One of these rows.
    Row(Vec<i64>),
    Has(Property),
}

/// A value, or what it begins with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    pub(crate) is_beginning: bool,
}

impl From<&String> for Pattern {
    fn from(text: &String) -> Self {
        Self {
            text: text.clone(),
            is_beginning: false,
        }
    }
}

/// A time of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeColumn {
    Created,
    Updated,
    Closed,
    Due,
}

/// What an issue can be without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    Assignee,
    Label,
    Parent,
    Due,
    Links,
    Memory,
    Text(Field),
}

impl From<Fact> for Condition {
    fn from(fact: Fact) -> Self {
        Self::Fact(fact)
    }
}

impl Condition {
    /// Returns the condition that lets everything through, deleted issues too.
    pub(crate) const fn everything() -> Self {
        Self::All(Vec::new())
    }

    /// Returns the condition for issues in progress.
    pub(crate) fn in_progress() -> Self {
        Fact::Status(IN_PROGRESS.to_owned()).into()
    }

    /// Returns the condition that both hold, as one list.
    pub(crate) fn and(self, other: impl Into<Self>) -> Self {
        let mut all = Vec::new();
        for one in [self, other.into()] {
            match one {
                Self::All(parts) => all.extend(parts),
                one => all.push(one),
            }
        }
        Self::All(all)
    }

    /// Narrows the condition to the ready queue. An epic with children is in it only where it is asked for by type.
    pub(crate) fn ready(self, now: u64) -> Self {
        let asks_for_epics = self.parts().iter().any(Self::is_about_epics);
        self.and(match asks_for_epics {
            true => Fact::ReadyOrRollUp(now),
            false => Fact::Ready(now),
        })
    }

    /// Returns the list of what must all hold.
    pub(crate) fn parts(&self) -> &[Self] {
        match self {
            Self::All(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }

    fn is_about_epics(&self) -> bool {
        match self {
            Self::Any(parts) => parts.iter().any(Self::is_about_epics),
            Self::Fact(Fact::Kind(kind)) => kind.eq_ignore_ascii_case("epic"),
            _ => false,
        }
    }

    /// Returns whether any fact of it is asked of the text index.
    pub(crate) fn reads_texts(&self) -> bool {
        self.any(&|fact| matches!(fact, Fact::Matches(_)))
    }

    /// Returns whether any fact of it is asked of the operations.
    pub(crate) fn reads_operations(&self) -> bool {
        self.any(&|fact| matches!(fact, Fact::Actor(_)))
    }

    fn any(&self, holds: &impl Fn(&Fact) -> bool) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.any(holds)),
            Self::Not(inner) => inner.any(holds),
            Self::Fact(fact) => holds(fact),
        }
    }
}
