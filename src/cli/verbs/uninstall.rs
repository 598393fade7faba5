//! `uninstall`: everything that was put into a repository comes out of it again.

use clap::Args;

use crate::cli::man;
use crate::cli::ui::{self, Ui};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::desk::recent::forget;
use crate::env::Env;
use crate::hooks::{self, HookState};
use crate::ops::verbs::uninstall::{
    Holdings, Uninstalled, configuration, folder, holdings, purge, remains,
};
use crate::ops::{Code, Command, Error, Result, Tracker};
use crate::setup::{self, Change};

#[derive(Debug, Args)]
pub(super) struct UninstallArgs {
    /// The issues too, after showing what would go
    #[arg(long)]
    purge_ref: bool,
    /// Do not ask about the issues; needed without a terminal
    #[arg(short, long)]
    yes: bool,
    /// Say what would go
    #[arg(long)]
    dry_run: bool,
}

impl Verb for UninstallArgs {
    const NAME: &'static str = "uninstall";
    const ABOUT: &'static str = "Remove git-beads from this repository, but keep the issues";
    const GROUP: Group = Group::Keep;
    const EXAMPLES: &'static str = r"The issues stay:

$ git beads uninstall
";
    type Answer = Uninstalled;

    fn reads(&self) -> bool {
        self.dry_run
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        let tracker = cli.tracker()?;
        let mut left = Uninstalled {
            dry_run: self.dry_run,
            ..Uninstalled::default()
        };
        let held = self.purge_ref.then(|| holdings(tracker)).transpose()?;
        if let Some(held) = &held {
            confirm(tracker.env(), held, self.dry_run, self.yes)?;
        }
        // The issues after all that may fail, so that a failure leaves them; the folder can be made again.
        around(tracker, self.dry_run, &mut left)?;
        configuration(tracker, &mut left)?;
        if let Some(held) = &held {
            purge(tracker, held, &mut left)?;
        }
        folder(tracker, &mut left)?;
        remains(tracker, &mut left)?;
        cli.answer(left, |_| Vec::new(), text);
        Ok(Exit::OK)
    }
}

/// Shows what would be lost; a person is asked.
fn confirm(env: &Env, held: &Holdings, dry_run: bool, yes: bool) -> Result<()> {
    for line in &held.said {
        ui::talk(env, "note", line);
    }
    if dry_run || yes {
        return Ok(());
    }
    if !env.is_interactive() {
        let message = "the issues can't be brought back, and there is no terminal to ask on; nothing was removed";
        let hint = Command::of("uninstall").flag("--purge-ref").flag("--yes");
        return Err(Error::new(Code::Unconfirmed, message).hinted(hint));
    }
    if ui::asked(env, "Remove the issues of this repository?") {
        return Ok(());
    }
    Err(Error::new(Code::Declined, "nothing was removed").hinted(Command::of("uninstall")))
}

/// Removes hooks and the files of agents first: nothing may start git-beads while the rest goes.
fn around(tracker: &Tracker, dry_run: bool, left: &mut Uninstalled) -> Result<()> {
    let hooks = hooks::uninstall(tracker, dry_run)?;
    left.removed
        .extend(hooks.wrote.iter().map(|file| format!("hooks: {file}")));
    let by_hand = hooks
        .hooks
        .into_iter()
        .filter(|hook| matches!(hook.state, HookState::Idle | HookState::ByHand));
    left.remains.extend(by_hand.map(|hook| {
        format!(
            "hook {}: {} {}",
            hook.event,
            hook.file.unwrap_or_default(),
            hook.why.unwrap_or_default()
        )
    }));
    // Files of agents are in a work tree; a bare repository has none.
    if tracker.work_tree().is_some() {
        for file in setup::remove_all(tracker.store(), dry_run)? {
            match file.change {
                Change::Keep => {
                    left.remains.push(format!(
                        "{}: {}",
                        file.path,
                        file.reason.unwrap_or_default()
                    ));
                }
                _ => left.removed.push(format!("agents: {}", file.path)),
            }
        }
    }
    if let Some(file) = forget(tracker, dry_run)? {
        let text = format!("the list of your recent repositories: {}", file.display());
        left.removed.push(text);
    }
    let pages = man::files::places(tracker.env());
    left.remains.extend(
        pages
            .iter()
            .map(|folder| format!("manual pages, for all repositories: {folder}")),
    );
    Ok(())
}

fn text(ui: &mut Ui, left: &Uninstalled) {
    let what = if left.dry_run {
        "would remove"
    } else {
        "removed"
    };
    for line in &left.removed {
        let text = format!("{what} {}", ui.one_line(line));
        ui.line(&text);
    }
    for line in &left.remains {
        let text = format!("remains: {}", ui.one_line(line));
        ui.line(&text);
    }
}
