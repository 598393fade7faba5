//! How replicas exchange: by the rules of the store, through hubs or with each other.

use std::rc::Rc;

use super::*;

impl World {
    /// Returns all maximal common ancestors.
    fn bases(&self, a: usize, b: usize) -> Vec<usize> {
        let (mut covered, mut best) = (Vec::new(), Vec::new());
        for commit in (0..=a.min(b)).rev() {
            if self.has(a, commit) && self.has(b, commit) && !bit(&covered, commit) {
                best.push(commit);
                mix(&mut covered, &self.commits[commit].above);
            }
        }
        best
    }

    /// Joins two tips by the rules of the store.
    fn join(&mut self, a: usize, b: usize, short: bool) -> usize {
        let pair = (a.min(b), a.max(b));
        if a == b {
            return a;
        }
        let (us, them) = (
            Rc::clone(&self.commits[a].state),
            Rc::clone(&self.commits[b].state),
        );
        let bases: Vec<usize> = if short { Vec::new() } else { self.bases(a, b) };
        let (mut state, mut ours, mut theirs) = (
            State::clone(&us),
            true,
            us.keys().all(|uid| them.contains_key(uid)),
        );
        for (uid, other) in them.iter() {
            let Some(own) = us.get(uid) else {
                ours = false;
                state.insert(*uid, other.clone());
                continue;
            };
            if own == other {
                continue;
            }
            let common: Vec<Blob> = bases
                .iter()
                .filter_map(|base| self.commits[*base].state.get(uid))
                .cloned()
                .collect();
            let (x, y) = (oid(own), oid(other));
            let (one, two) = (
                Side { blob: own, oid: &x },
                Side {
                    blob: other,
                    oid: &y,
                },
            );
            let joined = merge(one, two, &common);
            assert_eq!(joined, merge(two, one, &common), "a merge has no direction");
            (ours, theirs) = (ours && joined == *own, theirs && joined == *other);
            self.blobs.extend([(x, own.clone()), (y, other.clone())]);
            state.insert(*uid, joined);
        }
        match (ours && !self.adds(b, a), theirs && !self.adds(a, b)) {
            (true, true) if self.rank(b) > self.rank(a) => return b,
            (true, true) => return a,
            (false, true) => return b,
            (true, false) if self.has(a, b) => return a,
            _ => {}
        }
        if let Some(known) = self.merges.get(&pair).filter(|_| !short) {
            return *known;
        }
        let commit = self.commit(vec![pair.0, pair.1], state);
        if !short {
            self.merges.insert(pair, commit);
        }
        commit
    }

    /// Returns whether an operation leads to one commit and not to another: a commit that is no
    /// merge.
    fn adds(&self, one: usize, other: usize) -> bool {
        (0..=one).any(|commit| {
            let is_operation = self.commits[commit].parents.len() < 2;
            is_operation && self.has(one, commit) && !self.has(other, commit)
        })
    }

    /// Of several tips with the same operations all take the greatest.
    fn rank(&self, tip: usize) -> (usize, usize) {
        (self.commits[tip].merges, tip)
    }

    /// Joins what a hub has, and sends what it lacks.
    fn sync(&mut self, one: usize, hub: usize, short: bool) {
        self.pull(one, hub, short);
        let ours = self.replicas[one].tip.expect("writers have begun");
        let lacks = self.replicas[hub].tip.is_none_or(|theirs| {
            let decided =
                || self.has(ours, theirs) && self.commits[ours].state != self.commits[theirs].state;
            self.adds(ours, theirs) || decided()
        });
        if lacks {
            let theirs = self.replicas[hub].tip;
            assert!(
                theirs.is_none_or(|theirs| self.has(ours, theirs)),
                "nothing is forced"
            );
            self.replicas[hub].tip = Some(ours);
        }
    }

    fn pull(&mut self, to: usize, from: usize, short: bool) {
        let Some(theirs) = self.replicas[from].tip else {
            return;
        };
        let tip = self.replicas[to]
            .tip
            .map_or(theirs, |ours| self.join(ours, theirs, short));
        self.replicas[to].tip = Some(tip);
        self.check(tip);
    }

    /// One thing that happens somewhere.
    pub(super) fn step(&mut self) {
        self.now += self.below(120_000);
        let one = self.writer();
        let short = self.short && self.below(4) == 0;
        match self.below(100) {
            0..55 => self.edit(one),
            55..60 if self.hubs > 0 => self.rewind(),
            _ if self.hubs > 0 && self.below(3) > 0 => {
                let hub = self.index(self.hubs);
                self.sync(one, hub, short);
            }
            roll => {
                let other = self.writer();
                let before = self.replicas[one].tip;
                self.pull(one, other, short);
                if roll < 80 {
                    // Both merge what the other had before: a criss-cross.
                    let own = std::mem::replace(&mut self.replicas[one].tip, before);
                    self.pull(other, one, short);
                    self.replicas[one].tip = own;
                }
            }
        }
    }

    /// A hub goes back to something older, or to nothing.
    fn rewind(&mut self) {
        let hub = self.index(self.hubs);
        let Some(tip) = self.replicas[hub].tip else {
            return;
        };
        let parents = self.commits[tip].parents.clone();
        self.replicas[hub].tip = match parents.len() {
            0 => None,
            n => Some(parents[self.index(n)]),
        };
    }

    /// All exchange: through the hubs, or with each other where there is none.
    fn round(&mut self) {
        for one in self.hubs..self.replicas.len() {
            match self.hubs {
                0 => (0..self.replicas.len()).for_each(|other| self.pull(one, other, false)),
                hubs => (0..hubs).for_each(|hub| self.sync(one, hub, false)),
            }
        }
    }

    /// Two rounds, after which all hold the same and two more make no commit.
    pub(super) fn settle(&mut self) -> usize {
        self.round();
        self.round();
        let (tip, commits) = (self.replicas[self.hubs].tip, self.commits.len());
        let tip = tip.expect("somebody has begun");
        for _ in 0..2 {
            let tips = self.replicas.iter().filter_map(|replica| replica.tip);
            let differ = tips
                .filter(|other| self.commits[*other].state != self.commits[tip].state)
                .count();
            assert_eq!(differ, 0, "the states differ");
            self.round();
            assert_eq!(self.commits.len(), commits, "a merge that says nothing new");
        }
        let tips: Vec<_> = self.replicas.iter().map(|replica| replica.tip).collect();
        assert!(!tips.contains(&None), "a hub got nothing");
        self.round();
        assert!(
            self.replicas.iter().map(|replica| replica.tip).eq(tips),
            "no rest"
        );
        tip
    }
}
