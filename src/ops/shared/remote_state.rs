//! The known state of remotes: the distance to it, and the ids that are reserved there.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::answer::is_zero;
use crate::ops::{Code, Result, View};
use crate::store::push_url::sent_tip;
use crate::store::{Destination, Oid};

/// How far we and a remote are apart.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Distance {
    /// The remote.
    pub remote: String,
    /// Operations that it lacks.
    pub ahead: usize,
    /// Operations that we lack.
    pub behind: usize,
    /// Mailboxes there that its store has not yet.
    #[serde(skip_serializing_if = "is_zero")]
    pub mailboxes: usize,
}

/// Returns how far each remote is apart, as of the last exchange with it.
pub(crate) fn distances(view: &View<'_>) -> Result<Vec<Distance>> {
    let mut distances = Vec::new();
    for remote in view.tracker.store().remotes().names() {
        match distance(view, &remote) {
            Ok(apart) => distances.extend(apart),
            // The issues can be shown.
            Err(error) if error.is(Code::Damaged) => {
                view.tracker.warn(format!(
                    "how far ahead or behind {remote} is can't be determined: {error}"
                ));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(distances)
}

/// Returns how far a remote is apart; none where nothing was exchanged with it.
fn distance(view: &View<'_>, remote: &str) -> Result<Option<Distance>> {
    let apart = match view.ahead_behind(remote)? {
        // A carry file has brought what was done here.
        Some((1.., behind)) if has_all_values(view, remote)? => Some((0, behind)),
        apart => apart,
    };
    let mailboxes = waiting_mailboxes(view, remote)?;
    // A store can be in a mailbox alone.
    let apart = apart.or((mailboxes > 0).then_some((0, 0)));
    Ok(apart.map(|(ahead, behind)| Distance {
        remote: remote.to_owned(),
        ahead,
        behind,
        mailboxes,
    }))
}

/// Returns whether a remote has the same values as this clone.
fn has_all_values(view: &View<'_>, remote: &str) -> Result<bool> {
    let (snapshot, store) = (view.snapshot(), view.tracker.store());
    match store.remotes().tracked(remote)? {
        Some(there) => Ok(store.merging().are_equal(snapshot.commit(), there)?),
        None => Ok(false),
    }
}

/// Returns how many mailboxes a remote had at the last exchange that its store has not.
fn waiting_mailboxes(view: &View<'_>, remote: &str) -> Result<usize> {
    let remotes = view.tracker.store().remotes();
    let there = remotes.tracked(remote)?;
    let mut waiting = 0;
    for mailbox in remotes.mailboxes(remote).known()? {
        // One that may not be deleted stays though it is merged.
        waiting += usize::from(!is_there(view, there, mailbox.tip)?);
    }
    // One that sends to a mailbox itself collects none.
    let sends_there = || remotes.addresses(remote).destination();
    match waiting > 0 && sends_there().is_ok_and(|to| to != Destination::Store) {
        true => Ok(0),
        false => Ok(waiting),
    }
}

/// Returns whether the tip of a store holds another commit.
fn is_there(view: &View<'_>, tip: Option<Oid>, commit: Oid) -> Result<bool> {
    let merging = view.snapshot().store().merging();
    Ok(tip.map_or(Ok(false), |tip| merging.contains(tip, commit))?)
}

impl View<'_> {
    /// The ids that remotes are known to have given and that are not merged yet.
    pub(crate) fn reserved_ids(&self) -> Result<&[String]> {
        // In two steps, since what fills it can fail and stable Rust has no `get_or_try_init`.
        if self.announced.get().is_none() {
            let ids = self.read_reserved_ids()?;
            return Ok(self.announced.get_or_init(|| ids));
        }
        Ok(self.announced.get().map(Vec::as_slice).unwrap_or_default())
    }

    fn read_reserved_ids(&self) -> Result<Vec<String>> {
        let (store, mut ids) = (self.tracker.store(), Vec::new());
        for remote in store.remotes().names() {
            let Some(tip) = store.remotes().tracked(&remote)? else {
                continue;
            };
            match self.ahead_behind_of(tip) {
                // All that it has is merged here: its ids are in the index.
                Ok(None | Some((_, 0))) => {}
                Ok(Some(_)) => ids.extend(self.snapshot().announced_by(tip)?),
                // An issue can be made where the history can't be read.
                Err(error) if error.is(Code::Damaged) => {
                    ids.extend(self.snapshot().announced_by(tip)?);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(ids)
    }

    /// Returns how many operations each side lacks of the other, as of the last exchange; none where there
    /// was none.
    pub(crate) fn ahead_behind(&self, remote: &str) -> Result<Option<(usize, usize)>> {
        let store = self.tracker.store();
        let (theirs, sent) = (store.remotes().tracked(remote)?, sent_tip(store, remote)?);
        let apart = theirs.map_or(Ok(None), |tip| self.ahead_behind_of(tip))?;
        if sent == theirs {
            return Ok(apart);
        }
        // Fetched from one address and pushed to another: what it lacks is counted against what was sent,
        // what we lack against what was fetched.
        let sent = sent.map_or(Ok(None), |tip| self.ahead_behind_of(tip))?;
        let behind = apart.map_or(0, |(_, behind)| behind);
        Ok(sent.map(|(ahead, _)| (ahead, behind)))
    }

    /// The same, of a tip; none where that is no commit.
    fn ahead_behind_of(&self, tip: Oid) -> Result<Option<(usize, usize)>> {
        let (store, ours) = (self.tracker.store(), self.snapshot().commit());
        if tip == ours {
            return Ok(Some((0, 0)));
        }
        if let Some(ahead) = self.index.ahead_of(tip)? {
            return Ok(Some((ahead, 0)));
        }
        if !store.is_commit(tip)? {
            return Ok(None);
        }
        let distance = store.ancestry().distance(ours, tip)?;
        let distance = (distance.ahead, distance.behind);
        // Only what is merged whole is remembered: it stays merged, and each write adds one to `ahead`.
        if let (ahead, 0) = distance {
            let tips = store
                .remotes()
                .names()
                .iter()
                .filter_map(|remote| store.remotes().tracked(remote).ok()?)
                .collect::<Vec<_>>();
            // What can't be remembered is found again.
            let _ = self.index.note_merged(tip, ahead, &tips);
        }
        Ok(Some(distance))
    }
}
