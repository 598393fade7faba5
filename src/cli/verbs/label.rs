//! `label`: adds and removes labels.

use clap::Args;

use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::Field;
use crate::ops::shared::edit::Updated;
use crate::ops::shared::fields::label_text;
use crate::ops::verbs::update::{Update, update};
use crate::ops::{Code, Command, Error, Result};

#[derive(Debug, Args)]
pub(super) struct LabelArgs {
    /// Id
    id: String,
    /// Labels to add
    #[arg(required_unless_present = "rm")]
    labels: Vec<String>,
    /// Labels to remove
    #[arg(long, value_name = "LABEL", num_args = 1..)]
    rm: Vec<String>,
}

impl Verb for LabelArgs {
    const NAME: &'static str = "label";
    const ABOUT: &'static str = "Add or remove labels";
    const GROUP: Group = Group::Change;
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = update(cli.tracker()?, &self.request()?)?;
        Ok(answer_updated(cli, answer, "updated"))
    }
}

impl LabelArgs {
    /// Reads `label ID a b --rm c`, and `label add ID a`, `label rm ID c` as others write it.
    fn request(self) -> Result<Update> {
        let mut words = self.labels;
        let (id, add, remove) = match (self.id.as_str(), words.len()) {
            ("add", 2..) => (words.remove(0), words, self.rm),
            ("rm" | "remove", 2..) => {
                let id = words.remove(0);
                (id, Vec::new(), [words, self.rm].concat())
            }
            _ => {
                misplaced(&self.id, &words)?;
                (self.id, words, self.rm)
            }
        };
        Ok(Update {
            ids: vec![id],
            fields: [(Field::Labels, label_text(&add))].into(),
            remove_labels: label_text(&remove),
        })
    }
}

/// Refuses `label ID add a`, which would make a label of the verb behind the id.
fn misplaced(id: &str, words: &[String]) -> Result<()> {
    let Some((verb, labels)) = words.split_first() else {
        return Ok(());
    };
    let command = match verb.as_str() {
        "add" => Command::of("label").word("add"),
        "rm" | "remove" => Command::of("label").word("rm"),
        "list" => Command::of("show"),
        _ => return Ok(()),
    };
    let command = match (verb.as_str(), labels) {
        ("list", _) => command.id(id),
        (_, []) => command.id(id).placeholder("LABEL"),
        _ => labels.iter().fold(command.id(id), Command::text),
    };
    let message = format!("`{verb}` is behind the id, where it would be a label");
    Err(Error::new(Code::Usage, message).hinted(command))
}
