//! `queries`: the syntax of queries, as the manual page has it.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::settings::rows;
use crate::cli::man::{Setting, settings};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::answer::{Answer, AnswerKind};

/// What `git beads list -w QUERY` and all other verbs with filters understand; docs/queries.md has more examples.
#[derive(Debug, Args)]
pub(super) struct QueriesArgs {}

/// The answer of `queries`.
#[derive(Serialize, JsonSchema)]
pub(super) struct QuerySyntax {
    /// The parts of a query, and what each asks.
    parts: Vec<Setting>,
}

impl Answer for QuerySyntax {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

impl Verb for QueriesArgs {
    const NAME: &'static str = "queries";
    const ABOUT: &'static str = "Explain the query language";
    const GROUP: Group = Group::Other;
    const EXAMPLES: &'static str = r"The syntax, and a query:

$ git beads queries
$ git beads list -w 'is:open priority<=1 (type:task OR type:bug) -assignee:me'
";
    type Answer = QuerySyntax;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let parts = settings("QUERIES");
        let ids = |it: &QuerySyntax| it.parts.iter().map(|part| part.name.clone()).collect();
        cli.page();
        cli.answer(QuerySyntax { parts }, ids, |ui, it| rows(ui, &it.parts));
        Ok(Exit::OK)
    }
}
