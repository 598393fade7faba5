//! `hooks`: adds git-beads to the hooks that git runs.

use clap::{Args, Subcommand};

use crate::cli::schema::{self, Schema};
use crate::cli::ui::Ui;
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::hooks::{Hook, HookState, Hooks, Install, install, status, uninstall};
use crate::ops::Result;
use crate::text::line::line;
use crate::text::style::BOLD;

#[derive(Debug, Args)]
pub(super) struct HooksArgs {
    #[command(subcommand)]
    verb: HooksVerb,
}

#[derive(Debug, Subcommand)]
enum HooksVerb {
    /// Install the hooks next to existing ones
    Install(HooksInstall),
    /// Remove the hooks and nothing else
    Uninstall(HooksUninstall),
    /// Show for each hook where it is defined and whether it runs
    Status,
}

#[derive(Debug, Args)]
struct HooksInstall {
    /// Fetch issues after each `git pull`, and send them with each `git push`
    #[arg(long)]
    sync: bool,
    /// Print what would be written
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Args)]
struct HooksUninstall {
    /// Print what would be written
    #[arg(long)]
    dry_run: bool,
}

impl Verb for HooksArgs {
    const NAME: &'static str = "hooks";
    const ABOUT: &'static str =
        "Install git hooks that keep the index up to date, and sync (`--sync`)";
    const GROUP: Group = Group::Keep;
    const HAS_VERBS: bool = true;
    const EXAMPLES: &'static str = r"Install the hooks; with sync; remove them:

$ git beads hooks install
$ git beads hooks install --sync
$ git beads hooks status
$ git beads hooks uninstall
";
    type Answer = Hooks;

    fn reads(&self) -> bool {
        matches!(self.verb, HooksVerb::Status)
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let answer = match self.verb {
            HooksVerb::Install(args) => install(
                tracker,
                Install {
                    sync: args.sync,
                    dry_run: args.dry_run,
                },
            )?,
            HooksVerb::Uninstall(args) => uninstall(tracker, args.dry_run)?,
            HooksVerb::Status => status(tracker)?,
        };
        // Something is left to be done by hand.
        let exit = Exit::one_if(!answer.is_done());
        cli.answer(answer, running, text);
        Ok(exit)
    }

    fn schemas() -> Vec<(&'static str, Schema)> {
        let hooks: Schema = schema::of::<Hooks>;
        vec![
            ("hooks install", hooks),
            ("hooks status", hooks),
            ("hooks uninstall", hooks),
        ]
    }
}

fn running(answer: &Hooks) -> Vec<String> {
    let hooks = answer.hooks.iter();
    let running = hooks.filter(|hook| hook.state == HookState::Runs);
    running.map(|hook| hook.event.clone()).collect()
}

fn text(ui: &mut Ui, answer: &Hooks) {
    for hook in &answer.hooks {
        let event = ui.paint(BOLD, &hook.event);
        let line = line![event, ": ", ui.one_line(&describe(hook))];
        ui.line(&line);
        if let Some(remedy) = &hook.remedy {
            let text = format!("  {}", ui.one_line(remedy));
            ui.line(&text);
        }
        if let (Some(add), Some(to)) = (&hook.add, &hook.add_to) {
            let text = format!("  add to {}:", ui.one_line(to));
            ui.line(&text);
            for line in add.lines() {
                ui.line(&format!("    {line}"));
            }
        }
    }
    let (wrote, removed) = match answer.dry_run {
        true => ("would write", "would remove"),
        false => ("wrote", "removed"),
    };
    let written = answer.wrote.iter().map(|path| (wrote, path));
    let gone = answer.removed.iter().map(|path| (removed, path));
    for (verb, path) in written.chain(gone) {
        let text = format!("{verb} {}", ui.one_line(path));
        ui.line(&text);
    }
}

fn describe(hook: &Hook) -> String {
    let sync = if hook.sync { ", with sync" } else { "" };
    let place = hook
        .file
        .as_ref()
        .map(|file| format!(" ({file}{sync})"))
        .unwrap_or_default();
    let why = hook
        .why
        .as_ref()
        .map(|why| format!(": {why}"))
        .unwrap_or_default();
    match hook.state {
        HookState::Absent => "not installed".to_owned(),
        HookState::Runs => format!("runs{place}"),
        HookState::Idle => format!("does not run{place}{why}"),
        HookState::ByHand => format!("by hand{place}{why}"),
    }
}
