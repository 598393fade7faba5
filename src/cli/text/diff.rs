//! Changes of operations, field by field.

use anstyle::Style;
use serde_json::Value;

use super::value::{string, value_text};
use crate::cli::line_diff::{DiffLine, difference};
use crate::cli::ui::Ui;
use crate::ops::shared::field_diff::FieldChange;
use crate::ops::shared::issue_diff::{ChangeKind, IssueChange};
use crate::text::line::{Line, line};
use crate::text::style::{BOLD, DIM, GREEN, RED};
use crate::text::width::fit;

/// Digits of a commit.
const DIGITS: usize = 10;
/// Longer texts are compared line by line.
const LONG: usize = 60;
/// Of lines that all went or all came, so many are shown.
const MOST_LINES: usize = 20;
/// Columns of a name on a terminal.
const WIDEST_NAME: usize = 24;
/// A narrower terminal has no room for times.
const NARROW: usize = 60;
/// Issues that are shown of one operation.
pub(in crate::cli) const MOST_ISSUES: usize = 20;

/// Returns the first digits of a commit.
pub(in crate::cli) fn short(commit: &str) -> &str {
    commit.get(..DIGITS).unwrap_or(commit)
}

/// Returns the minute, where there is room for it.
pub(in crate::cli) fn when(ui: &Ui, at: &str) -> String {
    if ui.width().is_some_and(|width| width < NARROW) {
        String::new()
    } else {
        ui.dates.minute(at)
    }
}

/// Joins the parts of a line, without those that are left out.
pub(in crate::cli) fn spaced(parts: [Line; 4]) -> Line {
    Line::join(parts.into_iter().filter(|part| !part.is_empty()), " ")
}

/// Returns a name that leaves room for what it has done.
pub(in crate::cli) fn name(ui: &Ui, name: &str) -> String {
    let name = ui.one_line(name);
    ui.width()
        .map_or(name.clone(), |width| fit(&name, WIDEST_NAME.min(width / 4)))
}

/// Says that the history is cut, and what brings the rest.
pub(in crate::cli) fn show_cut(ui: &mut Ui, cut: &[String]) {
    if !cut.is_empty() {
        let text = ui.paint(DIM, "history begins here: git beads fetch --unshallow");
        ui.row(&line![text]);
    }
}

/// Prints the changes of an operation; of an import that brought thousands, the first.
pub(in crate::cli) fn show_issues(ui: &mut Ui, issues: &[IssueChange], more: usize) {
    for issue in issues.iter().take(MOST_ISSUES) {
        show_issue(ui, issue);
    }
    let more = more + issues.len().saturating_sub(MOST_ISSUES);
    if more > 0 {
        ui.row(&format!("  ... and {more} more issues (--json has them)"));
    }
}

/// Prints an issue with its changes.
pub(in crate::cli) fn show_issue(ui: &mut Ui, issue: &IssueChange) {
    let style = match issue.what {
        ChangeKind::Created | ChangeKind::Restored => GREEN,
        ChangeKind::Deleted | ChangeKind::Purged | ChangeKind::Absent | ChangeKind::Unreadable => {
            RED
        }
        ChangeKind::Closed | ChangeKind::Reopened | ChangeKind::Changed => Style::new(),
    };
    let line = line![
        "  ",
        ui.paint(style, issue.what.as_str()),
        " ",
        ui.paint(BOLD, &issue.id),
        " ",
        ui.one_line(&issue.title),
    ];
    ui.row(&line.trim_end());
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

fn show_field(ui: &mut Ui, change: &FieldChange) {
    let read = |value: &Value| text_of(ui, &change.field, value);
    let (old, new) = (change.old.as_ref().map(read), change.new.as_ref().map(read));
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
        (Some(old), Some(new)) => line![ui.paint(RED, old), " -> ", ui.paint(GREEN, new)],
        (Some(old), None) => line![ui.paint(RED, format!("-{old}"))],
        (None, new) => line![ui.paint(GREEN, format!("+{}", new.unwrap_or_default()))],
    };
    ui.row(&line!["    ", name, ": ", text]);
}

fn show_lines(ui: &mut Ui, old: &str, new: &str) {
    for run in
        difference(old, new).chunk_by(|a, b| std::mem::discriminant(a) == std::mem::discriminant(b))
    {
        let more = run.len().saturating_sub(MOST_LINES);
        for line in run.iter().take(MOST_LINES) {
            let text = match line {
                DiffLine::Gone(text) => ui.paint(RED, format!("-{}", ui.shown(text))),
                DiffLine::Come(text) => ui.paint(GREEN, format!("+{}", ui.shown(text))),
                DiffLine::Same => ui.paint(DIM, "..."),
            };
            ui.row(&line!["      ", text]);
        }
        if more > 0 {
            let text = ui.paint(DIM, format!("... {more} more lines (--json has them)"));
            ui.row(&line!["      ", text]);
        }
    }
}

/// Returns a value as a person reads it.
pub(in crate::cli) fn text_of(ui: &Ui, field: &str, value: &Value) -> String {
    let word = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    match value {
        Value::String(text) => string(ui, field, text),
        Value::Object(map) if map.contains_key("type") => {
            format!("{} {}", word("type"), word("id"))
        }
        Value::Object(map) if map.contains_key("field") => {
            let kept = map
                .get("value")
                .map(|value| format!(": {}", value_text(ui, &word("field"), value)));
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
