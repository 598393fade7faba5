//! Differences between two states of one blob, the basis of `log -p`, `blame`, `diff` and `undo`.

use std::collections::{BTreeMap, BTreeSet};

use super::blob::{Blob, Element, Lost, Origin, Register};
use super::stamp::Stamp;

/// One difference; a side without the value has none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit<'a> {
    /// The creation changed: an import has an earlier one.
    Origin { old: &'a Origin, new: &'a Origin },
    /// A register was written or removed.
    Register {
        key: &'a str,
        old: Option<&'a Register>,
        new: Option<&'a Register>,
    },
    /// A member of a set was added, removed, or added again.
    Element {
        /// The set, without the `set:`.
        set: &'a str,
        key: &'a str,
        old: Option<&'a Element>,
        new: Option<&'a Element>,
    },
    /// A lost value was kept, or settled.
    Lost {
        key: &'a str,
        old: Option<&'a Lost>,
        new: Option<&'a Lost>,
    },
    /// All contents were purged.
    Purged,
}

impl Edit<'_> {
    /// Returns whether the value changed: an equal value that was written again did not.
    pub(crate) fn is_seen(&self) -> bool {
        let null = serde_json::Value::Null;
        match self {
            Self::Register { old, new, .. } => {
                old.map_or(&null, |register| &register.value)
                    != new.map_or(&null, |register| &register.value)
            }
            Self::Element { old, new, .. } => {
                old.is_some_and(|element| element.live) != new.is_some_and(|element| element.live)
            }
            Self::Origin { .. } => false,
            Self::Lost { .. } | Self::Purged => true,
        }
    }

    /// Returns the stamp of the value after the edit.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        match self {
            Self::Register { new, .. } => new.map(|register| register.at),
            Self::Element { new, .. } => new.map(|element| element.at),
            Self::Origin { .. } | Self::Lost { .. } | Self::Purged => None,
        }
    }

    /// Returns whether two edits are of the same register, member or lost value.
    fn is_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Register { key: a, .. }, Self::Register { key: b, .. })
            | (Self::Lost { key: a, .. }, Self::Lost { key: b, .. }) => a == b,
            (
                Self::Element { set, key, .. },
                Self::Element {
                    set: other_set,
                    key: other_key,
                    ..
                },
            ) => set == other_set && key == other_key,
            // Origin and purge: a blob has one of each.
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }
}

/// Returns the differences between two states of a blob, by kind and name.
pub(crate) fn edits<'a>(old: &'a Blob, new: &'a Blob) -> Vec<Edit<'a>> {
    // Nothing is left to be compared, value by value.
    if new.purged.is_some() {
        return if old.purged == new.purged {
            Vec::new()
        } else {
            vec![Edit::Purged]
        };
    }
    let mut edits = Vec::new();
    if old.origin != new.origin {
        edits.push(Edit::Origin {
            old: &old.origin,
            new: &new.origin,
        });
    }
    edits.extend(
        each(Some(&old.registers), Some(&new.registers)).map(|(key, old, new)| Edit::Register {
            key,
            old,
            new,
        }),
    );
    let sets: BTreeSet<&String> = old.sets.keys().chain(new.sets.keys()).collect();
    for set in sets {
        let members = each(old.sets.get(set), new.sets.get(set));
        edits.extend(members.map(|(key, old, new)| Edit::Element { set, key, old, new }));
    }
    edits.extend(
        each(Some(&old.lost), Some(&new.lost)).map(|(key, old, new)| Edit::Lost { key, old, new }),
    );
    edits
}

/// Returns the edits that a commit itself made in a blob: the differences to all of its parents.
/// Without a parent that is all of the blob.
pub(crate) fn own_edits<'a>(
    parents: &'a [Blob],
    new: &'a Blob,
    nothing: &'a Blob,
) -> Vec<Edit<'a>> {
    let (first, others) = parents.split_first().unwrap_or((nothing, &[]));
    let mut own = edits(first, new);
    for parent in others {
        // What equals one parent the merge has only taken over from it.
        let also = edits(parent, new);
        own.retain(|edit| also.iter().any(|other| other.is_of(edit)));
    }
    own
}

/// Returns the keys of two maps whose values differ, with both values.
fn each<'a, V: PartialEq>(
    old: Option<&'a BTreeMap<String, V>>,
    new: Option<&'a BTreeMap<String, V>>,
) -> impl Iterator<Item = (&'a str, Option<&'a V>, Option<&'a V>)> {
    let keys: BTreeSet<&String> = old
        .into_iter()
        .chain(new)
        .flat_map(BTreeMap::keys)
        .collect();
    let both = keys.into_iter().map(move |key| {
        (
            key.as_str(),
            old.and_then(|map| map.get(key)),
            new.and_then(|map| map.get(key)),
        )
    });
    both.filter(|(_, old, new)| old != new)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::join::tests::blob;

    fn put<V: Clone>(map: &mut BTreeMap<String, V>, key: &str, value: Option<&V>) {
        match value {
            Some(value) => _ = map.insert(key.to_owned(), value.clone()),
            None => _ = map.remove(key),
        }
    }

    fn applied(old: &Blob, edits: &[Edit<'_>]) -> Blob {
        let mut blob = old.clone();
        for edit in edits {
            match *edit {
                Edit::Register { key, new, .. } => put(&mut blob.registers, key, new),
                Edit::Element { set, key, new, .. } => {
                    put(blob.sets.entry(set.to_owned()).or_default(), key, new);
                }
                Edit::Lost { key, new, .. } => put(&mut blob.lost, key, new),
                Edit::Origin { new, .. } => blob.origin = new.clone(),
                Edit::Purged => {}
            }
        }
        blob.sets.retain(|_, set| !set.is_empty());
        blob
    }

    proptest! {
        #[test]
        fn edits_lead_from_one_state_to_the_other(old in blob(), mut new in blob()) {
            new.sets.retain(|_, set| !set.is_empty());
            let edits = edits(&old, &new);
            if new.purged.is_some() {
                prop_assert_eq!(edits.is_empty(), old.purged == new.purged);
                return Ok(());
            }
            let result = applied(&old, &edits);
            prop_assert_eq!(&result.registers, &new.registers);
            prop_assert_eq!(&result.sets, &new.sets);
            prop_assert_eq!(&result.lost, &new.lost);
            prop_assert_eq!(&result.origin, &new.origin);
        }

        #[test]
        fn nothing_differs_from_itself(blob in blob()) {
            prop_assert!(edits(&blob, &blob).is_empty());
            let none_before = |edit: &Edit<'_>| match edit {
                Edit::Register { old, new, .. } => old.is_none() && new.is_some(),
                Edit::Element { old, new, .. } => old.is_none() && new.is_some(),
                Edit::Origin { .. } | Edit::Lost { .. } | Edit::Purged => true,
            };
            prop_assert!(edits(&Blob::default(), &blob).iter().all(none_before));
        }

        #[test]
        fn a_merge_writes_nothing_that_a_parent_has(a in blob(), b in blob()) {
            prop_assume!(a.purged.is_none() && b.purged.is_none());
            let (joined, nothing) = (crate::model::join::join(&a, &b), Blob::default());
            let parents = [a.clone(), b];
            for edit in own_edits(&parents, &joined, &nothing) {
                prop_assert!(matches!(edit, Edit::Lost { .. }), "{edit:?}");
            }
            prop_assert_eq!(own_edits(&parents[..1], &joined, &nothing), edits(&a, &joined));
        }

        #[test]
        fn back_is_the_mirror_of_forth(old in blob(), new in blob()) {
            prop_assume!(old.purged.is_none() && new.purged.is_none());
            let forth = edits(&old, &new);
            let back = edits(&new, &old);
            prop_assert_eq!(forth.len(), back.len());
            for (there, here) in forth.iter().zip(&back) {
                prop_assert_eq!(there.is_seen(), here.is_seen());
            }
        }
    }
}
