//! `dep`: what waits for what.

use clap::{Args, Subcommand};

use crate::cli::options::ids::IdOption;
use crate::cli::options::link::LinkOptions;
use crate::cli::schema::{self, Schema};
use crate::cli::text::issue::{linked, linked_ids};
use crate::cli::text::rows::indentation;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::edge::BLOCKS;
use crate::ops::Result;
use crate::ops::verbs::dep::{Cycles, Linked, Node, Tree, add, cycles, remove, tree};

#[derive(Debug, Args)]
pub(super) struct DepArgs {
    #[command(subcommand)]
    verb: DepVerb,
}

#[derive(Debug, Subcommand)]
enum DepVerb {
    /// Make an issue depend on others: `dep add A --on B`, or `dep add A B`
    Add(LinkOptions),
    /// Remove dependencies
    #[command(visible_alias = "remove")]
    Rm(LinkOptions),
    /// Show the dependencies of an issue as a tree
    Tree(IdOption),
    /// List dependency cycles
    Cycles,
}

impl Verb for DepArgs {
    const NAME: &'static str = "dep";
    const ABOUT: &'static str = "Manage dependencies between issues";
    const GROUP: Group = Group::Change;
    const HAS_VERBS: bool = true;
    const EXAMPLES: &'static str = r"bd-a1b2 waits for bd-c3d4:

$ git beads dep add bd-a1b2 --on bd-c3d4
$ git beads dep tree bd-a1b2
";
    type Answer = Linked;

    fn reads(&self) -> bool {
        matches!(self.verb, DepVerb::Tree(_) | DepVerb::Cycles)
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        match self.verb {
            DepVerb::Add(link) => {
                let answer = add(tracker, &link.request())?;
                cli.answer(answer, linked_ids, |ui, answer| linked(ui, answer, true));
            }
            DepVerb::Rm(link) => {
                let answer = remove(tracker, &link.request())?;
                cli.answer(answer, linked_ids, |ui, answer| linked(ui, answer, false));
            }
            DepVerb::Tree(issue) => {
                let answer = tree(tracker, &issue.id)?;
                let ids = |tree: &Tree| vec![tree.tree.id.clone()];
                cli.answer(answer, ids, |ui, answer| show_tree(ui, &answer.tree, 0));
            }
            DepVerb::Cycles => {
                let answer = cycles(tracker)?;
                cli.answer(answer, cycle_ids, show_cycles);
            }
        }
        Ok(Exit::OK)
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        vec![
            ("dep add", schema::of::<Linked>),
            ("dep cycles", schema::of::<Cycles>),
            ("dep rm", schema::of::<Linked>),
            ("dep tree", schema::of::<Tree>),
        ]
    }
}

fn show_tree(ui: &mut Ui, node: &Node, indent: usize) {
    let kind = node
        .kind
        .as_deref()
        .filter(|kind| *kind != BLOCKS)
        .map(|kind| format!(" ({})", ui.one_line(kind)))
        .unwrap_or_default();
    let title = node
        .title
        .as_deref()
        .map(|title| format!(" {}", ui.one_line(title)))
        .unwrap_or_default();
    let status = node
        .status
        .as_deref()
        .map(|status| format!(" [{}]", ui.one_line(status)))
        .unwrap_or_default();
    let again = if node.seen { " (shown above)" } else { "" };
    let text = format!(
        "{}{}{status}{title}{kind}{again}",
        indentation(ui, indent),
        node.id
    );
    ui.row(&text);
    for below in &node.depends_on {
        show_tree(ui, below, indent + 1);
    }
}

fn cycle_ids(cycles: &Cycles) -> Vec<String> {
    cycles.cycles.iter().map(|ids| ids.join(" ")).collect()
}

fn show_cycles(ui: &mut Ui, cycles: &Cycles) {
    if cycles.cycles.is_empty() {
        ui.line("no issues wait for each other");
    }
    for cycle in &cycles.cycles {
        let first = cycle.first().cloned().unwrap_or_default();
        ui.line(&format!("{} -> {first}", cycle.join(" -> ")));
    }
    if let Some(more) = cycles.more {
        ui.line(&format!("and {more} more"));
    }
}
