//! The repositories of a user: those that `beads.repository` of git's global configuration names, as `maintenance.repo` does
//! for git, and the one around the current directory.

use std::path::{Path, PathBuf};

use crate::env::{Env, canonicalize};
use crate::ops::{Command, GlobalValue, Result, global_values};

/// The key, which may have many values: absolute paths, or such as begin with `~/`.
const KEY: &str = "beads.repository";

/// A repository of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedRepo {
    /// The name of its folder; with its parents as far as that is needed to tell it from the others.
    pub(super) name: String,
    pub(super) dir: PathBuf,
    /// The value that lists it; none for the one that the caller is in.
    listed: Option<GlobalValue>,
}

impl ListedRepo {
    /// Returns the command that takes it off the list.
    pub(super) fn unlist(&self) -> Option<Command> {
        let listed = self.listed.as_ref()?;
        let config = Command::line("git config --file").word(&listed.file);
        let config = config.flag("--fixed-value").flag("--unset-all");
        Some(config.word(KEY).word(&listed.value))
    }
}

/// Returns the repositories that are listed, in their order, each once, and behind them the one that the caller is in.
/// Errors: git can't be asked for its configuration.
pub(super) fn listed(env: &Env, here: Option<&Path>) -> Result<Vec<ListedRepo>> {
    let mut found: Vec<ListedRepo> = Vec::new();
    let mut add = |dir: PathBuf, listed: Option<GlobalValue>| {
        // One that has gone, or is no path of its own, stays as it is written: its row says so.
        let found_dir = dir.is_absolute().then(|| canonicalize(&dir).ok()).flatten();
        let dir = found_dir.unwrap_or(dir);
        if !found.iter().any(|it| it.dir == dir) {
            let name = String::new();
            found.push(ListedRepo { name, dir, listed });
        }
    };
    for listed in global_values(env, KEY)? {
        let value = listed.value.as_str();
        let home = value.strip_prefix("~/").zip(env.home());
        let dir = home.map_or_else(|| PathBuf::from(value), |(rest, home)| home.join(rest));
        add(dir, Some(listed));
    }
    if let Some(here) = here {
        add(here.to_owned(), None);
    }
    name(&mut found);
    Ok(found)
}

/// Names each folder by as many of its last parts as it takes to tell it from the others.
fn name(listed: &mut [ListedRepo]) {
    let name_of = |dir: &Path, parts: usize| {
        let all: Vec<_> = dir.iter().map(|part| part.to_string_lossy()).collect();
        all[all.len().saturating_sub(parts)..].join("/")
    };
    let dirs: Vec<PathBuf> = listed.iter().map(|it| it.dir.clone()).collect();
    for one in listed {
        let mut parts = 1;
        loop {
            one.name = name_of(&one.dir, parts);
            let same = dirs.iter().filter(|dir| name_of(dir, parts) == one.name);
            if same.count() == 1 || parts >= one.dir.iter().count() {
                break;
            }
            parts += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_as_many_parts_as_tell_it_from_others() {
        let dirs = ["/home/ann/work/app", "/home/ann/old/app", "/srv/api"];
        let listed = dirs.map(|dir| ListedRepo {
            name: String::new(),
            dir: PathBuf::from(dir),
            listed: None,
        });
        let mut listed = listed.to_vec();
        name(&mut listed);
        let names: Vec<_> = listed.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["work/app", "old/app", "api"]);
    }
}
