//! `note`: findings, decisions and comments.

use clap::Args;

use crate::cli::options::ids::ForceOption;
use crate::cli::text::issue::remarks;
use crate::cli::text::{count, next};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::current_branch;
use crate::ops::verbs::note::{Note, Noted, note};

#[derive(Debug, Args)]
pub(super) struct NoteArgs {
    /// Id [default: the issue of the current branch]
    id: Option<String>,
    /// A comment
    text: Vec<String>,
    /// A fact: what you saw or measured
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    finding: Vec<String>,
    /// A choice, with its reason
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    decision: Vec<String>,
    /// Anything else
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    comment: Vec<String>,
    /// Set the status too
    #[arg(short, long)]
    status: Option<String>,
    #[command(flatten)]
    force: ForceOption,
}

impl Verb for NoteArgs {
    const NAME: &'static str = "note";
    const ABOUT: &'static str = "Add findings, decisions and comments to an issue";
    const GROUP: Group = Group::Work;
    const ALIASES: &'static [&'static str] = &["comment", "progress"];
    const EXAMPLES: &'static str = r#"What was seen, and what was decided:

$ git beads note bd-a1b2 --finding "The proxy cuts at 64 KB" --decision "Send chunks: no change of the proxy"
"#;
    type Answer = Noted;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.forced(&self.force)?;
        let said = Some(self.text.join(" ")).filter(|text| !text.is_empty());
        let current = || current_branch::current(tracker);
        let request = Note {
            id: self.id.map_or_else(current, Ok)?,
            findings: self.finding,
            decisions: self.decision,
            comments: self.comment.into_iter().chain(said).collect(),
            question: None,
            status: self.status,
        };
        let answer = note(tracker, &request)?;
        cli.answer(answer, |noted| noted.added.clone(), text);
        Ok(Exit::OK)
    }
}

fn text(ui: &mut Ui, noted: &Noted) {
    let what = match noted.added.len() {
        0 => "nothing new".to_owned(),
        n => format!("{} added", count(n, "entry", "entries")),
    };
    let status = ui.one_line(&noted.issue.status);
    let text = format!("{} {status}: {what}", noted.issue.id);
    ui.line(&text);
    remarks(ui, &noted.remarks);
    let id = &noted.issue.id;
    match noted.may_end {
        true => next(ui, &format!("git beads done {id} -r \"...\"")),
        false => next(ui, &format!("git beads show {id}")),
    }
}
