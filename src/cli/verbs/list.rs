//! `list`: issues that are not closed.

use clap::Args;

use crate::cli::options::at::AtOptions;
use crate::cli::options::filter::{FilterOptions, LIST_LIMIT};
use crate::cli::text::rows;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::query::{List, Query};
use crate::ops::verbs::list::list;

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    filter: FilterOptions,
    #[command(flatten)]
    at: AtOptions,
    /// Put together by status, assignee, priority, type or parent
    #[arg(long, value_name = "KEY", conflicts_with = "tree")]
    group: Option<String>,
    /// Open issues that a commit on the default branch closes
    #[arg(long, conflicts_with = "at")]
    landed: bool,
    /// Include closed issues
    #[arg(long)]
    all: bool,
    /// Include deleted issues
    #[arg(long)]
    deleted: bool,
    /// Show children below their parents
    #[arg(long, conflicts_with = "flat")]
    tree: bool,
    /// Show a flat list (the default)
    #[arg(long)]
    flat: bool,
}

impl Verb for ListArgs {
    const NAME: &'static str = "list";
    const ABOUT: &'static str = "List issues that are not closed";
    const GROUP: Group = Group::Work;
    const ALIASES: &'static [&'static str] = &["ls"];
    const EXAMPLES: &'static str = r"What Ann has in progress; bugs of the last two weeks; closed issues too, children below their parents; how it was on a day;
what waits for a person; who has what:

$ git beads list -a ann -s in_progress
$ git beads list -t bug --since 2w
$ git beads list --all --tree
$ git beads list --at 2026-11-21
$ git beads list --waiting
$ git beads list --group assignee
";
    type Answer = List;

    fn reads(&self) -> bool {
        true
    }

    fn run(mut self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        if self.landed {
            self.filter.query.push("is:landed".to_owned());
        }
        let query = self.filter.query_at(tracker, LIST_LIMIT, &self.at)?;
        let query = Query {
            all: self.all,
            deleted: self.deleted,
            group: self.group.or(query.group),
            ..query
        };
        let answer = list(tracker, &query)?;
        let empty = answer.issues.is_empty();
        let nothing = if query.is_plain() {
            "no issues; git beads create \"What is to be done\""
        } else {
            "no issue matches"
        };
        cli.page();
        cli.answer(answer, rows::list_ids, |ui, answer| {
            rows::list(ui, answer, self.tree, nothing);
        });
        Ok(Exit::one_if(empty && self.filter.exit_code))
    }
}
