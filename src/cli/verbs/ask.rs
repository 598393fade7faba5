//! `ask`: a question to a person.

use clap::Args;

use crate::cli::text::next;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::NewQuestion;
use crate::ops::verbs::ask::{AskedQuestion, ask};
use crate::ops::verbs::completion::IdGroup;
use crate::ops::{Command, Result};

#[derive(Debug, Args)]
pub(super) struct AskArgs {
    /// Id
    id: String,
    /// The question
    text: Vec<String>,
    /// An answer to choose from; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    option: Vec<String>,
    /// Person to ask [default: anyone]
    #[arg(long, value_name = "NAME")]
    to: Option<String>,
}

impl Verb for AskArgs {
    const NAME: &'static str = "ask";
    const ABOUT: &'static str = "Ask a person something about an issue";
    const GROUP: Group = Group::Work;
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Open];
    const EXAMPLES: &'static str = r#"A question with the answers to choose from, and where people see it:

$ git beads ask bd-a1b2 "Which index?" --option "B-tree" --option "Hash"
$ git beads inbox
"#;
    type Answer = AskedQuestion;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let question = NewQuestion {
            text: self.text.join(" "),
            options: self.option,
            to: self.to,
        };
        let answer = ask(cli.tracker()?, &self.id, &question)?;
        cli.answer(answer, |asked| vec![asked.question.clone()], text);
        Ok(Exit::OK)
    }
}

fn text(ui: &mut Ui, asked: &AskedQuestion) {
    let id = &asked.issue.id;
    let title = ui.one_line(&asked.issue.title);
    ui.line(&format!("{id} asks: {title}"));
    next(
        ui,
        Command::of("wait").id(id).flag("--until").word("answered"),
    );
}
