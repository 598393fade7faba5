//! The lists of `status`, each under a heading.

use unicode_width::UnicodeWidthStr;

use crate::cli::text::rows::waits_for;
use crate::cli::ui::Ui;
use crate::model::status::IN_PROGRESS;
use crate::model::time;
use crate::ops::answer::Summary;
use crate::ops::shared::active::{Active, Note};
use crate::ops::shared::blockers::BlockedRow;
use crate::ops::verbs::status::Status;
use crate::text::line::{Line, line};
use crate::text::style::{BOLD, CYAN, DIM, RED, priority_style};
use crate::text::width::{fit, pad};

/// Columns that a title has at least, or the priorities give way.
const LEAST_TITLE: usize = 15;

/// A list under a heading.
pub(super) struct StatusSection {
    name: &'static str,
    /// The command that lists what is left out.
    pub(super) command: &'static str,
    total: u64,
    rows: Vec<StatusRow>,
}

/// An issue: its cells, and the line below them.
struct StatusRow {
    cells: [String; 4],
    title: String,
    below: Option<String>,
    priority: i64,
    stale: bool,
}

impl StatusRow {
    /// Returns a row of an id and a title.
    fn plain(ui: &Ui, id: &str, title: &str) -> Self {
        Self {
            cells: [ui.one_line(id), String::new(), String::new(), String::new()],
            title: ui.one_line(title),
            below: None,
            priority: 2,
            stale: false,
        }
    }

    /// Returns a row with the priority.
    fn ready(ui: &Ui, issue: &Summary) -> Self {
        let mut row = Self::plain(ui, &issue.id, &issue.title);
        row.cells[1] = format!("P{}", issue.priority);
        row.priority = issue.priority;
        row.title.push_str(&due(ui, issue));
        row
    }

    /// Returns a row with the priority and what the issue waits for.
    fn blocked(ui: &Ui, issue: &BlockedRow) -> Self {
        let mut row = Self::ready(ui, &issue.summary);
        let tail = waits_for(ui, &issue.blocked_by, issue.reason.as_deref());
        row.title.push_str(&tail);
        row
    }

    /// Returns a row with the person and the age; below it the reason, or else the last note.
    fn active(ui: &Ui, issue: &Active, now: u64) -> Self {
        let summary = &issue.summary;
        let age = time::age(issue.since.as_deref().unwrap_or(&issue.last_activity), now);
        let branch = issue
            .branch
            .as_deref()
            .map(|branch| format!(" [{}]", ui.one_line(branch)))
            .unwrap_or_default();
        let reason = issue
            .reason
            .as_deref()
            .map(|reason| ui.one_line(reason))
            .filter(|reason| !reason.is_empty());
        let who = summary
            .holder()
            .map(|name| format!("@{}", ui.one_line(&name)))
            .unwrap_or_default();
        let mut age = if issue.stale {
            format!("{age} stale")
        } else {
            age
        };
        if issue.lease_over {
            age.push_str(", lease over");
        }
        // The age is that of the claim; its agent can have done nothing since.
        for remark in summary
            .claim
            .iter()
            .flat_map(|claim| claim.remarks("idle "))
        {
            age.extend([", ", &remark]);
        }
        Self {
            cells: [
                ui.one_line(&summary.id),
                format!("P{}", summary.priority),
                who,
                age,
            ],
            title: format!(
                "{}{branch}{}",
                ui.one_line(&summary.title),
                due(ui, summary)
            ),
            below: reason.or_else(|| issue.last_note.as_ref().map(|it| note(ui, it, now))),
            priority: summary.priority,
            stale: issue.stale
                || issue.lease_over
                || summary.claim.as_ref().is_some_and(|claim| claim.is_left()),
        }
    }

    fn lines(&self) -> usize {
        1 + usize::from(self.below.is_some())
    }

    fn print(&self, ui: &mut Ui, widths: [usize; 4]) {
        let on_terminal = ui.width().is_some();
        let styles = [
            BOLD,
            priority_style(self.priority),
            CYAN,
            if self.stale { RED } else { DIM },
        ];
        let gap = if on_terminal { "  " } else { " " };
        let mut line = Line::default();
        for ((cell, width), style) in self.cells.iter().zip(widths).zip(styles) {
            let text = match (on_terminal, width) {
                (true, 0) => String::new(),
                (true, width) => pad(&fit(cell, width), width),
                (false, _) => cell.clone(),
            };
            if !text.is_empty() {
                line.push(ui.paint(style, text));
                line.push(gap);
            }
        }
        line.push(&self.title);
        ui.row(&line);
        if let Some(below) = &self.below {
            let mark = if on_terminal { "    " } else { "> " };
            let text = ui.paint(DIM, format!("{mark}{below}"));
            ui.row(&line![text]);
        }
    }
}

impl StatusSection {
    /// Returns the sections that have an issue, in the order of their urgency.
    pub(super) fn all(ui: &Ui, status: &Status, now: u64) -> Vec<Self> {
        let active = |issues: &[Active]| {
            let rows = issues.iter().map(|issue| StatusRow::active(ui, issue, now));
            rows.collect::<Vec<_>>()
        };
        let ready = status.ready.iter();
        let ready = ready.map(|issue| StatusRow::ready(ui, issue));
        let to_close = status.epics_to_close.iter();
        let to_close = to_close.map(|epic| StatusRow::plain(ui, &epic.id, &epic.title));
        let blocked = status.blocked.iter();
        let blocked = blocked.map(|issue| StatusRow::blocked(ui, issue));
        let in_progress = status.counts.get(IN_PROGRESS).copied().unwrap_or(0);
        let section = |name, command, total, rows| Self {
            name,
            command,
            total,
            rows,
        };
        let mut sections = vec![
            section(
                "waiting for a person",
                "git beads list --waiting -n 0",
                status.waiting_count,
                active(&status.waiting),
            ),
            section(
                "in progress",
                "git beads list -s in_progress -n 0",
                in_progress,
                active(&status.in_progress),
            ),
            section(
                // In the heading: a title behind a command would be copied with it.
                "all children closed (git beads done ID)",
                "git beads status -n 0",
                status.epics_to_close_count,
                to_close.collect(),
            ),
            section(
                "ready",
                "git beads ready -n 0",
                status.ready_count,
                ready.collect(),
            ),
            section(
                "blocked",
                "git beads blocked -n 0",
                status.blocked_count,
                blocked.collect(),
            ),
        ];
        sections.retain(|section| !section.rows.is_empty());
        sections
    }

    pub(super) fn print(&self, ui: &mut Ui) {
        let more = self.total.saturating_sub(self.rows.len() as u64);
        let rest = if more > 0 {
            format!(", and {more} more: {}", self.command)
        } else {
            String::new()
        };
        let heading = line![ui.paint(BOLD, self.name), format!(" {}{rest}", self.total),];
        ui.row(&heading);
        let widths = self.widths(ui.width());
        for row in &self.rows {
            row.print(ui, widths);
        }
    }

    /// Returns the widths of the cells; none is 0 unless it gives way, or no row has it.
    fn widths(&self, width: Option<usize>) -> [usize; 4] {
        let widest = |column: usize| {
            let cells = self.rows.iter().map(|row| row.cells[column].width());
            cells.max().unwrap_or(0)
        };
        let mut widths = [
            widest(0),
            widest(1),
            widest(2).min(width.unwrap_or(100) / 5),
            widest(3),
        ];
        let used: usize = widths
            .iter()
            .filter(|width| **width > 0)
            .map(|width| width + 2)
            .sum();
        if width.is_some_and(|width| used + LEAST_TITLE > width) {
            // Who and since when are what the list is for.
            widths[1] = 0;
        }
        widths
    }
}

/// Leaves rows out until all sections fit into so many lines. Returns true if there is room for empty lines between
/// them.
pub(super) fn shorten(sections: &mut [StatusSection], lines: usize) -> bool {
    let whole: usize = sections
        .iter()
        .map(|section| 2 + section.rows.iter().map(StatusRow::lines).sum::<usize>())
        .sum();
    if whole < lines {
        return true;
    }
    let mut left = lines.saturating_sub(sections.len());
    let mut taken = vec![0; sections.len()];
    // One row of each section in turn, so that none is crowded out by those before it.
    loop {
        let before = left;
        for (section, taken) in sections.iter().zip(&mut taken) {
            if let Some(row) = section.rows.get(*taken).filter(|row| row.lines() <= left) {
                left -= row.lines();
                *taken += 1;
            }
        }
        if left == before {
            break;
        }
    }
    for (section, taken) in sections.iter_mut().zip(taken) {
        section.rows.truncate(taken);
    }
    false
}

/// Returns when an issue is due, as the end of a title.
fn due(ui: &Ui, issue: &Summary) -> String {
    let due = issue.due.map(|due| ui.dates.due(due.0).0);
    due.map_or_else(String::new, |due| format!(" ({due})"))
}

fn note(ui: &Ui, note: &Note, now: u64) -> String {
    format!(
        "{}: {} ({}, {})",
        note.kind,
        ui.one_line(&note.text),
        ui.one_line(&note.party().to_string()),
        time::age(&note.at, now)
    )
}
