//! The files of the journal: the one that is written, and those that were put aside.

use crate::env::Env;
use std::path::{Path, PathBuf};

use super::super::{Oid, Result, io, private_file};
use super::record::{HEADER_LENGTH, Record, START, Step, decode, is_here, secret_of};
use crate::files;

/// The file that is written to; full ones are called `journal-<n>`, and `packed-<n>` once their objects lie in a
/// pack, until the next is packed.
pub(in crate::store) const NAME: &str = "journal";

/// All that is known of one journal.
#[derive(Debug, Default)]
pub struct Contents {
    pub(in crate::store) records: Vec<Record>,
    /// Places where something else than a record is.
    pub(in crate::store) damage: usize,
    /// True if the last record was written under this boot, in this file.
    pub(in crate::store) here: bool,
}

impl Contents {
    /// Returns the number of records that were read, and of places with something else.
    pub fn counts(&self) -> (usize, usize) {
        (self.records.len(), self.damage)
    }

    /// Returns the commit that the ref was put to last.
    pub(in crate::store) fn newest(&self) -> Option<Oid> {
        self.moves().filter_map(|record| record.new).last()
    }

    /// Returns the moves that were not taken back, in order.
    pub(in crate::store) fn moves(&self) -> impl Iterator<Item = &Record> {
        let next = self.records.iter().skip(1).map(Some).chain([None]);
        self.records.iter().zip(next).filter_map(|(record, next)| {
            // Nothing comes between a move and its abort: both are written under our lock.
            let aborted =
                next.is_some_and(|next| next.step == Step::Abort && next.new == record.new);
            (record.step == Step::Move && !aborted).then_some(record)
        })
    }
}

/// Returns the journals that were put aside and wait to be packed, oldest first.
pub(in crate::store) fn aside(folder: &Path) -> Vec<(u64, PathBuf)> {
    numbered(folder, "journal-")
}

/// Returns the journals whose objects lie in a pack, oldest first.
pub(in crate::store) fn packed(folder: &Path) -> Vec<(u64, PathBuf)> {
    numbered(folder, "packed-")
}

fn numbered(folder: &Path, prefix: &str) -> Vec<(u64, PathBuf)> {
    let entries = files::entries(folder);
    let number = |name: &str| name.strip_prefix(prefix)?.parse().ok();
    let mut found: Vec<(u64, PathBuf)> = entries
        .filter_map(|entry| Some((number(entry.file_name().to_str()?)?, entry.path())))
        .collect();
    found.sort_unstable();
    found
}

/// Returns all journals of a folder, oldest first, as one.
pub(in crate::store) fn all(env: &Env, folder: &Path) -> Result<Contents> {
    settled(|| full(folder), |full| joined(env, folder, full))
}

/// Returns the journals that are full, oldest first: those that are packed were put aside before those that are not.
fn full(folder: &Path) -> Vec<PathBuf> {
    let full = packed(folder).into_iter().chain(aside(folder));
    full.map(|(_, path)| path).collect()
}

/// Reads what a list names, and again where the list has changed meanwhile: what is renamed between the list and the
/// reading is found at neither name.
fn settled(
    list: impl Fn() -> Vec<PathBuf>,
    mut read: impl FnMut(&[PathBuf]) -> Result<Contents>,
) -> Result<Contents> {
    let mut names = list();
    loop {
        let found = read(&names)?;
        // It comes to rest: a journal is put aside, and packed, after hundreds of writes.
        let now = list();
        if now == names {
            return Ok(found);
        }
        names = now;
    }
}

/// Reads full journals and the one that is written, as one.
fn joined(env: &Env, folder: &Path, full: &[PathBuf]) -> Result<Contents> {
    let mut paths = full.to_vec();
    paths.push(folder.join(NAME));
    let mut whole = Contents::default();
    for path in paths {
        let Contents {
            records,
            damage,
            here,
        } = contents(env, &path)?;
        if !records.is_empty() {
            whole.here = here;
        }
        whole.records.extend(records);
        whole.damage += damage;
    }
    Ok(whole)
}

/// Returns all records of a journal; one that is not there has none.
pub(in crate::store) fn contents(env: &Env, path: &Path) -> Result<Contents> {
    use std::io::Read;
    let Some(mut file) = private_file::existing(path)? else {
        return Ok(Contents::default());
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(io(format!("can't read {}", path.display())))?;
    let mut found = parse(&bytes);
    found.here = found
        .records
        .last()
        .is_some_and(|last| is_here(env, &file, &last.place));
    Ok(found)
}

/// Reads a journal. Damage is passed over and counted: reading goes on at the next whole record. A torn end is no
/// damage: a power cut leaves one of a change that was never answered.
pub fn parse(bytes: &[u8]) -> Contents {
    let Some(secret) = secret_of(bytes) else {
        return Contents {
            damage: 1,
            ..Contents::default()
        };
    };
    let mut found = Contents::default();
    let (mut at, mut passed) = (HEADER_LENGTH, 0);
    while at < bytes.len() {
        if let Some((record, length)) = decode(&bytes[at..], &secret) {
            found.records.push(record);
            found.damage += std::mem::take(&mut passed);
            at += length;
            continue;
        }
        passed += 1;
        // A record begins with a byte sequence that its checksum confirms, so reading can go on at any later one.
        let next = bytes[at + 1..]
            .windows(START.len())
            .position(|window| window == START);
        at = next.map_or(bytes.len(), |next| at + 1 + next);
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_journal_that_is_put_aside_while_all_are_read_is_not_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at(NAME), "").unwrap();
        let mut read = Vec::new();
        settled(
            || full(folder.path()),
            |full| {
                if read.is_empty() {
                    fs::rename(at(NAME), at("journal-1")).unwrap();
                }
                read.push(full.to_vec());
                Ok(Contents::default())
            },
        )
        .unwrap();
        assert_eq!(read, [vec![], vec![at("journal-1")]]);
    }
}
