//! The operations that lead to a commit: the commits of its history that are neither merges nor made of a snapshot file.
//!
//! Two histories are compared by them. A merge says nothing new, so clones that answered merges with merges
//! would never come to rest where they meet at several remotes. Neither does a first commit that was made of a snapshot:
//! a clone that has no more than that takes what others have as it is.
//!
//! A walk reads what only one of the two has, and where they meet. Clones have clocks of their own, so a commit can be
//! newer than one that follows it: the walk never trusts a time, it only goes by it.

use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::super::{Ancestry, Oid, Result, StoreError, unreadable};

/// The distance between two histories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Distance {
    /// Operations that only ours has.
    pub ahead: usize,
    /// Operations that only theirs has.
    pub behind: usize,
    /// True if they share a commit.
    pub related: bool,
    /// True if theirs descends from ours, or is the same.
    pub ours_is_ancestor: bool,
    /// True if ours descends from theirs, or is the same.
    pub theirs_is_ancestor: bool,
}

impl Distance {
    /// Returns true if theirs lacks an operation of ours, or merges on top of it, where the two are not the same: these say
    /// nothing new, but by them all who have exchanged have one commit.
    pub(crate) fn is_news(&self) -> bool {
        self.ahead > 0 || self.theirs_is_ancestor
    }
}

impl Ancestry<'_> {
    /// Counts the operations that lead to one commit alone, and to the other.
    pub(crate) fn distance(self, ours: Oid, theirs: Oid) -> Result<Distance> {
        let found = self.apart(ours, theirs)?;
        match found.related {
            true => Ok(found),
            false => self.store.merging().beyond_snapshot(found, ours, theirs),
        }
    }

    /// The same by the commits that both share alone, without a look at where a history began.
    pub(super) fn apart(self, ours: Oid, theirs: Oid) -> Result<Distance> {
        self.with_commits(|read| distance(ours, theirs, read))
    }

    /// Returns the commits that lead to one commit and not to another.
    pub(in crate::store) fn beyond(self, ours: Oid, known: Oid) -> Result<HashSet<Oid>> {
        let apart = self.with_commits(|read| Apart::walk(ours, known, read))?;
        let ours = apart.alone.iter().filter(|commit| commit.side == OURS);
        Ok(ours.map(|commit| commit.id).collect())
    }

    /// Returns true if a history comes before another of the same operations: the longer chain of merges, then the
    /// greater id.
    ///
    /// It follows from the commits above the newest operations alone. So it costs the same in a long history, and a
    /// clone whose history is cut agrees.
    pub(crate) fn outranks(self, one: Oid, other: Oid) -> Result<bool> {
        self.with_commits(|read| {
            let rank = |tip, read: &mut Read<'_>| Ok::<_, StoreError>((merges(tip, read)?, tip));
            Ok(rank(one, read)? > rank(other, read)?)
        })
    }

    fn with_commits<T>(self, walk: impl FnOnce(&mut Read<'_>) -> Result<T>) -> Result<T> {
        let unread = || unreadable("the history");
        let cache = self
            .store
            .repo
            .commit_graph_if_enabled()
            .map_err(unread())?;
        let mut graph = self.store.repo.revision_graph::<()>(cache.as_ref());
        let cut = self.store.repo.shallow_commits().map_err(unread())?;
        walk(&mut |id| {
            let missing = || StoreError::Unreadable {
                what: "the history".into(),
                why: format!("commit {id} is missing"),
            };
            let commit = graph.try_lookup(&id.0).map_err(unread())?;
            let commit = commit.ok_or_else(missing)?;
            let time = commit.committer_timestamp().map_err(unread())?;
            let parents = commit.iter_parents().map(|parent| parent.map(Oid));
            let mut parents = parents
                .collect::<gix::error::Result<Vec<_>>>()
                .map_err(unread())?;
            let is_merge = parents.len() > 1;
            let is_operation = match parents.len() {
                0 => self.commit(id)?.is_operation(),
                _ => !is_merge,
            };
            // Of a commit at which the history is cut the parents are elsewhere.
            if cut.as_ref().is_some_and(|cut| cut.contains(&id.0)) {
                parents.clear();
            }
            Ok(Node {
                parents,
                is_merge,
                is_operation,
                time,
                paint: 0,
                queued: false,
            })
        })
    }
}

/// Reads a commit.
type Read<'r> = dyn FnMut(Oid) -> Result<Node> + 'r;

/// A commit as a walk sees it, and by which of the starts it was reached, a bit each.
#[derive(Clone, Debug)]
struct Node {
    parents: Vec<Oid>,
    is_merge: bool,
    is_operation: bool,
    time: i64,
    paint: u64,
    queued: bool,
}

const OURS: u64 = 1;
const THEIRS: u64 = 2;
const BOTH: u64 = OURS | THEIRS;
/// The most starts of a walk after the first.
const MOST: usize = 63;

/// A walk from several starts, which ends when all that is left to look at was reached from all of them.
struct Walk<'w, 'r> {
    read: &'w mut Read<'r>,
    nodes: HashMap<Oid, Node>,
    queue: BinaryHeap<(i64, Oid)>,
    /// The paint of what was reached from all.
    full: u64,
    /// The number of those in the queue that were not.
    open: usize,
}

impl Walk<'_, '_> {
    fn reach(&mut self, id: Oid, paint: u64) -> Result<()> {
        let node = match self.nodes.entry(id) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert((self.read)(id)?),
        };
        if node.paint & paint == paint {
            return Ok(());
        }
        node.paint |= paint;
        let is_full = node.paint == self.full;
        // It was not full before, since its paint has just changed: one in the queue leaves the open ones now.
        if std::mem::replace(&mut node.queued, true) {
            self.open -= usize::from(is_full);
        } else {
            self.queue.push((node.time, id));
            self.open += usize::from(!is_full);
        }
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        while self.open > 0
            && let Some((_, id)) = self.queue.pop()
            && let Some(node) = self.nodes.get_mut(&id)
        {
            node.queued = false;
            let paint = node.paint;
            self.open -= usize::from(paint != self.full);
            for parent in node.parents.clone() {
                self.reach(parent, paint)?;
            }
        }
        Ok(())
    }

    /// Begins again, with what was read.
    fn restart(&mut self, full: u64) {
        for node in self.nodes.values_mut() {
            node.paint = 0;
            node.queued = false;
        }
        self.queue.clear();
        self.full = full;
        self.open = 0;
    }

    /// Returns the commits that only one side has reached, and which.
    fn alone(&self) -> HashMap<Oid, u64> {
        let painted = self.nodes.iter().map(|(id, node)| (*id, node.paint));
        painted.filter(|(_, paint)| *paint != BOTH).collect()
    }

    /// Takes out of `alone` what both sides lead to after all.
    ///
    /// What one side alone leads to has been walked to its end, but of what both lead to only the beginning, which is
    /// what the queue holds now. By skewed clocks a commit below that can have been met before. The lowest of those
    /// that are wrong has no parent in `alone`, so only such commits are looked for, until none of them is wrong.
    fn confirm(&mut self, alone: &mut HashMap<Oid, u64>) -> Result<()> {
        let mut met: Vec<Oid> = self.queue.drain().map(|(_, id)| id).collect();
        let mut lowest = self.lowest(alone);
        while !lowest.is_empty() && !met.is_empty() {
            let mut wrong = Vec::new();
            for some in lowest.chunks(MOST) {
                wrong.extend(self.reached(&met, some)?);
            }
            wrong.iter().for_each(|id| _ = alone.remove(id));
            lowest = match wrong.is_empty() {
                true => Vec::new(),
                false => self.lowest(alone),
            };
            met.extend(wrong);
        }
        Ok(())
    }

    fn lowest(&self, alone: &HashMap<Oid, u64>) -> Vec<Oid> {
        let is_lowest = |id: &&Oid| {
            let parents = &self.nodes[*id].parents;
            !parents.iter().any(|parent| alone.contains_key(parent))
        };
        alone.keys().filter(is_lowest).copied().collect()
    }

    /// Returns those of some commits that others lead to: a commit on the way to one of them is not below that one, so
    /// it is walked through.
    fn reached(&mut self, from: &[Oid], some: &[Oid]) -> Result<Vec<Oid>> {
        self.restart(u64::MAX >> (MOST - some.len()));
        for id in from {
            self.reach(*id, 1)?;
        }
        for (i, id) in some.iter().enumerate() {
            self.reach(*id, 2 << i)?;
        }
        self.run()?;
        let is_reached = |id: &&Oid| self.nodes[*id].paint & 1 == 1;
        Ok(some.iter().filter(is_reached).copied().collect())
    }
}

/// A commit that only one of two histories has.
struct AloneCommit {
    id: Oid,
    side: u64,
    is_operation: bool,
}

/// The commits that only one of two histories has.
struct Apart {
    alone: Vec<AloneCommit>,
    /// They share a commit.
    related: bool,
}

impl Apart {
    fn walk(ours: Oid, theirs: Oid, read: &mut Read<'_>) -> Result<Self> {
        let mut walk = Walk {
            read,
            nodes: HashMap::new(),
            queue: BinaryHeap::new(),
            full: BOTH,
            open: 0,
        };
        walk.reach(ours, OURS)?;
        walk.reach(theirs, THEIRS)?;
        walk.run()?;
        let mut alone = walk.alone();
        let related = alone.len() < walk.nodes.len();
        walk.confirm(&mut alone)?;
        let commit = |(id, side)| AloneCommit {
            id,
            side,
            is_operation: walk.nodes[&id].is_operation,
        };
        Ok(Self {
            alone: alone.into_iter().map(commit).collect(),
            related,
        })
    }
}

fn distance(ours: Oid, theirs: Oid, read: &mut Read<'_>) -> Result<Distance> {
    let Apart { alone, related } = Apart::walk(ours, theirs, read)?;
    let mut distance = Distance {
        related,
        ours_is_ancestor: true,
        theirs_is_ancestor: true,
        ..Distance::default()
    };
    for commit in alone {
        let (operations, is_ancestor) = match commit.side {
            OURS => (&mut distance.ahead, &mut distance.ours_is_ancestor),
            _ => (&mut distance.behind, &mut distance.theirs_is_ancestor),
        };
        *operations += usize::from(commit.is_operation);
        *is_ancestor = false;
    }
    Ok(distance)
}

/// Returns the length of the longest chain of merges that ends in a commit.
fn merges(tip: Oid, read: &mut Read<'_>) -> Result<usize> {
    let mut known: HashMap<Oid, usize> = HashMap::new();
    let mut nodes: HashMap<Oid, Node> = HashMap::new();
    // A stack of our own, as a chain of merges can be longer than recursion goes.
    let mut stack = vec![tip];
    while let Some(id) = stack.last().copied() {
        let node = match nodes.entry(id) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(read(id)?),
        };
        let above: &[Oid] = if node.is_merge { &node.parents } else { &[] };
        let unknown = above.iter().filter(|parent| !known.contains_key(*parent));
        let before = stack.len();
        stack.extend(unknown);
        if stack.len() == before {
            let deepest = above.iter().map(|parent| known[parent]).max();
            let merges = deepest.unwrap_or_default() + usize::from(node.is_merge);
            known.insert(id, merges);
            stack.pop();
        }
    }
    Ok(known[&tip])
}

#[cfg(test)]
mod tests;
