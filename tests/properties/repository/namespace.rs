//! `GIT_NAMESPACE`, which is for those who serve repositories.

use crate::support::World;

#[test]
fn a_namespace_is_ignored_as_git_ignores_it() {
    let mut world = World::with_store();
    world.git(&["init", "--quiet", "--bare", "../hub"]).ok();
    world.git(&["remote", "add", "origin", "../hub"]).ok();
    let before = world.create(&["Before"]);
    world.set("GIT_NAMESPACE", "foo");
    let inside = world.create(&["Inside"]);
    for args in [&["list"][..], &["status"], &["log"], &["init"]] {
        world.bd(args).ok();
    }
    let listed = world.bd(&["list", "-q"]).ok();
    assert!(
        listed.contains(&before) && listed.contains(&inside),
        "{listed}"
    );
    world.bd(&["sync"]).ok();
    world.bd(&["doctor"]).ok();
    world
        .git_in(".", &["clone", "--quiet", "hub", "second"])
        .all();
    world.bd_in("second", &["init"]).ok();
    world.bd_in("second", &["create", "From the second"]).ok();
    world.bd_in("second", &["sync"]).ok();
    world.bd(&["sync"]).ok();
    assert!(world.bd(&["list"]).ok().contains("From the second"));
    for folder in ["repo", "hub", "second"] {
        let refs = world.git_in(folder, &["for-each-ref"]).ok();
        assert!(!refs.contains("refs/namespaces"), "{folder}: {refs}");
        assert!(refs.contains("refs/beads/main"), "{folder}: {refs}");
    }
}
