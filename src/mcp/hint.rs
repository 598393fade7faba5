//! Hints name the next command; here, the next call.

use crate::ops::Error;

/// Turns the commands of a hint into calls of tools that are offered. Parts that only a person at a command
/// line could follow are left out.
pub(super) fn render(error: Error, offers: impl Fn(&str) -> bool) -> Error {
    let parts = error.hint.as_deref().unwrap_or_default().split("; ");
    let parts: Vec<String> = parts
        .filter(|part| !part.is_empty())
        .filter_map(|part| call(part, &offers))
        .collect();
    Error {
        hint: (!parts.is_empty()).then(|| parts.join("; ")),
        ..error
    }
}

fn call(part: &str, offers: &impl Fn(&str) -> bool) -> Option<String> {
    if let Some(named) = part
        .split_once('(')
        .map(|(before, _)| before.rsplit(' ').next().unwrap_or_default())
    {
        // A part that names a tool already.
        return (!named.starts_with("set_context") || offers("set_context"))
            .then(|| part.to_owned());
    }
    let Some((before, command)) = part.split_once("git beads ") else {
        return Some(part.replace("run the command again", "call again"));
    };
    let mut words = command.split_whitespace();
    let verb = words.next().unwrap_or_default();
    let id = words
        .next()
        .filter(|word| !word.starts_with('-'))
        .unwrap_or_default();
    let (tool, call) = match verb {
        "show" | "log" => ("task_status", format!("task_status(id=\"{id}\")")),
        "ready" => ("task_list", command.replacen("ready", "task_list()", 1)),
        "list" => ("task_list", "task_list(mode=\"list\")".to_owned()),
        "blocked" => ("task_list", "task_list(mode=\"blocked\")".to_owned()),
        "search" => ("task_list", "task_list(query=\"...\")".to_owned()),
        "start" if !command.contains("--force") => {
            ("task_start", format!("task_start(id=\"{id}\")"))
        }
        "reopen" => (
            "task_reopen",
            format!("task_reopen(id=\"{id}\", reason=\"...\")"),
        ),
        "done" => (
            "task_done",
            format!("task_done(id=\"{id}\", reason=\"...\")"),
        ),
        "note" => (
            "task_progress",
            format!("task_progress(id=\"{id}\", findings=[\"...\"])"),
        ),
        "conflicts" => ("conflicts", format!("conflicts(id=\"{id}\")")),
        // What no tool does a person can.
        "init" | "restore" | "rename" | "sync" | "dep" | "doctor" => return Some(part.to_owned()),
        _ => return None,
    };
    offers(tool).then(|| format!("{before}{call}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_call(hint: &str, offered: &[&str]) -> Option<String> {
        render(Error::invalid("x").hinted(hint), |tool| {
            offered.contains(&tool)
        })
        .hint
    }

    #[test]
    fn commands_become_calls() {
        let all = ["task_status", "task_list", "task_reopen"];
        let pairs = [
            (
                "did you mean bd-a, bd-b? git beads show bd-a",
                Some("did you mean bd-a, bd-b? task_status(id=\"bd-a\")"),
            ),
            (
                "git beads start bd-a --force takes it over; git beads ready shows others",
                Some("task_list() shows others"),
            ),
            (
                "git beads reopen bd-a -r \"why\"",
                Some("task_reopen(id=\"bd-a\", reason=\"...\")"),
            ),
            ("git beads init", Some("git beads init")),
            ("git beads help update", None),
            (
                "name one: set_context(workspace_root=...); start the server with --repo DIR",
                Some("start the server with --repo DIR"),
            ),
            (
                "run the command again in a moment; if it stays so: git beads doctor",
                Some("call again in a moment; if it stays so: git beads doctor"),
            ),
        ];
        for (hint, call) in pairs {
            assert_eq!(to_call(hint, &all).as_deref(), call, "{hint}");
        }
        assert_eq!(
            to_call("git beads reopen bd-a", &["task_status"]),
            None,
            "only what is offered"
        );
    }
}
