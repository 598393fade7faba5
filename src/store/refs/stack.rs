//! The stack of tables of a reftable.
//!
//! A table never changes, and its name has the numbers of its updates and a random part; so as long as `tables.list` is
//! the same file and names the same tables, each ref has the value that it had.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::super::{Result, StoreError, io};
use super::value::RefValue;
use crate::platform::{self, FileFingerprint, FileId};

/// The file that names the tables.
const LIST: &str = "tables.list";

/// The tables of a reftable, as they were at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stack {
    /// Place, time and size of the file that names them.
    file: String,
    tables: Vec<String>,
}

/// The refs that git was asked for, and what it answered of a stack: a value, or that there is none.
#[derive(Debug)]
pub(super) struct ReadRefs {
    pub(super) stack: Stack,
    pub(super) values: BTreeMap<String, Option<RefValue>>,
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

#[cfg(test)]
mod tests {
    use super::is_table;

    #[test]
    fn names_of_tables_are_read_as_git_writes_them() {
        assert!(is_table("0x000000000001-0x00000000000b-348e3dbc.ref"));
        for name in ["", "../x.ref", "x", ".ref", "a b.ref", "x.ref.lock"] {
            assert!(!is_table(name), "{name}");
        }
    }
}
