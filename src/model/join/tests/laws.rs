//! Further laws of the join and of the projections; `topology.rs` tells how to run them for long.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::Index;

use super::blob;
use super::topology::cases;
use crate::model::graph::cycle;
use crate::model::id::alias;
use crate::model::join::*;
use crate::model::stamp::{Stamp, Uid};

fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: cases().unwrap_or(default.cases),
        ..default
    }
}

fn merged(a: &Blob, b: &Blob, bases: &[Blob]) -> Blob {
    merge(
        Side { blob: a, oid: "aa" },
        Side { blob: b, oid: "aa" },
        bases,
    )
}

fn joined(blobs: &[Blob]) -> Blob {
    blobs[1..]
        .iter()
        .fold(blobs[0].clone(), |sum, blob| join(&sum, blob))
}

/// Stamps of issues that were made at almost the same time end alike now and then.
fn uid() -> impl Strategy<Value = Uid> {
    (1..4u64, 0..3u128, 0..3u128)
        .prop_map(|(millis, high, low)| Stamp::new(millis, high << 40 | low))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn replicas_converge_in_any_order_of_merges(
        mut replicas in vec(blob(), 2..8),
        merges in vec((any::<Index>(), any::<Index>(), vec(blob(), 0..2)), 0..12),
    ) {
        for (to, from, bases) in &merges {
            let (to, from) = (to.index(replicas.len()), from.index(replicas.len()));
            replicas[to] = merged(&replicas[to], &replicas[from], bases);
        }
        let all = joined(&replicas);
        for _ in 0..2 {
            for to in 0..replicas.len() {
                for from in 0..replicas.len() {
                    replicas[to] = merged(&replicas[to], &replicas[from], &[]);
                }
            }
        }
        for replica in &replicas {
            prop_assert_eq!(replica.to_bytes(), replicas[0].to_bytes());
            prop_assert_eq!(&replica.registers, &all.registers);
            prop_assert_eq!(&replica.sets, &all.sets);
        }
    }

    #[test]
    fn the_order_of_joins_does_not_matter(blobs in vec(blob(), 2..8), order in any::<Index>()) {
        let mut turned = blobs.clone();
        turned.rotate_left(order.index(blobs.len()));
        prop_assert_eq!(joined(&turned), joined(&blobs));
        turned.reverse();
        prop_assert_eq!(joined(&turned), joined(&blobs));
    }

    #[test]
    fn a_merge_holds_the_join_and_changes_no_value(a in blob(), b in blob(), bases in vec(blob(), 0..3)) {
        let (m, j) = (merged(&a, &b, &bases), join(&a, &b));
        prop_assert_eq!(&join(&m, &j), &m);
        prop_assert_eq!((&m.registers, &m.sets, &m.origin), (&j.registers, &j.sets, &j.origin));
        prop_assert_eq!((m.v, m.min_reader, m.uid, m.purged), (j.v, j.min_reader, j.uid, j.purged));
        prop_assert_eq!(&m, &merged(&b, &a, &bases));
        prop_assert_eq!(merged(&m, &a, &bases).registers, m.registers);
    }

    #[test]
    fn a_loser_is_kept_unless_a_base_holds_it(a in blob(), b in blob(), bases in vec(blob(), 0..3)) {
        let m = merged(&a, &b, &bases);
        for (key, x) in &a.registers {
            let Some(y) = b.registers.get(key).filter(|y| m.purged.is_none() && y.value != x.value) else { continue };
            let loser = if rank(x, y).is_lt() { x } else { y };
            let known = bases.iter().any(|base| base.registers.get(key) == Some(loser));
            let kept = m.lost.contains_key(&format!("{key}@{}", loser.at));
            prop_assert!(known || kept);
        }
    }

    #[test]
    fn a_purge_absorbs_every_merge(a in blob(), b in blob(), bases in vec(blob(), 0..3), at in 5..9u64) {
        let mut gone = a;
        gone.purge(Stamp::new(at, 1));
        let m = merged(&gone, &b, &bases);
        prop_assert!(m.purged.is_some() && m.purged >= gone.purged);
        prop_assert!(m.sets.is_empty() && m.lost.is_empty() && m.registers.keys().all(|key| key == "id"));
        prop_assert_eq!(&merged(&b, &gone, &bases), &m);
    }

    #[test]
    fn aliases_name_every_claimant_apart(uids in btree_set(uid(), 1..10)) {
        let uids: Vec<Uid> = uids.into_iter().collect();
        let names: BTreeMap<String, Uid> =
            uids.iter().enumerate().map(|(i, uid)| (alias("bd-x.3", &uids, i), *uid)).collect();
        prop_assert_eq!(names.len(), uids.len(), "one name each: {:?}", names);
        prop_assert_eq!(names.get("bd-x.3"), uids.first(), "the oldest keeps the id");
        for (name, uid) in names.iter().filter(|(name, _)| *name != "bd-x.3") {
            let tail = name.strip_prefix("bd-x.3~").expect("an alias");
            prop_assert!(tail.len() >= 2 && uid.to_string().ends_with(tail));
            let named = uids[1..].iter().filter(|other| other.to_string().ends_with(tail)).count();
            prop_assert_eq!(named, 1, "an alias means one issue");
        }
    }

    /// The rule of the projection with the model's own search: oldest first, what closes a cycle waits.
    #[test]
    fn active_edges_close_no_cycle_and_none_is_dropped(edges in btree_set((0..99u8, 0..7u8, 0..7u8), 0..25)) {
        let mut active: BTreeMap<u8, BTreeSet<u8>> = BTreeMap::new();
        let mut suspended = 0;
        let next = |active: &BTreeMap<u8, BTreeSet<u8>>, node: u8| -> Result<Vec<u8>, ()> {
            Ok(active.get(&node).into_iter().flatten().copied().collect())
        };
        for (_, from, to) in &edges {
            match cycle(*from, *to, |node| next(&active, node)).expect("no error") {
                Some(path) => {
                    suspended += 1;
                    prop_assert_eq!((path.first(), path.last()), (Some(to), Some(from)));
                    for step in path.windows(2) {
                        prop_assert!(active[&step[0]].contains(&step[1]), "the path is made of edges");
                    }
                }
                None => {
                    active.entry(*from).or_default().insert(*to);
                }
            }
        }
        let mut left = active.clone();
        while let Some(leaf) = left.keys().copied().find(|node| left[node].iter().all(|to| !left.contains_key(to))) {
            left.remove(&leaf);
        }
        prop_assert!(left.is_empty(), "a cycle is left: {:?}", left);
        let pairs: BTreeSet<(u8, u8)> = edges.iter().map(|(_, from, to)| (*from, *to)).collect();
        let kept: usize = active.values().map(BTreeSet::len).sum();
        prop_assert!(kept <= pairs.len() && kept + suspended >= pairs.len());
    }

    #[test]
    fn stamps_of_one_writer_rise_whatever_its_clock_says(clock in vec((any::<u64>(), any::<u128>()), 1..20)) {
        let mut last = Stamp::default();
        for (millis, random) in clock {
            let next = Stamp::after(last, millis % (1 << 46), random);
            prop_assert!(next > last && next.to_string().parse::<Stamp>().is_ok());
            last = next;
        }
    }

    /// Writers whose clocks are behind what they have seen still make stamps of their own: of two losers
    /// with one stamp, `lost` could keep only one.
    #[test]
    fn writers_behind_make_different_stamps(seen in 5..9u64, a: u128, b: u128) {
        prop_assume!(a as u64 != b as u64);
        let seen = Stamp::new(seen, 7);
        prop_assert_ne!(Stamp::after(seen, 1, a), Stamp::after(seen, 1, b));
    }
}
