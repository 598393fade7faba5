//! The bytes of a blob: canonical JSON out, strict JSON in.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Blob, Element, FORMAT, Lost, Origin, Register, lost_key, validate};
use crate::model::canonical_json;
use crate::model::limits::ValueError;
use crate::model::stamp::{BadStamp, Stamp};

/// Reason why bytes are not a blob.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// Not JSON, or with equal keys or numbers that are no 64-bit integers.
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
    /// Parses the bytes of a blob of any version; the caller checks `min_reader`.
    pub fn parse(bytes: &[u8]) -> Result<Self, BlobError> {
        let Value::Object(map) = canonical_json::parse(bytes)? else {
            return Err(shape("not an object"));
        };
        let blob = Decoder { map }.blob()?;
        validate::check(&blob).map_err(|why| shape(why.to_string()))?;
        Ok(blob)
    }

    /// Refuses a blob that asks for a newer reader.
    pub fn readable(self) -> Result<Self, BlobError> {
        if self.min_reader > FORMAT {
            Err(BlobError::Newer(self.min_reader))
        } else {
            Ok(self)
        }
    }

    /// Returns the canonical bytes, with one final newline.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = canonical_json::canonical(&self.to_json());
        text.push('\n');
        text.into_bytes()
    }

    /// Returns the canonical bytes of a blob that every reader accepts.
    pub(crate) fn to_checked_bytes(&self) -> Result<Vec<u8>, ValueError> {
        validate::check(self)?;
        let value = self.to_json();
        let mut text = canonical_json::canonical(&value);
        text.push('\n');
        validate::check_size(&value, text.len())?;
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
        // Before stamps and sets: nothing else of a purged blob is ever written.
        if let Some(purged) = self.purged {
            map.insert("purged".into(), json!(purged));
            return Value::Object(map);
        }
        self.encode_stamps(&mut map);
        for (name, set) in &self.sets {
            let elements = set
                .iter()
                .map(|(key, element)| (key.clone(), element.to_json()));
            map.insert(format!("set:{name}"), Value::Object(elements.collect()));
        }
        if !self.lost.is_empty() {
            let lost = self
                .lost
                .iter()
                .map(|(key, lost)| (key.clone(), lost.to_json()));
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
            // Only what differs from the creation: most registers of an issue have its stamp and actor.
            if register.at != self.origin.at {
                at.insert(key.clone(), json!(register.at));
            }
            if register.by != self.origin.by {
                by.insert(key.clone(), json!(register.by));
            }
            // Never left out, even if it is the creation's: the decoder gives a register no clock by default.
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
}

impl Element {
    pub(super) fn to_json(&self) -> Value {
        let signed = json!(format!("{}{}", if self.live { '+' } else { '-' }, self.at));
        if self.payload.is_empty() {
            return signed;
        }
        let mut map = self.payload.clone();
        map.insert("at".into(), signed);
        Value::Object(map)
    }
}

impl Lost {
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Record(record) => Value::Object(record.clone()),
            Self::Settled(at) => json!(format!("-{at}")),
        }
    }
}

/// Decodes a blob, key by key.
struct Decoder {
    map: Map<String, Value>,
}

impl Decoder {
    fn blob(mut self) -> Result<Blob, BlobError> {
        let v = self.integer("v")?.ok_or_else(|| shape("`v` is missing"))?;
        let min_reader = self
            .integer("min_reader")?
            .ok_or_else(|| shape("`min_reader` is missing"))?;
        let epoch = self.integer("epoch")?;
        let uid = self.take("uid").map(|value| stamp(&value)).transpose()?;
        let purged = self.take("purged").map(|value| stamp(&value)).transpose()?;
        let mut blob = Blob {
            v,
            min_reader,
            epoch,
            uid,
            purged,
            ..Blob::default()
        };
        // All other keys are dropped, those of newer versions too: none may bring the contents back.
        if let Some(at) = purged {
            if let Some(value) = self.take("id") {
                blob.registers.insert(
                    "id".into(),
                    Register {
                        value,
                        at,
                        by: String::new(),
                        when: None,
                    },
                );
            }
            return Ok(blob);
        }
        let mut stamps = Stamps {
            at: self.object("at")?,
            by: self.object("by")?,
            when: self.object("when")?,
        };
        blob.origin = stamps.origin()?;
        blob.lost = self
            .object("lost")?
            .into_iter()
            .map(lost)
            .collect::<Result<_, _>>()?;
        // All known keys are taken out by now. What is left is a set or a register, known or not.
        for (key, value) in self.map {
            if let Some(name) = key.strip_prefix("set:") {
                blob.sets.insert(name.to_owned(), set(value)?);
            } else if key == "*" {
                return Err(shape("`*` stands for the creation and names no register"));
            } else {
                blob.registers
                    .insert(key.clone(), stamps.register(&key, value, &blob.origin)?);
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
        self.take(key)
            .map(|value| number(value).ok_or_else(|| shape(format!("`{key}` is not a version"))))
            .transpose()
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
        let at = self
            .at
            .remove("*")
            .ok_or_else(|| shape("`at` has no `*`"))?;
        let by = self
            .by
            .remove("*")
            .map(text)
            .transpose()?
            .unwrap_or_default();
        Ok(Origin {
            at: stamp(&at)?,
            by,
            when: self.when.remove("*").map(text).transpose()?,
        })
    }

    fn register(
        &mut self,
        key: &str,
        value: Value,
        origin: &Origin,
    ) -> Result<Register, BlobError> {
        let at = self
            .at
            .remove(key)
            .map_or(Ok(origin.at), |value| stamp(&value))?;
        let by = self.by.remove(key).map_or(Ok(origin.by.clone()), text)?;
        Ok(Register {
            value,
            at,
            by,
            when: self.when.remove(key).map(text).transpose()?,
        })
    }

    fn finish(self) -> Result<(), BlobError> {
        // Such a stamp would be lost when the blob is written again, so it is refused.
        let left = self
            .at
            .keys()
            .chain(self.by.keys())
            .chain(self.when.keys())
            .next();
        left.map_or(Ok(()), |key| {
            Err(shape(format!("a stamp for `{key}`, which is not there")))
        })
    }
}

fn stamp(value: &Value) -> Result<Stamp, BlobError> {
    let text = value
        .as_str()
        .ok_or_else(|| shape("a stamp is not a text"))?;
    text.parse()
        .map_err(|error: BadStamp| shape(error.to_string()))
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
    map.into_iter()
        .map(|(key, value)| Ok((key, element(value)?)))
        .collect()
}

fn element(value: Value) -> Result<Element, BlobError> {
    let (at, payload) = match value {
        Value::String(at) => (at, Map::new()),
        Value::Object(mut map) => (
            text(
                map.remove("at")
                    .ok_or_else(|| shape("an element has no `at`"))?,
            )?,
            map,
        ),
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
