//! The surroundings of the store: the program, other trackers, remotes, people.

use std::path::PathBuf;

use super::Visit;
use crate::env::{self, Env};
use crate::index::{Fact, Order};
use crate::model::status::IN_PROGRESS;
use crate::ops::shared::presence::is_kin;
use crate::ops::shared::search_path::put_in_front;
use crate::ops::{Command, Result, shell_quote_path};
use crate::platform;
use crate::store::Oid;
use crate::store::door::older::{PATH, head_file};
use crate::store::push_url::{pushes_elsewhere, sent_tip};

/// Ids that a finding names at most.
const NAMED: usize = 5;
impl Visit<'_> {
    /// Looks at everything around the store.
    pub(crate) fn surroundings(&mut self) {
        self.program();
        // Distances need the whole history: where something is missing that is said already.
        let whole = self.found.findings.is_empty();
        self.two_stores();
        // What can't be read is a finding of its own already.
        let _ = self.stale_claims();
        if whole {
            let _ = self.unsynced();
        }
        self.refspec();
        self.pushes();
        self.old_snapshot();
    }

    /// The snapshot file of earlier versions, from which nothing begins once they are gone.
    fn old_snapshot(&mut self) {
        let Ok(Some(_)) = head_file(self.store) else {
            return;
        };
        let remove = Command::of("setup").word("snapshot").flag("--remove");
        let from = Command::of("init").flag("--from").word("URL");
        self.found.notes.push(format!(
            "HEAD has {PATH}, which no version writes any more: {from} begins a clone, and {remove} takes the file out"
        ));
    }

    /// Remotes that get what they don't give back.
    fn pushes(&mut self) {
        let remotes = self.store.remotes().names().into_iter();
        let apart = remotes.filter(|remote| pushes_elsewhere(self.store, remote));
        self.found.notes.extend(apart.map(|remote| {
            format!(
                "{remote} is fetched from and pushed to at different addresses (git remote -v): what is sent there \
                 does not come from it"
            )
        }));
    }

    /// Compares the program that `git beads` runs with this one.
    fn program(&mut self) {
        let Some(ours) = self
            .store
            .env()
            .program()
            .and_then(|path| platform::canonicalize(path).ok())
        else {
            return;
        };
        match on_path(self.store.env())
            .first()
            .map(|path| (path, platform::canonicalize(path)))
        {
            None => {
                let message = "git-beads is not on the PATH: neither hooks nor agents can run it";
                let remedy = put_in_front(ours.parent().unwrap_or(&ours));
                self.find("path", message, remedy, false);
            }
            // Links are resolved: a link to this program is this program.
            Some((first, Ok(real))) if real != ours => {
                let message = format!(
                    "`git beads` runs {}, not {}",
                    first.display(),
                    ours.display()
                );
                self.find(
                    "path",
                    message,
                    format!("{} version", shell_quote_path(first)),
                    false,
                );
            }
            Some(_) => {}
        }
    }

    /// Names other trackers in the same work tree, and stores of remotes with another origin.
    fn two_stores(&mut self) {
        let top = self.store.work_tree();
        let export = top
            .map(|top| top.join(".beads"))
            .filter(|folder| folder.is_dir());
        if let Some(folder) = export {
            let message = format!(
                "bd or br stores issues in {} too: agents may write to either one",
                folder.display()
            );
            let jsonl = folder.join("issues.jsonl");
            let remedy = match jsonl.is_file() {
                true => Command::of("import").path(&jsonl).to_string(),
                false => "let it export its issues, then: git beads import issues.jsonl".to_owned(),
            };
            self.find("two_stores", message, remedy, false);
        }
        for remote in self.store.remotes().names() {
            let (Ok(Some(ours)), Ok(Some(theirs))) =
                (self.store.tip(), self.store.remotes().remote_tip(&remote))
            else {
                continue;
            };
            let bases = self.store.merging().merge_bases(ours, theirs);
            let is_apart = bases.is_ok_and(|bases| bases.is_empty());
            if is_apart && !is_kin(self.tracker, ours, theirs).unwrap_or(false) {
                let message =
                    format!("{remote} has a store that was created separately from this one");
                self.find(
                    "two_stores",
                    message,
                    sync_with(&remote).flag("--adopt").to_string(),
                    false,
                );
            }
        }
    }

    fn stale_claims(&mut self) -> Result<()> {
        let (days, before) = self.tracker.stale();
        let stale = Fact::Stale(before).into();
        let page = self
            .tracker
            .read(|view| Ok(view.index.page(&stale, Order::Oldest, NAMED, 0)?))?;
        if page.total > 0 {
            let ids: Vec<&str> = page.rows.iter().map(|row| row.id.as_str()).collect();
            let more = if page.total as usize > ids.len() {
                ", ..."
            } else {
                ""
            };
            let message = format!(
                "{} in progress and not changed for {days} days: {}{more}",
                page.total,
                ids.join(", ")
            );
            // Nothing is wrong with the store.
            let list = stale_list(days);
            self.found.notes.push(format!("{message}: {list}"));
        }
        Ok(())
    }

    fn unsynced(&mut self) -> Result<()> {
        let (Some(remote), Some(ours)) = (self.store.remotes().remote(None)?, self.store.tip()?)
        else {
            return Ok(());
        };
        if let Some(message) = self.unsent(&remote, ours)? {
            let sync = sync_with(&remote);
            self.found.notes.push(format!("{message}: {sync}"));
        }
        Ok(())
    }

    /// Returns what a remote lacks; none where it has all.
    fn unsent(&self, remote: &str, ours: Oid) -> Result<Option<String>> {
        let known = match sent_tip(self.store, remote)? {
            Some(tip) => Some(tip),
            None => self.store.remotes().seen_tip(remote)?,
        };
        let Some(theirs) = known else {
            // Neither a push nor an exchange has left a trace of this remote.
            let message = format!("nothing of this store was ever sent to {remote}");
            return Ok(Some(message));
        };
        Ok(match self.store.ancestry().distance(ours, theirs)?.ahead {
            0 => None,
            // A carry file has brought what was done here.
            _ if self.store.merging().are_equal(ours, theirs)? => None,
            1 => Some(format!("{remote} lacks 1 change")),
            n => Some(format!("{remote} lacks {n} changes")),
        })
    }

    fn refspec(&mut self) {
        if self.store.config_bool("beads.trackFetch") != Some(true) {
            return;
        }
        for renamed in self.store.remotes().renamed() {
            let name = &renamed.name;
            let message = format!("a fetch from {name} brings issues under its former name");
            self.find("refspec", message, sync_with(name).to_string(), false);
        }
        let known = self.store.uninstall().own_refspecs();
        for remote in self.store.remotes().names() {
            if !known
                .iter()
                .any(|(key, _)| *key == format!("remote.{remote}.fetch"))
            {
                let message =
                    format!("beads.trackFetch is set, but a fetch from {remote} brings no issues");
                self.find("refspec", message, sync_with(&remote).to_string(), false);
            }
        }
    }
}

fn stale_list(days: u64) -> Command {
    let list = Command::of("list").flag("-s").word(IN_PROGRESS);
    list.flag("--stale").word(format!("{days}d"))
}

pub(super) fn sync_with(remote: &str) -> Command {
    Command::of("sync").flag("--remote").word(remote)
}

/// The programs of our name on the `PATH`, in its order.
fn on_path(env: &Env) -> Vec<PathBuf> {
    env.paths("PATH")
        .into_iter()
        .map(|folder| folder.join(env::program_name()))
        .filter(|path| {
            path.metadata()
                .is_ok_and(|meta| platform::is_executable(&meta))
        })
        .collect()
}
