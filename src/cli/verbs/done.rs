//! `done`: closes issues and says what is ready next.

use std::path::PathBuf;

use clap::Args;

use crate::cli::options::ids::ForceOption;
use crate::cli::schema::{self, Schema};
use crate::cli::text::issue::remarks;
use crate::cli::text::next;
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::model::Evidence;
use crate::ops::shared::{commit_links, current_branch};
use crate::ops::verbs::completion::IdGroup;
use crate::ops::verbs::done::{Closed, Done, done};
use crate::ops::{Command, Hint, Result};

#[derive(Debug, Args)]
pub(super) struct DoneArgs {
    /// Ids [default: the issue of the current branch]
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Close every issue that a merged commit closes
    #[arg(long, conflicts_with = "ids")]
    landed: bool,
    /// What was done
    #[arg(short, long, conflicts_with = "landed", allow_hyphen_values = true)]
    reason: Option<String>,
    #[command(flatten)]
    evidence: EvidenceOptions,
    #[command(flatten)]
    force: ForceOption,
}

#[derive(Debug, Args)]
struct EvidenceOptions {
    /// The commit that did it
    #[arg(long, value_name = "REV", conflicts_with = "landed")]
    commit: Option<String>,
    /// The pull request, by number or address
    #[arg(long, value_name = "PR", conflicts_with = "landed")]
    pr: Option<String>,
    /// A file of the repository as evidence
    #[arg(long, value_name = "FILE", conflicts_with = "landed")]
    file: Option<PathBuf>,
}

impl EvidenceOptions {
    fn read(self, cli: &Cli) -> Evidence {
        let file = self.file.map(|file| cli.ui.path(&file));
        Evidence {
            commit: self.commit,
            pr: self.pr,
            file: file.map(|file| file.display().to_string()),
        }
    }
}

impl Verb for DoneArgs {
    const NAME: &'static str = "done";
    const ABOUT: &'static str = "Close issues and show what is ready next";
    const GROUP: Group = Group::Work;
    const ALIASES: &'static [&'static str] = &["close"];
    const COMPLETES: &'static [IdGroup] = &[IdGroup::Open];
    const EXAMPLES: &'static str = r#"Close an issue with what was done:

$ git beads done bd-a1b2 -r "chunked upload"

Say what shows it, for `show` and `blame`:

$ git beads done bd-a1b2 -r "chunked upload" --pr 214
"#;
    type Answer = Closed;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let evidence = self.evidence.read(cli);
        let tracker = cli.forced(&self.force)?;
        let answer = if self.landed {
            commit_links::close_landed(tracker)?
        } else {
            let request = Done {
                ids: current_branch::or_current(tracker, Self::NAME, self.ids)?,
                reason: self.reason,
                evidence,
                landed: false,
            };
            done(tracker, &request)?
        };
        cli.answer(answer, ids, text);
        Ok(Exit::OK)
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        let closed: Schema = schema::of::<Closed>;
        vec![(Self::NAME, closed), ("close", closed)]
    }
}

fn ids(closed: &Closed) -> Vec<String> {
    if !closed.ids.is_empty() {
        return closed.ids.clone();
    }
    let one = Some(closed.closed.clone());
    one.filter(|id| !id.is_empty()).into_iter().collect()
}

fn text(ui: &mut Ui, closed: &Closed) {
    if closed.closed.is_empty() {
        ui.line("no open issue has landed");
        return;
    }
    let ids = if closed.ids.is_empty() {
        closed.closed.clone()
    } else {
        closed.ids.join(" ")
    };
    let mut line = format!("{ids} closed");
    if let (Some(parent), Some(epic)) = (&closed.parent_id, &closed.epic_status) {
        line.push_str(&format!(
            "; {parent}: {} of {} done",
            epic.completed,
            epic.completed + epic.remaining
        ));
    }
    ui.line(&line);
    remarks(ui, &closed.remarks);
    for epic in &closed.auto_closed {
        ui.line(&format!("{epic} closed: all its children are"));
    }
    match closed.next_ready.as_ref().or(closed.elsewhere.as_ref()) {
        // Others who work through the queue would want the same one.
        Some(_) if closed.takes_next => next(ui, Command::of("ready").flag("--claim")),
        Some(issue) => {
            next(ui, Command::of("start").id(&issue.id));
            let title = ui.one_line(&issue.title);
            ui.line(&format!("  P{} {title}", issue.priority));
        }
        None => next(
            ui,
            Hint::Run {
                before: "nothing else is ready (".into(),
                command: Command::of("status"),
                after: ")".into(),
            },
        ),
    }
}
