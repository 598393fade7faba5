//! `commit-msg`: the line that links a commit to an issue.

use clap::Args;

use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::Result;
use crate::ops::shared::current_branch::{Trailer, trailer};

#[derive(Debug, Args)]
pub(super) struct CommitMsgArgs {
    /// Id [default: the issue of the current branch]
    id: Option<String>,
    /// The commit closes the issue once it is merged
    #[arg(long)]
    closes: bool,
}

impl Verb for CommitMsgArgs {
    const NAME: &'static str = "commit-msg";
    const ABOUT: &'static str = "Print the line that links a commit to an issue";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r#"A commit that closes an issue once it is merged:

$ git commit --allow-empty -m "Stream bodies" --trailer "$(git beads commit-msg bd-a1b2 --closes)"
"#;
    type Answer = Trailer;

    fn reads(&self) -> bool {
        true
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let answer = trailer(cli.tracker()?, self.id.as_deref(), self.closes)?;
        let ids = |it: &Trailer| vec![it.id.clone()];
        cli.answer(answer, ids, |ui, it| ui.line(&it.trailer));
        Ok(Exit::OK)
    }
}
