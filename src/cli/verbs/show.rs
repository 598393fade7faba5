//! `show`: everything about issues.

use std::collections::{BTreeSet, HashSet};

use clap::Args;

use crate::cli::options::at::AtOptions;
use crate::cli::text::prose::{prose, remarked, wrapped};
use crate::cli::text::rows::rows;
use crate::cli::text::value::value_text;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::edge::BLOCKS;
use crate::model::time;
use crate::ops::answer::{Conflict, Detail, Entry, Link, Question, Summary};
use crate::ops::shared::current_branch;
use crate::ops::verbs::show::{Issues, Show, Shown, known_ids, show};
use crate::ops::{Result, Tracker};
use crate::text::line::line;
use crate::text::style::{BOLD, DIM, RED, status_style};
use crate::text::words::id_words;

/// Digits of a commit, as git shows them.
const SHORT_COMMIT: usize = 7;

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// Ids [default: the issue of the current branch]
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Show at most this many entries of each kind of memory
    #[arg(long, value_name = "N")]
    memory: Option<usize>,
    #[command(flatten)]
    at: AtOptions,
}

impl Verb for ShowArgs {
    const NAME: &'static str = "show";
    const ABOUT: &'static str = "Show everything about issues";
    const GROUP: Group = Group::Work;
    const EXAMPLES: &'static str = r"Everything about an issue; for a program:

$ git beads show bd-a1b2
$ git beads show bd-a1b2 --json
";
    type Answer = Issues;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let request = Show {
            ids: current_branch::or_current(tracker, Self::NAME, self.ids)?,
            memory: self.memory,
            at: self.at.at,
        };
        let answer = show(tracker, &request)?;
        let now = tracker.now();
        if cli.ui.has_page() {
            let known = mentioned(cli.tracker()?, &answer)?;
            cli.ui.know(known);
        }
        cli.page();
        cli.answer(answer, ids, |ui, answer| issues(ui, answer, now));
        Ok(Exit::OK)
    }
}

fn ids(issues: &Issues) -> Vec<String> {
    let ids = issues.all().iter().map(|shown| &shown.issue.summary.id);
    ids.cloned().collect()
}

/// Returns the ids of issues in the texts that are shown.
fn mentioned(tracker: &Tracker, issues: &Issues) -> Result<HashSet<String>> {
    let mut words = BTreeSet::new();
    for shown in issues.all() {
        let memory = &shown.memory;
        let entries = [&memory.findings, &memory.decisions, &memory.comments];
        let entries = entries.into_iter().flatten().map(|entry| &*entry.text);
        let questions = memory.questions.iter();
        let questions = questions.flat_map(|it| [Some(&*it.entry.text), it.answer.as_deref()]);
        let texts = shown.issue.fields.texts.named().map(|(_, text)| text);
        let texts = texts.into_iter().chain(questions).flatten();
        words.extend(
            texts
                .chain(entries)
                .flat_map(id_words)
                .map(|(_, word)| word),
        );
    }
    known_ids(tracker, &words)
}

fn issues(ui: &mut Ui, issues: &Issues, now: u64) {
    for (i, shown) in issues.all().iter().enumerate() {
        if i > 0 {
            ui.line("");
        }
        issue(ui, shown, now);
    }
}

fn issue(ui: &mut Ui, shown: &Shown, now: u64) {
    let detail = &shown.issue;
    heading(ui, detail, now);
    let summary = &detail.summary;
    pair(ui, "reason", detail.reason.as_deref());
    pair(ui, "accepted", accepted(ui, detail).as_deref());
    for close in &detail.other_closes {
        let (by, date) = (ui.one_line(&close.by), ui.dates.day(&close.at));
        pair(
            ui,
            &format!("closed too by {by} ({date})"),
            Some(&close.reason),
        );
    }
    for (name, text) in detail.evidence.parts() {
        pair(ui, name, Some(text));
    }
    let lease = shown.lease.as_ref().map(|lease| match lease.activity {
        None => format!("{}m", lease.minutes),
        Some("stale") => format!("{}m, over", lease.minutes),
        Some(left) => format!("{}m, {left}", lease.minutes),
    });
    pair(ui, "lease", lease.as_deref());
    pair(ui, "labels", Some(summary.labels.join(", ").as_str()));
    if let Some(parent) = &summary.parent {
        ui.line(&line!["parent: ", ui.id(parent)]);
    }
    if let Some(name) = &detail.fields.external_ref {
        ui.line(&line!["external: ", ui.external(name)]);
    }
    limits(ui, detail, now);
    links(ui, detail);
    children(ui, &summary.children);
    for (name, text) in detail.fields.texts.named() {
        section(ui, name, text);
    }
    for (name, entries) in [
        ("findings", &shown.memory.findings),
        ("decisions", &shown.memory.decisions),
    ] {
        memory(ui, name, entries);
    }
    thread(ui, &shown.memory.comments);
    questions(ui, &shown.memory.questions);
    if let Some(more) = &shown.memory.more {
        let n = more.total();
        ui.line(&format!(
            "({n} older entries; show without --memory shows all)"
        ));
    }
    for lost in &detail.conflicts {
        conflict(ui, lost);
    }
    commits(ui, detail);
}

/// Prints the title, and below it what can be said in a word each.
fn heading(ui: &mut Ui, detail: &Detail, now: u64) {
    let summary = &detail.summary;
    let title = line![
        ui.leading(ui.paint(BOLD, &summary.id), &summary.id),
        " ",
        ui.paint(BOLD, ui.one_line(&summary.title)),
    ];
    wrapped(ui, "", &title);
    let mut holder = summary
        .holder()
        .map(|name| format!(" @{}", ui.one_line(&name)))
        .unwrap_or_default();
    for remark in summary.claim.iter().flat_map(|claim| claim.remarks("")) {
        holder.extend([" ", &remark]);
    }
    let facts = line![
        format!("P{} {} ", summary.priority, ui.one_line(&summary.kind)),
        ui.paint(status_style(&summary.status), ui.one_line(&summary.status),),
        holder,
        dates(ui, detail, now),
    ];
    wrapped(ui, "", &facts);
}

/// Returns who has accepted that it is done, and what of; that no one has, where an agent closed it.
fn accepted(ui: &Ui, detail: &Detail) -> Option<String> {
    let Some(accepted) = &detail.accepted else {
        return detail
            .closed_by_agent
            .as_ref()
            .map(|_| "not yet".to_owned());
    };
    let by = ui.one_line(&accepted.by);
    let commit = accepted.commit.as_deref();
    let commit = commit.map(|commit| format!(", commit {}", ui.one_line(commit)));
    let day = ui.dates.day(&accepted.at);
    Some(format!("{by} ({day}){}", commit.unwrap_or_default()))
}

fn conflict(ui: &mut Ui, conflict: &Conflict) {
    let by = conflict.by.as_deref().unwrap_or_default();
    let value = conflict
        .value
        .as_ref()
        .map(|value| format!(": {}", ui.one_line(&value_text(ui, &conflict.field, value))))
        .unwrap_or_default();
    let text = line![format!(
        "conflict: {} by {} ({}){value}",
        conflict.field,
        ui.one_line(by),
        ui.dates.minute(&conflict.at)
    )];
    wrapped(ui, "", &text);
}

/// Prints the commits that name the issue, in the form of `git log --oneline`.
fn commits(ui: &mut Ui, detail: &Detail) {
    if detail.commits.is_empty() {
        return;
    }
    ui.line("commits:");
    for commit in &detail.commits {
        let short = commit.commit.get(..SHORT_COMMIT).unwrap_or(&commit.commit);
        let closes = if commit.closes { " (closes it)" } else { "" };
        let text = format!("{short} {}{closes}", ui.one_line(&commit.subject));
        wrapped(ui, "  ", &line![text]);
    }
    if detail.more_commits > 0 {
        ui.line(&format!("  and {} older ones", detail.more_commits));
    }
}

fn dates(ui: &Ui, detail: &Detail, now: u64) -> String {
    let summary = &detail.summary;
    let day = |text: &str| ui.dates.day(text);
    let by = detail
        .created_by
        .as_deref()
        .map(|by| format!(" by {}", ui.one_line(by)))
        .unwrap_or_default();
    let changed = summary.updated_at.map(|at| time::ago(at.0, now));
    let changed = match changed.as_deref() {
        Some("now") => ", changed just now".to_owned(),
        Some(ago) => format!(", changed {ago} ago"),
        None => String::new(),
    };
    let closed = detail
        .closed_at
        .as_deref()
        .map(|at| format!(", closed {}", day(at)))
        .unwrap_or_default();
    let closer = detail.closed_by_agent.as_deref();
    let closer = closer.map(|by| format!(" by {}", ui.one_line(by)));
    let created = summary
        .created_at
        .map(|at| day(&time::format(at.0)))
        .unwrap_or_default();
    format!(
        ", created {created}{by}{changed}{closed}{}",
        closer.unwrap_or_default()
    )
}

/// Prints the days until which the issue is due and hidden.
fn limits(ui: &mut Ui, detail: &Detail, now: u64) {
    if let Some(at) = &detail.fields.due {
        let is_over = time::parse(at).is_some_and(|at| at < now);
        let over = detail.closed_at.is_none() && is_over;
        let (day, mark) = (ui.dates.limit(at), if over { " (overdue)" } else { "" });
        ui.line(&line!["due: ", day, ui.paint(RED, mark)]);
    }
    if let Some(at) = &detail.fields.defer {
        // It is back at this moment.
        let is_over = time::parse(at).is_some_and(|at| at <= now);
        let over = if is_over { " (over)" } else { "" };
        let text = format!("deferred until: {}{over}", ui.dates.limit(at));
        ui.line(&text);
    }
}

fn pair(ui: &mut Ui, name: &str, value: Option<&str>) {
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        let text = format!("{name}: {}", ui.one_line(value));
        wrapped(ui, "", &line![text]);
    }
}

fn links(ui: &mut Ui, detail: &Detail) {
    let describe = |ui: &Ui, link: &Link| {
        let status = link.status.as_deref().map_or_else(
            || " (not here)".to_owned(),
            |status| format!(" [{}]", ui.one_line(status)),
        );
        let title = link
            .title
            .as_deref()
            .map(|title| format!(" {}", ui.one_line(title)))
            .unwrap_or_default();
        let suspended = if link.suspended {
            " (suspended: it would close a cycle)"
        } else {
            ""
        };
        format!("{status}{title}{suspended}")
    };
    for (list, blocking, other) in [
        (&detail.dependencies, "blocked by", "->"),
        (&detail.dependents, BLOCKS, "<-"),
    ] {
        for link in list {
            let name = if link.kind == BLOCKS {
                blocking.to_owned()
            } else {
                format!("{other} {}", ui.one_line(&link.kind))
            };
            let line = line![name, ": ", ui.id(&link.id), describe(ui, link)];
            wrapped(ui, "", &line);
        }
    }
}

fn children(ui: &mut Ui, children: &[Summary]) {
    if children.is_empty() {
        return;
    }
    let done = children
        .iter()
        .filter(|child| matches!(child.status.as_str(), "closed" | "tombstone"))
        .count();
    title(ui, &format!("children ({done} of {} done)", children.len()));
    rows(ui, children.iter().map(|child| (child, 0, String::new())));
}

/// Prints the title of a part.
fn title(ui: &mut Ui, name: &str) {
    ui.line("");
    ui.line(&line![ui.paint(BOLD, name)]);
}

fn section(ui: &mut Ui, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        title(ui, name);
        // Indented where it is drawn: no heading of a text passes for one of ours.
        let indent = if ui.width().is_some() { "  " } else { "" };
        prose(ui, text, indent);
    }
}

fn memory(ui: &mut Ui, name: &str, entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    title(ui, name);
    for entry in entries {
        let source = source(ui, &entry.party().to_string(), &entry.at);
        let source = format!("{source}, {}", ending(&entry.id));
        said(ui, "- ", &entry.text, &source);
    }
}

/// Prints comments in the order in which they were written, each below who wrote it and when.
fn thread(ui: &mut Ui, comments: &[Entry]) {
    if comments.is_empty() {
        return;
    }
    title(ui, "comments");
    for comment in comments {
        let by = ui.one_line(&comment.party().to_string());
        let (at, id) = (ui.dates.minute(&comment.at), ending(&comment.id));
        ui.line(&line![by, ui.paint(DIM, format!(", {at} ({id})"))]);
        prose(ui, &comment.text, "  ");
    }
}

/// Prints the questions, each with its answer below it.
fn questions(ui: &mut Ui, questions: &[Question]) {
    if questions.is_empty() {
        return;
    }
    title(ui, "questions");
    for question in questions {
        let entry = &question.entry;
        let to = question.to.as_deref().map(|name| format!(" to {name}"));
        let by = format!("{}{}", entry.party(), to.unwrap_or_default());
        let source = format!("{}, {}", source(ui, &by, &entry.at), ending(&entry.id));
        said(ui, "- ", &entry.text, &source);
        let day = question.answered_at.as_deref().unwrap_or_default();
        let by = question.answered_by.as_deref().unwrap_or_default();
        match &question.answer {
            Some(answer) => {
                let source = self::source(ui, by, day);
                said(ui, "  answer: ", answer, &source);
            }
            None => {
                for (n, option) in (1..).zip(&question.options) {
                    ui.line(&format!("  {n} {}", ui.one_line(option)));
                }
            }
        }
    }
}

/// Returns the end of the id of an entry, which `redact` takes: the beginning of a ULID is a time, and alike for all of
/// one day.
fn ending(id: &str) -> &str {
    id.get(id.len().saturating_sub(6)..).unwrap_or(id)
}

fn source(ui: &Ui, by: &str, at: &str) -> String {
    format!("{by}, {}", ui.dates.day(at))
}

/// Prints a text of the memory, and where it is from.
fn said(ui: &mut Ui, mark: &str, text: &str, source: &str) {
    let source = ui.paint(DIM, format!("({})", ui.one_line(source)));
    remarked(ui, mark, text, source);
}
