//! The gate of carry files, which anybody can have written or edited: narrower than that of a remote.
//!
//! Only paths of format 1 pass, each with a blob that we would write so ourselves, and no mark that texts were removed: that
//! is a matter of those who may push.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{CarryFile, CarryHeader, KIND, MOST_OPS, TreeKey, VERSION, canonical, sum_of};
use crate::model::limits::{LARGEST_BLOB, MAX_NAME};
use crate::model::stamp::MAX_MILLIS;
use crate::store::{Oid, TreePath, decode};

/// The largest file that is read, in bytes.
pub(crate) const LARGEST_FILE: u64 = 16 << 20;
/// The largest numbers and texts of the first line.
const MOST_CHANGES: usize = 1_000_000;
const MOST_PARTS: usize = 10_000;
const MOST_STORES: usize = 1000;
const LONGEST: usize = 1000;

/// The reason why a file is not taken over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CarryFault {
    /// Its lines are not those that its first line was written for.
    #[error("edited after it was written")]
    Edited,
    /// A newer version has written it.
    #[error("written by a newer git-beads")]
    Newer,
    /// It breaks a rule.
    #[error("{0}")]
    Bad(String),
}

fn bad(what: impl Into<String>) -> CarryFault {
    CarryFault::Bad(what.into())
}

impl CarryFile {
    /// Reads a file, and checks all of it that can be checked without a repository.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, CarryFault> {
        let size = bytes.len();
        if size as u64 > LARGEST_FILE {
            return Err(bad(format!("{size} bytes; the limit is {LARGEST_FILE}")));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| bad("it is not UTF-8"))?;
        let text = text.trim_start_matches('\u{feff}');
        // An editor or a checkout may have changed ends of lines: only what they hold counts.
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let header = header(lines.next().unwrap_or_default())?;
        let mut canonicals = Vec::new();
        let mut values = Vec::new();
        for (at, line) in lines.enumerate() {
            let (value, text) = read_line(at + 2, line)?;
            values.push(value);
            canonicals.push(text);
        }
        // Before any blob is looked at: what was edited is named so first.
        if sum_of(canonicals.iter().map(String::as_str)) != header.sum {
            return Err(CarryFault::Edited);
        }
        match blobs_of(&values)? {
            blobs if blobs.is_empty() => Err(bad("it holds nothing")),
            blobs => Ok(Self { header, blobs }),
        }
    }
}

/// Checks the lines after the first one, which are in the order of their paths.
fn blobs_of(values: &[Value]) -> Result<BTreeMap<TreeKey, Vec<u8>>, CarryFault> {
    let mut blobs = BTreeMap::new();
    for value in values {
        let (path, blob) = checked(value)?;
        if blobs
            .last_key_value()
            .is_some_and(|(last, _)| *last >= path)
        {
            return Err(bad(format!("{}: out of order", path.0)));
        }
        blobs.insert(path, blob);
    }
    Ok(blobs)
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

/// Reads the first line.
fn header(line: &str) -> Result<CarryHeader, CarryFault> {
    let foreign = || bad("it is no carry file");
    if line.len() > LARGEST_BLOB {
        return Err(foreign());
    }
    let (value, _) = canonical(line.as_bytes()).map_err(|_| foreign())?;
    if value["beads"] != KIND {
        return Err(foreign());
    }
    if value["v"].as_i64().is_some_and(|v| v > VERSION) {
        return Err(CarryFault::Newer);
    }
    let read = serde_json::from_value(value);
    let header: CarryHeader = read.map_err(|why| bad(format!("its first line: {why}")))?;
    match header.is_bounded() {
        true => Ok(header),
        false => Err(bad("its first line is beyond the limits")),
    }
}

/// Checks the path and the blob of a line.
fn checked(value: &Value) -> Result<(TreeKey, Vec<u8>), CarryFault> {
    let text = value["p"].as_str().unwrap_or_default();
    let path = TreePath::parse(text)
        .ok_or_else(|| bad(format!("{}: no path of an issue", shown(text))))?;
    let fault = |why: String| bad(format!("{path}: {why}"));
    let mut bytes = crate::model::canonical_json::canonical(&value["b"]).into_bytes();
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

impl CarryHeader {
    /// Returns true if its numbers and texts are such as we would write.
    fn is_bounded(&self) -> bool {
        let (part, parts) = self.part;
        let is_time = u64::try_from(self.at).is_ok_and(|at| at <= MAX_MILLIS / 1000);
        let is_short = |text: &String| text.chars().count() <= LONGEST;
        let numbers = (1..=MOST_PARTS).contains(&parts)
            && (1..=parts).contains(&part)
            && self.changes <= MOST_CHANGES;
        let lists = self.ops.len() <= MOST_OPS && self.stores.len() <= MOST_STORES;
        let is_named = self.actor.chars().count() <= MAX_NAME;
        let all_short = self.ops.iter().chain(&self.stores).all(is_short);
        self.v == VERSION && is_time && numbers && lists && is_named && all_short
    }

    /// Makes the first line for lines whose sum is known.
    pub(super) fn new(base: Oid, at: i64, sum: String) -> Self {
        Self {
            actor: String::new(),
            at,
            base,
            beads: KIND.to_owned(),
            changes: 0,
            ops: Vec::new(),
            part: (1, 1),
            stores: Vec::new(),
            sum,
            v: VERSION,
        }
    }
}
