//! Hosts that let a session push only branches that begin like its own: its issues go to a mailbox beside that.

use super::{export, forget_requests, hub_refs, requests, rules, served, work};
use crate::properties::exchange::transports::Server;
use crate::support::World;
use crate::support::clones::{bare_clones, create, hub_tip, script, state, sync, tip};

/// A host that takes of anybody but `USER=lead` only what begins like the branch of a session.
fn sessions_only(world: &World, pattern: &str) {
    script(
        world,
        "hub.git/hooks/update",
        &format!(
            "[ \"$LEAD\" = 1 ] && exit 0; case $1 in {pattern}) [ \"$3\" != $(printf '%040d' 0) ];; *) exit 1;; esac"
        ),
    );
}

/// Syncs a clone as one with all rights.
#[track_caller]
pub(super) fn lead(world: &World, clone: &str, args: &[&str]) -> String {
    let mut command = world.command(clone, crate::support::binary(), args);
    command.env("LEAD", "1");
    world.run(command, None).ok()
}

/// A lead with two issues, and the clone of a session on a branch of its own.
pub(super) fn lead_and_session(branch: &str, pattern: &str) -> (World, Vec<String>) {
    let world = bare_clones(&["lead", "session"]);
    let issues = begin(&world);
    sessions_only(&world, pattern);
    enter(&world, branch);
    (world, issues)
}

/// The same, behind a proxy that takes only what begins like the branch of the session, which has worked; none where a
/// tool is missing.
fn served_session() -> Option<(World, Server)> {
    let (world, server, url) = served()?;
    for clone in ["lead", "session"] {
        world.git_in(".", &["clone", "--quiet", &url, clone]).ok();
    }
    let issues = begin(&world);
    rules(&world, "takes refs/heads/claude/.*-97yoyb");
    enter(&world, "claude/fix-97yoyb");
    work(&world, "session", &issues);
    Some((world, server))
}

/// Begins the store, with two issues.
fn begin(world: &World) -> Vec<String> {
    world.bd_in("lead", &["init"]).ok();
    let issues = ["x", "y"].map(|title| create(world, "lead", &[title]));
    sync(world, &["lead"]);
    issues.into()
}

/// Begins a session on a branch of its own.
fn enter(world: &World, branch: &str) {
    let checkout = ["checkout", "--quiet", "-b", branch];
    world.git_in("session", &checkout).ok();
    world.bd_in("session", &["init"]).ok();
}

#[test]
fn one_on_top_of_another_merge_of_the_same_is_collected() {
    let world = bare_clones(&["lead", "session", "b", "c"]);
    begin(&world);
    for clone in ["session", "b", "c"] {
        world.bd_in(clone, &["init"]).ok();
    }
    for clone in ["lead", "b", "c"] {
        create(&world, clone, &[clone]);
    }
    for (clone, others) in [("session", ["b", "c", "lead"]), ("lead", ["b", "c", "b"])] {
        for other in others {
            let url = format!("../{other}");
            _ = world.git_in(clone, &["remote", "add", other, &url]);
            world.bd_in(clone, &["pull", "--remote", other]).ok();
        }
    }
    sync(&world, &["lead"]);
    assert_ne!(tip(&world, "lead"), tip(&world, "session"));
    assert_eq!(export(&world, "lead"), export(&world, "session"));
    let new = create(&world, "session", &["On top"]);
    let push = [
        "push",
        "--quiet",
        "origin",
        "refs/beads/main:refs/heads/claude/git-beads-session",
    ];
    world.git_in("session", &push).ok();
    let said = world.bd_in("lead", &["sync"]).ok();
    assert!(
        said.contains("1 change collected from claude/git-beads-session"),
        "{said}"
    );
    assert_eq!(hub_tip(&world), tip(&world, "lead"));
    assert!(export(&world, "lead").contains(&new));
}

#[test]
fn a_session_sends_to_a_mailbox_and_a_lead_collects_it() {
    let (world, issues) = lead_and_session("claude/fix-97yoyb", "refs/heads/claude/*");
    let new = work(&world, "session", &issues);
    let said = world.bd_in("session", &["sync"]).ok();
    assert_eq!(
        said,
        "origin: 4 changes sent to the mailbox claude/git-beads-fix-97yoyb, 0 changes received\n\
         the next git beads sync with full rights collects it\n"
    );
    assert_eq!(
        world.bd_in("session", &["sync"]).ok(),
        "origin: 0 changes sent to the mailbox claude/git-beads-fix-97yoyb, 0 changes received\n"
    );
    lead(&world, "lead", &["fetch"]);
    let waits = "origin: up to date, 1 mailbox waits there (git beads sync)";
    let status = lead(&world, "lead", &["status"]);
    assert!(status.contains(waits), "{status}");
    // With full rights it is merged, sent to the store and removed.
    let said = lead(&world, "lead", &["sync"]);
    assert_eq!(
        said,
        "origin: 4 changes sent, 0 changes received\n\
         origin: 4 changes collected from claude/git-beads-fix-97yoyb\n"
    );
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
    let status = lead(&world, "lead", &["status"]);
    assert!(
        status.contains("origin: up to date") && !status.contains("waits there"),
        "{status}"
    );
    let said = world.bd_in("session", &["sync"]).ok();
    assert!(!said.contains("lost its issues"), "{said}");
    assert_eq!(export(&world, "session"), export(&world, "lead"));
    assert!(export(&world, "lead").contains(&new));
    // Both are at rest, and nothing makes the mailbox again.
    assert_eq!(
        lead(&world, "lead", &["sync"]),
        "origin: 0 changes sent, 0 changes received\n"
    );
    let said = world.bd_in("session", &["sync"]).ok();
    assert!(said.starts_with("origin: 0 changes sent"), "{said}");
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
    // A later change makes it again, and only that is counted.
    world.bd_in("session", &["note", &issues[0], "more"]).ok();
    let said = world.bd_in("session", &["sync"]).ok();
    assert!(
        said.starts_with("origin: 1 change sent to the mailbox"),
        "{said}"
    );
    lead(&world, "lead", &["sync"]);
    assert_eq!(export(&world, "session"), export(&world, "lead"));
}

#[test]
fn sessions_hear_one_another_before_a_lead_does() {
    let (world, issues) = lead_and_session("claude/one-1", "refs/heads/claude/*");
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "other"])
        .ok();
    world
        .git_in("other", &["checkout", "--quiet", "-b", "claude/two-2"])
        .ok();
    world.bd_in("other", &["init"]).ok();
    world.bd_in("session", &["note", &issues[0], "heard"]).ok();
    sync(&world, &["session"]);
    let said = world.bd_in("other", &["sync"]).ok();
    assert!(said.starts_with("origin: 0 changes sent"), "{said}");
    assert!(
        world
            .bd_in("other", &["show", &issues[0]])
            .ok()
            .contains("heard")
    );
    // What it has heard goes along with what it sends itself, and both mailboxes are collected.
    world.bd_in("other", &["note", &issues[1], "seen"]).ok();
    sync(&world, &["other"]);
    lead(&world, "lead", &["sync"]);
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
    sync(&world, &["session", "other"]);
    for clone in ["session", "other"] {
        assert_eq!(export(&world, clone), export(&world, "lead"), "{clone}");
    }
}

#[test]
fn mailboxes_of_other_folders_are_collected_on_request() {
    let (world, issues) = lead_and_session("dev/alice/x", "refs/heads/dev/alice/*");
    world
        .bd_in("session", &["note", &issues[0], "from alice"])
        .ok();
    let said = world.bd_in("session", &["sync"]).ok();
    assert!(
        said.contains("git config --add beads.mailbox 'refs/heads/dev/alice/git-beads-*'"),
        "{said}"
    );
    lead(&world, "lead", &["sync"]);
    assert!(
        !world
            .bd_in("lead", &["show", &issues[0]])
            .ok()
            .contains("from alice")
    );
    let dry = lead(&world, "lead", &["collect", "--dry-run"]);
    assert!(
        dry.contains("collected from dev/alice/git-beads-x"),
        "{dry}"
    );
    let sent = "origin: 1 change sent, 0 changes received";
    assert!(dry.starts_with(sent), "{dry}");
    assert!(
        !world
            .bd_in("lead", &["show", &issues[0]])
            .ok()
            .contains("from alice")
    );
    let kept = lead(&world, "lead", &["collect", "--no-delete"]);
    assert!(
        kept.contains("1 change collected from dev/alice/git-beads-x"),
        "{kept}"
    );
    assert!(kept.starts_with(sent), "{kept}");
    assert!(hub_refs(&world).contains(&"refs/heads/dev/alice/git-beads-x".to_owned()));
    lead(&world, "lead", &["collect"]);
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
    // With the pattern a plain sync does it too.
    world
        .git_in(
            "lead",
            &[
                "config",
                "--add",
                "beads.mailbox",
                "refs/heads/dev/alice/git-beads-*",
            ],
        )
        .ok();
    world.bd_in("session", &["note", &issues[0], "again"]).ok();
    sync(&world, &["session"]);
    let said = lead(&world, "lead", &["sync"]);
    assert!(
        said.contains("collected from dev/alice/git-beads-x"),
        "{said}"
    );
}

#[test]
fn a_branch_that_only_looks_like_a_mailbox_is_left_alone() {
    let (world, _) = lead_and_session("claude/fix-1", "refs/heads/claude/*");
    // Code, under the name of a mailbox.
    world
        .git_in(
            "session",
            &[
                "push",
                "--quiet",
                "origin",
                "HEAD:refs/heads/claude/git-beads-code",
            ],
        )
        .ok();
    let said = lead(&world, "lead", &["sync"]);
    assert_eq!(said, "origin: 0 changes sent, 0 changes received\n");
    assert!(hub_refs(&world).contains(&"refs/heads/claude/git-beads-code".to_owned()));
    // Another store, under the name of one.
    world.git_in(".", &["init", "--quiet", "stranger"]).ok();
    world.bd_in("stranger", &["init"]).ok();
    create(&world, "stranger", &["not ours"]);
    let to = "refs/beads/main:refs/heads/claude/git-beads-stranger";
    world
        .git_in("stranger", &["push", "--quiet", "../hub.git", to])
        .ok();
    let said = lead(&world, "lead", &["sync"]);
    assert!(
        said.contains("claude/git-beads-stranger left alone: "),
        "{said}"
    );
    assert!(!export(&world, "lead").contains("not ours"));
    assert!(hub_refs(&world).contains(&"refs/heads/claude/git-beads-stranger".to_owned()));
}

#[test]
fn a_mailbox_that_may_not_be_deleted_is_not_asked_for_again() {
    let (world, issues) = lead_and_session("claude/fix-1", "refs/heads/claude/*");
    world
        .git_in("hub.git", &["config", "receive.denyDeletes", "true"])
        .ok();
    world.bd_in("session", &["note", &issues[0], "kept"]).ok();
    sync(&world, &["session"]);
    let said = lead(&world, "lead", &["sync"]);
    assert!(
        said.contains("claude/git-beads-fix-1 stays: it may not be deleted from here"),
        "{said}"
    );
    assert_eq!(
        lead(&world, "lead", &["sync"]),
        "origin: 0 changes sent, 0 changes received\n"
    );
    sync(&world, &["session"]);
    assert_eq!(state(&world, "session"), state(&world, "lead"));
}

#[test]
fn a_proxy_that_answers_with_nothing_but_403_is_understood() {
    let Some((world, _server)) = served_session() else {
        return;
    };
    let said = world.bd_in("session", &["sync", "--json"]).json();
    assert_eq!(
        said["via"], "refs/heads/claude/git-beads-fix-97yoyb",
        "{said}"
    );
    assert_eq!(
        (&said["delivery"], &said["sent"]),
        (&"mailbox".into(), &4.into()),
        "{said}"
    );
    // A lead behind the same proxy sees it all, and can't remove it.
    world
        .git_in("lead", &["checkout", "--quiet", "-b", "claude/lead-97yoyb"])
        .ok();
    sync(&world, &["lead", "session"]);
    assert_eq!(export(&world, "lead"), export(&world, "session"));
    // One without it collects.
    rules(&world, "");
    let unset = ["config", "--unset", "remote.origin.beadsPush"];
    world.git_in("lead", &unset).ok();
    sync(&world, &["lead"]);
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
    sync(&world, &["session"]);
    assert_eq!(export(&world, "lead"), export(&world, "session"));
    // An idle exchange costs what it always did: one question, after the one that finds out who is there.
    forget_requests(&world);
    sync(&world, &["lead"]);
    let asked = requests(&world);
    assert_eq!(asked.len(), 2, "{asked:?}");
}

#[test]
fn a_sandbox_begins_with_its_mailbox() {
    let Some((mut world, _server)) = served_session() else {
        return;
    };
    world.set("GIT_BEADS_SANDBOX", "1");
    forget_requests(&world);
    sync(&world, &["session"]);
    let pushes: Vec<String> = requests(&world)
        .into_iter()
        .filter(|line| line.starts_with("POST /hub.git/git-receive-pack"))
        .collect();
    assert_eq!(
        pushes,
        ["POST /hub.git/git-receive-pack refs/heads/claude/git-beads-fix-97yoyb"]
    );
}
