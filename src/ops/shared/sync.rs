//! Exchange with a remote, as the verbs, the hooks and the opening of a tracker need it.

mod carry_out;
mod decided;
mod exchange;
mod hear;
mod judge;
mod lost_claim;
mod own_write;
mod silent;
mod yields;

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::prefix;
use crate::ops::answer::{After, Answer, AnswerKind, Next};
use crate::ops::shared::carry::CarryReport;
use crate::ops::shared::news::{self, NewsSummary};
use crate::ops::shared::presence::require_store;
use crate::ops::{Code, Command, Error, Result, Tracker};
use crate::store::{Aside, Cancel, ExchangeLock, Oid, Store};
use exchange::Exchange;
pub(crate) use judge::lost_work;
pub(crate) use lost_claim::LostClaim;

/// An exchange: its remote and its steps.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Sync {
    /// The remote; by default as git would choose.
    #[schemars(description = "")]
    pub remote: Option<String>,
    /// Asks the remote what it has.
    #[serde(skip)]
    pub fetch: bool,
    /// Joins that.
    #[serde(skip)]
    pub merge: bool,
    /// Sends what is here.
    #[serde(skip)]
    pub push: bool,
    /// Says what would happen.
    #[schemars(description = "")]
    pub dry_run: bool,
    /// Joins a store that was begun separately.
    #[serde(skip)]
    pub adopt: bool,
    /// No one reads the answer: what an agent must know is left for its next command.
    #[serde(skip)]
    pub unattended: bool,
    /// Brings also what was cut off of the history.
    #[serde(skip)]
    pub whole: bool,
    /// Forgets where the remote takes what is sent, and finds it again.
    #[serde(skip)]
    pub probe: bool,
    /// Looks for mailboxes in all folders of the remote, not only in those that are known.
    #[serde(skip)]
    pub all_mailboxes: bool,
    /// Leaves mailboxes where they are.
    #[serde(skip)]
    pub keep_mailboxes: bool,
    /// Takes over carry files of these too.
    #[serde(skip)]
    pub sources: CarrySources,
}

/// Carry files that a user names.
#[derive(Clone, Debug, Default)]
pub(crate) struct CarrySources {
    /// Those in the tree of HEAD.
    pub head: bool,
    /// Those in the trees of branches.
    pub branches: Vec<String>,
    /// Files outside of any branch.
    pub files: Vec<NamedFile>,
    /// Also large ones.
    pub large: bool,
}

/// A file that a user names.
#[derive(Clone, Debug)]
pub(crate) struct NamedFile {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

impl CarrySources {
    /// Returns true if any are named.
    pub(crate) fn are_named(&self) -> bool {
        self.head || !self.branches.is_empty() || !self.files.is_empty()
    }
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
            unattended: false,
            whole: false,
            probe: false,
            all_mailboxes: false,
            keep_mailboxes: false,
            sources: CarrySources::default(),
        }
    }
}

/// What was exchanged.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Synced {
    /// The remote.
    pub remote: String,
    /// Operations that came.
    pub received: usize,
    /// Operations that went.
    pub sent: usize,
    /// Whether both sides had changed.
    pub merged: bool,
    /// Values that were written at the same time and that no one has settled.
    pub conflicts: usize,
    /// Issues that share their id with an older one since this exchange, by the name they are shown under.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<String>,
    /// The ref that took what was sent, where that is not the one at which every host has the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// The kind of that ref.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery: Option<DeliveryKind>,
    /// What was merged of what others could not send to the store.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collected: Vec<Collected>,
    /// What was not merged, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftAlone>,
    /// The file that holds what no remote takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carry: Option<CarryReport>,
    /// Claims that gave way to what the remote had first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims_lost: Vec<LostClaim>,
    /// What others changed by what came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub news: Option<NewsSummary>,
    /// What is unusual about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Whether nothing was changed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// The kind of the ref that took what was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeliveryKind {
    /// A branch, which holds the store at this remote.
    Branch,
    /// A branch that others merge into the store.
    Mailbox,
    /// A file that travels with a branch of the user's.
    Carried,
}

/// What was merged of what others could not send to the store.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Collected {
    /// The branch that held it, with the path of a file; or a path alone.
    pub from: String,
    /// Operations.
    pub changes: usize,
    /// The issues that they are about.
    pub issues: usize,
    /// Whether the branch was deleted afterwards.
    pub deleted: bool,
    /// The issues themselves, where a file was only looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<CarriedIssue>,
}

/// An issue as a carry file has it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct CarriedIssue {
    /// The id that it has there.
    pub id: String,
    /// The status there.
    pub status: String,
    /// The title there.
    pub title: String,
}

/// What was not merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct LeftAlone {
    /// The branch that holds it.
    pub from: String,
    /// The reason.
    pub why: String,
    /// A stable word for it: `edited`, `held`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

impl Answer for Synced {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
    fn next(&self) -> Next {
        match &self.carry {
            Some(carry) => carry.next(),
            None => After::Changed.next(),
        }
    }
}

/// So long a remote may say nothing where someone waits for it to confirm a start.
pub(crate) const SILENCE: Duration = Duration::from_secs(8);

/// Makes something on top of a state, to be sent with it; none where that changes nothing.
pub(crate) type OnTop<'a> = &'a dyn Fn(Option<Oid>) -> Result<Option<Aside>>;

/// Exchanges with a remote; done again after what it met was repaired. Local work is safe where that fails.
pub(crate) fn exchange(tracker: &Tracker, request: &Sync) -> Result<Synced> {
    tracker.with_repair(|| exchange_once(tracker, request, None))
}

/// Exchanges with a remote, and sends with it what is made on top of the newest state there. That is the state here from the
/// moment on at which the remote has taken it; where it has not, it has never happened.
pub(crate) fn exchange_with(
    tracker: &Tracker,
    request: &Sync,
    on_top: OnTop<'_>,
) -> Result<Synced> {
    tracker.with_repair(|| exchange_once(tracker, request, Some(on_top)))
}

fn exchange_once(tracker: &Tracker, request: &Sync, on_top: Option<OnTop<'_>>) -> Result<Synced> {
    let store = tracker.store();
    let Some(remote) = store.remotes().remote(request.remote.as_deref())? else {
        return match request.sources.are_named() {
            true => collect_alone(tracker, request),
            false => carry_out::without_remote(tracker, request),
        };
    };
    if store.remotes().is_mirror() && !request.dry_run {
        return Err(Error::mirror());
    }
    // Before the tip is read: what another exchange has sent meanwhile is not sent again.
    let _alone = match request.push && !request.dry_run {
        true => Some(ExchangeLock::take(store, &patience(tracker, request))?),
        false => None,
    };
    if store.config_bool("beads.trackFetch") == Some(true) && !request.dry_run {
        store.remotes().follow_renamed()?;
    }
    // Counted before, so that the answer names only what this exchange brings.
    let before = store.tip()?;
    let (known_twice, known_conflicts) = if before.is_some() {
        state(tracker)?
    } else {
        Default::default()
    };
    let mut exchange = Exchange::new(tracker, &remote, request)?.with(on_top);
    let ended = exchange.run();
    // Also where there was nothing to start: who waits for work hears by that who has left it.
    if exchange.has_heard() && !request.dry_run && store.tip()?.is_some() {
        silent::note_claims(tracker)?;
    }
    if let Err(error) = ended {
        carry_out::after_refusal(tracker, request, &mut exchange.synced, error)?;
    }
    // After the exchange, so that a remote that could not be reached gets no refspec.
    if store.config_bool("beads.trackFetch") == Some(true) && !request.dry_run {
        store.remotes().track_fetch(&remote)?;
    }
    let mut synced = exchange.synced;
    synced.conflicts = known_conflicts;
    // Where the tip is the same nothing came, and nothing new can conflict.
    if store.tip()? != before {
        let (twice, conflicts) = state(tracker)?;
        synced.conflicts = conflicts;
        synced.renamed = twice
            .into_iter()
            .filter(|id| !known_twice.contains(id))
            .collect();
        if let (Some(before), false) = (before, request.dry_run) {
            synced.remarks.extend(other_prefix(store, before));
            // No one reads it in the background, and an exchange does not fail for it.
            if !request.unattended {
                synced.news = tracker
                    .read(|view| news::summary(view, before, 0))
                    .ok()
                    .flatten();
            }
        }
    }
    Ok(synced)
}

/// Returns when an exchange stops waiting for another one. A command that only takes over carry files before its own work
/// waits for none: the next one does it.
fn patience(tracker: &Tracker, request: &Sync) -> Cancel {
    let cancel = tracker.cancel().clone();
    match request.unattended && request.sources.are_named() {
        true => cancel.after(Duration::ZERO),
        false => cancel,
    }
}

/// Takes over the carry files that the user names, where there is no remote to exchange with.
fn collect_alone(tracker: &Tracker, request: &Sync) -> Result<Synced> {
    // Where there is none each file is left alone, and named.
    match require_store(tracker) {
        Err(error) if !error.is(Code::NoStore) => return Err(error),
        _ => {}
    }
    let request = Sync {
        fetch: false,
        push: false,
        ..request.clone()
    };
    let mut exchange = Exchange::new(tracker, "", &request)?;
    exchange.collect()?;
    Ok(exchange.synced)
}

/// Says that new ids begin in another way since a state. Registers of the store that can't be read are reported by what
/// needs them.
fn other_prefix(store: &Store, before: Oid) -> Option<String> {
    let before = store.snapshot_at(before).ok()?.meta().ok()?;
    let now = store.snapshot().ok()?.meta().ok()?;
    let (old, new) = (prefix::of(&before), prefix::of(&now));
    if old != new && !prefix::is_chosen(&before) {
        return Some(format!(
            "new ids begin with {new}- now, which was chosen elsewhere; here it was {old}-, the default"
        ));
    }
    if old != new {
        let back = Command::of("rename-prefix").word(old);
        return Some(format!(
            "new ids begin with {new}- now, which were to begin with {old}-: the later choice counts ({back} changes it back)"
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
    tracker.read(|view| Ok((view.index.ids().shared()?, view.index.conflicted()?.len())))
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
    for remote in store.remotes().names() {
        let request = Sync {
            remote: Some(remote.clone()),
            fetch: false,
            push: false,
            unattended: true,
            ..Sync::default()
        };
        let joined = match (
            store.remotes().remote_tip(&remote),
            store.remotes().seen_tip(&remote),
        ) {
            // Nothing new: this runs each time a tracker opens, and must not walk the history.
            (Ok(tip), Ok(seen)) if tip == seen => continue,
            (Err(error), _) | (_, Err(error)) => Err(error.into()),
            _ => Exchange::new(tracker, &remote, &request).and_then(|mut it| it.run()),
        };
        if let Err(error) = joined {
            tracker.warn(error.to_string());
        }
    }
}
