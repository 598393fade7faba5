//! `search`: words in titles, texts and memory.

use clap::Args;

use crate::cli::options::filter::{FilterOptions, LIST_LIMIT};
use crate::cli::text::rows;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::query::{List, Query};
use crate::ops::verbs::search::search;

#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// Words; each may be the beginning of one
    #[arg(required = true)]
    text: Vec<String>,
    #[command(flatten)]
    filter: FilterOptions,
    /// Deleted issues too
    #[arg(long)]
    deleted: bool,
}

impl Verb for SearchArgs {
    const NAME: &'static str = "search";
    const ABOUT: &'static str = "Find words in titles, texts and memory";
    const GROUP: Group = Group::Work;
    const ALIASES: &'static [&'static str] = &["grep"];
    const EXAMPLES: &'static str = r"Words may be shortened:

$ git beads search upl time
";
    type Answer = List;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let query = Query {
            deleted: self.deleted,
            ..self.filter.query(tracker, LIST_LIMIT)
        };
        let answer = search(tracker, &self.text.join(" "), &query)?;
        let empty = answer.issues.is_empty();
        cli.page();
        cli.answer(answer, rows::list_ids, |ui, answer| {
            rows::list(ui, answer, false, "nothing found");
        });
        Ok(Exit::one_if(empty && self.filter.exit_code))
    }
}
