//! What befalls clones: power cuts, forced fetches, people who go back, and git that prunes.

use std::collections::HashSet;
use std::fs;

use super::{World, opened};
use crate::store::{Oid, REF, journal};

impl World {
    /// Moves the ref as another program, or a power cut, does.
    fn force(&self, site: usize, to: Oid, why: Option<&str>) {
        let git = self.sites[site].folder.join(".git");
        let old = self.tip(site).unwrap();
        fs::write(git.join(REF), format!("{to}\n")).unwrap();
        let log = git.join("logs").join(REF);
        let Ok(mut text) = fs::read_to_string(&log) else {
            return;
        };
        match why {
            Some(why) => text += &format!("{old} {to} A <a@b> 1763500000 +0000\t{why}\n"),
            // The entry of the move that was taken may be on the disk or not.
            None if text.len() % 2 == 0 => {
                let end = text.trim_end().rfind('\n').map_or(0, |end| end + 1);
                text.truncate(end);
            }
            None => {}
        }
        fs::write(log, text).unwrap();
    }

    /// Returns an earlier value of the ref, with the objects that only later moves have made, as long as no one else has them,
    /// and since another program has moved the ref: what happened before that is on the disk.
    fn earlier(&mut self, site: usize) -> Option<(Oid, Vec<String>)> {
        let it = &self.sites[site];
        let contents = journal::all(it.store.env(), &it.store.folder()).unwrap();
        let moves: Vec<_> = contents.moves().collect();
        let sent = moves.iter().rposition(|record| record.new == it.sent);
        let moved = (1..moves.len()).rfind(|at| moves[*at].old != moves[*at - 1].new);
        let first = sent.map_or(0, |sent| sent + 1).max(moved.unwrap_or(0));
        if moves.last().is_none_or(|last| last.new != self.tip(site)) || first >= moves.len() {
            return None;
        }
        let at = first + self.below((moves.len() - first) as u64) as usize;
        let old = moves[at].old?;
        let before = moves[..at].iter().flat_map(|record| &record.objects);
        let kept: HashSet<_> = before.map(|object| object.id).collect();
        let later = moves[at..].iter().flat_map(|record| &record.objects);
        let gone = later.filter(|object| !kept.contains(&object.id));
        Some((old, gone.map(|object| object.id.to_string()).collect()))
    }

    /// Removes some of the loose objects of a clone.
    fn lose(&mut self, site: usize, objects: &[String]) {
        for id in objects {
            let (folder, rest) = id.split_at(2);
            if self.below(2) == 0 && !self.wire().join(folder).join(rest).exists() {
                let objects = self.sites[site].folder.join(".git/objects");
                let _ = fs::remove_file(objects.join(folder).join(rest));
            }
        }
    }

    pub(super) fn power_cut(&mut self, site: usize) {
        if let Some((old, objects)) = self.earlier(site) {
            self.force(site, old, None);
            self.lose(site, &objects);
            self.note(site, &format!("power cut back to {old}"));
        }
        let it = &mut self.sites[site];
        it.boot += 1;
        it.store = opened(&it.folder, it.boot, self.now + it.skew);
        it.shown = None;
    }

    /// A fetch by hand puts the ref to what the hub has.
    pub(super) fn forced_fetch(&mut self, site: usize, hub: usize) {
        if let (Some(hub), Some(_)) = (self.fetch(site, hub), self.tip(site)) {
            self.force(site, hub, Some("fetch: forced-update"));
            self.note(site, &format!("a forced fetch of {hub}"));
        }
    }

    /// A person goes back to an earlier state of what was not sent.
    pub(super) fn set_back(&mut self, site: usize) {
        let Some((old, objects)) = self.earlier(site) else {
            return;
        };
        for write in self.sites[site].answered.clone() {
            if !self.has(site, old, write) {
                self.sites[site].taken.insert(write);
            }
        }
        self.force(site, old, Some("reset: moving"));
        if self.below(2) == 0 {
            self.lose(site, &objects);
        }
        self.note(site, &format!("a person goes back to {old}"));
    }
}
