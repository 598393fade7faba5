//! Results of an exchange.

use crate::cli::text::count;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit};
use crate::model::id::is_format;
use crate::ops::shared::carry::CarryReport;
use crate::ops::shared::news::NewsSummary;
use crate::ops::verbs::sync::{DeliveryKind, Sync, Synced, sync};
use crate::ops::{Command, Result};

/// People who are named for what came.
const MOST_NAMES: usize = 3;

/// Exchanges and prints what that brought.
pub(in crate::cli) fn exchange(cli: &mut Cli, request: &Sync) -> Result<Exit> {
    let answer = sync(cli.tracker()?, request)?;
    let print = |ui: &mut Ui, answer: &Synced| synced(ui, answer, request);
    cli.answer(answer, |_| Vec::new(), print);
    Ok(Exit::OK)
}

fn synced(ui: &mut Ui, synced: &Synced, request: &Sync) {
    let commits = |n: usize| count(n, "change", "changes");
    let mut parts = Vec::new();
    if request.push {
        parts.push(format!("{} sent{}", commits(synced.sent), way(synced)));
    }
    if request.merge {
        parts.push(format!("{} received", commits(synced.received)));
    }
    if synced.merged {
        parts.push("merged".to_owned());
    }
    if synced.conflicts > 0 {
        parts.push(format!(
            "{} with conflicts (git beads conflicts)",
            count(synced.conflicts, "issue", "issues")
        ));
    }
    if parts.is_empty() {
        parts.push("fetched; git beads status shows how far ahead or behind it is".to_owned());
    }
    let would = if synced.dry_run {
        " (nothing was changed)"
    } else {
        ""
    };
    // Without a remote there was no exchange.
    let begin = match synced.remote.as_str() {
        "" => String::new(),
        remote => format!("{remote}: "),
    };
    if !begin.is_empty() {
        let text = format!("{begin}{}{would}", parts.join(", "));
        ui.line(&text);
    }
    collected(ui, synced, &begin);
    news(ui, synced.news.as_ref());
    match &synced.carry {
        Some(report) => carried(ui, report, "no remote takes issues here: ", synced.dry_run),
        None if begin.is_empty() && synced.collected.is_empty() && synced.left.is_empty() => {
            ui.line("nothing waits");
        }
        None => {}
    }
    for left in &synced.left {
        let line = ui.one_line(&format!("{} left alone: {}", left.from, left.why));
        ui.line(&line);
    }
    for id in &synced.renamed {
        ui.line(&format!(
            "{id} shares its id with an older issue; {} gives it another",
            Command::of("rename").id(id).placeholder("NEW")
        ));
    }
    for remark in &synced.remarks {
        let text = ui.one_line(remark);
        ui.line(&text);
    }
}

/// Prints what others changed, in a line.
fn news(ui: &mut Ui, news: Option<&NewsSummary>) {
    let Some(news) = news else { return };
    let issues = count(news.issues, "issue", "issues");
    let (by, counts) = (by_whom(&news.by), how_many(news));
    let line = format!("{issues} changed{by}{counts} (git beads whats-new)");
    let line = ui.one_line(&line);
    ui.line(&line);
}

/// Returns the first names of a list: ` by Ann, bob and 2 others`.
fn by_whom(names: &[String]) -> String {
    let mut by: Vec<String> = names.iter().take(MOST_NAMES).cloned().collect();
    let more = names.len().saturating_sub(MOST_NAMES);
    by.extend((more > 0).then(|| count(more, "other", "others")));
    match by.as_slice() {
        [] => String::new(),
        [one] => format!(" by {one}"),
        [first @ .., last] => format!(" by {} and {last}", first.join(", ")),
    }
}

/// Returns the numbers of issues by what happened: `: 1 closed, 2 commented`.
fn how_many(news: &NewsSummary) -> String {
    let number = |(what, n): (&String, &usize)| format!("{n} {what}");
    let counts: Vec<String> = news.counts.iter().map(number).collect();
    // Of very many it is not known.
    let colon = if counts.is_empty() { "" } else { ": " };
    format!("{colon}{}", counts.join(", "))
}

/// Prints what was merged of mailboxes and carry files.
fn collected(ui: &mut Ui, synced: &Synced, begin: &str) {
    for collected in &synced.collected {
        let changes = count(collected.changes, "change", "changes");
        let line = format!("{begin}{changes} collected from {}", collected.from);
        let line = ui.one_line(&line);
        ui.line(&line);
        for issue in &collected.shown {
            let line = format!("{} {} {}", issue.id, issue.status, issue.title);
            let line: String = line.chars().flat_map(plain).collect();
            ui.line(&format!("  {line}"));
        }
    }
}

/// Returns a character of a text of strangers as a page may show it too: no mark-up, and nothing that moves others.
fn plain(c: char) -> Vec<char> {
    match c {
        '<' | '>' | '`' | '[' | ']' | '&' | '\\' => c.escape_unicode().collect(),
        c if c.is_control() || is_format(c) => c.escape_unicode().collect(),
        c => vec![c],
    }
}

/// Prints where the changes are that no remote takes.
pub(in crate::cli) fn carried(ui: &mut Ui, report: &CarryReport, begin: &str, dry_run: bool) {
    let changes = count(report.changes, "change", "changes");
    let issues = count(report.issues, "issue", "issues");
    let file = &report.file;
    let place = match (dry_run, report.committed) {
        (_, true) => format!("{file}, which is committed"),
        (true, false) => format!("{file} (nothing was changed)"),
        (false, false) => file.clone(),
    };
    let are = if report.changes == 1 { "is" } else { "are" };
    ui.line(&format!("{begin}{changes} of {issues} {are} in {place}"));
    for remark in report.uncommitted.remarks() {
        let line = ui.one_line(&remark);
        ui.line(&line);
    }
    if !dry_run && !report.committed {
        let next = report.uncommitted.commands(".git-beads");
        ui.line(&format!("next: {next}"));
    }
}

/// Returns where the changes went, if not to the ref that every host takes.
fn way(synced: &Synced) -> String {
    let kind = match synced.delivery {
        None | Some(DeliveryKind::Carried) => return String::new(),
        Some(DeliveryKind::Branch) => "branch",
        Some(DeliveryKind::Mailbox) => "mailbox",
    };
    let name = synced.via.as_deref().unwrap_or_default();
    let name = name.strip_prefix("refs/heads/").unwrap_or(name);
    format!(" to the {kind} {name}")
}
