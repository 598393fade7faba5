//! `label`: adds and removes labels.

use clap::Args;

use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::Field;
use crate::ops::Result;
use crate::ops::shared::edit::Updated;
use crate::ops::shared::fields::label_text;
use crate::ops::verbs::update::{Update, update};

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
        let answer = update(cli.tracker()?, &self.request())?;
        Ok(answer_updated(cli, answer, "updated"))
    }
}

impl LabelArgs {
    /// Reads `label ID a b --rm c`, and `label add ID a`, `label rm ID c` as others write it.
    fn request(self) -> Update {
        let mut words = self.labels;
        let (id, add, remove) = match (self.id.as_str(), words.len()) {
            ("add", 2..) => (words.remove(0), words, self.rm),
            ("rm" | "remove", 2..) => (words.remove(0), Vec::new(), words),
            _ => (self.id, words, self.rm),
        };
        Update {
            ids: vec![id],
            fields: [(Field::Labels, label_text(&add))].into(),
            remove_labels: label_text(&remove),
        }
    }
}
