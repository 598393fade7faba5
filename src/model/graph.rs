//! Readiness, cycles, roll-up of epics, and walks along dependencies.
//!
//! The rules take facts and neighbours from any source: the index passes rows, a transaction its
//! staged issues.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use super::stamp::Uid;
use super::status::Status;

/// Facts that readiness depends on.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub status: Status,
    /// True if the issue is deleted.
    pub deleted: bool,
    /// Number of its `blocks` targets that exist and are neither closed nor deleted.
    pub open_blockers: usize,
    /// Time at which a deferred issue returns, in milliseconds.
    pub defer: Option<u64>,
    /// True for an epic that has children.
    pub parent_epic: bool,
}

/// Reason why an issue is or is not in the ready queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    Ready,
    /// Waits for this many open issues.
    Blocked(usize),
    /// Paused, perhaps until a time (milliseconds).
    Deferred(Option<u64>),
    /// An epic whose children are the work.
    RollUp,
    /// In a status that is not `open`.
    Status(Status),
}

impl Facts {
    /// Decides readiness at a time. Only `blocks` counts; dangling and external targets do not.
    pub(crate) fn readiness(&self, now: u64) -> Readiness {
        if self.deleted {
            return Readiness::Status(Status::Tombstone);
        }
        match self.status {
            Status::Open => {}
            // A date that has passed makes it open again. Without a date a person decides.
            Status::Deferred if self.defer.is_some_and(|until| until <= now) => {}
            Status::Deferred => return Readiness::Deferred(self.defer),
            ref other => return Readiness::Status(other.clone()),
        }
        if self.open_blockers > 0 {
            return Readiness::Blocked(self.open_blockers);
        }
        match self.defer {
            // An open issue may have a date as well.
            Some(until) if until > now => Readiness::Deferred(Some(until)),
            _ if self.parent_epic => Readiness::RollUp,
            _ => Readiness::Ready,
        }
    }

    /// Returns whether it belongs to the list of blocked issues: open with an open blocker, or
    /// status `blocked`.
    pub(crate) fn is_blocked(&self) -> bool {
        !self.deleted
            && (self.status == Status::Blocked
                || (self.status == Status::Open && self.open_blockers > 0))
    }
}

/// Finds the cycle that an edge `from -> to` would close: the path from `to` to `from`, both included.
pub(crate) fn cycle<K: Copy + Eq + Hash, E>(
    from: K,
    to: K,
    mut next: impl FnMut(K) -> Result<Vec<K>, E>,
) -> Result<Option<Vec<K>>, E> {
    let mut previous_of: HashMap<K, K> = HashMap::new();
    // Breadth first, so that the cycle that is shown is a shortest one.
    let mut queue = VecDeque::from([to]);
    let mut seen = HashSet::from([to]);
    while let Some(node) = queue.pop_front() {
        if node == from {
            let mut path = vec![node];
            while let Some(previous) = previous_of.get(&path[path.len() - 1]) {
                path.push(*previous);
            }
            path.reverse();
            return Ok(Some(path));
        }
        for neighbour in next(node)? {
            if seen.insert(neighbour) {
                previous_of.insert(neighbour, node);
                queue.push_back(neighbour);
            }
        }
    }
    Ok(None)
}

/// Returns whether a cycle can be reached from any of some nodes.
///
/// One walk for all of them: each node is entered once, so the cost is that of what can be reached, however
/// many nodes it starts from.
pub(crate) fn is_circular<K: Copy + Eq + Hash, E>(
    from: impl IntoIterator<Item = K>,
    mut next: impl FnMut(K) -> Result<Vec<K>, E>,
) -> Result<bool, E> {
    // Entered and not left yet (true): on the path that the walk is on.
    let mut on_path: HashMap<K, bool> = HashMap::new();
    for start in from {
        if on_path.contains_key(&start) {
            continue;
        }
        on_path.insert(start, true);
        // A stack of our own: chains are as long as people make them, and recursion would overflow.
        let mut path = vec![(start, next(start)?)];
        while let Some((node, targets)) = path.last_mut() {
            let Some(target) = targets.pop() else {
                on_path.insert(*node, false);
                path.pop();
                continue;
            };
            match on_path.get(&target) {
                Some(true) => return Ok(true),
                // All that it leads to was walked before, and no cycle found.
                Some(false) => {}
                None => {
                    on_path.insert(target, true);
                    path.push((target, next(target)?));
                }
            }
        }
    }
    Ok(false)
}

/// Returns whether an epic with these children is done: it has one that is not deleted, and all
/// have ended.
pub(crate) fn is_rolled_up(children: impl IntoIterator<Item = Status>) -> bool {
    let mut left = children
        .into_iter()
        .filter(|status| *status != Status::Tombstone)
        .peekable();
    left.peek().is_some() && left.all(|status| status.is_done())
}

/// Returns whether an issue below another one is open, on any level: also a child of a closed child.
pub(crate) fn is_open_below<E>(
    top: Uid,
    children: impl Fn(Uid) -> Result<Vec<(Uid, Status)>, E>,
) -> Result<bool, E> {
    let (mut above, mut seen) = (vec![top], HashSet::from([top]));
    while let Some(parent) = above.pop() {
        for (child, status) in children(parent)? {
            // What is below a deleted issue is shown at the root.
            if status == Status::Tombstone || !seen.insert(child) {
                continue;
            }
            if !status.is_done() {
                return Ok(true);
            }
            above.push(child);
        }
    }
    Ok(false)
}

/// Returns the nodes in topological order; nodes on a cycle or behind one are left out.
pub(crate) fn sorted<K: Copy + Eq + Hash>(nodes: &[K], next: &HashMap<K, Vec<K>>) -> Vec<K> {
    let mut left: HashMap<K, usize> = nodes.iter().map(|node| (*node, 0)).collect();
    let targets = || {
        nodes
            .iter()
            .flat_map(|node| next.get(node).into_iter().flatten())
    };
    for node in targets() {
        *left.entry(*node).or_default() += 1;
    }
    let mut order: Vec<K> = nodes
        .iter()
        .copied()
        .filter(|node| left[node] == 0)
        .collect();
    let mut at = 0;
    while at < order.len() {
        for node in next.get(&order[at]).into_iter().flatten() {
            if let Some(edges) = left.get_mut(node) {
                *edges -= 1;
                if *edges == 0 {
                    order.push(*node);
                }
            }
        }
        at += 1;
    }
    order
}

/// Returns the longest path; of several the one that ends first. A single node is no path.
pub(crate) fn longest_path<K: Copy + Eq + Hash>(nodes: &[K], next: &HashMap<K, Vec<K>>) -> Vec<K> {
    let order = sorted(nodes, next);
    let mut previous_of: HashMap<K, (usize, K)> = HashMap::new();
    for node in &order {
        let length = previous_of.get(node).map_or(0, |(length, _)| *length) + 1;
        for target in next.get(node).into_iter().flatten() {
            if previous_of
                .get(target)
                // Not for an equal length: the first path found stays.
                .is_none_or(|(known, _)| *known < length)
            {
                previous_of.insert(*target, (length, *node));
            }
        }
    }
    let length = |node: &K| previous_of.get(node).map_or(0, |(length, _)| *length);
    let longest = order.iter().map(length).max().unwrap_or(0);
    let mut path: Vec<K> = order
        .iter()
        .copied()
        .filter(|node| longest > 0 && length(node) == longest)
        .take(1)
        .collect();
    while let Some((_, before)) = path.last().and_then(|node| previous_of.get(node)) {
        path.push(*before);
    }
    path.reverse();
    path
}

/// Returns the nodes that can be reached from some nodes, without these, nearest first, at most so
/// many.
pub(crate) fn reachable<K: Copy + Eq + Hash>(
    from: &[K],
    next: &HashMap<K, Vec<K>>,
    most: usize,
) -> Vec<K> {
    let mut seen: HashSet<K> = from.iter().copied().collect();
    let mut queue: VecDeque<K> = from.iter().copied().collect();
    let mut found = Vec::new();
    while let Some(node) = queue.pop_front() {
        for target in next.get(&node).into_iter().flatten() {
            if found.len() == most {
                return found;
            }
            if seen.insert(*target) {
                found.push(*target);
                queue.push_back(*target);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(status: Status) -> Facts {
        Facts {
            status,
            deleted: false,
            open_blockers: 0,
            defer: None,
            parent_epic: false,
        }
    }

    #[test]
    fn only_open_unblocked_issues_are_ready() {
        assert_eq!(facts(Status::Open).readiness(10), Readiness::Ready);
        assert_eq!(
            Facts {
                open_blockers: 2,
                ..facts(Status::Open)
            }
            .readiness(10),
            Readiness::Blocked(2)
        );
        assert_eq!(
            Facts {
                parent_epic: true,
                ..facts(Status::Open)
            }
            .readiness(10),
            Readiness::RollUp
        );
        assert_eq!(
            Facts {
                deleted: true,
                ..facts(Status::Open)
            }
            .readiness(10),
            Readiness::Status(Status::Tombstone)
        );
        for status in [
            Status::InProgress,
            Status::Blocked,
            Status::Pinned,
            Status::Custom("qa".into()),
        ] {
            assert_eq!(
                facts(status.clone()).readiness(10),
                Readiness::Status(status)
            );
        }
    }

    #[test]
    fn a_deferred_issue_returns_on_its_date() {
        let deferred = |status, defer| Facts {
            defer,
            ..facts(status)
        };
        assert_eq!(
            deferred(Status::Deferred, Some(10)).readiness(10),
            Readiness::Ready
        );
        assert_eq!(
            deferred(Status::Deferred, Some(11)).readiness(10),
            Readiness::Deferred(Some(11))
        );
        assert_eq!(
            deferred(Status::Deferred, None).readiness(10),
            Readiness::Deferred(None)
        );
        assert_eq!(
            deferred(Status::Open, Some(11)).readiness(10),
            Readiness::Deferred(Some(11))
        );
    }

    #[test]
    fn a_cycle_is_named_in_order() {
        let next = |n: i32| {
            Ok::<_, ()>(match n {
                2 => vec![3, 5],
                3 => vec![4],
                4 => vec![1],
                _ => vec![],
            })
        };
        assert_eq!(cycle(1, 2, next).unwrap(), Some(vec![2, 3, 4, 1]));
        assert_eq!(cycle(1, 5, next).unwrap(), None);
        assert_eq!(cycle(1, 1, next).unwrap(), Some(vec![1]));
    }

    #[test]
    fn a_cycle_is_found_in_one_walk_from_all_starts() {
        let chain = |n: i32| Ok::<_, ()>(if n > 0 { vec![n - 1] } else { vec![] });
        for starts in [(0..=1000).collect::<Vec<_>>(), (0..=1000).rev().collect()] {
            let mut asked = 0;
            let counted = |n| {
                asked += 1;
                chain(n)
            };
            assert_eq!(is_circular(starts, counted), Ok(false));
            assert_eq!(asked, 1001, "each node is asked once");
        }
        let ring = |n: i32| Ok::<_, ()>(vec![(n + 1) % 7]);
        assert_eq!(is_circular([3], ring), Ok(true));
        assert_eq!(is_circular([3], |n: i32| Ok::<_, ()>(vec![n])), Ok(true));
        let diamond = |n: i32| Ok::<_, ()>(if n < 3 { vec![n + 1, 3] } else { vec![] });
        assert_eq!(is_circular([0, 1], diamond), Ok(false));
    }

    #[test]
    fn an_epic_is_done_with_its_children() {
        assert!(!is_rolled_up([]));
        assert!(!is_rolled_up([Status::Tombstone]));
        assert!(is_rolled_up([Status::Closed, Status::Tombstone]));
        assert!(!is_rolled_up([Status::Closed, Status::Deferred]));
    }

    #[test]
    fn the_longest_path_is_found_beside_circles() {
        let next = HashMap::from([
            (1, vec![2, 3]),
            (2, vec![4]),
            (3, vec![5]),
            (4, vec![5]),
            (7, vec![8]),
            (8, vec![7]),
        ]);
        let nodes = [5, 4, 3, 2, 1, 6, 7, 8];
        let mut order = sorted(&nodes, &next);
        order.sort_unstable();
        assert_eq!(order, [1, 2, 3, 4, 5, 6], "what goes round is left out");
        assert_eq!(longest_path(&nodes, &next), [1, 2, 4, 5]);
        assert!(longest_path(&[6], &next).is_empty());
        assert_eq!(reachable(&[1], &next, 9), [2, 3, 4, 5]);
        assert_eq!(reachable(&[1], &next, 2), [2, 3]);
        assert_eq!(reachable(&[7], &next, 9), [8]);
    }
}
