//! Syncs at the same time in one clone: nothing is sent twice, and nothing else waits.

use std::fs::File;
use std::process::{Child, Stdio};

use crate::support::clones::{create, hub_tip, script, tip, two_clones};
use crate::support::plumbing::together;
use crate::support::{World, binary};

/// Takes the lock of the exchanges of a clone, as another sync does.
fn exchanging(world: &World, clone: &str) -> File {
    let path = world.path(&format!("{clone}/.git/beads/exchange"));
    let file = File::options().write(true).open(path).unwrap();
    file.lock().unwrap();
    file
}

fn begun(world: &World, args: &[&str]) -> Child {
    let mut command = world.command("a", binary(), args);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn syncs_at_once_send_a_change_once() {
    let world = two_clones();
    let log = world.path("pushes");
    script(
        &world,
        "hub.git/hooks/pre-receive",
        &format!("cat >>'{}'", log.display()),
    );
    world
        .git_in("hub.git", &["config", "receive.unpackLimit", "1"])
        .ok();
    for round in 0..5 {
        create(&world, "a", &["x"]);
        std::fs::write(&log, "").unwrap();
        let syncs = (0..4).map(|_| world.command("a", binary(), &["sync", "--json"]));
        for output in together(syncs.collect()) {
            output.ok();
        }
        let pushes = std::fs::read_to_string(&log).unwrap();
        assert_eq!(pushes.lines().count(), 1, "{round}: {pushes}");
        assert_eq!(tip(&world, "a"), hub_tip(&world));
    }
    let keys = ["config", "--get-regexp", "remote.origin.beads"];
    assert_eq!(world.git_in("a", &keys).stdout, "");
}

#[test]
fn a_sync_waits_for_another_one_and_nothing_else_does() {
    let world = two_clones();
    create(&world, "a", &["x"]);
    let lock = exchanging(&world, "a");
    let mut waiting = begun(&world, &["sync"]);
    for args in [
        &["create", "y"][..],
        &["list"],
        &["status"],
        &["pull"],
        &["fetch"],
        &["sync", "--dry-run"],
        &["doctor"],
    ] {
        world.bd_in("a", args).ok();
    }
    assert!(waiting.try_wait().unwrap().is_none(), "it does not wait");
    // What waits can be ended like any other command.
    let mut ended = begun(&world, &["sync"]);
    ended.kill().unwrap();
    ended.wait().unwrap();
    drop(lock);
    let output = waiting.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.starts_with("origin: 2 changes sent"), "{said}");
    assert_eq!(tip(&world, "a"), hub_tip(&world));
}

#[test]
fn nothing_left_to_send_after_the_wait_is_a_success() {
    let world = two_clones();
    create(&world, "a", &["x"]);
    let lock = exchanging(&world, "a");
    let waiting = begun(&world, &["sync"]);
    // As the sync that has the lock does it.
    world
        .git_in("a", &["push", "--quiet", "origin", "refs/beads/main"])
        .ok();
    drop(lock);
    let output = waiting.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said, "origin: 0 changes sent, 0 changes received\n");
    assert!(output.status.success());
}
