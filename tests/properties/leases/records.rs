//! What others write into a claim, or into the file of claims here.

use serde_json::json;

use super::{claims, run, started, status, two};

#[test]
fn what_others_write_into_a_claim_is_read_strictly() {
    let (world, id) = two("remote");
    started(&run(&world, "a", &["start", &id, "--json"]));
    let name = claims(&world).remove(0);
    let tree = world
        .git_in("hub.git", &["hash-object", "-t", "tree", "-w", "/dev/null"])
        .ok();
    let long = "x".repeat(5000);
    for text in [
        "",
        "no json",
        "{\"v\":1,\"state\":\"held\",\"person\":\"\\u001b[31m\"}",
        &long,
    ] {
        let commit = world
            .git_in("hub.git", &["commit-tree", tree.trim(), "-m", text])
            .ok();
        world
            .git_in("hub.git", &["update-ref", &name, commit.trim()])
            .ok();
        let refused = run(&world, "b", &["start", &id]).fails(3);
        assert!(
            refused.contains("in progress by unknown (at origin"),
            "{refused}"
        );
        assert!(!refused.contains('\u{1b}'), "{refused:?}");
    }
    // A name that is none is passed over.
    let commit = world.git_in("hub.git", &["rev-parse", &name]).ok();
    world
        .git_in(
            "hub.git",
            &["update-ref", "refs/beads/claims/x/y", commit.trim()],
        )
        .ok();
    run(&world, "b", &["sync"]).ok();
}

#[test]
fn a_claim_is_found_again_without_the_book() {
    let (world, id) = two("remote");
    run(&world, "a", &["start", &id]).ok();
    std::fs::write(world.path("a/.git/beads/agents/claims.leases"), "").unwrap();
    run(&world, "a", &["stop", &id]).ok();
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
}

#[test]
fn what_a_claim_says_wrongly_gets_into_no_issue() {
    let (world, id) = two("remote");
    run(&world, "a", &["start", &id]).ok();
    let name = claims(&world).remove(0);
    let uid = name.rsplit('/').next().unwrap();
    let huge = json!({
        "agent": "x", "beat": 0, "fence": i64::MAX, "lease": 1, "nonce": "n", "person": "eve", "state": "held",
        "uid": uid, "v": 1
    });
    for text in [
        huge.to_string(),
        json!({"v": 2, "state": "held"}).to_string(),
    ] {
        let tree = world
            .git_in("hub.git", &["hash-object", "-t", "tree", "-w", "/dev/null"])
            .ok();
        let commit = world
            .git_in("hub.git", &["commit-tree", tree.trim(), "-m", &text])
            .ok();
        world
            .git_in("hub.git", &["update-ref", &name, commit.trim()])
            .ok();
        let answer = started(&run(&world, "b", &["start", &id, "--force", "--json"]));
        assert!(answer["claim"]["fence"].as_u64().unwrap() < 10, "{answer}");
        assert_eq!(answer["issue"]["title"], "Wire cache");
        run(&world, "b", &["stop", &id]).ok();
        run(&world, "a", &["sync"]).ok();
        run(&world, "a", &["start", &id]).ok();
    }
    let commit = world
        .git_in("hub.git", &["rev-parse", "refs/beads/main"])
        .ok();
    world
        .git_in("hub.git", &["update-ref", &name, commit.trim()])
        .ok();
    let said = run(&world, "a", &["sync"]).ok();
    assert!(!said.contains("unknown"), "{said}");
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    assert_eq!(status(&world, "a", &id), "closed");
}
