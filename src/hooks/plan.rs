//! What is to be written: all of it is known before the first byte is.

use std::path::{Path, PathBuf};

use super::ground::Ground;
use super::script::{self, Call};
use super::{EVENTS, file};
use crate::ops::{Error, Kind, Result};

/// A file that becomes another.
struct Edit {
    path: PathBuf,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
    is_config: bool,
}

/// Files that become others.
#[derive(Default)]
pub(super) struct Plan {
    edits: Vec<Edit>,
}

impl Plan {
    /// Works out how exactly these calls come to be defined, and no others of ours.
    ///
    /// # Errors
    /// A file that can't be read, or a block in it that has no end.
    pub(super) fn make(ground: &Ground, wanted: &[Call]) -> Result<Self> {
        let mut plan = Self::default();
        let in_config = if ground.is_newer && ground.config_obstacle().is_none() { wanted } else { &[] };
        plan.edit(&ground.config, true, |text| Some(script::into_config(&text.unwrap_or_default(), in_config)))?;
        for (event, _) in EVENTS {
            let call = wanted.iter().find(|call| call.event == event).filter(|_| !ground.is_newer);
            for folder in ground.folders() {
                let path = folder.join(event);
                let call = call.filter(|_| folder == ground.folder.as_path() && ground.obstacle(event).is_none());
                if call.is_none() && !ground.is_ours(&path) {
                    continue;
                }
                plan.edit(&path, false, |text| match call {
                    Some(call) => Some(script::into_script(text.as_deref(), *call)),
                    None => text,
                })?;
            }
        }
        Ok(plan)
    }

    /// Adds what a file becomes, first without our block.
    fn edit(
        &mut self,
        path: &Path,
        is_config: bool,
        change: impl FnOnce(Option<Vec<u8>>) -> Option<Vec<u8>>,
    ) -> Result<()> {
        let named = |error: Error| Error { message: format!("{}: {}", path.display(), error.message), ..error };
        let old = file::read(path).map_err(|error| failed(path, "read", &error))?;
        let bare = old.as_deref().map_or(Ok(None), script::without).map_err(named)?;
        let new = change(bare);
        if new != old {
            self.edits.push(Edit { path: path.to_owned(), old, new, is_config });
        }
        Ok(())
    }

    /// Writes everything; when one file fails, those before it are put back.
    ///
    /// # Errors
    /// The file that can't be written.
    pub(super) fn carry_out(&self) -> Result<()> {
        for (done, edit) in self.edits.iter().enumerate() {
            if let Err(error) = edit.apply() {
                for edit in self.edits[..done].iter().rev() {
                    // What can't be put back is ours, and fenced: the next run finds it.
                    let _ = edit.reversed().apply();
                }
                return Err(failed(&edit.path, "write", &error));
            }
        }
        Ok(())
    }

    /// The files that change.
    pub(super) fn paths(&self) -> Vec<String> {
        self.edits.iter().map(|edit| edit.path.display().to_string()).collect()
    }

    /// What a file will hold.
    pub(super) fn text(&self, path: &Path) -> Option<Vec<u8>> {
        let edit = self.edits.iter().find(|edit| edit.path == path);
        edit.map_or_else(|| file::read(path).ok().flatten(), |edit| edit.new.clone())
    }
}

impl Edit {
    fn apply(&self) -> std::io::Result<()> {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) if self.is_config => file::replace_config(&self.path, old, new),
            (old, new) => file::replace(&self.path, old.as_deref(), new.as_deref()),
        }
    }

    fn reversed(&self) -> Self {
        Self { path: self.path.clone(), old: self.new.clone(), new: self.old.clone(), is_config: self.is_config }
    }
}

fn failed(path: &Path, what: &str, error: &std::io::Error) -> Error {
    let message = format!("can't {what} {}: {error}; no hook was changed", path.display());
    Error::new(Kind::Io, "io", message).hinted("git beads hooks status")
}
