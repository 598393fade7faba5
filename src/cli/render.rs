//! Answers as text: aligned and coloured on a terminal, single-spaced in a pipe.

use std::borrow::Cow;
use std::collections::HashMap;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use super::columns::{fit, pad};
use super::ui::Ui;
use crate::ops::answer::{Reference, Summary};
use crate::ops::verbs::create::Created;
use crate::ops::verbs::dep::{Cycles, Linked, Node};
use crate::ops::verbs::done::Closed;
use crate::ops::verbs::import::Imported;
use crate::ops::verbs::init::Initialised;
use crate::ops::verbs::list::{Blocked, BlockedRow, Explanation, List};
use crate::ops::verbs::rename_prefix::PrefixRenamed;
use crate::ops::verbs::split::Children;
use crate::ops::verbs::start::Started;
use crate::ops::verbs::update::Updated;
use crate::ops::verbs::where_::RepoInfo;

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const RED: Style = AnsiColor::Red.on_default();
pub(super) const YELLOW: Style = AnsiColor::Yellow.on_default();
pub(super) const GREEN: Style = AnsiColor::Green.on_default();
pub(super) const CYAN: Style = AnsiColor::Cyan.on_default();

pub(super) fn priority_style(priority: i64) -> Style {
    match priority {
        0 => RED.bold(),
        1 => YELLOW,
        _ => Style::new(),
    }
}

pub(super) fn status_style(status: &str) -> Style {
    match status {
        "in_progress" | "hooked" => CYAN,
        "closed" => GREEN,
        "blocked" | "unreadable" => RED,
        "deferred" | "tombstone" | "pinned" => DIM,
        _ => Style::new(),
    }
}

/// Columns that a title has at least.
const LEAST_TITLE: usize = 20;
/// Most levels of a tree that are drawn by indentation in a pipe.
pub(super) const DEEPEST_DRAWN: usize = 30;

/// Returns what stands before a title of a level of a tree: two spaces for each level, and from the deepest that is
/// drawn on the level as a number, so that no line grows with the depth.
fn indentation(ui: &Ui, level: usize) -> String {
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

/// The columns of a row: id, priority, status, type, title with its marks.
fn cells<'s>(ui: &Ui, issue: &'s Summary, indent: usize) -> [Cow<'s, str>; 5] {
    let assignee = issue.assignee.iter().map(|assignee| (" @", assignee));
    let labels = issue.labels.iter().map(|label| (" #", label));
    let mut title = indentation(ui, indent) + &ui.cell(&issue.title);
    for (mark, text) in assignee.chain(labels) {
        title.push_str(mark);
        title.push_str(&ui.cell(text));
    }
    let priority = format!("P{}", issue.priority);
    [
        ui.cell(&issue.id),
        priority.into(),
        ui.cell(&issue.status),
        ui.cell(&issue.kind),
        title.into(),
    ]
}

/// Prints rows; on a terminal in columns that fit it.
pub(super) fn rows<'a>(
    ui: &mut Ui,
    issues: impl IntoIterator<Item = (&'a Summary, usize, String)>,
) {
    let Some(width) = ui.width() else {
        let mut line = String::new();
        for (issue, indent, tail) in issues {
            let [cells @ .., title] = cells(ui, issue, indent);
            line.clear();
            for (style, cell) in styles(issue).into_iter().zip(cells) {
                ui.paint_into(&mut line, style, &cell);
                line.push(' ');
            }
            line.push_str(&title);
            line.push_str(&tail);
            ui.line(&line);
        }
        return;
    };
    let issues: Vec<(&Summary, usize, String)> = issues.into_iter().collect();
    let table: Vec<[Cow<'_, str>; 5]> = issues
        .iter()
        .map(|(issue, indent, _)| cells(ui, issue, *indent))
        .collect();
    let widths = widths(&table, width);
    for (row, (issue, _, tail)) in table.iter().zip(&issues) {
        let styles = styles(issue);
        let cells = (0..4).filter(|column| widths[*column] > 0);
        let cells = cells.map(|n| ui.paint(styles[n], &pad(&fit(&row[n], widths[n]), widths[n])));
        let text = format!("{}{tail}", row[4]);
        let line: Vec<String> = cells.chain([text]).collect();
        ui.row(line.join("  ").trim_end());
    }
}

/// How the columns before the title look.
fn styles(issue: &Summary) -> [Style; 4] {
    [
        BOLD,
        priority_style(issue.priority),
        status_style(&issue.status),
        DIM,
    ]
}

/// The widths of the columns before the title: type and status give way where it would find no room.
fn widths(table: &[[Cow<'_, str>; 5]], width: usize) -> [usize; 4] {
    let widest = |column: usize| {
        table
            .iter()
            .map(|row| row[column].width())
            .max()
            .unwrap_or(0)
    };
    let mut widths = [widest(0).min(width / 2), 2, widest(2), widest(3)];
    for column in [3, 2] {
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

fn footer(ui: &mut Ui, returned: usize, total: u64, hint: Option<&String>) {
    if let Some(hint) = hint {
        let text = format!("({returned} of {total}; {hint})");
        let text = ui.paint(DIM, &text);
        ui.row(&text);
    }
}

pub(super) fn list(ui: &mut Ui, list: &List, tree: bool, nothing: &str) {
    if list.issues.is_empty() {
        ui.line(nothing);
        return;
    }
    let order = if tree {
        nested(&list.issues)
    } else {
        list.issues.iter().map(|issue| (issue, 0)).collect()
    };
    rows(
        ui,
        order
            .into_iter()
            .map(|(issue, indent)| (issue, indent, String::new())),
    );
    footer(ui, list.returned, list.total_count, list.hint.as_ref());
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

pub(super) fn blocked(ui: &mut Ui, blocked: &Blocked) {
    if blocked.issues.is_empty() {
        ui.line("nothing is blocked");
        return;
    }
    let tail = |it: &BlockedRow| waits_for(ui, &it.blocked_by, it.reason.as_deref());
    let table: Vec<_> = blocked
        .issues
        .iter()
        .map(|waiting| (&waiting.summary, 0, tail(waiting)))
        .collect();
    rows(ui, table);
    footer(
        ui,
        blocked.returned,
        blocked.total_count,
        blocked.hint.as_ref(),
    );
}

/// What an issue waits for: ` <- bd-a1b2 (the reason)`.
pub(super) fn waits_for(ui: &Ui, blocked_by: &[Reference], reason: Option<&str>) -> String {
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

pub(super) fn explanation(ui: &mut Ui, explanation: &Explanation) {
    rows(
        ui,
        explanation
            .ready
            .iter()
            .map(|issue| (issue, 0, String::new())),
    );
    let returned = explanation.ready.len() + explanation.not_ready.len();
    let is_whole = returned as u64 == explanation.total_count;
    if explanation.ready.is_empty() && is_whole {
        ui.line("nothing is ready");
    }
    if !explanation.not_ready.is_empty() {
        if !explanation.ready.is_empty() || is_whole {
            ui.line("");
        }
        ui.line("not ready:");
        for issue in &explanation.not_ready {
            let hint = issue.hint.as_ref().map(|hint| format!(": {hint}"));
            let text = format!(
                "{} {}: {}{}",
                issue.id,
                ui.one_line(&issue.title),
                ui.one_line(&issue.reason),
                hint.unwrap_or_default()
            );
            ui.row(&text);
        }
    }
    let hint = explanation.hint.as_ref();
    footer(ui, returned, explanation.total_count, hint);
}

/// Says which command follows.
pub(super) fn next(ui: &mut Ui, command: &str) {
    let text = ui.paint(DIM, &format!("next: {command}"));
    ui.line(&text);
}

pub(super) fn initialised(ui: &mut Ui, init: &Initialised) {
    let what = if init.existing {
        "issues are kept already in"
    } else {
        "issues are kept now in"
    };
    let from = init
        .joined
        .as_deref()
        .map(|remote| format!(", joined from {remote}"))
        .unwrap_or_default();
    let text = format!("{what} {} (prefix {}{from})", init.repo, init.prefix);
    ui.line(&text);
    match &init.found {
        Some(file) => next(ui, &format!("git beads import {file}")),
        None if init.existing || init.joined.is_some() => next(ui, "git beads ready"),
        None => next(ui, "git beads create \"What is to be done\""),
    }
}

pub(super) fn prefix_renamed(ui: &mut Ui, renamed: &PrefixRenamed) {
    let PrefixRenamed { prefix, was } = renamed;
    let before = if prefix == was {
        String::new()
    } else {
        format!(" (was {was}-)")
    };
    ui.line(&format!(
        "new ids begin with {prefix}-{before}; ids that are there stay"
    ));
}

pub(super) fn created(ui: &mut Ui, created: &Created) {
    let title = ui.one_line(&created.title);
    let Some(id) = &created.id else {
        ui.line(&format!("would be created: {title}"));
        return;
    };
    let verb = if created.existing {
        "exists already"
    } else {
        "created"
    };
    let id = id.clone();
    let text = format!("{} {verb}: {title}", ui.paint(BOLD, &id));
    ui.line(&text);
    if created.started {
        next(
            ui,
            &format!("git beads note {id} --finding \"...\", then git beads done {id} -r \"...\""),
        );
    } else {
        next(ui, &format!("git beads start {id}"));
    }
}

pub(super) fn children(ui: &mut Ui, children: &Children) {
    let text = format!("{} split into {}", children.epic_id, children.ids.join(" "));
    ui.line(&text);
    match &children.started_child_id {
        Some(id) => next(
            ui,
            &format!("{id} is started; git beads done {id} -r \"...\""),
        ),
        None => next(ui, "git beads ready"),
    }
}

pub(super) fn started(ui: &mut Ui, started: &Started) {
    let issue = &started.issue;
    let assignee = issue.assignee.as_deref().unwrap_or_default();
    let text = format!(
        "{} {} by {}: {}",
        issue.id,
        ui.one_line(&issue.status),
        ui.one_line(assignee),
        ui.one_line(&issue.title)
    );
    ui.line(&text);
    if !started.open_blockers.is_empty() {
        ui.line(&format!(
            "it still waits for {}",
            started.open_blockers.join(", ")
        ));
    }
    if let Some(branch) = &started.branch {
        let text = format!("on branch {}", ui.one_line(branch));
        ui.line(&text);
    }
    next(
        ui,
        &format!(
            "git beads show {0}, then git beads note {0} --finding \"...\"",
            issue.id
        ),
    );
}

pub(super) fn updated(ui: &mut Ui, updated: &Updated, verb: &str) {
    let what = match (updated.changed.is_empty(), verb) {
        (true, _) => "unchanged".to_owned(),
        (false, "updated") => format!("updated ({})", updated.changed.join(", ")),
        (false, verb) => verb.to_owned(),
    };
    for issue in &updated.issues {
        let text = format!("{} {what}: {}", issue.id, ui.one_line(&issue.title));
        ui.line(&text);
    }
    for epic in &updated.auto_closed {
        ui.line(&format!("{epic} closed: all its children are"));
    }
    next(ui, &format!("git beads show {}", updated.id));
}

pub(super) fn closed(ui: &mut Ui, closed: &Closed) {
    if closed.closed.is_empty() {
        ui.line("no open issue has landed");
        return;
    }
    let ids = if closed.ids.is_empty() {
        closed.closed.clone()
    } else {
        closed.ids.join(" ")
    };
    let mut line = format!("{ids} closed");
    if let (Some(parent), Some(epic)) = (&closed.parent_id, &closed.epic_status) {
        line.push_str(&format!(
            "; {parent}: {} of {} done",
            epic.completed,
            epic.completed + epic.remaining
        ));
    }
    ui.line(&line);
    for remark in &closed.remarks {
        ui.line(&format!("note: {remark}"));
    }
    for epic in &closed.auto_closed {
        ui.line(&format!("{epic} closed: all its children are"));
    }
    match &closed.next_ready {
        Some(issue) => {
            let text = format!(
                "git beads start {}  (P{} {})",
                issue.id,
                issue.priority,
                ui.one_line(&issue.title)
            );
            next(ui, &text);
        }
        None => next(ui, "nothing is ready; git beads blocked"),
    }
}

pub(super) fn linked(ui: &mut Ui, linked: &Linked, adding: bool) {
    let ids = if adding {
        &linked.added_depends_on
    } else {
        &linked.removed_depends_on
    };
    let waits = linked.dep_type == "blocks";
    let text = match (ids.is_empty(), adding, waits) {
        (true, ..) => format!("{} unchanged", linked.id),
        (false, true, true) => format!("{} waits for {}", linked.id, ids.join(", ")),
        (false, false, true) => format!("{} no longer waits for {}", linked.id, ids.join(", ")),
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
    next(ui, "git beads ready");
}

pub(super) fn tree(ui: &mut Ui, node: &Node, indent: usize) {
    let kind = node
        .kind
        .as_deref()
        .filter(|kind| *kind != "blocks")
        .map(|kind| format!(" ({kind})"))
        .unwrap_or_default();
    let title = node
        .title
        .as_deref()
        .map(|title| format!(" {}", ui.one_line(title)))
        .unwrap_or_default();
    let status = node
        .status
        .as_deref()
        .map(|status| format!(" [{status}]"))
        .unwrap_or_default();
    let again = if node.seen { " (shown above)" } else { "" };
    let text = format!(
        "{}{}{status}{title}{kind}{again}",
        indentation(ui, indent),
        node.id
    );
    ui.row(&text);
    for below in &node.depends_on {
        tree(ui, below, indent + 1);
    }
}

pub(super) fn cycles(ui: &mut Ui, cycles: &Cycles) {
    if cycles.cycles.is_empty() {
        ui.line("no issues wait for each other");
    }
    for cycle in &cycles.cycles {
        let first = cycle.first().cloned().unwrap_or_default();
        ui.line(&format!("{} -> {first}", cycle.join(" -> ")));
    }
}

pub(super) fn imported(ui: &mut Ui, imported: &Imported) {
    let mut parts = vec![
        format!("{} created", imported.created),
        format!("{} updated", imported.updated),
        format!("{} unchanged", imported.unchanged),
    ];
    let more = [
        (imported.memory, "memory entry", "memory entries"),
        (
            imported.duplicates,
            "older duplicate line",
            "older duplicate lines",
        ),
        (imported.errors.len(), "line not taken", "lines not taken"),
    ];
    parts.extend(
        more.into_iter()
            .filter(|(n, ..)| *n > 0)
            .map(|(n, one, many)| count(n, one, many)),
    );
    ui.line(&parts.join(", "));
    next(ui, "git beads ready");
}

/// `1 entry`, `2 entries`.
pub(super) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

pub(super) fn place(ui: &mut Ui, place: &RepoInfo) {
    let none = || "none yet (git beads init)".to_owned();
    let pairs = [
        ("repository", place.repo.clone()),
        ("common dir", place.common_dir.clone()),
        ("ref", place.reference.clone()),
        ("commit", place.commit.clone().unwrap_or_else(none)),
        ("index", place.index.clone()),
        ("actor", place.actor.clone()),
        ("prefix", place.prefix.clone().unwrap_or_default()),
        ("store", place.stores.join(" ")),
        ("remotes", place.remotes.join(" ")),
    ];
    for (name, value) in pairs.into_iter().filter(|(_, value)| !value.is_empty()) {
        let text = format!("{name}: {}", ui.one_line(&value));
        ui.line(&text);
    }
}
