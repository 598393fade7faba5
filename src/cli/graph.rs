//! `graph`: a tree in text. Below an issue stand its parts and, after an arrow, what waits for it; an issue
//! stands once and is named wherever else it belongs.

mod tree;

use std::collections::{HashMap, HashSet};

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::args::{Global, GraphArgs};
use super::columns::fit;
use super::query::query;
use super::render::{BOLD, CYAN, DIM, GREEN, RED, YELLOW, count, priority_style, status_style};
use super::ui::Ui;
use crate::ops::verbs::graph as ops;
use crate::ops::verbs::graph::{Graph, Node, Scope};
use crate::ops::verbs::list::Query;
use crate::ops::{Result, Tracker};
use tree::{TreeRow, Via};

/// Cells of a progress bar.
const BAR: u64 = 10;
/// The least a title is cut to.
const LEAST: usize = 12;

pub(super) fn graph(
    tracker: &Tracker,
    ui: &mut Ui,
    global: &Global,
    args: &GraphArgs,
) -> Result<u8> {
    let drawing = [("--mermaid", args.mermaid), ("--dot", args.dot)]
        .into_iter()
        .find(|(_, asked)| *asked);
    if let Some((option, _)) = drawing {
        ui.refuse(&["--json", "--quiet"], option, "graph")?;
    }
    let query = Query {
        limit: args.filter.limit.unwrap_or(0),
        ..query(tracker, &args.filter, 0)
    };
    let answer = ops::graph(
        tracker,
        &Scope {
            id: args.id.clone(),
            all: args.all,
            query,
        },
    )?;
    let empty = answer.issues.is_empty();
    let ids = |graph: &Graph| {
        graph
            .issues
            .iter()
            .map(|node| node.summary.id.clone())
            .collect()
    };
    if args.mermaid {
        let (text, warning) = ops::mermaid(&answer);
        ui.line(text.trim_end());
        warning
            .into_iter()
            .for_each(|warning| tracker.warn(warning));
    } else if args.dot {
        ui.line(ops::dot(&answer).trim_end());
    } else {
        ui.page(global, tracker.store());
        ui.answer(answer, ids, text);
    }
    Ok(u8::from(empty && args.filter.exit_code))
}

fn text(ui: &mut Ui, graph: &Graph) {
    if graph.issues.is_empty() {
        ui.line("no issue is linked to another");
    }
    let page = GraphPage::new(graph);
    let entries = tree::entries(graph);
    let prefixes = match ui.width() {
        Some(width) => tree::drawn(&entries, width / 3),
        None => tree::plain(&entries),
    };
    for (entry, prefix) in entries.iter().zip(prefixes) {
        let line = page.line(ui, entry, &prefix);
        ui.row(&line);
    }
    if !graph.critical_path.is_empty() {
        let text = format!(
            "critical path ({}): {}",
            graph.critical_path.len(),
            graph.critical_path.join(" -> ")
        );
        ui.line("");
        foot(ui, YELLOW, &text);
    }
    for cycle in &graph.cycles {
        foot(
            ui,
            RED,
            &format!("circle: {} -> {}", cycle.join(" -> "), cycle[0]),
        );
    }
    if graph.unlinked_count > 0 {
        let what = count(
            graph.unlinked_count,
            "issue that nothing is",
            "issues that nothing is",
        );
        foot(
            ui,
            DIM,
            &format!("({what} linked to: git beads graph --all)"),
        );
    }
}

/// A line at the end.
fn foot(ui: &mut Ui, style: Style, text: &str) {
    let text = ui.paint(style, &ui.one_line(text));
    ui.row(&text);
}

/// What a line needs to know besides its entry.
struct GraphPage<'g> {
    graph: &'g Graph,
    critical: HashSet<&'g str>,
    suspended: Targets<'g>,
    many: Targets<'g>,
}

/// What each issue waits for.
type Targets<'g> = HashMap<&'g str, Vec<&'g str>>;

impl<'g> GraphPage<'g> {
    fn new(graph: &'g Graph) -> Self {
        let (mut suspended, mut many): (Targets<'_>, Targets<'_>) = Default::default();
        for edge in &graph.edges {
            let list = if edge.suspended {
                &mut suspended
            } else {
                &mut many
            };
            if edge.suspended || edge.is_waiting() {
                list.entry(&edge.from).or_default().push(&edge.to);
            }
        }
        many.retain(|_, targets| targets.len() > 1);
        Self {
            graph,
            critical: graph.critical_path.iter().map(String::as_str).collect(),
            suspended,
            many,
        }
    }

    fn line(&self, ui: &Ui, entry: &TreeRow, prefix: &str) -> String {
        match &entry.via {
            Via::NamedParts(ids) | Via::NamedWaiting(ids) => {
                let ids: Vec<&str> = ids
                    .iter()
                    .map(|n| self.graph.issues[*n].summary.id.as_str())
                    .collect();
                ui.paint(DIM, &format!("{prefix}{}", ui.one_line(&ids.join(", "))))
            }
            Via::Part | Via::Waiting => self.issue(ui, &self.graph.issues[entry.node], prefix),
        }
    }

    fn issue(&self, ui: &Ui, node: &Node, prefix: &str) -> String {
        let summary = &node.summary;
        let (id, status) = (ui.one_line(&summary.id), ui.one_line(&summary.status));
        let critical = self.critical.contains(summary.id.as_str());
        let tail = self.tail(ui, node, critical);
        let mut title = ui.one_line(&summary.title);
        if let Some(width) = ui.width() {
            let around = prefix.width() + id.width() + status.width() + 5;
            let taken = around + tail.iter().map(|(_, text)| text.width() + 1).sum::<usize>();
            title = fit(&title, width.saturating_sub(taken).max(LEAST));
        }
        let mut line = format!(
            "{}{} {} {} {}",
            ui.paint(DIM, prefix),
            ui.paint(
                if critical {
                    BOLD.fg_color(YELLOW.get_fg_color())
                } else {
                    BOLD
                },
                &id
            ),
            ui.paint(
                priority_style(summary.priority),
                &format!("P{}", summary.priority)
            ),
            ui.paint(status_style(&summary.status), &status),
            if summary.status == "closed" {
                ui.paint(DIM, &title)
            } else {
                title
            },
        );
        for (style, text) in tail {
            line.push(' ');
            line.push_str(&ui.paint(style, &text));
        }
        line
    }

    /// What stands behind the title: assignee, progress, what hangs on it, what is wrong.
    fn tail(&self, ui: &Ui, node: &Node, critical: bool) -> Vec<(Style, String)> {
        let mut tail = Vec::new();
        if let Some(assignee) = &node.summary.assignee {
            tail.push((CYAN, format!("@{}", fit(&ui.one_line(assignee), 20))));
        }
        if let Some(progress) = node.progress {
            let (done, total) = (progress.done, progress.total.max(1));
            if ui.width().is_some() {
                let full = usize::try_from(done.saturating_mul(BAR) / total).unwrap_or(0);
                tail.push((GREEN, "█".repeat(full) + &"░".repeat(BAR as usize - full)));
            }
            tail.push((Style::new(), format!("{done}/{total}")));
        }
        let id = node.summary.id.as_str();
        let others = self
            .many
            .get(id)
            .filter(|_| node.summary.status != "closed")
            .map(Vec::len);
        let remarks = [
            (node.unblocks > 0).then(|| format!("unblocks {}", node.unblocks)),
            others.map(|others| format!("waits for {others}")),
            critical.then(|| "critical".to_owned()),
        ];
        let remarks = remarks.into_iter().flatten().collect::<Vec<_>>().join(", ");
        if !remarks.is_empty() {
            tail.push((if critical { YELLOW } else { DIM }, format!("({remarks})")));
        }
        if let Some(targets) = self.suspended.get(id) {
            let targets = fit(&ui.one_line(&targets.join(", ")), 40);
            tail.push((RED, format!("(suspended: {targets})")));
        }
        tail
    }
}
