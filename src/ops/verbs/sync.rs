//! `sync`, `fetch`, `pull`, `push`: exchange with a remote.
//!
//! What a remote has passes the gate, is joined, and our tip is sent; when the remote has moved in the
//! meantime, all of it again. Nothing is forced, and what was once seen of a remote is joined before
//! what it has now, so that a rewound or emptied remote takes nothing away.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::env;
use crate::index::Filter;
use crate::model::prefix;
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::commit_links::auto_close;
use crate::ops::{Code, Command, Error, Hint, Result, Tracker};
use crate::store::push_url::{pushed_tip, pushes_elsewhere};
use crate::store::{Cancel, Oid, Push, Store};

const ATTEMPTS: u32 = 8;

/// What to exchange.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Sync {
    /// The remote; by default as git would choose.
    #[schemars(description = "")]
    pub remote: Option<String>,
    /// Asks the remote what it has.
    #[serde(skip)]
    pub fetch: bool,
    /// Joins that.
    #[serde(skip)]
    pub merge: bool,
    /// Sends ours.
    #[serde(skip)]
    pub push: bool,
    /// Says what would happen.
    #[schemars(description = "")]
    pub dry_run: bool,
    /// Joins a store that was begun apart.
    #[serde(skip)]
    pub adopt: bool,
}

impl Default for Sync {
    fn default() -> Self {
        Self {
            remote: None,
            fetch: true,
            merge: true,
            push: true,
            dry_run: false,
            adopt: false,
        }
    }
}

/// What was exchanged.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Synced {
    /// The remote.
    pub remote: String,
    /// Operations that came.
    pub received: usize,
    /// Operations that went.
    pub sent: usize,
    /// Whether both sides had changed.
    pub merged: bool,
    /// Values that were written at the same time and that nobody has settled.
    pub conflicts: usize,
    /// Issues that share their id with an older one since this exchange, by the name they are shown under.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<String>,
    /// What is unusual about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Whether nothing was changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl Answer for Synced {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Exchanges with a remote.
///
/// # Errors
/// No remote, one that fails or is rejected, or a store that was begun apart. Local work is safe in all
/// of these.
pub fn sync(tracker: &Tracker, request: &Sync) -> Result<Synced> {
    let mut synced = tracker.with_repair(|| exchange(tracker, request))?;
    if request.push && request.merge && !request.dry_run {
        // After the others have been heard: they may have opened again what a commit has closed.
        let closed = auto_close(tracker);
        if !closed.is_empty() {
            let again = Sync {
                remote: Some(synced.remote.clone()),
                ..Sync::default()
            };
            synced.sent += tracker.with_repair(|| exchange(tracker, &again))?.sent;
        }
        synced.remarks.extend(
            closed
                .iter()
                .map(|id| format!("{id} has landed and is closed")),
        );
    }
    Ok(synced)
}

fn exchange(tracker: &Tracker, request: &Sync) -> Result<Synced> {
    let store = tracker.store();
    let none = || {
        Error::invalid("this repository has no remote")
            .hinted(Hint::git("git remote add origin URL"))
    };
    let remote = store.remote(request.remote.as_deref())?.ok_or_else(none)?;
    if store.is_mirror() && !request.dry_run {
        return Err(mirror());
    }
    let before = store.tip()?;
    let (known_twice, known_conflicts) = if before.is_some() {
        state(tracker)?
    } else {
        Default::default()
    };
    let mut exchange = Exchange {
        store,
        cancel: tracker.cancel(),
        remote: &remote,
        request,
        synced: Synced::default(),
        fetched: None,
        pushes_elsewhere: request.push && pushes_elsewhere(store, &remote),
    };
    exchange.synced.remote.clone_from(&remote);
    exchange.synced.dry_run = request.dry_run;
    exchange.run()?;
    if store.config_bool("beads.trackFetch") == Some(true) && !request.dry_run {
        store.track_fetch(&remote)?;
    }
    let mut synced = exchange.synced;
    synced.conflicts = known_conflicts;
    if store.tip()? != before {
        let (twice, conflicts) = state(tracker)?;
        synced.conflicts = conflicts;
        synced.renamed = twice
            .into_iter()
            .filter(|id| !known_twice.contains(id))
            .collect();
        if let (Some(before), false) = (before, request.dry_run) {
            synced.remarks.extend(other_prefix(store, before));
        }
    }
    Ok(synced)
}

/// Says that new ids begin in another way since a state. Registers of the store that can't be read are told by what
/// needs them.
fn other_prefix(store: &Store, before: Oid) -> Option<String> {
    let before = store.snapshot_at(before).ok()?.meta().ok()?;
    let now = store.snapshot().ok()?.meta().ok()?;
    let (old, new) = (prefix::of(&before), prefix::of(&now));
    if old != new {
        return Some(format!(
            "new ids begin with {new}- now, which were to begin with {old}-: the later choice counts \
             (git beads rename-prefix {old} changes it back)"
        ));
    }
    let known = prefix::beaten(&before);
    let came = prefix::beaten(&now);
    let (_, other) = came.into_iter().find(|lost| !known.contains(lost))?;
    (other != new).then(|| {
        format!("new ids begin with {new}-, the later choice; {other}- was chosen elsewhere")
    })
}

/// The names of issues that share an id with an older one, and how many issues hold conflicts.
fn state(tracker: &Tracker) -> Result<(Vec<String>, usize)> {
    tracker.read(|view| {
        Ok((
            view.index.ids().claimed_twice()?,
            view.index.conflicted(&Filter::everything())?.len(),
        ))
    })
}

/// Joins what a plain `git fetch` has brought, where `beads.trackFetch` asks for it.
///
/// What does not pass is left for `sync` to report, and what can't be read for the command itself.
pub(crate) fn merge_fetched(tracker: &Tracker) {
    let store = tracker.store();
    if store.config_bool("beads.trackFetch") != Some(true)
        || !store.tip().is_ok_and(|tip| tip.is_some())
    {
        return;
    }
    for remote in store.remotes() {
        let request = Sync {
            remote: Some(remote.clone()),
            fetch: false,
            push: false,
            ..Sync::default()
        };
        let mut exchange = Exchange {
            store,
            cancel: tracker.cancel(),
            remote: &remote,
            request: &request,
            synced: Synced::default(),
            fetched: None,
            pushes_elsewhere: false,
        };
        let joined = match (store.remote_tip(&remote), store.seen_tip(&remote)) {
            (Ok(tip), Ok(seen)) if tip == seen => continue,
            (Err(error), _) | (_, Err(error)) => Err(error.into()),
            _ => exchange.run(),
        };
        if let Err(error) = joined {
            tracker.warn(error.to_string());
        }
    }
}

struct Exchange<'a> {
    store: &'a Store,
    cancel: &'a Cancel,
    remote: &'a str,
    request: &'a Sync,
    synced: Synced,
    /// The tip that was just fetched, and with that checked.
    fetched: Option<Oid>,
    /// A push goes to a repository that a fetch does not ask.
    pushes_elsewhere: bool,
}

impl Exchange<'_> {
    fn run(&mut self) -> Result<()> {
        let mut before = None;
        for attempt in 0..ATTEMPTS {
            let known = self.store.remote_tip(self.remote)?;
            let asks = attempt > 0 || (self.request.fetch && !self.may_trust(known)?);
            let theirs = if asks {
                self.fetched = self.store.fetch(self.remote, false, self.cancel)?;
                self.fetched
            } else {
                known
            };
            if self.request.merge || attempt > 0 {
                self.receive(theirs)?;
            }
            if !self.request.push {
                return Ok(());
            }
            match self.send(theirs)? {
                Push::Done(said) => {
                    self.synced.remarks.extend(said);
                    return Ok(());
                }
                Push::Same => return Ok(()),
                // Eight clones that were refused at once should not come back at once.
                Push::Behind => {
                    if attempt > 0 && theirs == before && self.pushes_elsewhere {
                        return Err(elsewhere(self.remote));
                    }
                    before = theirs;
                    if theirs.is_none() {
                        // The remote had no such ref, so this need not be a race.
                        self.store.check_in_the_way(self.remote, self.cancel)?;
                    }
                    let pause = env::random() as u64 % (50 << attempt.min(5));
                    std::thread::sleep(Duration::from_millis(pause));
                }
            }
        }
        let message = format!("{} kept moving: others push at the same time", self.remote);
        Err(Error::new(crate::ops::Code::RemoteRace, message).hinted(Command::of("sync")))
    }

    /// Whether what the remote had last will do: a push beyond it says by itself when the remote has moved since.
    fn may_trust(&self, known: Option<Oid>) -> Result<bool> {
        let only_sends = self.request.push && !self.request.merge && !self.request.dry_run;
        match (known, self.store.tip()?) {
            (Some(known), Some(ours)) if only_sends && known != ours => {
                Ok(self.store.contains(ours, known)?)
            }
            _ => Ok(false),
        }
    }

    /// Joins what the remote has, and what it once had and has lost.
    fn receive(&mut self, theirs: Option<Oid>) -> Result<()> {
        let seen = self.store.seen_tip(self.remote)?;
        if let Some(seen) = seen {
            let kept = theirs.map_or(Ok(false), |theirs| self.has_all_of(theirs, seen))?;
            if !kept {
                self.synced.remarks.push(match theirs {
                    None => format!(
                        "{} has lost its issues; what it had is kept here",
                        self.remote
                    ),
                    Some(_) => {
                        format!("{} was set back; what it dropped is kept here", self.remote)
                    }
                });
                self.join(seen)?;
            }
        }
        let Some(theirs) = theirs else { return Ok(()) };
        self.join(theirs)?;
        if !self.request.dry_run {
            self.store.note_merged_tip(self.remote, theirs)?;
        }
        Ok(())
    }

    /// Whether a tip holds every operation of another: a remote that is a clone may take a greater merge of the same.
    fn has_all_of(&self, tip: Oid, seen: Oid) -> Result<bool> {
        let distance = self.store.distance(tip, seen)?;
        Ok(distance.behind == 0)
    }

    fn join(&mut self, theirs: Oid) -> Result<()> {
        let ours = self.store.tip()?;
        let (ahead, behind, related) = match ours {
            Some(ours) => {
                let distance = self.store.distance(ours, theirs)?;
                if self.store.has_nothing_for(ours, theirs, &distance)? {
                    return Ok(());
                }
                (distance.ahead, distance.behind, distance.related)
            }
            None => (0, self.store.snapshot_at(theirs)?.operations()?, true),
        };
        if self.fetched == Some(theirs) {
            self.store
                .inspect_fetched(self.remote, theirs, ours, self.cancel)?;
        } else {
            self.store
                .inspect_from(self.remote, theirs, ours, self.cancel)?;
        }
        if let Some(ours) = ours.filter(|_| !related) {
            self.check_related(ours, theirs)?;
        }
        self.synced.received += behind;
        self.synced.merged |= ahead > 0 && behind > 0;
        if !self.request.dry_run {
            self.store.merge_tip(theirs, self.cancel)?;
        }
        Ok(())
    }

    /// Stores that were begun apart are joined only on request; an empty one of ours gives way.
    fn check_related(&self, ours: Oid, theirs: Oid) -> Result<()> {
        if self.request.adopt {
            return Ok(());
        }
        let (a, b) = (
            self.store.snapshot_at(ours)?,
            self.store.snapshot_at(theirs)?,
        );
        let names = |meta: &crate::model::Blob| -> Vec<String> {
            meta.live("stores").map(|(id, _)| id.to_owned()).collect()
        };
        let (ours, theirs) = (names(&a.meta()?), names(&b.meta()?));
        if ours.iter().any(|id| theirs.contains(id)) || a.is_empty()? || b.is_empty()? {
            return Ok(());
        }
        let message = format!(
            "{} keeps another store ({}) than this repository ({}): they were begun apart",
            self.remote,
            theirs.join(", "),
            ours.join(", ")
        );
        let join = Command::of("sync").flag("--adopt").flag("--remote");
        let hint = Hint::run("joining them loses nothing: ", join.text(self.remote));
        Err(Error::new(Code::StoreMismatch, message).hinted(hint))
    }

    /// Returns how many operations wait to be sent; none where the remote has all of ours. Where a push goes elsewhere
    /// only the push itself can tell.
    fn waiting(&self, ours: Oid, theirs: Option<Oid>) -> Result<Option<usize>> {
        let known = match self.pushes_elsewhere {
            true => pushed_tip(self.store, self.remote)?,
            false if theirs == Some(ours) => return Ok(None),
            false => theirs,
        };
        let Some(known) = known else {
            return Ok(Some(self.store.snapshot_at(ours)?.operations()?));
        };
        let distance = self.store.distance(ours, known)?;
        let waits =
            self.pushes_elsewhere || self.store.has_something_for(ours, known, &distance)?;
        Ok(waits.then_some(distance.ahead))
    }

    fn send(&mut self, theirs: Option<Oid>) -> Result<Push> {
        let nothing = || Ok(Push::Done(Vec::new()));
        let Some(ours) = self.store.tip()? else {
            return nothing();
        };
        let Some(ahead) = self.waiting(ours, theirs)? else {
            return nothing();
        };
        if self.request.dry_run {
            self.synced.sent = ahead;
            return nothing();
        }
        let pushed = self.store.push(self.remote, ours, self.cancel)?;
        if matches!(pushed, Push::Done(_)) {
            self.synced.sent = ahead;
        }
        Ok(pushed)
    }
}

/// The repository that is pushed to has what no fetch from the remote brings.
fn elsewhere(remote: &str) -> Error {
    let message = format!(
        "{remote} is pushed to at another address than it is fetched from, and has changes there that are not here"
    );
    let hint = format!(
        "give that one a name of its own, and join it: git remote add NAME URL (git remote get-url --push {remote} \
         says which), git beads sync --remote NAME"
    );
    Error::new(Code::PushesElsewhere, message).hinted(Hint::text(hint))
}

/// A mirror's next fetch would overwrite what is written here.
pub(crate) fn mirror() -> Error {
    Error::new(
        crate::ops::Code::Mirror,
        "this clone mirrors its remote: its next fetch would overwrite what is written here",
    )
    .hinted(Hint::run(
        "work in an ordinary clone: ",
        Command::of("clone").placeholder("URL"),
    ))
}
