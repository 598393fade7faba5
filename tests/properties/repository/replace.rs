//! `git replace` shows other objects in the place of ours: nothing is read or written by it.

use crate::support::World;
use crate::support::clones::{create, hub_tip, sync, tip, two_clones};
use crate::support::plumbing::{REF, blob, git, object, path, sound};

#[test]
fn what_git_replaces_drops_no_write() {
    let world = World::with_store();
    world.create(&["One"]);
    let id = world.create(&["Two"]);
    git(&world, &["replace", REF, &format!("{REF}~1")]);
    world.create(&["Three"]);
    std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap();
    assert_eq!(world.bd(&["list", "-q"]).ok().lines().count(), 3);
    let place = path(&world, &id);
    let text = blob(&world, &place);
    let real = git(&world, &["rev-parse", &format!("{REF}:{place}")]);
    git(&world, &["replace", &real, &object(&world, "junk\n")]);
    std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap();
    assert!(world.bd(&["list"]).ok().contains("Two"));
    world.bd(&["doctor"]).ok();
    world.bd(&["update", &id, "--title", "Second"]).ok();
    for name in git(&world, &["replace", "--list"]).lines() {
        git(&world, &["replace", "-d", name]);
    }
    assert_eq!(blob_of(&world, &real), text);
    let list = world.bd(&["list"]).ok();
    assert!(
        ["One", "Second", "Three"]
            .iter()
            .all(|title| list.contains(title)),
        "{list}"
    );
    sound(&world);
}

#[test]
fn what_git_replaces_stops_no_sync() {
    for replaced in [REF.to_owned(), format!("{REF}~1")] {
        let world = two_clones();
        create(&world, "a", &["One"]);
        create(&world, "a", &["Two"]);
        let tree = world
            .git_in("a", &["rev-parse", &format!("{replaced}^{{tree}}")])
            .ok();
        let other = world
            .git_in("a", &["commit-tree", "-m", "other", tree.trim()])
            .ok();
        world
            .git_in("a", &["replace", &replaced, other.trim()])
            .ok();
        sync(&world, &["a", "b"]);
        assert_eq!(tip(&world, "a"), hub_tip(&world), "{replaced}");
        assert_eq!(world.bd_in("b", &["list", "-q"]).ok().lines().count(), 2);
    }
}

fn blob_of(world: &World, id: &str) -> String {
    world.git(&["cat-file", "blob", id]).ok()
}
