//! The moves of the ref that the journals name, and the objects that they hold.

use std::collections::{HashSet, VecDeque};

use super::Oid;
use super::journal::{Contents, Record};
use super::object::Object;
use super::reach::Reach;

/// So many commits back a line of the journal is looked for.
const FURTHEST: usize = 20_000;

/// The moves that the journals know, and what they hold.
pub(super) struct Known<'j> {
    moves: Vec<&'j Record>,
    /// Whether the last one was written under this boot, in this file.
    pub(super) is_of_here: bool,
}

impl<'j> Known<'j> {
    pub(super) fn of(contents: &'j Contents) -> Self {
        Self {
            moves: contents.moves().collect(),
            is_of_here: contents.here,
        }
    }

    pub(super) fn newest(&self) -> Option<Oid> {
        self.tips().next()
    }

    /// Returns the commits that the moves led to, newest first.
    pub(super) fn tips(&self) -> impl Iterator<Item = Oid> {
        self.moves.iter().rev().filter_map(|record| record.new)
    }

    /// Returns the commits, oldest first, from which the ref went on by other means than our moves, and the last one.
    pub(super) fn ends(&self) -> Vec<Oid> {
        let next = self.moves.iter().skip(1).map(Some).chain([None]);
        let pairs = self.moves.iter().zip(next);
        let is_end =
            |next: Option<&&Record>, tip: Oid| next.is_none_or(|next| next.old != Some(tip));
        pairs
            .filter_map(|(record, next)| record.new.filter(|tip| is_end(next, *tip)))
            .collect()
    }

    pub(super) fn last(&self) -> Option<&'j Record> {
        self.moves.last().copied()
    }

    /// Returns true if a move began or ended at a commit.
    pub(super) fn names(&self, commit: Oid) -> bool {
        let commit = Some(commit);
        self.moves
            .iter()
            .any(|record| record.new == commit || record.old == commit)
    }

    pub(super) fn objects(&self) -> impl Iterator<Item = &'j Object> {
        self.moves.iter().flat_map(|record| &record.objects)
    }

    /// Returns the objects of the moves that led to a commit: to it, to its ancestors, or to where a move began. Anyone
    /// who looks further back than the journal can is stopped.
    pub(super) fn line_to(&self, reach: &Reach<'_>, tip: Oid) -> Vec<&'j Object> {
        let mut wanted: HashSet<Oid> = self.moves.iter().filter_map(|move_| move_.new).collect();
        let (mut seen, mut left) = (HashSet::from([tip]), VecDeque::from([tip]));
        while let Some(commit) = left.pop_front() {
            wanted.remove(&commit);
            if wanted.is_empty() || seen.len() > FURTHEST {
                break;
            }
            // By moves as well as by parents: a ref that went forward to another tip need not descend from it.
            let began = self.moves.iter().filter(|move_| move_.new == Some(commit));
            let before = began
                .filter_map(|move_| move_.old)
                .chain(reach.parents(commit));
            left.extend(before.filter(|commit| seen.insert(*commit)));
        }
        let line = self
            .moves
            .iter()
            .filter(|move_| move_.new.is_some_and(|new| seen.contains(&new)));
        line.flat_map(|move_| &move_.objects).collect()
    }
}
