//! Changes of files: all of them are planned before the first one is written.

use std::io;
use std::path::{Path, PathBuf};

use super::environment::HookEnvironment;
use super::script::{self, HookCall};
use super::{EVENTS, config_file};
use crate::ops::{Code, Command, Error, Hint, Result};

/// A planned change of a file.
struct FileEdit {
    path: PathBuf,
    /// The path with all links resolved.
    target: PathBuf,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
    is_config: bool,
}

#[derive(Default)]
pub(super) struct HookPlan {
    edits: Vec<FileEdit>,
    /// The events whose script can't be edited.
    broken: Vec<Broken>,
}

/// A script that stays as it is.
pub(super) struct Broken {
    event: &'static str,
    pub(super) path: PathBuf,
    pub(super) why: Error,
}

impl HookPlan {
    /// Plans the changes after which exactly these calls are installed.
    pub(super) fn make(environment: &HookEnvironment, wanted: &[HookCall]) -> Result<Self> {
        let mut plan = Self::default();
        // Nothing wanted there still takes the block out, as after git was downgraded.
        let in_config = if environment.is_newer && environment.config_conflict().is_none() {
            wanted
        } else {
            &[]
        };
        let earlier = config_file::read(&environment.config)
            .ok()
            .flatten()
            .and_then(|text| script::fenced(&text));
        let earlier = earlier.unwrap_or_default();
        let edited = plan.edit(&environment.config, true, |text| {
            Some(script::into_config(
                &text.unwrap_or_default(),
                in_config,
                &earlier,
            ))
        });
        edited.map_err(|error| unchanged(&environment.config, error))?;
        for (event, _) in EVENTS {
            let call = wanted
                .iter()
                .find(|call| call.event == event)
                // A newer git has the call in its configuration: in a script too it would run twice.
                .filter(|_| !environment.is_newer);
            for path in environment.scripts(event) {
                let call = call.filter(|_| environment.may_write(event, &path));
                if call.is_some() || environment.is_in_git_dir(&path) {
                    plan.edit_script(event, &path, call);
                }
            }
        }
        Ok(plan)
    }

    fn edit_script(&mut self, event: &'static str, path: &Path, call: Option<&HookCall>) {
        let holds_note = || {
            config_file::read(path)
                .ok()
                .flatten()
                .is_some_and(|text| script::is_with_folder(&text))
        };
        // A second installation finds the folder that the first has made; the note remembers whose it is.
        let with_folder = !path.parent().is_some_and(Path::exists) || holds_note();
        let edited = self.edit(path, false, |text| match call {
            Some(call) => Some(script::into_script(text.as_deref(), *call, with_folder)),
            None => text,
        });
        if let Err(why) = edited {
            self.broken.push(Broken {
                event,
                path: path.to_owned(),
                why,
            });
        }
    }

    /// Returns the reason why a script of an event stays as it is.
    pub(super) fn broken(&self, event: &str) -> Option<&Broken> {
        self.broken.iter().find(|broken| broken.event == event)
    }

    /// Plans a change of a file, starting from its text without the installed block.
    fn edit(
        &mut self,
        path: &Path,
        is_config: bool,
        change: impl FnOnce(Option<Vec<u8>>) -> Option<Vec<u8>>,
    ) -> Result<()> {
        let old =
            config_file::read(path).map_err(|error| failed(&format!("can't be read: {error}")))?;
        let target = end_of(path);
        // From the text without the block, so that installing again gives the same bytes.
        let bare = old.as_deref().map_or(Ok(None), script::without)?;
        let new = change(bare);
        // Several hooks may be links to one file.
        if new != old && !self.edits.iter().any(|edit| edit.target == target) {
            self.edits.push(FileEdit {
                path: path.to_owned(),
                target,
                old,
                new,
                is_config,
            });
        }
        Ok(())
    }

    /// Writes all changes; when one file fails, those before it are restored.
    pub(super) fn carry_out(&self) -> Result<()> {
        for (done, edit) in self.edits.iter().enumerate() {
            if let Err(error) = edit.apply() {
                // In reverse order, so that each step back finds the files as its own change left
                // them.
                for edit in self.edits[..done].iter().rev() {
                    // A block that can't be removed is fenced, so the next run finds it.
                    let _ = edit.reversed().apply();
                }
                return Err(unchanged(&edit.path, edit.failed(&error)));
            }
        }
        // Folders only after all files: a failure above must be able to restore into them.
        for edit in &self.edits {
            if edit.new.is_none() && edit.old.as_deref().is_some_and(script::is_with_folder) {
                config_file::remove_folder(&edit.path);
            }
        }
        Ok(())
    }

    /// Returns the files that are written.
    pub(super) fn written(&self) -> Vec<String> {
        self.paths(|edit| edit.new.is_some())
    }

    /// Returns the files that are removed.
    pub(super) fn removed(&self) -> Vec<String> {
        self.paths(|edit| edit.new.is_none())
    }

    fn paths(&self, is_meant: impl Fn(&&FileEdit) -> bool) -> Vec<String> {
        let edits = self.edits.iter().filter(is_meant);
        edits.map(|edit| edit.path.display().to_string()).collect()
    }

    /// Returns the future contents of a file.
    pub(super) fn text(&self, path: &Path) -> Option<Vec<u8>> {
        let target = end_of(path);
        let edit = self.edits.iter().find(|edit| edit.target == target);
        edit.map_or_else(
            || config_file::read(path).ok().flatten(),
            |edit| edit.new.clone(),
        )
    }
}

impl FileEdit {
    fn apply(&self) -> io::Result<()> {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) if self.is_config => {
                config_file::replace_config(&self.path, old, new)
            }
            (old, new) => config_file::replace(&self.path, old.as_deref(), new.as_deref()),
        }
    }

    fn reversed(&self) -> Self {
        let (path, target) = (self.path.clone(), self.target.clone());
        Self {
            path,
            target,
            old: self.new.clone(),
            new: self.old.clone(),
            is_config: self.is_config,
        }
    }

    fn failed(&self, error: &io::Error) -> Error {
        if !self.is_config || error.kind() != io::ErrorKind::AlreadyExists {
            return failed(&format!("can't be written: {error}"));
        }
        let lock = config_file::lock(&self.target);
        let hint = Hint::run(
            "look whether a git still runs, else: ",
            Command::line("rm").path(&lock),
        );
        failed(&format!("it is locked: {} is there", lock.display())).hinted(hint)
    }
}

/// Resolves all links of a path; returns the path itself where they lead nowhere.
fn end_of(path: &Path) -> PathBuf {
    crate::files::target(path).unwrap_or_else(|_| path.to_owned())
}

fn failed(message: &str) -> Error {
    Error::new(Code::Io, message).hinted(Command::of("hooks").word("status"))
}

/// Returns an error that stops the whole run, with the name of the file.
fn unchanged(path: &Path, error: Error) -> Error {
    Error {
        message: format!("{}: {}; no hook was changed", path.display(), error.message),
        ..error
    }
}
