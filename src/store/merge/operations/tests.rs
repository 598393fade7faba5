//! Walks over graphs that are small enough to be compared with every path through them.

use std::collections::BTreeSet;

use super::*;

/// A graph of commits by number; parents have smaller numbers, times are anything.
#[derive(Default)]
struct Graph {
    commits: Vec<(Vec<usize>, i64)>,
    read: usize,
}

fn oid(number: usize) -> Oid {
    // Not in the order of the numbers: nothing may follow from that.
    let mixed = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Oid::parse(&format!("{mixed:016x}{number:024x}")).unwrap()
}

fn number(id: Oid) -> usize {
    usize::from_str_radix(&id.to_string()[16..], 16).unwrap()
}

impl Graph {
    fn add(&mut self, parents: &[usize], time: i64) -> usize {
        self.commits.push((parents.to_vec(), time));
        self.commits.len() - 1
    }

    fn read(&mut self, id: Oid) -> Node {
        self.read += 1;
        let (parents, time) = &self.commits[number(id)];
        Node {
            parents: parents.iter().map(|parent| oid(*parent)).collect(),
            is_merge: parents.len() > 1,
            is_operation: parents.len() < 2,
            time: *time,
            paint: 0,
            queued: false,
        }
    }

    fn distance(&mut self, ours: usize, theirs: usize) -> Distance {
        distance(oid(ours), oid(theirs), &mut |id| Ok(self.read(id))).unwrap()
    }

    fn merges(&mut self, tip: usize) -> usize {
        merges(oid(tip), &mut |id| Ok(self.read(id))).unwrap()
    }

    /// Returns all that leads to a commit, itself included.
    fn history(&self, tip: usize) -> BTreeSet<usize> {
        let mut history = BTreeSet::from([tip]);
        for commit in (0..=tip).rev() {
            if history.contains(&commit) {
                history.extend(&self.commits[commit].0);
            }
        }
        history
    }

    fn expected(&self, ours: usize, theirs: usize) -> Distance {
        let (a, b) = (self.history(ours), self.history(theirs));
        let operations = |of: &BTreeSet<usize>, without: &BTreeSet<usize>| {
            let is_operation = |commit: &&usize| self.commits[**commit].0.len() < 2;
            of.difference(without).filter(is_operation).count()
        };
        Distance {
            ahead: operations(&a, &b),
            behind: operations(&b, &a),
            related: !a.is_disjoint(&b),
            ours_is_ancestor: b.contains(&ours),
            theirs_is_ancestor: a.contains(&theirs),
        }
    }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

#[test]
fn a_distance_is_right_whatever_the_clocks_say() {
    for seed in 0..60 {
        let (mut dice, mut graph) = (Dice(seed), Graph::default());
        let skew = [1, 10, 1000][dice.below(3)];
        for commit in 0..2 + dice.below(40) {
            let parents: BTreeSet<usize> = match dice.below(8) {
                _ if commit == 0 => BTreeSet::new(),
                0 => BTreeSet::new(),
                1..4 => (0..2 + dice.below(2)).map(|_| dice.below(commit)).collect(),
                _ => BTreeSet::from([commit - 1 - dice.below(commit.min(4))]),
            };
            let time = (commit * 10 + dice.below(skew)) as i64;
            graph.add(&parents.into_iter().collect::<Vec<_>>(), time);
        }
        for ours in 0..graph.commits.len() {
            for theirs in 0..graph.commits.len() {
                let (found, expected) =
                    (graph.distance(ours, theirs), graph.expected(ours, theirs));
                assert_eq!(found, expected, "seed {seed}: {ours} and {theirs}");
            }
        }
    }
}

#[test]
fn a_descendant_of_merges_alone_outranks_what_it_descends_from() {
    let mut graph = Graph::default();
    let root = graph.add(&[], 0);
    let (x, y) = (graph.add(&[root], 1), graph.add(&[root], 2));
    let first = graph.add(&[x, y], 2);
    let second = graph.add(&[first, y], 2);
    let third = graph.add(&[first, second], 2);
    let next = graph.add(&[third], 3);
    let found = [root, x, first, second, third, next].map(|tip| graph.merges(tip));
    assert_eq!(found, [0, 0, 1, 2, 3, 0]);
}

#[test]
fn the_walk_of_clones_at_rest_does_not_grow_with_the_history() {
    let steps = |length: usize| {
        let mut graph = Graph::default();
        let mut tip = graph.add(&[], 0);
        for at in 1..length {
            tip = graph.add(&[tip], at as i64);
        }
        let (x, y) = (graph.add(&[tip], 9000), graph.add(&[tip], 1));
        let ours = graph.add(&[x, y], 9000);
        let theirs = graph.add(&[ours, y], 9000);
        let other = graph.add(&[x, y, tip], 9001);
        graph.read = 0;
        for (one, two) in [(ours, theirs), (theirs, other), (other, ours)] {
            let distance = graph.distance(one, two);
            assert_eq!((distance.ahead, distance.behind), (0, 0));
            graph.merges(one);
        }
        graph.read
    };
    assert_eq!(steps(5000), steps(50));
    assert!(steps(5000) < 60, "{}", steps(5000));
}
