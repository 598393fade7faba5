//! Hosts that take claims only in part, or not at all.

use serde_json::json;

use super::{claim, claims, run, started, status, talks, two};
use crate::support::events::SILENT;
use crate::support::plumbing::instead_of_git;

fn configure(world: &crate::support::World, key: &str, value: &str) {
    world.git_in("hub.git", &["config", key, value]).ok();
}

#[test]
fn a_host_that_refuses_the_refs_makes_claims_tentative() {
    let (world, id) = two("remote");
    configure(&world, "transfer.hideRefs", "refs/beads/claims");
    let output = run(&world, "a", &["start", &id, "--json"]);
    assert_eq!(started(&output)["claim"]["tentative"], true, "{output:?}");
    assert!(
        output.stderr.contains("origin refuses claims"),
        "{output:?}"
    );
    run(&world, "a", &["sync"]).ok();
    let text = run(&world, "b", &["start", &id, "--strict"]).fails(5);
    assert!(text.contains("nothing was started"), "{text}");
    assert_eq!(status(&world, "b", &id), "open");
    run(&world, "b", &["sync"]).ok();
    let text = run(&world, "b", &["start", &id, "--strict"]).fails(3);
    assert!(text.contains("a-person/a-agent"), "{text}");
    let found = world.bd_in("b", &["doctor", "--remote"]);
    assert!(
        found
            .stdout
            .contains("origin has refused claims within the last hour"),
        "{found:?}"
    );
    // It is not asked again on the same day.
    let other = crate::support::clones::create(&world, "a", &["Other"]);
    assert_eq!(
        super::talks(&world, "a", &["start", &other]),
        [] as [String; 0]
    );
}

#[test]
fn a_host_without_atomic_pushes_keeps_claims_too() {
    let (world, id) = two("strict");
    configure(&world, "receive.advertiseAtomic", "false");
    let answer = started(&run(&world, "a", &["start", &id, "--json"]));
    assert_eq!(answer["claim"]["fence"], 1);
    assert_eq!(run(&world, "b", &["start", &id]).code, 3);
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
}

#[test]
fn a_host_of_branches_alone_keeps_them_as_branches_where_that_is_chosen() {
    let (world, id) = two("strict");
    for clone in ["a", "b"] {
        world
            .git_in(
                clone,
                &["config", "beads.claimsRef", "refs/heads/beads-claims/"],
            )
            .ok();
    }
    started(&run(&world, "a", &["start", &id, "--json"]));
    let branches = world
        .git_in("hub.git", &["branch", "--list", "beads-claims/*"])
        .ok();
    assert_eq!(branches.lines().count(), 1, "{branches}");
    assert_eq!(run(&world, "b", &["start", &id]).code, 3);
    run(&world, "a", &["stop", &id]).ok();
    let branches = world
        .git_in("hub.git", &["branch", "--list", "beads-claims/*"])
        .ok();
    assert_eq!(branches, "");
    world
        .git_in("a", &["config", "beads.claimsRef", "../x"])
        .ok();
    let text = run(&world, "a", &["start", &id]).fails(6);
    assert!(text.contains("beads.claimsRef is"), "{text}");
}

#[test]
fn an_answer_that_is_lost_on_the_way_is_looked_for() {
    let (world, id) = two("strict");
    // The push arrives, and its answer does not.
    instead_of_git(
        &world,
        "case \" $* \" in *' push '*) \"$GIT\" \"$@\" >/dev/null 2>&1; exit 128;; esac; exec \"$GIT\" \"$@\"",
    );
    let answer = started(&run(&world, "a", &["start", &id, "--json"]));
    assert_eq!(answer["claim"]["fence"], 1, "{answer}");
    assert_eq!(claims(&world).len(), 1);
    assert_eq!(status(&world, "a", &id), "in_progress");
}

#[test]
fn a_host_that_lets_nothing_be_removed_is_told_that_a_claim_is_free() {
    let (world, id) = two("strict");
    let hook = "#!/bin/sh\ncase $3 in 0000000*) exit 1;; esac\n";
    world.executable("hub.git/hooks/update", hook);
    started(&run(&world, "a", &["start", &id, "--json"]));
    run(&world, "a", &["stop", &id]).ok();
    assert_eq!(claim(&world), json!({"state": "free", "v": 1}));
    // Who takes it next does so by that object, and waits for nothing.
    world.bd_in("b", &["sync"]).ok();
    let answer = started(&run(&world, "b", &["start", &id, "--json"]));
    assert_eq!(answer["claim"]["fence"], 2, "{answer}");
    assert_eq!(claim(&world)["agent"], "b-agent");
    run(&world, "b", &["done", &id, "-r", "x"]).ok();
    assert_eq!(claim(&world)["state"], "free");
    // What can't be removed is not asked to be removed again and again.
    for clone in ["a", "b"] {
        run(&world, clone, &["sync"]).ok();
        let talks = talks(&world, clone, &["sync"]);
        assert!(!talks.contains(&"push".to_owned()), "{clone}: {talks:?}");
    }
}

#[test]
fn a_remote_that_says_nothing_is_not_waited_for() {
    let (mut world, id) = two("remote");
    let events = world.events();
    // It takes the connection, and that is all.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "git://127.0.0.1:{}/hub.git",
        listener.local_addr().unwrap().port()
    );
    world
        .git_in("a", &["remote", "set-url", "origin", &url])
        .ok();
    let output = run(&world, "a", &["start", &id, "--json"]);
    assert_eq!(started(&output)["claim"]["tentative"], true, "{output:?}");
    assert!(
        output.stderr.contains("the claim is tentative"),
        "{output:?}"
    );
    // Other commands wait for a minute.
    let silent = events.lines(SILENT);
    let is_short = |line: &String| {
        ["=Some(8s)", "=Some(2s)"]
            .iter()
            .any(|it| line.ends_with(it))
    };
    assert!(
        !silent.is_empty() && silent.iter().all(is_short),
        "{silent:?}"
    );
}

#[test]
fn of_two_equal_objects_both_would_win() {
    let (world, _) = two("strict");
    let name = "refs/beads/claims/01M7WAZ87G33RM41DJ923CSVJN";
    let push = |clone: &str, text: &str| {
        let tree = world
            .git_in(clone, &["hash-object", "-t", "tree", "-w", "/dev/null"])
            .ok();
        let mut commit = world.command(clone, "git", &["commit-tree", tree.trim(), "-m", text]);
        for (name, value) in [("DATE", "@0 +0000"), ("NAME", "x"), ("EMAIL", "x")] {
            for role in ["AUTHOR", "COMMITTER"] {
                commit.env(format!("GIT_{role}_{name}"), value);
            }
        }
        let commit = world.run(commit, None).ok();
        let lease = format!("--force-with-lease={name}:");
        let spec = format!("{}:{name}", commit.trim());
        world
            .git_in(clone, &["push", "--quiet", &lease, "origin", &spec])
            .code
    };
    assert_eq!([push("a", "same"), push("b", "same")], [0, 0]);
    world.git_in("hub.git", &["update-ref", "-d", name]).ok();
    // With a nonce the objects differ.
    assert_eq!(push("a", "nonce 1"), 0);
    assert_ne!(push("b", "nonce 2"), 0);
}

#[test]
fn a_host_of_branches_that_declines_a_push_for_one_ref_still_takes_a_sync() {
    let (world, id) = two("remote");
    for clone in ["a", "b"] {
        world
            .git_in(clone, &["config", "beads.remoteRef", "refs/heads/beads"])
            .ok();
        world.bd_in(clone, &["sync"]).ok();
    }
    let hook = "#!/bin/sh\nwhile read -r old new ref; do case $ref in refs/heads/*) ;; *) exit 1;; esac; done\n";
    world.executable("hub.git/hooks/pre-receive", hook);
    let output = run(&world, "a", &["start", &id, "--json"]);
    assert_eq!(started(&output)["claim"]["tentative"], true, "{output:?}");
    run(&world, "a", &["sync"]).ok();
    run(&world, "b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "in_progress");
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    run(&world, "a", &["sync"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
}

#[test]
fn a_takeover_that_the_host_refuses_leaves_the_holder_its_claim() {
    let (world, id) = two("strict");
    let answer = started(&run(&world, "a", &["start", &id, "--json"]));
    configure(&world, "receive.hideRefs", "refs/beads/claims");
    let other = [
        "--actor", "a-person", "--agent", "other", "start", &id, "--force",
    ];
    world.bd_in("a", &other).fails(5);
    assert_eq!(claim(&world)["agent"], "a-agent");
    world
        .git_in("hub.git", &["config", "--unset", "receive.hideRefs"])
        .ok();
    // The holder still knows its claim, and gives it back with its end.
    assert_eq!(answer["claim"]["fence"], 1);
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
}
