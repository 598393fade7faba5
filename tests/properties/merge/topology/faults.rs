//! What takes back what a clone has answered for: power cuts, fetches of the user's, people, and git.

use std::collections::BTreeSet;

use super::Clones;

impl Clones {
    /// Something that takes back what was answered, of which nothing is lost all the same.
    pub(super) fn fault(&mut self) {
        let clone = self.below(self.skews.len() as u64) as usize;
        match self.below(8) {
            0..3 => self.cut_power(clone),
            3..5 => self.fetch_by_force(clone),
            5 | 6 => self.set_back(clone),
            // What a person has taken back git may remove, so that nothing can bring it back.
            _ if self.taken_back.iter().all(Option::is_none) => self.prune(clone),
            _ => {}
        }
    }

    /// The move of the ref of an answered write is lost; the next command of any kind makes it again.
    fn cut_power(&mut self, clone: usize) {
        let path = self.world.path(&format!("c{clone}/.git/refs/beads/main"));
        let Ok(before) = std::fs::read(&path) else {
            return;
        };
        self.edit(clone);
        let newest = self.tip(clone);
        std::fs::write(&path, before).unwrap();
        self.boots[clone] += 1;
        self.log.push(format!("the power of c{clone} was cut"));
        match self.below(2) {
            0 => _ = self.bd(clone, &["list"]).ok(),
            _ => self.create(clone),
        }
        self.holds(clone, &newest);
    }

    /// A fetch of the user's replaces the ref; what it drops is merged again by the next command.
    fn fetch_by_force(&mut self, clone: usize) {
        let before = self.answered(clone);
        let refspec = "+refs/beads/main:refs/beads/main";
        self.log.push(format!("c{clone} fetches by force"));
        // The hub may have none.
        let fetch = ["fetch", "--quiet", "origin", refspec];
        let _ = self.world.git_in(&format!("c{clone}"), &fetch);
        match self.below(2) {
            0 => _ = self.bd(clone, &["list"]).ok(),
            _ => self.edit(clone),
        }
        self.holds(clone, &before);
    }

    /// A person sets the ref back; it stays so until a repair, and is named.
    fn set_back(&mut self, clone: usize) {
        self.repair(clone);
        let here = format!("c{clone}");
        let newest = self.answered(clone);
        let all = self.git(&here, &["rev-list", "--first-parent", "refs/beads/main"]);
        let nth = 1 + self.below(4) as usize;
        let Some(older) = all.lines().nth(nth) else {
            return;
        };
        self.git(&here, &["update-ref", "refs/beads/main", older]);
        self.log.push(format!("c{clone} is set back to {older}"));
        let said = self.bd(clone, &["status"]);
        if !self.contains(clone, &newest) {
            assert!(said.stderr.contains("were set back"), "{said:?}");
        }
        self.taken_back[clone] = Some(newest);
        if self.below(2) == 0 {
            self.repair(clone);
        }
    }

    /// Merges again what a person has set the ref back from.
    pub(super) fn repair(&mut self, clone: usize) {
        if let Some(newest) = self.taken_back[clone].take() {
            let said = self.bd(clone, &["doctor", "--fix"]);
            assert!(self.contains(clone, &newest), "{said:?}");
        }
    }

    fn prune(&mut self, clone: usize) {
        let here = format!("c{clone}");
        self.log.push(format!("git prunes in {here}"));
        self.git(&here, &["reflog", "expire", "--expire=now", "--all"]);
        self.git(&here, &["gc", "--quiet", "--prune=now"]);
    }

    /// Returns the tip that a clone has answered for: another one may have pushed to it, which is no answer.
    fn answered(&mut self, clone: usize) -> String {
        self.bd(clone, &["list"]).ok();
        self.tip(clone)
    }

    /// Returns whether a clone has all operations of a commit: it may have gone forward to another merge of the same.
    fn contains(&self, clone: usize, commit: &str) -> bool {
        // Both as a whole: by `^refs/beads/main` git stops too early where clocks are days off.
        let here = format!("c{clone}");
        let all = self.git(&here, &["rev-list", "refs/beads/main"]);
        let all: BTreeSet<&str> = all.lines().collect();
        let wanted = self.git(&here, &["rev-list", "--no-merges", commit]);
        wanted.lines().all(|operation| all.contains(operation))
    }

    #[track_caller]
    fn holds(&self, clone: usize, commit: &str) {
        assert!(
            self.contains(clone, commit),
            "c{clone} lacks {commit}, which was answered for"
        );
    }
}
