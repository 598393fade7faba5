//! The repositories that a person has used, newest last: a file of the user's, a line for each. Nobody's configuration is
//! written for it, and nothing searches the disk.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::env::agent::{is_person, is_within_client};
use crate::env::{Env, canonicalize};
use crate::files::replace;
use crate::ops::{Error, Result, Tracker};

/// The setting that turns the list off when it is false.
pub(super) const KEY: &str = "beads.recent";
/// Mode of the file: which repositories somebody has is nobody else's business.
const MODE: u32 = 0o600;

/// Notes that a person has used the repository of a tracker, where it has a work tree outside of the temporary folder.
/// A list that can't be written is no fault of the command that would have added to it.
pub(crate) fn remember(tracker: &Tracker) {
    if let Err(error) = add(tracker) {
        tracing::debug!(kind = ?error.kind(), "the list of recent repositories was not written");
    }
}

fn add(tracker: &Tracker) -> io::Result<()> {
    let env = tracker.env();
    let (Some(file), Some(dir)) = (file(env), dir_of(tracker)) else {
        return Ok(());
    };
    let line = dir.to_str().filter(|text| !text.contains(['\n', '\r']));
    let (Some(line), true) = (line, is_for(tracker, &dir)) else {
        return Ok(());
    };
    let mut bytes = read(&file)?;
    if lines(&bytes).any(|known| known == line.as_bytes()) {
        return Ok(());
    }
    if bytes.last().is_some_and(|byte| *byte != b'\n') {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(line.as_bytes());
    bytes.push(b'\n');
    replace(&file, &bytes, MODE)
}

/// Returns whether a person, and not a program, uses a repository that is there to stay.
fn is_for(tracker: &Tracker, dir: &Path) -> bool {
    let env = tracker.env();
    let is_of_program = tracker.agent().is_some() || (is_within_client(env) && !is_person(env));
    let temporary = env.temporary_folder();
    let temporary = canonicalize(&temporary).unwrap_or(temporary);
    env.error_is_terminal()
        && env.var("CI").is_none()
        && !is_of_program
        && !dir.starts_with(temporary)
        && tracker.store().config_bool(KEY) != Some(false)
}

/// Takes the repository of a tracker off the list, or only finds it; returns the file that has it.
/// Errors: the file can't be read or written.
pub(crate) fn forget(tracker: &Tracker, dry_run: bool) -> Result<Option<PathBuf>> {
    let (Some(file), Some(dir)) = (file(tracker.env()), dir_of(tracker)) else {
        return Ok(None);
    };
    let failed = |error: io::Error| Error::io(&file.display().to_string(), &error);
    let bytes = read(&file).map_err(failed)?;
    let line = dir.as_os_str().as_encoded_bytes();
    if !lines(&bytes).any(|known| known == line) {
        return Ok(None);
    }
    if !dry_run {
        let mut kept = Vec::new();
        for other in lines(&bytes).filter(|known| *known != line) {
            kept.extend_from_slice(other);
            kept.push(b'\n');
        }
        replace(&file, &kept, MODE).map_err(failed)?;
    }
    Ok(Some(file))
}

/// Returns the repositories on the list whose folders are there. One that has gone is left out, and not forgotten: its disk
/// may be away.
/// Errors: the file can't be read.
pub(super) fn recent(env: &Env) -> Result<Vec<PathBuf>> {
    let Some(file) = file(env) else {
        return Ok(Vec::new());
    };
    let bytes = read(&file).map_err(|error| Error::io(&file.display().to_string(), &error))?;
    let mut found = Vec::new();
    for line in lines(&bytes) {
        let dir = std::str::from_utf8(line).map(PathBuf::from);
        found.extend(dir.ok().filter(|dir| dir.is_absolute() && dir.is_dir()));
    }
    Ok(found)
}

/// Returns the folder by which a repository is known, the same from each of its work trees; none for a bare one.
fn dir_of(tracker: &Tracker) -> Option<PathBuf> {
    let top = tracker.work_tree()?;
    Some(super::main_tree(tracker.store().common_dir(), &top))
}

/// Returns the place of the list; none where the user has no home.
fn file(env: &Env) -> Option<PathBuf> {
    let named = env.var_os("XDG_STATE_HOME").map(PathBuf::from);
    let named = named.filter(|path| path.is_absolute());
    let base = named.or_else(|| Some(env.home()?.join(".local/state")))?;
    Some(base.join("git-beads").join("repositories"))
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    match fs::read(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        found => found,
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter(|line| !line.is_empty())
}
