//! `note`: findings, decisions and comments.

use clap::Args;

use crate::cli::draft::{Draft, check_editor, may_ask};
use crate::cli::options::ids::ForceOption;
use crate::cli::text::issue::remarks;
use crate::cli::text::{count, next};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::MemoryKind;
use crate::model::memory::classify;
use crate::ops::shared::current_branch;
use crate::ops::verbs::note::{Note, Noted, note};
use crate::ops::{Command, Result, Tracker};

const HELP: &str =
    "Write a comment; FINDING: or DECISION: in front makes it one. An empty text adds nothing.\n";

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
    /// Write the comment in your editor (as without TEXT on a terminal)
    #[arg(short, long)]
    edit: bool,
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
        let current = || current_branch::current(tracker, Self::NAME);
        let request = Note {
            id: self.id.map_or_else(current, Ok)?,
            findings: self.finding,
            decisions: self.decision,
            comments: self.comment.into_iter().chain(said).collect(),
            status: self.status,
            ..Note::default()
        };
        let is_empty = [&request.findings, &request.decisions, &request.comments]
            .iter()
            .all(|texts| texts.is_empty());
        let is_asked = is_empty && request.status.is_none() && may_ask(tracker);
        let answer = match self.edit || is_asked {
            true => note_in_editor(tracker, request)?,
            false => note(tracker, &request)?,
        };
        cli.answer(answer, |noted| noted.added.clone(), text);
        Ok(Exit::OK)
    }
}

/// Lets the user write a comment in the editor, and adds it.
pub(super) fn note_in_editor(tracker: &Tracker, mut request: Note) -> Result<Noted> {
    let draft = written(tracker, &mut request)?;
    note(tracker, &request).map_err(|error| draft.refused(error))
}

/// Lets the user write a comment in the editor.
fn written(tracker: &Tracker, request: &mut Note) -> Result<Draft> {
    let instead = Command::of("note").id(&request.id).placeholder("TEXT");
    check_editor(tracker, instead)?;
    let before = request.comments.join("\n\n");
    let draft = Draft::write(tracker, &format!("{before}\n"), HELP)?;
    // They were the beginning of the draft.
    request.comments.clear();
    let (kind, said) = classify(&draft.text);
    let texts = match kind {
        MemoryKind::Finding => &mut request.findings,
        MemoryKind::Decision => &mut request.decisions,
        _ => &mut request.comments,
    };
    texts.push(said.trim().to_owned());
    Ok(draft)
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
        true => next(ui, Command::of("done").id(id).flag("-r").placeholder("...")),
        false => next(ui, Command::of("show").id(id)),
    }
}
