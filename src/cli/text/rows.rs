//! Issues in rows.

use std::borrow::Cow;
use std::collections::HashMap;

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::cli::ui::Ui;
use crate::model::query::Grouping;
use crate::ops::answer::{Reference, Summary};
use crate::ops::shared::query::List;
use crate::text::line::{Line, line};
use crate::text::style::{BOLD, CYAN, DIM, priority_style, status_style};
use crate::text::width::{fit, pad};

/// Columns that a title has at least.
const LEAST_TITLE: usize = 20;
/// Most levels of a tree that are drawn by indentation in a pipe.
pub(in crate::cli) const DEEPEST_DRAWN: usize = 30;

/// Returns the indentation of a title on a level of a tree: two spaces for each level, and from the deepest that is
/// drawn on the level as a number, so that no line grows with the depth.
pub(in crate::cli) fn indentation(ui: &Ui, level: usize) -> String {
    // A third of a terminal at most; the title needs the rest.
    let deepest = ui
        .width()
        .map_or(DEEPEST_DRAWN, |width| (width / 6).clamp(2, DEEPEST_DRAWN));
    if level <= deepest {
        "  ".repeat(level)
    } else {
        format!("{}[{level}] ", "  ".repeat(deepest))
    }
}

/// Columns that a name has at most.
const WIDEST_NAME: usize = 16;

/// Returns the columns of a row: id, priority, status, type, on a terminal who works on it, title with its marks.
fn cells<'s>(ui: &Ui, issue: &'s Summary, indent: usize) -> [Cow<'s, str>; 6] {
    let holder = issue.holder().map(|name| format!("@{}", ui.cell(&name)));
    // On a terminal a long title leaves room for nothing behind it.
    let (first, last) = match ui.width() {
        Some(_) => (holder.unwrap_or_default(), None),
        None => (String::new(), holder),
    };
    let labels = issue.labels.iter().map(|label| (" #", label));
    let claim = issue.claim.iter();
    let due = issue.due.map(|due| ui.dates.due(due.0).0);
    let remarks: Vec<String> = claim
        .flat_map(|claim| claim.remarks(""))
        .chain(due)
        .collect();
    let remarks = last.iter().chain(&remarks).map(|remark| (" ", remark));
    let mut title = indentation(ui, indent) + &ui.cell(&issue.title);
    for (mark, text) in remarks.chain(labels) {
        title.push_str(mark);
        title.push_str(&ui.cell(text));
    }
    let priority = format!("P{}", issue.priority);
    [
        ui.cell(&issue.id),
        priority.into(),
        ui.cell(&issue.status),
        ui.cell(&issue.kind),
        first.into(),
        title.into(),
    ]
}

/// Prints rows; on a terminal in columns that fit it.
pub(in crate::cli) fn rows<'a>(
    ui: &mut Ui,
    issues: impl IntoIterator<Item = (&'a Summary, usize, String)>,
) {
    rows_with(ui, issues, |_, _| {});
}

/// Prints rows, with what `below` prints below each.
pub(in crate::cli) fn rows_with<'a>(
    ui: &mut Ui,
    issues: impl IntoIterator<Item = (&'a Summary, usize, String)>,
    below: impl Fn(&mut Ui, &Summary),
) {
    // For a program nothing is padded or cut, and each row goes out as it is made.
    let Some(width) = ui.width() else {
        let mut line = Line::default();
        for (issue, indent, tail) in issues {
            let [cells @ .., title] = cells(ui, issue, indent);
            line.clear();
            for (style, cell) in styles(issue).into_iter().zip(cells).take(4) {
                line.push(ui.paint(style, cell));
                line.push(" ");
            }
            line.push(&*title);
            line.push(&tail);
            ui.line(&line);
            below(ui, issue);
        }
        return;
    };
    let issues: Vec<(&Summary, usize, String)> = issues.into_iter().collect();
    let table: Vec<[Cow<'_, str>; 6]> = issues
        .iter()
        .map(|(issue, indent, _)| cells(ui, issue, *indent))
        .collect();
    let widths = widths(&table, width);
    for (row, (issue, _, tail)) in table.iter().zip(&issues) {
        let styles = styles(issue);
        let cells = (0..5).filter(|column| widths[*column] > 0);
        let cells = cells.map(|n| ui.paint(styles[n], pad(&fit(&row[n], widths[n]), widths[n])));
        let mut line = Line::default();
        for (n, cell) in cells.enumerate() {
            line.push(if n == 0 {
                ui.leading(cell, &issue.id)
            } else {
                cell
            });
            line.push("  ");
        }
        line.push(&*row[5]);
        line.push(tail);
        ui.row(&line.trim_end());
        below(ui, issue);
    }
}

/// Returns the styles of the columns before the title.
fn styles(issue: &Summary) -> [Style; 5] {
    [
        BOLD,
        priority_style(issue.priority),
        status_style(&issue.status),
        DIM,
        CYAN,
    ]
}

/// Returns the widths of the columns before the title: type, status and name give way where it would find no room.
fn widths(table: &[[Cow<'_, str>; 6]], width: usize) -> [usize; 5] {
    let widest = |column: usize| {
        table
            .iter()
            .map(|row| row[column].width())
            .max()
            .unwrap_or(0)
    };
    let name = widest(4).min(WIDEST_NAME);
    let mut widths = [widest(0).min(width / 2), 2, widest(2), widest(3), name];
    // On a narrow terminal the type goes first, then the status.
    for column in [3, 2, 4] {
        let taken: usize = widths
            .iter()
            .filter(|width| **width > 0)
            .map(|width| width + 2)
            .sum();
        if taken + LEAST_TITLE > width {
            widths[column] = 0;
        }
    }
    widths
}

/// Says that there is more than what is shown.
pub(in crate::cli) fn footer(ui: &mut Ui, returned: usize, total: u64, hint: Option<&String>) {
    if let Some(hint) = hint {
        let text = ui.paint(DIM, format!("({returned} of {total}; {hint})"));
        ui.row(&line![text]);
    }
}

/// Prints a page of issues, or that there are none.
pub(in crate::cli) fn list(ui: &mut Ui, list: &List, tree: bool, nothing: &str) {
    if list.issues.is_empty() {
        ui.line(nothing);
        return;
    }
    match list.group {
        _ if tree => rows(ui, nested(&list.issues).into_iter().map(row)),
        Some(group) => groups(ui, group, &list.issues),
        None => rows(ui, list.issues.iter().map(|issue| row((issue, 0)))),
    }
    footer(ui, list.returned, list.total_count, list.hint.as_ref());
}

fn row((issue, indent): (&Summary, usize)) -> (&Summary, usize, String) {
    (issue, indent, String::new())
}

/// Prints issues that are put together, each group below its name.
fn groups(ui: &mut Ui, by: Grouping, issues: &[Summary]) {
    // They come together: what is not shown of a group is at its end, or in the next page.
    for (n, group) in issues
        .chunk_by(|a, b| group_name(a, by) == group_name(b, by))
        .enumerate()
    {
        if n > 0 {
            ui.line("");
        }
        let heading = ui.paint(BOLD, ui.one_line(&group_name(&group[0], by)));
        ui.line(&line![heading]);
        rows(ui, group.iter().map(|issue| row((issue, 0))));
    }
}

fn group_name(issue: &Summary, by: Grouping) -> String {
    let or_none = |name: &Option<String>, none: &str| name.clone().unwrap_or(none.to_owned());
    match by {
        Grouping::Status => issue.status.clone(),
        Grouping::Priority => format!("P{}", issue.priority),
        Grouping::Type => issue.kind.clone(),
        Grouping::Assignee => or_none(&issue.holder(), "no assignee"),
        Grouping::Parent => or_none(&issue.parent, "no parent"),
    }
}

/// Puts children below their parents, as far as both are on the page: each issue is looked at once.
fn nested(issues: &[Summary]) -> Vec<(&Summary, usize)> {
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(issues.len());
    for (place, issue) in issues.iter().enumerate() {
        places.entry(&issue.id).or_insert(place);
    }
    let (mut roots, mut children) = (Vec::new(), vec![Vec::new(); issues.len()]);
    for (place, issue) in issues.iter().enumerate() {
        let parent = issue.parent.as_deref().and_then(|id| places.get(id));
        // An issue that is its own parent would never be placed.
        match parent.filter(|parent| issues[**parent].id != issue.id) {
            Some(parent) => children[*parent].push(place),
            None => roots.push(place),
        }
    }
    let mut out = Vec::with_capacity(issues.len());
    let mut placed = vec![false; issues.len()];
    // The top is the next to be placed.
    let mut steps: Vec<(usize, usize)> = roots.into_iter().rev().map(|root| (root, 0)).collect();
    while let Some((place, level)) = steps.pop() {
        out.push((&issues[place], level));
        placed[place] = true;
        steps.extend(
            children[place]
                .iter()
                .rev()
                .map(|below| (*below, level + 1)),
        );
    }
    // A loop of parents has no root; its issues follow at the end.
    let rest = (0..issues.len()).filter(|place| !placed[*place]);
    out.extend(rest.map(|place| (&issues[place], 0)));
    out
}

/// Returns the blockers of an issue and the reason: ` <- bd-a1b2 (the reason)`.
pub(in crate::cli) fn waits_for(ui: &Ui, blocked_by: &[Reference], reason: Option<&str>) -> String {
    let ids: Vec<&str> = blocked_by
        .iter()
        .map(|reference| reference.id.as_str())
        .collect();
    let ids = if ids.is_empty() {
        String::new()
    } else {
        format!(" <- {}", ids.join(", "))
    };
    reason.map_or(ids.clone(), |reason| {
        format!("{ids} ({})", ui.one_line(reason))
    })
}

/// Returns the ids of a page, for programs.
pub(in crate::cli) fn list_ids(list: &List) -> Vec<String> {
    list.issues.iter().map(|issue| issue.id.clone()).collect()
}
