//! `watch`: what happens, as it happens: each operation that appears on the ref, by any author.
//!
//! An event is judged and shown by what its operation left, and judged by what was there before it: an issue that
//! leaves a filter is seen to do so, however much has happened since.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Condition, Fact, Order, PartialIndex, TimeColumn};
use crate::model::{Context, Party, Status, Uid, time};
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::news::{Said, said_by};
use crate::ops::shared::query::{Query, asked};
use crate::ops::shared::words::bad_date;
use crate::ops::tracker::{AGENT, clock_at};
use crate::ops::{Code, Command, Error, Result, Tracker, View};
use crate::store::{Before, Commit, Oid, Snapshot};

/// Issues of one operation that are judged at a time.
const AT_ONCE: usize = 500;

/// One operation that has appeared.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Event {
    /// Its commit.
    pub commit: String,
    /// When it was made.
    pub at: String,
    /// Who made it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub actor: String,
    /// The agent that acted for that person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What it did, in a line.
    pub subject: String,
    /// What it said: questions, answers, findings, decisions, comments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<Said>,
    /// The issues it changed, as it left them; none of an operation on very many, or of a merge.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Touched>,
    /// Why, where an agent said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
}

/// An issue that an operation changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Touched {
    /// Its id.
    pub id: String,
    /// Its title.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its status.
    pub status: String,
}

impl Event {
    /// Returns who acted: the person, or the agent as `person/agent`.
    pub(crate) fn party(&self) -> Party {
        Party {
            person: self.actor.clone(),
            agent: self.agent.clone(),
        }
    }
}

impl Answer for Event {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// A position in the history, and the query that is watched.
#[derive(Debug)]
pub(crate) struct Watch {
    /// None where all issues are watched.
    condition: Option<Condition>,
    /// Not changed for so long before an operation.
    stale: Option<String>,
    seen: Option<Oid>,
}

impl Watch {
    /// Begins with what comes after now, or after a revision.
    ///
    /// # Errors
    /// A word that is not in the field's vocabulary, or a revision that names no state.
    pub(crate) fn begin(
        tracker: &Tracker,
        query: &Query,
        stale: Option<&str>,
        since: Option<&str>,
    ) -> Result<Self> {
        tracker.read(|view| {
            if let Some(text) = stale.filter(|text| view.clock().past(text).is_none()) {
                return Err(bad_date(text));
            }
            let condition = asked(view, &query.tree)?;
            if condition.reads_texts() || condition.reads_operations() {
                let error =
                    Error::invalid("what is watched is chosen by fields, not by words or actor:");
                return Err(error.hinted(Command::of("watch")));
            }
            let seen = match since.map(|since| view.revision(since)) {
                None => Some(view.snapshot().commit()),
                Some(Ok(snapshot)) => Some(snapshot.commit()),
                // From before the first commit: all of the history is news.
                Some(Err(error)) if error.is(Code::NothingYet) => None,
                Some(Err(error)) => return Err(error),
            };
            Ok(Self {
                condition: (!query.is_plain() || stale.is_some()).then_some(condition),
                stale: stale.map(str::to_owned),
                seen,
            })
        })
    }

    /// Returns what has appeared since the last time, oldest first: operations on issues that the query lets through.
    pub(crate) fn news(&mut self, tracker: &Tracker) -> Result<Vec<Event>> {
        let (events, seen) = tracker.read(|view| {
            let tip = Some(view.snapshot().commit());
            // What was seen may be gone, with the whole history: then this is the beginning.
            let gone = match self.seen {
                Some(seen) => !tracker.store().is_commit(seen)?,
                None => false,
            };
            if tip == self.seen || gone {
                return Ok((Vec::new(), tip));
            }
            let mut events = Vec::new();
            let mut past = Previous {
                view,
                excerpt: view.index.partial()?,
                watch: self,
            };
            for commit in view.snapshot().history(self.seen)?.iter().rev() {
                events.extend(past.event(commit)?);
            }
            Ok((events, tip))
        })?;
        self.seen = seen;
        Ok(events)
    }
}

/// The issues of one operation after the other, as they were then.
struct Previous<'v, 't> {
    view: &'v View<'t>,
    excerpt: PartialIndex<'t>,
    watch: &'v Watch,
}

impl<'t> Previous<'_, 't> {
    fn event(&mut self, commit: &Commit) -> Result<Option<Event>> {
        let listed = commit.trailer("Issues").unwrap_or_default();
        let uids: Vec<Uid> = listed
            .split_whitespace()
            .filter_map(|uid| uid.parse().ok())
            .collect();
        if !self.is_wanted(commit, listed == "*", &uids)? {
            return Ok(None);
        }
        self.turn(self.view.snapshot().store().snapshot_at(commit.oid)?, &uids)?;
        let issues = uids
            .iter()
            .filter_map(|uid| self.touched(*uid).transpose())
            .collect::<Result<Vec<_>>>()?;
        // Of a purged issue not even the title is shown.
        let purged = issues.iter().any(|issue| issue.title.is_empty());
        let verb = commit.subject.split(':').next().unwrap_or_default();
        Ok(Some(Event {
            commit: commit.oid.to_string(),
            at: time::format(commit.at),
            actor: commit.trailer("Actor").unwrap_or_default().to_owned(),
            agent: commit.trailer(AGENT).map(str::to_owned),
            said: match purged {
                true => Vec::new(),
                false => said_by(self.view, commit, None)?,
            },
            subject: if purged {
                verb.to_owned()
            } else {
                commit.subject.clone()
            },
            context: Context::read(|key| commit.trailer(key)).filter(|_| !purged),
            issues,
        }))
    }

    /// Brings issues to a state; those that are purged by now show nothing of it.
    fn turn(&mut self, snapshot: Snapshot<'t>, uids: &[Uid]) -> Result<()> {
        let mut purged = Vec::new();
        for uid in uids {
            let row = self.view.index.row(*uid)?;
            purged.push(
                row.is_some_and(|row| row.status == Status::Tombstone && row.title.is_empty()),
            );
        }
        // Purged issues are taken from the present, where they have no text, all others from that time.
        for (state, hidden) in [(snapshot, false), (self.view.snapshot(), true)] {
            let some = uids
                .iter()
                .zip(&purged)
                .filter(|(_, purged)| **purged == hidden)
                .map(|(uid, _)| *uid);
            self.excerpt
                .move_to(state, &some.collect::<Vec<_>>(), &self.view.index)?;
        }
        Ok(())
    }

    /// Returns an issue as it is in the partial index. Of several that have an id, each keeps the name it has now.
    fn touched(&self, uid: Uid) -> Result<Option<Touched>> {
        let (then, now) = (self.excerpt.index(), &self.view.index);
        let Some(row) = then.row(uid)? else {
            return Ok(None);
        };
        // An id that two issues have is shown with its mark of the present, unless the issue was renamed since.
        let alias = if now.ids().bare_id_of(uid)? == then.ids().bare_id_of(uid)? {
            now.ids().id_of(uid)?
        } else {
            None
        };
        let status = row.status.as_str().to_owned();
        Ok(Some(Touched {
            id: alias.unwrap_or(row.id),
            title: row.title,
            status,
        }))
    }

    /// Returns true if the query lets an issue of an operation through, before or after it.
    fn is_wanted(&mut self, commit: &Commit, bulk: bool, listed: &[Uid]) -> Result<bool> {
        let Some(mut condition) = self.watch.condition.clone() else {
            return Ok(true);
        };
        if let Some(text) = &self.watch.stale
            && let Some(period) = clock_at(self.view.tracker.env(), commit.at).past(text)
        {
            let stale = Fact::Time(TimeColumn::Updated, None, Some(period.start));
            condition = condition.and(stale);
        }
        let wrote = if bulk {
            self.view.index.oplog().wrote(commit)?.into_iter().collect()
        } else {
            listed.to_vec()
        };
        let store = self.view.tracker.store();
        let mut states = vec![store.snapshot_at(commit.oid)?];
        match store.ancestry().before(commit)? {
            Before::Root => {}
            Before::States(before) => states.extend(before),
            // What an issue was before is not known: nothing says that it is not wanted.
            Before::Cut => return Ok(true),
        }
        for uids in wrote.chunks(AT_ONCE) {
            for state in &states {
                if self.lets_through(&condition, *state, uids)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn lets_through(&mut self, by: &Condition, state: Snapshot<'t>, uids: &[Uid]) -> Result<bool> {
        self.turn(state, uids)?;
        // An import can name a parent by its id.
        for part in by.parts() {
            if let Condition::Fact(Fact::Child(parent)) = part {
                self.turn(state, &[*parent])?;
            }
        }
        let then = self.excerpt.index();
        let rows = uids.iter().filter_map(|uid| then.row(*uid).transpose());
        let nums = rows
            .map(|row| row.map(|row| row.num))
            .collect::<Result<_, _>>()?;
        let touched = by.clone().and(Fact::Row(nums));
        Ok(!then.first(&touched, Order::Id, 1, 0)?.is_empty())
    }
}
