//! Undoing a write: the values that it changed in a blob become those of before.
//!
//! A register that is restored keeps its author and its time and gets a new stamp, so an undo is a
//! write like any other, but old author and time are shown and exported. A restored value is
//! recognised by these, so operations can be undone one after the other. A lost value is recognised
//! by the stamp of the losing write, however often it was settled and opened again.

use serde_json::{Map, Value, json};

use super::blob::{
    ALIASES, Blob, Element, Loser, Lost, Origin, Register, UNDONE, Writer, is_settled_by_writes,
};
use super::delta::{Edit, edits};
use super::stamp::Stamp;
use super::time;

/// The register of imported data that has no other register.
const IMPORT: &str = "import";
/// The register of the largest number that a child ever had, which is never used again.
const NUMBERS: &str = "last_child";
/// Time of a member's addition, where its stamp is not that time.
const CREATED: &str = "created_at";

/// Result of undoing one edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// The old value is restored.
    Back,
    /// It was written again since, and stays.
    Overwritten,
    /// It must not be undone, for this reason.
    Refused(String),
}

/// Undoes in the present state the edits from `before` to `after`: those whose values are still
/// current, or with `force` all of them. `refuse` gives the reason why an edit must not be undone.
pub(crate) fn take_back<'a>(
    now: &mut Blob,
    (before, after): (&'a Blob, &'a Blob),
    writer: &Writer,
    force: bool,
    mut refuse: impl FnMut(&Edit<'a>) -> Option<String>,
) -> Vec<(Edit<'a>, Fate)> {
    let imported = import_stamp(before);
    let mut fates = Vec::new();
    let with_currency = |edit: Edit<'a>| (is_current(now, after, &edit), edit);
    let is_of_value = |edit: &Edit<'a>| !is_permanent(edit);
    let found: Vec<(bool, Edit<'a>)> = edits(before, after)
        .into_iter()
        .filter(is_of_value)
        // All edits are judged before any is undone: restoring one changes what the others find.
        .map(with_currency)
        .collect();
    for (is_current, edit) in found {
        // Nothing to report: the value is that of before the edit anyway.
        if !is_current && (!edit.is_seen() || is_back(now, &edit)) {
            continue;
        }
        let fate = match refuse(&edit) {
            _ if !is_current && !force => Fate::Overwritten,
            Some(reason) => Fate::Refused(reason),
            None => {
                put_back(now, &edit, imported, writer);
                Fate::Back
            }
        };
        fates.push((edit, fate));
    }
    fates
}

/// Returns whether an edit is never undone: the number of a child stays used, and a former id still
/// names its issue.
fn is_permanent(edit: &Edit<'_>) -> bool {
    matches!(
        edit,
        Edit::Register { key: NUMBERS, .. } | Edit::Element { set: ALIASES, .. }
    )
}

/// Records the operation that a writer has undone, also if it was undone before.
pub(crate) fn sign(now: &mut Blob, writer: &Writer, operation: &str) {
    let mark = Element {
        live: true,
        at: writer.at,
        payload: Map::new(),
    };
    now.sets
        .entry(UNDONE.to_owned())
        .or_default()
        .insert(operation.to_owned(), mark);
}

/// Returns whether any visible value was written since a state.
pub(crate) fn is_changed_since(now: &Blob, then: &Blob) -> bool {
    edits(then, now).iter().any(|edit| match edit {
        edit if is_permanent(edit) => false,
        Edit::Lost { .. } => false,
        Edit::Register {
            old: Some(old),
            new: Some(new),
            ..
        } => !is_same_write(new, old),
        Edit::Element { set, .. } if *set == UNDONE => false,
        Edit::Element {
            old: Some(old),
            new: Some(new),
            ..
        } => !is_same_member(new, old, import_stamp(then)),
        edit => edit.is_seen(),
    })
}

fn import_stamp(blob: &Blob) -> Option<Stamp> {
    blob.registers.get(IMPORT).map(|register| register.at)
}

/// Returns whether the value that an edit wrote is still current.
fn is_current(now: &Blob, after: &Blob, edit: &Edit<'_>) -> bool {
    match edit {
        Edit::Register {
            key,
            new: Some(new),
            ..
        } => now
            .registers
            .get(*key)
            .is_some_and(|register| is_same_write(register, new)),
        Edit::Element {
            set,
            key,
            new: Some(new),
            ..
        } => {
            let member = now.sets.get(*set).and_then(|set| set.get(*key));
            *set != UNDONE
                && member.is_some_and(|member| is_same_member(member, new, import_stamp(after)))
        }
        Edit::Origin { new, .. } => is_same_origin(&now.origin, new),
        Edit::Lost { key, old, new } => match (loser(key, *old), loser(key, *new)) {
            // The edit kept a lost value: undone by now if it is settled.
            (None, Some((field, at, _))) => now.is_open(field, at),
            // The edit settled it. A write since would have done so too, so then it is no longer the edit.
            (Some((field, at, _)), None) => {
                !now.is_open(field, at) && !is_settled_since(now, after, field)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether the present value is that of before the edit, for any reason.
fn is_back(now: &Blob, edit: &Edit<'_>) -> bool {
    match edit {
        Edit::Register { key, old, .. } => {
            let old = old.map_or(&Value::Null, |register| &register.value);
            now.value(key) == old
        }
        Edit::Element { set, key, old, .. } => {
            let member = now.sets.get(*set).and_then(|set| set.get(*key));
            *set == UNDONE
                || member.is_some_and(|member| member.live) == old.is_some_and(|member| member.live)
        }
        Edit::Lost { key, old, .. } => {
            loser(key, *old).is_none_or(|(field, at, _)| now.is_open(field, at))
        }
        Edit::Origin { .. } | Edit::Purged => true,
    }
}

/// Returns the value that a record keeps as lost; none where it is settled.
fn loser<'a>(key: &'a str, lost: Option<&'a Lost>) -> Option<Loser<'a>> {
    lost.and_then(|lost| lost.loser(key))
}

/// Returns whether a register was written since, which settles its lost values.
fn is_settled_since(now: &Blob, after: &Blob, field: &str) -> bool {
    let is_restored = match (now.registers.get(field), after.registers.get(field)) {
        (Some(now), Some(then)) => is_same_write(now, then),
        // A register that was added and undone is null.
        _ => now.value(field).is_null(),
    };
    is_settled_by_writes(field) && !is_restored
}

fn is_same_origin(now: &Origin, then: &Origin) -> bool {
    let is_restored = || {
        now.by == then.by
            && time::clock(now.when.as_deref(), now.at)
                == time::clock(then.when.as_deref(), then.at)
    };
    now.at == then.at || (now.when.is_some() && is_restored())
}

/// Returns whether a register holds a write, also if an undo has restored it.
fn is_same_write(now: &Register, then: &Register) -> bool {
    // An undo always writes `when`: a register without it is no restored one.
    let is_restored =
        || now.value == then.value && now.by == then.by && now.written() == then.written();
    now.at == then.at || (now.when.is_some() && is_restored())
}

fn is_same_member(now: &Element, then: &Element, imported: Option<Stamp>) -> bool {
    // For a removed member its data does not count: `put_back` leaves none.
    let is_restored =
        || now.live == then.live && (!now.live || now.payload == dated(then, imported));
    now.at == then.at || is_restored()
}

/// Returns the data of a member with the time of its addition; null where its export has none.
fn dated(member: &Element, imported: Option<Stamp>) -> Map<String, Value> {
    let mut payload = member.payload.clone();
    let time = if imported == Some(member.at) {
        Value::Null
    } else {
        json!(time::format(member.at.millis()))
    };
    payload.entry(CREATED).or_insert(time);
    payload
}

/// Returns a new stamp right after the import that is undone: values with the stamp of `import`
/// count as imported, and the next import would overwrite them without keeping them as lost.
fn after_import(now: &Blob) -> Stamp {
    Stamp::after(import_stamp(now).unwrap_or_default(), 0, 0)
}

fn put_back(now: &mut Blob, edit: &Edit<'_>, imported: Option<Stamp>, writer: &Writer) {
    match *edit {
        Edit::Register {
            key,
            old: Some(old),
            ..
        } => {
            // Always written, even where it is the time of the stamp: by it a restored register is recognised.
            let when = Some(time::format(old.written()));
            let at = if key == IMPORT {
                after_import(now)
            } else {
                writer.at
            };
            now.registers.insert(
                key.to_owned(),
                Register {
                    at,
                    when,
                    ..old.clone()
                },
            );
        }
        // Null, not removed: the next join would bring it back from any other clone.
        Edit::Register { key, old: None, .. } => now.put(writer, key, Value::Null),
        Edit::Element { set, key, old, .. } => {
            let live = old.filter(|member| member.live);
            let payload = live
                .map(|member| dated(member, imported))
                .unwrap_or_default();
            // A mark here as well, for the same reason.
            let member = Element {
                live: live.is_some(),
                at: writer.at,
                payload,
            };
            now.sets
                .entry(set.to_owned())
                .or_default()
                .insert(key.to_owned(), member);
        }
        Edit::Origin { old, .. } => {
            let when = Some(time::format(time::clock(old.when.as_deref(), old.at)));
            now.origin = Origin {
                at: writer.at,
                by: old.by.clone(),
                when,
            };
        }
        Edit::Lost { key, old, new } => match (loser(key, old), loser(key, new)) {
            (None, Some((field, at, _))) => now.settle_one(field, at, writer.at),
            (Some((field, at, record)), None) => now.reopen(writer, field, at, record),
            _ => {}
        },
        Edit::Purged => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::model::join::join;
    use crate::model::join::tests::blob;

    fn writer(millis: u64) -> Writer {
        Writer {
            at: Stamp::new(millis, 1),
            by: "undoer".into(),
            millis,
        }
    }

    /// What people see: values, authors and times; members that are there; what lost and is not settled.
    fn seen(blob: &Blob) -> impl PartialEq + std::fmt::Debug + use<> {
        let registers = blob
            .registers
            .iter()
            .filter(|(_, register)| !register.value.is_null());
        let registers: Vec<_> = registers
            .map(|(key, it)| (key.clone(), it.value.clone(), it.by.clone(), it.written()))
            .collect();
        let members: Vec<_> = blob
            .sets
            .iter()
            .flat_map(|(set, all)| all.iter().map(move |it| (set.clone(), it)))
            .collect();
        let live = members.into_iter().filter(|(_, (_, member))| member.live);
        let origin = (
            blob.origin.by.clone(),
            time::clock(blob.origin.when.as_deref(), blob.origin.at),
        );
        let live: Vec<_> = live.map(|(set, (key, _))| (set, key.clone())).collect();
        let open: Vec<_> = blob
            .unsettled()
            .map(|(key, at, it)| (key.to_owned(), at, it.get("v").cloned()))
            .collect();
        (origin, registers, live, open)
    }

    /// What an operation leaves: its stamps are others than what it found, nothing ever disappears, and what has lost
    /// says what it said.
    fn operated(before: &Blob, after: &Blob) -> Blob {
        let mut after = join(before, after);
        for (key, lost) in &mut after.lost {
            if let (Some(old @ Lost::Record(_)), Lost::Record(_)) = (before.lost.get(key), &lost) {
                lost.clone_from(old);
            }
        }
        after
    }

    fn undo(now: &mut Blob, before: &Blob, after: &Blob, millis: u64) -> usize {
        let fates = take_back(now, (before, after), &writer(millis), false, |_| None);
        fates.iter().filter(|(_, fate)| *fate != Fate::Back).count()
    }

    proptest! {
        #[test]
        fn an_undo_brings_back_what_was_seen(before in blob(), after in blob()) {
            prop_assume!(before.purged.is_none() && after.purged.is_none());
            let after = operated(&before, &after);
            let mut now = after.clone();
            let left = undo(&mut now, &before, &after, 9000);
            prop_assert_eq!(left, 0);
            prop_assert_eq!(seen(&now), seen(&before));
            let undone = now.clone();
            prop_assert_eq!(undo(&mut now, &after, &undone, 99_000), 0);
            prop_assert_eq!(seen(&now), seen(&after));
            // And the first operation can be undone again.
            prop_assert_eq!(undo(&mut now, &before, &after, 999_000), 0);
            prop_assert_eq!(seen(&now), seen(&before));
        }

        #[test]
        fn two_undos_lead_two_steps_back(a in blob(), b in blob(), c in blob()) {
            prop_assume!(a.purged.is_none() && b.purged.is_none() && c.purged.is_none());
            let (b, c) = (operated(&a, &b), operated(&operated(&a, &b), &c));
            let mut now = c.clone();
            prop_assert_eq!(undo(&mut now, &b, &c, 9000), 0);
            prop_assert_eq!(undo(&mut now, &a, &b, 99_000), 0);
            prop_assert_eq!(seen(&now), seen(&a));
        }

        #[test]
        fn what_was_written_since_stays(before in blob(), after in blob(), key in "(title|design)") {
            prop_assume!(before.purged.is_none() && after.purged.is_none());
            let after = operated(&before, &after);
            let mut now = after.clone();
            now.put(&writer(5000), &key, json!("newer"));
            let fates = take_back(&mut now, (&before, &after), &writer(9000), false, |_| None);
            prop_assert_eq!(now.text(&key), Some("newer"));
            let touched = edits(&before, &after).iter().any(|edit| edit.is_seen() && matches!(edit, Edit::Register { key: k, .. } if *k == key));
            let told = fates.iter().any(|(edit, fate)| !matches!(edit, Edit::Lost { .. }) && *fate == Fate::Overwritten);
            prop_assert_eq!(touched, told);
            let mut forced = now.clone();
            take_back(&mut forced, (&before, &after), &writer(9000), true, |_| None);
            if touched {
                prop_assert_eq!(forced.value(&key), before.value(&key));
            }
        }
    }

    fn settled(blob: &Blob, millis: u64) -> Blob {
        let mut blob = blob.clone();
        let seen = |lost: &mut Lost| {
            _ = matches!(lost, Lost::Record(_)).then(|| *lost = Lost::Settled(writer(millis).at));
        };
        blob.lost.values_mut().for_each(seen);
        blob
    }

    proptest! {
        #[test]
        fn what_clones_open_again_is_open_in_all_until_it_is_settled(a in blob(), b in blob()) {
            prop_assume!(a.purged.is_none() && b.purged.is_none());
            let b = operated(&a, &b);
            let c = settled(&b, 7000);
            let (mut here, mut there) = (c.clone(), c.clone());
            undo(&mut here, &a, &b, 9000);
            undo(&mut there, &b, &c, 9100);
            let both = join(&here, &there);
            let open = |blob: &Blob| blob.unsettled().map(|(key, at, _)| (key.to_owned(), at)).collect::<BTreeSet<_>>();
            prop_assert_eq!(open(&both), &open(&here) | &open(&there));
            for old in [&a, &b, &c, &here, &there] {
                prop_assert_eq!(open(&join(&settled(&both, 9900), old)), BTreeSet::new());
            }
        }
    }

    #[test]
    fn two_values_of_a_register_opened_in_two_clones_are_both_kept() {
        let mut a = Blob::new(None, &writer(1));
        for millis in [2, 3] {
            let register = Register {
                value: json!(millis),
                at: writer(millis).at,
                by: "x".into(),
                when: None,
            };
            a.lose("title", &register, "");
        }
        let mut b = a.clone();
        b.settle_one("title", writer(2).at, writer(5).at);
        let c = settled(&b, 6);
        let (mut here, mut there) = (c.clone(), c.clone());
        undo(&mut here, &a, &b, 9000);
        undo(&mut there, &b, &c, 9100);
        assert_eq!(join(&here, &there).unsettled().count(), 2);
    }

    #[test]
    fn a_refused_edit_stays() {
        let mut after = Blob::new(None, &writer(1));
        let before = after.clone();
        after.put(&writer(2), "id", json!("x"));
        let mut now = after.clone();
        let fates = take_back(&mut now, (&before, &after), &writer(3), true, |_| {
            Some("taken".into())
        });
        assert_eq!(fates[0].1, Fate::Refused("taken".into()));
        assert_eq!(now, after);
    }
}
