//! The verbs that look back: what was done, by whom, and what it changed.

use anstyle::Style;
use serde_json::Value;

use super::args::{DiffArgs, Global, IdArg, LogArgs, UndoArgs};
use super::columns::{fit, pad};
use super::lines::{DiffLine, difference};
use super::render::{BOLD, DIM, GREEN, RED, YELLOW};
use super::ui::Ui;
use crate::model::Context;
use crate::ops::shared::field_diff::{ChangeKind, DiffDetail, FieldChange, IssueChange};
use crate::ops::verbs::blame;
use crate::ops::verbs::blame::{Blame, FieldOrigin};
use crate::ops::verbs::diff;
use crate::ops::verbs::diff::Diff;
use crate::ops::verbs::log;
use crate::ops::verbs::log::{Log, Operation};
use crate::ops::verbs::undo;
use crate::ops::verbs::undo::{Left, Skipped, Undone};
use crate::ops::{Result, Tracker};

/// Digits of a commit.
pub(super) const DIGITS: usize = 10;
/// Longer texts are compared line by line.
const LONG: usize = 60;
/// Of lines that all went or all came, so many are shown.
const MOST_LINES: usize = 20;
/// Columns of a name on a terminal.
const WIDEST_NAME: usize = 24;
/// A narrower terminal has no room for times.
const NARROW: usize = 60;
/// Issues that are shown of one operation.
const MOST_ISSUES: usize = 20;

pub(super) fn log(tracker: &Tracker, ui: &mut Ui, global: &Global, args: LogArgs) -> Result<()> {
    let LogArgs {
        id,
        patch,
        since,
        until,
        author,
        oneline,
        limit,
    } = args;
    let detail = if global.json.is_some() {
        DiffDetail::All
    } else {
        DiffDetail::First(MOST_ISSUES)
    };
    let answer = log::log(
        tracker,
        &log::History {
            id,
            patch,
            detail,
            since,
            until,
            author,
            limit,
        },
    )?;
    ui.page(global, tracker.store());
    let commits = |log: &Log| {
        log.operations
            .iter()
            .map(|operation| operation.commit.clone())
            .collect()
    };
    ui.answer(answer, commits, |ui, log| {
        for operation in &log.operations {
            show_operation(ui, operation, oneline);
        }
        show_cut(ui, &log.cut);
    });
    Ok(())
}

pub(super) fn diff(tracker: &Tracker, ui: &mut Ui, global: &Global, args: &DiffArgs) -> Result<()> {
    let detail = if global.json.is_some() {
        DiffDetail::All
    } else {
        DiffDetail::Changed
    };
    let answer = diff::diff(tracker, &args.range, detail)?;
    ui.page(global, tracker.store());
    let ids = |diff: &Diff| diff.issues.iter().map(|issue| issue.id.clone()).collect();
    ui.answer(answer, ids, show_diff);
    Ok(())
}

pub(super) fn blame(tracker: &Tracker, ui: &mut Ui, global: &Global, args: &IdArg) -> Result<()> {
    let answer = blame::blame(tracker, &args.id)?;
    ui.page(global, tracker.store());
    let commits = |blame: &Blame| {
        blame
            .fields
            .iter()
            .filter_map(|field| field.commit.clone())
            .collect()
    };
    ui.answer(answer, commits, show_blame);
    Ok(())
}

pub(super) fn undo(tracker: &Tracker, ui: &mut Ui, args: UndoArgs) -> Result<()> {
    let UndoArgs {
        what,
        force,
        dry_run,
    } = args;
    let answer = undo::undo(
        tracker,
        &undo::Undo {
            what,
            force,
            dry_run,
        },
    )?;
    let ids = |undone: &Undone| undone.issues.iter().map(|issue| issue.id.clone()).collect();
    ui.answer(answer, ids, show_undone);
    Ok(())
}

/// The first digits of a commit.
pub(super) fn short(commit: &str) -> &str {
    commit.get(..DIGITS).unwrap_or(commit)
}

fn minute(at: &str) -> String {
    at.get(..16).unwrap_or(at).replace('T', " ")
}

/// The minute, where there is room for it.
fn when(ui: &Ui, at: &str) -> String {
    if ui.width().is_some_and(|width| width < NARROW) {
        String::new()
    } else {
        minute(at)
    }
}

/// The parts of a line, without those that are left out.
fn spaced(parts: [String; 4]) -> String {
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// A name that leaves room for what it has done.
fn name(ui: &Ui, name: &str) -> String {
    let name = ui.one_line(name);
    ui.width()
        .map_or(name.clone(), |width| fit(&name, WIDEST_NAME.min(width / 4)))
}

/// Says that the history is cut, and what brings the rest.
pub(super) fn show_cut(ui: &mut Ui, cut: &[String]) {
    if !cut.is_empty() {
        let text = ui.paint(DIM, "history begins here: git beads fetch brings the rest");
        ui.row(&text);
    }
}

pub(super) fn show_operation(ui: &mut Ui, operation: &Operation, oneline: bool) {
    let at = if oneline {
        String::new()
    } else {
        when(ui, &operation.at)
    };
    let at = if at.is_empty() {
        at
    } else {
        ui.paint(DIM, &at)
    };
    let actor = if oneline {
        String::new()
    } else {
        name(ui, &operation.actor)
    };
    let parts = [
        ui.paint(YELLOW, short(&operation.commit)),
        at,
        actor,
        ui.one_line(&operation.subject),
    ];
    ui.row(&spaced(parts));
    if let Some(context) = operation.context.as_ref().filter(|_| !oneline) {
        why(ui, context);
    }
    show_issues(ui, &operation.issues, operation.more);
}

/// What an operation did; an import can have brought thousands.
fn show_issues(ui: &mut Ui, issues: &[IssueChange], more: usize) {
    for issue in issues.iter().take(MOST_ISSUES) {
        show_issue(ui, issue);
    }
    let more = more + issues.len().saturating_sub(MOST_ISSUES);
    if more > 0 {
        ui.row(&format!("  ... and {more} more issues (--json has them)"));
    }
}

fn why(ui: &mut Ui, context: &Context) {
    let parts = [
        ("goal", &context.goal),
        ("memory", &context.memory),
        ("constraints", &context.constraints),
        ("session", &context.session),
    ];
    for (name, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
        let text = format!("           {name}: {}", ui.one_line(text));
        ui.row(&text);
    }
}

fn show_diff(ui: &mut Ui, diff: &Diff) {
    let mut counts: Vec<(ChangeKind, usize)> = Vec::new();
    for issue in &diff.issues {
        match counts.iter_mut().find(|(what, _)| *what == issue.what) {
            Some((_, n)) => *n += 1,
            None => counts.push((issue.what, 1)),
        }
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(what, n)| format!("{n} {}", what.as_str()))
        .collect();
    let counts = if counts.is_empty() {
        "no issue differs".to_owned()
    } else {
        counts.join(", ")
    };
    let range = ui.paint(
        YELLOW,
        &format!("{}..{}", short(&diff.from), short(&diff.to)),
    );
    ui.row(&format!("{range} {counts}"));
    for issue in &diff.issues {
        show_issue(ui, issue);
    }
}

/// An issue with what happened to it.
pub(super) fn show_issue(ui: &mut Ui, issue: &IssueChange) {
    let style = match issue.what {
        ChangeKind::Created | ChangeKind::Restored => GREEN,
        ChangeKind::Deleted | ChangeKind::Purged | ChangeKind::Absent | ChangeKind::Unreadable => {
            RED
        }
        ChangeKind::Closed | ChangeKind::Reopened | ChangeKind::Changed => Style::new(),
    };
    let what = ui.paint(style, issue.what.as_str());
    let text = format!(
        "  {what} {} {}",
        ui.paint(BOLD, &issue.id),
        ui.one_line(&issue.title)
    );
    ui.row(text.trim_end());
    // The line above has said these.
    let is_said =
        |field: &str| issue.what == ChangeKind::Created && matches!(field, "id" | "title");
    for change in issue
        .changes
        .iter()
        .filter(|change| !is_said(&change.field))
    {
        show_field(ui, change);
    }
}

pub(super) fn show_field(ui: &mut Ui, change: &FieldChange) {
    let (old, new) = (
        change.old.as_ref().map(text_of),
        change.new.as_ref().map(text_of),
    );
    let is_long = |text: &Option<String>| {
        text.as_ref()
            .is_some_and(|text| text.contains('\n') || text.len() > LONG)
    };
    let name = ui.one_line(&change.field);
    if is_long(&old) || is_long(&new) {
        ui.row(&format!("    {name}:"));
        return show_lines(ui, &old.unwrap_or_default(), &new.unwrap_or_default());
    }
    let (old, new) = (
        old.map(|text| ui.one_line(&text)),
        new.map(|text| ui.one_line(&text)),
    );
    let text = match (old, new) {
        (Some(old), Some(new)) => format!("{} -> {}", ui.paint(RED, &old), ui.paint(GREEN, &new)),
        (Some(old), None) => ui.paint(RED, &format!("-{old}")),
        (None, new) => ui.paint(GREEN, &format!("+{}", new.unwrap_or_default())),
    };
    ui.row(&format!("    {name}: {text}"));
}

fn show_lines(ui: &mut Ui, old: &str, new: &str) {
    for run in
        difference(old, new).chunk_by(|a, b| std::mem::discriminant(a) == std::mem::discriminant(b))
    {
        let more = run.len().saturating_sub(MOST_LINES);
        for line in run.iter().take(MOST_LINES) {
            let text = match line {
                DiffLine::Gone(text) => ui.paint(RED, &format!("-{}", ui.shown(text))),
                DiffLine::Come(text) => ui.paint(GREEN, &format!("+{}", ui.shown(text))),
                DiffLine::Same => ui.paint(DIM, "..."),
            };
            ui.row(&format!("      {text}"));
        }
        if more > 0 {
            let text = ui.paint(DIM, &format!("... {more} more lines (--json has them)"));
            ui.row(&format!("      {text}"));
        }
    }
}

fn show_undone(ui: &mut Ui, undone: &Undone) {
    show_skipped(ui, &undone.skipped);
    for operation in &undone.operations {
        let what = if undone.dry_run {
            "would undo"
        } else {
            "undid"
        };
        let text = format!(
            "{what} {} {}",
            ui.paint(YELLOW, short(&operation.commit)),
            ui.one_line(&operation.subject)
        );
        ui.row(&text);
    }
    show_issues(ui, &undone.issues, 0);
    for left in &undone.left {
        let text = format!("left alone, {}", left_text(ui, left));
        ui.row(&text);
    }
    match &undone.commit {
        Some(commit) => ui.row(&format!("redo: git beads undo {}", short(commit))),
        None => ui.line("nothing was written"),
    }
}

/// Operations of which nothing is left, and why.
fn show_skipped(ui: &mut Ui, skipped: &[Skipped]) {
    for operation in skipped.iter().take(MOST_ISSUES) {
        let commit = ui.paint(YELLOW, short(&operation.commit));
        let text = format!("skipped {commit} {}", ui.one_line(&operation.subject));
        ui.row(&text);
        let why: Vec<String> = operation
            .left
            .iter()
            .map(|left| left_text(ui, left))
            .collect();
        let gone = || vec!["nothing of it is left".to_owned()];
        for line in if why.is_empty() { gone() } else { why } {
            ui.row(&format!("  {line}"));
        }
    }
    let more = skipped.len().saturating_sub(MOST_ISSUES);
    if more > 0 {
        ui.row(&format!("... and {more} more operations (--json has them)"));
    }
}

/// Why something was not taken back, and what it says now.
fn left_text(ui: &Ui, left: &Left) -> String {
    let value = text_of(&left.value);
    let value = value
        .lines()
        .next()
        .map(|line| format!(": {}", ui.one_line(line)))
        .unwrap_or_default();
    let by = if left.by.is_empty() {
        String::new()
    } else {
        format!(" (by {}, {})", ui.one_line(&left.by), minute(&left.at))
    };
    let what = format!("{} {}", left.id, ui.one_line(&left.field));
    format!("{}: {}{value}{by}", ui.one_line(&left.why), what.trim_end())
}

/// A value as a person reads it.
fn text_of(value: &Value) -> String {
    let word = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    match value {
        Value::String(text) => text.clone(),
        Value::Object(map) if map.contains_key("type") => {
            format!("{} {}", word("type"), word("id"))
        }
        Value::Object(map) if map.contains_key("field") => {
            let kept = map
                .get("value")
                .map(|value| format!(": {}", super::page::value_text(value)));
            format!(
                "{} by {}{}",
                word("field"),
                word("by"),
                kept.unwrap_or_default()
            )
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// As `git blame`: commit, who and when before each value.
fn show_blame(ui: &mut Ui, blame: &Blame) {
    let heading = format!(
        "{} {}",
        ui.paint(BOLD, &blame.id),
        ui.paint(BOLD, &ui.one_line(&blame.title))
    );
    ui.row(&heading);
    let rows: Vec<[String; 4]> = blame.fields.iter().map(|field| cells(ui, field)).collect();
    let widest = |column: usize| {
        let widths = rows
            .iter()
            .map(|row| unicode_width::UnicodeWidthStr::width(row[column].as_str()));
        widths.max().unwrap_or(0)
    };
    let widths = ui.width().map(|_| [widest(0), widest(1), widest(2), 0]);
    for (row, field) in rows.iter().zip(&blame.fields) {
        let cell = |column: usize| {
            widths.map_or_else(
                || row[column].clone(),
                |widths| pad(&row[column], widths[column]),
            )
        };
        let (commit, who) = (ui.paint(YELLOW, &cell(0)), cell(2));
        let when = if row[1].is_empty() {
            String::new()
        } else {
            ui.paint(DIM, &cell(1))
        };
        let why = taken_back(field);
        let used =
            widths.map(|widths| widths.iter().sum::<usize>() + 5 + field.field.len() + why.len());
        let value = match (ui.width(), used) {
            (Some(width), Some(used)) => fit(&row[3], width.saturating_sub(used).max(20)),
            _ => row[3].clone(),
        };
        let value = format!(
            "{}: {value}{}",
            ui.one_line(&field.field),
            ui.paint(DIM, &why)
        );
        ui.row(&spaced([commit, when, who, value]));
    }
    show_cut(ui, &blame.cut);
}

/// What the undo that set a field took back, or brought back.
fn taken_back(field: &FieldOrigin) -> String {
    let (what, commits) = if field.redid.is_empty() {
        ("undid", &field.undid)
    } else {
        ("redid", &field.redid)
    };
    match commits.as_slice() {
        [] => String::new(),
        [one] => format!(" ({what} {})", short(one)),
        several => format!(" ({what} {} operations)", several.len()),
    }
}

fn cells(ui: &Ui, field: &FieldOrigin) -> [String; 4] {
    let commit = field.commit.as_deref().map_or("-", short);
    let text = text_of(&field.value);
    let mut lines = text.trim().lines();
    let first = ui.one_line(lines.next().unwrap_or_default());
    let more = lines.count();
    let value = if more > 0 {
        format!("{first} ... {more} more lines")
    } else {
        first
    };
    [
        commit.to_owned(),
        when(ui, &field.at),
        name(ui, &field.by),
        value,
    ]
}
