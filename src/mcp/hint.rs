//! Hints name the next command; here, the next call.

use serde_json::Value;

use super::facts::Domain;
use super::tool::Tool;
use super::tools::does::{comes_last, is_for_person};
use crate::ops::answer::Failure;
use crate::ops::{Advice, Command, Error, Hint, joined};

/// The words in front of a command line, which an agent may not have.
const PERSON: &str = "a person can run: ";
/// The words in front of one that only looks, which an agent with a shell can run itself.
const SHELL: &str = "in a shell: ";
const READS: [&str; 2] = ["git ls-files ", "ls -ld "];

/// Returns an error as an answer whose hint names the tools that are offered. Commands that no offered tool runs
/// are left out: an agent has no command line.
///
/// A caller that has said who it is by `as` says it again.
pub(super) fn render(error: &Error, caller: Option<&str>, offered: &[&Tool]) -> Failure {
    let is_last = |hint: &&Hint| match hint {
        Hint::Run { command, .. } => comes_last(command),
        Hint::Advice(_) => false,
    };
    let hints = error.hints.iter();
    let (last, first): (Vec<&Hint>, Vec<&Hint>) = hints.partition(is_last);
    let hints = first.into_iter().chain(last);
    Failure {
        hint: joined(hints.filter_map(|hint| worded(hint, caller, offered))),
        ..Failure::from(error)
    }
}

fn worded(hint: &Hint, caller: Option<&str>, offered: &[&Tool]) -> Option<String> {
    match hint {
        Hint::Run {
            before,
            command,
            after,
        } => {
            let call = call(command, caller, offered)?;
            Some(format!("{before}{call}{after}"))
        }
        Hint::Advice(Advice::Again { before, after }) => Some(format!("{before}call again{after}")),
        // A call that the profile does not offer would only fail.
        Hint::Advice(Advice::Call { tool, .. }) if offered.iter().all(|it| it.name != *tool) => {
            None
        }
        Hint::Advice(Advice::Text(_) | Advice::Call { .. }) => Some(hint.to_string()),
    }
}

/// Returns the call that does what a command does; where only a person can do it, the command.
fn call(command: &Command, caller: Option<&str>, offered: &[&Tool]) -> Option<String> {
    if !command.is_own() {
        let text = command.to_string();
        let by = match READS.iter().any(|line| text.starts_with(line)) {
            true => SHELL,
            false => PERSON,
        };
        return Some(format!("{by}{text}"));
    }
    // From the last one: the daily tools come first, and do several things; one behind them does this alone.
    for tool in offered.iter().rev() {
        for does in tool.does {
            if does.verb == command.verb()
                && let Some(arguments) = (does.call)(command)
            {
                return Some(called(tool, arguments, caller));
            }
        }
    }
    is_for_person(command).then(|| format!("{PERSON}{command}"))
}

/// Returns a call, in the name of the caller if that was said and the tool acts for an agent.
fn called(tool: &Tool, mut arguments: String, caller: Option<&str>) -> String {
    let acts = tool.domain == Domain::Task && tool.is_about.is_some();
    if let Some(caller) = caller.filter(|_| acts) {
        let comma = if arguments.is_empty() { "" } else { ", " };
        arguments.push_str(&format!("{comma}as={}", Value::from(caller)));
    }
    format!("{}({arguments})", tool.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tools::tools;

    fn to_call(hints: &[Hint], offered: &[&str]) -> Option<String> {
        hint_for(None, hints, offered)
    }

    fn hint_for(caller: Option<&str>, hints: &[Hint], offered: &[&str]) -> Option<String> {
        let mut error = Error::invalid("x");
        error.hints = hints.to_vec();
        let tools = tools();
        let offered: Vec<&Tool> = tools
            .iter()
            .filter(|tool| offered.contains(&tool.name))
            .collect();
        render(&error, caller, &offered).hint
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
        let next = || Command::of("ready").flag("--claim").into();
        assert_eq!(
            hint_for(Some("b"), &[next()], &["task_start"]).as_deref(),
            Some("task_start(id=\"next\", as=\"b\")")
        );
        let init = || Command::of("init").into();
        assert_eq!(
            hint_for(Some("b"), &[init()], &["init"]).as_deref(),
            Some("init()")
        );
        let only_status = to_call(&[reopen().into()], &["task_status"]);
        assert_eq!(only_status, None, "only what is offered");
    }
}
