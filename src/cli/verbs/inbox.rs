//! `inbox`: what needs the caller.

mod rows;

use clap::Args;

use crate::cli::text::{count, next};
use crate::cli::ui::{Ui, talk};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::desk::inbox::inbox_of_all;
use crate::desk::recent::remember;
use crate::ops::scene::inbox::{Inbox, OpenQuestion, inbox};
use crate::ops::{Command, Hint, Result};

/// Open questions first, then issues that wait for a person, conflicts, what agents have closed and no one has accepted, issues
/// that a commit has closed, and claims in which nothing happens; below these who works on what, what others have changed
/// since you looked, and what can be started. An agent sees the questions.
#[derive(Debug, Args)]
pub(super) struct InboxArgs {
    /// Include questions for others
    #[arg(long)]
    all: bool,
    /// Ask all repositories that `beads.repository` of your global git configuration names, those you used lately, and this one
    #[arg(long)]
    repos: bool,
}

impl Verb for InboxArgs {
    const NAME: &'static str = "inbox";
    const ABOUT: &'static str =
        "List what needs you: questions, conflicts, reviews, landed and stale work";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"What needs you here; for a program, and what others are asked too; in all your repositories:

$ git beads inbox
$ git beads inbox --all --json
$ git config --global --add beads.repository ~/work/app
$ git beads inbox --repos
";
    type Answer = Inbox;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let (answer, now) = match self.repos {
            true => {
                let env = cli.env().clone();
                let (here, open) = (cli.location()?, cli.opener());
                let (answer, warnings) = inbox_of_all(&env, &here, self.all, open)?;
                for warning in warnings {
                    talk(&env, "warning", &warning);
                }
                (answer, env.now())
            }
            false => {
                let tracker = cli.tracker()?;
                let answer = inbox(tracker, self.all)?;
                remember(tracker);
                (answer, tracker.now())
            }
        };
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
    match inbox.count_of_needs() {
        0 => nothing(ui, inbox),
        n => ui.line(&format!("Needs you {n}")),
    }
    for open in &inbox.questions {
        rows::question(ui, open, entry(inbox, open), now);
    }
    rows::needs(ui, inbox, now);
    rows::at_work(ui, inbox, now);
    rows::changed(ui, inbox, now);
    rows::ready(ui, inbox);
    rows::unread(ui, inbox);
    if let Some(open) = inbox.questions.first() {
        next(ui, hint(inbox, open));
    }
}

/// Says that nothing needs the caller, where anything could be read.
fn nothing(ui: &mut Ui, inbox: &Inbox) {
    let unread = inbox.repos.iter().filter(|repo| repo.error.is_some());
    match unread.count() {
        n if n > 0 && n == inbox.repos.len() => return,
        _ => {}
    }
    let at_work = match inbox.at_work.len() {
        0 => String::new(),
        n => format!("; {} in progress", count(n, "issue is", "issues are")),
    };
    ui.line(&format!("nothing needs you{at_work}"));
}

/// Returns the command that answers a question.
fn hint(inbox: &Inbox, open: &OpenQuestion) -> Hint {
    if !open.is_for_caller {
        let note = rows::command(inbox, open.repo.as_ref(), "note").id(&open.issue);
        return Hint::Run {
            before: "a person answers; ".into(),
            command: note.flag("--finding").placeholder("..."),
            after: " adds what you know".into(),
        };
    }
    let answer = rows::command(inbox, open.repo.as_ref(), "answer");
    let answer = entry(inbox, open)
        .into_iter()
        .fold(answer.id(&open.issue), Command::word);
    answer.placeholder("...").into()
}

/// Returns the id of a question where its issue asks several things: the answer names the one that it is for.
fn entry<'a>(inbox: &Inbox, open: &'a OpenQuestion) -> Option<&'a str> {
    let same = |other: &&OpenQuestion| other.issue == open.issue && other.repo == open.repo;
    let is_one = inbox.questions.iter().filter(same).count() == 1;
    (!is_one).then_some(open.question.entry.id.as_str())
}
