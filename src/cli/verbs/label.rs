//! `label`: adds and removes labels.

use clap::Args;

use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::Field;
use crate::ops::shared::edit::Updated;
use crate::ops::shared::fields::label_text;
use crate::ops::shared::ids::leading;
use crate::ops::verbs::update::{Update, update};
use crate::ops::{Code, Command, Error, Result, Tracker};

#[derive(Debug, Args)]
pub(super) struct LabelArgs {
    /// Id
    id: String,
    /// More ids, then labels to add; `--` ends the ids
    #[arg(required_unless_present_any = ["rm", "after"], value_name = "LABELS")]
    labels: Vec<String>,
    #[arg(last = true, hide = true)]
    after: Vec<String>,
    /// Labels to remove
    #[arg(long, value_name = "LABEL", num_args = 1..)]
    rm: Vec<String>,
}

impl Verb for LabelArgs {
    const NAME: &'static str = "label";
    const ABOUT: &'static str = "Add or remove labels";
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = r"Add two labels; to two issues; remove one:

$ git beads label bd-a1b2 urgent api
$ git beads label bd-a1b2 bd-c3d4 slow
$ git beads label bd-a1b2 --rm urgent
";
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let answer = update(tracker, &self.request(tracker)?)?;
        Ok(answer_updated(cli, answer, "updated"))
    }
}

impl LabelArgs {
    /// Reads `label ID a b --rm c`, and `label add ID a`, `label rm ID c` as others write it.
    fn request(self, tracker: &Tracker) -> Result<Update> {
        let mut words = self.labels;
        let (id, verb) = match (self.id.as_str(), words.len() + self.after.len()) {
            ("add" | "rm" | "remove", 2..) if !words.is_empty() => {
                (words.remove(0), self.id.as_str())
            }
            _ => {
                misplaced(&self.id, &words)?;
                (self.id.clone(), "add")
            }
        };
        let (mut ids, mut labels) = leading(tracker, words)?;
        ids.insert(0, id);
        labels.extend(self.after);
        let (add, remove) = match verb {
            "add" => (labels, self.rm),
            _ => (Vec::new(), [labels, self.rm].concat()),
        };
        Ok(Update {
            ids,
            fields: [(Field::Labels, label_text(&add))].into(),
            remove_labels: label_text(&remove),
            ..Update::default()
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
