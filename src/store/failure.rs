//! The reason why an exchange failed, by git's own words. The output of a remote, of its hooks or of a host decides
//! nothing, but that a refusal is about what the commits say: then nothing is carried, and no right is asked for.
//!
//! A refusal is one that the lists name. Anything else is a fault or a race: tried again, and never remembered.

use std::process::Output;

/// The kind of failure that an exchange has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The remote does not take this ref.
    Refused,
    /// It does not take what a commit says, whoever sends it.
    Content,
    /// It can be read, and takes nothing from who asks.
    ReadOnly,
    /// It wants to know who asks.
    Unknown,
    /// It wants to know who pushes.
    UnknownWriter,
    /// It said nothing for so many seconds.
    Silent(u64),
    /// Its objects have ids of another kind.
    OtherFormat,
    /// Its objects have other ids than those that were exchanged with it.
    FormatChanged,
    /// Its history of the ref is cut, and git takes no such history into a whole one.
    CutThere,
    /// A ref there is in the way of our ref.
    InTheWay,
    /// It was not there, or could not take what was sent: it has nothing of that.
    NotTaken,
    /// Anything else, such as a remote that is not there.
    Outage,
}

/// The reason why a push changed nothing, as its line of the porcelain says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// Someone else was faster: to be tried again with what they have sent.
    Race,
    /// The remote does not take the ref.
    Refused,
    /// It does not take what a commit says.
    Content,
    /// It could not at this moment: to be tried again as it is.
    Fault,
    /// It can't.
    Outage,
}

/// Returns true if a fetch says that the remote has no such ref, which is no failure. Git's last word, since what a
/// remote says can come before it; over ssh the other side may still complain that we left.
pub(super) fn lacks(output: &Output, reference: &str) -> bool {
    const LEFT: &str = "fatal: the remote end hung up unexpectedly";
    let said = String::from_utf8_lossy(&output.stderr);
    let mut lines = said.lines().rev().skip_while(|line| *line == LEFT);
    let last = lines.next().unwrap_or_default();
    !output.status.success() && last == format!("fatal: couldn't find remote ref {reference}")
}

/// Returns true if a fetch took no history of a ref because that is cut at the remote, which git does not call a failure.
pub(super) fn is_cut_there(output: &Output, reference: &str) -> bool {
    let said = String::from_utf8_lossy(&output.stderr);
    let begin = format!("warning: rejected {reference}");
    let end = "because shallow roots are not allowed to be updated";
    let mut own = said.lines().filter(|line| line.starts_with(&begin));
    own.any(|line| line.ends_with(end))
}

/// What git says of a remote that was not there, before anything was sent to it.
const UNREACHED: [&str; 4] = [
    "fatal: unable to access",
    "fatal: unable to connect",
    "fatal: unable to look up",
    "fatal: Could not read from remote repository",
];

/// Returns true if a remote was there for a fetch that failed.
pub(super) fn has_answered(output: &Output) -> bool {
    let said = String::from_utf8_lossy(&output.stderr);
    !own_words(&said, &UNREACHED) && !own_words(&said, &["fatal: could not read", "RPC failed"])
}

/// Returns true if a fetch failed because another one ran here: git lists all refs to know what is there, and by the
/// time it reads what one of those below `space` leads to the packs have changed. Once they have, another attempt
/// succeeds.
pub(super) fn met_another(output: &Output, space: &str) -> bool {
    let said = String::from_utf8_lossy(&output.stderr);
    let own = format!("fatal: bad object {space}");
    !output.status.success() && said.lines().any(|line| line.starts_with(&own))
}

/// Returns the line of a push that was refused.
pub(super) fn refusal(porcelain: &str) -> Option<&str> {
    porcelain.lines().find(|line| line.starts_with("!\t"))
}

/// The remote can't make the lock of the ref: trying again does not help.
const DENIED: [&str; 3] = [
    "Permission denied",
    "Read-only file system",
    "No space left",
];

/// Parts of the reasons of a server that does not take a ref, in small letters.
const REFUSALS: [&str; 12] = [
    // Of git's receive-pack: hooks, `receive.hideRefs`, `receive.denyCurrentBranch`, `receive.denyDeletes`.
    "hook declined",
    "a hidden ref",
    "funny refname",
    "branch is currently checked out",
    "deletion prohibited",
    // Of hosts: rulesets of GitHub, protected branches, Gerrit ("prohibited by"), Azure DevOps (TF401027, TF402455).
    "declined due to repository rule violations",
    "protected",
    "prohibited",
    "not permitted",
    "not allowed",
    "permission",
    "read-only",
];

/// Parts of what hosts print where they refuse what a commit says, in small letters.
const CONTENT: [&str; 6] = [
    // GitHub, "Working with push protection from the command line": `GH013`, which is the number of other rules too.
    "push cannot contain secrets",
    "github push protection",
    // GitLab, "Secret push protection".
    "push blocked: secrets detected",
    // Azure DevOps, "GitHub Advanced Security for Azure DevOps": also as the reason itself.
    "vs403654",
    // Hooks of Gitea, Bitbucket and others, which have no sentence of their own: GitGuardian, TruffleHog, Gitleaks.
    "secret",
    "leaks found",
];

/// Returns the reason in that line: its last parenthesis. Hooks and hosts can't write it, but for a host that says by
/// it that it takes no such ref. `said` is the rest of the output.
pub(super) fn reason(line: &str, said: &str) -> Reason {
    let why = line.split_once("] (").map_or("", |(_, why)| why);
    let why = why.strip_suffix(')').unwrap_or(why);
    let faster = [
        "fetch first",
        "non-fast-forward",
        "stale info",
        "failed to update ref",
        "incorrect old value provided",
    ];
    let locked = ["cannot lock ref", "reference already exists"];
    // Before the races: where a lock can't be made, git begins with the words for one that is held.
    if DENIED.iter().any(|error| why.contains(error)) {
        return Reason::Outage;
    }
    if faster.contains(&why) || locked.iter().any(|begin| why.starts_with(begin)) {
        return Reason::Race;
    }
    if line.contains("[remote rejected]") && is_about_content(why, said) {
        return Reason::Content;
    }
    // The same again would not help.
    if why == "shallow update not allowed" {
        return Reason::Outage;
    }
    let small = why.to_lowercase();
    if REFUSALS.iter().any(|phrase| small.contains(phrase)) {
        return Reason::Refused;
    }
    Reason::Fault
}

/// Returns true if a host that has refused a ref says that this is because of what a commit says.
fn is_about_content(why: &str, said: &str) -> bool {
    let of_host = |line: &&str| line.starts_with("remote: ") || line.starts_with("error: remote ");
    let mut lines = said.lines().filter(of_host).chain([why]);
    lines.any(|line| {
        // An address can have any word.
        let words = line.split_whitespace().filter(|word| !word.contains('/'));
        let line = words.collect::<Vec<_>>().join(" ").to_lowercase();
        CONTENT.iter().any(|phrase| line.contains(phrase))
    })
}

/// Phrases of hosts to one who may only read.
const READ_ONLY: [&str; 5] = [
    "returned error: 403",
    "Write access to repository not granted",
    "marked as read only",
    "DENIED by",
    "You are not allowed to push",
];

/// Returns the kind of failure of a push that came to no ref.
pub(super) fn of_push(stderr: &str) -> Failure {
    let has = |phrase: &&str| stderr.contains(phrase);
    // Before what the whole remote says: a proxy answers so that looks at the ref.
    if own_words(stderr, &["RPC failed; HTTP 403"]) {
        return Failure::Refused;
    }
    let is_denied = |line: &str| {
        let (_, who) = line.split_once("Permission to ").unwrap_or_default();
        who.contains(" denied")
    };
    if READ_ONLY.iter().any(has) || stderr.lines().any(is_denied) {
        return Failure::ReadOnly;
    }
    match without_line(stderr) {
        Failure::Unknown => Failure::UnknownWriter,
        Failure::Outage if own_words(stderr, &UNREACHED) => Failure::NotTaken,
        failure => failure,
    }
}

/// Returns true if git itself, or what it runs, says one of these.
fn own_words(stderr: &str, phrases: &[&str]) -> bool {
    // Git marks each line that comes from the remote.
    let mut lines = stderr.lines().filter(|line| !line.starts_with("remote: "));
    lines.any(|line| phrases.iter().any(|phrase| line.contains(phrase)))
}

/// Returns the kind of failure of an exchange that came to no ref: whole phrases of git's and ssh's own, never of a
/// remote.
pub(super) fn without_line(stderr: &str) -> Failure {
    let says = |phrases: &[&str]| own_words(stderr, phrases);
    if says(&[
        "fatal: mismatched algorithms: ",
        "fatal: the receiving end does not support this repository's hash algorithm",
    ]) {
        return Failure::FormatChanged;
    }
    match says(&[
        "could not read Username",
        "could not read Password",
        "terminal prompts disabled",
        "Authentication failed",
        "Permission denied",
    ]) {
        true => Failure::Unknown,
        false => Failure::Outage,
    }
}

/// Returns true if git could not write to the disk here.
pub(super) fn says_disk_is_full(stderr: &str) -> bool {
    let full = [
        "No space left on device",
        "Read-only file system",
        "insufficient permission for adding an object to repository database",
        // Each fetch has one of its own, so no other holds the lock.
        "cannot lock ref 'refs/beads-incoming/",
    ];
    own_words(stderr, &full)
}

/// Returns the output of git without its progress and the list of what it fetched.
pub(super) fn lasting(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let last = text.split('\n').map(|line| {
        let line = line.trim_end_matches('\r');
        // Progress writes over its own line, so what lasts comes after the last return.
        line.rsplit('\r').next().unwrap_or(line)
    });
    let kept = last.filter(|line| {
        let said = line.strip_prefix("remote: ").unwrap_or(line).trim_end();
        let progress = said.contains("% (") || said.ends_with(", done.") || said == "done.";
        let counted = said.starts_with("Total ") && said.contains("(delta ");
        let threads = said.starts_with("Delta compression using");
        let listed = is_listed(line) || line.starts_with("Cloning into ");
        !(progress || counted || threads || listed)
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// Returns true for a line in which a fetch or push names a ref, or the repository that has them.
pub(super) fn is_listed(line: &str) -> bool {
    line.starts_with("From ") || (line.starts_with(' ') && line.contains(" -> "))
}

#[cfg(test)]
mod tests;
