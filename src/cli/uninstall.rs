//! `uninstall`: everything that was put into a repository comes out of it again.

use super::args::UninstallArgs;
use super::man;
use super::ui::{self, Ui};
use crate::hooks::{self, HookState};
use crate::ops::verbs::uninstall;
use crate::ops::verbs::uninstall::{Holdings, Uninstalled};
use crate::ops::{Code, Command, Error, Result, Tracker};
use crate::setup::{self, Change};

/// Shows what goes, and takes it out.
pub(super) fn uninstall(tracker: &Tracker, ui: &mut Ui, args: &UninstallArgs) -> Result<()> {
    let mut left = Uninstalled {
        dry_run: args.dry_run,
        ..Uninstalled::default()
    };
    if args.purge_ref {
        let held = uninstall::holdings(tracker)?;
        confirm(&held, args.dry_run)?;
        uninstall::purge(tracker, &held, &mut left)?;
    }
    around(tracker, args.dry_run, &mut left)?;
    uninstall::uninstall(tracker, &mut left)?;
    uninstall::remains(tracker, &mut left)?;
    ui.answer(left, |_| Vec::new(), print);
    Ok(())
}

/// Shows what would be lost; a person is asked.
fn confirm(held: &Holdings, dry_run: bool) -> Result<()> {
    for line in &held.said {
        ui::talk("note", line);
    }
    if !dry_run && ui::is_interactive() && !ui::asked("Remove the issues of this repository?") {
        return Err(
            Error::new(Code::Declined, "nothing was removed").hinted(Command::of("uninstall"))
        );
    }
    Ok(())
}

/// Hooks and the files of agents first: nothing of ours may start while the rest goes.
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
    if tracker.store().work_tree().is_some() {
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
    let pages = man::files::places();
    left.remains.extend(
        pages
            .iter()
            .map(|folder| format!("manual pages, for all repositories: {folder}")),
    );
    Ok(())
}

fn print(ui: &mut Ui, left: &Uninstalled) {
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
