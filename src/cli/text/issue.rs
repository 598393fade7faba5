//! Results of changes to an issue.

use crate::cli::text::next;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit};
use crate::model::edge::BLOCKS;
use crate::ops::Command;
use crate::ops::shared::claim::Started;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::create::Created;
use crate::ops::verbs::dep::Linked;
use crate::ops::verbs::init::Initialised;
use crate::text::line::line;
use crate::text::style::BOLD;

/// Prints where issues are tracked now, and what comes next.
pub(in crate::cli) fn initialised(ui: &mut Ui, init: &Initialised) {
    place(ui, init);
    match &init.found {
        Some(file) => next(ui, Command::of("import").word(file)),
        None if init.existing || init.joined.is_some() => next(ui, Command::of("ready")),
        None => next(ui, Command::of("create").placeholder("What is to be done")),
    }
}

/// Prints where issues are tracked now.
pub(in crate::cli) fn place(ui: &mut Ui, init: &Initialised) {
    let from = init
        .joined
        .as_deref()
        .map(|remote| format!(", joined from {remote}"))
        .unwrap_or_default();
    let (repo, prefix) = (&init.repo, &init.prefix);
    let text = match init.existing {
        true => format!("{repo} already has an issue store (prefix: {prefix}{from})"),
        false => format!("Tracking issues in {repo} (prefix: {prefix}{from})"),
    };
    ui.line(&text);
}

/// Prints an issue that was created.
pub(in crate::cli) fn created(ui: &mut Ui, created: &Created) {
    let title = ui.one_line(&created.title);
    let Some(id) = &created.id else {
        ui.line(&format!("would be created: {title}"));
        return;
    };
    let verb = if created.existing {
        "already exists"
    } else {
        "created"
    };
    let line = line![ui.paint(BOLD, id), format!(" {verb}: {title}")];
    ui.line(&line);
    if let Some(due) = created.due {
        ui.line(&ui.dates.due(due).0);
    }
    if !created.open_blockers.is_empty() {
        let text = format!("blocked by {}", created.open_blockers.join(", "));
        ui.line(&text);
    }
    if created.started {
        let done = ui.led(Command::of("done").id(id).flag("-r").placeholder("..."));
        next(ui, noting(id).then(format!(", then {done}")));
    } else if !created.open_blockers.is_empty() {
        next(ui, Command::of("ready"));
    } else if created.may_start {
        next(ui, Command::of("start").id(id));
    } else {
        next(ui, Command::of("show").id(id));
    }
}

/// Returns the id of an issue that was created.
pub(in crate::cli) fn created_ids(created: &Created) -> Vec<String> {
    created.id.iter().cloned().collect()
}

/// Prints an issue that was started.
pub(in crate::cli) fn started(ui: &mut Ui, started: &Started) {
    let issue = &started.issue;
    let holder = issue.holder().unwrap_or_default();
    let text = format!(
        "{} {} by {}: {}",
        issue.id,
        ui.one_line(&issue.status),
        ui.one_line(&holder),
        ui.one_line(&issue.title)
    );
    ui.line(&text);
    if let Some(held) = &started.already_in_progress {
        let text = format!("already in progress by {}", ui.one_line(&held.by));
        ui.line(&text);
    }
    if let Some(lease) = &started.lease {
        let remote = ui.one_line(&lease.remote);
        let lease = lease
            .minutes
            .map(|minutes| format!(", with a lease of {minutes}m"));
        ui.line(&format!(
            "{remote} has confirmed the claim{}",
            lease.unwrap_or_default()
        ));
    }
    remarks(ui, &started.remarks);
    if !started.open_blockers.is_empty() {
        ui.line(&format!(
            "still blocked by {}",
            started.open_blockers.join(", ")
        ));
    }
    if let Some(branch) = &started.branch {
        let text = format!("on branch {}", ui.one_line(branch));
        ui.line(&text);
    }
    let note = ui.led(noting(&issue.id));
    let show = Command::of("show").id(&issue.id);
    next(ui, show.then(format!(", then {note}")));
}

/// Returns the command that adds a finding to an issue.
pub(in crate::cli) fn noting(id: &str) -> Command {
    let note = Command::of("note").id(id);
    note.flag("--finding").placeholder("...")
}

/// Prints what is unusual about a change.
pub(in crate::cli) fn remarks(ui: &mut Ui, remarks: &[String]) {
    for remark in remarks {
        let text = format!("note: {}", ui.one_line(remark));
        ui.line(&text);
    }
}

/// Returns the id of an issue that was started.
pub(in crate::cli) fn started_ids(started: &Started) -> Vec<String> {
    vec![started.issue.id.clone()]
}

/// Prints issues that were changed, in the word of the verb.
fn updated(ui: &mut Ui, updated: &Updated, verb: &str) {
    let what = match (updated.changed.is_empty(), verb) {
        (true, _) => "unchanged".to_owned(),
        (false, "updated") => format!("updated ({})", updated.changed.join(", ")),
        (false, verb) => verb.to_owned(),
    };
    for issue in &updated.issues {
        let text = format!("{} {what}: {}", issue.id, ui.one_line(&issue.title));
        ui.line(&text);
    }
    let due = updated.issues.first().and_then(|issue| issue.due.as_ref());
    if let Some(due) = due.filter(|_| updated.changed.iter().any(|field| field == "due")) {
        ui.line(&ui.dates.due(due.0).0);
    }
    remarks(ui, &updated.remarks);
    for epic in &updated.auto_closed {
        ui.line(&format!("{epic} closed: all its children are"));
    }
    let verb = if verb == "deleted" { "restore" } else { "show" };
    next(ui, Command::of(verb).id(&updated.id));
}

/// Returns the ids of issues that were changed.
fn updated_ids(updated: &Updated) -> Vec<String> {
    let ids = updated.issues.iter().map(|issue| issue.id.clone());
    ids.collect()
}

/// Answers with issues that were changed, in the word of the verb.
pub(in crate::cli) fn answer_updated(cli: &mut Cli, answer: Updated, word: &str) -> Exit {
    cli.answer(answer, updated_ids, |ui, answer| updated(ui, answer, word));
    Exit::OK
}

/// Returns the id of the issue whose dependencies were changed.
pub(in crate::cli) fn linked_ids(linked: &Linked) -> Vec<String> {
    vec![linked.id.clone()]
}

/// Prints dependencies that were added or removed.
pub(in crate::cli) fn linked(ui: &mut Ui, linked: &Linked, adding: bool) {
    let ids = if adding {
        &linked.added_depends_on
    } else {
        &linked.removed_depends_on
    };
    let waits = linked.dep_type == BLOCKS;
    let text = match (ids.is_empty(), adding, waits) {
        (true, ..) => format!("{} unchanged", linked.id),
        (false, true, true) => format!("{} is blocked by {}", linked.id, ids.join(", ")),
        (false, false, true) => format!("{} is no longer blocked by {}", linked.id, ids.join(", ")),
        (false, true, false) => format!(
            "{} is linked to {} ({})",
            linked.id,
            ids.join(", "),
            linked.dep_type
        ),
        (false, false, false) => {
            format!(
                "{} is no longer linked to {} ({})",
                linked.id,
                ids.join(", "),
                linked.dep_type
            )
        }
    };
    ui.line(&text);
    next(ui, Command::of("ready"));
}
