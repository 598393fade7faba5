//! The prefix of new ids, as `meta.json` has it.
//!
//! A chosen prefix is never beaten by a default, in any order of merges. The join takes the later
//! stamp, so a default is written with the lowest stamp there is. Stores of earlier versions hold a
//! default with the stamp of their creation: there the choice is the value that lost against it.

use serde_json::json;

use super::blob::{Blob, Register, Writer};
use super::id::check_prefix;
use super::stamp::Stamp;

/// The register in `meta.json`.
const PREFIX: &str = "prefix";
/// The set of the ids of all stores that were joined, each the stamp of a creation.
const STORES: &str = "stores";
/// The prefix where none was chosen.
pub(crate) const DEFAULT_PREFIX: &str = "bd";

/// Returns the prefix of a store: the latest that was chosen, else the default.
pub(crate) fn of(meta: &Blob) -> &str {
    let stored = meta.text(PREFIX).filter(|_| is_chosen(meta));
    let latest = || beaten(meta).into_iter().max().map(|(_, value)| value);
    stored.or_else(latest).unwrap_or(DEFAULT_PREFIX)
}

/// Returns the chosen prefixes that lost against a concurrent write.
pub(crate) fn beaten(meta: &Blob) -> Vec<(Stamp, &str)> {
    let values = meta.unsettled().filter(|(key, ..)| *key == PREFIX);
    values
        .filter_map(|(_, at, record)| Some((at, record.get("v")?.as_str()?)))
        .filter(|(at, value)| is_choice(meta, *at, value))
        .collect()
}

/// Returns whether the prefix in the register was chosen.
pub(crate) fn is_chosen(meta: &Blob) -> bool {
    let register = meta.registers.get(PREFIX);
    register.is_some_and(|register| {
        let value = register.value.as_str();
        value.is_some_and(|value| is_choice(meta, register.at, value))
    })
}

/// Returns whether a prefix with this stamp was chosen. A default has the lowest stamp; one of an
/// earlier version has that of the creation of its store. An invalid prefix, which only another
/// program can have written, is no choice.
fn is_choice(meta: &Blob, at: Stamp, value: &str) -> bool {
    let created = || meta.live(STORES).any(|(id, _)| id == at.to_string());
    at != Stamp::default() && (value != DEFAULT_PREFIX || !created()) && check_prefix(value).is_ok()
}

/// Writes a prefix that was chosen. The stamp of `writer` must not be that of the creation: a `bd`
/// with that stamp is the default of an earlier version.
pub(crate) fn choose(meta: &mut Blob, writer: &Writer, prefix: &str) {
    meta.put(writer, PREFIX, json!(prefix));
    meta.settle(PREFIX, writer.at);
}

/// Writes the default with the lowest stamp: it loses against any choice. The register is written
/// nevertheless, since earlier versions write one with the current stamp where there is none.
pub(crate) fn leave_default(meta: &mut Blob) {
    let default = Register {
        value: json!(DEFAULT_PREFIX),
        at: Stamp::default(),
        by: String::new(),
        when: None,
    };
    meta.registers.insert(PREFIX.to_owned(), default);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::model::join::{Side, merge};

    /// How the store of a clone was begun.
    #[derive(Clone, Debug)]
    enum Begun {
        Default,
        DefaultOfOld,
        Chosen(&'static str),
        ChosenByOld(&'static str),
    }

    impl Begun {
        fn chosen(&self) -> Option<&'static str> {
            match self {
                Self::Chosen(prefix) => Some(prefix),
                // An earlier version wrote a default like this one.
                Self::ChosenByOld(prefix) => Some(*prefix).filter(|prefix| *prefix != "bd"),
                Self::Default | Self::DefaultOfOld => None,
            }
        }

        /// The store of clone `n`, begun at a time of its own.
        fn store(&self, time: u64, n: u128) -> Blob {
            let writer = |random| Writer {
                at: Stamp::new(time, random),
                by: "ann".into(),
                millis: time,
            };
            let (first, second) = (writer(2 * n), writer(2 * n + 1));
            let mut meta = Blob::new(None, &first);
            meta.mark(&first, STORES, &first.at.to_string(), true);
            match self {
                Self::Default => leave_default(&mut meta),
                Self::DefaultOfOld => meta.put(&first, PREFIX, json!("bd")),
                Self::Chosen(prefix) => choose(&mut meta, &second, prefix),
                Self::ChosenByOld(prefix) => meta.put(&first, PREFIX, json!(prefix)),
            }
            meta
        }
    }

    /// States with the states before them, as commits are.
    struct History(Vec<(Blob, BTreeSet<usize>)>);

    impl History {
        /// Merges two states and returns the number of the result.
        fn meet(&mut self, a: usize, b: usize) -> usize {
            let (of_a, of_b) = (&self.0[a].1, &self.0[b].1);
            if of_a.contains(&b) || of_b.contains(&a) {
                return if of_a.contains(&b) { a } else { b };
            }
            let common: Vec<usize> = of_a.intersection(of_b).copied().collect();
            let is_base = |n: &&usize| !common.iter().any(|m| m != *n && self.0[*m].1.contains(n));
            let bases: Vec<&Blob> = common
                .iter()
                .filter(is_base)
                .map(|n| &self.0[*n].0)
                .collect();
            let side = |n: usize| Side {
                blob: &self.0[n].0,
                oid: "",
            };
            let merged = merge(side(a), side(b), &bases);
            let mut before = of_a | of_b;
            before.insert(self.0.len());
            self.0.push((merged, before));
            self.0.len() - 1
        }
    }

    fn begun() -> impl Strategy<Value = Begun> {
        prop_oneof![
            Just(Begun::Default),
            Just(Begun::DefaultOfOld),
            prop_oneof![Just("web"), Just("app"), Just("bd")].prop_map(Begun::Chosen),
            prop_oneof![Just("web"), Just("bd")].prop_map(Begun::ChosenByOld),
        ]
    }

    proptest! {
        #[test]
        fn a_chosen_prefix_is_never_beaten_by_a_default(
            stores in proptest::collection::vec((begun(), 1..4u64), 2..5),
            meetings in proptest::collection::vec((0..4usize, 0..4usize), 0..12),
        ) {
            // Equal values leave nothing in `lost`: a `bd` of an earlier version hides a choice of `bd`.
            let chose_bd = stores.iter().any(|(begun, _)| matches!(begun, Begun::Chosen("bd")));
            let old_bd = stores.iter().any(|(begun, _)| {
                matches!(begun, Begun::DefaultOfOld | Begun::ChosenByOld("bd"))
            });
            prop_assume!(!(chose_bd && old_bd));
            let made = stores.iter().enumerate();
            let made = made.map(|(n, (begun, time))| (begun.store(*time, n as u128), BTreeSet::from([n])));
            let mut history = History(made.collect());
            let latest = stores.iter().enumerate()
                .filter_map(|(n, (begun, time))| Some(((*time, n), begun.chosen()?)))
                .max();
            let expected = latest.map_or("bd", |(_, prefix)| prefix);
            let n = stores.len();
            let mut tips: Vec<usize> = (0..n).collect();
            // Any meetings, then everybody with everybody.
            let all = (0..n).chain(0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
            for (a, b) in meetings.into_iter().map(|(a, b)| (a % n, b % n)).chain(all) {
                let met = history.meet(tips[a], tips[b]);
                (tips[a], tips[b]) = (met, met);
            }
            for tip in tips {
                prop_assert_eq!(of(&history.0[tip].0), expected);
            }
        }
    }
}
