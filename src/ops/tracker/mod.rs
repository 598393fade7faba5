//! An opened store with its index: the one way operations read and write.

mod absence;
mod claim_policy;
mod cloned;
mod find;
mod first_change;
mod from_snapshot;
mod message;
mod read;
mod repair;
mod repository;
mod view;
mod write;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::str::FromStr;

use self::first_change::FirstChange;
use super::caller::Caller;
use super::{ActingAgent, Result};
use crate::env::Env;
use crate::env::agent::nearest_client;
use crate::index::{IdleIndex, Index};
use crate::model::{Party, Stamp, Uid, time};
use crate::ops::{Command, digest};
use crate::platform::Process;
use crate::store::agents::AgentRecord;
use crate::store::notices::{self, NoticeWatch};
use crate::store::{Cancel, Location, Oid, Store};

pub(crate) use absence::{Absence, parse_lease};
pub(in crate::ops) use absence::{LEAST_SILENCE, last_written};
pub(crate) use claim_policy::ClaimPolicy;
pub(in crate::ops) use cloned::{is_brought_along, note_branch};
pub(in crate::ops) use from_snapshot::begin_from_snapshot;
pub(in crate::ops) use message::{AGENT, UPHELD, YIELD};
pub(crate) use view::{View, clock_at};

/// Days, unless `beads.stale` says otherwise.
const STALE: u64 = 14;

/// Finds a store that is not here, and takes it over; returns false where there is none.
pub(in crate::ops) type StoreFinder = fn(&Tracker) -> bool;

/// A repository, and who works on it.
pub struct Tracker {
    store: Store,
    /// The repository at a state that the journal has and no one could apply, once it was looked for.
    unapplied: OnceCell<Option<Unapplied>>,
    caller: Caller,
    /// Asked where git has brought no store along.
    finder: StoreFinder,
    clock: StampClock,
    idle: IdleSlot,
    warnings: Warnings,
    /// The issues of whose work this process has written something, and the stamps of that.
    written_work: RefCell<BTreeMap<Uid, Stamp>>,
    /// The issues that changes have opened again because nothing holds them up any more.
    unblocked: RefCell<Vec<String>>,
    /// What is asked of the next change.
    first_change: RefCell<FirstChange>,
}

/// A state that the journal has, and that no one could apply.
struct Unapplied {
    /// The commit of the ref beside it.
    beside: Oid,
    /// The repository at that state.
    store: Store,
}

/// The logical clock of this process: no stamp comes twice. A cell, since operations share the tracker and each stamp
/// follows the one before.
#[derive(Clone, Default)]
struct StampClock(Cell<Stamp>);

impl StampClock {
    /// Returns a stamp after all that this process made and after `seen`.
    fn after(&self, seen: Stamp, millis: u64, random: u128) -> Stamp {
        let stamp = Stamp::after(seen.max(self.0.get()), millis, random);
        self.0.set(stamp);
        stamp
    }
}

/// A connection to the index between two questions. A cell, since a question takes it out and puts it back.
#[derive(Default)]
struct IdleSlot(Cell<Option<IdleIndex>>);

/// Warnings for the user, next to the answer. Cells that are only appended to, since reading warns too.
#[derive(Default)]
struct Warnings {
    texts: RefCell<Vec<String>>,
    /// True once something was said that stays as it is.
    is_said: Cell<bool>,
    /// Tips that the ref was found to lack.
    lacked: RefCell<Vec<Oid>>,
}

impl Warnings {
    /// Returns an empty list that does not repeat what was said once.
    fn begin_again(&self) -> Self {
        Self {
            is_said: self.is_said.clone(),
            ..Self::default()
        }
    }

    fn push(&self, text: String) {
        let mut said = self.texts.borrow_mut();
        // What is tried again after a repair says it again.
        if !said.contains(&text) {
            said.push(text);
        }
    }

    /// Warns of what stays as it is as long as the process runs.
    fn once(&self, text: &str) {
        if !self.is_said.replace(true) {
            self.push(text.to_owned());
        }
    }
}

impl Tracker {
    /// Opens the repository that encloses a location; `actor` is what the command line says, `finder` looks for a store where
    /// git has brought none along.
    ///
    /// # Errors
    /// No repository, or one that must not be used.
    pub(super) fn open(
        location: &Location,
        actor: Option<&str>,
        finder: StoreFinder,
    ) -> Result<Self> {
        let store = Store::discover(location)?;
        let caller = Caller::new(&store, actor);
        let (clock, idle, warnings, written_work) = Default::default();
        Ok(Self {
            store,
            unapplied: OnceCell::new(),
            caller,
            finder,
            clock,
            idle,
            warnings,
            written_work,
            unblocked: RefCell::default(),
            first_change: RefCell::default(),
        })
    }

    /// The same, on the repository opened again.
    pub(super) fn reopened(&self) -> Result<Self> {
        let store = self.store.reopened()?;
        Ok(Self {
            store,
            unapplied: OnceCell::new(),
            caller: self.caller.clone(),
            finder: self.finder,
            // The clock goes on, so no stamp of this process comes twice.
            clock: self.clock.clone(),
            idle: IdleSlot::default(),
            warnings: self.warnings.begin_again(),
            written_work: RefCell::default(),
            unblocked: RefCell::default(),
            first_change: RefCell::default(),
        })
    }

    /// The caller that the next operations work for.
    pub(crate) fn caller(&mut self) -> &mut Caller {
        &mut self.caller
    }

    /// Returns the flag that ends the wait for other writers.
    pub(super) fn cancel(&self) -> &Cancel {
        &self.caller.cancel
    }

    /// The repository.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The environment of the command.
    pub(crate) fn env(&self) -> &Env {
        self.store.env()
    }

    /// Returns the name of the actor.
    pub(crate) fn actor(&self) -> &str {
        // A commit needs a name even where none is configured; writing warns of it once.
        self.caller.actor().unwrap_or("unknown")
    }

    /// Returns the agent that acts; none where a person does.
    pub(crate) fn agent(&self) -> Option<&ActingAgent> {
        self.caller.agent(&self.store)
    }

    /// Returns who acts: the person, and the agent that works for them.
    pub(crate) fn party(&self) -> Party {
        Party {
            person: self.actor().to_owned(),
            agent: self.agent().map(|agent| agent.name.clone()),
        }
    }

    /// Notes the agents that this process speaks for as a server.
    pub(crate) fn note_server(&self, agents: &BTreeSet<String>) {
        if let Some(process) = Process::own() {
            self.store.agents().note_server(agents.clone(), &process);
        }
    }

    /// Returns whether another server that runs speaks for the calling agent too.
    pub(crate) fn has_other_server(&self) -> bool {
        match (self.agent(), Process::own()) {
            (Some(agent), Some(own)) => self.store.agents().has_other_server(&agent.name, &own),
            _ => false,
        }
    }

    /// Returns whether the issue of a call is the caller's by its name alone: another server that runs has begun it.
    pub(crate) fn is_beside(&self) -> bool {
        self.caller.is_beside
    }

    /// Returns the issues of whose work something was written since that was taken last.
    pub(crate) fn worked(&self) -> Vec<Uid> {
        self.written_work.borrow().keys().copied().collect()
    }

    /// Returns whether the caller has given no name, and counts as the part of its session that works on the issue.
    pub(crate) fn is_recalled(&self) -> bool {
        self.caller.is_recalled()
    }

    /// Returns whether the caller takes issues from others that work on them.
    pub(in crate::ops) fn is_forced(&self) -> bool {
        self.caller.force
    }

    /// Returns the warnings for the user, and empties the list.
    pub(crate) fn take_warnings(&self) -> Vec<String> {
        let mut texts = self.warnings.texts.take();
        // Asked at the end: the operation may have brought back what the ref lacked, as a sync does.
        texts.extend(self.lacked_warning(&self.warnings.lacked.take()));
        texts
    }

    /// Notes that the calling agent is at work here.
    pub(crate) fn note_activity(&self) {
        if let Some(agent) = self.agent() {
            let describe = || self.described(agent);
            self.store.agents().note_activity(&agent.name, describe);
        }
    }

    /// Notes whether the calling agent takes whatever is next, of all issues.
    pub(crate) fn note_queue(&self, queue: bool) {
        if let Some(agent) = self.agent() {
            let describe = || self.described(agent);
            self.store.agents().note_queue(&agent.name, queue, describe);
        }
    }

    /// Returns whether the calling agent takes whatever is next, so that it goes on after the last issue of an epic.
    pub(crate) fn takes_next(&self) -> bool {
        let agent = self.agent();
        agent.is_some_and(|agent| self.store.agents().takes_next(&agent.name))
    }

    fn described(&self, agent: &ActingAgent) -> AgentRecord {
        let process = agent.client_process(self.env());
        AgentRecord::new(self.env(), self.actor(), &agent.name, process)
    }

    /// Notes that a session of the calling agent begins: from now on the process of its client speaks for it.
    pub(crate) fn note_session(&self) {
        if let (Some(agent), Some(process)) = (self.agent(), nearest_client(self.env())) {
            let agents = self.store.agents();
            // Written however short ago the last activity was: the session can have ended and begun again in between.
            let record = AgentRecord::new(self.env(), self.actor(), &agent.name, Some(process));
            agents.note_presence(&agent.name, record);
            agents.note_session(&agent.name, process);
        }
    }

    /// Notes the client whose hook a session has begun with; returns false where it began with that of another.
    pub(crate) fn begins_with(&self, session: &str, client: &str) -> bool {
        let is_named = !session.is_empty() && !self.store.permissions().leave_nothing();
        // Its digest is the name of a file.
        !is_named
            || self
                .store
                .agents()
                .begins_with(&digest(session)[..32], client)
    }

    /// Returns what others did with issues that the calling agent works on, once.
    pub(crate) fn take_notices(&self) -> Vec<String> {
        // Most repositories have none, and who acts is not known without a look around.
        // Taken are those that the agent itself reads.
        if !notices::are_any(&self.store) || self.store.permissions().leave_nothing() {
            return Vec::new();
        }
        let agent = self.agent();
        agent.map_or_else(Vec::new, |agent| notices::take(&self.store, &agent.name))
    }

    /// Returns a look at whether the calling agent has something to hear.
    pub(crate) fn notice_watch(&self) -> NoticeWatch {
        let agent = self.agent();
        agent.map_or_else(NoticeWatch::default, |agent| {
            NoticeWatch::new(&self.store, &agent.name)
        })
    }

    /// Notes that an operation writes status, assignee or claim of an issue under a stamp.
    pub(super) fn note_work(&self, uid: Uid, at: Stamp) {
        self.written_work.borrow_mut().insert(uid, at);
    }

    /// Returns the issues of whose work something was written since this was asked last, and the stamps of that.
    pub(in crate::ops) fn take_work(&self) -> BTreeMap<Uid, Stamp> {
        self.written_work.take()
    }

    /// Puts back what was noted before, in the place of what was noted since.
    pub(super) fn set_work(&self, before: BTreeMap<Uid, Stamp>) {
        self.written_work.replace(before);
    }

    /// Returns the ids of the issues that the last changes have opened again because nothing holds them up any more, and
    /// empties the list.
    pub(crate) fn take_unblocked(&self) -> Vec<String> {
        self.unblocked.take()
    }

    /// Adds something the user should know.
    pub(crate) fn warn(&self, text: impl Into<String>) {
        self.warnings.push(text.into());
    }

    /// Returns a number of git's configuration, else the usual one; with a warning where what is there is none.
    pub(crate) fn number<T: FromStr + Display>(&self, key: &str, usual: T) -> T {
        let Some(text) = self.store.config(key) else {
            return usual;
        };
        text.trim().parse().unwrap_or_else(|_| {
            let set = Command::line("git config").word(key).word(&usual);
            self.warn(format!("{key} is `{text}`, so {usual} counts: {set}"));
            usual
        })
    }

    /// The present, in milliseconds.
    pub(crate) fn now(&self) -> u64 {
        self.env().now()
    }

    /// The days after which a claim on which nothing happens is stale, and when that began: `beads.stale`.
    pub(crate) fn stale(&self) -> (u64, u64) {
        let days = self.number("beads.stale", STALE);
        (
            days,
            self.now().saturating_sub(time::DAY.saturating_mul(days)),
        )
    }

    /// A stamp after all that this process made and after `seen`.
    pub(super) fn stamp(&self, millis: u64, seen: Stamp) -> Stamp {
        self.clock.after(seen, millis, self.env().random())
    }

    /// The index at the newest state: the one of the last question, brought up, if there was one.
    fn index(&self) -> Result<Index<'_>> {
        // Taken, not borrowed: a question inside of a question finds none and opens its own.
        Ok(match self.idle.0.take() {
            Some(kept) => Index::reopen(&self.store, kept)?,
            None => Index::open(&self.store)?,
        })
    }

    /// Keeps a connection for the next question.
    fn put_idle(&self, index: Index<'_>) {
        self.idle.0.set(index.keep());
    }
}
