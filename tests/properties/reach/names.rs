//! The branch to which a clone sends: it is never one of the user's, and what the user names stays.

use super::hub_refs;
use super::mailboxes::{lead, lead_and_session};
use crate::support::clones::{bare_clones, create, failed, script, sync};
use crate::support::{World, files_refs_only};

const CLAUDE: &str = "refs/heads/claude/*";

/// Commits in a clone, and pushes that with git.
#[track_caller]
fn push_work(world: &World, clone: &str) {
    let commit = ["commit", "--quiet", "--allow-empty", "-m", "work"];
    world.git_in(clone, &commit).ok();
    let push = ["push", "--quiet", "origin", "HEAD"];
    world.git_in(clone, &push).ok();
}

#[test]
fn a_branch_of_the_users_is_no_mailbox_whatever_its_name() {
    let (world, issues) = lead_and_session("claude/git-beads-docs", CLAUDE);
    world.bd_in("session", &["note", &issues[0], "x"]).ok();
    let said = world.bd_in("session", &["sync"]).ok();
    assert!(
        said.starts_with("origin: 1 change sent to the mailbox claude/git-beads-git-beads-docs,"),
        "{said}"
    );
    push_work(&world, "session");
    lead(&world, "lead", &["sync"]);
    let refs = [
        "refs/beads/main",
        "refs/heads/claude/git-beads-docs",
        "refs/heads/main",
    ];
    assert_eq!(hub_refs(&world), refs);
}

#[test]
fn a_mailbox_that_would_be_a_branch_here_is_not_made() {
    let (world, issues) = lead_and_session("claude/docs", CLAUDE);
    let branch = ["branch", "claude/git-beads-docs"];
    world.git_in("session", &branch).ok();
    world.bd_in("session", &["note", &issues[0], "x"]).ok();
    let error = failed(world.bd_in("session", &["sync", "--json"]), 5);
    assert_eq!(error["code"], "refused", "{error}");
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
}

#[test]
fn a_mailbox_that_the_user_names_is_used_and_stays() {
    let world = bare_clones(&["a", "b"]);
    world.bd_in("a", &["init"]).ok();
    sync(&world, &["a"]);
    let key = "remote.origin.beadsPush";
    let name = |value: &str| world.git_in("a", &["config", key, value]).ok();
    for wrong in ["main", "refs/tags/x", "HEAD", "refs/heads/a b"] {
        name(wrong);
        let said = world.bd_in("a", &["sync"]).fails(1);
        assert!(
            said.contains(&format!("error: {key} is `{wrong}`")),
            "{said}"
        );
        assert!(
            said.contains(&format!("hint: git config {key} refs/heads/")),
            "{said}"
        );
    }
    // What only fetches needs no place to send to.
    world.bd_in("a", &["fetch"]).ok();
    let mailbox = "refs/heads/dev/ann/git-beads-x";
    name(mailbox);
    let before = hub_refs(&world);
    for title in ["x", "y"] {
        create(&world, "a", &[title]);
        let said = world.bd_in("a", &["sync"]).ok();
        let way = "origin: 1 change sent to the mailbox dev/ann/git-beads-x,";
        assert!(said.starts_with(way), "{said}");
        assert_eq!(world.git_in("a", &["config", key]).ok().trim(), mailbox);
    }
    assert_eq!(hub_refs(&world).len(), before.len() + 1);
    // To search again is the user's word too.
    world.bd_in("a", &["sync", "--probe"]).ok();
    assert_ne!(world.git_in("a", &["config", key]).code, 0);
    world.bd_in("b", &["init"]).ok();
    assert_eq!(world.bd_in("b", &["list", "-q"]).ok().lines().count(), 2);
}

#[test]
fn a_mailbox_that_was_collected_in_between_is_made_again() {
    // The hook locks a ref as git does where each has a file.
    let _files = files_refs_only();
    let (world, issues) = lead_and_session("claude/fix-1", CLAUDE);
    // Twice another process is faster, and nothing is left of what it sent.
    script(
        &world,
        "hub.git/hooks/update",
        "case $1 in refs/heads/claude/*) ;; *) exit 1;; esac\n\
         echo >> tries; mkdir -p refs/heads/claude\n\
         if [ $(wc -l < tries) -le 2 ]; then touch $1.lock; else rm -f $1.lock; fi",
    );
    world.bd_in("session", &["note", &issues[0], "x"]).ok();
    let said = world.bd_in("session", &["sync"]).ok();
    assert!(
        said.starts_with("origin: 1 change sent to the mailbox"),
        "{said}"
    );
    let tries = std::fs::read_to_string(world.path("hub.git/tries")).unwrap();
    assert_eq!(tries.lines().count(), 3);
}

#[test]
fn who_sends_to_a_mailbox_is_not_told_to_collect_it() {
    let (world, issues) = lead_and_session("claude/fix-1", CLAUDE);
    world.bd_in("session", &["note", &issues[0], "x"]).ok();
    sync(&world, &["session"]);
    let status = world.bd_in("session", &["status"]).ok();
    assert!(!status.contains("mailbox"), "{status}");
}

#[test]
fn an_invalid_name_of_a_session_is_none() {
    let (mut world, issues) = lead_and_session("claude/fix-1", CLAUDE);
    world.bd_in("session", &["note", &issues[0], "x"]).ok();
    for name in ["copilot/x:refs/heads/main", "copilot/", "*/x", "a b/c"] {
        world.set("COPILOT_AGENT_BRANCH_NAME", name);
        let error = failed(world.bd_in("session", &["sync", "--json"]), 5);
        assert_eq!(error["code"], "refused", "{name}: {error}");
    }
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
}
