//! Carry files as versions before this one wrote them: lines of blobs, of which every reader makes the same commit.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::lines::{Blobs, Lines, TreeKey};
use super::rebuild::{CARRIED, CARRIED_AFTER, OlderFile, one_line, rebuild};
use crate::model::Uid;
use crate::model::join::join;
use crate::model::limits::MAX_NAME;
use crate::model::stamp::MAX_MILLIS;
use crate::store::carry::{CarriedState, CarryFault, bad};
use crate::store::{Oid, Result, Snapshot, Store, TreePath, decode};

/// The value of `beads` in the first line.
const KIND: &str = "carry";
const VERSION: i64 = 1;
/// The largest numbers and texts of the first line.
const MOST_OPS: usize = 50;
const MOST_EARLIER: usize = 64;
const MOST_CHANGES: usize = 1_000_000;
const MOST_PARTS: usize = 10_000;
const MOST_STORES: usize = 1000;
const LONGEST: usize = 1000;
/// More issues than this in one commit are not listed in its trailer.
const MOST_LISTED: usize = 100;

/// The changes of one file, or of one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CarryFile {
    pub(crate) header: CarryHeader,
    blobs: Blobs,
}

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct CarryHeader {
    actor: String,
    /// The sums of files that its writer had sent before, or had collected: it was written with knowledge of them.
    #[serde(default)]
    after: Vec<String>,
    /// The time of the newest change, in seconds.
    at: i64,
    /// The commit that the changes were made to, which others have.
    pub(crate) base: Oid,
    /// How many operations the changes come from.
    pub(crate) changes: usize,
    /// The first lines of these, the oldest first.
    ops: Vec<String>,
    /// Which part it is, and of how many.
    part: (usize, usize),
    /// The ids of the stores that it belongs to.
    pub(crate) stores: Vec<String>,
    /// The SHA-256 of the lines that follow.
    pub(crate) sum: String,
    v: i64,
}

impl CarryHeader {
    /// Returns true if its numbers and texts are such as were written.
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
}

impl CarryFile {
    /// Reads a file, and checks all of it that can be checked without a repository.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, CarryFault> {
        let mut lines = Lines::of(bytes, KIND, VERSION)?;
        let header = header(lines.header.take())?;
        let blobs = lines.blobs(&header.sum)?;
        Ok(Self { header, blobs })
    }

    /// Returns the commit here that it builds on: its base, or the first commit of a history that began from a snapshot of
    /// that; none where neither is here.
    pub(crate) fn base_in(&self, store: &Store) -> Result<Option<Oid>> {
        let base = self.header.base;
        if store.is_commit(base)? {
            return Ok(Some(base));
        }
        let roots = match store.tip()? {
            Some(tip) => store.merging().snapshot_roots(tip)?,
            None => Vec::new(),
        };
        let root = roots.iter().find(|root| root.of == base);
        Ok(root.map(|root| root.commit))
    }

    /// Returns true if a state has all that it says, or what came of that.
    pub(crate) fn is_part_of(&self, state: Snapshot<'_>) -> Result<bool> {
        for (path, bytes) in self.paths() {
            let Some((_, here)) = state.find(path)? else {
                return Ok(false);
            };
            let (Ok(here), Ok(there)) = (decode(path, &here), decode(path, bytes)) else {
                return Ok(false);
            };
            if join(&here, &there) != here {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Rebuilds its commit, on the one here that it builds on.
    pub(crate) fn rebuild(&self, store: &Store, on: Oid) -> Result<CarriedState> {
        let base = store.snapshot_at(on)?;
        rebuild(
            store,
            Some(base),
            OlderFile {
                blobs: &self.blobs,
                at: self.header.at,
                message: self.message(),
                changes: Some(self.header.changes),
            },
        )
    }

    /// Returns its paths, each with the bytes of the blob.
    fn paths(&self) -> impl Iterator<Item = (TreePath, &[u8])> {
        let parsed =
            |(path, blob): (&TreeKey, _)| Some((TreePath::parse(&path.0)?, Vec::as_slice(blob)));
        self.blobs.iter().filter_map(parsed)
    }

    fn message(&self) -> String {
        let ops = self.header.ops.iter().map(|op| one_line(op));
        let paragraphs = [
            self.subject(),
            ops.collect::<Vec<_>>().join("\n"),
            self.trailers().join("\n"),
        ];
        let said: Vec<String> = paragraphs.into_iter().filter(|it| !it.is_empty()).collect();
        format!("{}\n", said.join("\n\n"))
    }

    fn subject(&self) -> String {
        let actor = one_line(&self.header.actor);
        let changes = match self.header.changes {
            1 => "1 change".to_owned(),
            n => format!("{n} changes"),
        };
        let part = match self.header.part {
            (_, 1) => String::new(),
            (part, parts) => format!(" (part {part} of {parts})"),
        };
        format!("carried: {changes} of {actor}{part}")
    }

    fn trailers(&self) -> Vec<String> {
        let actor = one_line(&self.header.actor);
        let named = [
            ("Issues", self.listed()),
            ("Actor", actor),
            (CARRIED, self.header.sum.clone()),
            (CARRIED_AFTER, self.header.after.join(" ")),
        ];
        let named = named.iter().filter(|(_, value)| !value.is_empty());
        named
            .map(|(key, value)| format!("{key}: {value}"))
            .collect()
    }

    /// Returns the uids of its issues; a star for many.
    fn listed(&self) -> String {
        let issues: BTreeSet<Uid> = self.paths().filter_map(|(path, _)| path.issue()).collect();
        if issues.len() > MOST_LISTED {
            return "*".to_owned();
        }
        let listed: Vec<String> = issues.iter().map(ToString::to_string).collect();
        listed.join(" ")
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

/// Returns true for a SHA-256 as it was written.
fn is_sum(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == 64 && text.bytes().all(is_digit)
}
