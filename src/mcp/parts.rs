//! The parts of a session: a caller that has begun an issue under a name of its own (`as`) need not repeat the name.
//!
//! The claim of the issue keeps it, beyond the life of this process. What follows a claim that has ended, and an undo
//! that names no issue, is remembered while the process runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use super::tool::Tool;
use crate::model::Uid;
use crate::ops::{Asked, Tracker};

const MOST: usize = 4096;
/// The place of a name that a caller need not repeat.
const PLACE: &str = "its claim";

#[derive(Default)]
pub(super) struct SessionParts(Mutex<Acted>);

#[derive(Default)]
struct Acted {
    /// The agent that has changed an issue last.
    issues: BTreeMap<Uid, String>,
    /// By repository, the agents that have acted there.
    noted: BTreeMap<PathBuf, BTreeSet<String>>,
    /// By session, the agent that its last change without a name counts as that of.
    unnamed: BTreeMap<String, String>,
}

/// A call, as it is remembered once it has changed something.
pub(super) struct PartCall {
    issue: Option<Uid>,
    is_named: bool,
}

impl SessionParts {
    /// Says to a tracker who calls it: the part of the session that works on the issue, where the call has no name.
    pub(super) fn enter(
        &self,
        tracker: &mut Tracker,
        tool: &Tool,
        arguments: &Map<String, Value>,
        asked: Asked,
    ) -> PartCall {
        let is_named = asked.name.is_some();
        tracker.caller().ask(asked.clone());
        let id = tool.issue(arguments);
        let found = id.and_then(|id| found(tracker, id));
        let part = match (&found, id) {
            _ if is_named => None,
            (Some((_, Some(holder))), _) => part_of(tracker, holder),
            (Some((issue, None)), _) => self.last_on(tracker, *issue),
            (None, None) if tool.is_about_last => self.last_unnamed(tracker),
            _ => None,
        };
        if let Some(part) = part {
            tracker.caller().ask(Asked {
                name: Some((part, PLACE)),
                recalled: true,
                ..asked
            });
        }
        let agent = tracker.party().agent;
        if let (Some(agent), true) = (&agent, tool.access.writes()) {
            self.note_server(tracker, agent);
        }
        let is_own = |(issue, holder): &(Uid, Option<String>)| {
            holder.is_some() && *holder == agent && !self.acted().issues.contains_key(issue)
        };
        let is_new = tool.access.writes() && found.as_ref().is_some_and(is_own);
        tracker.caller().is_beside = is_new && tracker.has_other_server();
        PartCall {
            issue: found.map(|(issue, _)| issue),
            is_named,
        }
    }

    /// Notes once that this process speaks for an agent: another server by the same name is told from it by that.
    fn note_server(&self, tracker: &Tracker, agent: &str) {
        let place = tracker.store().common_dir().to_owned();
        let mut acted = self.acted();
        let agents = acted.noted.entry(place).or_default();
        if agents.insert(agent.to_owned()) {
            tracker.note_server(agents);
        }
    }

    pub(super) fn note(&self, tracker: &Tracker, call: &PartCall) {
        let Some(agent) = tracker.party().agent else {
            return;
        };
        let mut acted = self.acted();
        if !call.is_named {
            let session = agent.split('.').next().unwrap_or_default().to_owned();
            acted.unnamed.insert(session, agent.clone());
        }
        // What another server has begun is not this one's by a call that was told so.
        if tracker.is_beside() {
            return;
        }
        // Of what was started as the next one, the call names no issue.
        for issue in tracker.worked().into_iter().chain(call.issue) {
            if acted.issues.len() >= MOST {
                acted.issues.clear();
            }
            acted.issues.insert(issue, agent.clone());
        }
    }

    fn last_on(&self, tracker: &Tracker, issue: Uid) -> Option<String> {
        let last = self.acted().issues.get(&issue).cloned();
        part_of(tracker, &last?)
    }

    fn last_unnamed(&self, tracker: &Tracker) -> Option<String> {
        let session = tracker.party().agent?;
        let last = self.acted().unnamed.get(&session).cloned();
        part_of(tracker, &last?)
    }

    fn acted(&self) -> MutexGuard<'_, Acted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns an issue, and the agent that works on it; none where it is not found, as the call itself will say.
fn found(tracker: &Tracker, id: &str) -> Option<(Uid, Option<String>)> {
    let found = tracker.read(|view| {
        let uid = view.find(id)?;
        let row = view.index.row(uid)?;
        Ok((uid, row.and_then(|row| row.agent)))
    });
    found.ok()
}

fn part_of(tracker: &Tracker, holder: &str) -> Option<String> {
    let (session, part) = holder.split_once('.')?;
    let is_own = tracker.party().agent.as_deref() == Some(session);
    is_own.then(|| part.to_owned())
}
