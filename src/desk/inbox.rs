//! The inbox over all repositories of a user.

use std::io::ErrorKind;
use std::path::PathBuf;

use super::main_tree;
use super::recent::remember;
use super::registry::{ListedRepo, RepoSource, registry};
use super::stores::each;
use crate::env::{Env, canonicalize};
use crate::ops::scene::inbox::{AskedRepo, Inbox, inbox};
use crate::ops::{Code, Command, Error, Location, Result, Tracker, locate};

/// A repository to open.
struct RepoPlace {
    location: Location,
    is_here: bool,
}

/// The inbox of one repository.
struct RepoInbox {
    /// The folder that its work trees share: it is counted once, whichever of them is listed.
    common: PathBuf,
    inbox: Inbox,
    warnings: Vec<String>,
}

/// Returns what needs the caller in the repositories of the user and in the one that a location is in, and the warnings of
/// each with its name. One that can't be read, or takes longer than two seconds, is named with the reason.
/// Errors: git can't be asked for the list, or nothing is listed and the location is in no repository.
pub(crate) fn inbox_of_all(
    env: &Env,
    here: &Location,
    all: bool,
    open: impl Fn(&Location) -> Result<Tracker> + Send + Sync + 'static,
) -> Result<(Inbox, Vec<String>)> {
    let top = top_of(here);
    let (repos, mut warnings) = registry(env, top.as_deref())?;
    let places = places(&repos, here);
    let found = each(places.len(), move |n| read(&places[n], all, &open));
    let (mut sum, mut known) = (Inbox::default(), Vec::new());
    for (repo, found) in repos.iter().zip(found) {
        let fault = match found {
            Some(Ok(found)) if known.contains(&found.common) => continue,
            Some(Ok(found)) => {
                known.push(found.common);
                sum.add(&repo.name, found.inbox);
                let named = found
                    .warnings
                    .iter()
                    .map(|text| format!("{}: {text}", repo.name));
                warnings.extend(named);
                None
            }
            // The one that the caller is in may well have no issues.
            Some(Err(error)) if error.is(Code::NoStore) && repo.source == RepoSource::Here => {
                continue;
            }
            // It has gone since it was used, and nobody has asked for it.
            Some(Err(error))
                if error.is(Code::NotARepository) && repo.source == RepoSource::Recent =>
            {
                continue;
            }
            Some(Err(error)) => Some(error),
            None => Some(silent()),
        };
        sum.repos.push(asked(repo, fault));
    }
    if sum.repos.is_empty() {
        return Err(none_listed());
    }
    sum.sort();
    Ok((sum, warnings))
}

/// Returns where each repository is: the one around by what named it, which can be `GIT_DIR`.
fn places(repos: &[ListedRepo], here: &Location) -> Vec<RepoPlace> {
    let mut places = Vec::new();
    for repo in repos {
        let is_here = repo.source == RepoSource::Here;
        let location = match is_here {
            true => here.clone(),
            false => Location {
                dir: repo.dir.clone(),
                explicit: true,
                env: here.env.clone(),
            },
        };
        places.push(RepoPlace { location, is_here });
    }
    places
}

/// Reads the inbox of one repository.
fn read(
    place: &RepoPlace,
    all: bool,
    open: impl Fn(&Location) -> Result<Tracker>,
) -> Result<RepoInbox> {
    if !place.location.dir.is_absolute() {
        // It would be another one in each folder.
        return Err(Error::invalid("no absolute path"));
    }
    let tracker = open(&place.location)?;
    let inbox = inbox(&tracker, all)?;
    if place.is_here {
        remember(&tracker);
    }
    Ok(RepoInbox {
        common: tracker.store().common_dir().to_owned(),
        inbox,
        warnings: tracker.take_warnings(),
    })
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
    let there = |verb| {
        let mut command = Command::of(verb);
        command.lead("-C", &repo.dir.display().to_string());
        command
    };
    let fault = fault.map(|error| {
        let is_absolute = repo.dir.is_absolute();
        // Without a right to look there it may well be there.
        let is_folder = match std::fs::metadata(&repo.dir) {
            Ok(found) => found.is_dir(),
            Err(error) => error.kind() != ErrorKind::NotFound,
        };
        if is_absolute && is_folder {
            if error.is(Code::NotARepository) {
                return (error.message, repo.unlist());
            }
            let command = match error.is(Code::NoStore) {
                true => there("init"),
                false => there("inbox"),
            };
            return (error.message, Some(command));
        }
        let why = match is_absolute {
            true => "no folder is there",
            false => "no absolute path, and none that begins with ~/",
        };
        (why.to_owned(), repo.unlist())
    });
    let (error, command) = fault.unzip();
    AskedRepo {
        repo: repo.name.clone(),
        path: repo.dir.display().to_string(),
        error,
        hint: command.flatten().map(|command| command.to_string()),
    }
}

fn silent() -> Error {
    let message =
        "not read within two seconds: its index may have to be built, or its disk does not answer";
    Error::new(Code::Io, message)
}

fn none_listed() -> Error {
    let add = Command::line("git config --global --add beads.repository").placeholder("PATH");
    Error::not_found("no repository is listed").hinted(add)
}
