//! Claims that a clone with an older version holds at the remote by a ref of its own.

use super::{run, started, status, two};
use crate::support::World;
use crate::support::clones::tip;

/// Makes the ref of a claim at the hub, as older versions did.
fn claimed_by_older(world: &World, id: &str) {
    let uid = crate::support::hand::uid(world, "a", id);
    let text = format!(
        r#"{{"agent":"claude-3f2ak","beat":0,"fence":1,"lease":30,"nonce":"01M7WAYVH897ZC94AHW5N37T2E","person":"old","state":"held","uid":"{uid}","v":1}}"#
    );
    let tree = ["hash-object", "-t", "tree", "-w", "/dev/null"];
    let tree = world.git_in("hub.git", &tree).ok();
    let identity = ["-c", "user.name=x", "-c", "user.email=x@x"];
    let made = [&identity[..], &["commit-tree", tree.trim(), "-m", &text]].concat();
    let made = world.git_in("hub.git", &made).ok();
    let name = format!("refs/beads/claims/{uid}");
    world
        .git_in("hub.git", &["update-ref", &name, made.trim()])
        .ok();
}

fn claims(world: &World) -> String {
    let refs = ["for-each-ref", "refs/beads/claims"];
    world.git_in("hub.git", &refs).ok()
}

#[test]
fn they_keep_strict_starts_from_being_made_until_the_main_ref_has_them() {
    let (world, id) = two("strict");
    let other = crate::support::clones::create(&world, "a", &["Other"]);
    world.bd_in("a", &["sync"]).ok();
    claimed_by_older(&world, &id);
    let before = tip(&world, "b");
    for issue in [&id, &other] {
        let refused = run(&world, "b", &["start", issue, "--json"]);
        assert_eq!(refused.code, 5, "{refused:?}");
        let said: serde_json::Value = serde_json::from_str(&refused.stdout).unwrap();
        assert_eq!(said["code"], "claims_of_older", "{said}");
        let message = said["message"].as_str().unwrap();
        assert!(
            message.contains("by old/claude-3f2ak (clone W5N37T2E, now)"),
            "{said}"
        );
    }
    assert_eq!(tip(&world, "b"), before);
    world.bd_in("b", &["sync"]).ok();
    let tentative = run(&world, "b", &["start", &other, "--remote", "--json"]);
    assert_eq!(started(&tentative)["claim"]["tentative"], true);
    let found = world.bd_in("a", &["doctor", "--remote"]);
    assert_ne!(found.code, 0, "{found:?}");
    assert!(found.all().contains("doctor --remote --fix"), "{found:?}");
    world.bd_in("a", &["doctor", "--remote", "--fix"]).ok();
    assert_eq!(claims(&world), "");
    // It is in the main ref, so it holds.
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "in_progress");
    let text = run(&world, "b", &["start", &id]).fails(3);
    assert!(text.contains("old/claude-3f2ak"), "{text}");
    run(&world, "a", &["start", &id, "--force"]).ok();
}

#[test]
fn one_that_was_given_back_keeps_no_one() {
    let (world, id) = two("strict");
    let uid = crate::support::hand::uid(&world, "a", &id);
    let tree = ["hash-object", "-t", "tree", "-w", "/dev/null"];
    let tree = world.git_in("hub.git", &tree).ok();
    let free = r#"{"state":"free","v":1}"#;
    let identity = ["-c", "user.name=x", "-c", "user.email=x@x"];
    let made = [&identity[..], &["commit-tree", tree.trim(), "-m", free]].concat();
    let made = world.git_in("hub.git", &made).ok();
    let name = format!("refs/beads/claims/{uid}");
    world
        .git_in("hub.git", &["update-ref", &name, made.trim()])
        .ok();
    run(&world, "a", &["start", &id]).ok();
}

#[test]
fn one_counts_more_than_what_the_main_ref_says() {
    let (world, id) = two("local");
    run(&world, "b", &["start", &id]).ok();
    world.bd_in("b", &["sync"]).ok();
    claimed_by_older(&world, &id);
    let fixed = world.bd_in("a", &["doctor", "--remote", "--fix"]).all();
    assert!(fixed.contains("fixed"), "{fixed}");
    assert_eq!(claims(&world), "");
    let told = run(&world, "b", &["sync"]).all();
    assert!(told.contains("old/claude-3f2ak"), "{told}");
    let shown = world.bd_in("b", &["show", &id, "--json"]).json();
    assert_eq!(shown["issue"]["claim"]["by"], "old/claude-3f2ak", "{shown}");
}

#[test]
fn one_of_an_unknown_issue_is_removed_and_one_that_is_no_claim_is_named() {
    let (world, id) = two("strict");
    claimed_by_older(&world, &id);
    let uid = crate::support::hand::uid(&world, "a", &id);
    let claim = format!("refs/beads/claims/{uid}");
    let unknown = "refs/beads/claims/01K8G5S2F0000000000000003A";
    let claimed = world.git_in("hub.git", &["rev-parse", &claim]).ok();
    world
        .git_in("hub.git", &["update-ref", unknown, claimed.trim()])
        .ok();
    // Anything else in the place of the one of the issue.
    let main = world
        .git_in("hub.git", &["rev-parse", "refs/beads/main"])
        .ok();
    world
        .git_in("hub.git", &["update-ref", &claim, main.trim()])
        .ok();
    let said = world.bd_in("a", &["doctor", "--remote", "--fix"]).all();
    let delete = format!("git push --delete origin {claim}");
    assert!(said.contains(&delete), "{said}");
    assert!(!claims(&world).contains(unknown), "{}", claims(&world));
    assert_eq!(run(&world, "b", &["start", &id]).code, 5);
    world
        .git_in("a", &["push", "--delete", "origin", &claim])
        .ok();
    started(&run(&world, "b", &["start", &id, "--json"]));
}

#[test]
fn one_that_is_no_claim_lets_nothing_of_the_user_be_pushed() {
    let (world, id) = two("strict");
    let uid = crate::support::hand::uid(&world, "a", &id);
    let claim = format!("refs/beads/claims/{uid}");
    world
        .git_in("hub.git", &["update-ref", &claim, "refs/beads/main"])
        .ok();
    for args in [
        &["config", "push.default", "current"][..],
        &["checkout", "--quiet", "-b", "private"],
        &["commit", "--quiet", "--allow-empty", "-m", "not to be sent"],
    ] {
        world.git_in("a", args).ok();
    }
    let said = world.bd_in("a", &["doctor", "--remote", "--fix"]).all();
    assert!(said.contains("git push --delete origin"), "{said}");
    let branches = ["for-each-ref", "--format=%(refname)", "refs/heads"];
    let branches = world.git_in("hub.git", &branches).ok();
    assert!(!branches.contains("private"), "{branches}");
}

#[test]
fn their_refs_stay_where_the_main_ref_can_not_be_pushed() {
    let (world, id) = two("strict");
    claimed_by_older(&world, &id);
    let hook = "#!/bin/sh\ncase $1 in refs/beads/main) exit 1;; esac\n";
    world.executable("hub.git/hooks/update", hook);
    world.bd_in("a", &["doctor", "--remote", "--fix"]).fails(1);
    assert!(claims(&world).contains("refs/beads/claims/"));
}
