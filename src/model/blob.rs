//! Format 1 of one blob: registers with stamps, sets of elements, lost values.
//!
//! Every top-level key is a last-writer-wins register, keys that begin with `set:` merge per element.
//! A reader therefore keeps and merges fields it has never heard of. `docs/format.md` is the
//! specification; [`Blob::parse`] and [`Blob::to_bytes`] are its only implementation.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::issue::{BadValue, TEXTS};
use super::stamp::{Stamp, Uid};
use super::{json, limits};

/// The format that this version writes and the newest it reads.
pub const FORMAT: i64 = 1;
/// Over this many canonical bytes a lost value is kept as a reference to the blob it was in.
const INLINE_LOST: usize = 1024;

/// One value, who wrote it, and when in the order of writes.
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
    /// When it was written, in milliseconds: by the writer's clock, else by the stamp.
    pub fn written(&self) -> u64 {
        super::time::clock(self.when.as_deref(), self.at)
    }
}

/// An element of a set: present or removed, with what an import knows of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Whether the element is in the set.
    pub live: bool,
    /// Stamp of the last addition or removal.
    pub at: Stamp,
    /// What came with it (`created_by` of an edge and the like).
    pub payload: Map<String, Value>,
}

/// Who creates, and the default of every register: `at["*"]`, `by["*"]`, `when["*"]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Origin {
    /// Creation stamp.
    pub at: Stamp,
    /// Creating actor.
    pub by: String,
    /// The creator's clock where it differs from the stamp.
    pub when: Option<String>,
}

/// A value that lost against a concurrent write, or the mark that someone has seen it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// `{"v"|"ref","by"}`.
    Record(Map<String, Value>),
    /// Settled by the write with this stamp.
    Settled(Stamp),
}

/// Who writes what an operation writes: all its registers carry the same stamp.
#[derive(Clone, Debug)]
pub struct Writer {
    /// Stamp of the operation.
    pub at: Stamp,
    /// Actor.
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
    /// Creation.
    pub origin: Origin,
    /// Registers by name.
    pub registers: BTreeMap<String, Register>,
    /// Sets by name, without the `set:`.
    pub sets: BTreeMap<String, BTreeMap<String, Element>>,
    /// Lost values by `<register>@<stamp>`.
    pub lost: BTreeMap<String, Lost>,
}

/// Why bytes are no blob of ours.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// Not JSON as we accept it.
    #[error("not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// JSON of another shape.
    #[error("{0}")]
    Shape(String),
    /// Written by a newer version that asks older ones to keep out.
    #[error("needs a git-beads that reads format {0} (this one reads {FORMAT})")]
    Newer(i64),
}

fn shape(what: impl Into<String>) -> BlobError {
    BlobError::Shape(what.into())
}

impl Blob {
    /// Makes an empty blob created by `writer`.
    pub fn new(uid: Option<Uid>, writer: &Writer) -> Self {
        let origin = Origin { at: writer.at, by: writer.by.clone(), when: writer.when() };
        Self { v: FORMAT, min_reader: 1, uid, origin, ..Self::default() }
    }

    /// Parses the bytes of a blob of any version; `min_reader` is the caller's to obey.
    ///
    /// # Errors
    /// [`BlobError`] naming the first thing that is wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, BlobError> {
        let Value::Object(map) = json::parse(bytes)? else {
            return Err(shape("not an object"));
        };
        let blob = Decoder { map }.blob()?;
        limits::check(&blob).map_err(|why| shape(why.to_string()))?;
        Ok(blob)
    }

    /// Refuses a blob that asks for a newer reader.
    ///
    /// # Errors
    /// [`BlobError::Newer`] with the format it needs.
    pub fn readable(self) -> Result<Self, BlobError> {
        if self.min_reader > FORMAT { Err(BlobError::Newer(self.min_reader)) } else { Ok(self) }
    }

    /// Returns the canonical bytes, with one final newline.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = json::canonical(&self.to_json());
        text.push('\n');
        text.into_bytes()
    }

    /// Returns the canonical bytes of a blob that every reader takes.
    ///
    /// # Errors
    /// A limit of the format that it breaks.
    pub fn to_checked_bytes(&self) -> Result<Vec<u8>, BadValue> {
        limits::check(self)?;
        let value = self.to_json();
        let mut text = json::canonical(&value);
        text.push('\n');
        limits::check_size(&value, text.len())?;
        Ok(text.into_bytes())
    }

    fn to_json(&self) -> Value {
        let mut map = Map::new();
        map.insert("v".into(), json!(self.v));
        map.insert("min_reader".into(), json!(self.min_reader));
        if let Some(epoch) = self.epoch {
            map.insert("epoch".into(), json!(epoch));
        }
        if let Some(uid) = self.uid {
            map.insert("uid".into(), json!(uid));
        }
        for (key, register) in &self.registers {
            map.insert(key.clone(), register.value.clone());
        }
        if let Some(purged) = self.purged {
            map.insert("purged".into(), json!(purged));
            return Value::Object(map);
        }
        self.encode_stamps(&mut map);
        for (name, set) in &self.sets {
            let elements = set.iter().map(|(key, element)| (key.clone(), element.to_json()));
            map.insert(format!("set:{name}"), Value::Object(elements.collect()));
        }
        if !self.lost.is_empty() {
            let lost = self.lost.iter().map(|(key, lost)| (key.clone(), lost.to_json()));
            map.insert("lost".into(), Value::Object(lost.collect()));
        }
        Value::Object(map)
    }

    fn encode_stamps(&self, map: &mut Map<String, Value>) {
        let mut at = Map::from_iter([("*".to_owned(), json!(self.origin.at))]);
        let mut by = Map::from_iter([("*".to_owned(), json!(self.origin.by))]);
        let mut when = Map::new();
        if let Some(clock) = &self.origin.when {
            when.insert("*".into(), json!(clock));
        }
        for (key, register) in &self.registers {
            if register.at != self.origin.at {
                at.insert(key.clone(), json!(register.at));
            }
            if register.by != self.origin.by {
                by.insert(key.clone(), json!(register.by));
            }
            if let Some(clock) = &register.when {
                when.insert(key.clone(), json!(clock));
            }
        }
        map.insert("at".into(), Value::Object(at));
        map.insert("by".into(), Value::Object(by));
        if !when.is_empty() {
            map.insert("when".into(), Value::Object(when));
        }
    }

    /// The value of a register; null where it was never written.
    pub fn value(&self, key: &str) -> &Value {
        self.registers.get(key).map_or(&Value::Null, |register| &register.value)
    }

    /// The text of a register, if it holds one.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.value(key).as_str()
    }

    /// The members of a set that are present.
    pub fn live<'a>(&'a self, set: &str) -> impl Iterator<Item = (&'a str, &'a Element)> + use<'a> {
        let elements = self.sets.get(set).into_iter().flatten();
        elements.filter(|(_, element)| element.live).map(|(key, element)| (key.as_str(), element))
    }

    /// The largest stamp in the blob: what its next writer must exceed.
    pub fn newest(&self) -> Stamp {
        let registers = self.registers.values().map(|register| register.at);
        let elements = self.sets.values().flat_map(|set| set.values().map(|element| element.at));
        let lost = self.lost.iter().map(|(key, lost)| match lost {
            Lost::Settled(at) => *at,
            Lost::Record(_) => lost_key(key).map_or_else(Stamp::default, |(_, at)| at),
        });
        let own = [self.origin.at, self.purged.unwrap_or_default()];
        own.into_iter().chain(registers).chain(elements).chain(lost).max().unwrap_or_default()
    }

    /// Writes a register; returns whether that changed anything. An equal value is left alone.
    ///
    /// A write settles what was lost of that register, except for the long texts.
    pub fn set(&mut self, writer: &Writer, key: &str, value: Value) -> bool {
        if *self.value(key) == value && (!value.is_null() || self.registers.contains_key(key)) {
            return false;
        }
        if value.is_null() && !self.registers.contains_key(key) {
            return false;
        }
        self.put(writer, key, value);
        // The lost values of a long text are settled by an explicit choice only.
        if !TEXTS.contains(&key) {
            self.settle(key, writer.at);
        }
        true
    }

    /// Writes a register whether or not its value changes.
    pub fn put(&mut self, writer: &Writer, key: &str, value: Value) {
        let register = Register { value, at: writer.at, by: writer.by.clone(), when: writer.when() };
        self.registers.insert(key.to_owned(), register);
    }

    /// Replaces all contents by the mark that they were purged, which absorbs every join.
    pub fn purge(&mut self, at: Stamp) {
        let id = self.registers.remove("id").map(|id| Register { at, by: String::new(), when: None, ..id });
        let registers = id.map(|id| ("id".to_owned(), id)).into_iter().collect();
        let Self { v, min_reader, uid, .. } = *self;
        *self = Self { v, min_reader, uid, purged: Some(at), registers, ..Self::default() };
    }

    /// Marks every lost value of a register as seen.
    pub fn settle(&mut self, key: &str, at: Stamp) {
        for (name, lost) in &mut self.lost {
            if matches!(lost, Lost::Record(_)) && lost_key(name).is_some_and(|(register, _)| register == key) {
                *lost = Lost::Settled(at);
            }
        }
    }

    /// Adds or removes a member of a set; returns whether that changed anything.
    pub fn mark(&mut self, writer: &Writer, set: &str, key: &str, live: bool) -> bool {
        let member = self.sets.get(set).and_then(|members| members.get(key));
        if member.is_some_and(|element| element.live) == live {
            return false;
        }
        let elements = self.sets.entry(set.to_owned()).or_default();
        elements.insert(key.to_owned(), Element { live, at: writer.at, payload: Map::new() });
        true
    }

    /// Keeps `register` as a lost value of `key`; `oid` names the blob that held it.
    pub fn lose(&mut self, key: &str, register: &Register, oid: &str) {
        let inline = json::canonical(&register.value).len() <= INLINE_LOST;
        let (name, value) = if inline { ("v", register.value.clone()) } else { ("ref", json!(oid)) };
        let record = Map::from_iter([(name.to_owned(), value), ("by".to_owned(), json!(register.by))]);
        let entry = Lost::Record(record);
        let key = format!("{key}@{}", register.at);
        let joined = match self.lost.remove(&key) {
            Some(old) => old.join(entry),
            None => entry,
        };
        self.lost.insert(key, joined);
    }

    /// The lost values nobody has settled: register, stamp of the losing write, record.
    pub fn unsettled(&self) -> impl Iterator<Item = (&str, Stamp, &Map<String, Value>)> {
        self.lost.iter().filter_map(|(key, lost)| match lost {
            Lost::Record(record) => lost_key(key).map(|(register, at)| (register, at, record)),
            Lost::Settled(_) => None,
        })
    }
}

/// Splits `<register>@<stamp>` at the last `@`.
pub fn lost_key(key: &str) -> Option<(&str, Stamp)> {
    let (register, stamp) = key.rsplit_once('@')?;
    Some((register, stamp.parse().ok()?))
}

impl Element {
    fn to_json(&self) -> Value {
        let signed = json!(format!("{}{}", if self.live { '+' } else { '-' }, self.at));
        if self.payload.is_empty() {
            return signed;
        }
        let mut map = self.payload.clone();
        map.insert("at".into(), signed);
        Value::Object(map)
    }

    /// The order of ties: stamp, presence over absence, canonical bytes.
    pub fn rank(&self) -> (Stamp, bool, String) {
        (self.at, self.live, json::canonical(&self.to_json()))
    }
}

impl Lost {
    fn to_json(&self) -> Value {
        match self {
            Self::Record(record) => Value::Object(record.clone()),
            Self::Settled(at) => json!(format!("-{at}")),
        }
    }

    /// A settled entry beats a record, else the larger canonical bytes.
    pub fn join(self, other: Self) -> Self {
        let rank = |lost: &Self| (matches!(lost, Self::Settled(_)), json::canonical(&lost.to_json()));
        if rank(&other) > rank(&self) { other } else { self }
    }
}

/// Takes a blob apart, key by key.
struct Decoder {
    map: Map<String, Value>,
}

impl Decoder {
    fn blob(mut self) -> Result<Blob, BlobError> {
        let v = self.integer("v")?.ok_or_else(|| shape("`v` is missing"))?;
        let min_reader = self.integer("min_reader")?.ok_or_else(|| shape("`min_reader` is missing"))?;
        let epoch = self.integer("epoch")?;
        let uid = self.take("uid").map(|value| stamp(&value)).transpose()?;
        let purged = self.take("purged").map(|value| stamp(&value)).transpose()?;
        let mut blob = Blob { v, min_reader, epoch, uid, purged, ..Blob::default() };
        if let Some(at) = purged {
            if let Some(value) = self.take("id") {
                blob.registers.insert("id".into(), Register { value, at, by: String::new(), when: None });
            }
            return Ok(blob);
        }
        let mut stamps = Stamps { at: self.object("at")?, by: self.object("by")?, when: self.object("when")? };
        blob.origin = stamps.origin()?;
        blob.lost = self.object("lost")?.into_iter().map(lost).collect::<Result<_, _>>()?;
        for (key, value) in self.map {
            if let Some(name) = key.strip_prefix("set:") {
                blob.sets.insert(name.to_owned(), set(value)?);
            } else if key == "*" {
                return Err(shape("`*` stands for the creation and names no register"));
            } else {
                blob.registers.insert(key.clone(), stamps.register(&key, value, &blob.origin)?);
            }
        }
        stamps.finish()?;
        Ok(blob)
    }

    fn take(&mut self, key: &str) -> Option<Value> {
        self.map.remove(key)
    }

    fn integer(&mut self, key: &str) -> Result<Option<i64>, BlobError> {
        let number = |value: Value| value.as_i64().filter(|n| (0..1 << 31).contains(n));
        self.take(key).map(|value| number(value).ok_or_else(|| shape(format!("`{key}` is not a version")))).transpose()
    }

    fn object(&mut self, key: &str) -> Result<Map<String, Value>, BlobError> {
        match self.take(key) {
            None => Ok(Map::new()),
            Some(Value::Object(map)) => Ok(map),
            Some(_) => Err(shape(format!("`{key}` is not an object"))),
        }
    }
}

/// The maps `at`, `by`, `when`, emptied register by register.
struct Stamps {
    at: Map<String, Value>,
    by: Map<String, Value>,
    when: Map<String, Value>,
}

impl Stamps {
    fn origin(&mut self) -> Result<Origin, BlobError> {
        let at = self.at.remove("*").ok_or_else(|| shape("`at` has no `*`"))?;
        let by = self.by.remove("*").map(text).transpose()?.unwrap_or_default();
        Ok(Origin { at: stamp(&at)?, by, when: self.when.remove("*").map(text).transpose()? })
    }

    fn register(&mut self, key: &str, value: Value, origin: &Origin) -> Result<Register, BlobError> {
        let at = self.at.remove(key).map_or(Ok(origin.at), |value| stamp(&value))?;
        let by = self.by.remove(key).map_or(Ok(origin.by.clone()), text)?;
        Ok(Register { value, at, by, when: self.when.remove(key).map(text).transpose()? })
    }

    fn finish(self) -> Result<(), BlobError> {
        let left = self.at.keys().chain(self.by.keys()).chain(self.when.keys()).next();
        left.map_or(Ok(()), |key| Err(shape(format!("a stamp for `{key}`, which is not there"))))
    }
}

fn stamp(value: &Value) -> Result<Stamp, BlobError> {
    let text = value.as_str().ok_or_else(|| shape("a stamp is not a text"))?;
    text.parse().map_err(|error: super::stamp::BadStamp| shape(error.to_string()))
}

fn text(value: Value) -> Result<String, BlobError> {
    match value {
        Value::String(text) => Ok(text),
        _ => Err(shape("`by` and `when` hold texts")),
    }
}

fn signed(text: &str) -> Result<(bool, Stamp), BlobError> {
    let live = match text.as_bytes().first() {
        Some(b'+') => true,
        Some(b'-') => false,
        _ => return Err(shape("an element's stamp has no sign")),
    };
    Ok((live, stamp(&json!(text[1..]))?))
}

fn set(value: Value) -> Result<BTreeMap<String, Element>, BlobError> {
    let Value::Object(map) = value else {
        return Err(shape("a set is not an object"));
    };
    map.into_iter().map(|(key, value)| Ok((key, element(value)?))).collect()
}

fn element(value: Value) -> Result<Element, BlobError> {
    let (at, payload) = match value {
        Value::String(at) => (at, Map::new()),
        Value::Object(mut map) => (text(map.remove("at").ok_or_else(|| shape("an element has no `at`"))?)?, map),
        _ => return Err(shape("an element is neither text nor object")),
    };
    let (live, at) = signed(&at)?;
    Ok(Element { live, at, payload })
}

fn lost((key, value): (String, Value)) -> Result<(String, Lost), BlobError> {
    if lost_key(&key).is_none() {
        return Err(shape(format!("`lost` has a key without a stamp: `{key}`")));
    }
    let lost = match value {
        Value::Object(record) => Lost::Record(record),
        Value::String(text) => match signed(&text)? {
            (false, at) => Lost::Settled(at),
            (true, _) => return Err(shape("a lost value can't be added")),
        },
        _ => return Err(shape("a lost value is neither record nor mark")),
    };
    Ok((key, lost))
}
