//! Clones that exchange through a remote.

use serde_json::Value;

use crate::support::{Output, World};

/// Two clones `a` and `b` of a bare remote `hub.git`; `a` has begun a store and pushed it, `b` has joined it. They are a
/// copy, in which the program has not run yet.
pub fn two_clones() -> World {
    World::copied("two clones", two_clones_made_here)
}

/// The same, made step by step.
pub fn two_clones_made_here() -> World {
    let world = World::empty();
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .ok();
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "a"])
        .ok();
    world
        .git_in("a", &["commit", "--quiet", "--allow-empty", "-m", "first"])
        .ok();
    world
        .git_in("a", &["push", "--quiet", "origin", "HEAD"])
        .ok();
    world.bd_in("a", &["init"]).ok();
    world.bd_in("a", &["sync"]).ok();
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "b"])
        .ok();
    assert!(
        world
            .bd_in("b", &["init"])
            .ok()
            .contains("joined from origin")
    );
    world
}

/// Creates an issue in a clone and returns its id.
#[track_caller]
pub fn create(world: &World, clone: &str, args: &[&str]) -> String {
    let mut all = vec!["create", "-q"];
    all.extend(args);
    world.bd_in(clone, &all).ok().trim().to_owned()
}

/// Syncs clones in turn.
#[track_caller]
pub fn sync(world: &World, clones: &[&str]) {
    for clone in clones {
        world.bd_in(clone, &["sync"]).ok();
    }
}

/// The commit a clone's ref points to.
#[track_caller]
pub fn tip(world: &World, clone: &str) -> String {
    world
        .git_in(clone, &["rev-parse", "refs/beads/main"])
        .ok()
        .trim()
        .to_owned()
}

/// The commit the hub's ref points to.
#[track_caller]
pub fn hub_tip(world: &World) -> String {
    tip(world, "hub.git")
}

/// What a clone has: its tip, and the ids of all its issues.
#[track_caller]
pub fn state(world: &World, clone: &str) -> (String, String) {
    (
        tip(world, clone),
        world.bd_in(clone, &["list", "--all", "-q"]).ok(),
    )
}

/// An answer in JSON that must be an error with a remedy.
#[track_caller]
pub fn failed(output: Output, code: i32) -> Value {
    let Output {
        stdout,
        stderr,
        code: exit,
    } = output;
    assert_eq!(exit, code, "{stdout}{stderr}");
    let error: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}"));
    assert!(
        error["hint"].as_str().is_some_and(|hint| !hint.is_empty()),
        "no hint: {error}"
    );
    error
}

/// Writes a shell script and returns its path.
pub fn script(world: &World, name: &str, lines: &str) -> String {
    world.executable(name, format!("#!/bin/sh\n{lines}\n"))
}

/// Text that does not compress away.
pub fn noise(length: usize) -> String {
    let mut seed: u64 = 7;
    let mut next = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + u8::try_from((seed >> 33) % 90).unwrap())
    };
    std::iter::repeat_with(&mut next).take(length).collect()
}

/// A hub with a commit and clones of it, in none of which issues are kept.
pub fn bare_clones(clones: &[&str]) -> World {
    let world = World::empty();
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .ok();
    world
        .git_in(".", &["clone", "--quiet", "hub.git", clones[0]])
        .ok();
    world
        .git_in(
            clones[0],
            &["commit", "--quiet", "--allow-empty", "-m", "first"],
        )
        .ok();
    world
        .git_in(clones[0], &["push", "--quiet", "origin", "HEAD"])
        .ok();
    for clone in &clones[1..] {
        world
            .git_in(".", &["clone", "--quiet", "hub.git", clone])
            .ok();
    }
    world
}
