//! `hook`: the background work that git's hooks and this program itself start.

use std::ffi::OsString;

use clap::Args;

use crate::cli::verb::{Cli, Exit, Group, NoAnswer, Verb};
use crate::hooks;
use crate::ops::Result;
use crate::ops::verbs::hook_task;

#[derive(Debug, Args)]
pub(super) struct HookArgs {
    /// Exchange with the remote too
    #[arg(long)]
    sync: bool,
    /// What has happened
    event: String,
    /// What git says of it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

impl Verb for HookArgs {
    const NAME: &'static str = "hook";
    const ABOUT: &'static str = "What git's hooks and this program itself start beside the user";
    const GROUP: Group = Group::Keep;
    const HIDDEN: bool = true;
    type Answer = NoAnswer;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        if self.is_own() {
            let remote = self.args.first().and_then(|arg| arg.to_str());
            hook_task::hook(cli.tracker()?, &self.event, remote)?;
        } else if let Ok(here) = cli.globals.location() {
            hooks::handle(&here, &self.event, &self.args, self.sync);
        }
        Ok(Exit::OK)
    }
}

impl HookArgs {
    /// Returns true if this program itself asks for it, rather than git.
    fn is_own(&self) -> bool {
        matches!(
            self.event.as_str(),
            "fold" | "tidy" | "refresh" | "pull" | "push"
        )
    }
}
