//! Closing issues: the epics above them, and what is ready next.

use schemars::JsonSchema;
use serde::Serialize;

use super::claim;
use super::epic::open_children;
use super::next_ready::{first_claimable, own_work};
use super::question::brief;
use crate::model::edge::PARENT_CHILD;
use crate::model::graph::{is_open_below, is_rolled_up};
use crate::model::issue::{AUTO_CLOSED, StatusRegister};
use crate::model::limits::check_text;
use crate::model::{Evidence, Issue, Status, Uid, Writer};
use crate::ops::answer::{After, Answer, AnswerKind, Next, Summary};
use crate::ops::{Code, Command, Error, Result, Tx, View};

/// Issues to close, and the reason.
#[derive(Clone, Debug, Default)]
pub(crate) struct Done {
    /// Ids.
    pub ids: Vec<String>,
    /// The work that was done.
    pub reason: Option<String>,
    /// Evidence that it was done.
    pub evidence: Evidence,
    /// A commit has done it, so that no claim holds it back.
    pub landed: bool,
}

impl Done {
    fn reason(&self) -> Option<&str> {
        self.reason
            .as_deref()
            .map(str::trim)
            .filter(|reason| !reason.is_empty())
    }

    /// Refuses a reason that is too long.
    pub(crate) fn check(&self) -> Result<()> {
        Ok(check_text(
            "the reason",
            self.reason.as_deref().unwrap_or_default(),
        )?)
    }

    /// Returns the status of an issue that had another one before. What was said when it was closed stays where this
    /// says nothing of it; that a roll-up closed it (`auto`) does not: from now on it does not follow its children.
    fn status(&self, before: &StatusRegister) -> StatusRegister {
        let said = Some(before).filter(|state| state.status == Status::Closed && !state.auto);
        let reason = self
            .reason()
            .or(said.and_then(|state| state.reason.as_deref()));
        let earlier = said.map(|state| state.evidence.clone());
        StatusRegister {
            evidence: self.evidence.clone().or(earlier.unwrap_or_default()),
            agent: said.and_then(|state| state.agent.clone()),
            ..StatusRegister::new(Status::Closed, reason)
        }
    }
}

/// How far an epic is.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct EpicStatus {
    /// Children that have ended.
    pub completed: usize,
    /// Children that have not.
    pub remaining: usize,
}

/// What has ended.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Closed {
    /// The issue; of several, the first; none where nothing was to be closed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub closed: String,
    /// All of them, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// What is ready next: in the same epic, else of all where the agent takes whatever is next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_ready: Option<Summary>,
    /// How many issues are ready, where none of them is the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_count: Option<u64>,
    /// The most urgent of those: shown to a person, not given to an agent, since another epic is another matter.
    #[serde(skip)]
    pub elsewhere: Option<Summary>,
    /// True if the caller works through the queue.
    #[serde(skip)]
    pub takes_next: bool,
    /// What the caller has in progress still: that comes first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mine: Vec<String>,
    /// How far its epic is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epic_status: Option<EpicStatus>,
    /// Its parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// Epics that ended with their last child.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub auto_closed: Vec<String>,
    /// What is unusual about it: open blockers, open children.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

impl Answer for Closed {
    fn kind(&self) -> AnswerKind {
        if self.closed.is_empty() {
            AnswerKind::Empty
        } else {
            AnswerKind::Closed
        }
    }
    fn next(&self) -> Next {
        // Another epic is another matter: a person decides that, unless one had the caller take what is next.
        let after = After::Free {
            has_own: !self.mine.is_empty(),
            claimable: self.next_ready.is_some(),
        };
        after.next()
    }
}

/// The outcome of a closing.
#[derive(Clone, Default)]
pub(crate) struct ClosedSet {
    uids: Vec<Uid>,
    auto_closed: Vec<Uid>,
    remarks: Vec<String>,
    parent: Option<Uid>,
    epic: Option<EpicStatus>,
}

/// Closes issues within a change, each request for its own reason.
pub(crate) fn close_all(tx: &mut Tx<'_>, requests: &[Done]) -> Result<ClosedSet> {
    let mut outcome = ClosedSet::default();
    for (id, request) in requests
        .iter()
        .flat_map(|request| request.ids.iter().map(move |id| (id, request)))
    {
        let uid = tx.find(id)?;
        // Two arguments can name one issue, as an id and its beginning do.
        if outcome.uids.contains(&uid) {
            continue;
        }
        let mut issue = tx.issue(uid)?;
        if issue.is_deleted() {
            return Err(Error::deleted(issue.id()));
        }
        let writer = tx.writer(&issue)?;
        if request.landed {
            issue.forget_agent(&writer);
        } else {
            claim::end(tx, &mut issue, &writer, "done")?;
            check_reason(tx, &issue, request)?;
        }
        close(tx, &mut issue, &writer, request);
        outcome.uids.push(uid);
        tx.put(issue);
    }
    outcome.remarks = tx.remarks.take();
    for uid in outcome.uids.clone() {
        // All are closed by now: of two that wait for each other, neither is an open blocker.
        outcome.remarks.extend(remarks(tx, &tx.issue(uid)?)?);
    }
    for uid in outcome.uids.clone() {
        // The answer has room for one epic: that of the first issue that has one.
        if outcome.epic.is_none() {
            (outcome.parent, outcome.epic) = epic_of(tx, uid)?;
        }
        // Epics come last: several of the issues may be children of the same one.
        outcome.auto_closed.extend(close_finished_epics(tx, uid)?);
    }
    // What has landed is closed by several requests, each with its own commit: none of them speaks for all.
    let reason = if let [only] = requests {
        only.reason()
    } else {
        None
    };
    let why = reason
        .map(|reason| format!(": {reason}"))
        .unwrap_or_default();
    tx.subject(format!("done {}{why}", names(tx, &outcome.uids)?));
    Ok(outcome)
}

/// Refuses to replace what was said when an issue was closed, unless that is forced; says that it was closed.
fn check_reason(tx: &Tx<'_>, issue: &Issue, request: &Done) -> Result<()> {
    let state = issue.state();
    if state.status != Status::Closed || state.auto {
        return Ok(());
    }
    // The same once more, as after an answer that was lost, changes nothing.
    let is_other = |said: &&str| request.reason().is_some_and(|reason| reason != *said);
    let said = state.reason.as_deref().filter(|said| !said.is_empty());
    match said.filter(is_other) {
        Some(said) if !tx.view.tracker.is_forced() => Err(closed_already(issue.id(), said)),
        _ => {
            let remark = format!("{} was closed already", issue.id());
            tx.remarks.borrow_mut().push(remark);
            Ok(())
        }
    }
}

fn close(tx: &Tx<'_>, issue: &mut Issue, writer: &Writer, request: &Done) {
    let before = issue.state();
    let mut state = request.status(&before);
    if state != before {
        state.agent = tx.view.tracker.party().agent;
        issue.set_state(writer, &state);
    }
}

/// Sets a status without a reason; one by which an agent closes the issue has its name.
pub(crate) fn put_status(tx: &Tx<'_>, issue: &mut Issue, writer: &Writer, status: Status) -> bool {
    if status != Status::Closed || issue.status() == Status::Closed {
        return issue.set_status(writer, status);
    }
    let state = StatusRegister {
        agent: tx.view.tracker.party().agent,
        ..StatusRegister::new(status, None)
    };
    issue.set_state(writer, &state)
}

/// Returns what is unusual about an issue that is closed: open blockers, children and questions.
pub(crate) fn remarks(tx: &Tx<'_>, issue: &Issue) -> Result<Vec<String>> {
    let mut remarks = Vec::new();
    let blockers = tx.open_blockers(issue.uid())?;
    if !blockers.is_empty() {
        remarks.push(format!(
            "{} was still blocked by {}",
            issue.id(),
            blockers.join(", ")
        ));
    }
    remarks.extend(open_children(tx, issue)?);
    let id = issue.id();
    match tx.view.index.memory().open_count(issue.uid())? {
        0 => {}
        1 => remarks.push(format!(
            "{id} has a question without an answer; no inbox shows it any more"
        )),
        n => remarks.push(format!(
            "{id} has {n} questions without an answer; no inbox shows them any more"
        )),
    }
    Ok(remarks)
}

/// The parent of an issue, and how far it is if it is an epic.
fn epic_of(tx: &Tx<'_>, uid: Uid) -> Result<(Option<Uid>, Option<EpicStatus>)> {
    let Some(parent) = tx.targets(uid, PARENT_CHILD)?.into_iter().next() else {
        return Ok((None, None));
    };
    // The status first: a purged parent can't be read.
    if tx.status(parent)? == Status::Tombstone || tx.issue(parent)?.kind() != "epic" {
        return Ok((Some(parent), None));
    }
    let mut status = EpicStatus {
        completed: 0,
        remaining: 0,
    };
    for (_, child) in tx.children(parent)? {
        match child {
            // A deleted child is neither done nor left to be done.
            Status::Tombstone => {}
            ended if ended.is_done() => status.completed += 1,
            _ => status.remaining += 1,
        }
    }
    Ok((Some(parent), Some(status)))
}

/// Closes the epics above an issue that has ended, as long as all their children have; returns them.
pub(crate) fn close_finished_epics(tx: &mut Tx<'_>, uid: Uid) -> Result<Vec<Uid>> {
    let mut closed = Vec::new();
    let mut below = vec![uid];
    let mut seen = vec![uid];
    while let Some(child) = below.pop() {
        // Upwards: an epic that closes may be the last open child of the one above it, and so may what is below an issue
        // that was closed before.
        for parent in tx.targets(child, PARENT_CHILD)? {
            if seen.contains(&parent) {
                continue;
            }
            seen.push(parent);
            let is_closed_now = close_epic(tx, parent)?;
            if is_closed_now {
                closed.push(parent);
            }
            if is_closed_now || tx.status(parent)?.is_done() {
                below.push(parent);
            }
        }
    }
    Ok(closed)
}

fn close_epic(tx: &mut Tx<'_>, uid: Uid) -> Result<bool> {
    let status = tx.status(uid)?;
    // A protected status is a decision that no roll-up overrides.
    if status.is_protected() || status == Status::Tombstone {
        return Ok(false);
    }
    let mut epic = tx.issue(uid)?;
    if epic.kind() != "epic" {
        return Ok(false);
    }
    let status = epic.status();
    // Where a person closed it, their reason stays.
    if status.is_done() && !epic.state().auto {
        return Ok(false);
    }
    let children = tx.children(uid)?.into_iter().map(|(_, status)| status);
    if !is_rolled_up(children) || is_open_below(uid, |uid| tx.children(uid))? {
        return Ok(false);
    }
    let writer = tx.writer(&epic)?;
    let state = StatusRegister {
        auto: true,
        ..StatusRegister::new(Status::Closed, Some(AUTO_CLOSED))
    };
    epic.forget_agent(&writer);
    let changed = epic.set_state(&writer, &state);
    tx.put(epic);
    Ok(changed)
}

/// The ids of what a commit is about: the first three, and how many more.
pub(crate) fn names(tx: &Tx<'_>, uids: &[Uid]) -> Result<String> {
    let mut ids = Vec::new();
    for uid in uids.iter().take(3) {
        ids.push(tx.issue(*uid)?.id().to_owned());
    }
    let more = uids.len().saturating_sub(3);
    Ok(if more > 0 {
        format!("{} and {more} more", ids.join(" "))
    } else {
        ids.join(" ")
    })
}

/// Says what has ended, and what is ready next.
pub(crate) fn answer(outcome: ClosedSet, view: &View<'_>) -> Result<Closed> {
    let ids = |uids: &[Uid]| {
        uids.iter()
            .map(|uid| view.id(*uid))
            .collect::<Result<Vec<_>>>()
    };
    let all = ids(&outcome.uids)?;
    let several = all.len() > 1;
    let first = |parent| -> Result<_> { Ok(first_claimable(view, parent)?.map(Summary::core)) };
    let sibling = match outcome.parent {
        Some(parent) => first(Some(parent))?,
        None => None,
    };
    let any = match sibling {
        Some(_) => None,
        None => first(None)?,
    };
    let mine = own_work(view, &outcome.uids)?.into_iter().map(|row| row.id);
    let mine: Vec<String> = mine.collect();
    let (next_ready, elsewhere) = match any {
        Some(any) if view.tracker.takes_next() && mine.is_empty() => (Some(any), None),
        any => (sibling, any),
    };
    // The counters know it: what others are assigned to is among them, as in `status`.
    let ready_count = match next_ready {
        Some(_) => None,
        None => Some(view.index.counts(view.now())?.ready),
    };
    Ok(Closed {
        closed: all.first().cloned().unwrap_or_default(),
        ids: if several { all } else { Vec::new() },
        next_ready,
        ready_count,
        elsewhere,
        takes_next: view.tracker.takes_next(),
        mine,
        epic_status: outcome.epic,
        parent_id: outcome.parent.map(|uid| view.id(uid)).transpose()?,
        auto_closed: ids(&outcome.auto_closed)?,
        remarks: outcome.remarks,
    })
}

/// Refuses to close what is closed already for another reason.
fn closed_already(id: &str, reason: &str) -> Error {
    let reason = brief(reason);
    let message = format!("{id} is closed already: {reason}");
    let mut error = Error::new(Code::Closed, message).hinted(claim::keeping(id));
    error.hints.extend(claim::closed(id).hints);
    error.also(
        Command::of("done")
            .id(id)
            .flag("--force")
            .flag("-r")
            .placeholder("what was done")
            .then(" replaces the reason"),
    )
}
