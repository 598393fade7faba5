//! Syncs at the same time in one clone, and a server that fails for a moment: nothing is taken for a refusal, and nothing is
//! sent twice.

use std::fs::File;
use std::process::{Child, Stdio};

use crate::support::clones::{create, failed, hub_tip, script, tip, two_clones};
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

/// A server that can't keep the packs of the next pushes: as many as a file has lines.
fn failing(world: &World, times: usize) {
    let faults = world.file("faults", "x\n".repeat(times));
    let hub = world.path("hub.git").display().to_string();
    script(
        world,
        "hub.git/hooks/pre-receive",
        &format!(
            "cat >/dev/null; [ -s '{faults}' ] || exit 0; sed -i 1d '{faults}'\n\
             mv '{hub}/objects/pack' '{hub}/objects/away'; touch '{hub}/objects/pack'"
        ),
    );
    let wrapper = script(
        world,
        "serve",
        &format!(
            "if [ -d '{hub}/objects/away' ]; then rm '{hub}/objects/pack'; \
             mv '{hub}/objects/away' '{hub}/objects/pack'; fi\nexec git-receive-pack \"$@\""
        ),
    );
    world
        .git_in("a", &["config", "remote.origin.receivepack", &wrapper])
        .ok();
    world
        .git_in("hub.git", &["config", "receive.unpackLimit", "1"])
        .ok();
}

#[test]
fn a_fault_of_the_server_is_tried_again() {
    let world = two_clones();
    failing(&world, 1);
    create(&world, "a", &["x"]);
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(said.starts_with("origin: 1 change sent"), "{said}");
    assert_eq!(tip(&world, "a"), hub_tip(&world));
}

#[test]
fn a_fault_that_stays_is_remembered_as_nothing() {
    let world = two_clones();
    failing(&world, 9);
    world.git_in("a", &["config", "beads.carry", "true"]).ok();
    world
        .git_in("a", &["checkout", "--quiet", "-b", "claude/fix-1"])
        .ok();
    create(&world, "a", &["x"]);
    let error = failed(world.bd_in("a", &["sync", "--json"]), 5);
    assert_eq!(error["code"], "remote", "{error}");
    let text = error.to_string();
    assert!(text.contains("unable to migrate objects"), "{text}");
    let hint = error["hint"].as_str().unwrap();
    assert!(!hint.contains("right") && !hint.contains("carry"), "{hint}");
    assert!(!world.path("a/.git-beads").exists());
    let keys = ["config", "--get-regexp", "remote.origin.beads"];
    assert_eq!(world.git_in("a", &keys).stdout, "");
    failing(&world, 0);
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(said.starts_with("origin: 1 change sent, 0"), "{said}");
    assert_eq!(tip(&world, "a"), hub_tip(&world));
}

#[test]
fn a_ref_that_a_hub_hides_from_fetches_is_named() {
    let world = two_clones();
    create(&world, "a", &["x"]);
    world.bd_in("a", &["sync"]).ok();
    world
        .git_in("hub.git", &["config", "uploadpack.hideRefs", "refs/beads"])
        .ok();
    create(&world, "b", &["y"]);
    let error = failed(world.bd_in("b", &["sync", "--json"]), 5);
    assert_eq!(error["code"], "remote", "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("shows no such ref to a fetch"),
        "{message}"
    );
    // Who is not behind sends all the same, and nothing was lost.
    create(&world, "a", &["z"]);
    let said = world.bd_in("a", &["sync"]).ok();
    assert_eq!(tip(&world, "a"), hub_tip(&world), "{said}");
    assert!(
        !said.contains("lost") && said.contains("uploadpack.hideRefs"),
        "{said}"
    );
}

#[test]
fn a_ref_that_is_no_full_name_is_refused_before_anything_is_asked() {
    let world = two_clones();
    for name in ["main", "--force", "HEAD", "refs/beads/*", "refs/heads/"] {
        world.git_in("a", &["config", "beads.remoteRef", name]).ok();
        let error = failed(world.bd_in("a", &["sync", "--json"]), 1);
        let message = error["message"].as_str().unwrap();
        assert_eq!(message, format!("beads.remoteRef is `{name}`"));
        assert_eq!(error["hint"], "git config beads.remoteRef refs/heads/beads");
    }
}
