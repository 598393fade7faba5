//! `status`: where things stand, on one screen. What waits for a person comes first, then who is on what.

use clap::Args;
use unicode_width::UnicodeWidthStr;

use crate::cli::options::filter::FilterOptions;
use crate::cli::ui::Ui;
use crate::cli::ui::line::{Line, line};
use crate::cli::ui::style::{BOLD, CYAN, DIM, RED, priority_style};
use crate::cli::ui::width::{fit, pad};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::status::IN_PROGRESS;
use crate::model::time;
use crate::ops::Result;
use crate::ops::answer::Summary;
use crate::ops::verbs::status::{Active, Distance, Note, Status, status};

/// Issues of each kind.
const LIMIT: usize = 10;
/// Columns that a title has at least, or the priorities give way.
const LEAST_TITLE: usize = 15;

#[derive(Debug, Default, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    filter: FilterOptions,
}

impl Verb for StatusArgs {
    const NAME: &'static str = "status";
    const ABOUT: &'static str = "Show where things stand";
    const GROUP: Group = Group::Look;
    type Answer = Status;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let query = self.filter.query(tracker, LIMIT);
        let answer = status(tracker, &query)?;
        let (empty, now) = (answer.is_empty(), tracker.now());
        let whole = self.filter.limit.is_some();
        if whole {
            cli.page();
        }
        let height = if whole { usize::MAX } else { cli.ui.height() };
        cli.answer(answer, ids, |ui, answer| {
            text(ui, answer, now, query.is_plain(), height);
        });
        Ok(Exit::one_if(empty && self.filter.exit_code))
    }
}

/// A list under a heading.
struct StatusSection {
    name: &'static str,
    command: &'static str,
    total: u64,
    rows: Vec<StatusRow>,
}

/// An issue: its cells, and what stands below them.
struct StatusRow {
    cells: [String; 4],
    title: String,
    below: Option<String>,
    priority: i64,
    stale: bool,
}

impl StatusRow {
    fn lines(&self) -> usize {
        1 + usize::from(self.below.is_some())
    }
}

fn ids(status: &Status) -> Vec<String> {
    status
        .waiting
        .iter()
        .chain(&status.in_progress)
        .map(|active| active.summary.id.clone())
        .collect()
}

/// `plain`: of all issues, so that other verbs list what is left out.
fn text(ui: &mut Ui, status: &Status, now: u64, plain: bool, height: usize) {
    let head = head(ui, status, plain);
    let foot = foot(ui, status);
    let mut sections = sections(ui, status, now);
    sections.retain(|section| !section.rows.is_empty());
    if !plain {
        sections
            .iter_mut()
            .for_each(|section| section.command = "-n 0 shows all");
    }
    // The line of the next prompt is left free.
    let left = height.saturating_sub(1 + head.len() + foot.len());
    let spaced = cut(&mut sections, left);
    for line in head {
        ui.row(&line);
    }
    for section in &sections {
        if spaced {
            ui.line("");
        }
        print(ui, section);
    }
    if spaced && !foot.is_empty() {
        ui.line("");
    }
    for line in foot {
        ui.row(&line);
    }
}

/// Leaves rows out until all fits into so many lines; whether there is room for empty lines between.
fn cut(sections: &mut [StatusSection], lines: usize) -> bool {
    let whole: usize = sections
        .iter()
        .map(|section| 2 + section.rows.iter().map(StatusRow::lines).sum::<usize>())
        .sum();
    if whole < lines {
        return true;
    }
    let mut left = lines.saturating_sub(sections.len());
    let mut taken = vec![0; sections.len()];
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

fn head(ui: &Ui, status: &Status, plain: bool) -> Vec<String> {
    let counts: Vec<String> = status
        .counts
        .iter()
        .map(|(name, n)| format!("{n} {}", ui.one_line(name)))
        .collect();
    let nothing = if plain {
        "no issues yet"
    } else {
        "no issue matches"
    };
    let counts = if counts.is_empty() {
        nothing.to_owned()
    } else {
        counts.join(", ")
    };
    let mut totals = format!(
        "{} ready, {} blocked",
        status.ready_count, status.blocked_count
    );
    if status.waiting_count > 0 {
        totals.push_str(&format!(", {} waiting for a person", status.waiting_count));
    }
    if status.stale_count > 0 {
        totals.push_str(&format!(
            ", {} stale ({} days)",
            status.stale_count, status.stale_days
        ));
    }
    vec![format!("{}: {counts}", ui.one_line(&status.repo)), totals]
}

fn foot(ui: &Ui, status: &Status) -> Vec<String> {
    let mut lines = Vec::new();
    if status.conflict_count > 0 {
        let n = status.conflict_count;
        lines.push(format!(
            "written at the same time (git beads conflicts), {n}: {}",
            status.conflicts.join(", ")
        ));
    }
    let apart = |distance: &Distance| match (distance.ahead, distance.behind) {
        (0, 0) => format!("{}: in step", ui.one_line(&distance.remote)),
        (ahead, behind) => format!(
            "{}: {ahead} ahead, {behind} behind",
            ui.one_line(&distance.remote)
        ),
    };
    if !status.remotes.is_empty() {
        let all = status
            .remotes
            .iter()
            .map(apart)
            .collect::<Vec<_>>()
            .join("; ");
        let apart = status
            .remotes
            .iter()
            .any(|distance| distance.ahead + distance.behind > 0);
        lines.push(format!(
            "{all}{}",
            if apart { " (git beads sync)" } else { "" }
        ));
    }
    if !status.unreadable.is_empty() {
        lines.push(format!(
            "can't be read (git beads doctor): {}",
            ui.one_line(&status.unreadable.join(", "))
        ));
    }
    lines
}

fn sections(ui: &Ui, status: &Status, now: u64) -> Vec<StatusSection> {
    let active = |issues: &[Active]| {
        issues
            .iter()
            .map(|issue| active(ui, issue, now))
            .collect::<Vec<_>>()
    };
    let plain = |id: &str, title: &str| StatusRow {
        cells: [ui.one_line(id), String::new(), String::new(), String::new()],
        title: ui.one_line(title),
        below: None,
        priority: 2,
        stale: false,
    };
    let ready = |issue: &Summary| {
        let mut row = plain(&issue.id, &issue.title);
        row.cells[1] = format!("P{}", issue.priority);
        row.priority = issue.priority;
        row
    };
    let in_progress = status.counts.get(IN_PROGRESS).copied().unwrap_or(0);
    let section = |name, command, total, rows| StatusSection {
        name,
        command,
        total,
        rows,
    };
    vec![
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
            "all children closed",
            "git beads status -n 0",
            status.epics_to_close_count,
            status
                .epics_to_close
                .iter()
                .map(|epic| plain(&epic.hint, &epic.title))
                .collect(),
        ),
        section(
            "ready",
            "git beads ready -n 0",
            status.ready_count,
            status.ready.iter().map(ready).collect(),
        ),
        section(
            "blocked",
            "git beads blocked -n 0",
            status.blocked_count,
            status
                .blocked
                .iter()
                .map(|issue| plain(&issue.id, &issue.title))
                .collect(),
        ),
    ]
}

fn active(ui: &Ui, issue: &Active, now: u64) -> StatusRow {
    let summary = &issue.summary;
    let ago = |text: &str| {
        time::parse(text)
            .map(|at| time::ago(at, now))
            .unwrap_or_default()
    };
    let age = ago(issue.since.as_deref().unwrap_or(&issue.last_activity));
    let branch = issue
        .branch
        .as_deref()
        .map(|branch| format!(" [{}]", ui.one_line(branch)))
        .unwrap_or_default();
    let noted = |note: &Note| {
        format!(
            "{}: {} ({}, {})",
            note.kind,
            ui.one_line(&note.text),
            ui.one_line(&note.by),
            ago(&note.at)
        )
    };
    let below = issue
        .reason
        .as_deref()
        .map(|reason| ui.one_line(reason))
        .filter(|reason| !reason.is_empty());
    let who = summary
        .assignee
        .as_deref()
        .map(|name| format!("@{}", ui.one_line(name)))
        .unwrap_or_default();
    StatusRow {
        cells: [
            ui.one_line(&summary.id),
            format!("P{}", summary.priority),
            who,
            if issue.stale {
                format!("{age} stale")
            } else {
                age
            },
        ],
        title: format!("{}{branch}", ui.one_line(&summary.title)),
        below: below.or_else(|| issue.last_note.as_ref().map(noted)),
        priority: summary.priority,
        stale: issue.stale,
    }
}

fn print(ui: &mut Ui, section: &StatusSection) {
    let more = section.total.saturating_sub(section.rows.len() as u64);
    let command = section.command;
    let rest = if more > 0 {
        format!(", and {more} more: {command}")
    } else {
        String::new()
    };
    let heading = line![
        ui.paint(BOLD, section.name),
        format!(" {}{rest}", section.total),
    ];
    ui.row(&heading);
    let widest = |column: usize| {
        section
            .rows
            .iter()
            .map(|row| row.cells[column].width())
            .max()
            .unwrap_or(0)
    };
    let mut widths = [
        widest(0),
        widest(1),
        widest(2).min(ui.width().unwrap_or(100) / 5),
        widest(3),
    ];
    let used = |widths: [usize; 4]| {
        widths
            .iter()
            .filter(|width| **width > 0)
            .map(|width| width + 2)
            .sum::<usize>()
    };
    if ui
        .width()
        .is_some_and(|width| used(widths) + LEAST_TITLE > width)
    {
        // Who and since when are what the list is for.
        widths[1] = 0;
    }
    for row in &section.rows {
        let [id, priority, who, age] = std::array::from_fn(|column| match ui.width() {
            Some(_) if widths[column] == 0 => String::new(),
            Some(_) => pad(&fit(&row.cells[column], widths[column]), widths[column]),
            None => row.cells[column].clone(),
        });
        let cells = [
            (BOLD, id),
            (priority_style(row.priority), priority),
            (CYAN, who),
            (if row.stale { RED } else { DIM }, age),
        ];
        let gap = if ui.width().is_some() { "  " } else { " " };
        let mut line = Line::default();
        for (style, text) in cells.into_iter().filter(|(_, text)| !text.is_empty()) {
            line.push(ui.paint(style, text));
            line.push(gap);
        }
        line.push(&row.title);
        ui.row(&line);
        if let Some(below) = &row.below {
            let mark = if ui.width().is_some() { "    " } else { "> " };
            let text = ui.paint(DIM, format!("{mark}{below}"));
            ui.row(&line![text]);
        }
    }
}
