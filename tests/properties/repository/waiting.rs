//! A writer waits for another one for as long as it may, and then says whom it waited for.

use std::fs::File;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::clients::mcp::Agent;
use crate::support::World;
use crate::support::plumbing::{git, lines, program, sound};

/// A store in which nobody waits for longer than a second.
fn impatient() -> World {
    let world = World::with_store();
    git(&world, &["config", "beads.lockTimeout", "1"]);
    world
}

/// The lock, held by this process.
fn hold(world: &World) -> File {
    let path = world.path("repo/.git/beads/lock");
    let lock = File::options().read(true).write(true).open(path).unwrap();
    lock.lock().unwrap();
    lock
}

/// What the lock says: a process, since when, and what it does.
fn note(world: &World) -> String {
    let text = std::fs::read_to_string(world.path("repo/.git/beads/lock")).unwrap();
    text.trim().to_owned()
}

fn signal(world: &World, name: &str, process: &Child) {
    let number = process.id().to_string();
    let kill = world.command("repo", "kill", &[name, &number]);
    world.run(kill, None).ok();
}

/// An import that was stopped while it held the lock.
fn stopped_import(world: &World) -> Child {
    let file = world.file("many.jsonl", lines(3000));
    loop {
        let mut import = program(world, &["import", &file]);
        import.stdout(Stdio::null()).stderr(Stdio::null());
        let mut import = import.spawn().unwrap();
        let beginning = format!("{} ", import.id());
        let holds = |text: &str| text.starts_with(&beginning) && text.ends_with(" holds");
        while !holds(&note(world)) {
            assert!(import.try_wait().unwrap().is_none(), "{}", note(world));
        }
        signal(world, "-STOP", &import);
        if holds(&note(world)) {
            return import;
        }
        // It was faster.
        signal(world, "-CONT", &import);
        import.wait().unwrap();
        git(
            world,
            &["update-ref", "refs/beads/main", "refs/beads/main~1"],
        );
    }
}

#[test]
fn a_writer_beside_an_import_ends_with_busy() {
    let world = impatient();
    let mut import = stopped_import(&world);
    let output = world.bd(&["create", "Beside", "--json"]);
    assert_eq!(output.code, 3, "{output:?}");
    let error: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(error["code"], "busy", "{error}");
    let named = format!("process {}", import.id());
    assert!(
        error["message"].as_str().unwrap().contains(&named),
        "{error}"
    );
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("run the command again"), "{error}");
    // Readers wait for nobody.
    assert_eq!(world.bd(&["list", "-q"]).ok(), "");
    signal(&world, "-CONT", &import);
    assert!(import.wait().unwrap().success());
    world.create(&["After"]);
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 3001);
    sound(&world);
}

#[test]
fn an_agent_beside_another_writer_is_told_and_can_go_on() {
    let world = impatient();
    let mut agent = Agent::new(&world);
    let held = hold(&world);
    let issue = json!({"title": "T", "description": "d", "design": "h", "acceptance": "a"});
    let error = agent.refused("task_create", issue);
    assert_eq!(error["code"], "busy", "{error}");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("call again in a moment"), "{error}");
    agent.call("task_list", json!({}));
    drop(held);
    agent.create("After", json!({}));
    assert_eq!(world.bd(&["list", "-q"]).ok().lines().count(), 1);
}

#[test]
fn a_time_to_wait_that_is_none_is_refused() {
    let world = World::with_store();
    git(&world, &["config", "beads.lockTimeout", "soon"]);
    let held = hold(&world);
    let text = world.bd(&["create", "x"]).fails(1);
    assert!(
        text.contains("beads.lockTimeout is `soon`")
            && text.contains("git config beads.lockTimeout 20"),
        "{text}"
    );
    drop(held);
}

#[test]
fn a_time_to_wait_that_is_none_is_refused_where_nobody_waits() {
    let world = World::with_store();
    git(&world, &["config", "beads.lockTimeout", "abc"]);
    let text = world.bd(&["create", "x"]).fails(1);
    assert!(
        text.contains("beads.lockTimeout is `abc`")
            && text.contains("git config beads.lockTimeout 20"),
        "{text}"
    );
    world.bd(&["list"]).ok();
}

#[test]
fn notes_of_what_was_set_back_are_removed_under_the_lock() {
    let world = World::with_store();
    world.create(&["One"]);
    let tip = git(&world, &["rev-parse", "refs/beads/main"]);
    let notes = world.path("repo/.git/beads/left-out");
    std::fs::write(&notes, tip).unwrap();
    let held = hold(&world);
    // A reader waits for no one.
    world.bd(&["list"]).ok();
    assert!(notes.exists(), "another process may be writing one");
    // Not by closing it: a child that another test has just begun has the file too.
    held.unlock().unwrap();
    world.bd(&["list"]).ok();
    assert!(!notes.exists());
}
