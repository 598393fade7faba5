//! The repositories of a user, each with the place at which it is opened.

use std::io::ErrorKind;
use std::path::PathBuf;

use super::main_tree;
use super::registry::{ListedRepo, RepoSource, registry};
use crate::env::{Env, canonicalize};
use crate::ops::scene::inbox::AskedRepo;
use crate::ops::{Code, Command, Error, Location, Result, Tracker, locate};

/// A repository of a user.
#[derive(Clone, Debug)]
pub(crate) struct RepoPlace {
    /// Its name, which no other one has.
    pub(crate) name: String,
    pub(crate) location: Location,
    /// True for the one that the caller is in, listed or not.
    pub(crate) is_here: bool,
    repo: ListedRepo,
}

impl RepoPlace {
    /// Returns whether no list names it, but that the caller is in it.
    pub(crate) fn is_around(&self) -> bool {
        self.repo.source == RepoSource::Here
    }

    /// Returns whether only the list of recent repositories names it.
    pub(crate) fn is_recent(&self) -> bool {
        self.repo.source == RepoSource::Recent
    }

    /// Returns its row, with the reason for which it can't be read.
    pub(crate) fn asked(&self, fault: Option<Error>) -> AskedRepo {
        asked(&self.repo, fault)
    }

    /// Returns its row where it has said nothing for two seconds. Its disk is not asked.
    pub(crate) fn silent(&self) -> AskedRepo {
        let message = "not read within two seconds: its index may have to be built, or its disk does not answer";
        AskedRepo {
            repo: self.name.clone(),
            path: self.repo.dir.display().to_string(),
            error: Some(message.to_owned()),
            hint: Some(there(&self.repo, "inbox").to_string()),
        }
    }
}

/// Returns the repositories of the user and the one that a location is in, and a warning where the list of recent ones can't be
/// read.
/// Errors: git can't be asked for its configuration.
pub(crate) fn places(env: &Env, here: &Location) -> Result<(Vec<RepoPlace>, Vec<String>)> {
    let top = top_of(here);
    let (repos, warnings) = registry(env, top.as_deref())?;
    let mut places = Vec::new();
    for repo in repos {
        // The one around by what named it, which can be `GIT_DIR`.
        let location = match repo.source {
            RepoSource::Here => here.clone(),
            RepoSource::Configured(_) | RepoSource::Recent => Location {
                dir: repo.dir.clone(),
                explicit: true,
                env: env.clone(),
            },
        };
        places.push(RepoPlace {
            name: repo.name.clone(),
            location,
            is_here: Some(&repo.dir) == top.as_ref(),
            repo,
        });
    }
    Ok((places, warnings))
}

/// Opens a repository of the list.
/// Errors: it can't be opened, or has no absolute path.
pub(crate) fn open_place(
    location: &Location,
    open: impl Fn(&Location) -> Result<Tracker>,
) -> Result<Tracker> {
    if !location.dir.is_absolute() {
        // It would be another one in each folder.
        return Err(Error::invalid("no absolute path"));
    }
    open(location)
}

/// Returns the folder of the repository that a location is in, the same from each of its work trees; none outside of one.
fn top_of(here: &Location) -> Option<PathBuf> {
    let named = here.env.var_os("GIT_DIR").filter(|_| !here.explicit);
    let (common, top) = match named {
        Some(git_dir) => {
            let git_dir = canonicalize(&here.dir.join(git_dir)).ok()?;
            (git_dir.clone(), git_dir)
        }
        None => {
            let found = locate(here).ok()?;
            (found.common.clone(), found.place().to_owned())
        }
    };
    Some(main_tree(&common, &top))
}

/// Returns the row of a repository. The command behind a fault leads to that repository, where what it says is about this one.
fn asked(repo: &ListedRepo, fault: Option<Error>) -> AskedRepo {
    let fault = fault.map(|error| {
        let unlist = repo.unlist().map(|command| command.to_string());
        let is_absolute = repo.dir.is_absolute();
        // Without a right to look there it may well be there.
        let is_folder = match std::fs::metadata(&repo.dir) {
            Ok(found) => found.is_dir(),
            Err(error) => error.kind() != ErrorKind::NotFound,
        };
        if is_absolute && is_folder {
            if error.is(Code::NotARepository) {
                return (error.message, unlist);
            }
            let is_without_store = error.is(Code::NoStore);
            let mut hints = error.hints.into_iter();
            let hint = match (hints.next(), is_without_store) {
                (Some(mut hint), false) => {
                    hint.lead("-C", &repo.dir.display().to_string());
                    hint.to_string()
                }
                (_, true) => there(repo, "init").to_string(),
                (None, false) => there(repo, "inbox").to_string(),
            };
            return (error.message, Some(hint));
        }
        let why = match is_absolute {
            true => "no folder is there",
            false => "no absolute path, and none that begins with ~/",
        };
        (why.to_owned(), unlist)
    });
    let (error, command) = fault.unzip();
    AskedRepo {
        repo: repo.name.clone(),
        path: repo.dir.display().to_string(),
        error,
        hint: command.flatten(),
    }
}

/// Returns a command for a repository.
fn there(repo: &ListedRepo, verb: &'static str) -> Command {
    let mut command = Command::of(verb);
    command.lead("-C", &repo.dir.display().to_string());
    command
}

/// Returns the error of one who stands in no repository and has listed none.
pub(crate) fn none_listed() -> Error {
    let add = Command::line("git config --global --add beads.repository").placeholder("PATH");
    Error::not_found("no repository is listed").hinted(add)
}
