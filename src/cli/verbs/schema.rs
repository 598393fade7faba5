//! `schema`: the JSON Schema of answers.

use clap::Args;
use serde_json::Value;

use crate::cli::schema::of_error;
use crate::cli::verb::{Cli, Entry, Exit, Group, NoAnswer, Verb};
use crate::ops::{Command, Error, Result};

#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The verb; without one, all
    verb: Option<String>,
}

impl Verb for SchemaArgs {
    const NAME: &'static str = "schema";
    const ABOUT: &'static str = "Print the JSON Schema of answers";
    const GROUP: Group = Group::Other;
    const EXAMPLES: &'static str = r"The answer of one verb:

$ git beads schema list
";
    type Answer = NoAnswer;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let schema = match self.verb.as_deref() {
            Some(verb) => one(cli.verbs, verb)?,
            None => all(cli.verbs),
        };
        cli.ui
            .text(&serde_json::to_string_pretty(&schema).unwrap_or_default());
        Ok(Exit::OK)
    }
}

/// Returns the schemas of all answers, by command line.
pub(super) fn all(verbs: &[Entry]) -> Value {
    let mut all: Vec<_> = verbs.iter().flat_map(|verb| (verb.schemas)()).collect();
    all.push(("error", of_error));
    all.sort_unstable_by_key(|(line, _)| *line);
    all.into_iter()
        .map(|(line, schema)| (line.to_owned(), schema()))
        .collect()
}

/// Returns the schema of one verb's answer, or of one command line in the list of all.
fn one(verbs: &[Entry], line: &str) -> Result<Value> {
    if line == "error" {
        return Ok(of_error());
    }
    let mut listed = verbs.iter().flat_map(|verb| (verb.schemas)());
    let listed = listed.find(|(name, _)| *name == line);
    let named = || verbs.iter().find(|verb| verb.is_named(line));
    let found = listed
        .map(|(_, schema)| schema)
        .or_else(|| (named()?.schema)());
    let found = found.ok_or_else(|| {
        Error::not_found(format!("`{line}` has no JSON answer")).hinted(Command::of("schema"))
    })?;
    Ok(found())
}
