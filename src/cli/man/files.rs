//! Files of manual pages: written whole or not at all, and only over pages of git-beads.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::MARK;
use crate::env::Env;
use crate::files::replace;
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::{Code, Command, Error, Result};
use crate::platform;

/// The folders that `man` searches on every system.
const SYSTEM: [&str; 2] = ["/usr/share/man", "/usr/local/share/man"];
/// The file of the cache directory that says that a user was told of `git beads man`.
const HINTED: &str = "man-hint";

/// The manual pages that were written or removed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct Pages {
    /// How many.
    pub(in crate::cli) pages: usize,
    /// The folder they are in, or were in; none where there were none to remove.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) folder: Option<String>,
    /// Whether they were removed.
    pub(in crate::cli) removed: bool,
    /// What lets `man` find them, where it would not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) hint: Option<String>,
}

impl Answer for Pages {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// Writes the pages below `dir`, else where `man` finds them next to the program, else for the user.
pub(in crate::cli) fn write(
    env: &Env,
    dir: Option<&Path>,
    pages: &BTreeMap<String, String>,
) -> Result<Pages> {
    let root = match dir {
        Some(dir) => dir.to_owned(),
        None => usual(env)
            .into_iter()
            .find(|root| is_writable(&section(root)))
            .ok_or_else(nowhere)?,
    };
    let folder = section(&root);
    fs::create_dir_all(&folder).map_err(|error| failed(&folder, &error))?;
    let foreign = pages
        .keys()
        .map(|name| folder.join(name))
        .find(|page| page.exists() && !is_ours(page));
    if let Some(page) = foreign {
        let message = format!("{} was not written by git beads", page.display());
        return Err(Error::new(Code::ForeignPage, message)
            .hinted(Command::of("man").placeholder("ANOTHER-FOLDER")));
    }
    for (name, text) in pages {
        put(&folder.join(name), text)?;
    }
    // What another version has written and this one does not know.
    ours(&folder)
        .iter()
        .filter(|page| !is_among(pages, page))
        .try_for_each(|page| take_away(page))?;
    let export = || Command::line("export").word(format!("MANPATH={}:", root.display()));
    let hint = (!is_searched(env, &root)).then(|| export().to_string());
    Ok(Pages {
        pages: pages.len(),
        folder: Some(folder.display().to_string()),
        removed: false,
        hint,
    })
}

/// Removes our pages below `dir`, else from the first usual place that has some: again until there is no folder in
/// the answer removes all.
pub(in crate::cli) fn remove(env: &Env, dir: Option<&Path>) -> Result<Pages> {
    let roots = dir.map_or_else(|| usual(env), |dir| vec![dir.to_owned()]);
    let found = roots
        .iter()
        .map(|root| section(root))
        .find(|folder| !ours(folder).is_empty());
    let pages = found.as_deref().map(ours).unwrap_or_default();
    pages.iter().try_for_each(|page| take_away(page))?;
    for folder in found.iter().flat_map(|folder| folder.ancestors().take(2)) {
        // One that holds something else stays.
        let _ = fs::remove_dir(folder);
    }
    let folder = found.map(|folder| folder.display().to_string());
    Ok(Pages {
        pages: pages.len(),
        folder,
        removed: true,
        hint: None,
    })
}

/// Returns true once for each user whose pages are not found: a file in the cache directory is made when they are told.
pub(in crate::cli) fn is_first_hint(env: &Env) -> bool {
    let Some(cache) = env.cache_dir().filter(|_| !are_found(env)) else {
        return false;
    };
    // Of two at the same time one makes the file; where no file can be made, no one would be told only once.
    fs::create_dir_all(&cache).is_ok() && fs::File::create_new(cache.join(HINTED)).is_ok()
}

/// Returns true if there are pages where `write` puts them, or in a folder that `MANPATH` names.
pub(in crate::cli) fn are_found(env: &Env) -> bool {
    let all = usual(env).into_iter().chain(env.paths("MANPATH"));
    all.map(|root| section(&root).join("git-beads.1"))
        .any(|page| page.exists())
}

/// Returns the usual folders that hold pages of git-beads.
pub(in crate::cli) fn places(env: &Env) -> Vec<String> {
    let folders = usual(env)
        .into_iter()
        .map(|root| section(&root))
        .filter(|folder| !ours(folder).is_empty());
    folders.map(|folder| folder.display().to_string()).collect()
}

/// Returns the roots of manual pages that may be written to: next to the program where it is run by its name, then
/// the user's own.
fn usual(env: &Env) -> Vec<PathBuf> {
    let program = env
        .program()
        .and_then(|program| program.parent().map(Path::to_owned));
    let named = program.filter(|folder| env.paths("PATH").iter().any(|path| same(path, folder)));
    let shared = named.and_then(|folder| Some(folder.parent()?.join("share/man")));
    let own = env.home().map(|home| home.join(".local/share/man"));
    shared.into_iter().chain(own).collect()
}

fn section(root: &Path) -> PathBuf {
    root.join("man1")
}

/// Returns true if `man` searches there: by `MANPATH`, next to the folders of `PATH`, or as everywhere.
fn is_searched(env: &Env, root: &Path) -> bool {
    let listed = env.var("MANPATH").unwrap_or_default();
    if listed
        .split(':')
        .any(|path| !path.is_empty() && same(Path::new(path), root))
    {
        return true;
    }
    // An empty entry means what is searched without the variable.
    let extended = listed.split(':').any(str::is_empty);
    let beside = |path: PathBuf| {
        let above = path.parent().unwrap_or(&path);
        [
            above.join("share/man"),
            above.join("man"),
            path.join("share/man"),
            path.join("man"),
        ]
    };
    let system = SYSTEM.iter().map(PathBuf::from);
    extended
        && env
            .paths("PATH")
            .into_iter()
            .flat_map(beside)
            .chain(system)
            .any(|path| same(&path, root))
}

fn same(one: &Path, other: &Path) -> bool {
    one == other
        || platform::canonicalize(one)
            .is_ok_and(|one| platform::canonicalize(other).is_ok_and(|it| it == one))
}

fn is_writable(folder: &Path) -> bool {
    fs::create_dir_all(folder).is_ok() && tempfile::tempfile_in(folder).is_ok()
}

/// Returns the pages of git-beads in a folder.
fn ours(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let named = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.trim_start_matches("git")
            .trim_start_matches('-')
            .starts_with("beads")
            && name.ends_with(".1")
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| named(path) && is_ours(path))
        .collect()
}

fn is_ours(page: &Path) -> bool {
    fs::read(page).is_ok_and(|text| text.starts_with(MARK.as_bytes()))
}

fn is_among(pages: &BTreeMap<String, String>, page: &Path) -> bool {
    page.file_name()
        .is_some_and(|name| pages.contains_key(&*name.to_string_lossy()))
}

/// Writes a page, through a symbolic link to what it names; a page that says the same already stays as it is.
fn put(page: &Path, text: &str) -> Result<()> {
    if fs::read(page).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    replace(page, text.as_bytes(), 0o644).map_err(|error| failed(page, &error))
}

fn take_away(page: &Path) -> Result<()> {
    fs::remove_file(page).map_err(|error| failed(page, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    let message = format!("can't write {}: {error}", path.display());
    Error::new(Code::Io, message).hinted(Command::of("man").flag("~/.local/share/man"))
}

fn nowhere() -> Error {
    Error::invalid("there is no folder for manual pages that you may write to")
        .hinted(Command::of("man").placeholder("FOLDER"))
}
