//! Commands and the calls that do the same: what `Tool::does` of the tools has, and which commands are for a person.

use serde_json::Value;

use crate::mcp::facts::Does;
use crate::ops::Command;

pub(super) const CHANGES_OF_ISSUE: Does = does("log", issue);
pub(super) const SHOW: Does = does("show", issue);
pub(super) const READY: Does = does("ready", nothing);
pub(super) const LIST: Does = does("list", listing);
pub(super) const BLOCKED: Does = does("blocked", blocked);
pub(super) const READY_CLAIM: Does = does("ready", start_next);
pub(super) const START: Does = does("start", start);
pub(super) const ASK: Does = does("ask", question);
pub(super) const NOTE: Does = does("note", finding);
pub(super) const DEP: Does = does("dep", link);
pub(super) const DONE: Does = does("done", end);
pub(super) const REOPEN: Does = does("reopen", reason);
pub(super) const LOG: Does = does("log", log);
pub(super) const INIT: Does = does("init", nothing);
pub(super) const SYNC: Does = does("sync", nothing);
pub(super) const CARRY: Does = does("carry", nothing);
pub(super) const CONFLICTS: Does = does("conflicts", issue);

const fn does(verb: &'static str, call: fn(&Command) -> Option<String>) -> Does {
    Does { verb, call }
}

/// Returns whether a command takes an issue away from another.
pub(in crate::mcp) fn is_takeover(command: &Command) -> bool {
    command.verb() == "start" && command.has("--force")
}

/// Returns whether a hint names a command last, behind those that take what is free.
pub(in crate::mcp) fn comes_last(command: &Command) -> bool {
    is_takeover(command) || command.verb() == "reopen"
}

/// Returns whether a command that no tool does is named for a person: it destroys nothing.
pub(in crate::mcp) fn is_for_person(command: &Command) -> bool {
    match command.verb() {
        "answer" | "init" | "restore" | "rename" | "sync" | "doctor" | "clone" | "fetch"
        | "carry" | "mcp" => true,
        // Where a claim is asked for is the choice of a person.
        "start" => command.has("--local"),
        _ => false,
    }
}

fn nothing(_: &Command) -> Option<String> {
    Some(String::new())
}

fn listing(_: &Command) -> Option<String> {
    Some("mode=\"list\"".to_owned())
}

fn blocked(_: &Command) -> Option<String> {
    Some("mode=\"blocked\"".to_owned())
}

fn start_next(command: &Command) -> Option<String> {
    command.has("--claim").then(|| "id=\"next\"".to_owned())
}

fn issue(command: &Command) -> Option<String> {
    on_issue(command, "")
}

/// Returns the arguments of the list of changes, of one issue or of all.
fn log(command: &Command) -> Option<String> {
    Some(match command.issue() {
        Some(id) => format!("issue_id={}", Value::from(id)),
        None => String::new(),
    })
}

fn start(command: &Command) -> Option<String> {
    match is_takeover(command) {
        true => on_issue(command, ", force=true"),
        false => issue(command).filter(|_| !is_for_person(command)),
    }
}

fn end(command: &Command) -> Option<String> {
    // It would replace what was said when the issue was closed.
    match command.has("--force") {
        true => None,
        false => reason(command),
    }
}

fn reason(command: &Command) -> Option<String> {
    on_issue(command, &format!(", reason={}", given(command, "REASON")))
}

fn question(command: &Command) -> Option<String> {
    let question = given(command, "QUESTION");
    on_issue(command, &format!(", question={question}"))
}

fn finding(command: &Command) -> Option<String> {
    let finding = given(command, "FINDING");
    on_issue(command, &format!(", findings=[{finding}]"))
}

/// Returns the arguments of the call that adds or removes dependencies.
fn link(command: &Command) -> Option<String> {
    let words = command.values("");
    let (verb, id) = (words.first()?, words.get(1)?);
    let id = Value::from(id.as_str());
    let on = command.values("--on").into_iter().map(Value::from);
    let on: Vec<String> = on.map(|on| on.to_string()).collect();
    let on = on.join(", ");
    let kind = match command.values("-t").pop() {
        Some(kind) => format!(", dep_type={}", Value::from(kind)),
        None => String::new(),
    };
    let remove = if verb == "rm" { ", remove=true" } else { "" };
    Some(format!("id={id}, depends_on=[{on}]{kind}{remove}"))
}

fn on_issue(command: &Command, rest: &str) -> Option<String> {
    let id = Value::from(command.issue()?);
    Some(format!("id={id}{rest}"))
}

/// Returns what the caller has said; else a word stands for it, as in hints for people.
fn given(command: &Command, wanted: &str) -> Value {
    Value::from(command.given().unwrap_or(wanted))
}
