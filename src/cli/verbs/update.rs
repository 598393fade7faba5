//! `update`: fields of issues.

use clap::Args;

use crate::cli::options::fields::TextOptions;
use crate::cli::text::issue::answer_updated;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::current_branch;
use crate::ops::shared::edit::Updated;
use crate::ops::verbs::update::{Update, update};

#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    /// Ids [default: the issue of the current branch]
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Title
    #[arg(long, allow_hyphen_values = true)]
    title: Option<String>,
    #[command(flatten)]
    texts: TextOptions,
    /// Anything else
    #[arg(long, allow_hyphen_values = true)]
    notes: Option<String>,
    /// task, bug, feature, epic, chore, ...
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// 0 (most urgent) to 4, or P0 to P4
    #[arg(short, long)]
    priority: Option<String>,
    /// open, in_progress, blocked, deferred, closed, pinned, hooked
    #[arg(short, long)]
    status: Option<String>,
    /// Who works on it (`me`)
    #[arg(short, long, value_name = "NAME")]
    assignee: Option<String>,
    /// Add a label
    #[arg(long, value_name = "LABEL")]
    add_label: Vec<String>,
    /// Remove a label
    #[arg(long, value_name = "LABEL")]
    rm_label: Vec<String>,
    /// The issue it is a part of
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// Its name in another system
    #[arg(long, value_name = "REF", allow_hyphen_values = true)]
    external_ref: Option<String>,
    /// When it should be done
    #[arg(long, value_name = "DATE")]
    due: Option<String>,
    /// When it returns
    #[arg(long, value_name = "DATE")]
    defer: Option<String>,
}

impl Verb for UpdateArgs {
    const NAME: &'static str = "update";
    const ABOUT: &'static str = "Change fields of issues ('' clears one)";
    const GROUP: Group = Group::Work;
    const EXAMPLES: &'static str = r"Several fields of several issues; no assignee any more:

$ git beads update bd-a1b2 bd-c3d4 -p 0 --add-label urgent
$ git beads update bd-a1b2 -a ''
";
    type Answer = Updated;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let ids = current_branch::or_current(tracker, self.ids.clone())?;
        let answer = update(tracker, &self.request(ids))?;
        Ok(answer_updated(cli, answer, "updated"))
    }
}

impl UpdateArgs {
    fn request(self, ids: Vec<String>) -> Update {
        Update {
            ids,
            title: self.title,
            description: self.texts.description,
            design: self.texts.design,
            acceptance: self.texts.acceptance,
            notes: self.notes,
            kind: self.kind,
            priority: self.priority,
            status: self.status,
            assignee: self.assignee,
            add_labels: self.add_label,
            remove_labels: self.rm_label,
            parent: self.parent,
            external_ref: self.external_ref,
            due: self.due,
            defer: self.defer,
        }
    }
}
