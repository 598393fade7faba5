//! Remotes that are pushed to at another address than they are fetched from, as in a triangle of forks.
//!
//! What such a push sends does not come back by a fetch. So it says nothing of what the remote has: the tip that was
//! pushed is kept in a ref of its own, and what waits to be sent is counted from there. Two addresses of one
//! repository, such as one to read and one to write, are recognized by host and path, and are one remote.

use std::path::{Path, PathBuf};

use super::git::output;
use super::{Destination, Oid, Result, Store};
use crate::platform;

/// The places where git looks for the repository that a path names, in its order.
const ENDS: [&str; 4] = ["/.git", "", ".git/.git", ".git"];

/// Returns true where a push to a remote goes to a repository that a fetch from it does not ask.
pub(crate) fn pushes_elsewhere(store: &Store, remote: &str) -> bool {
    if !may_push_elsewhere(store, remote) {
        return false;
    }
    let urls = |options: &[&str]| {
        let mut command = store.git().command();
        command.args(["remote", "get-url", "--all"]).args(options);
        let said = output(command.args(["--end-of-options", remote])).ok()?;
        let text = String::from_utf8(said.stdout).ok()?;
        Some(text.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let (Some(fetched), Some(pushed)) = (urls(&[]), urls(&["--push"])) else {
        return false;
    };
    let place = |url: &String| Repository::of(url, &store.place());
    // A fetch asks the first address alone, a push goes to all.
    let asked = fetched.first().map(place);
    pushed.iter().any(|url| Some(place(url)) != asked)
}

/// Returns the tip that our operations were sent to a remote with: the last that was pushed, where that goes elsewhere
/// or to a mailbox, else what the remote has.
pub(crate) fn sent_tip(store: &Store, remote: &str) -> Result<Option<Oid>> {
    // A value that means nothing is named by what sends.
    let destination = || store.remotes().addresses(remote).destination();
    let has_mailbox = || destination().is_ok_and(|to| to != Destination::Store);
    if (may_push_elsewhere(store, remote) || has_mailbox())
        && let Some(tip) = pushed_tip(store, remote)?
    {
        return Ok(Some(tip));
    }
    store.remotes().tracked(remote)
}

/// Returns the tip that was pushed elsewhere last.
pub(crate) fn pushed_tip(store: &Store, remote: &str) -> Result<Option<Oid>> {
    store.remotes().resolve(&pushed_ref(remote))
}

/// Returns the ref of what was pushed to a remote last.
pub(super) fn pushed_ref(remote: &str) -> String {
    format!("refs/beads-seen/{remote}/pushed")
}

/// Returns true where the configuration has an address of its own for pushes, by any key. Reads nothing else.
fn may_push_elsewhere(store: &Store, remote: &str) -> bool {
    let count = |key: &str| store.config_all(&format!("remote.{remote}.{key}")).len();
    count("pushurl") > 0 || count("url") > 1 || has_push_rules(store)
}

/// Returns true where a rule changes addresses for pushes: `url.<base>.pushInsteadOf`.
fn has_push_rules(store: &Store) -> bool {
    let snapshot = store.repo.config_snapshot();
    let sections = snapshot.plumbing().sections_by_name("url");
    let mut sections = sections.into_iter().flatten();
    sections.any(|section| section.value("pushInsteadOf").is_some())
}

/// The repository that an address leads to.
#[derive(Debug, PartialEq, Eq)]
enum Repository {
    /// On a host, for any protocol and user.
    Remote { host: String, path: String },
    /// On this machine.
    Local(PathBuf),
}

impl Repository {
    fn of(url: &str, place: &Path) -> Self {
        if let Some((scheme, rest)) = url.split_once("://") {
            return match scheme {
                "file" => Self::local(Path::new(rest)),
                _ => {
                    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
                    Self::remote(host, path)
                }
            };
        }
        // As git has it: a colon ends a host, unless a slash comes before it.
        match url.split_once(':') {
            Some((host, path)) if !host.contains('/') && !is_drive(host) => {
                Self::remote(host, path)
            }
            _ => Self::local(&place.join(url)),
        }
    }

    fn remote(host: &str, path: &str) -> Self {
        let host = host.rsplit('@').next().unwrap_or(host);
        let host = host.split(':').next().unwrap_or(host).to_lowercase();
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path).to_owned();
        Self::Remote { host, path }
    }

    fn local(path: &Path) -> Self {
        let text = path.display().to_string();
        let text = text.trim_end_matches('/');
        let ends = ENDS.map(|end| PathBuf::from(format!("{text}{end}")));
        let found = ends.iter().find(|path| path.join("HEAD").exists());
        let real = found.and_then(|path| platform::canonicalize(path).ok());
        Self::Local(real.unwrap_or_else(|| PathBuf::from(text)))
    }
}

/// Returns whether what a colon follows is a drive, and no host.
fn is_drive(text: &str) -> bool {
    platform::HAS_DRIVES && text.len() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_repository_are_one() {
        let of = |url: &str| Repository::of(url, Path::new("/nowhere"));
        for url in [
            "https://Example.org/o/r.git",
            "https://user:word@example.org/o/r",
            "ssh://git@example.org:2222/o/r.git/",
            "git@example.org:o/r.git",
            "example.org:/o/r",
            "git://example.org/o/r.git",
        ] {
            assert_eq!(of(url), of("https://example.org/o/r"), "{url}");
        }
        for url in [
            "https://example.org/fork/r",
            "https://example.com/o/r",
            "example.org/o/r",
            "/o/r",
        ] {
            assert_ne!(of(url), of("https://example.org/o/r"), "{url}");
        }
        assert_eq!(of("../x"), of("/nowhere/../x/"));
        assert_eq!(of("file:///x/y"), of("/x/y"));
    }
}
