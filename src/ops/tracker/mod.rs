//! An opened store with its index: the one way operations read and write.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashSet;

use super::tx::Tx;
use super::{Error, Result, quoted};
use crate::env;
use crate::index::{Index, Kept, Lookup};
use crate::model::{Context, Issue, Memory, Stamp, Turns, Uid, status_change, time};
use crate::store::{Draft, Location, Message, Snapshot, Store, StoreError};

/// More issues than this in one commit are not listed in its trailer.
const MOST_LISTED: usize = 100;
/// Other processes can move the cache on so often before one of its own is made.
const READ_ATTEMPTS: usize = 4;
/// Something beside us can take objects away again and again.
const MENDS: usize = 16;
/// So often it is asked again where nothing was found to mend: somebody beside us may just have done so.
const IN_VAIN: usize = 3;
/// Days, unless `beads.stale` says otherwise.
const STALE: u64 = 14;
const LONGEST_ACTOR: usize = 250;

/// A repository, and who works on it.
pub struct Tracker {
    store: Store,
    actor: String,
    last: Cell<Stamp>,
    context: RefCell<Context>,
    kept: RefCell<Option<Kept>>,
    nameless: Cell<bool>,
    warnings: RefCell<Vec<String>>,
}

impl Tracker {
    /// Opens the repository that encloses a location; `actor` is what the command line says.
    ///
    /// # Errors
    /// No repository, or one that must not be used.
    pub fn open(location: &Location, actor: Option<&str>) -> Result<Self> {
        let store = Store::discover(location)?;
        let warnings = RefCell::default();
        let named = actor
            .map(str::to_owned)
            .or_else(|| env::var("GIT_BEADS_ACTOR"))
            .or_else(|| store.config("beads.actor"));
        let actor = named
            .or_else(|| store.user_name())
            .map(|name| clean_actor(&name))
            .filter(|name| !name.is_empty());
        let actor = actor.unwrap_or_default();
        let (last, context, kept, nameless) = Default::default();
        let tracker = Self {
            store,
            actor,
            last,
            context,
            kept,
            nameless,
            warnings,
        };
        tracker.notice();
        Ok(tracker)
    }

    /// The same, on the repository opened again.
    ///
    /// # Errors
    /// As [`Tracker::open`].
    pub fn reopened(&self) -> Result<Self> {
        let store = self.store.reopened()?;
        let tracker = Self {
            store,
            actor: self.actor.clone(),
            last: Cell::new(self.last.get()),
            context: RefCell::new(self.context.borrow().clone()),
            kept: RefCell::default(),
            nameless: Cell::new(self.nameless.get()),
            warnings: RefCell::default(),
        };
        tracker.notice();
        Ok(tracker)
    }

    /// Takes over what happened since it was opened: what a plain `git fetch` has brought.
    pub fn notice(&self) {
        super::verbs::sync::notice(self);
    }

    /// Says why the next changes are made; their commits keep it.
    pub fn explain(&self, context: Context) {
        self.context.replace(context);
    }

    /// The repository.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Who acts.
    pub fn actor(&self) -> &str {
        if self.actor.is_empty() {
            "unknown"
        } else {
            &self.actor
        }
    }

    /// What the user should know besides the answer; empties the list.
    pub fn take_warnings(&self) -> Vec<String> {
        self.warnings.take()
    }

    /// Adds something the user should know.
    pub fn warn(&self, text: impl Into<String>) {
        self.warnings.borrow_mut().push(text.into());
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
        self.mending(|| self.read_once(&mut ask))
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

    /// Does something, and does it again after damage that it met was mended from the journal, by us or by
    /// somebody beside us.
    ///
    /// # Errors
    /// What it fails with.
    pub(super) fn mending<T>(&self, mut run: impl FnMut() -> Result<T>) -> Result<T> {
        let (mut outcome, mut in_vain) = (run(), 0);
        for _ in 0..MENDS {
            match &outcome {
                Err(error) if in_vain < IN_VAIN && self.may_mend(error, &mut in_vain) => {
                    outcome = run();
                }
                _ => break,
            }
        }
        outcome
    }

    /// Mends what an error is about, if it is damage; whether to try again.
    fn may_mend(&self, error: &Error, in_vain: &mut usize) -> bool {
        if error.code != "damaged" {
            return false;
        }
        match self.store.recover() {
            Ok(done) if done.is_something() => {
                self.warn(format!("{}; it was mended from the journal", error.message));
            }
            Ok(_) | Err(StoreError::Unreadable { .. } | StoreError::Write { .. }) => {
                *in_vain += 1;
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            Err(_) => return false,
        }
        true
    }

    fn read_once<T>(&self, ask: &mut impl FnMut(&View<'_>) -> Result<T>) -> Result<T> {
        let mut damaged = false;
        for _ in 0..READ_ATTEMPTS {
            let view = View::new(
                self,
                if damaged {
                    Index::replaced(&self.store)?
                } else {
                    self.index()?
                },
            );
            match ask(&view) {
                Err(error) if error.code == "stale" => {}
                Err(error) if error.code == "index" => damaged = true,
                answer => {
                    self.keep(view.index);
                    return answer;
                }
            }
        }
        ask(&View::new(self, Index::private(self.store.snapshot()?)?))
    }

    /// Changes the store in one commit and answers from the state after it.
    ///
    /// `run` is called again on the new state when somebody else was faster.
    ///
    /// # Errors
    /// What `run` fails with; then nothing has changed.
    pub fn write<T: Clone, A>(
        &self,
        mut run: impl FnMut(&mut Tx<'_>) -> Result<T>,
        answer: impl Fn(T, &View<'_>) -> Result<A>,
    ) -> Result<A> {
        self.check_identity();
        if self.store.is_mirror() {
            return Err(super::verbs::sync::mirror());
        }
        let (value, mut held) = self.mending(|| match self.attempt(&mut run, None) {
            Err(error) if error.code == "index" => {
                self.attempt(&mut run, Some(Index::replaced(&self.store)?))
            }
            outcome => outcome,
        })?;
        self.mending(|| {
            let index = held.take().map_or_else(|| self.index(), Ok)?;
            let view = View::new(self, index);
            match answer(value.clone(), &view) {
                Err(error) if error.code == "index" => answer(
                    value.clone(),
                    &View::new(self, Index::replaced(&self.store)?),
                ),
                answered => {
                    self.keep(view.index);
                    answered
                }
            }
        })
    }

    /// The index at the newest state: the one of the last question, brought up, if there was one.
    fn index(&self) -> Result<Index<'_>> {
        Ok(match self.kept.take() {
            Some(kept) => Index::again(&self.store, kept)?,
            None => Index::fresh(&self.store)?,
        })
    }

    fn keep(&self, index: Index<'_>) {
        self.kept.replace(index.keep());
    }

    /// One commit, on an index that is given or found, which follows before others may write: they would have
    /// to wait for each other once more, at the index.
    fn attempt<'t, T>(
        &'t self,
        run: &mut impl FnMut(&mut Tx<'_>) -> Result<T>,
        index: Option<Index<'t>>,
    ) -> Result<(T, Option<Index<'t>>)> {
        let held = RefCell::new(index);
        let mut one = |draft: &mut Draft<'_>| -> Result<(T, Message)> {
            let fresh = match held.take() {
                Some(index) => index.refreshed()?,
                None => self.index()?,
            };
            let mut tx = Tx::new(View::new(self, fresh))?;
            let drafted = run(&mut tx).and_then(|value| Ok((value, tx.draft(draft)?)));
            match &drafted {
                Ok(_) => _ = held.replace(Some(tx.view.index)),
                Err(error) if error.code == "index" => {}
                Err(_) => self.keep(tx.view.index),
            }
            drafted
        };
        let follow = || {
            let index = held.take().and_then(|index| index.refreshed().ok());
            held.replace(index);
        };
        let (value, _) = self.store.transact_then(|_, draft| one(draft), follow)?;
        Ok((value, held.into_inner()))
    }

    /// Says once that nobody is named.
    fn check_identity(&self) {
        if self.actor.is_empty() && !self.nameless.replace(true) && !self.store.has_identity() {
            self.warn(
                "nobody is named as author: git config user.name \"Your Name\" (or --actor NAME)",
            );
        }
    }

    /// A stamp after all that this process made and after `seen`.
    pub(super) fn stamp(&self, millis: u64, seen: Stamp) -> Stamp {
        let stamp = Stamp::after(seen.max(self.last.get()), millis, env::random());
        self.last.set(stamp);
        stamp
    }

    /// The message of an operation's commit.
    pub(super) fn message(&self, subject: &str, touched: &[Uid], turns: &Turns) -> Message {
        let listed: Vec<String> = touched.iter().map(ToString::to_string).collect();
        let bulk = touched.len() > MOST_LISTED;
        let issues = if bulk {
            "*".to_owned()
        } else {
            listed.join(" ")
        };
        let turned = if bulk {
            String::new()
        } else {
            turns.to_trailer()
        };
        let actor = self.actor().to_owned();
        let named = [
            ("Issues", issues),
            ("Actor", actor),
            (status_change::TRAILER, turned),
        ];
        let mut trailers: Vec<(String, String)> =
            named.map(|(key, value)| (key.to_owned(), value)).into();
        trailers.retain(|(_, value)| !value.is_empty());
        trailers.extend(self.context.borrow().trailers());
        Message {
            subject: subject.chars().take(200).collect(),
            trailers,
        }
    }
}

fn clean_actor(name: &str) -> String {
    let shown = |c: &char| !c.is_control() && !crate::model::id::is_format(*c);
    name.trim()
        .chars()
        .filter(shown)
        .take(LONGEST_ACTOR)
        .collect()
}

/// What a state of the past needs to know of the present.
struct Past<'t> {
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
    past: Option<Past<'t>>,
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

    /// The state that a revision names, as [`View::moment`] reads it.
    ///
    /// # Errors
    /// A revision that names none.
    fn past(&self, revision: &str) -> Result<Self> {
        let (snapshot, now) = self.moment(revision)?;
        let revision = quoted(revision);
        let past = Past {
            revision,
            now,
            present: self.snapshot(),
            purged: self.index.purged()?,
        };
        Ok(Self {
            past: Some(past),
            ..Self::new(self.tracker, self.index.brought_to(snapshot)?)
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
                let wrong = |error| Error::from(error).hinted("git config beads.prefix bd");
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
        match self.index.exact(argument)? {
            Some(found) => Ok(found),
            None => Ok(self.index.lookup(argument, self.prefix()?)?),
        }
    }

    /// The issue that an argument names, for reading: of several that bear an id, the oldest.
    ///
    /// # Errors
    /// Not found, or several begin with it.
    pub fn find(&self, argument: &str) -> Result<Uid> {
        if argument.trim().is_empty() {
            return Err(Error::invalid("an id is empty").hinted("git beads list"));
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
        if let Some(Past { revision, .. }) = &self.past {
            error.message = format!("{} at {revision}", error.message);
            error.hint = error.hint.map(|hint| format!("{hint} --at {revision}"));
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
                Err(Error::conflict("claimed_id", message)
                    .hinted(format!("git beads rename {youngest} NEW-ID")))
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
        Ok(self.index.id_of(uid)?.unwrap_or_else(|| uid.to_string()))
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
        [] => error.hinted("git beads list --all"),
        [first, ..] => error.hinted(format!(
            "did you mean {}? git beads show {first}",
            near.join(", ")
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
    Error::conflict("ambiguous", message).hinted(format!("git beads show {}", ids.join(" ")))
}

fn ambiguous(argument: &str, found: &[(Uid, String)]) -> Error {
    let ids: Vec<&str> = found.iter().map(|(_, id)| id.as_str()).collect();
    let mut error = Error::invalid(format!(
        "{argument} is the beginning of several ids: {}",
        ids.join(", ")
    ));
    error.code = "ambiguous";
    error.hinted(format!("git beads show {}", ids[0]))
}
