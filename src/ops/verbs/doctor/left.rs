//! What others have left behind: locks, and states that the ref lacks.

use super::Visit;
use crate::ops::Error;
use crate::store::{Kinship, Oid};

impl Visit<'_> {
    pub(super) fn locks(&mut self) {
        if let Some(holder) = self.store.lock_stand_in() {
            let holder = holder.map_or_else(String::new, |holder| format!(", held by {holder}"));
            let folder = self.store.folder();
            let message = format!(
                "the file system of {} knows no flock: {}/lock-holder stands in for it{holder}",
                folder.display(),
                folder.display()
            );
            let remedy = "nothing has to be done; a lock of another host is waited for, so one that a power cut there \
                          has left is to be looked at: cat .git/beads/lock-holder";
            self.find("no_flock", message, remedy, false);
        }
        for left in self.store.left_locks() {
            let (path, age) = (left.path.display(), left.age.as_secs());
            let holder = left.holder.as_deref().unwrap_or("nobody has it open");
            if left.is_abandoned() {
                let message = format!(
                    "{path} is over ten minutes old ({age} s, {holder}): its maker is gone, and others wait for it"
                );
                self.fix("lock", message, |store| Ok(store.set_left_locks_aside()?));
            } else {
                let message = format!("{path} has been there for {age} s ({holder})");
                let remedy = "wait for who is at it; one that nobody is at can be moved aside after ten minutes: \
                              git beads doctor --fix";
                self.find("lock", message, remedy, false);
            }
        }
    }

    /// Names what the ref lacks of what was answered for; returns the tip, which a repair may have moved.
    pub(super) fn left_out(&mut self, tip: Oid) -> Oid {
        let cancel = self.tracker.cancel();
        let left_out = self.store.all_left_out().map_err(Error::from);
        for left in self.found_or_failed("left_out", left_out) {
            let kept = match &left.journal {
                Some(path) => format!(" ({} ends with it)", path.display()),
                None => String::new(),
            };
            let message = format!("the ref lacks what {} has{kept}", left.tip);
            if left.can_be_merged() {
                self.fix("left_out", message, |store| {
                    store.restore_left_out(&left)?;
                    store.merge_tip(left.tip, cancel)?;
                    Ok(())
                });
                continue;
            }
            let (why, remedy) = match left.kinship {
                Kinship::Apart => (
                    "it shares no history with the ref",
                    "if the history was rewritten on purpose, or the journal is of another repository, nothing has \
                     to be done",
                ),
                Kinship::Shared | Kinship::Broken => (
                    "git has removed parts of it",
                    "another clone may have it: git beads sync",
                ),
            };
            self.find("left_out", format!("{message}; {why}"), remedy, false);
        }
        self.store.tip().ok().flatten().unwrap_or(tip)
    }
}
