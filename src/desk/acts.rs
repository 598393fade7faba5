//! The acts of a desk: what is sent to a repository, and what is noted and said once that is done. Both faces act by this.

use serde_json::{Value, json};

use super::keys::key_of;
use super::undo::{DeskAct, RepoCommit, UndoList};
use crate::ops::act::{ActKind, Acted, Remark, perform};
use crate::ops::verbs::sync::{Sync, sync};
use crate::ops::{Error, Result, Tracker};

/// What an act is, of those that were done here.
#[derive(Clone, Debug)]
pub(crate) enum ActHow {
    Act,
    /// With what it takes back or brings back.
    Undo(DeskAct),
    Redo(DeskAct),
}

/// An act on its way to a repository, by its number.
#[derive(Clone, Debug)]
pub(crate) struct SentAct {
    pub(crate) repo: usize,
    /// As JSON.
    pub(crate) act: Value,
    /// The commits of this desk, which it may follow unseen.
    pub(crate) mine: Vec<String>,
    pub(crate) how: ActHow,
}

/// The acts that were done here.
#[derive(Debug, Default)]
pub(crate) struct DeskActs {
    list: UndoList,
    /// The act that could not be taken back the last time.
    stuck: Option<DeskAct>,
    /// Acts on their way: what is taken back is known once they are done.
    on_way: usize,
}

impl DeskActs {
    /// Returns whether there is an act to take back.
    pub(crate) fn has_done(&self) -> bool {
        self.list.has_done()
    }

    /// Returns whether an act is on its way: until it is done, no undo is for what was before it.
    pub(crate) fn is_busy(&self) -> bool {
        self.on_way > 0
    }

    /// Notes that an act begins of which no more is known here until it is done.
    pub(crate) fn begin(&mut self) {
        self.on_way += 1;
    }

    /// Returns the commit that an undo would take back.
    pub(crate) fn newest(&self) -> Option<&str> {
        let commit = self.list.newest()?.commits.first()?;
        Some(&commit.commit)
    }

    pub(crate) fn act(&mut self, repo: usize, act: Value) -> SentAct {
        self.sent(repo, act, ActHow::Act)
    }

    /// Returns what takes back the newest act; none where there is none.
    pub(crate) fn undo(&mut self) -> Option<SentAct> {
        let act = self.list.take_done()?;
        self.back("undo", act, ActHow::Undo)
    }

    /// Returns what brings back the act that was undone last; none where there is none.
    pub(crate) fn redo(&mut self) -> Option<SentAct> {
        let act = self.list.take_undone()?;
        self.back("redo", act, ActHow::Redo)
    }

    fn back(
        &mut self,
        name: &str,
        act: DeskAct,
        how: impl Fn(DeskAct) -> ActHow,
    ) -> Option<SentAct> {
        // Each act of a face is one commit in one repository.
        let RepoCommit { repo, commit } = act.commits.first().cloned()?;
        let repo = repo.parse().ok()?;
        Some(self.sent(repo, json!({"act": name, "commit": commit}), how(act)))
    }

    fn sent(&mut self, repo: usize, act: Value, how: ActHow) -> SentAct {
        self.begin();
        SentAct {
            repo,
            act,
            mine: self.list.commits_of(&repo.to_string()),
            how,
        }
    }

    /// Notes an act that was done, and returns what there is to say of it.
    pub(crate) fn take_acted(&mut self, repo: usize, acted: &Acted, how: &ActHow) -> String {
        self.on_way = self.on_way.saturating_sub(1);
        let commits = acted.commit.iter().map(|commit| RepoCommit {
            repo: repo.to_string(),
            commit: commit.clone(),
        });
        // Of what is taken back it is said what that was.
        let (mut said, of) = match how {
            ActHow::Act => (acted.said.clone(), acted.said.clone()),
            ActHow::Undo(act) => (format!("undone: {}", act.said), act.said.clone()),
            ActHow::Redo(act) => (format!("done again: {}", act.said), act.said.clone()),
        };
        let done = DeskAct {
            commits: commits.collect(),
            said: of,
        };
        if acted.commit.is_some() {
            match how {
                ActHow::Act => self.list.add(done),
                ActHow::Undo(_) => self.list.put_undone(done),
                ActHow::Redo(_) => self.list.put_done(done),
            }
        }
        for remark in &acted.remarks {
            said.push_str(&format!("; {remark}"));
        }
        // What was created is not what is selected: its start is no key away.
        let next = acted.next.as_ref();
        if let Some(next) = next.filter(|next| next.act != Some(ActKind::Start)) {
            said.push_str(&format!("; {}", with_key(next)));
        }
        said
    }

    /// Takes that an act could not be done, and returns what there is to say after the reason.
    pub(crate) fn has_failed(&mut self, how: ActHow) -> Option<String> {
        self.on_way = self.on_way.saturating_sub(1);
        match how {
            ActHow::Act => None,
            // The second time it is left out, so that what was before it can be taken back.
            ActHow::Undo(act) if self.stuck.as_ref() == Some(&act) => {
                self.stuck = None;
                let of = act.said;
                Some(format!(
                    "left as it is: {of}; `u` goes on with what was before it"
                ))
            }
            ActHow::Undo(act) => {
                self.stuck = Some(act.clone());
                self.list.put_done(act);
                Some("`u` again leaves it as it is".to_owned())
            }
            ActHow::Redo(act) => {
                self.list.put_undone(act);
                None
            }
        }
    }
}

/// Performs an act, on the thread of its repository.
/// Errors: what is no act, and those of the act.
pub(crate) fn perform_sent(tracker: &Tracker, sent: &SentAct) -> Result<Acted> {
    let request = serde_json::from_value(sent.act.clone());
    let request = request.map_err(|error| Error::invalid(error.to_string()))?;
    perform(tracker, &request, &sent.mine)
}

/// Exchanges with the remote, and says what that has come to. Where a password is wanted it fails: no face asks for one.
pub(crate) fn exchange(tracker: &Tracker) -> Result<String> {
    let request = Sync {
        unattended: true,
        ..Sync::default()
    };
    let synced = sync(tracker, &request)?;
    let mut said = match synced.remote.as_str() {
        "" => "no remote takes issues here (git beads sync)".to_owned(),
        remote => format!(
            "{remote}: {} sent, {} received",
            synced.sent, synced.received
        ),
    };
    if synced.conflicts > 0 {
        said.push_str(&format!(", {} with conflicts", synced.conflicts));
    }
    Ok(said)
}

/// Returns a remark with the keys of its act.
pub(crate) fn with_key(remark: &Remark) -> String {
    remark.sentence(|act| key_of(act).to_owned())
}
