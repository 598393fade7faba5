//! Format 1 of one blob: registers with stamps, sets of elements, lost values.
//!
//! Every top-level key is a last-writer-wins register, keys that begin with `set:` merge per
//! element. A reader therefore keeps and merges fields it does not know. `docs/format.md` is the
//! specification; [`Blob::parse`] and [`Blob::to_bytes`] are its only implementation.

mod codec;
mod validate;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

pub(crate) use self::codec::BlobError;
use super::canonical_json;
use super::field::Field;
use super::stamp::{Stamp, Uid};

/// The set of the former ids of an issue, by which it is still found.
pub(crate) const ALIASES: &str = "aliases";
/// The set of the places of an issue in other trackers, each with what was said there last.
pub(crate) const SOURCE: &str = "source";
/// The set of the operations that were undone in an issue: its newest stamp is that of the last
/// undo.
pub(crate) const UNDONE: &str = "undone";
/// The format that this version writes and the newest it reads.
pub(crate) const FORMAT: i64 = 1;
/// Over this many canonical bytes a lost value is kept as a reference to the blob it was in.
const INLINE_LOST: usize = 1024;
/// The stamp of the losing write, in a record whose key has another.
const LOST_AT: &str = "at";

/// A value with its writer and its place in the order of writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// The value; cleared is null, never absent.
    pub value: Value,
    /// Stamp of the write.
    pub at: Stamp,
    /// Actor of the write.
    pub by: String,
    /// The writer's clock (RFC 3339), only where it differs from the stamp by over a second.
    pub when: Option<String>,
}

impl Register {
    /// Returns the time of the write in milliseconds: by the writer's clock, else by the stamp.
    pub(crate) fn written(&self) -> u64 {
        super::time::clock(self.when.as_deref(), self.at)
    }
}

/// An element of a set: present or removed, with its data from an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// True if the element is in the set.
    pub live: bool,
    /// Stamp of the last addition or removal.
    pub at: Stamp,
    /// Further data (`created_by` of an edge and the like).
    pub payload: Map<String, Value>,
}

/// Writer of the creation, and the default of every register: `at["*"]`, `by["*"]`, `when["*"]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Origin {
    pub at: Stamp,
    pub by: String,
    /// The creator's clock where it differs from the stamp.
    pub when: Option<String>,
}

/// A value that lost against a concurrent write, or the mark that it was settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// A lost value as `{"v"|"ref","by","at"?}`.
    Record(Map<String, Value>),
    /// Settled by the write with this stamp.
    Settled(Stamp),
}

/// A lost value as its record has it: register, stamp of the losing write, record.
pub(crate) type Loser<'a> = (&'a str, Stamp, &'a Map<String, Value>);

/// The writer of an operation: all registers it writes get the same stamp.
#[derive(Clone, Debug)]
pub struct Writer {
    /// Stamp of the operation.
    pub at: Stamp,
    pub by: String,
    /// The writer's clock in milliseconds.
    pub millis: u64,
}

impl Writer {
    fn when(&self) -> Option<String> {
        (self.millis.abs_diff(self.at.millis()) > 1000).then(|| super::time::format(self.millis))
    }
}

/// A decoded blob: an issue, a memory entry or the store's own `meta.json`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Blob {
    /// Format it was written in.
    pub v: i64,
    /// Lowest format whose readers may show and edit it.
    pub min_reader: i64,
    /// Epoch of the history (`meta.json` alone).
    pub epoch: Option<i64>,
    /// Identity; absent in `meta.json`.
    pub uid: Option<Uid>,
    /// Set when the contents were purged; absorbs every join.
    pub purged: Option<Stamp>,
    pub origin: Origin,
    pub registers: BTreeMap<String, Register>,
    /// Sets by name, without the `set:`.
    pub sets: BTreeMap<String, BTreeMap<String, Element>>,
    /// Lost values by `<register>@<stamp>`.
    pub lost: BTreeMap<String, Lost>,
}

impl Blob {
    /// Makes an empty blob created by `writer`.
    pub fn new(uid: Option<Uid>, writer: &Writer) -> Self {
        let origin = Origin {
            at: writer.at,
            by: writer.by.clone(),
            when: writer.when(),
        };
        Self {
            v: FORMAT,
            min_reader: 1,
            uid,
            origin,
            ..Self::default()
        }
    }

    /// Returns the value of a register; null where it was never written.
    pub fn value(&self, key: &str) -> &Value {
        self.registers
            .get(key)
            .map_or(&Value::Null, |register| &register.value)
    }

    /// Returns the text of a register, if it holds one.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.value(key).as_str()
    }

    /// Returns the members of a set that are present.
    pub fn live<'a>(&'a self, set: &str) -> impl Iterator<Item = (&'a str, &'a Element)> + use<'a> {
        let elements = self.sets.get(set).into_iter().flatten();
        elements
            .filter(|(_, element)| element.live)
            .map(|(key, element)| (key.as_str(), element))
    }

    /// Returns the largest stamp in the blob, which its next writer must exceed.
    pub fn newest(&self) -> Stamp {
        let registers = self.registers.values().map(|register| register.at);
        let elements = self
            .sets
            .values()
            .flat_map(|set| set.values().map(|element| element.at));
        let lost = self.lost.iter().map(|(key, lost)| match lost {
            Lost::Settled(at) => *at,
            // By the key: a record that was opened again names an older stamp inside, and its key is the newer one.
            Lost::Record(_) => lost_key(key).map_or_else(Stamp::default, |(_, at)| at),
        });
        let own = [self.origin.at, self.purged.unwrap_or_default()];
        own.into_iter()
            .chain(registers)
            .chain(elements)
            .chain(lost)
            .max()
            .unwrap_or_default()
    }

    /// Writes a register; returns whether that changed anything. An equal value is not written.
    ///
    /// A write settles the lost values of that register, except for the long texts.
    pub fn set(&mut self, writer: &Writer, key: &str, value: Value) -> bool {
        // A register that was never written is null, so there is nothing to clear either.
        if *self.value(key) == value {
            return false;
        }
        self.put(writer, key, value);
        // The writer has seen the current value only, so a long text that lost needs an explicit
        // choice.
        if is_settled_by_writes(key) {
            self.settle(key, writer.at);
        }
        true
    }

    /// Writes a register whether or not its value changes.
    pub fn put(&mut self, writer: &Writer, key: &str, value: Value) {
        let register = Register {
            value,
            at: writer.at,
            by: writer.by.clone(),
            when: writer.when(),
        };
        self.registers.insert(key.to_owned(), register);
    }

    /// Replaces all contents by the mark that they were purged, which absorbs every join.
    pub fn purge(&mut self, at: Stamp) {
        // As the codec reads it back: a purged blob has no actors and no clocks.
        let id = self.registers.remove("id").map(|id| Register {
            at,
            by: String::new(),
            when: None,
            ..id
        });
        let registers = id.map(|id| ("id".to_owned(), id)).into_iter().collect();
        let Self {
            v, min_reader, uid, ..
        } = *self;
        *self = Self {
            v,
            min_reader,
            uid,
            purged: Some(at),
            registers,
            ..Self::default()
        };
    }

    /// Marks every lost value of a register as settled.
    pub fn settle(&mut self, key: &str, at: Stamp) {
        self.settle_all(at, |register, _| register == key);
    }

    /// Marks as settled the value of a register that lost with the stamp `lost`.
    pub(crate) fn settle_one(&mut self, key: &str, lost: Stamp, at: Stamp) {
        self.settle_all(at, |register, stamp| (register, stamp) == (key, lost));
    }

    fn settle_all(&mut self, at: Stamp, is_seen: impl Fn(&str, Stamp) -> bool) {
        for (name, lost) in &mut self.lost {
            if lost
                .loser(name)
                .is_some_and(|(register, stamp, _)| is_seen(register, stamp))
            {
                *lost = Lost::Settled(at);
            }
        }
    }

    /// Adds or removes a member of a set; returns whether that changed anything.
    pub fn mark(&mut self, writer: &Writer, set: &str, key: &str, live: bool) -> bool {
        let member = self.sets.get(set).and_then(|members| members.get(key));
        // To remove what was never there is no write.
        if member.is_some_and(|element| element.live) == live {
            return false;
        }
        let elements = self.sets.entry(set.to_owned()).or_default();
        elements.insert(
            key.to_owned(),
            Element {
                live,
                at: writer.at,
                payload: Map::new(),
            },
        );
        true
    }

    /// Sets what another tracker has said of the issue that it calls `name`.
    pub(crate) fn keep_said(&mut self, name: &str, said: Map<String, Value>) {
        let elements = self.sets.entry(SOURCE.to_owned()).or_default();
        elements.insert(
            name.to_owned(),
            Element {
                live: true,
                at: self.origin.at,
                payload: said,
            },
        );
    }

    /// Gives a member of a set its data.
    pub(crate) fn keep_payload(&mut self, set: &str, key: &str, payload: Map<String, Value>) {
        let members = self.sets.get_mut(set);
        if let Some(element) = members.and_then(|members| members.get_mut(key)) {
            element.payload = payload;
        }
    }

    /// Keeps `register` as a lost value of `key`; `oid` names the blob that held it.
    pub fn lose(&mut self, key: &str, register: &Register, oid: &str) {
        let inline = canonical_json::canonical(&register.value).len() <= INLINE_LOST;
        // That blob stays in the history: it is of a tip that was merged, or of the state before an import.
        let (name, value) = if inline {
            ("v", register.value.clone())
        } else {
            ("ref", json!(oid))
        };
        let record = Map::from_iter([
            (name.to_owned(), value),
            ("by".to_owned(), json!(register.by)),
        ]);
        self.keep(format!("{key}@{}", register.at), Lost::Record(record));
    }

    /// Opens a settled lost value again: the one of a register that lost with the stamp `at`.
    ///
    /// The mark stays and wins every join, so the record gets a key of its own: after the writer's stamp, which may
    /// itself lose one day.
    pub(crate) fn reopen(
        &mut self,
        writer: &Writer,
        key: &str,
        at: Stamp,
        record: &Map<String, Value>,
    ) {
        let mut record = record.clone();
        record.insert(LOST_AT.to_owned(), json!(at));
        // A key that no other record has: the settled mark under the old key would win every join.
        let own = Stamp::after(self.newest().max(writer.at), 0, 0);
        self.keep(format!("{key}@{own}"), Lost::Record(record));
    }

    fn keep(&mut self, key: String, entry: Lost) {
        let joined = match self.lost.remove(&key) {
            Some(old) => old.join(entry),
            None => entry,
        };
        self.lost.insert(key, joined);
    }

    /// Returns whether the value of a register that lost with the stamp `at` is not settled.
    pub(crate) fn is_open(&self, key: &str, at: Stamp) -> bool {
        self.unsettled()
            .any(|(register, stamp, _)| (register, stamp) == (key, at))
    }

    /// Returns whether a value was lost to a later word of the tracker that had said it: two clones have read two files.
    fn is_followed_on(&self, key: &str, lost: &Map<String, Value>) -> bool {
        let winner = self.registers.get(key).map(|register| register.by.as_str());
        let by = lost.get("by").and_then(Value::as_str);
        let place = by.filter(|_| by == winner);
        place.is_some_and(|place| {
            let mut names = self.live(SOURCE);
            names.any(|(name, _)| name.rsplit_once('#').is_some_and(|(it, _)| it == place))
        })
    }

    /// Returns the lost values that are not settled. One that was opened again several times counts
    /// once.
    pub fn unsettled(&self) -> impl Iterator<Item = Loser<'_>> {
        // By the stamp of the losing write: two clones may have opened the same value under two keys.
        let open: BTreeMap<(&str, Stamp), _> = self
            .lost
            .iter()
            .filter_map(|(key, lost)| lost.loser(key))
            .map(|(key, at, it)| ((key, at), it))
            .collect();
        open.into_iter()
            .map(|((key, at), record)| (key, at, record))
            .filter(|(key, _, record)| !self.is_followed_on(key, record))
    }
}

/// Returns whether a write of a register settles its lost values: for the long texts only an
/// explicit choice does.
pub(crate) fn is_settled_by_writes(key: &str) -> bool {
    Field::long_texts().all(|field| field.key() != key)
}

/// Splits `<register>@<stamp>` at the last `@`.
pub fn lost_key(key: &str) -> Option<(&str, Stamp)> {
    let (register, stamp) = key.rsplit_once('@')?;
    Some((register, stamp.parse().ok()?))
}

impl Element {
    /// Returns the rank in the order of writes: stamp, presence over absence, canonical bytes.
    pub(crate) fn rank(&self) -> (Stamp, bool, String) {
        (
            self.at,
            self.live,
            canonical_json::canonical(&self.to_json()),
        )
    }
}

impl Lost {
    /// Returns the lost value that this record under this key names.
    pub(crate) fn loser<'a>(&'a self, key: &'a str) -> Option<Loser<'a>> {
        let Self::Record(record) = self else {
            return None;
        };
        let (register, at) = lost_key(key)?;
        let own = record
            .get(LOST_AT)
            .and_then(Value::as_str)
            .and_then(|text| text.parse().ok());
        Some((register, own.unwrap_or(at), record))
    }

    /// Joins two entries: a settled one beats a record, else the larger canonical bytes win.
    pub(crate) fn join(self, other: Self) -> Self {
        let rank = |lost: &Self| {
            (
                matches!(lost, Self::Settled(_)),
                canonical_json::canonical(&lost.to_json()),
            )
        };
        if rank(&other) > rank(&self) {
            other
        } else {
            self
        }
    }
}
