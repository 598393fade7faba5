//! Canonical JSON: the bytes of every blob, and strict readers for both kinds of input.
//!
//! `serde_json` alone keeps the last of two equal keys and turns integers it cannot hold into
//! floats. Either would make two clones disagree about the same bytes, so blobs are read by
//! [`parse`], which refuses both, and lines of an import by `parse_wide`, which keeps a number as
//! it is written.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::limits::{HEAVIEST_BLOB, HEAVY};

/// Nesting deeper than this is refused (the parser's own bound is 128).
const MAX_DEPTH: usize = 100;
/// Name under which a number outside i64 is kept: `{"$number":"1.50"}`.
const NUMBER: &str = "$number";

/// Returns the canonical form: compact, keys sorted by bytes, no final newline.
pub fn canonical(value: &Value) -> String {
    // `Map` is a B-tree while the feature `preserve_order` of serde_json is off: that sorts the keys.
    value.to_string()
}

/// Parses the bytes of a blob: UTF-8, unique keys, integers within i64, no more values than a blob may have.
pub fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let mut de = serde_json::Deserializer::from_slice(bytes);
    let room = Cell::new(HEAVIEST_BLOB);
    let value = Strict {
        room: Some(&room),
        top: true,
    }
    .deserialize(&mut de)?;
    de.end()?;
    Ok(value)
}

/// Parses a line of an import: any number is kept as written (`{"$number":...}` unless it is an i64)
/// and a key that begins with `$` gets one more, so that [`narrow`] can give all of it back.
pub(crate) fn parse_wide(line: &str) -> Result<Value, serde_json::Error> {
    let mut de = serde_json::Deserializer::from_str(line);
    // Most lines have no wide number; only the others are parsed level by level.
    if let Ok(value) = (Strict {
        room: None,
        top: true,
    })
    .deserialize(&mut de)
    {
        de.end()?;
        return Ok(value);
    }
    widen(serde_json::from_str(line)?, 0)
}

/// Returns the text of a value as [`parse_wide`] read it: wide numbers and `$` keys as they were.
pub(crate) fn narrow(value: &Value) -> String {
    let mut out = String::new();
    write_narrow(value, &mut out);
    out
}

fn write_narrow(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            // No key of a file: that one would have got one more `$`.
            if let (1, Some(Value::String(number))) = (map.len(), map.get(NUMBER)) {
                out.push_str(number);
                return;
            }
            out.push('{');
            for (i, (key, value)) in map.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(unescape_key(key)).to_string());
                out.push(':');
                write_narrow(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_narrow(item, out);
            }
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

fn escape_key(key: String) -> String {
    if key.starts_with('$') {
        format!("${key}")
    } else {
        key
    }
}

fn unescape_key(key: &str) -> &str {
    key.strip_prefix('$').unwrap_or(key)
}

fn widen(raw: &RawValue, depth: usize) -> Result<Value, serde_json::Error> {
    // Each level is parsed by itself, so the parser's own bound does not count them.
    if depth > MAX_DEPTH {
        return Err(serde_json::Error::custom("nesting is too deep"));
    }
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'{') => {
            let mut map = Map::new();
            for (key, value) in serde_json::from_str::<Pairs<'_>>(text)?.0 {
                let key = escape_key(key);
                if map.contains_key(&key) {
                    return Err(duplicate(&key));
                }
                map.insert(key, widen(value, depth + 1)?);
            }
            Ok(Value::Object(map))
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text)?;
            items
                .into_iter()
                .map(|item| widen(item, depth + 1))
                .collect()
        }
        Some(b'-' | b'0'..=b'9') => Ok(match text.parse::<i64>() {
            // `-0` is an i64 too, but would not be written back as it was.
            Ok(number) if number.to_string() == text => Value::from(number),
            _ => Value::Object(Map::from_iter([(NUMBER.to_owned(), Value::from(text))])),
        }),
        _ => serde_json::from_str(text),
    }
}

fn duplicate<E: serde::de::Error>(key: &str) -> E {
    E::custom(format_args!("duplicate key `{key}`"))
}

/// The members of an object, in order, values unparsed.
struct Pairs<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Pairs<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}

/// Reads a value with unique keys and i64 integers only.
#[derive(Clone, Copy)]
struct Strict<'r> {
    /// Weight that a blob may still have; none for an import, whose keys are escaped.
    room: Option<&'r Cell<usize>>,
    /// True for the blob itself.
    top: bool,
}

impl Strict<'_> {
    /// Subtracts the weight of a value before memory is allocated for it.
    fn take<E: serde::de::Error>(self, weight: usize) -> Result<(), E> {
        let Some(room) = self.room else { return Ok(()) };
        let left = room.get().checked_sub(weight).ok_or_else(|| {
            E::custom(format_args!(
                "too many values; the limit is {HEAVIEST_BLOB}, where an array or object counts for {}",
                HEAVY + 1
            ))
        })?;
        room.set(left);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E: serde::de::Error>(self) -> Result<Value, E> {
        self.take(1)?;
        Ok(Value::Null)
    }
    fn visit_bool<E: serde::de::Error>(self, v: bool) -> Result<Value, E> {
        self.take(1)?;
        Ok(Value::Bool(v))
    }
    fn visit_i64<E: serde::de::Error>(self, v: i64) -> Result<Value, E> {
        self.take(1)?;
        Ok(Value::from(v))
    }
    fn visit_u64<E: serde::de::Error>(self, v: u64) -> Result<Value, E> {
        self.take(1)?;
        i64::try_from(v)
            .map(Value::from)
            .map_err(|_| E::custom("a number is not a 64-bit integer"))
    }
    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<Value, E> {
        Err(E::custom("a number is not a 64-bit integer"))
    }
    fn visit_str<E: serde::de::Error>(self, v: &str) -> Result<Value, E> {
        self.take(1)?;
        Ok(Value::from(v))
    }
    fn visit_string<E: serde::de::Error>(self, v: String) -> Result<Value, E> {
        self.take(1)?;
        Ok(Value::String(v))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        self.take(1 + HEAVY)?;
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Self { top: false, ..self })? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        self.take(1 + HEAVY)?;
        let mut map = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            // Each becomes a register with stamp and actor, or a set: that takes memory too.
            if self.top {
                self.take(HEAVY)?;
            }
            let key = if self.room.is_none() {
                escape_key(key)
            } else {
                key
            };
            if map.contains_key(&key) {
                return Err(duplicate(&key));
            }
            let value = access.next_value_seed(Self { top: false, ..self })?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_are_read_strictly() {
        assert!(
            parse(br#"{"a":1,"a":2}"#)
                .unwrap_err()
                .to_string()
                .contains("duplicate key `a`")
        );
        assert!(parse(br#"{"a":123456789012345678901234567890}"#).is_err());
        assert!(parse(br#"{"a":1.5}"#).is_err());
        assert!(parse(br#"{"a":1} x"#).is_err());
        assert!(parse(b"{\"a\":\"\xff\"}").is_err());
        assert!(parse(br#""\ud800""#).is_err());
        assert_eq!(
            canonical(&parse(br#"{"b":1,"B":[null],"a":"\u003c"}"#).unwrap()),
            r#"{"B":[null],"a":"<","b":1}"#
        );
    }

    #[test]
    fn imports_keep_every_number_and_key_to_the_letter() {
        let line = r#"{"$x":{"$number":"n"},"a":[1.50,123456789012345678901234567890,-0,1e3,7],"z":18446744073709551615}"#;
        let value = parse_wide(line).unwrap();
        assert_eq!(narrow(&value), line);
        assert_eq!(value["a"][4], 7);
        assert_eq!(value["a"][0][NUMBER], "1.50");
        assert_eq!(narrow(&parse_wide(r#"{"$x":1}"#).unwrap()), r#"{"$x":1}"#);
        assert!(
            parse_wide(r#"{"a":1.5,"a":2}"#)
                .unwrap_err()
                .to_string()
                .contains("duplicate key")
        );
        assert!(parse_wide(&format!("{}1.5{}", "[".repeat(5000), "]".repeat(5000))).is_err());
    }
}
