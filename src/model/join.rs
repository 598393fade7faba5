//! The join of two blobs: part of format 1, which never changes.
//!
//! Values resolve by their stamps alone, so a join needs no base; it is commutative, associative
//! and idempotent (property tests in `join/tests`). [`merge`] also looks at the merge bases: a losing value
//! that no base holds was written concurrently with the winner, and is kept in `lost`.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::Value;

use super::blob::{Blob, Element, Lost, Register};
use super::canonical_json;

/// Register that a newer import replaces as a whole; never a conflict.
const NEVER_LOST: &str = "import";

/// A blob and the object id of its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    pub blob: &'a Blob,
    pub oid: &'a str,
}

/// Compares writes of one register: stamp, canonical value, actor, clock.
pub(crate) fn rank(a: &Register, b: &Register) -> Ordering {
    let canonical =
        || canonical_json::canonical(&a.value).cmp(&canonical_json::canonical(&b.value));
    // Equal stamps are rare, and possible: all clones must choose the same side even then.
    a.at.cmp(&b.at)
        .then_with(canonical)
        .then_with(|| a.by.cmp(&b.by))
        .then_with(|| a.when.cmp(&b.when))
}

/// Joins two states of the same blob.
pub fn join(a: &Blob, b: &Blob) -> Blob {
    let (v, min_reader) = (a.v.max(b.v), a.min_reader.max(b.min_reader));
    let (epoch, uid) = (a.epoch.max(b.epoch), a.uid.max(b.uid));
    // A purge absorbs: nothing of the other side may come back, even if its stamps are newer.
    if a.purged.is_some() || b.purged.is_some() {
        return Blob {
            v,
            min_reader,
            epoch,
            uid,
            ..larger_marker(a, b).clone()
        };
    }
    Blob {
        v,
        min_reader,
        epoch,
        uid,
        purged: None,
        // The maximum, since a join must not depend on the order of its sides.
        origin: a.origin.clone().max(b.origin.clone()),
        registers: union(&a.registers, &b.registers, |x, y| pick(x, y, rank(x, y))),
        sets: union(&a.sets, &b.sets, |x, y| {
            union(x, y, |x, y| pick(x, y, rank_elements(x, y)))
        }),
        lost: union(&a.lost, &b.lost, |x, y| Lost::join(x.clone(), y.clone())),
    }
}

/// Joins two states and keeps every value that lost without its winner having seen it.
///
/// A loser that one of the `bases` holds exactly was overwritten knowingly; any other goes to
/// `lost`.
pub fn merge(a: Side<'_>, b: Side<'_>, bases: &[impl Borrow<Blob>]) -> Blob {
    let mut joined = join(a.blob, b.blob);
    if joined.purged.is_some() {
        return joined;
    }
    for (key, ours) in &a.blob.registers {
        let Some(theirs) = b.blob.registers.get(key) else {
            continue;
        };
        // Equal values written twice lose nothing.
        if same_meaning(key, &ours.value, &theirs.value) || key == NEVER_LOST {
            continue;
        }
        // The side is kept with its value: a long one is stored as the id of the blob that held it.
        let (loser, side) = if rank(ours, theirs).is_lt() {
            (ours, a)
        } else {
            (theirs, b)
        };
        if !bases
            .iter()
            .any(|base| base.borrow().registers.get(key) == Some(loser))
        {
            joined.lose(key, loser, side.oid);
        }
    }
    joined
}

/// Joins an imported record with the local state.
///
/// Labels and edges of the import before it that the record no longer has are removed. A local
/// value that the record beats goes to `lost`; an older record beats nothing, and none of its
/// values goes to `lost`.
pub fn import(local: Side<'_>, record: &Blob) -> Blob {
    let before = local
        .blob
        .registers
        .get(NEVER_LOST)
        .map(|register| register.at);
    let mut record = record.clone();
    // Before the join: the record must name removals itself, since a join only adds.
    withdraw(local.blob, &mut record, before);
    complete(local.blob, &mut record, before);
    let mut joined = join(local.blob, &record);
    for (key, ours) in &local.blob.registers {
        let Some(theirs) = record.registers.get(key) else {
            continue;
        };
        // A value with the stamp of the import before was not edited here, so nothing is lost with
        // it.
        let beaten = !same_meaning(key, &ours.value, &theirs.value) && rank(ours, theirs).is_lt();
        if beaten && key != NEVER_LOST && Some(ours.at) != before && joined.purged.is_none() {
            joined.lose(key, ours, local.oid);
        }
    }
    joined
}

/// Returns whether two states show the same: equal values, the same members, and the same of what an import
/// keeps aside, but for the times of the record.
pub(crate) fn is_same_shown(a: &Blob, b: &Blob) -> bool {
    let keys = || a.registers.keys().chain(b.registers.keys());
    let sets = || a.sets.keys().chain(b.sets.keys());
    let members = |blob: &Blob, set: &str| -> Vec<String> {
        blob.live(set).map(|(key, _)| key.to_owned()).collect()
    };
    keys()
        .filter(|key| *key != NEVER_LOST)
        .all(|key| same_meaning(key, a.value(key), b.value(key)))
        && sets().all(|set| members(a, set) == members(b, set))
        && kept_aside(a) == kept_aside(b)
}

/// Returns what an import keeps aside that no register holds.
fn kept_aside(blob: &Blob) -> serde_json::Map<String, Value> {
    let kept = blob.value(NEVER_LOST).as_object().cloned();
    let mut kept = kept.unwrap_or_default();
    // Comments are entries of their own, and what begins with one `$` is about the others.
    kept.retain(|key, _| {
        let is_mark = key.starts_with('$') && !key.starts_with("$$");
        !is_mark && !key.ends_with("_at") && key != "comments"
    });
    kept
}

/// Returns whether two values mean the same: of a parent only its target counts, not its data from
/// an import.
fn same_meaning(key: &str, a: &Value, b: &Value) -> bool {
    let target = |value: &Value| value.get("to").cloned().unwrap_or_else(|| value.clone());
    a == b || (key == "parent" && target(a) == target(b))
}

/// Fills in the parts of a status that a file can't hold: the reason of an open issue, the mark of
/// an automatic close; of a deleted issue, the status that it had.
fn complete(local: &Blob, record: &mut Blob, before: Option<super::stamp::Stamp>) {
    let ours = local.value("status").clone();
    if !record.value("deleted").is_null() {
        let edited = |status: &Register| Some(status.at) != before;
        // Without its register the record writes no status, and the time of that here stays.
        if local.registers.get("status").is_some_and(edited) {
            record.registers.remove("status");
            return;
        }
    }
    if let Some(theirs) = record.registers.get_mut("status") {
        let says_less =
            theirs.value["reason"].is_null() || theirs.value["reason"] == ours["reason"];
        if theirs.value["s"] == ours["s"] && says_less {
            theirs.value = ours;
        }
    }
}

/// Marks as removed the members that the import at `before` had and a newer record lacks.
fn withdraw(local: &Blob, record: &mut Blob, before: Option<super::stamp::Stamp>) {
    let at = record.origin.at;
    // An older record removes nothing: what it lacks may have been added since.
    let Some(before) = before.filter(|before| *before < at) else {
        return;
    };
    for (name, elements) in &local.sets {
        let ours = record.sets.entry(name.clone()).or_default();
        // Members with another stamp are not of that import, so the record says nothing of them.
        for (key, _) in elements
            .iter()
            .filter(|(_, element)| element.live && element.at == before)
        {
            ours.entry(key.clone()).or_insert(Element {
                live: false,
                at,
                payload: serde_json::Map::new(),
            });
        }
        // An empty set would change the bytes, and nothing else.
        if ours.is_empty() {
            record.sets.remove(name);
        }
    }
}

fn larger_marker<'a>(a: &'a Blob, b: &'a Blob) -> &'a Blob {
    let rank = |blob: &Blob| {
        (
            blob.purged,
            canonical_json::canonical(blob.value("id")),
            blob.registers.contains_key("id"),
        )
    };
    if rank(a) >= rank(b) { a } else { b }
}

fn rank_elements(a: &Element, b: &Element) -> Ordering {
    // The stamp nearly always decides, and the whole rank renders the element.
    a.at.cmp(&b.at).then_with(|| a.rank().cmp(&b.rank()))
}

fn pick<T: Clone>(a: &T, b: &T, order: Ordering) -> T {
    if order.is_ge() { a.clone() } else { b.clone() }
}

/// Returns the keys of both maps; `both` joins values only where they differ, since a join is
/// idempotent.
fn union<V: Clone + PartialEq>(
    a: &BTreeMap<String, V>,
    b: &BTreeMap<String, V>,
    both: impl Fn(&V, &V) -> V,
) -> BTreeMap<String, V> {
    let mut out = a.clone();
    for (key, theirs) in b {
        match out.get_mut(key) {
            None => _ = out.insert(key.clone(), theirs.clone()),
            Some(ours) if ours == theirs => {}
            Some(ours) => *ours = both(ours, theirs),
        }
    }
    out
}

#[cfg(test)]
pub(super) mod tests;
