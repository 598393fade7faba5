//! Clones that exchange through a remote.

mod probes;

use crate::support::World;

/// Two clones `a` and `b` of a bare remote `hub.git`; `a` has begun a store and pushed it, `b` has joined it.
pub fn two_clones() -> World {
    let world = World::empty();
    world.git_in(".", &["init", "--quiet", "--bare", "hub.git"]).ok();
    world.git_in(".", &["clone", "--quiet", "hub.git", "a"]).ok();
    world.git_in("a", &["commit", "--quiet", "--allow-empty", "-m", "first"]).ok();
    world.git_in("a", &["push", "--quiet", "origin", "HEAD"]).ok();
    world.bd_in("a", &["init"]).ok();
    world.bd_in("a", &["sync"]).ok();
    world.git_in(".", &["clone", "--quiet", "hub.git", "b"]).ok();
    assert!(world.bd_in("b", &["init"]).ok().contains("joined from origin"));
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
    world.git_in(clone, &["rev-parse", "refs/beads/main"]).ok().trim().to_owned()
}
