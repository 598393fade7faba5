//! Claiming an issue: it is in progress, and the caller works on it; and what ends that.

mod refusal;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::model::claim::{is_taken_from, note_taken_from};
use crate::model::{Field, Issue, Party, Status, Uid, Verdict, Wish, Writer};
use crate::ops::answer::{After, Answer, AnswerKind, ClaimView, Next, RemoteLease, Summary};
use crate::ops::shared::epic::remark_on_children;
use crate::ops::{Code, Error, Held, Result, Tracker, Tx, View};
pub(crate) use refusal::{about, closed, hinted, keeping, repeating};
use refusal::{another, claimed, forced, held_of};

/// What was started.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Started {
    /// The issue.
    pub issue: Summary,
    /// Issues that block it and is nevertheless started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_blockers: Vec<String>,
    /// The branch that is about it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The claim of the caller, where there was one already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub already_in_progress: Option<Held>,
    /// The claim of the caller, with where it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimView>,
    /// The claim at the remote, where that keeps it.
    #[serde(skip)]
    pub lease: Option<RemoteLease>,
    /// True where the remote could not be asked: another one may have been first.
    #[serde(skip)]
    pub tentative: bool,
    /// Whose claim it was before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

impl Started {
    /// Returns what a claim has come to.
    pub(crate) fn of(issue: Summary, taken: ClaimOutcome) -> Self {
        Self {
            issue,
            open_blockers: taken.open_blockers,
            branch: None,
            already_in_progress: taken.already,
            claim: None,
            lease: None,
            tentative: false,
            remarks: taken.remarks,
        }
    }

    /// Returns the claim of the caller, with where it is kept.
    pub(crate) fn claim(&self) -> Option<ClaimView> {
        let mut claim = ClaimView::own(&self.issue)?;
        claim.lease.clone_from(&self.lease);
        claim.tentative = self.tentative;
        Some(claim)
    }

    /// Adds the claim of the caller.
    pub(crate) fn with_claim(self) -> Self {
        let claim = self.claim();
        Self { claim, ..self }
    }

    /// Returns the claim alone.
    pub(crate) fn outcome(&self) -> ClaimOutcome {
        ClaimOutcome {
            open_blockers: self.open_blockers.clone(),
            already: self.already_in_progress.clone(),
            remarks: self.remarks.clone(),
        }
    }
}

/// A claim that was made, or was there.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClaimOutcome {
    pub(crate) open_blockers: Vec<String>,
    pub(crate) already: Option<Held>,
    pub(crate) remarks: Vec<String>,
}

impl Answer for Started {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Issue
    }
    fn next(&self) -> Next {
        After::Working.next()
    }
}

/// Starts the issue that `choose` names in this clone; runs again with the choice when another process was faster.
pub(crate) fn start_here(
    tracker: &Tracker,
    choose: &dyn Fn(&Tx<'_>) -> Result<Uid>,
    force: bool,
) -> Result<Started> {
    tracker.write(
        |tx| {
            // Chosen under the lock: two that take the first ready issue get different ones.
            let uid = choose(tx)?;
            Ok((uid, take(tx, uid, force)?))
        },
        |(uid, taken), view| Ok(Started::of(Summary::of(view, uid)?, taken)),
    )
}

/// Starts an issue within a change and says so; names the open issues it waits for.
pub(crate) fn take(tx: &mut Tx<'_>, uid: Uid, force: bool) -> Result<ClaimOutcome> {
    let mut issue = tx.issue(uid)?;
    let writer = tx.writer(&issue)?;
    // Under the lock: of two that start the same issue, the second is refused here.
    let already = claim(tx, &mut issue, &writer, force)?;
    tx.subject(format!("start {}: {}", issue.id(), issue.title()));
    let open_blockers = tx.open_blockers(uid)?;
    remark_on_children(tx, &issue)?;
    tx.put(issue);
    Ok(ClaimOutcome {
        open_blockers,
        already,
        remarks: tx.remarks.take(),
    })
}

/// Puts an issue in progress by the caller; returns the claim that the caller had already. Refused where another works
/// on it, it is assigned to another, or its status is protected, unless that is forced; and where it has ended.
pub(crate) fn claim(
    tx: &Tx<'_>,
    issue: &mut Issue,
    writer: &Writer,
    force: bool,
) -> Result<Option<Held>> {
    let caller = tx.view.tracker.party();
    let force = force || tx.view.tracker.is_forced();
    check(tx, issue, &caller, force)?;
    if let Some(holder) = issue.holder().filter(|holder| *holder == caller) {
        // Perhaps a caller that has forgotten, perhaps another one by the same name: the answer says it to both.
        return Ok(Some(held_of(tx, issue, &holder, None)));
    }
    let holder = issue.holder();
    take_for(tx, issue, writer, &caller);
    // It came back with that.
    if !issue.text(Field::Defer.key()).is_empty() {
        issue
            .blob_mut()
            .set(writer, Field::Defer.key(), Value::Null);
    }
    // An agent from which its person takes an issue does not go on with it, as with what is handed to it.
    let former = holder.filter(|it| it.person == caller.person && caller.agent.is_none());
    if let Some(agent) = former.and_then(|former| former.agent) {
        note_taken_from(issue, &agent);
    }
    Ok(None)
}

/// Puts an issue in progress by `party`, with the lease that is asked for.
pub(crate) fn take_for(tx: &Tx<'_>, issue: &mut Issue, writer: &Writer, party: &Party) {
    issue.take(writer, party);
    if let Some(minutes) = tx.view.tracker.lease() {
        issue.limit_claim(minutes);
        if party.agent.is_none() {
            remark(
                tx,
                "only claims of agents have a lease: a person's claim has no end".to_owned(),
            );
        }
    }
}

/// Refuses an issue that has ended.
pub(crate) fn check_open(tx: &Tx<'_>, issue: &Issue) -> Result<()> {
    match issue.status() {
        Status::Tombstone => Err(Error::deleted(issue.id())),
        // An epic that was closed with its last child is open again with another one.
        Status::Closed if tx.status(issue.uid())? == Status::Closed => Err(closed(issue.id())),
        _ => Ok(()),
    }
}

/// Refuses what the caller may not start, and says whose it was.
fn check(tx: &Tx<'_>, issue: &Issue, caller: &Party, force: bool) -> Result<()> {
    check_open(tx, issue).map_err(|error| match error.is(Code::Closed) {
        true => error.also(another()),
        false => error,
    })?;
    let id = issue.id();
    if let Some(holder) = issue.holder() {
        match may(tx, Wish::Start, issue, &holder) {
            Verdict::Own => {}
            Verdict::Refused if !force => return Err(claimed(tx, issue, &holder, "start")),
            _ => take_from(tx, issue, &holder, "taken over"),
        }
        return Ok(());
    }
    let assigned = Some(issue.text("assignee")).filter(|name| !name.is_empty());
    match issue.status() {
        // Without an assignee, as an import can bring it, it is free.
        Status::InProgress => {}
        status if status.is_protected() && !force => {
            let message = format!("{id} is {status}");
            return Err(Error::new(Code::Protected, message).hinted(forced("start", id)));
        }
        _ => match assigned.filter(|name| *name != caller.person) {
            Some(name) if !force => {
                let message = format!("{id} is assigned to {name}");
                return Err(Error::new(Code::Assigned, message)
                    .hinted(another())
                    .also(forced("start", id)));
            }
            Some(name) => remark(tx, format!("{id} was assigned to {name}")),
            None => {}
        },
    }
    Ok(())
}

/// Ends the work on an issue, with a write of its status by `verb`; says whose it was. Refused where another agent works
/// on it, and the caller is no person, unless that is forced.
pub(crate) fn end(tx: &Tx<'_>, issue: &mut Issue, writer: &Writer, verb: &str) -> Result<()> {
    check_end(tx, issue, verb)?;
    issue.forget_agent(writer);
    Ok(())
}

/// Refuses to end the work of another agent.
fn check_end(tx: &Tx<'_>, issue: &Issue, verb: &str) -> Result<()> {
    let id = issue.id();
    let Some(holder) = issue.holder() else {
        let name = issue.text("assignee");
        if issue.status() == Status::Open && !["", tx.view.tracker.actor()].contains(&name) {
            remark(tx, format!("{id} was assigned to {name}"));
        }
        return Ok(());
    };
    match may(tx, Wish::End, issue, &holder) {
        Verdict::Own => {}
        Verdict::Refused if !tx.view.tracker.is_forced() => {
            return Err(claimed(tx, issue, &holder, verb));
        }
        _ => take_from(tx, issue, &holder, &format!("ended ({verb})")),
    }
    Ok(())
}

/// Decides what the caller may do about a claim. What an agent has left others take over; looked at within the change, as
/// the agent can come back.
fn may(tx: &Tx<'_>, wish: Wish, issue: &Issue, holder: &Party) -> Verdict {
    verdict(&tx.view, wish, issue, holder)
}

fn verdict(view: &View<'_>, wish: Wish, issue: &Issue, holder: &Party) -> Verdict {
    let caller = view.tracker.party();
    match caller.may(wish, holder) {
        Verdict::Said if is_taken_from(issue, &caller) => Verdict::Refused,
        Verdict::Refused => match view.absence(issue, holder) {
            Some(absence) if absence.frees_for(&caller, holder) => Verdict::Said,
            _ => Verdict::Refused,
        },
        verdict => verdict,
    }
}

/// Returns true if the caller can end the work on an issue without force.
pub(crate) fn may_end(view: &View<'_>, issue: &Issue) -> bool {
    match issue.holder() {
        Some(holder) => verdict(view, Wish::End, issue, &holder) != Verdict::Refused,
        None => !issue.status().is_done(),
    }
}

/// Returns what is to be said of a holder that has left the issue.
fn absent(tx: &Tx<'_>, issue: &Issue, holder: &Party) -> String {
    let absence = tx.view.absence(issue, holder);
    absence.map_or_else(String::new, |absence| format!(", {absence}"))
}

/// Says whose claim of an issue ends by a verb that nothing holds back, and leaves that agent a notice.
pub(crate) fn tell(tx: &Tx<'_>, issue: &Issue, verb: &str) {
    let caller = tx.view.tracker.party();
    if let Some(holder) = issue.holder().filter(|holder| *holder != caller) {
        take_from(tx, issue, &holder, &format!("ended ({verb})"));
    }
}

/// Refuses to assign an issue to another person while another agent works on it.
pub(crate) fn check_assign(tx: &Tx<'_>, issue: &Issue) -> Result<()> {
    match issue.holder() {
        Some(_) => check_end(tx, issue, "assign"),
        // What no one has begun can be assigned to anyone, also by an agent.
        None => Ok(()),
    }
}

/// Says whose the claim was, and leaves that agent a notice of what has become of it.
fn take_from(tx: &Tx<'_>, issue: &Issue, holder: &Party, what: &str) {
    let (id, absent) = (issue.id(), absent(tx, issue, holder));
    remark(tx, format!("{id} was claimed by {holder}{absent}"));
    if let Some(agent) = &holder.agent {
        let caller = tx.view.tracker.party();
        let notice = format!("your claim of {id} was {what} by {caller}");
        tx.notices.borrow_mut().push((agent.clone(), notice));
    }
}

/// Opens an issue again that the caller works on, and gives it back to who it was assigned to before.
pub(crate) fn release(tx: &Tx<'_>, issue: &mut Issue, writer: &Writer) -> Result<()> {
    check_end(tx, issue, "stop")?;
    issue.release(writer);
    Ok(())
}

fn remark(tx: &Tx<'_>, text: String) {
    tx.remarks.borrow_mut().push(text);
}
