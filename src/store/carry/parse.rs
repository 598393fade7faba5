//! The first line of carry files, which anybody can have written or edited.

use serde_json::Value;

use super::lines::{CarryFault, Lines, bad};
use super::{CarryFile, CarryHeader, KIND, MOST_EARLIER, MOST_OPS, VERSION};
use crate::model::limits::MAX_NAME;
use crate::model::stamp::MAX_MILLIS;
use crate::store::Oid;

/// The largest numbers and texts of the first line.
const MOST_CHANGES: usize = 1_000_000;
const MOST_PARTS: usize = 10_000;
const MOST_STORES: usize = 1000;
const LONGEST: usize = 1000;

impl CarryFile {
    /// Reads a file, and checks all of it that can be checked without a repository.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, CarryFault> {
        let mut lines = Lines::of(bytes, KIND, VERSION)?;
        let header = header(lines.header.take())?;
        let blobs = lines.blobs(&header.sum)?;
        Ok(Self { header, blobs })
    }
}

/// Reads the first line.
fn header(value: Value) -> Result<CarryHeader, CarryFault> {
    let read = serde_json::from_value(value);
    let header: CarryHeader = read.map_err(|why| bad(format!("its first line: {why}")))?;
    match header.is_bounded() {
        true => Ok(header),
        false => Err(bad("its first line is beyond the limits")),
    }
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
        let lists = self.ops.len() <= MOST_OPS
            && self.stores.len() <= MOST_STORES
            && self.after.len() <= MOST_EARLIER
            && self.after.iter().all(|sum| is_sum(sum));
        let is_named = self.actor.chars().count() <= MAX_NAME;
        let all_short = self.ops.iter().chain(&self.stores).all(is_short);
        self.v == VERSION && is_time && numbers && lists && is_named && all_short
    }

    /// Makes the first line for lines whose sum is known.
    pub(super) fn new(base: Oid, at: i64, sum: String) -> Self {
        Self {
            actor: String::new(),
            after: Vec::new(),
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

/// Returns true for a SHA-256 as we write it.
pub(super) fn is_sum(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == 64 && text.bytes().all(is_digit)
}
