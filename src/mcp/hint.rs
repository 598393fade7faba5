//! Hints name the next command; here, the next call.

use crate::ops::answer::Failure;
use crate::ops::{Advice, Command, Error, Hint, joined};

/// Returns an error as an answer whose hint names the tools that are offered. Commands that no offered tool runs
/// are left out: an agent has no command line.
pub(super) fn render(error: &Error, offers: impl Fn(&str) -> bool) -> Failure {
    let hints = error.hints.iter();
    Failure {
        hint: joined(hints.filter_map(|hint| worded(hint, &offers))),
        ..Failure::from(error)
    }
}

fn worded(hint: &Hint, offers: &impl Fn(&str) -> bool) -> Option<String> {
    match hint {
        Hint::Run {
            before,
            command,
            after,
        } => Some(format!("{before}{}{after}", call(command, offers)?)),
        Hint::Advice(Advice::Again { before, after }) => Some(format!("{before}call again{after}")),
        // A call that the profile does not offer would only fail.
        Hint::Advice(Advice::Call { tool, .. }) if !offers(tool) => None,
        Hint::Git(_) | Hint::Advice(Advice::Text(_) | Advice::Call { .. }) => {
            Some(hint.to_string())
        }
    }
}

/// Returns the call that does what a command does; the command itself where only a person can do it.
fn call(command: &Command, offers: &impl Fn(&str) -> bool) -> Option<String> {
    let id = command.issue();
    let on = |tool: &'static str, rest: &str| Some((tool, format!("{tool}(id=\"{}\"{rest})", id?)));
    let list = |arguments: &str| Some(("task_list", format!("task_list({arguments})")));
    let (tool, call) = match command.verb() {
        "show" | "log" => on("task_status", ""),
        "ready" => list(""),
        "list" => list("mode=\"list\""),
        "blocked" => list("mode=\"blocked\""),
        "search" => list("query=\"...\""),
        // No tool takes an issue away from another: that is a person's decision.
        "start" if !command.has("--force") => on("task_start", ""),
        "reopen" => on("task_reopen", ", reason=\"...\""),
        "done" => on("task_done", ", reason=\"...\""),
        "note" => on("task_progress", ", findings=[\"...\"]"),
        "conflicts" => on("conflicts", ""),
        // No tool does these in every profile: the agent runs the command, or asks for it.
        "init" | "restore" | "rename" | "sync" | "dep" | "doctor" => {
            return Some(command.to_string());
        }
        _ => None,
    }?;
    offers(tool).then_some(call)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_call(hints: &[Hint], offered: &[&str]) -> Option<String> {
        let mut error = Error::invalid("x");
        error.hints = hints.to_vec();
        render(&error, |tool| offered.contains(&tool)).hint
    }

    #[test]
    fn commands_become_calls() {
        let all = ["task_status", "task_list", "task_reopen"];
        let show = Command::of("show").id("bd-a");
        let reopen = || Command::of("reopen").id("bd-a");
        let pairs: [(&[Hint], Option<&str>); 7] = [
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
                &[reopen().flag("-r").placeholder("why").into()],
                Some("task_reopen(id=\"bd-a\", reason=\"...\")"),
            ),
            (&[Command::of("init").into()], Some("git beads init")),
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
                Some("call again in a moment; if it stays so: git beads doctor"),
            ),
        ];
        for (hints, call) in pairs {
            assert_eq!(to_call(hints, &all).as_deref(), call, "{hints:?}");
        }
        let only_status = to_call(&[reopen().into()], &["task_status"]);
        assert_eq!(only_status, None, "only what is offered");
    }
}
