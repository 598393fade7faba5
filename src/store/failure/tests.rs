//! Git's words, and those of hosts.

use super::*;

#[test]
fn the_line_of_the_ref_says_whether_to_try_again() {
    for (summary, expected) in [
        ("[rejected] (fetch first)", Reason::Race),
        ("[rejected] (non-fast-forward)", Reason::Race),
        ("[remote rejected] (failed to update ref)", Reason::Race),
        (
            "[remote rejected] (cannot lock ref 'refs/x': is at 1)",
            Reason::Race,
        ),
        (
            "[remote rejected] (cannot lock ref 'refs/x': Unable to create 'x.lock': Permission denied)",
            Reason::Outage,
        ),
        ("[remote rejected] (hook declined)", Reason::Refused),
        (
            "[remote rejected] (deny updating a hidden ref)",
            Reason::Refused,
        ),
        (
            "[remote rejected] (deny deleting a hidden ref)",
            Reason::Refused,
        ),
        ("[remote rejected] (funny refname)", Reason::Refused),
        (
            "[remote rejected] (protected branch hook declined)",
            Reason::Refused,
        ),
        (
            "[remote rejected] (push declined due to repository rule violations)",
            Reason::Refused,
        ),
        (
            "[remote rejected] (TF401027: You need the Git 'GenericContribute' permission)",
            Reason::Refused,
        ),
        (
            "[remote rejected] (prohibited by Gerrit: not permitted: create)",
            Reason::Refused,
        ),
        (
            "[remote rejected] (unable to migrate objects to permanent storage)",
            Reason::Fault,
        ),
        (
            "[remote rejected] (missing necessary objects)",
            Reason::Fault,
        ),
        ("[remote rejected] (fetch first (again))", Reason::Fault),
        ("[remote rejected] (any new words)", Reason::Fault),
        ("[remote rejected] (unpacker error)", Reason::Fault),
        (
            "[remote failure] (remote failed to report status)",
            Reason::Fault,
        ),
        (
            "[remote rejected] (shallow update not allowed)",
            Reason::Outage,
        ),
    ] {
        assert_eq!(reason_of(summary, ""), Some(expected), "{summary}");
    }
    assert_eq!(refusal("To hub\n! fetch first\nDone\n"), None);
}

fn reason_of(summary: &str, said: &str) -> Option<Reason> {
    let lines = format!("To hub\n!\tabc:refs/beads/main\t{summary}\nDone\n");
    refusal(&lines).map(|line| reason(line, said))
}

#[test]
fn a_refusal_of_what_a_commit_says_is_known_by_the_words_of_hosts() {
    let declined = "[remote rejected] (pre-receive hook declined)";
    let rule = "[remote rejected] (push declined due to repository rule violations)";
    for (summary, said) in [
        (
            rule,
            "remote: error: GH013: Repository rule violations found for refs/beads/main.\n\
             remote: - GITHUB PUSH PROTECTION\nremote:     - Push cannot contain secrets",
        ),
        (
            declined,
            "remote: GitLab:\nremote: PUSH BLOCKED: Secrets detected in code changes",
        ),
        (
            "[remote rejected] (VS403654: The push was rejected because it contains one or more secrets.)",
            "",
        ),
        (
            "[remote rejected] (unpacker error)",
            "error: remote unpack failed: error VS403654: The push was rejected",
        ),
        (declined, "remote: 4:12PM WRN leaks found: 1"),
        (declined, "remote: ggshield: 1 secret found in 2 commits"),
    ] {
        assert_eq!(reason_of(summary, said), Some(Reason::Content), "{said}");
    }
    for (summary, said, expected) in [
        // Words of a hook make no race and no refusal, nor do git's own about a secret.
        ("[rejected] (fetch first)", "remote: secret", Reason::Race),
        (declined, "error: a secret of git's own", Reason::Refused),
        (
            rule,
            "remote: error: GH013: Repository rule violations found for refs/beads/main.\n\
             remote: - Changes must be made through a pull request.",
            Reason::Refused,
        ),
        (
            "[remote failure] (remote failed to report status)",
            "remote: secret",
            Reason::Fault,
        ),
    ] {
        assert_eq!(reason_of(summary, said), Some(expected), "{said}");
    }
}

#[test]
fn words_of_a_remote_are_not_gits() {
    let said = "remote: Authentication failed\nfatal: the remote end hung up";
    assert_eq!(without_line(said), Failure::Outage);
    let said = "fatal: Authentication failed for 'https://example.org/x'";
    assert_eq!(without_line(said), Failure::Unknown);
}

#[test]
fn one_who_may_only_read_is_told_from_a_ref_that_is_refused() {
    for (said, expected) in [
        (
            "error: RPC failed; HTTP 403 curl 22 The requested URL returned error: 403\n\
             send-pack: unexpected disconnect while reading sideband packet",
            Failure::Refused,
        ),
        (
            "fatal: unable to access 'http://x/': The requested URL returned error: 403",
            Failure::ReadOnly,
        ),
        (
            "ERROR: Permission to o/r.git denied to ann.\nfatal: Could not read from remote repository.",
            Failure::ReadOnly,
        ),
        (
            "remote: Permission to o/r.git denied to ann.\nfatal: unable to access 'x'",
            Failure::ReadOnly,
        ),
        (
            "FATAL: W any proj ann DENIED by fallthru",
            Failure::ReadOnly,
        ),
        (
            "git@x: Permission denied (publickey).",
            Failure::UnknownWriter,
        ),
        (
            "fatal: could not read Username for 'http://x': terminal prompts disabled",
            Failure::UnknownWriter,
        ),
        (
            "fatal: unable to access 'x': The requested URL returned error: 503",
            // Asked before anything is sent.
            Failure::NotTaken,
        ),
        ("error: RPC failed; HTTP 429 curl 22", Failure::Outage),
    ] {
        assert_eq!(of_push(said), expected, "{said}");
    }
}

#[test]
fn progress_is_no_message() {
    let said =
        b"Counting objects:  50% (1/2)\rCounting objects: 100% (2/2), done.\nremote: hello\n\
        Total 2 (delta 0), reused 0 (delta 0)\nFrom ../hub\n * [new ref] a -> b\nfatal: x\n";
    assert_eq!(lasting(said), "remote: hello\nfatal: x\n");
}
