//! The edges of a store as neighbours, and what follows from them.

use std::collections::{HashMap, HashSet};

use super::Progress;
use crate::index::EdgeRow;
use crate::model::graph::{cycle, reachable, sorted};

/// So many dependents of an issue are counted.
const MOST_COUNTED: usize = 1_000;
/// So many circles are spelled out.
const MOST_CYCLES: usize = 20;

/// Issues by number, each with its neighbours; suspended edges make no neighbours.
pub(crate) struct Net {
    links: Vec<EdgeRow>,
    children: HashMap<i64, Vec<i64>>,
    waiting: HashMap<i64, Vec<i64>>,
}

fn neighbours(edges: impl Iterator<Item = (i64, i64)>) -> HashMap<i64, Vec<i64>> {
    let mut found: HashMap<i64, Vec<i64>> = HashMap::new();
    edges.for_each(|(from, to)| found.entry(from).or_default().push(to));
    found
}

/// True where one still waits for the other.
pub(crate) fn is_waiting(link: &EdgeRow) -> bool {
    link.blocks && !link.suspended && !link.from_done && !link.to_done
}

/// True where one is a part of the other.
pub(crate) fn is_part(link: &EdgeRow) -> bool {
    !link.blocks && !link.suspended
}

impl Net {
    pub(crate) fn new(links: Vec<EdgeRow>) -> Self {
        let children = neighbours(
            links
                .iter()
                .filter(|link| is_part(link))
                .map(|link| (link.to, link.from)),
        );
        let waiting = neighbours(
            links
                .iter()
                .filter(|link| is_waiting(link))
                .map(|link| (link.to, link.from)),
        );
        Self {
            links,
            children,
            waiting,
        }
    }

    pub(crate) fn links(&self) -> &[EdgeRow] {
        &self.links
    }

    /// An issue and all that is below it, what those wait for and what waits for them; settled waiting too, if asked.
    pub(crate) fn around(&self, root: i64, settled: bool) -> HashSet<i64> {
        let mut below = vec![root];
        below.extend(reachable(&[root], &self.children, usize::MAX));
        let counts =
            |link: &&EdgeRow| is_waiting(link) || link.blocks && (settled || link.suspended);
        let blocks = || self.links.iter().filter(counts);
        let before = neighbours(blocks().map(|link| (link.from, link.to)));
        let after = neighbours(blocks().map(|link| (link.to, link.from)));
        let mut found: HashSet<i64> = below.iter().copied().collect();
        found.extend(reachable(&below, &before, usize::MAX));
        found.extend(reachable(&below, &after, usize::MAX));
        found
    }

    /// Those of some issues that are linked to another of them, or have parts.
    pub(crate) fn linked(&self, shown: &HashSet<i64>) -> HashSet<i64> {
        let both = self
            .links
            .iter()
            .filter(|link| shown.contains(&link.from) && shown.contains(&link.to));
        both.flat_map(|link| [link.from, link.to])
            .chain(self.children.keys().copied())
            .collect()
    }

    /// Returns how many open issues wait for one, directly or through others.
    pub(crate) fn unblocks(&self, num: i64) -> usize {
        reachable(&[num], &self.waiting, MOST_COUNTED).len()
    }

    /// Dependencies among some issues.
    pub(crate) fn waiting_among(&self, shown: &HashMap<i64, &str>) -> HashMap<i64, Vec<i64>> {
        let among =
            |link: &&EdgeRow| shown.contains_key(&link.from) && shown.contains_key(&link.to);
        neighbours(
            self.links
                .iter()
                .filter(|link| is_waiting(link))
                .filter(among)
                .map(|link| (link.to, link.from)),
        )
    }

    /// Returns the progress of all issues with parts.
    pub(crate) fn progress(&self) -> HashMap<i64, Progress> {
        let mut done: HashMap<i64, bool> = HashMap::new();
        for link in self.links.iter().filter(|link| is_part(link)) {
            done.extend([(link.from, link.from_done), (link.to, link.to_done)]);
        }
        let nodes: Vec<i64> = done.keys().copied().collect();
        let parents = neighbours(
            self.links
                .iter()
                .filter(|link| is_part(link))
                .map(|link| (link.from, link.to)),
        );
        let mut progress: HashMap<i64, Progress> = HashMap::new();
        // Children come before their parents, so each sum is complete when it is added upwards.
        for num in sorted(&nodes, &parents) {
            let leaf = Progress {
                done: u64::from(done[&num]),
                total: 1,
            };
            // What has parts counts by them alone.
            let own = progress.get(&num).copied().unwrap_or(leaf);
            for parent in parents.get(&num).into_iter().flatten() {
                let sum = progress
                    .entry(*parent)
                    .or_insert(Progress { done: 0, total: 0 });
                sum.done = sum.done.saturating_add(own.done);
                sum.total = sum.total.saturating_add(own.total);
            }
        }
        progress
    }

    /// The circles among some issues that suspended edges would close.
    pub(crate) fn cycles(&self, shown: &HashMap<i64, &str>) -> Vec<Vec<i64>> {
        let among =
            |link: &&EdgeRow| shown.contains_key(&link.from) && shown.contains_key(&link.to);
        let mut cycles = Vec::new();
        for link in self
            .links
            .iter()
            .filter(among)
            .filter(|link| link.suspended)
            .take(MOST_CYCLES)
        {
            // Through edges of the same kind that are in effect: these are what the suspended one would close.
            let alike = |other: &&EdgeRow| other.blocks == link.blocks && !other.suspended;
            let next = neighbours(
                self.links
                    .iter()
                    .filter(among)
                    .filter(alike)
                    .map(|link| (link.from, link.to)),
            );
            let path = cycle(link.from, link.to, |num| {
                Ok::<_, ()>(next.get(&num).cloned().unwrap_or_default())
            });
            cycles.extend(path.ok().flatten());
        }
        cycles
    }
}
