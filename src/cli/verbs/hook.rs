//! `hook`: the background work that git's hooks and this program itself start.

use std::ffi::OsString;

use clap::Args;
use serde_json::json;

use crate::cli::hook_input::{HookInput, ToolUse};
use crate::cli::verb::{Cli, Exit, Group, NoAnswer, Verb};
use crate::hooks;
use crate::ops::Result;
use crate::ops::verbs::client_event::{ClientEvent, client_event};
use crate::ops::verbs::hook_task;

#[derive(Debug, Args)]
pub(super) struct HookArgs {
    /// Also exchange with the remote
    #[arg(long)]
    sync: bool,
    /// The event
    event: String,
    /// Arguments of the hook
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

impl Verb for HookArgs {
    const NAME: &'static str = "hook";
    const ABOUT: &'static str = "Run by git hooks and in the background";
    const GROUP: Group = Group::Keep;
    const HIDDEN: bool = true;
    type Answer = NoAnswer;

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        cli.is_background = true;
        let first = self.args.first().and_then(|arg| arg.to_str());
        if let Some(event) = ClientEvent::parse(&self.event) {
            report(cli, event, first.unwrap_or_default())?;
        } else if self.event == "as" {
            name_part(cli, first.unwrap_or_default())?;
        } else if self.is_own() {
            hook_task::hook(cli.tracker()?, &self.event, first)?;
        } else if let Ok(here) = cli.globals.location(cli.env()) {
            hooks::handle(&here, &self.event, &self.args, self.sync);
        }
        Ok(Exit::OK)
    }
}

/// Reports an event of a client, which says on standard input whose it is; nothing in a repository without issues.
fn report(cli: &mut Cli, event: ClientEvent, client: &str) -> Result<()> {
    let said = HookInput::read(cli.env());
    let Some(tracker) = cli.in_session(client, said.session(), None)? else {
        return Ok(());
    };
    if let Some(text) = client_event(tracker, event)? {
        cli.ui.line(&json!({"systemMessage": text}).to_string());
    }
    Ok(())
}

/// Names the part of a session that is about to call us, in the input of its tool. It decides on no permission: the
/// client asks for that as it would without us.
fn name_part(cli: &mut Cli, client: &str) -> Result<()> {
    let said = HookInput::read(cli.env());
    let session = said.session().to_owned();
    let Some(tool) = said.tool_use().filter(ToolUse::is_ours) else {
        return Ok(());
    };
    let tracker = cli.in_session(client, &session, Some(tool.part.clone()))?;
    let agent = tracker.and_then(|tracker| Some(tracker.agent()?.name.clone()));
    if let Some(input) = agent.and_then(|agent| tool.named(&agent)) {
        let output = json!({"hookEventName": "PreToolUse", "updatedInput": input});
        let answer = json!({"hookSpecificOutput": output});
        cli.ui.line(&answer.to_string());
    }
    Ok(())
}

impl HookArgs {
    /// Returns true if this program itself asks for it, rather than git.
    fn is_own(&self) -> bool {
        matches!(
            self.event.as_str(),
            "fold" | "tidy" | "refresh" | "pull" | "push" | "claims"
        )
    }
}
