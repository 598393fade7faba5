//! Conversions of the errors of the layers below.

use std::path::Path;

use super::{Code, Error};
use crate::index::IndexError;
use crate::model::id::{IdError, plain, prefix_like};
use crate::model::limits::ValueError;
use crate::ops::hint::{Command, Hint, shell_quote};
use crate::store::{DiskFault, Failure, REF, StoreError, Unreadable};

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::NotARepository(_) => Code::NotARepository,
            StoreError::Refused(_) | StoreError::NotOurs { .. } | StoreError::Untrusted(_) => {
                Code::Refused
            }
            StoreError::NoStore(_) => Code::NoStore,
            StoreError::Unreadable { .. }
            | StoreError::PackedRefs { .. }
            | StoreError::Reftable { .. } => Code::Damaged,
            StoreError::TooManyPacks { .. } => Code::TooManyPacks,
            StoreError::Busy(_) => Code::Busy,
            StoreError::LostRace => Code::LostRace,
            StoreError::Remote {
                failure: Failure::Refused,
                ..
            } => Code::RemoteRefused,
            StoreError::Remote {
                failure: Failure::Content,
                ..
            } => Code::RemoteContent,
            StoreError::Remote {
                failure: Failure::ReadOnly,
                ..
            } => Code::RemoteReadOnly,
            StoreError::Remote { .. } => Code::Remote,
            StoreError::Setting { .. } => Code::Invalid,
            StoreError::NoRemote { .. } => Code::NotFound,
            StoreError::Rejected(_) => Code::Rejected,
            StoreError::Limit(why) => return why.clone().into(),
            StoreError::Io { .. } | StoreError::Write { .. } | StoreError::Git { .. } => Code::Io,
        };
        Self {
            hints: remedy(&error),
            ..Self::new(code, error.to_string())
        }
    }
}

/// Returns what to do about an error of the store.
fn remedy(error: &StoreError) -> Vec<Hint> {
    let hint = match error {
        StoreError::NotARepository(_) => Hint::run(
            "run it inside a git repository, or name one: ",
            Command::of("-C").placeholder("DIR").word("..."),
        ),
        StoreError::NoStore(_) => Command::of("init").into(),
        StoreError::Reftable { .. } => {
            return vec![
                Hint::text("git can't read its refs either"),
                Hint::run(
                    "see what it says: ",
                    Command::line("git show-ref --exists refs/beads/main"),
                ),
            ];
        }
        StoreError::PackedRefs { .. } => {
            return vec![
                Hint::text("git can't read its packed-refs either"),
                Hint::run("see what it says: ", Command::line("git for-each-ref")),
            ];
        }
        StoreError::Unreadable { .. } => Command::of("doctor").flag("--fix").into(),
        StoreError::TooManyPacks { .. } | StoreError::LostRace => Hint::again("", ""),
        StoreError::Busy(_) => {
            return vec![
                Hint::again("", " in a moment"),
                Hint::run("if it stays so: ", Command::of("doctor")),
            ];
        }
        StoreError::Remote {
            remote, failure, ..
        } => return remote_remedy(remote, *failure),
        StoreError::Setting { key, example, .. } => {
            Command::line("git config").word(key).word(example).into()
        }
        StoreError::NoRemote { .. } => Command::line("git remote -v").into(),
        StoreError::NotOurs { path, .. } => return rename_remedy(path),
        StoreError::Rejected(_) => {
            return vec![
                Hint::text("nothing of it was taken"),
                Hint::text(
                    "ask the people who push there to check the ref of the issues (refs/beads/main, unless beads.remoteRef names another)",
                ),
            ];
        }
        // Their messages say themselves what to do, or nothing can be done.
        StoreError::Refused(_) | StoreError::Untrusted(_) | StoreError::Limit(_) => {
            return Vec::new();
        }
        StoreError::Io { .. } | StoreError::Write { .. } | StoreError::Git { .. } => {
            return error.disk_fault().map(disk_remedy).unwrap_or_default();
        }
    };
    vec![hint]
}

/// Returns what to do about something else in the place of a file of ours.
fn rename_remedy(path: &Path) -> Vec<Hint> {
    let mut other = path.as_os_str().to_owned();
    other.push(".other");
    let other = Command::line("mv").path(path).path(Path::new(&other));
    vec![
        Hint::run("see what it is: ", Command::line("ls -ld").path(path)),
        Hint::run("then give it another name: ", other),
    ]
}

/// Gives the issues a branch of their own at a remote.
const OTHER_REF: &str = "git config beads.remoteRef refs/heads/beads";

/// Returns what to do about a remote. All that was done here is safe.
fn remote_remedy(remote: &str, failure: Failure) -> Vec<Hint> {
    let (state, next) = match failure {
        Failure::Refused => (
            "the host refuses this ref",
            Hint::run("name another: ", Command::line(OTHER_REF)),
        ),
        Failure::Content => ("everything is safe here", where_it_is()),
        Failure::ReadOnly => (
            "everything is safe here",
            Hint::text("ask its owner for the right to push"),
        ),
        Failure::Unknown => {
            let fetch = Command::line("git fetch").word(remote);
            return vec![Hint::run("let git ask once: ", fetch)];
        }
        // A fetch asks nothing where everyone may read.
        Failure::UnknownWriter => {
            let push = Command::line("git push --dry-run").word(remote).word(REF);
            return vec![Hint::run(
                "let git ask once, without sending anything: ",
                push,
            )];
        }
        Failure::OtherFormat => (
            "nothing was begun",
            Hint::run(
                "clone it again with git 2.41 or newer: ",
                Command::of("clone").placeholder("URL"),
            ),
        ),
        Failure::FormatChanged => {
            return vec![
                Hint::text("everything is safe here"),
                Hint::run(
                    "to take the issues into a clone of that remote: here ",
                    Command::of("export").text("issues.jsonl"),
                ),
                Hint::run("there ", Command::of("import").text("issues.jsonl")),
            ];
        }
        Failure::CutThere => (
            "everything is safe here",
            Hint::text("have it completed in that repository: git fetch --unshallow"),
        ),
        Failure::InTheWay => return in_the_way(remote),
        Failure::Silent(seconds) => (
            "everything is safe here",
            Hint::run(
                "to wait longer: ",
                Command::line("git config --global beads.timeout").word(seconds * 5),
            ),
        ),
        Failure::Outage | Failure::NotTaken => (
            "everything is safe here",
            Hint::run(
                "try again when the remote answers: ",
                Command::of("sync").flag("--remote").text(remote),
            ),
        ),
    };
    vec![Hint::text(state), next]
}

/// Returns what to do about a text that a remote refuses.
pub(crate) fn where_it_is() -> Hint {
    let plan = Command::of("purge").placeholder("ID").flag("--dry-run");
    plan.then(
        " tells, for the issue that holds it, whether its commits can be rewritten without it",
    )
}

/// Returns what to do where a ref of a remote has a name that leaves no room for the one of the issues.
fn in_the_way(remote: &str) -> Vec<Hint> {
    let owner = format!(
        "ask the owner of {} to rename that ref",
        shell_quote(remote)
    );
    let shown = Command::line("git ls-remote").word(remote);
    vec![
        Hint::text(owner),
        shown.then(" shows it"),
        Hint::run("or name another for the issues: ", Command::line(OTHER_REF)),
    ]
}

/// The way to let an agent write whose sandbox keeps git's own folder from it.
pub(crate) const CODEX_SANDBOX: &str = "the sandbox of Codex keeps .git read-only, until the folder that \
    `git rev-parse --path-format=absolute --git-common-dir` prints is in sandbox_workspace_write.writable_roots of \
    ~/.codex/config.toml";

/// Returns what to do about a disk that takes no writes.
fn disk_remedy(fault: DiskFault) -> Vec<Hint> {
    let (remedy, state) = match fault {
        DiskFault::Full => (
            "free some space on the disk of the repository and ",
            "nothing was changed",
        ),
        DiskFault::FileSize => (
            "raise the limit of file sizes (ulimit -f) and ",
            "nothing was changed",
        ),
        DiskFault::ReadOnly => (
            "make the git directory writable for you and ",
            "reading works as it is",
        ),
        DiskFault::Unnamed => (
            "make sure that the disk of the repository has space and no faults (df .) and ",
            "nothing was changed",
        ),
    };
    let mut hints = vec![Hint::again(remedy, ""), Hint::text(state)];
    if fault == DiskFault::ReadOnly {
        hints.push(Hint::run(
            "if another user has left files there: ",
            Command::of("doctor"),
        ));
        hints.push(Hint::text(format!("or: {CODEX_SANDBOX}")));
    }
    hints
}

impl From<IndexError> for Error {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Store(error) => error.into(),
            error if error.is_contended() => {
                Self::new(Code::Stale, error.to_string()).hinted(Hint::again("", ""))
            }
            error => Self::new(Code::Index, error.to_string()),
        }
    }
}

impl From<Unreadable> for Error {
    fn from(error: Unreadable) -> Self {
        Self::new(
            Code::Unreadable,
            format!("this issue can't be read: {error}"),
        )
        .hinted(Hint::text(
            "update git-beads to its newest version, from its own repository",
        ))
    }
}

impl From<ValueError> for Error {
    fn from(error: ValueError) -> Self {
        let hint = match error {
            ValueError::EmptyTitle => Command::of("create")
                .placeholder("What is to be done")
                .into(),
            ValueError::TooLong { .. } => Hint::again("shorten it and ", ""),
            ValueError::TooDeep(..) => Hint::again("nest it less and ", ""),
            ValueError::Full { .. } => Hint::run(
                "go on in another issue: ",
                Command::of("create").placeholder("What is left to be done"),
            ),
            ValueError::Word(_) => Command::of("help").word("update").into(),
        };
        Self::invalid(error.to_string()).hinted(hint)
    }
}

impl From<IdError> for Error {
    fn from(error: IdError) -> Self {
        let hint = match &error {
            IdError::Quoted(given) => {
                let hint = format!("another id would be {}", plain(given));
                return Self::invalid(error.to_string()).hinted(Hint::text(hint));
            }
            IdError::Prefix(given) => Command::of("init")
                .flag("--prefix")
                .word(prefix_like(given)),
            IdError::Shape(_) | IdError::TooDeep(_) => Command::of("list").flag("--all"),
        };
        Self::invalid(error.to_string()).hinted(hint)
    }
}
