//! Where git looks for hooks here, and whose ground that is.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::INSTALL;
use super::file;
use super::script::{self, Call, Runner};
use crate::ops::Result;
use crate::store::{Store, git};

/// The first git that runs hooks of its configuration.
const CONFIG_HOOKS: (u32, u32) = (2, 54);
/// Why git passes over a script.
pub(super) const NOT_EXECUTABLE: &str = "git ignores it: it is not executable";
const LEFTHOOK: [&str; 6] =
    ["lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook.toml", "lefthook.json"];

/// The hooks of a repository as git sees them.
pub(super) struct Ground<'a> {
    pub(super) store: &'a Store,
    /// The version of git.
    pub(super) version: String,
    /// Whether this git runs hooks of its configuration.
    pub(super) is_newer: bool,
    /// The repository's own configuration.
    pub(super) config: PathBuf,
    own: PathBuf,
    /// The folder in which git looks.
    pub(super) folder: PathBuf,
}

/// Why a hook is not ours to write, and what to do instead.
pub(super) struct Obstacle {
    pub(super) why: String,
    form: Form,
    /// The file to add the call to.
    pub(super) add_to: Option<PathBuf>,
    pub(super) remedy: Option<String>,
}

/// What has to be added by hand.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Line,
    Command,
    Lefthook,
    PreCommit,
}

impl Obstacle {
    fn new(why: impl Into<String>, form: Form, add_to: Option<PathBuf>) -> Self {
        Self { why: why.into(), form, add_to, remedy: None }
    }

    /// What to add.
    pub(super) fn text(&self, call: Call) -> String {
        match self.form {
            Form::Line => call.line(),
            Form::Command => call.command(),
            Form::Lefthook => call.lefthook(),
            Form::PreCommit => call.pre_commit(),
        }
    }
}

impl<'a> Ground<'a> {
    /// Asks git where it looks.
    ///
    /// # Errors
    /// A git that can't be run.
    pub(super) fn look(store: &'a Store) -> Result<Self> {
        let (version, numbers) = git::version()?;
        let common = store.common_dir();
        let (config, own) = (common.join("config"), common.join("hooks"));
        Ok(Self { store, version, is_newer: numbers >= CONFIG_HOOKS, config, own, folder: store.hooks_folder()? })
    }

    /// The folders that may hold scripts of ours: the one git looks in, and the one it looks in by default.
    pub(super) fn folders(&self) -> Vec<&Path> {
        let mut folders = vec![self.folder.as_path()];
        if real(&self.own) != real(&self.folder) {
            folders.push(&self.own);
        }
        folders
    }

    /// Whether a path lies in the git directory, at the end of all links.
    pub(super) fn is_ours(&self, path: &Path) -> bool {
        real(path).starts_with(self.store.common_dir())
    }

    /// Why the configuration can't be written.
    pub(super) fn config_obstacle(&self) -> Option<Obstacle> {
        let locked = [self.store.common_dir(), self.config.as_path()].into_iter().find(|path| is_read_only(path));
        if !self.is_ours(&self.config) {
            return Some(Obstacle::new("git's configuration lies elsewhere", Form::Line, None));
        }
        locked.map(|path| Obstacle::new(format!("{} is read-only", path.display()), Form::Line, None))
    }

    /// Why the script of an event is not ours to write.
    pub(super) fn obstacle(&self, event: &str) -> Option<Obstacle> {
        let path = self.folder.join(event);
        if !self.is_ours(&self.folder) {
            return Some(self.foreign_folder(event));
        }
        for locked in [self.store.common_dir(), &self.folder, &path] {
            if is_read_only(locked) {
                let why = format!("{} is read-only", locked.display());
                return Some(Obstacle::new(why, Form::Line, Some(path.clone())));
            }
        }
        if path.is_symlink() && !path.exists() {
            return Some(Obstacle::new("it is a link that leads nowhere", Form::Line, Some(path)));
        }
        if !self.is_ours(&path) {
            let target = real(&path);
            return Some(Obstacle::new("it is a link to a file that is not git's", Form::Line, Some(target)));
        }
        let text = match file::read(&path) {
            Ok(text) => text?,
            Err(error) => return Some(Obstacle::new(error.to_string(), Form::Line, Some(path))),
        };
        self.foreign_script(&path, &text)
    }

    fn foreign_folder(&self, event: &str) -> Obstacle {
        let shown = self.folder.display();
        if self.folder.exists() && !self.folder.is_dir() {
            return Obstacle::new(format!("core.hooksPath = {shown} switches hooks off"), Form::Line, None);
        }
        if let Some(root) = self.husky() {
            return Obstacle::new("husky has the hooks here", Form::Line, Some(root.join(event)));
        }
        let inside = self.store.work_tree().is_some_and(|top| real(&self.folder).starts_with(top));
        let whose = if inside { "a folder of the work tree" } else { "a folder of other repositories too" };
        Obstacle::new(format!("core.hooksPath names {whose}: {shown}"), Form::Line, Some(self.folder.join(event)))
    }

    /// The folder of husky's scripts, where git looks there.
    fn husky(&self) -> Option<&Path> {
        self.folder.ancestors().find(|path| path.file_name().is_some_and(|name| name == ".husky"))
    }

    fn foreign_script(&self, path: &Path, text: &[u8]) -> Option<Obstacle> {
        let top = self.store.place();
        let words = String::from_utf8_lossy(text);
        if words.contains("call_lefthook") {
            let found = LEFTHOOK.iter().map(|name| top.join(name)).find(|path| path.exists());
            let config = found.unwrap_or_else(|| top.join(LEFTHOOK[0]));
            return Some(Obstacle::new("lefthook has this hook", Form::Lefthook, Some(config)));
        }
        if words.contains("File generated by pre-commit") {
            let config = top.join(".pre-commit-config.yaml");
            return Some(Obstacle::new("pre-commit has this hook", Form::PreCommit, Some(config)));
        }
        if let Runner::Other(what) = script::runner(text) {
            return Some(Obstacle::new(format!("it is {what}"), Form::Command, Some(path.to_owned())));
        }
        if !is_executable(path) {
            let mut obstacle = Obstacle::new(NOT_EXECUTABLE, Form::Line, None);
            obstacle.remedy = Some(format!("chmod +x {0} && {INSTALL}, or remove {0}", path.display()));
            return Some(obstacle);
        }
        None
    }
}

/// A path at the end of all links; of what is not there, the part that is.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let link = fs::read_link(path).ok();
    match (link, path.parent(), path.file_name()) {
        (Some(link), Some(parent), _) => real(parent).join(link),
        (None, Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}

/// Whether nobody is meant to write there; the superuser could.
fn is_read_only(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o222 == 0)
}

pub(super) fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
