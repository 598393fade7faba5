//! `init --from`: the store of an address, in a repository that has no remote for it.

use super::export;
use crate::support::clones::{bare_clones, create, sync};
use crate::support::{World, binary};

/// A hub with a store, and a repository without a remote.
fn without_remote(key: Option<&str>) -> (World, String, String) {
    let world = bare_clones(&["a"]);
    if let Some(branch) = key {
        let key = ["config", "remote.origin.beadsRef", branch];
        world.git_in("a", &key).ok();
    }
    world.bd_in("a", &["init"]).ok();
    let id = create(&world, "a", &["Wire cache"]);
    sync(&world, &["a"]);
    world.git_in(".", &["init", "-q", "c"]).ok();
    let url = format!("file://{}", world.path("hub.git").display());
    (world, id, url)
}

#[test]
fn the_store_of_an_address_is_joined_and_nothing_of_it_is_remembered() {
    for branch in [None, Some("refs/heads/beads")] {
        let (world, id, url) = without_remote(branch);
        let trace = world.path("trace");
        let mut init = world.command("c", binary(), &["init", "--from", &url]);
        init.env("GIT_TRACE", &trace);
        let said = world.run(init, None).ok();
        assert!(said.contains("joined from that address"), "{said}");
        assert!(world.bd_in("c", &["list", "-q"]).ok().contains(&id));
        // The address can hold a password: neither a program's arguments nor a file has it.
        let traced = std::fs::read_to_string(&trace).unwrap();
        let fetches = traced
            .lines()
            .filter(|line| line.contains("built-in: git fetch"));
        assert!(
            fetches.clone().count() > 0 && fetches.clone().all(|line| !line.contains(&url)),
            "{traced}"
        );
        let config = std::fs::read_to_string(world.path("c/.git/config")).unwrap();
        assert!(!config.contains("hub"), "{config}");
        assert_eq!(world.git_in("c", &["remote"]).ok(), "");
        // A maintenance script does it again.
        create(&world, "a", &["Another"]);
        sync(&world, &["a"]);
        world.bd_in("c", &["init", "--from", &url]).ok();
        assert_eq!(export(&world, "a"), export(&world, "c"));
        world.bd_in("c", &["doctor"]).ok();
        world
            .bd_in("c", &["uninstall", "--purge-ref", "--yes"])
            .ok();
        let refs = world.git_in("c", &["for-each-ref"]).ok();
        assert_eq!(refs, "");
    }
}

#[test]
fn an_address_without_a_store_begins_none() {
    let (world, _, url) = without_remote(None);
    world
        .git_in(".", &["init", "-q", "--bare", "empty.git"])
        .ok();
    let empty = format!("file://{}", world.path("empty.git").display());
    let output = world.bd_in("c", &["init", "--from", &empty]);
    assert_eq!(output.code, 4, "{output:?}");
    assert!(
        output.stderr.contains("git beads init begins a store"),
        "{output:?}"
    );
    let gone = format!("file://{}", world.path("gone.git").display());
    let output = world.bd_in("c", &["init", "--from", &gone]);
    assert_eq!(output.code, 5, "{output:?}");
    // Another command does not know the address.
    assert!(!output.stderr.contains("sync --remote"), "{output:?}");
    assert!(
        output.stderr.contains("git beads init --from URL"),
        "{output:?}"
    );
    let command = world.bd_in("c", &["init", "--from", "ext::sh -c 'touch owned'"]);
    assert_eq!(command.code, 5, "{command:?}");
    assert!(!world.path("c/owned").exists());
    assert_eq!(world.bd_in("c", &["init", "--from", ""]).code, 1);
    assert_eq!(world.bd_in("c", &["list"]).code, 4);
    world.git_in("c", &["remote", "add", "url", &url]).ok();
    let output = world.bd_in("c", &["init", "--from", &url]);
    assert!(
        output.stderr.contains("git beads init --remote url"),
        "{output:?}"
    );
}

#[test]
fn a_store_that_was_begun_apart_is_not_mixed_with_that_of_an_address() {
    let (world, id, url) = without_remote(None);
    world.bd_in("c", &["init"]).ok();
    let own = create(&world, "c", &["Not theirs"]);
    let output = world.bd_in("c", &["init", "--from", &url]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(
        output.stderr.contains("they were created separately"),
        "{output:?}"
    );
    assert!(
        output
            .stderr
            .contains("git beads sync --remote NAME --adopt"),
        "{output:?}"
    );
    let listed = world.bd_in("c", &["list", "-q"]).ok();
    assert!(listed.contains(&own) && !listed.contains(&id), "{listed}");
}

#[test]
fn an_address_is_joined_in_bare_repositories_and_worktrees_too() {
    let (world, id, url) = without_remote(None);
    world
        .git_in(".", &["init", "-q", "--bare", "bare.git"])
        .ok();
    world.bd_in("bare.git", &["init", "--from", &url]).ok();
    assert!(world.bd_in("bare.git", &["list", "-q"]).ok().contains(&id));
    world
        .git_in("c", &["commit", "-q", "--allow-empty", "-m", "x"])
        .ok();
    world
        .git_in("c", &["worktree", "add", "-q", "../tree"])
        .ok();
    world.bd_in("tree", &["init", "--from", &url]).ok();
    assert!(world.bd_in("c", &["list", "-q"]).ok().contains(&id));
}

#[test]
fn an_address_that_fails_takes_nothing_away() {
    let (world, _, url) = without_remote(None);
    world.bd_in("c", &["init", "--from", &url]).ok();
    create(&world, "c", &["new in the sandbox"]);
    world.git_in(".", &["init", "-q", "other"]).ok();
    world.bd_in("other", &["init", "--new"]).ok();
    create(&world, "other", &["of others"]);
    world
        .git_in(".", &["init", "-q", "--bare", "empty.git"])
        .ok();
    for (place, code) in [("other", 3), ("empty.git", 4), ("missing", 5)] {
        let bad = format!("file://{}", world.path(place).display());
        let output = world.bd_in("c", &["init", "--from", &bad]);
        assert_eq!(output.code, code, "{output:?}");
        let carried = world.bd_in("c", &["carry", "--stdout"]).ok();
        assert!(carried.contains("new in the sandbox"), "{place}: {carried}");
    }
}
