//! `demo`: the main verbs in a throwaway repository.

use crate::support::World;

#[test]
fn the_demonstration_runs() {
    let world = World::empty();
    let shown = world.bd_in("home", &["demo"]).ok();
    for part in [
        "$ git beads ready",
        "app-7c2d closed",
        "app-3f9k split into app-3f9k.1",
        "Show the status.",
    ] {
        assert!(shown.contains(part), "{part} is missing in {shown}");
    }
}
