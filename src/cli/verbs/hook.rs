//! `hook`: the background work that git's hooks and this program itself start.

use std::ffi::OsString;
use std::io::Read as _;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::verb::{Cli, Exit, Group, NoAnswer, Verb};
use crate::hooks;
use crate::ops::Result;
use crate::ops::verbs::client_event::{ClientEvent, client_event};
use crate::ops::verbs::hook_task;

/// Number of bytes that are read of what a client says: a tool can have answered much.
const LARGEST: u64 = 16 << 20;

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
        cli.is_background = true;
        if let Some(event) = ClientEvent::parse(&self.event) {
            let client = self.args.first().and_then(|arg| arg.to_str());
            if let Some(text) = report(cli, event, client.unwrap_or_default())? {
                cli.ui.line(&json!({"systemMessage": text}).to_string());
            }
        } else if self.is_own() {
            let remote = self.args.first().and_then(|arg| arg.to_str());
            hook_task::hook(cli.tracker()?, &self.event, remote)?;
        } else if let Ok(here) = cli.globals.location() {
            hooks::handle(&here, &self.event, &self.args, self.sync);
        }
        Ok(Exit::OK)
    }
}

/// Reports an event of a client, which says on standard input whose it is; none in a repository without issues.
fn report(cli: &mut Cli, event: ClientEvent, client: &str) -> Result<Option<String>> {
    let mut text = String::new();
    let _ = std::io::stdin().take(LARGEST).read_to_string(&mut text);
    let said: Value = serde_json::from_str(&text).unwrap_or_default();
    let session = said["session_id"].as_str().unwrap_or_default();
    let Some(tracker) = cli.in_session(client, session)? else {
        return Ok(None);
    };
    client_event(tracker, event)
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
