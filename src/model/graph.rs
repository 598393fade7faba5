//! What can be worked on: readiness, cycles, roll-up of epics.
//!
//! The rules speak of facts and neighbours, not of where those are kept: the index feeds them rows, a
//! transaction its staged issues.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

use super::status::Status;

/// What readiness depends on.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The stored status.
    pub status: Status,
    /// Whether the issue is deleted.
    pub deleted: bool,
    /// Its `blocks` targets that exist and are neither closed nor deleted.
    pub open_blockers: usize,
    /// When a deferred issue returns, in milliseconds.
    pub defer: Option<u64>,
    /// Whether it is an epic that has children.
    pub parent_epic: bool,
}

/// Why an issue is or is not in the ready queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Can be started.
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
    pub fn readiness(&self, now: u64) -> Readiness {
        if self.deleted {
            return Readiness::Status(Status::Tombstone);
        }
        match self.status {
            Status::Open => {}
            Status::Deferred if self.defer.is_some_and(|until| until <= now) => {}
            Status::Deferred => return Readiness::Deferred(self.defer),
            ref other => return Readiness::Status(other.clone()),
        }
        if self.open_blockers > 0 {
            return Readiness::Blocked(self.open_blockers);
        }
        match self.defer {
            Some(until) if until > now => Readiness::Deferred(Some(until)),
            _ if self.parent_epic => Readiness::RollUp,
            _ => Readiness::Ready,
        }
    }

    /// Whether it belongs to the list of blocked issues: open with an open blocker, or status `blocked`.
    pub fn is_blocked(&self) -> bool {
        !self.deleted && (self.status == Status::Blocked || (self.status == Status::Open && self.open_blockers > 0))
    }
}

/// Finds the cycle that an edge `from -> to` would close: the path from `to` to `from`, both included.
///
/// # Errors
/// Passes on what `next` fails with.
pub fn cycle<K: Copy + Eq + Hash, E>(
    from: K,
    to: K,
    mut next: impl FnMut(K) -> Result<Vec<K>, E>,
) -> Result<Option<Vec<K>>, E> {
    let mut came: HashMap<K, K> = HashMap::new();
    let mut queue = VecDeque::from([to]);
    let mut seen = HashSet::from([to]);
    while let Some(node) = queue.pop_front() {
        if node == from {
            let mut path = vec![node];
            while let Some(previous) = came.get(&path[path.len() - 1]) {
                path.push(*previous);
            }
            path.reverse();
            return Ok(Some(path));
        }
        for neighbour in next(node)? {
            if seen.insert(neighbour) {
                came.insert(neighbour, node);
                queue.push_back(neighbour);
            }
        }
    }
    Ok(None)
}

/// Whether an epic with these children is done: it has one, and all have ended.
pub fn is_rolled_up<'a>(children: impl IntoIterator<Item = &'a Status>) -> bool {
    let mut children = children.into_iter().peekable();
    children.peek().is_some() && children.all(Status::is_done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(status: Status) -> Facts {
        Facts { status, deleted: false, open_blockers: 0, defer: None, parent_epic: false }
    }

    #[test]
    fn only_open_unblocked_issues_are_ready() {
        assert_eq!(facts(Status::Open).readiness(10), Readiness::Ready);
        assert_eq!(Facts { open_blockers: 2, ..facts(Status::Open) }.readiness(10), Readiness::Blocked(2));
        assert_eq!(Facts { parent_epic: true, ..facts(Status::Open) }.readiness(10), Readiness::RollUp);
        assert_eq!(Facts { deleted: true, ..facts(Status::Open) }.readiness(10), Readiness::Status(Status::Tombstone));
        for status in [Status::InProgress, Status::Blocked, Status::Pinned, Status::Custom("qa".into())] {
            assert_eq!(facts(status.clone()).readiness(10), Readiness::Status(status));
        }
    }

    #[test]
    fn a_deferred_issue_returns_on_its_date() {
        let deferred = |status, defer| Facts { defer, ..facts(status) };
        assert_eq!(deferred(Status::Deferred, Some(10)).readiness(10), Readiness::Ready);
        assert_eq!(deferred(Status::Deferred, Some(11)).readiness(10), Readiness::Deferred(Some(11)));
        assert_eq!(deferred(Status::Deferred, None).readiness(10), Readiness::Deferred(None));
        assert_eq!(deferred(Status::Open, Some(11)).readiness(10), Readiness::Deferred(Some(11)));
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
    fn an_epic_is_done_with_its_children() {
        assert!(!is_rolled_up([]));
        assert!(is_rolled_up([&Status::Closed, &Status::Tombstone]));
        assert!(!is_rolled_up([&Status::Closed, &Status::Deferred]));
    }
}
