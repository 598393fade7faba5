//! Remotes that never answer, and commands that are ended while they wait for one.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::clients::mcp::Agent;
use crate::support::World;
use crate::support::clones::failed;

/// A repository whose remote accepts a connection and says nothing.
fn silent() -> (World, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let world = World::with_store();
    let url = format!("git://{}/x", listener.local_addr().unwrap());
    world.git(&["remote", "add", "origin", &url]).ok();
    (world, listener)
}

/// Waits until the other side of a connection is gone.
#[track_caller]
fn is_closed(mut connection: TcpStream) {
    connection
        .set_read_timeout(Some(Duration::from_secs(50)))
        .unwrap();
    let mut rest = Vec::new();
    connection
        .read_to_end(&mut rest)
        .expect("the child of git is still there");
}

#[test]
fn a_remote_that_never_answers_is_not_waited_for_without_end() {
    let (world, listener) = silent();
    world.git(&["config", "beads.timeout", "1"]).ok();
    let before = world.git(&["rev-parse", "refs/beads/main"]).ok();
    for verb in ["sync", "fetch", "pull", "push"] {
        let error = failed(world.bd(&[verb, "--json"]), 5);
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("no answer for 1 s"), "{error}");
        let hint = error["hint"].as_str().unwrap();
        assert!(hint.contains("beads.timeout"), "{error}");
        is_closed(listener.accept().unwrap().0);
    }
    assert_eq!(world.git(&["rev-parse", "refs/beads/main"]).ok(), before);
    world.git(&["config", "beads.timeout", "soon"]).ok();
    let error = failed(world.bd(&["sync", "--json"]), 1);
    assert!(error["hint"].as_str().unwrap().contains("beads.timeout"));
}

#[test]
fn no_second_store_is_begun_where_the_remote_does_not_answer() {
    let (world, _listener) = silent();
    world.git(&["config", "beads.timeout", "1"]).ok();
    world.git_in(".", &["init", "--quiet", "other"]).ok();
    let url = world.git(&["remote", "get-url", "origin"]).ok();
    world
        .git_in("other", &["remote", "add", "origin", url.trim()])
        .ok();
    world
        .git_in("other", &["config", "beads.timeout", "1"])
        .ok();
    let error = failed(world.bd_in("other", &["init", "--json"]), 5);
    assert!(
        error["hint"]
            .as_str()
            .unwrap()
            .contains("git beads init --new"),
        "{error}"
    );
    let _ = world.bd_in("other", &["list"]).fails(4);
    world.bd_in("other", &["init", "--new"]).ok();
    world.bd_in("other", &["create", "x"]).ok();
}

#[test]
fn a_clone_of_a_remote_that_never_answers_ends_too() {
    let (world, listener) = silent();
    world
        .git(&["config", "--global", "beads.timeout", "1"])
        .ok();
    let url = format!("git://{}/x", listener.local_addr().unwrap());
    let error = failed(world.bd_in(".", &["clone", "--json", &url, "new"]), 5);
    assert!(error["hint"].as_str().unwrap().contains("beads.timeout"));
    is_closed(listener.accept().unwrap().0);
    assert!(!world.path("new").exists());
}

#[test]
fn a_signal_ends_the_child_too() {
    // Not INT and HUP: they may be ignored where the tests run, and what is ignored stays so.
    let (world, listener) = silent();
    let mut command = world.command("repo", crate::support::binary(), &["sync"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let connection = listener.accept().unwrap().0;
    let kill = ["-s", "TERM", &child.id().to_string()];
    world.run(world.command("repo", "kill", &kill), None).ok();
    assert!(!child.wait().unwrap().success());
    is_closed(connection);
}

#[test]
fn a_cancelled_call_ends_the_child_and_so_does_the_end_of_the_server() {
    let (world, listener) = silent();
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    let sync = json!({"name": "sync", "arguments": {}});
    let id = agent.request("tools/call", sync.clone());
    let connection = listener.accept().unwrap().0;
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    agent.send(&cancelled.to_string());
    is_closed(connection);
    agent.request("tools/call", sync);
    let connection = listener.accept().unwrap().0;
    drop(agent);
    is_closed(connection);
}
