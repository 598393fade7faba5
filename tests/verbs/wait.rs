//! `wait`: a process that ends when something has happened.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Stdio};

use serde_json::{Value, json};

use crate::support::clones::{create, sync, two_clones};
use crate::support::samples::two as world;
use crate::support::schema::violations;
use crate::support::{World, binary};

/// A running `wait`, which has looked at its beginning.
pub struct Waiting {
    pub child: Child,
    log: BufReader<ChildStderr>,
}

impl Waiting {
    pub fn new(world: &World, args: &[&str]) -> Self {
        Self::in_folder(world, "repo", args)
    }

    fn in_folder(world: &World, folder: &str, args: &[&str]) -> Self {
        let args = [&["wait", "--json", "--timeout", "5m"], args].concat();
        let mut command = world.command(folder, binary(), &args);
        command.env("GIT_BEADS_LOG", "ops=debug");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        // It has begun, and then looked for the first time.
        for event in ["waits issues=", "tracker::read"] {
            let mut line = String::new();
            while !line.contains(event) {
                line.clear();
                assert_ne!(log.read_line(&mut line).unwrap(), 0, "{args:?}");
            }
        }
        Self { child, log }
    }

    /// Waits for the end: what it says.
    pub fn end(mut self) -> Value {
        let mut said = String::new();
        self.log.read_to_string(&mut said).unwrap();
        let output = self.child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// The answer of a wait that ends at once, without the time that it took.
#[track_caller]
fn at_once(world: &World, args: &[&str]) -> Value {
    let mut answer = world.bd(&[&["wait", "--json"], args].concat()).json();
    answer["waited"].take();
    answer
}

#[test]
fn what_is_true_already_is_said_at_once() {
    let world = world();
    let schema: Value = serde_json::from_str(&world.bd(&["schema", "wait"]).ok()).unwrap();
    let ready = world
        .bd(&["wait", "bd-a", "--until", "ready", "--json"])
        .json();
    assert_eq!(violations(&schema, &ready), Vec::<String>::new());
    assert_eq!(
        at_once(&world, &["bd-a", "bd-b", "--until", "ready"]),
        json!({"v": 1, "kind": "report", "next": "continue", "until": "ready", "waited": null,
            "true": [{"id": "bd-a", "status": "open"}, {"id": "bd-b", "status": "open"}]})
    );
    world.bd(&["done", "bd-a"]).ok();
    let closed = at_once(&world, &["bd-a", "bd-b", "--until", "closed"]);
    assert_eq!(closed["true"], json!([{"id": "bd-a", "status": "closed"}]));
    world.bd(&["ask", "bd-b", "Keep it?"]).ok();
    world
        .bd_as("lea", &["answer", "bd-b", "yes, until 2.0"])
        .ok();
    let answered = at_once(&world, &["bd-b", "--until", "answered"]);
    assert_eq!(
        answered["true"],
        json!([{"id": "bd-b", "answer": "yes, until 2.0", "by": "lea"}])
    );
    let text = |args: &[&str]| world.bd(&[&["wait"], args].concat()).ok();
    assert_eq!(
        text(&["bd-b", "--until", "answered"]),
        "bd-b answered by lea: yes, until 2.0\n"
    );
    assert_eq!(text(&["bd-a", "--until", "closed"]), "bd-a closed: A\n");
    assert_eq!(text(&["-q", "bd-a", "--until", "closed"]), "bd-a\n");
}

/// Asserts that a wait has ended without its state after so many seconds, or more on a busy machine.
#[track_caller]
fn not_after(said: &str, state: &str, seconds: u64) {
    let waited = said.strip_prefix(&format!("not {state} after "));
    let waited = waited.and_then(|it| it.strip_suffix("s\n")?.parse::<u64>().ok());
    assert!(waited.is_some_and(|it| it >= seconds), "{said}");
}

#[test]
fn when_the_time_is_over_it_exits_with_1() {
    let world = world();
    for (ids, state) in [
        (&["bd-a"][..], "closed"),
        (&["bd-a"], "changed"),
        (&[], "changed"),
    ] {
        let args = [&["wait", "--timeout", "0s", "--until", state], ids].concat();
        let output = world.bd(&args);
        assert_eq!(output.code, 1);
        not_after(&output.stdout, state, 0);
    }
    let output = world.bd(&[
        "wait",
        "bd-a",
        "--until",
        "closed",
        "--timeout",
        "1s",
        "--json",
    ]);
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (
            1,
            "{\"v\":1,\"kind\":\"report\",\"next\":\"retry\",\"until\":\"closed\",\"waited\":\"1s\"}\n"
        )
    );
}

#[test]
fn each_state_ends_it_as_it_comes_about() {
    let world = world();
    world.bd(&["dep", "add", "bd-b", "--on", "bd-a"]).ok();
    let ready = Waiting::new(&world, &["bd-b", "--until", "ready"]);
    let closed = Waiting::new(&world, &["bd-a", "bd-b", "--until", "closed"]);
    let changed = Waiting::new(&world, &["bd-b", "--until", "changed"]);
    let anything = Waiting::new(&world, &["--until", "changed"]);
    world.bd(&["done", "bd-a"]).ok();
    assert_eq!(
        ready.end()["true"],
        json!([{"id": "bd-b", "status": "open"}])
    );
    assert_eq!(
        closed.end()["true"],
        json!([{"id": "bd-a", "status": "closed"}])
    );
    assert_eq!(
        changed.end()["true"],
        json!([{"id": "bd-b", "status": "open"}])
    );
    assert_eq!(
        anything.end()["true"],
        json!([{"id": "bd-a", "status": "closed"}])
    );
    world.bd(&["ask", "bd-b", "One?"]).ok();
    let two = world.bd(&["ask", "bd-b", "Two?", "-q"]).ok();
    let answered = Waiting::new(&world, &["bd-b", "--until", "answered"]);
    let noted = Waiting::new(&world, &["bd-b", "--until", "changed"]);
    world
        .bd_as("lea", &["answer", "bd-b", two.trim(), "no"])
        .ok();
    assert_eq!(noted.end()["true"][0]["id"], "bd-b");
    // Of two open questions one is left.
    world.pass(1);
    world.bd_as("bob", &["answer", "bd-b", "yes"]).ok();
    assert_eq!(
        answered.end()["true"],
        json!([{"id": "bd-b", "answer": "yes", "by": "bob"}])
    );
}

#[test]
fn all_of_several_are_waited_for_where_that_is_asked() {
    let world = world();
    let all = Waiting::new(
        &world,
        &["bd-a", "bd-b", "bd-a", "--until", "closed", "--all"],
    );
    let first = Waiting::new(&world, &["bd-a", "bd-b", "--until", "closed"]);
    world.bd(&["done", "bd-b"]).ok();
    assert_eq!(
        first.end()["true"],
        json!([{"id": "bd-b", "status": "closed"}])
    );
    world.bd(&["delete", "bd-a"]).ok();
    let closed = json!([{"id": "bd-a", "status": "tombstone"}, {"id": "bd-b", "status": "closed"}]);
    assert_eq!(all.end()["true"], closed);
}

#[test]
fn what_can_never_come_about_is_no_reason_to_wait() {
    let world = world();
    world.bd(&["done", "bd-a"]).ok();
    let refused = |code, args: &[&str]| world.bd(&[&["wait"], args].concat()).fails(code);
    insta::assert_snapshot!(refused(3, &["bd-a", "--until", "ready"]), @"
    error: bd-a is closed: it will not be ready
    hint: git beads show bd-a
    ");
    let both = ["bd-a", "bd-b", "--until", "ready"];
    assert_eq!(at_once(&world, &both)["true"][0]["id"], "bd-b");
    refused(3, &[&both[..], &["--all"]].concat());
    insta::assert_snapshot!(refused(1, &["bd-b", "--until", "answered"]), @r#"
    error: bd-b asks nothing
    hint: git beads ask bd-b "what you have to know"
    "#);
    insta::assert_snapshot!(refused(1, &["--until", "closed"]), @"
    error: no ID given that is to be closed
    hint: git beads wait ID --until closed
    ");
    insta::assert_snapshot!(refused(2, &["bd-a"]), @"
    error: --until STATE is missing for `wait`
    hint: git beads help wait
    ");
    insta::assert_snapshot!(refused(2, &["bd-a", "--until", "done"]), @"
    error: invalid value 'done' for '--until <STATE>'
    hint: git beads help wait
    ");
    let odd = refused(2, &["bd-a", "--until", "closed", "--timeout", "soon"]);
    assert!(
        odd.contains("a length of time is as in 30s, 10m or 2h"),
        "{odd}"
    );
    assert!(refused(1, &["bd-nosuch", "--until", "closed"]).contains("not found"));
    let error = World::new().bd(&["wait", "--until", "changed"]).fails(4);
    assert!(error.contains("hint: git beads init"), "{error}");
    // A question that is withdrawn leaves nothing to wait for.
    let question = world.bd(&["ask", "bd-b", "Keep it?", "-q"]).ok();
    let mut waiting = Waiting::new(&world, &["bd-b", "--until", "answered"]);
    world.bd(&["redact", "bd-b", question.trim()]).ok();
    assert_eq!(waiting.child.wait().unwrap().code(), Some(1));
}

#[test]
fn the_remote_is_asked_where_that_is_wanted() {
    let world = two_clones();
    let id = create(&world, "a", &["shared"]);
    sync(&world, &["a", "b"]);
    let waiting = Waiting::in_folder(&world, "b", &[&id, "--until", "closed", "--fetch", "1s"]);
    world.bd_in("a", &["done", &id]).ok();
    sync(&world, &["a"]);
    assert_eq!(
        waiting.end()["true"],
        json!([{"id": id, "status": "closed"}])
    );
    // A remote that can't be reached is said, and the wait goes on.
    let other = create(&world, "b", &["other"]);
    world
        .git_in("b", &["remote", "set-url", "origin", "../gone.git"])
        .ok();
    let args = [
        "wait",
        &other,
        "--until",
        "closed",
        "--fetch",
        "1s",
        "--timeout",
        "3s",
    ];
    let output = world.bd_in("b", &args);
    not_after(&output.stdout, "closed", 3);
    assert_eq!(
        output.stderr.matches("warning: ").count(),
        1,
        "{}",
        output.stderr
    );
}

#[test]
fn who_waits_counts_as_at_work() {
    let world = world();
    let file = world.path("repo/.git/beads/agents/c-1.json");
    let waiting = Waiting::new(&world, &["--agent", "c-1", "bd-a", "--until", "closed"]);
    assert!(file.exists());
    world.bd(&["done", "bd-a"]).ok();
    waiting.end();
}

#[test]
fn a_signal_ends_it() {
    let world = world();
    let mut waiting = Waiting::new(&world, &["bd-a", "--until", "closed"]);
    let pid = waiting.child.id().to_string();
    let kill = crate::support::tools::base().join("kill");
    std::process::Command::new(kill)
        .args(["-INT", &pid])
        .status()
        .unwrap();
    assert_eq!(waiting.child.wait().unwrap().code(), Some(1));
}
