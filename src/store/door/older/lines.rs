//! The lines of the files of earlier versions, and their gate: anybody can have written or edited one, so it is narrower than
//! that of a remote.
//!
//! Only paths of format 1 pass, each with a blob that we would write so ourselves, and no mark that texts were removed: that
//! is a matter of those who may push.

use std::collections::BTreeMap;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::model::canonical_json;
use crate::model::limits::LARGEST_BLOB;
use crate::store::carry::{CarryFault, LARGEST_FILE, bad, too_large};
use crate::store::{TreePath, decode};

/// A path, in the order of its text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TreeKey(pub(super) String);

/// The canonical bytes of blobs, each with its final newline, by path.
pub(super) type Blobs = BTreeMap<TreeKey, Vec<u8>>;

/// The lines of a file, of which the first is read.
pub(super) struct Lines<'b> {
    pub(super) header: Value,
    rest: Vec<&'b str>,
}

impl<'b> Lines<'b> {
    /// Splits a file of a kind, of which versions up to the given one are known.
    pub(super) fn of(bytes: &'b [u8], kind: &str, version: i64) -> Result<Self, CarryFault> {
        let size = bytes.len();
        if size as u64 > LARGEST_FILE {
            return Err(too_large(size as u64));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| bad("it is not UTF-8"))?;
        let text = text.trim_start_matches('\u{feff}');
        // An editor or a checkout may have changed ends of lines: only what they hold counts.
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let foreign = || bad(format!("it is no {kind} file"));
        let first = lines.next().unwrap_or_default();
        if first.len() > LARGEST_BLOB {
            return Err(foreign());
        }
        let (header, _) = canonical(first.as_bytes()).map_err(|_| foreign())?;
        if header["beads"] != kind {
            return Err(foreign());
        }
        if header["v"].as_i64().is_some_and(|v| v > version) {
            return Err(CarryFault::Newer);
        }
        let rest = lines.collect();
        Ok(Self { header, rest })
    }

    /// Returns the blobs of the lines after the first one, which are in the order of their paths and have the sum given.
    pub(super) fn blobs(&self, sum: &str) -> Result<Blobs, CarryFault> {
        if let Some(blobs) = self.as_written(sum) {
            return Ok(blobs);
        }
        let (mut values, mut canonicals) = (Vec::new(), Vec::new());
        for (at, line) in self.rest.iter().enumerate() {
            let (value, text) = read_line(at + 2, line)?;
            values.push(value);
            canonicals.push(text);
        }
        // Before any blob is looked at: what was edited is named so first.
        if sum_of(canonicals.iter().map(String::as_str)) != sum {
            return Err(CarryFault::Edited);
        }
        let mut blobs = BTreeMap::new();
        for value in &values {
            let path = value["p"].as_str().unwrap_or_default();
            let (path, blob) = checked(path, canonical_json::canonical(&value["b"]))?;
            if blobs
                .last_key_value()
                .is_some_and(|(last, _)| *last >= path)
            {
                return Err(bad(format!("{}: out of order", path.0)));
            }
            blobs.insert(path, blob);
        }
        match blobs.is_empty() {
            true => Err(bad("it holds nothing")),
            false => Ok(blobs),
        }
    }

    /// Returns the blobs of lines that are byte for byte as we write them: nearly always, and they are parsed only once. None
    /// where anything differs, which may be sound all the same.
    fn as_written(&self, sum: &str) -> Option<Blobs> {
        let is_small = |line: &&str| line.len() <= LARGEST_BLOB;
        if !self.rest.iter().all(is_small) || sum_of(self.rest.iter().copied()) != sum {
            return None;
        }
        let read = |line: &&str| {
            let (path, blob) = split(line)?;
            checked(path, blob.to_owned()).ok()
        };
        let pairs: Vec<(TreeKey, Vec<u8>)> = self.rest.iter().map(read).collect::<Option<_>>()?;
        let is_sorted = pairs.is_sorted_by(|(one, _), (next, _)| one < next);
        (is_sorted && !pairs.is_empty()).then(|| pairs.into_iter().collect())
    }
}

/// Returns path and blob of a line as it was written. Only what both are, once they are checked, makes them those.
fn split(line: &str) -> Option<(&str, &str)> {
    let inner = line.strip_prefix(r#"{"b":"#)?.strip_suffix(r#""}"#)?;
    let (blob, path) = inner.rsplit_once(r#","p":""#)?;
    Some((path, blob))
}

/// Returns the sum over lines.
fn sum_of<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    let mut hasher = Sha256::new();
    for line in lines {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    hex(&hasher.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the canonical form of a line of JSON, and its value.
fn canonical(line: &[u8]) -> Result<(serde_json::Value, String), serde_json::Error> {
    let value = canonical_json::parse(line)?;
    let text = canonical_json::canonical(&value);
    Ok((value, text))
}

fn read_line(number: usize, line: &str) -> Result<(Value, String), CarryFault> {
    let size = line.len();
    if size > LARGEST_BLOB {
        return Err(bad(format!(
            "line {number}: {size} bytes; the limit is {LARGEST_BLOB}"
        )));
    }
    canonical(line.as_bytes()).map_err(|why| bad(format!("line {number}: not valid JSON: {why}")))
}

/// Checks the path of a line, and the text of its blob.
fn checked(path: &str, blob: String) -> Result<(TreeKey, Vec<u8>), CarryFault> {
    let path = TreePath::parse(path)
        .ok_or_else(|| bad(format!("{}: no path of an issue", shown(path))))?;
    let fault = |why: String| bad(format!("{path}: {why}"));
    let mut bytes = blob.into_bytes();
    bytes.push(b'\n');
    let blob = decode(path, &bytes).map_err(|unread| fault(unread.why.to_string()))?;
    if blob.purged.is_some() {
        return Err(fault(
            "texts are removed by those who may push alone".into(),
        ));
    }
    // A blob with a key of a newer version, or in another order, would be another object in each clone.
    let own = blob
        .to_checked_bytes()
        .map_err(|why| fault(why.to_string()))?;
    match own == bytes {
        true => Ok((TreeKey(path.to_string()), bytes)),
        false => Err(fault("a blob that would be written otherwise".into())),
    }
}

/// Returns the beginning of a text that anybody can have written, on one line.
fn shown(text: &str) -> String {
    text.chars()
        .take(80)
        .flat_map(char::escape_default)
        .collect()
}
