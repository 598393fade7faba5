//! The contexts of calls that wrote nothing. Those of changes are in their commits; these are known here alone, and only
//! the newest of them.
//!
//! Nothing fails for one: the answer of the call is about another matter.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use serde::{Deserialize, Serialize};

use super::{Store, private_file};
use crate::model::Context;

/// The file of contexts, a line of JSON each, below `.git/beads`.
pub(super) const FILE: &str = "contexts";
/// The size beyond which the older half goes.
const LARGEST: usize = 128 << 10;
/// Calls of one context that are kept.
const MOST_CALLS: usize = 20;

/// The context of calls that wrote nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptContext {
    /// The time of the last of them, in milliseconds.
    pub(crate) at: u64,
    /// What the caller said of its work.
    pub(crate) context: Context,
    /// The tool of each, with the issue that it named.
    pub(crate) calls: Vec<String>,
}

/// Keeps the context of a call that wrote nothing.
pub(crate) fn keep(store: &Store, context: &Context, call: &str, at: u64) {
    let record = KeptContext {
        at,
        context: context.bounded(),
        calls: vec![call.to_owned()],
    };
    let path = store.folder().join(FILE);
    let kept = private_file::open(&path, store.permissions())
        .is_ok_and(|mut file| add(&mut file, record).is_ok());
    if !kept {
        tracing::debug!("a context could not be kept");
    }
}

/// Returns the contexts that were kept, newest first.
pub(crate) fn all(store: &Store) -> Vec<KeptContext> {
    let opened = private_file::existing(&store.folder().join(FILE));
    let text = opened
        .ok()
        .flatten()
        .and_then(|mut file| read(&mut file).ok());
    let text = text.unwrap_or_default();
    let lines = text.lines().rev();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Adds a record, or its call to the last one where that has the same context.
fn add(file: &mut File, mut record: KeptContext) -> io::Result<()> {
    // Where files can't be locked, one that comes at the same time is lost at worst.
    let _ = file.lock();
    let mut text = read(file)?;
    let last = text.trim_end().rfind('\n').map_or(0, |end| end + 1);
    let before = serde_json::from_str::<KeptContext>(&text[last..]);
    if let Some(before) = before.ok().filter(|it| it.context == record.context) {
        text.truncate(last);
        let known = before
            .calls
            .iter()
            .filter(|call| !record.calls.contains(call));
        let calls = known.chain(&record.calls).cloned();
        record.calls = calls.collect();
        let more = record.calls.len().saturating_sub(MOST_CALLS);
        record.calls.drain(..more);
    }
    let line = serde_json::to_string(&record)?;
    if text.len() + line.len() > LARGEST {
        let half = text.floor_char_boundary(text.len() / 2);
        let next = text[half..]
            .find('\n')
            .map_or(text.len(), |end| half + end + 1);
        text.drain(..next);
    }
    text.extend([&line, "\n"]);
    file.seek(SeekFrom::Start(0))?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

fn read(file: &mut File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(2 * LARGEST as u64).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a record as a call of its own does: the lock goes with its file.
    fn add_once(file: &mut File, record: KeptContext) {
        file.seek(SeekFrom::Start(0)).unwrap();
        add(file, record).unwrap();
        // Wine reports an error, and unlocks it.
        let _ = file.unlock();
    }

    fn record(n: usize, goal: &str) -> KeptContext {
        KeptContext {
            at: n as u64,
            context: Context {
                goal: goal.to_owned(),
                ..Context::default()
            },
            calls: vec![format!("task_status bd-{n}")],
        }
    }

    #[test]
    fn the_file_has_a_bound_and_the_newest_stay() {
        let mut file = tempfile::tempfile().unwrap();
        for n in 0..2_000 {
            add_once(&mut file, record(n, &format!("{n} {}", "x".repeat(500))));
        }
        file.seek(SeekFrom::Start(0)).unwrap();
        let text = read(&mut file).unwrap();
        assert!(
            text.len() <= LARGEST && text.len() > LARGEST / 4,
            "{}",
            text.len()
        );
        let last: KeptContext = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(last.at, 1_999);
        assert!(
            text.lines()
                .all(|line| serde_json::from_str::<KeptContext>(line).is_ok())
        );
    }

    #[test]
    fn calls_of_one_context_are_one_record() {
        let mut file = tempfile::tempfile().unwrap();
        for n in (0..50).chain(40..50) {
            add_once(&mut file, record(n, "same"));
        }
        file.seek(SeekFrom::Start(0)).unwrap();
        let text = read(&mut file).unwrap();
        let only: KeptContext = serde_json::from_str(&text).unwrap();
        assert_eq!(only.calls.len(), MOST_CALLS);
        assert_eq!(only.calls.last().unwrap(), "task_status bd-49");
    }
}
