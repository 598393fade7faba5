//! The values that git has read from a reftable, kept with the stack of tables that they were read from.
//!
//! A table never changes, and its name has the numbers of its updates and a random part; so as long as `tables.list` is
//! the same file and names the same tables, each ref has the value that it had. The file is one of our own, and a
//! checksum guards it: what does not parse, or is of another stack, counts as never read.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use gix::refs::FullName;
use sha2::{Digest, Sha256};

use super::super::{Oid, Permissions, Result, StoreError, io};
use super::value::RefValue;
use crate::platform::{self, FileFingerprint, FileId};

/// Its file below `.git/beads`, and how that begins while it is being written.
pub(in super::super) const FILE: &str = "ref-cache";
pub(in super::super) const UNFINISHED: &str = "ref-cache-new-";

/// The file that names the tables of a stack.
const LIST: &str = "tables.list";
const HEADER: &str = "git-beads refs 1";
/// The largest file that is read.
const LARGEST: u64 = 1 << 20;
/// More refs than this are not kept.
const MOST: usize = 200;

/// The tables of a reftable, as they were at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stack {
    /// Place, time and size of the file that names them.
    file: String,
    tables: Vec<String>,
}

impl Stack {
    /// Reads the names of the tables.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(LIST);
        let fail = || io(format!("can't read {}", path.display()));
        // Looked at before it is read: where it is replaced in between, the next look sees another one.
        let FileFingerprint {
            id: FileId { device, inode },
            seconds,
            nanos,
            length,
        } = FileFingerprint::at(&path).unwrap_or_default();
        let text = fs::read_to_string(&path).map_err(fail())?;
        let tables: Vec<String> = text.lines().map(str::to_owned).collect();
        if tables.is_empty() || !tables.iter().all(|name| is_table(name)) {
            return Err(unreadable(&path, "it does not name the tables"));
        }
        let file = format!("{device} {inode} {seconds} {nanos} {length}");
        Ok(Self { file, tables })
    }

    /// Checks that all tables are there: git takes a stack without one for no refs at all.
    pub(super) fn check(&self, folder: &Path) -> Result<()> {
        let is_there =
            |name: &&String| fs::metadata(folder.join(name)).is_ok_and(|meta| meta.len() > 0);
        match self.tables.iter().find(|name| !is_there(name)) {
            None => Ok(()),
            Some(name) => Err(unreadable(&folder.join(name), "the table is gone or empty")),
        }
    }

    /// Waits until the disk has the tables, and the list of them.
    pub(super) fn sync(&self, folder: &Path) -> std::io::Result<()> {
        for name in self.tables.iter().map(String::as_str).chain([LIST]) {
            match platform::sync_file(&folder.join(name)) {
                // Another git has merged it into a newer one.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                synced => synced?,
            }
        }
        platform::sync_folder(folder)
    }

    /// Returns true where exactly one update was made after another stack: numbers of updates only grow, one for each.
    pub(super) fn is_next_of(&self, before: &Self) -> bool {
        let last = |stack: &Self| stack.tables.last().and_then(|name| last_update(name));
        last(self).is_some_and(|now| last(before).is_some_and(|then| now == then + 1))
    }
}

fn unreadable(path: &Path, why: &str) -> StoreError {
    StoreError::Reftable {
        what: path.display().to_string(),
        why: why.to_owned(),
    }
}

/// Returns true for what can be the name of a table, and no path out of the folder.
fn is_table(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.ends_with(".ref") && !name.starts_with('.') && name.chars().all(plain)
}

/// Reads the number of the last update in a table from its name: `0x<first>-0x<last>-<random>.ref`.
fn last_update(name: &str) -> Option<u64> {
    let last = name.split('-').nth(1)?.strip_prefix("0x")?;
    u64::from_str_radix(last, 16).ok()
}

/// The refs that git was asked for, and what it answered: a value, or that there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cache {
    pub(super) stack: Stack,
    pub(super) values: BTreeMap<String, Option<RefValue>>,
}

impl Cache {
    /// Reads the file; none where there is none, or anything about it is wrong.
    pub(super) fn load(folder: &Path) -> Option<Self> {
        let path = folder.join(FILE);
        let meta = fs::symlink_metadata(&path).ok()?;
        if !meta.is_file() || meta.len() > LARGEST {
            return None;
        }
        Self::parse(&fs::read_to_string(path).ok()?)
    }

    /// Writes the file, where our folder is there. One that can't be written makes reads slower, no more.
    pub(super) fn store(&self, folder: &Path, permissions: Permissions) {
        let is_ours = fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir());
        if self.values.len() > MOST || !is_ours {
            return;
        }
        let written = permissions
            .own_scratch(UNFINISHED, folder)
            .and_then(|mut scratch| {
                scratch.write_all(self.render().as_bytes())?;
                platform::persist_file(scratch, &folder.join(FILE)).map_err(std::io::Error::from)
            });
        drop(written);
    }

    fn render(&self) -> String {
        let mut body = format!("file {}\n", self.stack.file);
        for table in &self.stack.tables {
            body.push_str(&format!("table {table}\n"));
        }
        for (name, value) in &self.values {
            let value = match value {
                None => "-".to_owned(),
                Some(RefValue::Id(oid)) => oid.to_string(),
                Some(RefValue::Symbolic(target)) => format!("@{target}"),
            };
            body.push_str(&format!("ref {name} {value}\n"));
        }
        format!("{HEADER} {}\n{body}", checksum(&body))
    }

    fn parse(text: &str) -> Option<Self> {
        let (header, body) = text.split_once('\n')?;
        let sum = header.strip_prefix(HEADER)?.strip_prefix(' ')?;
        if sum != checksum(body) {
            return None;
        }
        let mut lines = body.lines().peekable();
        let file = lines.next()?.strip_prefix("file ")?.to_owned();
        let mut tables = Vec::new();
        while let Some(name) = lines.peek().and_then(|line| line.strip_prefix("table ")) {
            tables.push(name.to_owned());
            lines.next();
        }
        let values = lines.map(|line| {
            let (name, value) = line.strip_prefix("ref ")?.split_once(' ')?;
            let value = match value.strip_prefix('@') {
                _ if value == "-" => None,
                Some(target) => Some(RefValue::Symbolic(target.to_owned())),
                None => Some(RefValue::Id(Oid::parse(value)?)),
            };
            FullName::try_from(name).ok()?;
            Some((name.to_owned(), value))
        });
        Some(Self {
            stack: Stack { file, tables },
            values: values.collect::<Option<_>>()?,
        })
    }
}

fn checksum(body: &str) -> String {
    let digest = Sha256::digest(body);
    digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Cache, Oid, RefValue, Stack, is_table, last_update};

    const ONE: &str = "0x000000000001-0x00000000000b-348e3dbc.ref";

    fn cache() -> Cache {
        let oid = Oid::parse(&"a1".repeat(20)).unwrap();
        let values = [
            ("refs/beads/main", Some(RefValue::Id(oid))),
            ("refs/heads/none", None),
            (
                "refs/remotes/o/HEAD",
                Some(RefValue::Symbolic("refs/remotes/o/main".to_owned())),
            ),
        ];
        Cache {
            stack: Stack {
                file: "1 2 3 4".to_owned(),
                tables: vec![ONE.to_owned()],
            },
            values: values.map(|(name, value)| (name.to_owned(), value)).into(),
        }
    }

    #[test]
    fn what_is_written_is_read_and_nothing_else_is() {
        let text = cache().render();
        assert_eq!(Cache::parse(&text), Some(cache()));
        for at in 0..text.len() {
            assert_eq!(Cache::parse(&text[..at]), None, "{at}");
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(Cache::parse(&changed), None, "{at}: {changed}");
        }
        assert_eq!(Cache::parse(&format!("{text}ref refs/x -\n")), None);
    }

    #[test]
    fn names_of_tables_are_read_as_git_writes_them() {
        assert!(is_table(ONE));
        for name in ["", "../x.ref", "x", ".ref", "a b.ref", "x.ref.lock"] {
            assert!(!is_table(name), "{name}");
        }
        assert_eq!(last_update(ONE), Some(11));
        for name in ["x.ref", "0x1-2-3.ref", "0x1-0xzz-3.ref"] {
            assert_eq!(last_update(name), None, "{name}");
        }
    }

    #[test]
    fn one_update_is_told_from_more() {
        let stack = |names: &[&str]| Stack {
            file: String::new(),
            tables: names.iter().map(|name| (*name).to_owned()).collect(),
        };
        let before = stack(&[ONE]);
        for (after, is_next) in [
            (vec![ONE, "0x00000000000c-0x00000000000c-1.ref"], true),
            (vec!["0x000000000001-0x00000000000c-2.ref"], true),
            (vec![ONE, "0x00000000000c-0x00000000000d-1.ref"], false),
            (vec![ONE], false),
            (vec!["x.ref"], false),
        ] {
            assert_eq!(stack(&after).is_next_of(&before), is_next, "{after:?}");
        }
    }
}
