//! The work that a hook starts in the background: git does not wait for it, and its failure has no
//! effect.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::env::start_thread;
use crate::ops::verbs::hook_task;
use crate::ops::{self, Intent, Result};
use crate::platform;
use crate::store::{Location, Store, git};

/// Time limit for the index; the next reader catches up otherwise.
const REFRESH: Duration = Duration::from_secs(10);
/// Time limit for an exchange.
const EXCHANGE: Duration = Duration::from_secs(30);

/// Handles an event of git. It ends in time, prints nothing and never fails; an unknown event is
/// ignored.
pub(crate) fn handle(here: &Location, event: &str, args: &[OsString], with_sync: bool) {
    // An exchange runs git, whose hooks would start this again.
    if here.env.var("CI").is_some()
        || here
            .env
            .var("GIT_BEADS_HOOK")
            .is_some_and(|running| running != event)
    {
        return;
    }
    end_after(if with_sync {
        REFRESH + EXCHANGE
    } else {
        REFRESH
    });
    // The next command makes up for a failure here.
    let _ = respond(here, event, args, with_sync);
}

fn respond(here: &Location, event: &str, args: &[OsString], with_sync: bool) -> Result<()> {
    let tracker = ops::open(here, None, Intent::Write)?;
    let store = tracker.store();
    let first = args
        .first()
        .map(|arg| arg.to_string_lossy().into_owned())
        .unwrap_or_default();
    // Git calls post-rewrite once, at the end of a rebase, and the others for each step of it.
    if is_rebasing(store) && !(event == "post-rewrite" && first == "rebase") {
        return Ok(());
    }
    let (task, remote) = match event {
        "pre-push" => ("push", is_shared_with(store, &first)?.then_some(first)),
        "post-merge" | "post-rewrite" => ("pull", pulled_from(store)?),
        "post-checkout" => ("refresh", None),
        _ => return Ok(()),
    };
    if let Some(remote) = remote.filter(|_| with_sync) {
        git::supervise(
            store.env(),
            &stable_folder(store),
            &["hook", task, &remote],
            EXCHANGE,
        );
    }
    hook_task::hook(&tracker, "refresh", None)
}

fn is_rebasing(store: &Store) -> bool {
    ["rebase-merge", "rebase-apply"]
        .iter()
        .any(|name| store.git_dir().join(name).exists())
}

/// Returns whether a push to a remote also sends issues: it has had some before, or is the one that
/// `sync` would choose.
fn is_shared_with(store: &Store, remote: &str) -> Result<bool> {
    let known = store.remotes().names().iter().any(|known| known == remote);
    Ok(known
        && (store.remotes().seen_tip(remote)?.is_some()
            || store.remotes().remote(None)?.as_deref() == Some(remote)))
}

/// The options of `git pull` whose value may be the next word.
const WITH_VALUE: [&str; 15] = [
    "-s",
    "--strategy",
    "-X",
    "--strategy-option",
    "-j",
    "--jobs",
    "-o",
    "--server-option",
    "--depth",
    "--deepen",
    "--shallow-since",
    "--shallow-exclude",
    "--upload-pack",
    "--refmap",
    "--negotiation-tip",
];

/// Returns the remote of the `git pull` that this is a part of, by git's reflog action.
fn pulled_from(store: &Store) -> Result<Option<String>> {
    let action = store.env().var("GIT_REFLOG_ACTION").unwrap_or_default();
    let mut words = action.split_whitespace();
    if words.next() != Some("pull") {
        return Ok(None);
    }
    // git sets the action to the words of the command, options and refspecs among them.
    let mut named = Vec::new();
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            named.push(word);
        }
    }
    if named.is_empty() {
        return Ok(store.remotes().remote(None)?);
    }
    Ok(store
        .remotes()
        .names()
        .into_iter()
        .find(|known| named.contains(&known.as_str())))
}

/// Returns a folder from which the same repository is found without git's variables.
fn stable_folder(store: &Store) -> PathBuf {
    Some(store.place())
        // A work tree has a `.git`; a bare repository is its own folder.
        .filter(|place| place.join(".git").exists())
        .unwrap_or_else(|| store.git_dir())
}

/// Leaves the terminal, so that no child can prompt there, and ends this process when its time is
/// up.
fn end_after(limit: Duration) {
    platform::leave_terminal();
    #[expect(clippy::exit, reason = "whatever hangs, hangs in the other thread")]
    let end = || std::process::exit(0);
    let guard = start_thread(move || {
        std::thread::sleep(limit);
        end();
    });
    if guard.is_err() {
        // Nothing would end it; what it was to do is done the next time.
        end();
    }
}
