//! An opened store with its index: the one way operations read and write.

mod message;
mod repair;
mod repository;
mod write;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashSet;

use super::caller::Caller;
use super::{Code, Command, Error, Hint, Result, Retry, shell_quote};
use crate::env;
use crate::index::{IdleIndex, Index, Lookup};
use crate::model::{Issue, Memory, Stamp, Uid, time};
use crate::store::{Cancel, Location, Snapshot, Store};

/// Other processes can move the cache on so often before one of its own is made.
const READ_ATTEMPTS: usize = 4;
/// Days, unless `beads.stale` says otherwise.
const STALE: u64 = 14;

/// A repository, and who works on it.
pub struct Tracker {
    store: Store,
    caller: Caller,
    clock: StampClock,
    idle: IdleSlot,
    warnings: Warnings,
}

/// The logical clock of this process: no stamp comes twice. A cell, since operations share the tracker and each stamp
/// follows the one before.
#[derive(Clone, Default)]
struct StampClock(Cell<Stamp>);

impl StampClock {
    /// Returns a stamp after all that this process made and after `seen`.
    fn after(&self, seen: Stamp, millis: u64) -> Stamp {
        let stamp = Stamp::after(seen.max(self.0.get()), millis, env::random());
        self.0.set(stamp);
        stamp
    }
}

/// A connection to the index between two questions. A cell, since a question takes it out and puts it back.
#[derive(Default)]
struct IdleSlot(Cell<Option<IdleIndex>>);

/// What the user should know besides the answer. A cell that is only appended to, since reading warns too.
#[derive(Default)]
struct Warnings(RefCell<Vec<String>>, Cell<bool>);

impl Warnings {
    /// Returns an empty list that does not repeat what was said once.
    fn begin_again(&self) -> Self {
        Self(RefCell::default(), self.1.clone())
    }

    fn push(&self, text: String) {
        let mut said = self.0.borrow_mut();
        // What is tried again after a repair says it again.
        if !said.contains(&text) {
            said.push(text);
        }
    }

    /// Warns of what stays as it is as long as the process runs.
    fn once(&self, text: &str) {
        if !self.1.replace(true) {
            self.push(text.to_owned());
        }
    }
}

impl Tracker {
    /// Opens the repository that encloses a location; `actor` is what the command line says.
    ///
    /// # Errors
    /// No repository, or one that must not be used.
    pub(super) fn open(location: &Location, actor: Option<&str>) -> Result<Self> {
        let store = Store::discover(location)?;
        let caller = Caller::new(&store, actor);
        let (clock, idle, warnings) = Default::default();
        Ok(Self {
            store,
            caller,
            clock,
            idle,
            warnings,
        })
    }

    /// The same, on the repository opened again.
    ///
    /// # Errors
    /// As [`Tracker::open`].
    pub(super) fn reopened(&self) -> Result<Self> {
        let store = self.store.reopened()?;
        Ok(Self {
            store,
            caller: self.caller.clone(),
            clock: self.clock.clone(),
            idle: IdleSlot::default(),
            warnings: self.warnings.begin_again(),
        })
    }

    /// The caller that the next operations work for.
    pub fn caller(&mut self) -> &mut Caller {
        &mut self.caller
    }

    /// What ends the wait for other writers.
    pub(super) fn cancel(&self) -> &Cancel {
        &self.caller.cancel
    }

    /// The repository.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Who acts.
    pub fn actor(&self) -> &str {
        self.caller.actor().unwrap_or("unknown")
    }

    /// What the user should know besides the answer; empties the list.
    pub fn take_warnings(&self) -> Vec<String> {
        self.warnings.0.take()
    }

    /// Adds something the user should know.
    pub fn warn(&self, text: impl Into<String>) {
        self.warnings.push(text.into());
    }

    /// The present, in milliseconds.
    pub fn now(&self) -> u64 {
        env::now()
    }

    /// The days after which a claim on which nothing happens is stale, and when that began: `beads.stale`.
    pub fn stale(&self) -> (u64, u64) {
        let days = self
            .store
            .config("beads.stale")
            .and_then(|text| text.parse().ok())
            .unwrap_or(STALE);
        (
            days,
            self.now().saturating_sub(time::DAY.saturating_mul(days)),
        )
    }

    /// Answers from the newest state.
    ///
    /// A cache that turns out to be damaged on the way is made again, and the question asked again.
    ///
    /// # Errors
    /// What `ask` fails with, or a repository that can't be read.
    pub fn read<T>(&self, mut ask: impl FnMut(&View<'_>) -> Result<T>) -> Result<T> {
        self.with_repair(|| self.read_once(&mut ask))
    }

    /// Answers from the newest state, or from one of the past.
    ///
    /// # Errors
    /// As [`Tracker::read`], and for a revision that names no state.
    pub fn read_at<T>(
        &self,
        revision: Option<&str>,
        mut ask: impl FnMut(&View<'_>) -> Result<T>,
    ) -> Result<T> {
        self.read(|view| match revision {
            Some(revision) => ask(&view.past(revision)?),
            None => ask(view),
        })
    }

    fn read_once<T>(&self, ask: &mut impl FnMut(&View<'_>) -> Result<T>) -> Result<T> {
        let mut damaged = false;
        for _ in 0..READ_ATTEMPTS {
            let view = View::new(
                self,
                if damaged {
                    Index::replaced(&self.store)?
                } else {
                    self.index_to_read()?
                },
            );
            let answer = ask(&view);
            match answer.as_ref().map_err(Error::retry) {
                Err(Retry::Again) => {}
                Err(Retry::RebuildIndex) => damaged = true,
                _ => {
                    self.put_idle(view.index);
                    return answer;
                }
            }
        }
        ask(&View::new(self, Index::private(self.store.snapshot()?)?))
    }

    /// The index at the newest state: the one of the last question, brought up, if there was one.
    fn index(&self) -> Result<Index<'_>> {
        Ok(match self.idle.0.take() {
            Some(kept) => Index::reopen(&self.store, kept)?,
            None => Index::open(&self.store)?,
        })
    }

    /// The same, for a question: no lock is held, so what the ref lacks since the last one can be brought back.
    fn index_to_read(&self) -> Result<Index<'_>> {
        let index = self.index()?;
        let now = index.snapshot().commit();
        // A history that can't be read tells nothing.
        let notice = |before| self.store.set_back().notice_left_out(before, now).ok()?;
        match index.before().and_then(notice) {
            Some(left) if self.regain(&[left]) => self.index(),
            _ => Ok(index),
        }
    }

    fn put_idle(&self, index: Index<'_>) {
        self.idle.0.set(index.keep());
    }

    /// A stamp after all that this process made and after `seen`.
    pub(super) fn stamp(&self, millis: u64, seen: Stamp) -> Stamp {
        self.clock.after(seen, millis)
    }
}

/// What a state of the past needs to know of the present.
struct PastState<'t> {
    revision: String,
    now: u64,
    present: Snapshot<'t>,
    purged: HashSet<Uid>,
}

/// One state with its index.
pub struct View<'t> {
    /// Who asks.
    pub tracker: &'t Tracker,
    /// The index at the state.
    pub index: Index<'t>,
    past: Option<PastState<'t>>,
    prefix: OnceCell<String>,
    pub(super) announced: OnceCell<Vec<String>>,
}

impl<'t> View<'t> {
    pub(super) fn new(tracker: &'t Tracker, index: Index<'t>) -> Self {
        Self {
            tracker,
            index,
            past: None,
            prefix: OnceCell::new(),
            announced: OnceCell::new(),
        }
    }

    /// The state.
    pub fn snapshot(&self) -> Snapshot<'t> {
        self.index.snapshot()
    }

    /// The present, in milliseconds; in the past, the time it is seen from.
    pub fn now(&self) -> u64 {
        self.past
            .as_ref()
            .map_or_else(|| self.tracker.now(), |past| past.now)
    }

    /// The last moment that belongs to this view, in milliseconds: the present has none.
    pub(super) fn horizon(&self) -> u64 {
        self.past.as_ref().map_or(u64::MAX, |past| past.now)
    }

    /// The state that a revision names, as [`View::resolve_revision`] reads it.
    ///
    /// # Errors
    /// A revision that names none.
    fn past(&self, revision: &str) -> Result<Self> {
        let (snapshot, now) = self.resolve_revision(revision)?;
        let revision = shell_quote(revision);
        let past = PastState {
            revision,
            now,
            present: self.snapshot(),
            purged: self.index.purged()?,
        };
        Ok(Self {
            past: Some(past),
            ..Self::new(self.tracker, self.index.at_revision(snapshot)?)
        })
    }

    /// The prefix of new ids: `beads.prefix`, else the store's own.
    ///
    /// # Errors
    /// A `meta.json` that can't be read, which is not the same as one without a prefix.
    pub fn prefix(&self) -> Result<&str> {
        if let Some(prefix) = self.prefix.get() {
            return Ok(prefix);
        }
        let prefix = match self.tracker.store.config("beads.prefix") {
            Some(prefix) => {
                let wrong =
                    |error| Error::from(error).hinted(Hint::git("git config beads.prefix bd"));
                crate::model::id::check_prefix(&prefix).map_err(wrong)?;
                prefix
            }
            None => crate::model::prefix::of(&self.snapshot().meta()?).to_owned(),
        };
        Ok(self.prefix.get_or_init(|| prefix))
    }

    /// What an argument names: an exact id, else one that an issue was known by, else a unique beginning, with or without
    /// prefix.
    ///
    /// # Errors
    /// An index that can't be read.
    pub(super) fn lookup(&self, argument: &str) -> Result<Lookup> {
        match self.index.ids().exact(argument)? {
            Some(found) => Ok(found),
            None => Ok(self.index.ids().lookup(argument, self.prefix()?)?),
        }
    }

    /// The issue that an argument names, for reading: of several that bear an id, the oldest.
    ///
    /// # Errors
    /// Not found, or several begin with it.
    pub fn find(&self, argument: &str) -> Result<Uid> {
        if argument.trim().is_empty() {
            return Err(Error::invalid("an id is empty").hinted(Command::of("list")));
        }
        match self.lookup(argument)? {
            Lookup::One(uid) => Ok(uid),
            Lookup::Claimed(bearers) => Ok(bearers[0].0),
            Lookup::Former(found) => Err(formerly(argument, &found)),
            Lookup::Ambiguous(found) => Err(ambiguous(argument, &found)),
            Lookup::None(near) => Err(self.dated(not_found(argument, &near))),
        }
    }

    /// In the past, an error says so, and its hint leads there.
    fn dated(&self, mut error: Error) -> Error {
        if let Some(PastState { revision, .. }) = &self.past {
            error.message = format!("{} at {revision}", error.message);
            for hint in &mut error.hints {
                hint.add("--at", revision);
            }
        }
        error
    }

    /// The issue that an argument names, for writing.
    ///
    /// # Errors
    /// As [`View::find`], and a conflict for an id that several bear.
    pub fn find_one(&self, argument: &str) -> Result<Uid> {
        match self.lookup(argument)? {
            Lookup::Claimed(bearers) if !argument.trim().is_empty() => {
                let named: Vec<String> = bearers
                    .iter()
                    .map(|(uid, shown)| format!("{shown} ({uid})"))
                    .collect();
                let message = format!(
                    "{} issues bear the id {argument}: {}",
                    named.len(),
                    named.join(", ")
                );
                let youngest = bearers
                    .last()
                    .map(|(_, shown)| shown.as_str())
                    .unwrap_or_default();
                Err(Error::new(Code::ClaimedId, message)
                    .hinted(Command::of("rename").id(youngest).placeholder("NEW-ID")))
            }
            _ => self.find(argument),
        }
    }

    /// An issue that is there.
    ///
    /// # Errors
    /// One that can't be read.
    pub fn issue(&self, uid: Uid) -> Result<Issue> {
        let purged = self.past.as_ref().filter(|past| past.purged.contains(&uid));
        let snapshot = purged.map_or_else(|| self.snapshot(), |past| past.present);
        match self.index.objects_of(uid)? {
            Some((blob, _)) => Ok(snapshot.issue_in(uid, blob)??),
            None => by_path(snapshot, uid),
        }
    }

    /// An issue that is about to be written: the trees above it are read for that anyway.
    pub(super) fn issue_to_write(&self, uid: Uid) -> Result<Issue> {
        by_path(self.snapshot(), uid)
    }

    /// The memory of an issue, oldest first; what can't be read is left out and counted.
    ///
    /// # Errors
    /// An object that can't be read.
    pub fn memory(&self, uid: Uid) -> Result<(Vec<Memory>, usize)> {
        match self.index.objects_of(uid)? {
            Some((_, false)) => Ok((Vec::new(), 0)),
            _ => Ok(self.snapshot().memory(uid)?),
        }
    }

    /// The id an issue bears.
    ///
    /// # Errors
    /// An index that can't be read.
    pub fn id(&self, uid: Uid) -> Result<String> {
        Ok(self
            .index
            .ids()
            .id_of(uid)?
            .unwrap_or_else(|| uid.to_string()))
    }
}

fn by_path(snapshot: Snapshot<'_>, uid: Uid) -> Result<Issue> {
    Ok(snapshot
        .issue(uid)?
        .ok_or_else(|| Error::not_found(format!("Issue {uid} not found")))??)
}

fn not_found(argument: &str, near: &[String]) -> Error {
    let shown: String = argument.chars().take(80).collect();
    let error = Error::not_found(format!("Issue {shown} not found"));
    match near {
        [] => error.hinted(Command::of("list").flag("--all")),
        [first, ..] => error.hinted(Hint::run(
            format!("did you mean {}? ", near.join(", ")),
            Command::of("show").id(first),
        )),
    }
}

/// Nobody can know which one is meant by an id that several gave up.
fn formerly(argument: &str, found: &[(Uid, String)]) -> Error {
    let ids: Vec<&str> = found.iter().map(|(_, id)| id.as_str()).collect();
    let message = format!(
        "{} issues were known by the id {argument}: {}",
        ids.len(),
        ids.join(", ")
    );
    Error::new(Code::FormerId, message).hinted(ids.iter().fold(Command::of("show"), Command::id))
}

fn ambiguous(argument: &str, found: &[(Uid, String)]) -> Error {
    let ids: Vec<&str> = found.iter().map(|(_, id)| id.as_str()).collect();
    let message = format!(
        "{argument} is the beginning of several ids: {}",
        ids.join(", ")
    );
    Error::new(Code::Ambiguous, message).hinted(Command::of("show").id(ids[0]))
}
