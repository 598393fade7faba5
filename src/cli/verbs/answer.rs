//! `answer`: the answer to a question.

use clap::Args;

use crate::cli::text::next;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::verbs::answer::{AnswerRequest, Answered, answer};
use crate::ops::verbs::completion::IdGroup;
use crate::ops::{Command, Hint, Result};

#[derive(Debug, Args)]
pub(super) struct AnswerArgs {
    /// Id
    id: String,
    /// The answer, or the number of an option; if several questions are open, first the question or the end of its id
    #[arg(value_name = "[ENTRY] TEXT", required = true, num_args = 1..=2)]
    text: Vec<String>,
    /// Answer as an agent
    #[arg(long)]
    force: bool,
}

impl Verb for AnswerArgs {
    const NAME: &'static str = "answer";
    const ABOUT: &'static str = "Answer a question about an issue";
    const GROUP: Group = Group::Work;
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Open];
    const EXAMPLES: &'static str = r#"The answer to the open question of an issue:

$ git beads ask bd-a1b2 "Which index?" --option "B-tree" --option "Hash"
$ git beads answer bd-a1b2 1
"#;
    type Answer = Answered;

    fn run(mut self, cli: &mut Cli) -> Result<Exit> {
        let text = self.text.pop().unwrap_or_default();
        let request = AnswerRequest {
            id: self.id,
            entry: self.text.pop(),
            text,
        };
        let answer = answer(cli.with_force(self.force)?, &request)?;
        let ids = |answered: &Answered| vec![answered.question.entry.id.clone()];
        cli.answer(answer, ids, shown);
        Ok(Exit::OK)
    }
}

fn shown(ui: &mut Ui, answered: &Answered) {
    let answer = answered.question.answer.as_deref().unwrap_or_default();
    let question = ui.one_line(&answered.question.entry.text);
    ui.line(&format!("{} answered: {question}", answered.id));
    let text = format!("  {}", ui.one_line(answer));
    ui.line(&text);
    let id = &answered.id;
    match answered.blocked {
        true => {
            let unblock = Command::of("unblock").id(id);
            next(ui, Hint::run("it is still blocked: ", unblock));
        }
        false => next(ui, Command::of("show").id(id)),
    }
}
