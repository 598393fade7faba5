//! The JSONL of `bd` (0.9 to 1.x) and `br`, both ways, without loss.
//!
//! Fields that commands can edit become registers; everything else in an imported record, and every
//! value whose spelling the registers do not reproduce, stays in the register `import`. Export
//! renders the registers and lays `import` over them, as long as the register behind a key still
//! has the import's stamp. An import is a function of its input, so two clones that import the same
//! file make the same blobs.

mod export;
mod import;
mod order;
mod other;
mod record;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

pub(crate) use export::{Names, export, export_memory};
pub(crate) use import::{Built, ImportRecord, ParsedLine, build, parse_line};
pub(crate) use other::OtherFile;

/// Keys that are computed for a reader and never kept.
const DERIVED: [&str; 4] = [
    "_type",
    "dependency_count",
    "dependent_count",
    "comment_count",
];
/// Times that are kept exactly as written even where the registers would give the same text.
const LITERAL: [&str; 3] = ["created_at", "updated_at", "closed_at"];
/// Member of `import` with the keys that the record lacks although its registers render them.
const ABSENT: &str = "$absent";

/// Member of `import` with the order of comments, where it is not the one they are exported in.
const ORDER: &str = "$comments";

/// Returns the first 80 bits of SHA-256 over parts separated by NUL.
pub(in crate::model) fn digest(parts: &[&str]) -> u128 {
    let hash = Sha256::digest(parts.join("\0"));
    hash[..10]
        .iter()
        .fold(0, |bits, byte| (bits << 8) | u128::from(*byte))
}

/// Returns the random bits of the stamp of what another tracker says of an issue.
pub(crate) fn record_digest(name: &str, record: &Map<String, Value>) -> u128 {
    let record = Value::Object(record.clone());
    digest(&[name, &super::canonical_json::canonical(&record)])
}

/// Returns the part of an original that `import` has to keep so that `rendered` can be turned back
/// into it.
fn residue(original: &Map<String, Value>, rendered: &Map<String, Value>) -> Map<String, Value> {
    let differs =
        |key: &str, value: &Value| LITERAL.contains(&key) || rendered.get(key) != Some(value);
    let kept = original
        .iter()
        .filter(|(key, value)| !DERIVED.contains(&key.as_str()) && differs(key, value));
    let mut residue: Map<String, Value> = kept
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let absent = rendered.keys().filter(|key| !original.contains_key(*key));
    let absent: Vec<&str> = absent.map(String::as_str).collect();
    if !absent.is_empty() {
        residue.insert(ABSENT.into(), absent.into());
    }
    residue
}

/// Lays an `import` register over what the registers render, key by key where `fresh` allows it.
fn overlay(
    rendered: &mut Map<String, Value>,
    import: &Value,
    fresh: impl Fn(&str, &Value) -> bool,
) {
    let Value::Object(import) = import else {
        return;
    };
    for (key, value) in import
        .iter()
        .filter(|(key, _)| *key != ABSENT && *key != ORDER)
    {
        if fresh(key, value) {
            rendered.insert(key.clone(), value.clone());
        }
    }
    let absent = import
        .get(ABSENT)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    for key in absent {
        if fresh(key, &Value::Null) {
            rendered.remove(key);
        }
    }
}

#[cfg(test)]
mod tests;
