//! `ready`: what can be started.

use clap::Args;

use crate::cli::options::at::AtOptions;
use crate::cli::options::filter::FilterOptions;
use crate::cli::options::ids::ClaimOptions;
use crate::cli::schema::{self, Schema};
use crate::cli::text::issue::{started, started_ids};
use crate::cli::text::rows;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::shared::commit_links::landed_line;
use crate::ops::shared::query::{List, Query};
use crate::ops::verbs::ready::{Explanation, claim, explain, ready};
use crate::ops::{Command, Result};

/// Rows where none are asked for.
const READY_LIMIT: usize = 10;

#[derive(Debug, Args)]
pub(super) struct ReadyArgs {
    #[command(flatten)]
    filter: FilterOptions,
    #[command(flatten)]
    at: AtOptions,
    /// Explain for every open issue why it is or is not ready
    #[arg(long)]
    explain: bool,
    /// Start the first one, atomically
    #[arg(long, conflicts_with_all = ["explain", "at"])]
    claim: bool,
    #[command(flatten)]
    claim_options: ClaimOptions,
}

impl Verb for ReadyArgs {
    const NAME: &'static str = "ready";
    const ABOUT: &'static str = "List issues that can be started, most urgent first";
    const GROUP: Group = Group::Work;
    const EXAMPLES: &'static str = r"What can be started; why the rest can't; take the first:

$ git beads ready
$ git beads ready --explain
$ git beads ready --claim
";
    type Answer = List;

    fn reads(&self) -> bool {
        !self.claim
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.claiming(&self.claim_options)?;
        let query = self.filter.query_at(tracker, READY_LIMIT, &self.at)?;
        if self.claim {
            let answer = claim(tracker, &query)?;
            cli.answer(answer, started_ids, started);
            return Ok(Exit::OK);
        }
        if self.explain {
            // All of them, unless a limit was given.
            let limit = self.filter.limit.unwrap_or(0);
            let answer = explain(tracker, &Query { limit, ..query })?;
            let ids = |all: &Explanation| all.ready.iter().map(|it| it.id.clone()).collect();
            cli.answer(answer, ids, explanation);
            return Ok(Exit::OK);
        }
        let says_next = cli.globals.json.is_some();
        let nothing = match query.is_plain() {
            true => "nothing is ready; git beads ready --explain says why",
            false => "nothing that matches is ready; git beads ready --explain says why",
        };
        let answer = ready(cli.tracker()?, &Query { says_next, ..query })?;
        let empty = answer.issues.is_empty();
        cli.answer(answer, rows::list_ids, |ui, answer| {
            rows::list(ui, answer, false, nothing);
            if let Some(line) = landed_line(&answer.landed) {
                ui.line(&line);
            }
            if !answer.waiting.is_empty() {
                let list = Command::of("list").flag("--waiting");
                let ids = ui.one_line(&answer.waiting.join(", "));
                ui.line(&format!("waiting for a person: {ids} ({list})"));
            }
        });
        Ok(Exit::one_if(empty && self.filter.exit_code))
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        vec![
            (Self::NAME, schema::of::<List>),
            ("ready --explain", schema::of::<Explanation>),
        ]
    }
}

fn explanation(ui: &mut Ui, explanation: &Explanation) {
    rows::rows(
        ui,
        explanation
            .ready
            .iter()
            .map(|issue| (issue, 0, String::new())),
    );
    let returned = explanation.ready.len() + explanation.not_ready.len();
    // On a page of many, none ready says nothing about the rest.
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
    rows::footer(ui, returned, explanation.total_count, hint);
}
