//! Hints name the next command; here, the next call.

use serde_json::Value;

use crate::ops::answer::Failure;
use crate::ops::{Advice, Command, Error, Hint, joined};

/// Returns an error as an answer whose hint names the tools that are offered. Commands that no offered tool runs
/// are left out: an agent has no command line.
///
/// A caller that has said who it is by `as` says it again.
pub(super) fn render(
    error: &Error,
    caller: Option<&str>,
    offers: impl Fn(&str) -> bool,
) -> Failure {
    let takes = |hint: &&Hint| match hint {
        Hint::Run { command, .. } => is_takeover(command) || command.verb() == "reopen",
        _ => false,
    };
    let hints = error.hints.iter();
    // To take an issue away from another, or to open what is done, comes last: what is free goes before.
    let hints = hints
        .clone()
        .filter(|hint| !takes(hint))
        .chain(hints.filter(takes));
    Failure {
        hint: joined(hints.filter_map(|hint| worded(hint, caller, &offers))),
        ..Failure::from(error)
    }
}

fn worded(hint: &Hint, caller: Option<&str>, offers: &impl Fn(&str) -> bool) -> Option<String> {
    match hint {
        Hint::Run {
            before,
            command,
            after,
        } => {
            let call = as_caller(call(command, offers)?, caller);
            Some(format!("{before}{call}{after}"))
        }
        Hint::Advice(Advice::Again { before, after }) => Some(again(before, after)),
        // A call that the profile does not offer would only fail.
        Hint::Advice(Advice::Call { tool, .. }) if !offers(tool) => None,
        Hint::Advice(Advice::Text(_) | Advice::Call { .. }) => Some(hint.to_string()),
    }
}

/// The tools whose calls act for an agent.
const ACTS: [&str; 6] = [
    "task_start(",
    "task_done(",
    "task_progress(",
    "task_reopen(",
    "task_link(",
    "task_status(",
];

/// Returns a call in the name of who gets the hint, where that was said.
fn as_caller(call: String, caller: Option<&str>) -> String {
    let is_known = ACTS.iter().any(|tool| call.starts_with(tool));
    let (Some(name), true, Some(open)) = (caller, is_known, call.strip_suffix(')')) else {
        return call;
    };
    let comma = if open.ends_with('(') { "" } else { ", " };
    format!("{open}{comma}as={})", Value::from(name))
}

fn again(before: &str, after: &str) -> String {
    format!("{before}call again{after}")
}

/// The words in front of a command line, which an agent may not have.
const PERSON: &str = "a person can run: ";

/// The words in front of one that only looks, which an agent with a shell can run itself.
const SHELL: &str = "in a shell: ";
const READS: [&str; 2] = ["git ls-files ", "ls -ld "];

/// Returns the call that does what a command does; where only a person can do it, the command.
fn call(command: &Command, offers: &impl Fn(&str) -> bool) -> Option<String> {
    if !command.is_own() {
        let text = command.to_string();
        let by = match READS.iter().any(|line| text.starts_with(line)) {
            true => SHELL,
            false => PERSON,
        };
        return Some(format!("{by}{text}"));
    }
    let found = calls(command).into_iter().find(|(tool, _)| offers(tool));
    match command.verb() {
        // What no tool does: nothing of it destroys anything.
        "answer" | "init" | "restore" | "rename" | "sync" | "doctor" | "clone" | "fetch"
        | "carry" | "mcp"
            if found.is_none() =>
        {
            Some(format!("{PERSON}{command}"))
        }
        "start" if command.has("--local") => Some(format!("{PERSON}{command}")),
        _ => found.map(|(_, call)| call),
    }
}

/// A call: the name of the tool, and the text.
type Call = (&'static str, String);

/// Returns the calls that do what a command does, the best one first: the table of hints.
fn calls(command: &Command) -> Vec<Call> {
    let on = |tool, rest: &str| on_issue(command, tool, rest);
    // What the caller has said is repeated; else a word stands for it, as in hints for people.
    let text = |wanted: &'static str| Value::from(command.given().unwrap_or(wanted));
    let reason = || format!(", reason={}", text("REASON"));
    let calls = match command.verb() {
        "log" => [log(command), on("task_status", "")],
        "show" => [on("task_status", ""), None],
        "ready" if command.has("--claim") => [start_next(), list("")],
        "ready" => [list(""), None],
        "list" => [list("mode=\"list\""), None],
        "blocked" => [list("mode=\"blocked\""), None],
        "start" if is_takeover(command) => [on("task_start", ", force=true"), None],
        // Where a claim is asked for is the choice of a person.
        "start" if !command.has("--local") => [on("task_start", ""), None],
        "reopen" => [on("task_reopen", &reason()), None],
        // It would replace what was said when the issue was closed.
        "done" if command.has("--force") => [None, None],
        "done" => [on("task_done", &reason()), None],
        "ask" => {
            let question = format!(", question={}", text("QUESTION"));
            [on("task_progress", &question), None]
        }
        "note" => {
            let finding = format!(", findings=[{}]", text("FINDING"));
            [on("task_progress", &finding), None]
        }
        "dep" => [link(command), None],
        "conflicts" => [on("conflicts", ""), None],
        "init" => [bare("init"), None],
        "sync" => [bare("sync"), None],
        "carry" => [bare("carry"), None],
        _ => [None, None],
    };
    calls.into_iter().flatten().collect()
}

/// Returns whether a command takes an issue away from another.
fn is_takeover(command: &Command) -> bool {
    command.verb() == "start" && command.has("--force")
}

fn on_issue(command: &Command, tool: &'static str, rest: &str) -> Option<Call> {
    let id = command.issue()?;
    Some((tool, format!("{tool}(id={}{rest})", Value::from(id))))
}

fn list(arguments: &str) -> Option<Call> {
    Some(("task_list", format!("task_list({arguments})")))
}

fn start_next() -> Option<Call> {
    Some(("task_start", "task_start(id=\"next\")".to_owned()))
}

fn bare(tool: &'static str) -> Option<Call> {
    Some((tool, format!("{tool}()")))
}

fn log(command: &Command) -> Option<Call> {
    match command.issue() {
        Some(id) => Some(("log", format!("log(issue_id={})", Value::from(id)))),
        None => bare("log"),
    }
}

/// Returns the call that adds or removes dependencies.
fn link(command: &Command) -> Option<Call> {
    let words = command.values("");
    let (verb, id) = (words.first()?, words.get(1)?);
    let id = Value::from(id.as_str());
    let on = command.values("--on").into_iter().map(Value::from);
    let on: Vec<String> = on.map(|on| on.to_string()).collect();
    let kind = command.values("-t").pop();
    let kind = kind
        .map(|kind| format!(", dep_type={}", Value::from(kind)))
        .unwrap_or_default();
    let remove = if verb == "rm" { ", remove=true" } else { "" };
    let on = on.join(", ");
    let call = format!("task_link(id={id}, depends_on=[{on}]{kind}{remove})");
    Some(("task_link", call))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_call(hints: &[Hint], offered: &[&str]) -> Option<String> {
        let mut error = Error::invalid("x");
        error.hints = hints.to_vec();
        render(&error, None, |tool| offered.contains(&tool)).hint
    }

    #[test]
    fn commands_become_calls() {
        let all = ["task_status", "task_list", "task_reopen"];
        let show = Command::of("show").id("bd-a");
        let reopen = || Command::of("reopen").id("bd-a");
        let pairs: [(&[Hint], Option<&str>); 8] = [
            (
                &[Hint::run("did you mean bd-a, bd-b? ", show)],
                Some("did you mean bd-a, bd-b? task_status(id=\"bd-a\")"),
            ),
            (
                &[
                    Command::of("start")
                        .id("bd-a")
                        .flag("--force")
                        .then(" takes it over"),
                    Command::of("ready").then(" shows others"),
                ],
                Some("task_list() shows others"),
            ),
            (
                &[Command::of("reopen")
                    .id("bd-a")
                    .flag("-r")
                    .text("a \"b\"")
                    .into()],
                Some("task_reopen(id=\"bd-a\", reason=\"a \\\"b\\\"\")"),
            ),
            (
                &[reopen().flag("-r").placeholder("why").into()],
                Some("task_reopen(id=\"bd-a\", reason=\"REASON\")"),
            ),
            (
                &[Command::of("init").into()],
                Some("a person can run: git beads init"),
            ),
            (&[Command::of("help").word("update").into()], None),
            (
                &[
                    Hint::call("set_context", "name one: set_context(workspace_root=...)"),
                    Hint::text("start the server with --repo DIR"),
                ],
                Some("start the server with --repo DIR"),
            ),
            (
                &[
                    Hint::again("", " in a moment"),
                    Hint::run("if it stays so: ", Command::of("doctor")),
                ],
                Some("call again in a moment; if it stays so: a person can run: git beads doctor"),
            ),
        ];
        for (hints, call) in pairs {
            assert_eq!(to_call(hints, &all).as_deref(), call, "{hints:?}");
        }
        let claimed = [
            Command::of("start")
                .id("bd-a")
                .flag("--force")
                .then(" takes it over"),
            Command::of("ready")
                .flag("--claim")
                .then(" takes another one"),
            Command::of("start").id("bd-a").flag("--local").into(),
        ];
        assert_eq!(
            to_call(&claimed, &["task_start"]).as_deref(),
            Some(
                "task_start(id=\"next\") takes another one; a person can run: git beads start bd-a --local; \
                 task_start(id=\"bd-a\", force=true) takes it over"
            )
        );
        let quotes = Command::of("show").id("bd-\")x");
        assert_eq!(
            to_call(&[quotes.into()], &all).as_deref(),
            Some(r#"task_status(id="bd-\")x")"#)
        );
        let git = Hint::run("see: ", Command::line("git show").word("$(x)"));
        assert_eq!(
            to_call(&[git], &all).as_deref(),
            Some("see: a person can run: git show '$(x)'")
        );
        let rm = Command::of("dep")
            .word("rm")
            .id("bd-a")
            .flag("--on")
            .id("bd-b");
        assert_eq!(
            to_call(&[rm.into()], &["task_link"]).as_deref(),
            Some("task_link(id=\"bd-a\", depends_on=[\"bd-b\"], remove=true)")
        );
        assert_eq!(
            to_call(&[Command::of("init").into()], &["init"]).as_deref(),
            Some("init()")
        );
        assert_eq!(
            as_caller("task_start(id=\"next\")".to_owned(), Some("b")),
            "task_start(id=\"next\", as=\"b\")"
        );
        assert_eq!(as_caller("init()".to_owned(), Some("b")), "init()");
        let only_status = to_call(&[reopen().into()], &["task_status"]);
        assert_eq!(only_status, None, "only what is offered");
    }
}
