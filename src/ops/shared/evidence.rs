//! Evidence as it is given: checked against the repository, so that what is kept can be found again.

use std::path::{Component, Path};

use crate::model::Evidence;
use crate::ops::{Command, Error, Result, Tracker};
use crate::platform;

/// Returns evidence with the full id of its commit and the path of its file from the top of the work tree. Refuses a
/// commit that is not in the repository, and a file that is not in its work tree.
pub(crate) fn checked(tracker: &Tracker, given: &Evidence) -> Result<Evidence> {
    given.check()?;
    let filled = |text: &Option<String>| {
        text.as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    Ok(Evidence {
        commit: filled(&given.commit)
            .map(|name| commit(tracker, &name))
            .transpose()?,
        pr: filled(&given.pr).map(pull_request).transpose()?,
        file: filled(&given.file)
            .map(|path| file(tracker, &path))
            .transpose()?,
    })
}

/// Returns a pull request: its number, or its address.
fn pull_request(given: String) -> Result<String> {
    let number = given.trim_start_matches(['#', '!']);
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_address = ["https://", "http://"]
        .iter()
        .any(|scheme| given.starts_with(scheme) && given.len() > scheme.len());
    match is_number || is_address {
        true => Ok(given),
        false => Err(Error::invalid(format!(
            "{given:?} is no pull request: give its number or its address (https://...)"
        ))),
    }
}

fn commit(tracker: &Tracker, name: &str) -> Result<String> {
    match tracker.store().user_branches().commit_named(name) {
        Some(oid) => Ok(oid.to_string()),
        None => Err(
            Error::invalid(format!("no commit {name:?} is in this repository"))
                .hinted(Command::line("git log --oneline -n 20")),
        ),
    }
}

fn file(tracker: &Tracker, path: &str) -> Result<String> {
    let top = tracker.store().work_tree().ok_or_else(|| {
        Error::invalid("this repository has no work tree, so no file of it can be named")
    })?;
    let missing = || {
        let top = top.display();
        Error::invalid(format!("no file {path:?} is in the work tree {top}"))
            .hinted(Command::line("git ls-files --cached --others"))
    };
    // Links are followed on both sides: what leads out of the work tree is not in it.
    let found = platform::canonicalize(&top.join(path)).map_err(|_| missing())?;
    let below = found.strip_prefix(&top).map_err(|_| missing())?;
    let inside = below
        .components()
        .next()
        .is_some_and(|first| first != Component::Normal(".git".as_ref()));
    inside.then(|| slashed(below)).ok_or_else(missing)
}

/// Returns a path with slashes on every platform.
fn slashed(path: &Path) -> String {
    let parts = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}
