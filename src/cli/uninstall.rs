//! `uninstall`: everything that was put into a repository comes out of it again.

use super::args::UninstallArgs;
use super::ui::{self, Ui};
use crate::ops::leave::{self, Leave, Left};
use crate::ops::{Error, Result, Tracker};

/// Shows what goes, and takes it out.
pub(super) fn uninstall(tracker: &Tracker, ui: &mut Ui, args: &UninstallArgs) -> Result<()> {
    if args.purge_ref && !args.dry_run {
        confirm(tracker)?;
    }
    let request = Leave { purge_ref: args.purge_ref, dry_run: args.dry_run };
    ui.answer(leave::leave(tracker, request)?, |_| Vec::new(), print);
    Ok(())
}

/// Shows what would be lost; a person is asked.
fn confirm(tracker: &Tracker) -> Result<()> {
    for line in leave::holdings(tracker)?.said {
        ui::talk("note", &line);
    }
    if ui::is_interactive() && !ui::asked("Remove the issues of this repository?") {
        return Err(Error::conflict("declined", "nothing was removed").hinted("git beads uninstall"));
    }
    Ok(())
}

fn print(ui: &mut Ui, left: &Left) {
    let what = if left.dry_run { "would remove" } else { "removed" };
    for line in &left.removed {
        let text = format!("{what} {}", ui.one_line(line));
        ui.line(&text);
    }
    for line in &left.remains {
        let text = format!("remains: {}", ui.one_line(line));
        ui.line(&text);
    }
}
