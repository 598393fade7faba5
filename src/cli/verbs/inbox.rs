//! `inbox`: what waits for an answer.

use clap::Args;

use crate::cli::text::issue::noting;
use crate::cli::text::next;
use crate::cli::ui::Ui;
use crate::cli::ui::line::line;
use crate::cli::ui::style::{BOLD, DIM};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::time;
use crate::ops::verbs::inbox::{Inbox, OpenQuestion, inbox};
use crate::ops::{Command, Hint, Result};

#[derive(Debug, Args)]
pub(super) struct InboxArgs {
    /// Include questions for others
    #[arg(long)]
    all: bool,
}

impl Verb for InboxArgs {
    const NAME: &'static str = "inbox";
    const ABOUT: &'static str = "List open questions for you";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"What you are asked, and what anybody is; for a program, and what others are asked too:

$ git beads inbox
$ git beads inbox --all --json
";
    type Answer = Inbox;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let answer = inbox(tracker, self.all)?;
        let now = tracker.now();
        cli.page();
        cli.answer(answer, ids, |ui, inbox| text(ui, inbox, now));
        Ok(Exit::OK)
    }
}

fn ids(inbox: &Inbox) -> Vec<String> {
    let questions = inbox.questions.iter();
    questions
        .map(|open| open.question.entry.id.clone())
        .collect()
}

fn text(ui: &mut Ui, inbox: &Inbox, now: u64) {
    if inbox.questions.is_empty() {
        ui.line("no question waits for an answer");
    }
    for open in &inbox.questions {
        row(ui, open, entry(inbox, open), now);
    }
    if let Some(open) = inbox.questions.first().filter(|_| inbox.is_for_agent) {
        let hint = Hint::Run {
            before: "a person answers; ".into(),
            command: noting(&open.issue),
            after: " adds what you know".into(),
        };
        next(ui, hint);
    } else if let Some(open) = inbox.questions.first() {
        let answer = Command::of("answer").id(&open.issue);
        let entry = entry(inbox, open);
        next(
            ui,
            entry
                .into_iter()
                .fold(answer, Command::word)
                .placeholder("..."),
        );
    }
}

/// Returns the id of a question where its issue asks several things: the answer names the one that it is for.
fn entry<'a>(inbox: &Inbox, open: &'a OpenQuestion) -> Option<&'a str> {
    let same = |other: &&OpenQuestion| other.issue == open.issue;
    let is_one = inbox.questions.iter().filter(same).count() == 1;
    (!is_one).then_some(open.question.entry.id.as_str())
}

fn row(ui: &mut Ui, open: &OpenQuestion, entry: Option<&str>, now: u64) {
    let question = &open.question;
    let age = time::age(&question.entry.at, now);
    let to = question.to.as_deref().map(|name| format!(" to {name}"));
    let by = format!("{}{}", question.entry.party(), to.unwrap_or_default());
    let source = format!("({}, {})", ui.one_line(&by), age);
    let text = ui.one_line(&question.entry.text);
    let entry = entry.map(|entry| format!(" {entry}"));
    ui.line(&line![
        ui.paint(BOLD, &open.issue),
        ui.paint(DIM, entry.unwrap_or_default()),
        format!(" {}: {text} ", ui.one_line(&open.title)),
        ui.paint(DIM, source),
    ]);
    for (n, option) in (1..).zip(&question.options) {
        ui.line(&format!("  {n} {}", ui.one_line(option)));
    }
}
