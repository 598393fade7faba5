//! A remote that is pushed to at another address than it is fetched from.

use crate::support::World;
use crate::support::clones::{create, failed, hub_tip, state, sync, tip, two_clones};

fn refs(world: &World, repo: &str) -> String {
    world.git_in(repo, &["for-each-ref", "refs/beads*"]).ok()
}

/// Two clones of a hub, of which `a` pushes to `fork.git`.
fn triangle() -> World {
    let world = two_clones();
    world
        .git_in(".", &["init", "--quiet", "--bare", "fork.git"])
        .ok();
    pushes_to(&world, "a", "fork.git");
    world
}

fn pushes_to(world: &World, clone: &str, hub: &str) {
    let url = world.path(hub).display().to_string();
    world
        .git_in(clone, &["config", "remote.origin.pushurl", &url])
        .ok();
}

#[track_caller]
fn answer(world: &World, clone: &str) -> (u64, u64) {
    let said = world.bd_in(clone, &["sync", "--json"]).json();
    assert!(said["remarks"].is_null(), "{said}");
    let number = |key: &str| said[key].as_u64().unwrap();
    (number("sent"), number("received"))
}

#[test]
fn a_clone_that_pushes_elsewhere_comes_to_rest() {
    let world = triangle();
    let upstream = hub_tip(&world);
    create(&world, "a", &["Mine"]);
    assert_eq!(answer(&world, "a"), (2, 0), "all of it is new there");
    for _ in 0..3 {
        let before = refs(&world, "a");
        assert_eq!(answer(&world, "a"), (0, 0));
        assert_eq!(refs(&world, "a"), before);
    }
    assert_eq!(hub_tip(&world), upstream);
    assert_eq!(tip(&world, "fork.git"), tip(&world, "a"));
    create(&world, "b", &["Theirs"]);
    sync(&world, &["b"]);
    create(&world, "a", &["Mine too"]);
    assert_eq!(answer(&world, "a"), (2, 1));
    assert_eq!(answer(&world, "a"), (0, 0));
    let status = world.bd_in("a", &["status", "--json"]).json();
    assert_eq!(status["remotes"][0]["ahead"], 0, "{status}");
    create(&world, "a", &["Later"]);
    let status = world.bd_in("a", &["status", "--json"]).json();
    assert_eq!(status["remotes"][0]["ahead"], 1, "{status}");
    // A fork that was emptied gets all of it again.
    world
        .git_in("fork.git", &["update-ref", "-d", "refs/beads/main"])
        .ok();
    world.bd_in("a", &["push"]).ok();
    assert_eq!(tip(&world, "fork.git"), tip(&world, "a"));
    let found = world.bd_in("a", &["doctor"]).ok();
    assert!(
        found.contains("origin is fetched from and pushed to at different addresses"),
        "{found}"
    );
}

#[test]
fn changes_that_only_the_other_address_has_are_named() {
    let world = triangle();
    create(&world, "a", &["Mine"]);
    sync(&world, &["a"]);
    pushes_to(&world, "b", "fork.git");
    create(&world, "b", &["Theirs"]);
    let error = failed(world.bd_in("b", &["sync", "--json"]), 5);
    assert_eq!(error["code"], "pushes_elsewhere", "{error}");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("git remote add"), "{error}");
    let url = world.path("fork.git").display().to_string();
    world.git_in("b", &["remote", "add", "push", &url]).ok();
    world.bd_in("b", &["sync", "--remote", "push"]).ok();
    assert_eq!(answer(&world, "b"), (0, 0));
    assert_eq!(tip(&world, "fork.git"), tip(&world, "b"));
    assert_eq!(state(&world, "b").1.lines().count(), 2);
}

#[test]
fn another_address_of_the_same_repository_changes_nothing() {
    let world = two_clones();
    // By a link, by a name with and without its end, by a rule for addresses.
    std::os::unix::fs::symlink(world.path("hub.git"), world.path("link")).unwrap();
    for url in ["link", "hub.git/", "./hub.git"] {
        pushes_to(&world, "a", url);
        create(&world, "a", &[url]);
        assert_eq!(answer(&world, "a"), (1, 0), "{url}");
        assert_eq!(tip(&world, "a"), hub_tip(&world));
        let known = world
            .git_in("a", &["rev-parse", "refs/beads-remotes/origin/main"])
            .ok();
        assert_eq!(known.trim(), tip(&world, "a"), "{url}");
        assert_eq!(answer(&world, "a"), (0, 0), "{url}");
        let found = world.bd_in("a", &["doctor"]).ok();
        assert!(!found.contains("different addresses"), "{found}");
    }
}

#[test]
fn a_rule_that_leads_pushes_elsewhere_counts_as_well() {
    let world = two_clones();
    world
        .git_in(".", &["init", "--quiet", "--bare", "fork.git"])
        .ok();
    let key = format!("url.{}.pushInsteadOf", world.path("fork.git").display());
    let hub = world.path("hub.git").display().to_string();
    world.git_in("a", &["config", &key, &hub]).ok();
    create(&world, "a", &["Mine"]);
    assert_eq!(answer(&world, "a"), (2, 0));
    assert_eq!(answer(&world, "a"), (0, 0));
    assert_eq!(tip(&world, "fork.git"), tip(&world, "a"));
}
