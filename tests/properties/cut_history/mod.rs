//! A history that is cut, as `git fetch --depth` leaves it: what came before the cut is missing, not empty.

mod depth;

use serde_json::Value;

use crate::support::World;

/// A hub whose store has several operations on two issues, and how many commits they are.
fn hub() -> (World, [String; 2], usize) {
    let world = World::with_store();
    let ids = ["one", "two"].map(|title| world.create(&[title]));
    world.bd(&["update", &ids[0], "-p", "1"]).ok();
    world.bd(&["start", &ids[1]]).ok();
    world.bd(&["close", &ids[1], "-r", "done"]).ok();
    world.bd(&["reopen", &ids[1]]).ok();
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .ok();
    world.git(&["remote", "add", "origin", "../hub.git"]).ok();
    world.bd(&["sync"]).ok();
    let commits = world.git(&["rev-list", "--count", "refs/beads/main"]).ok();
    (world, ids, commits.trim().parse().unwrap())
}

/// A clone whose own ref has so many commits.
fn cut(world: &World, depth: usize) -> String {
    let url = format!("file://{}", world.path("hub.git").display());
    let name = format!("cut{depth}");
    world.git_in(".", &["init", "--quiet", &name]).ok();
    world.git_in(&name, &["remote", "add", "origin", &url]).ok();
    let fetch = [
        "fetch",
        "--quiet",
        &format!("--depth={depth}"),
        "origin",
        "refs/beads/main:refs/beads/main",
    ];
    world.git_in(&name, &fetch).ok();
    name
}

fn commits(world: &World, clone: &str) -> Vec<String> {
    let all = world.git_in(clone, &["rev-list", "refs/beads/main"]).ok();
    all.lines().map(str::to_owned).collect()
}

/// The code of an error that must have a remedy.
#[track_caller]
fn code(world: &World, clone: &str, args: &[&str], exit: i32) -> String {
    let output = world.bd_in(clone, &[args, &["--json"]].concat());
    assert_eq!(output.code, exit, "{args:?}: {output:?}");
    let error: Value = serde_json::from_str(&output.stdout).unwrap();
    let hint = error["hint"].as_str().unwrap_or_default();
    assert!(
        hint.contains(" fetch --unshallow brings"),
        "{args:?}: {error}"
    );
    error["code"].as_str().unwrap().to_owned()
}

/// The members of an answer that say where the history is cut.
fn said(answer: &Value) -> Vec<&str> {
    let said = answer["cut"].as_array().into_iter().flatten();
    said.map(|commit| commit.as_str().unwrap()).collect()
}

#[test]
fn undo_takes_nothing_back_whose_former_state_is_missing() {
    let (world, _, whole) = hub();
    for depth in 1..whole {
        let clone = cut(&world, depth);
        let issues = world.bd_in(&clone, &["export"]).ok();
        let all = commits(&world, &clone);
        assert_eq!(all.len(), depth);
        let oldest = all.last().unwrap().as_str();
        let many = depth.to_string();
        for args in [
            &["undo", oldest][..],
            &["undo", oldest, "--force"],
            &["undo", oldest, "--dry-run"],
            &["undo", &many],
            &["undo", &many, "--force"],
        ] {
            assert_eq!(code(&world, &clone, args, 3), "cut", "depth {depth}");
        }
        if depth == 1 {
            assert_eq!(code(&world, &clone, &["undo"], 3), "cut");
        }
        assert_eq!(commits(&world, &clone), all);
        assert_eq!(world.bd_in(&clone, &["export"]).ok(), issues);
        assert_eq!(
            code(&world, &clone, &["undo", "--actor", "Bob"], 3),
            "cut",
            "what Bob did may lie before the cut"
        );
    }
}

#[test]
fn every_verb_that_looks_back_says_where_the_history_begins() {
    let (world, ids, whole) = hub();
    for depth in 1..whole {
        let clone = cut(&world, depth);
        let all = commits(&world, &clone);
        let oldest = all.last().unwrap().as_str();
        for log in [&["log"][..], &["log", "-p"], &["log", &ids[0], "-p"]] {
            let answer = world.bd_in(&clone, &[log, &["--json"]].concat()).json();
            assert_eq!(
                said(&answer),
                [oldest],
                "{log:?} at depth {depth}: {answer}"
            );
            let operations = answer["operations"].as_array().into_iter().flatten();
            let last = operations.filter(|one| one["commit"] == oldest);
            for operation in last {
                assert_eq!(operation["issues"], Value::Null, "{operation}");
            }
            let text = world.bd_in(&clone, log).ok();
            assert!(
                text.contains("history begins here: git beads fetch --unshallow"),
                "{text}"
            );
        }
        let blame = world.bd_in(&clone, &["blame", &ids[0], "--json"]).json();
        assert_eq!(said(&blame), [oldest], "{blame}");
        for field in blame["fields"].as_array().unwrap() {
            assert_ne!(field["commit"], oldest, "{field}");
        }
        let stats = world.bd_in(&clone, &["stats", "--json"]).json();
        assert_eq!(said(&stats), [oldest], "{stats}");
        let before = format!("@~{depth}");
        for args in [
            &["diff", &before][..],
            &["list", "--at", &before],
            &["list", "--at", "2020-01-01"],
            &["diff", "2020-01-01"],
        ] {
            assert_eq!(code(&world, &clone, args, 1), "cut", "{args:?}");
        }
        let here = format!("@~{}", depth - 1);
        world.bd_in(&clone, &["diff", &here]).ok();
        world.bd_in(&clone, &["list", "--at", &here]).ok();
    }
}

#[test]
fn a_history_that_is_deepened_is_read_again() {
    let (world, ids, whole) = hub();
    let clone = cut(&world, 2);
    let log = |clone: &str| {
        let answer = world
            .bd_in(clone, &["log", "-n", "0", "-p", "--json"])
            .json();
        assert_eq!(said(&answer).is_empty(), clone == "repo", "{answer}");
        answer
    };
    log(&clone);
    world.bd_in(&clone, &["blame", &ids[0]]).ok();
    world.bd_in(&clone, &["fetch"]).ok();
    assert_eq!(commits(&world, &clone).len(), whole);
    let deepened = world.bd_in(&clone, &["log", "-n", "0", "-p", "--json"]);
    assert_eq!(deepened.json(), log("repo"));
    let stats = |clone: &str| {
        let mut stats = world.bd_in(clone, &["stats", "--json"]).json();
        stats["repo"].take();
        stats
    };
    assert_eq!(stats(&clone), stats("repo"));
    world.bd_in(&clone, &["undo", "1"]).ok();
}

#[test]
fn a_tip_that_was_fetched_by_hand_with_a_depth_is_completed() {
    for diverged in [false, true] {
        let (world, ids, _) = hub();
        let url = format!("file://{}", world.path("hub.git").display());
        world.git(&["remote", "set-url", "origin", &url]).ok();
        world.git_in(".", &["clone", "-q", &url, "other"]).ok();
        world.bd_in("other", &["sync"]).ok();
        for priority in ["2", "3"] {
            world
                .bd_in("other", &["update", &ids[0], "-p", priority])
                .ok();
        }
        world.bd_in("other", &["sync"]).ok();
        if diverged {
            world.create(&["Of our own"]);
        }
        world
            .git(&["fetch", "--quiet", "--depth=1", "origin", "refs/beads/main"])
            .ok();
        let output = world.bd(&["sync"]);
        assert_eq!(output.code, 0, "{output:?}");
        assert!(!output.stderr.contains("cut"), "{output:?}");
        let theirs = commits(&world, "other");
        let ours = commits(&world, "repo");
        assert!(theirs.iter().all(|commit| ours.contains(commit)));
        let answer = world.bd(&["log", "-n", "0", "--json"]).json();
        assert!(said(&answer).is_empty(), "{answer}");
        assert_eq!(
            world.bd(&["show", &ids[0], "--json"]).json()["issue"]["priority"],
            3
        );
    }
}
