//! The repositories of a user: those that `beads.repository` of git's global configuration names, as `maintenance.repo` does
//! for git, those that were used lately, and the one around the current directory.

use std::path::{Path, PathBuf};

use super::recent::{self, recent};
use super::stores::each;
use crate::env::{Env, canonicalize};
use crate::ops::{Command, GlobalValue, Result, global_values};

/// The key, which may have many values: absolute paths, or such as begin with `~/`.
const KEY: &str = "beads.repository";

/// What a repository is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RepoSource {
    Configured(GlobalValue),
    Recent,
    /// The caller is in it.
    Here,
}

/// A repository of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedRepo {
    /// The name of its folder; with its parents as far as that is needed to tell it from the others.
    pub(super) name: String,
    pub(super) dir: PathBuf,
    pub(super) source: RepoSource,
}

impl ListedRepo {
    /// Returns the command that takes it out of the configuration.
    pub(super) fn unlist(&self) -> Option<Command> {
        let RepoSource::Configured(value) = &self.source else {
            return None;
        };
        let config = Command::line("git config --file").word(&value.file);
        let config = config.flag("--fixed-value").flag("--unset-all");
        Some(config.word(KEY).word(&value.value))
    }
}

/// Returns the repositories that are configured, in their order, each once, behind them those of the list of recent ones and
/// the one that the caller is in; and a warning where that list can't be read.
/// Errors: git can't be asked for its configuration.
pub(super) fn registry(env: &Env, here: Option<&Path>) -> Result<(Vec<ListedRepo>, Vec<String>)> {
    let mut named: Vec<(PathBuf, RepoSource)> = Vec::new();
    let mut is_recent_on = true;
    for set in global_values(env, &[KEY, recent::KEY])? {
        if set.key == recent::KEY {
            is_recent_on = !set.is_false();
            continue;
        }
        let value = set.value.as_str();
        let home = value.strip_prefix("~/").zip(env.home());
        let dir = home.map_or_else(|| PathBuf::from(value), |(rest, home)| home.join(rest));
        named.push((dir, RepoSource::Configured(set)));
    }
    let mut warnings = Vec::new();
    if is_recent_on {
        match recent(env) {
            Ok(dirs) => named.extend(dirs.into_iter().map(|dir| (dir, RepoSource::Recent))),
            Err(error) => warnings.push(error.message),
        }
    }
    if let Some(here) = here {
        named.push((here.to_owned(), RepoSource::Here));
    }
    let mut found = found(named);
    name(&mut found);
    Ok((found, warnings))
}

/// Returns each folder once, by its path without links.
fn found(named: Vec<(PathBuf, RepoSource)>) -> Vec<ListedRepo> {
    let dirs: Vec<PathBuf> = named.iter().map(|(dir, _)| dir.clone()).collect();
    // Beside each other: a disk of a network may not answer.
    let real = each(dirs.len(), move |n| {
        let is_absolute = dirs[n].is_absolute();
        is_absolute.then(|| canonicalize(&dirs[n]).ok()).flatten()
    });
    let mut found: Vec<ListedRepo> = Vec::new();
    for ((dir, source), real) in named.into_iter().zip(real) {
        // One that has gone, or is no path of its own, stays as it is written: its row says so.
        let dir = real.flatten().unwrap_or(dir);
        if !found.iter().any(|it| it.dir == dir) {
            let name = String::new();
            found.push(ListedRepo { name, dir, source });
        }
    }
    found
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
            source: RepoSource::Here,
        });
        let mut listed = listed.to_vec();
        name(&mut listed);
        let names: Vec<_> = listed.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["work/app", "old/app", "api"]);
    }
}
