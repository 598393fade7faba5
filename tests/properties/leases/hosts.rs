//! Hosts that take no pushes, answer late, or have branches alone.

use super::{run, started, status, two};
use crate::support::World;
use crate::support::events::SILENT;

/// A hub that refuses whatever is pushed to it.
fn refuse(world: &World) {
    world.executable("hub.git/hooks/pre-receive", "#!/bin/sh\nexit 1\n");
}

#[test]
fn a_host_that_takes_no_push_makes_claims_tentative() {
    let (world, id) = two("remote");
    refuse(&world);
    let output = run(&world, "a", &["start", &id, "--json"]);
    assert_eq!(started(&output)["claim"]["tentative"], true, "{output:?}");
    assert!(
        output.stderr.contains("the claim is tentative"),
        "{output:?}"
    );
    let text = run(&world, "b", &["start", &id, "--strict"]).fails(5);
    assert!(text.contains("nothing was started"), "{text}");
    assert_eq!(status(&world, "b", &id), "open");
}

#[test]
fn a_takeover_that_the_host_refuses_leaves_the_holder_its_claim() {
    let (world, id) = two("strict");
    started(&run(&world, "a", &["start", &id, "--json"]));
    refuse(&world);
    let other = [
        "--actor", "a-person", "--agent", "other", "start", &id, "--force",
    ];
    world.bd_in("a", &other).fails(5);
    let shown = world.bd_in("a", &["show", &id, "--json"]).json();
    assert_eq!(shown["issue"]["claim"]["by"], "a-person/a-agent", "{shown}");
    std::fs::remove_file(world.path("hub.git/hooks/pre-receive")).unwrap();
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    run(&world, "b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "closed");
}

#[test]
fn a_host_of_branches_alone_decides_too() {
    let (world, id) = two("strict");
    for clone in ["a", "b"] {
        world
            .git_in(clone, &["config", "beads.remoteRef", "refs/heads/beads"])
            .ok();
    }
    let hook = "#!/bin/sh\nwhile read -r old new ref; do case $ref in refs/heads/*) ;; *) exit 1;; esac; done\n";
    world.executable("hub.git/hooks/pre-receive", hook);
    started(&run(&world, "a", &["start", &id, "--json"]));
    let text = run(&world, "b", &["start", &id]).fails(3);
    assert!(text.contains("a-person/a-agent"), "{text}");
    run(&world, "a", &["stop", &id]).ok();
    started(&run(&world, "b", &["start", &id, "--json"]));
}

#[test]
fn a_remote_that_says_nothing_is_not_waited_for() {
    let (mut world, id) = two("remote");
    let events = world.events();
    // It takes the connection, and that is all.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "git://127.0.0.1:{}/hub.git",
        listener.local_addr().unwrap().port()
    );
    world
        .git_in("a", &["remote", "set-url", "origin", &url])
        .ok();
    let output = run(&world, "a", &["start", &id, "--json"]);
    assert_eq!(started(&output)["claim"]["tentative"], true, "{output:?}");
    // Other commands wait for a minute.
    let silent = events.lines(SILENT);
    let is_short = |line: &String| line.ends_with("=Some(8s)");
    assert!(
        !silent.is_empty() && silent.iter().all(is_short),
        "{silent:?}"
    );
}
