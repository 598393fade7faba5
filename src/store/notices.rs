//! Notices to agents: what others did with an issue that they work on. Each agent has a file of lines, which its next
//! command reads and empties.
//!
//! Nothing fails for a notice: the answer of the command that leaves one is about another matter, and who works on an
//! issue is in the store in any case.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Store, private_file};

/// The folder of the files, below `.git/beads`.
pub(super) const FOLDER: &str = "agents";
const SUFFIX: &str = ".notes";
/// The longest name of an agent.
const LONGEST: usize = 64;
/// The size of a file beyond which nothing is added: its agent does not come back.
const LARGEST: u64 = 16 << 10;
/// The age at which a file is removed.
const LASTS: Duration = Duration::from_secs(14 * 24 * 3600);

/// Leaves a line for an agent.
pub(crate) fn leave(store: &Store, agent: &str, line: &str) {
    let Some(path) = path_of(store, agent) else {
        return;
    };
    let folder = store.folder().join(FOLDER);
    let left = private_file::folder(&folder, store.permissions()).and_then(|()| {
        remove_old(&folder);
        let mut file = private_file::open(&path, store.permissions())?;
        Ok(append(&mut file, line))
    });
    if !matches!(left, Ok(Ok(()))) {
        tracing::debug!("a notice could not be left");
    }
}

/// Returns the lines that were left for an agent, and removes them.
pub(crate) fn take(store: &Store, agent: &str) -> Vec<String> {
    let path = path_of(store, agent);
    let opened = path.and_then(|path| private_file::existing(&path).ok().flatten());
    let text = opened.and_then(|mut file| read_and_empty(&mut file).ok());
    let text = text.unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Returns whether notices were ever left here: one look at the disk.
pub(crate) fn are_any(store: &Store) -> bool {
    store.folder().join(FOLDER).exists()
}

/// Returns the file of an agent. The name can come from another clone: one that is no plain name has none.
fn path_of(store: &Store, agent: &str) -> Option<PathBuf> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let fits = !agent.is_empty() && agent.len() <= LONGEST && !agent.starts_with('.');
    (fits && agent.chars().all(is_plain))
        .then(|| store.folder().join(FOLDER).join(format!("{agent}{SUFFIX}")))
}

fn append(file: &mut File, line: &str) -> std::io::Result<()> {
    // Where files can't be locked, a line that comes while others are read is lost at worst.
    let _ = file.lock();
    let end = file.seek(SeekFrom::End(0))?;
    match end < LARGEST {
        true => file.write_all(format!("{}\n", line.replace('\n', " ")).as_bytes()),
        false => Ok(()),
    }
}

fn read_and_empty(file: &mut File) -> std::io::Result<String> {
    let _ = file.lock();
    let mut text = String::new();
    file.take(2 * LARGEST).read_to_string(&mut text)?;
    file.set_len(0)?;
    Ok(text)
}

fn remove_old(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|meta| meta.modified());
        let age = age.ok().and_then(|changed| changed.elapsed().ok());
        if age.is_some_and(|age| age > LASTS) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
