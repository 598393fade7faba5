//! The inbox over all repositories of a user.

use std::path::PathBuf;

use super::places::{RepoPlace, none_listed, open_place, places};
use super::recent::remember;
use super::stores::each;
use crate::env::Env;
use crate::ops::scene::inbox::{Inbox, inbox};
use crate::ops::{Code, Location, Result, Tracker};

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
    let (repos, mut warnings) = places(env, here)?;
    let places = repos.clone();
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
            Some(Err(error)) if error.is(Code::NoStore) && repo.is_around() => continue,
            // It has gone since it was used, and nobody has asked for it.
            Some(Err(error)) if error.is(Code::NotARepository) && repo.is_recent() => continue,
            Some(Err(error)) => Some(error),
            None => {
                sum.repos.push(repo.silent());
                continue;
            }
        };
        sum.repos.push(repo.asked(fault));
    }
    if sum.repos.is_empty() {
        return Err(none_listed());
    }
    sum.sort();
    Ok((sum, warnings))
}

/// Reads the inbox of one repository.
fn read(
    place: &RepoPlace,
    all: bool,
    open: impl Fn(&Location) -> Result<Tracker>,
) -> Result<RepoInbox> {
    let tracker = open_place(&place.location, open)?;
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
