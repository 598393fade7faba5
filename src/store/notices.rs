//! Notices to agents: what others did with an issue that they work on. Each agent has a file of lines, which its next
//! command reads and empties.
//!
//! Nothing fails for a notice: the answer of the command that leaves one is about another matter, and who works on an
//! issue is in the store in any case.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use super::agents::FOLDER;
use super::{Store, private_file};
use crate::files;

const SUFFIX: &str = ".notes";
/// The size of a file beyond which nothing is added: its agent does not come back.
const LARGEST: u64 = 16 << 10;

/// Leaves a line for an agent.
pub(crate) fn leave(store: &Store, agent: &str, line: &str) {
    let Some(path) = store.agents().file(agent, SUFFIX) else {
        return;
    };
    let left = store.agents().make_folder().and_then(|()| {
        let mut file = private_file::open(&path, store.permissions())?;
        Ok(append(&mut file, line))
    });
    if !matches!(left, Ok(Ok(()))) {
        tracing::debug!("a notice could not be left");
    }
}

/// Returns the lines that were left for an agent, and removes them.
pub(crate) fn take(store: &Store, agent: &str) -> Vec<String> {
    let path = store.agents().file(agent, SUFFIX);
    let opened = path.and_then(|path| private_file::existing(&path).ok().flatten());
    let text = opened.and_then(|mut file| read_and_empty(&mut file).ok());
    let text = text.unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Removes all notices.
pub(super) fn clear(store: &Store) {
    for entry in files::entries(store.folder().join(FOLDER)) {
        if entry.file_name().to_string_lossy().ends_with(SUFFIX) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A look at the notices for one agent, in any thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct NoticeWatch(Option<PathBuf>);

impl NoticeWatch {
    pub(crate) fn new(store: &Store, agent: &str) -> Self {
        Self(store.agents().file(agent, SUFFIX))
    }

    /// Returns whether there are notices: one look at the disk.
    pub(crate) fn are_left(&self) -> bool {
        let found = self.0.as_ref().and_then(|path| path.metadata().ok());
        found.is_some_and(|file| file.len() > 0)
    }
}

/// Returns whether notices were ever left here: one look at the disk.
pub(crate) fn are_any(store: &Store) -> bool {
    store.folder().join(FOLDER).exists()
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
