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
        "# Now in your own repository: cd YOUR-REPOSITORY && git beads init\n",
    ] {
        assert!(shown.contains(part), "{part} is missing in {shown}");
    }
}

#[test]
fn it_names_the_manual_pages_where_there_are_none() {
    let world = World::empty();
    let said = "for `git beads --help`: git beads man\n";
    assert!(world.bd_in("home", &["demo"]).ok().ends_with(said));
    let pages = world.path("home/.local/share/man");
    world.bd_in("home", &["man", pages.to_str().unwrap()]).ok();
    assert!(!world.bd_in("home", &["demo"]).ok().contains(said));
}
