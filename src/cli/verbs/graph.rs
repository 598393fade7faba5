//! `graph`: a tree in text. Below an issue are its parts and, after an arrow, what waits for it; each issue has one
//! line and is named wherever else it belongs.

use std::collections::{HashMap, HashSet};

use anstyle::Style;
use clap::Args;
use unicode_width::UnicodeWidthStr;

use crate::cli::options::filter::FilterOptions;
use crate::cli::text::count;
use crate::cli::text::tree::{self, TreeRow, Via};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::verbs::graph::{Graph, Node, Scope, dot, graph, mermaid};
use crate::text::line::{Line, line};
use crate::text::style::{BOLD, CYAN, DIM, GREEN, RED, YELLOW, priority_style, status_style};
use crate::text::width::fit;

/// Cells of a progress bar.
const BAR: u64 = 10;
/// The least a title is cut to.
const LEAST: usize = 12;

/// Without ID the open work. Lines below an issue are its parts and, after an arrow, what waits for it.
#[derive(Debug, Args)]
pub(super) struct GraphArgs {
    /// Show only this issue, its children and their dependencies
    id: Option<String>,
    /// Include closed issues and issues without links
    #[arg(long)]
    all: bool,
    /// Print a Mermaid flowchart
    #[arg(long, conflicts_with = "dot")]
    mermaid: bool,
    /// Print a Graphviz graph
    #[arg(long)]
    dot: bool,
    #[command(flatten)]
    filter: FilterOptions,
}

impl Verb for GraphArgs {
    const NAME: &'static str = "graph";
    const ABOUT: &'static str = "Draw epics, children and dependencies as a graph";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"The open work; an epic with all that hangs on it; for Graphviz:

$ git beads graph
$ git beads graph bd-a1b2
$ git beads graph --dot | dot -Tsvg > graph.svg
";
    type Answer = Graph;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let (tracker, ui) = cli.open()?;
        let drawing = [("--mermaid", self.mermaid), ("--dot", self.dot)];
        if let Some((option, _)) = drawing.into_iter().find(|(_, asked)| *asked) {
            ui.refuse(&["--json", "--quiet"], option, "graph")?;
        }
        let scope = Scope {
            query: self.filter.query(tracker, 0)?,
            id: self.id,
            all: self.all,
        };
        let answer = graph(tracker, &scope)?;
        let empty = answer.issues.is_empty();
        if self.mermaid {
            let (text, warning) = mermaid(&answer);
            ui.line(text.trim_end());
            warning
                .into_iter()
                .for_each(|warning| tracker.warn(warning));
        } else if self.dot {
            ui.line(dot(&answer).trim_end());
        } else {
            cli.page();
            cli.answer(answer, ids, text);
        }
        Ok(Exit::one_if(empty && self.filter.exit_code))
    }
}

fn ids(graph: &Graph) -> Vec<String> {
    let ids = graph.issues.iter().map(|node| node.summary.id.clone());
    ids.collect()
}

fn text(ui: &mut Ui, graph: &Graph) {
    if graph.issues.is_empty() {
        ui.line("no links between issues");
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
            &format!("cycle: {} -> {}", cycle.join(" -> "), cycle[0]),
        );
    }
    if graph.unlinked_count > 0 {
        let what = count(graph.unlinked_count, "issue", "issues");
        foot(
            ui,
            DIM,
            &format!("({what} without links: git beads graph --all)"),
        );
    }
}

fn foot(ui: &mut Ui, style: Style, text: &str) {
    let text = ui.paint(style, ui.one_line(text));
    ui.row(&line![text]);
}

/// The context of a line: the graph, and facts on its issues by id.
struct GraphPage<'g> {
    graph: &'g Graph,
    critical: HashSet<&'g str>,
    suspended: Targets<'g>,
    many: Targets<'g>,
}

/// The issues that each issue waits for.
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

    fn line(&self, ui: &Ui, entry: &TreeRow, prefix: &str) -> Line {
        match &entry.via {
            Via::NamedParts(ids) | Via::NamedWaiting(ids) => {
                let ids: Vec<&str> = ids
                    .iter()
                    .map(|n| self.graph.issues[*n].summary.id.as_str())
                    .collect();
                let text = format!("{prefix}{}", ui.one_line(&ids.join(", ")));
                line![ui.paint(DIM, text)]
            }
            Via::Part | Via::Waiting => self.issue(ui, &self.graph.issues[entry.node], prefix),
        }
    }

    fn issue(&self, ui: &Ui, node: &Node, prefix: &str) -> Line {
        let summary = &node.summary;
        let (id, status) = (ui.one_line(&summary.id), ui.one_line(&summary.status));
        let critical = self.critical.contains(summary.id.as_str());
        let tail = self.tail(ui, node, critical);
        let mut title = ui.one_line(&summary.title);
        if let Some(width) = ui.width() {
            let around = prefix.width() + id.width() + status.width() + 5;
            let taken = around + tail.iter().map(|(_, text)| text.width() + 1).sum::<usize>();
            // At any depth a title keeps a few columns; `row` cuts what is too long in all.
            title = fit(&title, width.saturating_sub(taken).max(LEAST));
        }
        let id_style = if critical {
            BOLD.fg_color(YELLOW.get_fg_color())
        } else {
            BOLD
        };
        let title_style = if summary.status == "closed" {
            DIM
        } else {
            Style::new()
        };
        let priority = format!("P{}", summary.priority);
        let mut line = line![
            ui.paint(DIM, prefix),
            ui.paint(id_style, id),
            " ",
            ui.paint(priority_style(summary.priority), priority),
            " ",
            ui.paint(status_style(&summary.status), status),
            " ",
            ui.paint(title_style, title),
        ];
        for (style, text) in tail {
            line.push(" ");
            line.push(ui.paint(style, text));
        }
        line
    }

    /// Returns the parts after the title: assignee, progress, what depends on it, what is wrong.
    fn tail(&self, ui: &Ui, node: &Node, critical: bool) -> Vec<(Style, String)> {
        let mut tail = Vec::new();
        if let Some(holder) = node.summary.holder() {
            tail.push((CYAN, format!("@{}", fit(&ui.one_line(&holder), 20))));
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
            others.map(|others| format!("blocked by {others}")),
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
