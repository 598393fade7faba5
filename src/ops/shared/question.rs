//! Questions to people in the memory of an issue.

use crate::model::limits::{MAX_NAME, MAX_TITLE, check_chars, check_text};
use crate::model::memory::clean;
use crate::model::{Issue, Memory, MemoryKind, NewQuestion, Party, Status, Uid};
use crate::ops::answer::{Question, shortened};
use crate::ops::shared::claim;
use crate::ops::shared::words::plain;
use crate::ops::{Command, Error, Result, Tx, View};

/// Answers that a question offers at most.
const MOST_OPTIONS: usize = 9;
/// Characters of a question or an answer in a notice.
const SHOWN: usize = 200;

/// Asks a question; one that the issue asks already is asked once.
pub(crate) fn ask(tx: &mut Tx<'_>, issue: &Issue, question: &NewQuestion) -> Result<Uid> {
    // No inbox shows what an issue asks that has ended.
    if tx.status(issue.uid())? == Status::Closed {
        return Err(claim::closed(issue.id()));
    }
    let question = checked(question, issue.id())?;
    let memory = tx.view.snapshot().memory(issue.uid())?.0;
    // A call that is repeated, as after a lost answer, does not ask twice.
    let same = |entry: &&Memory| {
        entry.is_open_question()
            && (entry.text(), entry.to()) == (question.text.as_str(), question.to.as_deref())
            && entry.options() == question.options
    };
    match memory.iter().find(same) {
        Some(known) => Ok(known.uid()),
        None => tx.ask(issue, &question),
    }
}

fn checked(question: &NewQuestion, id: &str) -> Result<NewQuestion> {
    let text = clean(MemoryKind::Question, &question.text).to_owned();
    let hint = || {
        Command::of("ask")
            .id(id)
            .placeholder("what you have to know")
    };
    if text.is_empty() {
        return Err(Error::invalid("an empty question").hinted(hint()));
    }
    check_text("a question", &text)?;
    let options = question.options.iter().map(|option| option.trim());
    let options: Vec<String> = options.map(str::to_owned).collect();
    if options.iter().any(String::is_empty) {
        return Err(Error::invalid("an empty option").hinted(hint()));
    }
    if options.len() > MOST_OPTIONS {
        let message = format!("{} options; the limit is {MOST_OPTIONS}", options.len());
        return Err(Error::invalid(message).hinted(hint()));
    }
    for option in &options {
        check_chars("an option", option, MAX_TITLE)?;
    }
    // People write `@lea`, as lists show names.
    let to = question
        .to
        .as_deref()
        .map(|name| name.trim().trim_start_matches('@'));
    let to = to.filter(|name| !name.is_empty()).map(str::to_owned);
    if let Some(name) = &to {
        check_chars("a name", name, MAX_NAME)?;
    }
    Ok(NewQuestion { text, options, to })
}

/// Returns whether a question is to an agent by its name, alone or with that of its person.
pub(crate) fn is_asked(party: &Party, to: Option<&str>) -> bool {
    let is_named = |agent: &String| to == Some(agent.as_str()) || to == Some(&*party.to_string());
    party.agent.as_ref().is_some_and(is_named)
}

/// Returns the notice of an answer to the agent that has asked.
pub(crate) fn notice(id: &str, by: &str, entry: &Memory) -> String {
    let answer = entry.answer().map_or("", |(text, _)| text);
    let (question, answer) = (brief(entry.text()), brief(answer));
    format!("{id}: {by} answered \"{question}\": {answer}")
}

/// Returns a text of a question on one line, and its beginning where it is long.
pub(crate) fn brief(text: &str) -> String {
    let text = plain(text);
    shortened(&text, SHOWN).unwrap_or(text)
}

/// Returns the questions of an issue, oldest first, without those that were withdrawn.
pub(crate) fn questions(view: &View<'_>, uid: Uid) -> Result<Vec<Question>> {
    let mut questions = Vec::new();
    for entry in view.index.memory().questions_of(uid)? {
        let entry = view.snapshot().remembered(uid, entry)?;
        questions.extend(entry.as_ref().map(Question::of));
    }
    Ok(questions)
}
