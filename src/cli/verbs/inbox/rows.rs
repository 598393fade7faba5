//! The rows of an inbox. A sign in front of each says why it is there.

use crate::cli::text::count;
use crate::cli::text::value::value_text;
use crate::cli::ui::Ui;
use crate::model::time;
use crate::ops::Command;
use crate::ops::answer::shortened;
use crate::ops::scene::inbox::{Inbox, Need, NeedReason, OpenQuestion};
use crate::ops::shared::active::Active;
use crate::text::line::{Line, line};
use crate::text::style::{BOLD, CYAN, DIM, RED, priority_style};

/// Digits of a commit.
const SHORT: usize = 10;
/// Characters of a reason.
const MOST_REASON: usize = 200;

/// Rows of one reason; JSON has more.
const MOST_ROWS: usize = 20;

/// Prints the needs, reason by reason, and how many more there are of each.
pub(super) fn needs(ui: &mut Ui, inbox: &Inbox, now: u64) {
    for reason in NeedReason::ALL {
        let rows = inbox.needs.iter().filter(|need| need.reason == reason);
        let rows: Vec<&Need> = rows.take(MOST_ROWS).collect();
        for row in &rows {
            need(ui, inbox, row, now);
        }
        let more = inbox.count(reason) - rows.len();
        if more > 0 {
            // Of several repositories no one command lists them.
            let list = inbox.repos.is_empty().then(|| ui.led(list(reason)));
            let list = list.map(|list| format!(" ({list})")).unwrap_or_default();
            ui.line(&line!["  ", ui.paint(DIM, format!("{more} more{list}"))]);
        }
    }
}

/// Returns the command that lists all issues of a reason.
fn list(reason: NeedReason) -> Command {
    let query = match reason {
        NeedReason::Conflict => return Command::of("conflicts"),
        // It marks those that were left, too.
        NeedReason::Stale => return Command::of("list").flag("-s").word("in_progress"),
        NeedReason::Person => "is:waiting -is:question",
        NeedReason::Review => "is:review",
        NeedReason::Landed => "is:landed",
    };
    Command::of("list").flag("-w").word(query)
}

/// Begins a row with its sign, the repository and the issue.
fn begin(ui: &Ui, sign: &str, repo: Option<&String>, issue: &str) -> Line {
    let mut line = Line::default();
    if !sign.is_empty() {
        line.push(format!("{sign} "));
    }
    if let Some(repo) = repo {
        line.push(ui.paint(CYAN, ui.one_line(repo)));
        line.push(" ");
    }
    line.push(ui.paint(BOLD, ui.one_line(issue)));
    line
}

pub(super) fn question(ui: &mut Ui, open: &OpenQuestion, entry: Option<&str>, now: u64) {
    let question = &open.question;
    let age = time::age(&question.entry.at, now);
    let to = question.to.as_deref().map(|name| format!(" to {name}"));
    let by = format!("{}{}", question.entry.party(), to.unwrap_or_default());
    let source = format!("({}, {age})", ui.one_line(&by));
    let text = ui.one_line(&question.entry.text);
    let entry = entry.map(|entry| format!(" {entry}"));
    let mut line = begin(ui, "?", open.repo.as_ref(), &open.issue);
    line.push(ui.paint(DIM, entry.unwrap_or_default()));
    line.push(format!(" {}: {text} ", ui.one_line(&open.title)));
    line.push(ui.paint(DIM, source));
    ui.line(&line);
    for (n, option) in (1..).zip(&question.options) {
        ui.line(&format!("    {n} {}", ui.one_line(option)));
    }
}

/// Returns the command of a verb, for the repository that a row is about.
pub(super) fn command(inbox: &Inbox, repo: Option<&String>, verb: &'static str) -> Command {
    let mut command = Command::of(verb);
    if let Some(repo) = inbox.repos.iter().find(|it| Some(&it.repo) == repo) {
        command.lead("-C", &repo.path);
    }
    command
}

fn need(ui: &mut Ui, inbox: &Inbox, need: &Need, now: u64) {
    let text = match need.reason {
        NeedReason::Person => waits(ui, need),
        NeedReason::Conflict => need.conflict.as_ref().map_or_else(String::new, |entry| {
            ui.one_line(&entry.both(|value| value_text(ui, &entry.field, value)))
        }),
        NeedReason::Review => review(ui, inbox, need),
        NeedReason::Landed => landed(ui, inbox, need),
        NeedReason::Stale => {
            let left = need.holder.as_deref().map(Active::holder_and_remarks);
            ui.one_line(&left.unwrap_or_default())
        }
    };
    let sign = need.reason.sign().to_string();
    let mut line = begin(ui, &sign, need.repo.as_ref(), &need.issue);
    line.push(format!(" {}: {text} ", ui.one_line(&need.title)));
    line.push(ui.paint(DIM, format!("({})", time::age(&need.at, now))));
    ui.line(&line);
}

fn waits(ui: &Ui, need: &Need) -> String {
    match need.blocked_for.as_deref().filter(|it| !it.is_empty()) {
        Some(reason) => {
            let reason = ui.one_line(reason);
            let reason = shortened(&reason, MOST_REASON).unwrap_or(reason);
            format!("blocked: {reason}")
        }
        None => "labelled human".to_owned(),
    }
}

/// Returns what the agent said, what shows that it is done, and the command that accepts it.
fn review(ui: &Ui, inbox: &Inbox, need: &Need) -> String {
    let accept = command(inbox, need.repo.as_ref(), "accept").id(&need.issue);
    let accept = ui.led(accept);
    let Some(close) = &need.close else {
        return format!("asks for a review ({accept})");
    };
    let by = close
        .by
        .as_deref()
        .map(|by| format!(" by {}", ui.one_line(by)));
    let mut said = format!("closed{}", by.unwrap_or_default());
    if let Some(reason) = &close.reason {
        let reason = ui.one_line(reason);
        let reason = shortened(&reason, MOST_REASON).unwrap_or(reason);
        said.push_str(&format!(": {reason}"));
    }
    for (name, text) in close.evidence.parts() {
        let text = ui.one_line(text);
        let text = match name {
            "commit" => text.chars().take(SHORT).collect(),
            _ => text,
        };
        said.push_str(&format!(", {name} {text}"));
    }
    format!("{said} ({accept})")
}

fn landed(ui: &Ui, inbox: &Inbox, need: &Need) -> String {
    let commit = need.short_commit();
    let done = ui.led(command(inbox, need.repo.as_ref(), "done").flag("--landed"));
    format!("closed by {commit} ({done})")
}

pub(super) fn at_work(ui: &mut Ui, inbox: &Inbox, now: u64) {
    let issues = &inbox.at_work;
    let number = shown_of(issues.len(), inbox.at_work_count);
    head(ui, "At work", &number, issues.is_empty());
    for issue in issues {
        let summary = &issue.active.summary;
        let since = issue.active.since.as_deref();
        let age = time::age(since.unwrap_or(&issue.active.last_activity), now);
        let holder = summary.holder().unwrap_or_default();
        let mut line = begin(ui, "", issue.repo.as_ref(), &summary.id);
        line.push(format!(" {} ", ui.one_line(&summary.title)));
        line.push(ui.paint(DIM, format!("({}, {age})", ui.one_line(&holder))));
        if let Some(note) = &issue.active.last_note {
            line.push(format!(" {}", ui.one_line(&note.text)));
        }
        ui.row(&line);
    }
}

pub(super) fn changed(ui: &mut Ui, inbox: &Inbox, now: u64) {
    let changed = &inbox.changed;
    head(ui, "Since you looked", "", changed.is_empty());
    for one in changed {
        let mut line = Line::default();
        if let Some(repo) = &one.repo {
            line.push(ui.paint(CYAN, ui.one_line(repo)));
            line.push(" ");
        }
        let issues = count(one.news.issues, "issue", "issues");
        let by = ui.one_line(&one.news.by.join(", "));
        line.push(format!("{issues} changed by {by} "));
        let age = time::age(&one.since, now);
        let news = ui.led(command(inbox, one.repo.as_ref(), "whats-new"));
        line.push(ui.paint(DIM, format!("({age}; {news})")));
        ui.row(&line);
    }
}

pub(super) fn ready(ui: &mut Ui, inbox: &Inbox) {
    let number = shown_of(inbox.ready.len(), inbox.ready_count);
    head(ui, "Next", &number, inbox.ready.is_empty());
    for next in &inbox.ready {
        let summary = &next.summary;
        let mut line = begin(ui, "", next.repo.as_ref(), &summary.id);
        line.push(" ");
        let priority = format!("P{}", summary.priority);
        line.push(ui.paint(priority_style(summary.priority), priority));
        line.push(format!(" {}", ui.one_line(&summary.title)));
        if next.unblocks > 0 {
            line.push(ui.paint(DIM, format!(" (unblocks {})", next.unblocks)));
        }
        ui.row(&line);
    }
}

/// Names the repositories that could not be read.
pub(super) fn unread(ui: &mut Ui, inbox: &Inbox) {
    let unread: Vec<_> = inbox
        .repos
        .iter()
        .filter(|repo| repo.error.is_some())
        .collect();
    head(ui, "Not read", &unread.len().to_string(), unread.is_empty());
    for repo in unread {
        let error = ui.one_line(repo.error.as_deref().unwrap_or_default());
        let hint = repo
            .hint
            .as_deref()
            .map(|hint| format!(" ({})", ui.one_line(hint)));
        let mut line = line![
            ui.paint(RED, ui.one_line(&repo.repo)),
            " ",
            ui.one_line(&repo.path)
        ];
        line.push(format!(": {error}{}", hint.unwrap_or_default()));
        ui.line(&line);
    }
}

/// Returns how many are shown, and of how many, where that is more.
fn shown_of(shown: usize, all: Option<u64>) -> String {
    match all.unwrap_or(0) as usize {
        all if all > shown => format!("{shown} of {all}"),
        _ => shown.to_string(),
    }
}

fn head(ui: &mut Ui, name: &str, number: &str, is_empty: bool) {
    if !is_empty {
        ui.line("");
        ui.line(format!("{name} {number}").trim_end());
    }
}
