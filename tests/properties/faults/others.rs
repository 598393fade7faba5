//! Other implementations of git read what we write: libgit2 and dulwich, which `.ci/slow others` installs.

use std::path::Path;

use crate::support::{World, skipped};

/// Checks that both read the repository of a folder as git does: objects, packs, refs and reflogs. Returns false where
/// they are not installed.
pub fn read_alike(world: &World, folder: &str) -> bool {
    let Some(python) = std::env::var_os("GIT_BEADS_OTHERS") else {
        return false;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/properties/faults/others.py");
    let place = world.path(folder);
    let args = [script.to_str().unwrap(), place.to_str().unwrap()];
    let read = world.run(world.command(".", python.to_str().unwrap(), &args), None);
    assert!(
        read.stdout.contains(": 0 differences"),
        "{folder}: {read:?}"
    );
    eprint!("{folder}: {}", read.stdout);
    true
}

/// Writes in each of the ways that we have: loose objects, packs of imports, of journals and of fetches, merges.
fn used(world: &mut World) {
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub"])
        .ok();
    world.git(&["remote", "add", "origin", "../hub"]).ok();
    world
        .git(&["commit", "-q", "--allow-empty", "-m", "One"])
        .ok();
    world.git(&["push", "-q", "origin", "main"]).ok();
    let line = |n| {
        format!("{{\"id\":\"im-{n}\",\"title\":\"t\",\"created_at\":\"2025-01-01T00:00:00Z\"}}\n")
    };
    let many = (0..150).map(line).collect::<String>();
    world.bd_with(many, &["import", "-"]).ok();
    world.bd(&["sync"]).ok();
    world
        .git_in(".", &["clone", "--quiet", "hub", "other"])
        .ok();
    world.bd_in("other", &["init"]).ok();
    for round in 0..8 {
        world.set("GIT_BEADS_BOOT", &format!("boot{round}"));
        let id = world.create(&["Titel \u{e4}\u{f6} \u{1f980}", "-d", "- with\ntwo lines"]);
        world.bd(&["note", &id, "--finding", "Found"]).ok();
        world
            .bd(&["update", "im-1", "--title", &format!("ours {round}")])
            .ok();
        world
            .bd_in(
                "other",
                &["update", "im-1", "--title", &format!("theirs {round}")],
            )
            .ok();
        world.bd_in("other", &["sync"]).ok();
        world.bd(&["sync"]).ok();
        world
            .bd(&["rename", &id, &format!("bd-renamed{round}")])
            .ok();
    }
    let secret = world.create(&["Secret"]);
    world.bd(&["purge", "--yes", &secret]).ok();
    world.bd(&["done", "im-2"]).ok();
    world.bd(&["undo"]).ok();
}

#[test]
fn libgit2_and_dulwich_read_what_git_reads() {
    if std::env::var_os("GIT_BEADS_OTHERS").is_none() {
        return skipped("libgit2 and dulwich are not installed: .ci/slow others");
    }
    let mut world = World::with_store_made_here();
    used(&mut world);
    for folder in ["repo", "other", "hub"] {
        assert!(read_alike(&world, folder));
    }
    world.git(&["gc", "--quiet"]).ok();
    assert!(read_alike(&world, "repo"));
}
