//! `search`: words in titles, texts and memory.

use clap::Args;

use crate::cli::options::filter::{FilterOptions, LIST_LIMIT};
use crate::cli::text::diff::minute;
use crate::cli::text::reason::reason as show_parts;
use crate::cli::text::rows;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::query::Query;
use crate::ops::verbs::search::{FoundReason, SearchAnswer, search};

#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// Words, each of which may be the beginning of a word
    #[arg(required = true)]
    text: Vec<String>,
    #[command(flatten)]
    filter: FilterOptions,
    /// Include deleted issues
    #[arg(long)]
    deleted: bool,
}

impl Verb for SearchArgs {
    const NAME: &'static str = "search";
    const ABOUT: &'static str = "Search titles, descriptions and notes";
    const GROUP: Group = Group::Work;
    const ALIASES: &'static [&'static str] = &["grep"];
    const EXAMPLES: &'static str = r"Words may be shortened:

$ git beads search upl time
";
    type Answer = SearchAnswer;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let query = Query {
            deleted: self.deleted,
            ..self.filter.query(tracker, LIST_LIMIT)
        };
        let answer = search(tracker, &self.text.join(" "), &query)?;
        let empty = answer.list.issues.is_empty();
        cli.page();
        cli.answer(answer, |answer| rows::list_ids(&answer.list), text);
        Ok(Exit::one_if(empty && self.filter.exit_code))
    }
}

fn text(ui: &mut Ui, found: &SearchAnswer) {
    if !found.list.issues.is_empty() || found.reasons.is_empty() {
        rows::list(ui, &found.list, false, "nothing found");
    }
    for reason in &found.reasons {
        show_reason(ui, reason);
    }
}

/// Shows the parts of a reason that match, and what was done for it.
fn show_reason(ui: &mut Ui, reason: &FoundReason) {
    let done = match reason.issues.is_empty() {
        true => reason.calls.join(", "),
        false => reason.issues.join(" "),
    };
    let row = format!("{} {}", minute(&reason.at), ui.one_line(&done));
    ui.row(&row);
    show_parts(ui, &reason.matched, 2);
}
