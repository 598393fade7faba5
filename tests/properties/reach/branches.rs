//! Hosts that take heads and tags only: the store is the branch `beads` there.

use super::{export, hub_refs};
use crate::support::World;
use crate::support::clones::{bare_clones, create, script, state, sync};

/// A hub whose hook refuses what is neither a branch nor a tag; `all` refs of a push, or only that one.
fn heads_only(world: &World, hook: &str) {
    match hook {
        "update" => script(
            world,
            "hub.git/hooks/update",
            "case $1 in refs/heads/*|refs/tags/*) ;; *) echo \"hook declined to update $1\" >&2; exit 1;; esac",
        ),
        _ => script(
            world,
            "hub.git/hooks/pre-receive",
            "while read old new name; do case $name in refs/heads/*|refs/tags/*) ;; *) exit 1;; esac; done",
        ),
    };
}

#[test]
fn the_store_is_a_branch_where_a_host_takes_branches_only() {
    for hook in ["update", "pre-receive"] {
        let world = bare_clones(&["a", "b"]);
        heads_only(&world, hook);
        world.bd_in("a", &["init"]).ok();
        let x = create(&world, "a", &["x"]);
        let said = world.bd_in("a", &["sync"]).ok();
        assert_eq!(
            said,
            "origin: 2 changes sent to the branch beads, 0 changes received\n\
             origin takes branches only; this clone remembers (remote.origin.beadsRef)\n"
        );
        assert_eq!(
            hub_refs(&world),
            ["refs/heads/beads", "refs/heads/main"],
            "{hook}"
        );
        let again = world.bd_in("a", &["sync"]).ok();
        assert_eq!(
            again,
            "origin: 0 changes sent to the branch beads, 0 changes received\n"
        );
        // Another clone finds it there, and sends there.
        world.bd_in("b", &["init"]).ok();
        let y = create(&world, "b", &["y"]);
        sync(&world, &["b", "a", "b"]);
        assert_eq!(state(&world, "a"), state(&world, "b"));
        let (_, list) = state(&world, "a");
        assert!(
            [&x, &y].iter().all(|id| list.contains(id.as_str())),
            "{list}"
        );
        assert_eq!(export(&world, "a"), export(&world, "b"));
        // All of it was done without a change of what git fetches or pushes.
        let keys = world
            .git_in("b", &["config", "--local", "--get-regexp", "^remote\\."])
            .ok();
        assert_eq!(keys.lines().count(), 3, "{keys}");
        assert!(
            keys.contains("remote.origin.beadsref refs/heads/beads"),
            "{keys}"
        );
    }
}

#[test]
fn two_who_begin_at_the_same_host_meet_in_the_branch() {
    let world = bare_clones(&["a", "b"]);
    world.bd_in("a", &["init"]).ok();
    std::fs::create_dir(world.path("copy")).unwrap();
    // The same store in two clones, which the host has never seen.
    let pull = ["pull", "--quiet", "../a", "refs/beads/main:refs/beads/main"];
    world
        .git_in("b", &["fetch", "--quiet", pull[2], pull[3]])
        .ok();
    heads_only(&world, "update");
    let (x, y) = (create(&world, "a", &["x"]), create(&world, "b", &["y"]));
    sync(&world, &["a", "b", "a"]);
    let (_, list) = state(&world, "a");
    assert!(
        [&x, &y].iter().all(|id| list.contains(id.as_str())),
        "{list}"
    );
    assert_eq!(state(&world, "a"), state(&world, "b"));
}

#[test]
fn a_branch_of_that_name_that_holds_something_else_is_left_alone() {
    let world = bare_clones(&["a"]);
    world
        .git_in("a", &["push", "--quiet", "origin", "HEAD:refs/heads/beads"])
        .ok();
    let before = world
        .git_in("hub.git", &["rev-parse", "refs/heads/beads"])
        .ok();
    heads_only(&world, "update");
    world.bd_in("a", &["init"]).ok();
    create(&world, "a", &["x"]);
    let said = world.bd_in("a", &["sync"]).fails(5);
    assert!(
        said.contains("origin refuses refs/beads/main and beads"),
        "{said}"
    );
    assert_eq!(
        world
            .git_in("hub.git", &["rev-parse", "refs/heads/beads"])
            .ok(),
        before
    );
    assert!(
        world
            .git_in("a", &["config", "remote.origin.beadsRef"])
            .code
            != 0
    );
    // The hint names another branch.
    let hint = said
        .lines()
        .find_map(|line| line.strip_prefix("hint: git "));
    let command = hint.unwrap().split(';').next().unwrap();
    let words: Vec<&str> = command.split(' ').collect();
    world.git_in("a", &words).ok();
    sync(&world, &["a"]);
    let sent = ["rev-parse", "refs/heads/git-beads"];
    world.git_in("hub.git", &sent).ok();
}

#[test]
fn a_pull_finds_the_branch_where_the_ref_is_not_there() {
    let world = bare_clones(&["a", "b"]);
    heads_only(&world, "update");
    world.bd_in("a", &["init"]).ok();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    // A clone that fetched the issues before this host had them.
    world
        .git_in(
            "b",
            &[
                "fetch",
                "--quiet",
                "../a",
                "refs/beads/main:refs/beads/main",
            ],
        )
        .ok();
    let y = create(&world, "a", &["y"]);
    sync(&world, &["a"]);
    world.bd_in("b", &["pull"]).ok();
    let (_, list) = state(&world, "b");
    assert!(
        [&x, &y].iter().all(|id| list.contains(id.as_str())),
        "{list}"
    );
}

#[test]
fn a_ref_that_is_hidden_from_all_is_no_store_and_one_that_is_only_not_taken_is() {
    let world = bare_clones(&["a"]);
    world
        .git_in("hub.git", &["config", "transfer.hideRefs", "refs/beads"])
        .ok();
    world.bd_in("a", &["init"]).ok();
    create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    assert_eq!(hub_refs(&world), ["refs/heads/beads", "refs/heads/main"]);
    // Where the store is at its ref, a branch would be read by nobody.
    let world = bare_clones(&["a", "b"]);
    world.bd_in("a", &["init"]).ok();
    sync(&world, &["a"]);
    world.bd_in("b", &["init"]).ok();
    world
        .git_in("hub.git", &["config", "receive.hideRefs", "refs/beads"])
        .ok();
    world
        .git_in("b", &["checkout", "--quiet", "-b", "feature/x"])
        .ok();
    create(&world, "b", &["y"]);
    sync(&world, &["b"]);
    assert_eq!(
        hub_refs(&world),
        [
            "refs/beads/main",
            "refs/heads/feature/git-beads-x",
            "refs/heads/main"
        ]
    );
}

#[test]
fn a_clone_of_one_branch_finds_the_store_by_its_name() {
    let world = bare_clones(&["a"]);
    heads_only(&world, "update");
    world.bd_in("a", &["init"]).ok();
    let x = create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    let url = format!("file://{}", world.path("hub.git").display());
    let clone = [
        "clone",
        "--quiet",
        "--depth",
        "1",
        "--single-branch",
        "-b",
        "main",
        &url,
        "c",
    ];
    world.git_in(".", &clone).ok();
    let said = world.bd_in("c", &["init"]).ok();
    assert!(said.contains("joined from origin"), "{said}");
    assert!(world.bd_in("c", &["list", "-q"]).ok().contains(&x));
    // The boundary of the user's own history stays.
    let commits = world.git_in("c", &["rev-list", "--count", "HEAD"]).ok();
    assert_eq!(commits.trim(), "1");
}
