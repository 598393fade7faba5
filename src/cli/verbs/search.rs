//! `search`: words in titles, texts and memory.

use std::collections::HashMap;

use clap::Args;

use crate::cli::options::filter::{FilterOptions, LIST_LIMIT};
use crate::cli::text::reason::reason as show_parts;
use crate::cli::text::rows;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::query::Query;
use crate::ops::shared::snippet::Snippet;
use crate::ops::verbs::search::{FoundReason, SearchAnswer, search};
use crate::text::line::Line;
use crate::text::style::{BOLD, DIM};

#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// Words, each of which may be the beginning of a word; "a phrase"; `is:open label:api` (`-label:api` after --)
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
    const EXAMPLES: &'static str = r#"Words may be shortened; a phrase, in what is not closed; without a label:

$ git beads search upl time
$ git beads search 'is:open "64 KB"'
$ git beads search upl -- -label:api
"#;
    type Answer = SearchAnswer;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let query = Query {
            deleted: self.deleted,
            ..self.filter.query(tracker, LIST_LIMIT)?
        };
        let mut answer = search(tracker, &self.text.join(" "), &query)?;
        // The kind of things that are searched for, as `gh` has it.
        if let [first, rest @ ..] = &self.text[..]
            && first == "issues"
            && !rest.is_empty()
            && answer.list.issues.is_empty()
        {
            answer = search(tracker, &rest.join(" "), &query)?;
            tracker.warn("nothing has the word `issues` too: searched for without it");
        }
        let empty = answer.list.issues.is_empty();
        cli.page();
        cli.answer(answer, |answer| rows::list_ids(&answer.list), text);
        Ok(Exit::one_if(empty && self.filter.exit_code))
    }
}

fn text(ui: &mut Ui, found: &SearchAnswer) {
    if !found.list.issues.is_empty() || found.reasons.is_empty() {
        issues(ui, found);
    }
    for reason in &found.reasons {
        show_reason(ui, reason);
    }
}

fn issues(ui: &mut Ui, found: &SearchAnswer) {
    let list = &found.list;
    if list.issues.is_empty() {
        ui.line("nothing found");
        return;
    }
    let snippets = found.snippets.iter().map(|it| (it.id.as_str(), it));
    let snippets: HashMap<&str, &Snippet> = snippets.collect();
    let table = list.issues.iter().map(|issue| (issue, 0, String::new()));
    rows::rows_with(ui, table, |ui, issue| {
        if let Some(snippet) = snippets.get(issue.id.as_str()) {
            show_snippet(ui, snippet);
        }
    });
    rows::footer(ui, list.returned, list.total_count, list.hint.as_ref());
}

/// Shows a part of a text, with the words that match in bold.
fn show_snippet(ui: &mut Ui, snippet: &Snippet) {
    let mut rest = ui.one_line(&snippet.text);
    let mut row = Line::default();
    row.push(ui.paint(DIM, format!("  > {}: ", snippet.field)));
    // They come in the order of the text.
    for word in &snippet.matched {
        let word = ui.one_line(word);
        if let Some((before, after)) = rest.split_once(word.as_str()) {
            row.push(before.to_owned());
            row.push(ui.paint(BOLD, word));
            rest = after.to_owned();
        }
    }
    row.push(rest);
    ui.row(&row);
}

/// Shows the parts of a reason that match, and what was done for it.
fn show_reason(ui: &mut Ui, reason: &FoundReason) {
    let done = match reason.issues.is_empty() {
        true => reason.calls.join(", "),
        false => reason.issues.join(" "),
    };
    let row = format!("{} {}", ui.dates.minute(&reason.at), ui.one_line(&done));
    ui.row(&row);
    show_parts(ui, &reason.matched, 2);
}
