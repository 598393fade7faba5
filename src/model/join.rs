//! The join of two blobs: part of format 1, never changes.
//!
//! Values resolve by their stamps alone, so a join needs no base; it is commutative, associative and
//! idempotent (property tests below). [`merge`] adds what the merge bases tell: a losing value that no
//! base holds was written at the same time as the winner, and is kept in `lost`.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::Value;

use super::blob::{Blob, Element, Lost, Register};
use super::canonical_json;

/// Register that a newer import replaces whole; never a conflict.
const NEVER_LOST: &str = "import";

/// A blob and the object id of its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The decoded blob.
    pub blob: &'a Blob,
    /// Hexadecimal object id.
    pub oid: &'a str,
}

/// The order of writes of one register: stamp, canonical value, actor, clock.
pub fn rank(a: &Register, b: &Register) -> Ordering {
    let canonical =
        || canonical_json::canonical(&a.value).cmp(&canonical_json::canonical(&b.value));
    a.at.cmp(&b.at)
        .then_with(canonical)
        .then_with(|| a.by.cmp(&b.by))
        .then_with(|| a.when.cmp(&b.when))
}

/// Joins two states of the same blob.
pub fn join(a: &Blob, b: &Blob) -> Blob {
    let (v, min_reader) = (a.v.max(b.v), a.min_reader.max(b.min_reader));
    let (epoch, uid) = (a.epoch.max(b.epoch), a.uid.max(b.uid));
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
        origin: a.origin.clone().max(b.origin.clone()),
        registers: union(&a.registers, &b.registers, |x, y| pick(x, y, rank(x, y))),
        sets: union(&a.sets, &b.sets, |x, y| {
            union(x, y, |x, y| pick(x, y, rank_elements(x, y)))
        }),
        lost: union(&a.lost, &b.lost, |x, y| Lost::join(x.clone(), y.clone())),
    }
}

/// Joins two states and keeps every value that lost without having been seen by the winner.
///
/// A loser that one of the `bases` holds exactly was knowingly overwritten; any other goes to `lost`.
pub fn merge(a: Side<'_>, b: Side<'_>, bases: &[impl Borrow<Blob>]) -> Blob {
    let mut joined = join(a.blob, b.blob);
    if joined.purged.is_some() {
        return joined;
    }
    for (key, ours) in &a.blob.registers {
        let Some(theirs) = b.blob.registers.get(key) else {
            continue;
        };
        if same_meaning(key, &ours.value, &theirs.value) || key == NEVER_LOST {
            continue;
        }
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

/// Joins an imported record onto what is here.
///
/// Labels and edges of the import before it that the record no longer has are removed. A local value
/// that the record beats goes to `lost`; an older record beats nothing, and nothing of it is kept as lost.
pub fn import(local: Side<'_>, record: &Blob) -> Blob {
    let before = local
        .blob
        .registers
        .get(NEVER_LOST)
        .map(|register| register.at);
    let mut record = record.clone();
    withdraw(local.blob, &mut record, before);
    complete(local.blob, &mut record);
    let mut joined = join(local.blob, &record);
    for (key, ours) in &local.blob.registers {
        let Some(theirs) = record.registers.get(key) else {
            continue;
        };
        let beaten = !same_meaning(key, &ours.value, &theirs.value) && rank(ours, theirs).is_lt();
        if beaten && key != NEVER_LOST && Some(ours.at) != before && joined.purged.is_none() {
            joined.lose(key, ours, local.oid);
        }
    }
    joined
}

/// Whether two values say the same: a parent is its target, whatever an import knows of the edge.
fn same_meaning(key: &str, a: &Value, b: &Value) -> bool {
    let target = |value: &Value| value.get("to").cloned().unwrap_or_else(|| value.clone());
    a == b || (key == "parent" && target(a) == target(b))
}

/// Fills in what a file can't say of a status: why an open issue is open, that a close was automatic.
fn complete(local: &Blob, record: &mut Blob) {
    let ours = local.value("status").clone();
    if let Some(theirs) = record.registers.get_mut("status") {
        let says_less =
            theirs.value["reason"].is_null() || theirs.value["reason"] == ours["reason"];
        if theirs.value["s"] == ours["s"] && says_less {
            theirs.value = ours;
        }
    }
}

/// Marks as removed what the import at `before` brought and a newer record lacks.
fn withdraw(local: &Blob, record: &mut Blob, before: Option<super::stamp::Stamp>) {
    let at = record.origin.at;
    let Some(before) = before.filter(|before| *before < at) else {
        return;
    };
    for (name, elements) in &local.sets {
        let ours = record.sets.entry(name.clone()).or_default();
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
    a.at.cmp(&b.at).then_with(|| a.rank().cmp(&b.rank()))
}

fn pick<T: Clone>(a: &T, b: &T, order: Ordering) -> T {
    if order.is_ge() { a.clone() } else { b.clone() }
}

/// The keys of both; `both` is asked only where they differ, since every join of one with itself is that one.
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
