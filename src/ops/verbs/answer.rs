//! `answer`: what a person decides about a question of an issue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::limits::check_text;
use crate::model::{Issue, Memory, MemoryKind, Status};
use crate::ops::answer::{Answer, AnswerKind, Question};
use crate::ops::shared::entry::find_entry;
use crate::ops::shared::question::{brief, is_asked, notice};
use crate::ops::{Code, Command, Error, Result, Tracker, Tx};

/// Open questions that a refusal names.
const NAMED: usize = 3;

/// An answer to a question.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct AnswerRequest {
    /// The issue of the question.
    pub id: String,
    /// The question, or the end of its id; the one that is open by default.
    pub entry: Option<String>,
    /// The answer, or the number of an option.
    pub text: String,
}

/// A question that was answered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Answered {
    /// The issue of the question.
    pub id: String,
    /// The question with its answer.
    pub question: Question,
    /// True if the issue is still blocked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub blocked: bool,
}

impl Answer for Answered {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Updated
    }
}

/// Answers a question; the agent that has asked gets a notice. Refused to an agent that is not asked itself, unless that is
/// forced.
pub(crate) fn answer(tracker: &Tracker, request: &AnswerRequest) -> Result<Answered> {
    tracker.write(
        |tx| {
            let uid = tx.find(&request.id)?;
            let issue = tx.live(uid)?;
            let found = question(tx, &issue, request.entry.as_deref());
            check_caller(tx, &issue, found.as_ref().ok())?;
            let mut entry = found?;
            let text = text(&entry, &issue, &request.text)?;
            let writer = tx.writer(&issue)?;
            let before = entry.clone();
            entry.set_answer(&writer, &text);
            tx.subject(format!("answer {}: {}", issue.id(), entry.uid()));
            let answered = Answered {
                id: issue.id().to_owned(),
                question: Question::of(&entry),
                blocked: issue.status() == Status::Blocked,
            };
            // The same answer again is no change, so there is no notice of one.
            if entry != before {
                tell(tx, &issue, &entry);
                tx.put_memory(uid, entry);
            }
            Ok(answered)
        },
        |answered, _| Ok(answered),
    )
}

/// Refuses an agent that is not asked itself: what is asked is for a person to decide.
fn check_caller(tx: &Tx<'_>, issue: &Issue, question: Option<&Memory>) -> Result<()> {
    let tracker = tx.view.tracker;
    if question.is_some_and(|question| is_asked(&tracker.party(), question.to())) {
        return Ok(());
    }
    let Some(agent) = tracker.agent().filter(|_| !tracker.is_forced()) else {
        return Ok(());
    };
    let message = format!("only a person can answer, and {} is an agent", agent.name);
    Err(Error::new(Code::Protected, message)
        .hinted(hint(issue).flag("--force").then(" answers anyway")))
}

/// Returns the question that is meant: the one that is named, else the one that is open.
fn question(tx: &Tx<'_>, issue: &Issue, ending: Option<&str>) -> Result<Memory> {
    let id = issue.id();
    if let Some(ending) = ending {
        let entry = find_entry(tx, issue, ending)?;
        if entry.kind() != MemoryKind::Question {
            let message = format!("{} of {id} is no question", entry.uid());
            return Err(Error::invalid(message).hinted(Command::of("show").id(id)));
        }
        if entry.is_redacted() {
            let message = format!("the question {} of {id} was withdrawn", entry.uid());
            let restore = Command::of("redact").id(id).word(entry.uid());
            return Err(Error::invalid(message).hinted(restore.flag("--restore")));
        }
        return Ok(entry);
    }
    let memory = tx.view.snapshot().memory(issue.uid())?.0;
    let mut open: Vec<Memory> = memory
        .into_iter()
        .filter(Memory::is_open_question)
        .collect();
    match open.len() {
        0 => {
            Err(Error::not_found(format!("{id} has no open question")).hinted(Command::of("inbox")))
        }
        1 => Ok(open.remove(0)),
        n => {
            let each = |entry: &Memory| format!("{} \"{}\"", entry.uid(), brief(entry.text()));
            let questions: Vec<String> = open.iter().take(NAMED).map(each).collect();
            let message = format!("{id} has {n} open questions: {}", questions.join(", "));
            let error = Error::new(Code::Ambiguous, message);
            let each = |entry: &Memory| {
                let command = Command::of("answer").id(id).word(entry.uid());
                command.placeholder("...")
            };
            Err(open.iter().take(NAMED).map(each).fold(error, Error::also))
        }
    }
}

/// Returns the text of an answer: a number is one of the options, where there are any.
fn text(entry: &Memory, issue: &Issue, given: &str) -> Result<String> {
    let (given, options) = (given.trim(), entry.options());
    if given.is_empty() {
        return Err(Error::invalid("an empty answer").hinted(hint(issue)));
    }
    check_text("an answer", given)?;
    let is_number = given.bytes().all(|byte| byte.is_ascii_digit());
    // An option that is a number itself is meant by that.
    if options.is_empty() || !is_number || options.contains(&given) {
        return Ok(given.to_owned());
    }
    let number = given.parse::<usize>().unwrap_or(0);
    let option = number.checked_sub(1).and_then(|n| options.get(n));
    option.map(|option| (*option).to_owned()).ok_or_else(|| {
        let message = format!("there is no option {given}: 1 to {}", options.len());
        Error::invalid(message).hinted(Command::of("show").id(issue.id()))
    })
}

fn hint(issue: &Issue) -> Command {
    Command::of("answer").id(issue.id()).placeholder("...")
}

/// Leaves a notice for the agent that has asked.
fn tell(tx: &Tx<'_>, issue: &Issue, entry: &Memory) {
    let caller = tx.view.tracker.party();
    let asker = entry
        .agent()
        .filter(|agent| caller.agent.as_deref() != Some(agent));
    if let Some(agent) = asker {
        let notice = notice(issue.id(), &caller.to_string(), entry);
        tx.notices.borrow_mut().push((agent.to_owned(), notice));
    }
}
