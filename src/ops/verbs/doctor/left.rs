//! Remains of other processes: files of other users, locks, and states that the ref lacks.

use super::{FOREIGN, Visit};
use crate::ops::{CODEX_SANDBOX, Command, Error};
use crate::store::Oid;
use crate::store::door::{self, Candidate, EntryRules, StateSource, Why};

/// The ways to go where the ref lacks what can be merged.
const BRING_BACK: &str = "git beads doctor --fix merges it again, which brings back what a rewrite removed, too; if that is \
    not to come back: git beads doctor --forget, and git beads purge ID removes a text from all clones";
/// Files that a finding names at most.
const NAMED: usize = 3;

impl Visit<'_> {
    /// Names files of other users that keep the owner of the repository from writing; only the superuser can give them
    /// back.
    pub(super) fn foreign_files(&mut self) {
        let Some(foreign) = self.store.fsck().foreign_files() else {
            return;
        };
        let named = foreign.paths.iter().take(NAMED);
        let mut named: Vec<String> = named.map(|path| path.display().to_string()).collect();
        let more = foreign.paths.len() - named.len();
        if more > 0 {
            named.push(format!("{more} more"));
        }
        let message = format!(
            "another user has left files that the owner of the repository may not be able to write: {}",
            named.join(", ")
        );
        let (user, group) = (foreign.owner.user, foreign.owner.group);
        let mut chown = Command::line("sudo chown -R").word(format!("{user}:{group}"));
        for path in &foreign.parts {
            chown = chown.path(path);
        }
        self.find(FOREIGN, message, chown.to_string(), false);
    }

    /// Names a git directory that can only be read.
    pub(super) fn read_only(&mut self) {
        if let Some(why) = self.store.fsck().refusal_to_write()
            && !self.has_foreign_files()
        {
            let place = self.store.folder();
            let message = format!("nothing can be written in {}: {why}", place.display());
            let remedy = format!("make it writable for you, or: {CODEX_SANDBOX}");
            self.find("read_only", message, remedy, false);
        }
    }

    pub(super) fn locks(&mut self) {
        if let Some(error) = self.store.lacks_locks() {
            self.find("no_flock", error.to_string(), "", false);
        }
        for left in self.store.ref_locks().left_locks() {
            let (path, age) = (left.path.display(), left.age.as_secs());
            let holder = left.holder.as_deref().unwrap_or("no process has it open");
            if left.is_abandoned() {
                let message = format!(
                    "{path} is over ten minutes old ({age} s, {holder}): its maker is gone, and others wait for it"
                );
                self.fix("lock", message, |store| {
                    Ok(store.ref_locks().set_left_locks_aside()?)
                });
            } else {
                let message = format!("{path} has been there for {age} s ({holder})");
                let remedy = "wait for the process that uses it; an unused one can be moved aside after ten minutes: \
                              git beads doctor --fix";
                self.find("lock", message, remedy, false);
            }
        }
    }

    /// Forgets what the ref lacks, and says what that does not remove.
    fn forget(&mut self) {
        let forgotten = self.store.set_back().forget().map_err(Error::from);
        for tip in self.found_or_failed("left_out", forgotten) {
            self.found.notes.push(format!(
                "{tip} is not to come back, and no command names it again. Other clones may have it, and the journal: \
                 git beads purge ID removes the text of an issue everywhere"
            ));
        }
    }

    /// Names what the ref lacks of what was answered for; returns the tip, which a repair may have moved.
    pub(super) fn left_out(&mut self, tip: Oid) -> Oid {
        let cancel = self.tracker.cancel();
        if self.request.forget {
            self.forget();
        }
        let left_out = self.store.set_back().all_left_out().map_err(Error::from);
        for left in self.found_or_failed("left_out", left_out) {
            let kept = match &left.journal {
                Some(path) => format!(" ({} ends with it)", path.display()),
                None => String::new(),
            };
            let message = format!("the ref lacks what {} has{kept}", left.tip);
            if left.can_be_merged() && !self.request.fix {
                self.find("left_out", message, BRING_BACK, false);
                continue;
            }
            if left.can_be_merged() {
                self.fix("left_out", message, |store| {
                    let candidate = Candidate::of(left.tip, StateSource::Answered);
                    Ok(door::enter_one(
                        store,
                        candidate,
                        &EntryRules::usual(cancel),
                    )?)
                });
                continue;
            }
            let (why, remedy) = match left.why {
                Why::Rewritten => (
                    "it shares no history with the ref",
                    "if the history was rewritten on purpose, or the journal is of another repository: \
                     git beads doctor --forget",
                ),
                _ => (
                    "git has removed parts of it",
                    "another clone may have it: git beads sync; if it is not to come back: git beads doctor --forget",
                ),
            };
            self.find("left_out", format!("{message}; {why}"), remedy, false);
        }
        self.store.tip().ok().flatten().unwrap_or(tip)
    }
}
