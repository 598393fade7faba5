//! `watch`: a line for each operation as it appears, from a process that goes on.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::support::look::{commits, ids, named};
use crate::support::packs::Packs;
use crate::support::schema::violations;
use crate::support::{World, binary, tools};

/// A running `watch`.
struct Watch {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Watch {
    fn new(world: &World, args: &[&str]) -> Self {
        let mut command = world.command("repo", binary(), &[&["watch"], args].concat());
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// One that misses nothing of what comes after this call.
    fn from_here(world: &World, args: &[&str]) -> Self {
        Self::new(world, &[args, &["--since", &tip(world)]].concat())
    }

    /// Waits for a line.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn json(&mut self) -> Value {
        serde_json::from_str(&self.line()).unwrap()
    }

    /// Sends a signal and waits for the end: its exit code and what it said.
    fn end(self, signal: &str) -> (Option<i32>, String) {
        let pid = self.child.id().to_string();
        assert!(
            Command::new(tools::base().join("kill"))
                .args([signal, &pid])
                .status()
                .unwrap()
                .success()
        );
        let output = self.child.wait_with_output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }
}

#[test]
fn each_operation_is_a_line_as_it_happens() {
    let world = World::with_store();
    let mut watch = Watch::from_here(&world, &[]);
    let id = world.create(&["Fix the login"]);
    assert_eq!(
        watch.line(),
        format!("2026-11-20 11:20:05 Ann create {id}: Fix the login")
    );
    world.bd_as("agent-1", &["start", &id]).ok();
    assert!(
        watch
            .line()
            .ends_with(&format!("agent-1 start {id}: Fix the login"))
    );
    world.bd_as("agent-1", &["done", &id]).ok();
    assert!(watch.line().contains(" agent-1 done "));
    assert_eq!(watch.end("-INT"), (Some(0), String::new()));
}

#[test]
fn json_lines_are_as_the_schema_says() {
    let world = World::with_store();
    let schema: Value = serde_json::from_str(&world.bd(&["schema", "watch"]).ok()).unwrap();
    let mut watch = Watch::from_here(&world, &["--json"]);
    let id = world.create(&["One"]);
    let event = watch.json();
    assert_eq!(violations(&schema, &event), Vec::<String>::new());
    assert_eq!(
        (&event["v"], &event["kind"], &event["actor"]),
        (&1.into(), &"report".into(), &"Ann".into())
    );
    assert_eq!(ids(&event["issues"]), [id.as_str()]);
    assert_eq!(event["issues"][0]["status"], "open");
    assert_eq!(
        event["commit"],
        world.git(&["rev-parse", "refs/beads/main"]).ok().trim()
    );
    assert_eq!(watch.end("-TERM").0, Some(0));
}

#[test]
fn it_begins_with_now() {
    let world = World::with_store();
    world.create(&["Before"]);
    let mut watch = Watch::new(&world, &[]);
    // It may take a while to begin.
    let later = std::thread::scope(|scope| {
        let seen = scope.spawn(|| watch.line());
        let mut n = 0;
        while !seen.is_finished() {
            n += 1;
            world.create(&[&format!("After {n}")]);
        }
        seen.join().unwrap()
    });
    assert!(later.contains(": After "), "{later}");
    watch.end("-INT");
}

#[test]
fn the_past_can_be_the_beginning() {
    let world = World::with_store();
    for n in 1..=4 {
        world.create(&[&format!("Number {n}")]);
    }
    let told = world.bd(&["watch", "--since", "@~2", "-n", "2"]).ok();
    let titles: Vec<&str> = told
        .lines()
        .filter_map(|line| line.rsplit(": ").next())
        .collect();
    assert_eq!(titles, ["Number 3", "Number 4"], "oldest first");
    let all = world
        .bd(&["watch", "--since", "2001-01-01", "-n", "5", "--json"])
        .ok();
    assert_eq!(all.lines().count(), commits(&world));
    assert!(
        world
            .bd(&["watch", "--since", "main"])
            .fails(1)
            .contains("names no state")
    );
}

/// What a `watch` from a commit on says first, so many events.
fn told(world: &World, since: &str, n: usize, args: &[&str]) -> Vec<Value> {
    // One more than there are would be waited for.
    let n = n.to_string();
    let told = world
        .bd(&[&["watch", "--since", since, "--json", "-n", &n], args].concat())
        .ok();
    told.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The verb and the id of each event.
fn subjects(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| {
            event["subject"]
                .as_str()
                .unwrap()
                .split(':')
                .next()
                .unwrap()
        })
        .collect()
}

fn tip(world: &World) -> String {
    world
        .git(&["rev-parse", "refs/beads/main"])
        .ok()
        .trim()
        .to_owned()
}

#[test]
fn filters_let_through_what_they_find() {
    let world = World::with_store();
    let start = tip(&world);
    named(&world, "bd-a", &["A", "-l", "red"]);
    named(&world, "bd-b", &["B", "-a", "bob"]);
    world.bd(&["done", "bd-a"]).ok();
    world.bd(&["note", "bd-b", "hello"]).ok();
    world
        .bd_with(
            "{\"id\":\"x-1\",\"title\":\"t\",\"labels\":[\"red\"]}\n",
            &["import", "-"],
        )
        .ok();
    let red = told(&world, &start, 4, &["-l", "red"]);
    assert!(
        subjects(&red)[2] == "done bd-a" && subjects(&red)[3].starts_with("import"),
        "closed ones too: {red:?}"
    );
    assert_eq!(
        subjects(&told(&world, &start, 3, &["-a", "bob"]))[2],
        "note bd-b"
    );
    assert_eq!(
        subjects(&told(&world, &start, 1, &["-s", "closed"])),
        ["done bd-a"]
    );
    assert!(
        world
            .bd(&["watch", "-s", "opn"])
            .fails(1)
            .contains("did you mean `open`")
    );
    assert!(
        world
            .bd(&["watch", "--sort", "id"])
            .fails(2)
            .contains("mean nothing")
    );
}

#[test]
fn an_event_shows_the_state_that_its_operation_made() {
    let world = World::with_store();
    let start = tip(&world);
    let id = world.create(&["Before"]);
    world.bd(&["start", &id]).ok();
    world.bd(&["update", &id, "--title", "After"]).ok();
    world.bd(&["rename", &id, "bd-new"]).ok();
    world.bd(&["done", "bd-new"]).ok();
    world.bd(&["delete", "bd-new"]).ok();
    let events = told(&world, &start, 6, &[]);
    let states = events.iter().map(|event| &event["issues"][0]);
    let states: Vec<[&str; 3]> = states
        .map(|it| ["id", "title", "status"].map(|key| it[key].as_str().unwrap()))
        .collect();
    assert_eq!(
        states,
        [
            [&*id, "Before", "open"],
            [&*id, "Before", "in_progress"],
            [&*id, "After", "in_progress"],
            ["bd-new", "After", "in_progress"],
            ["bd-new", "After", "closed"],
            ["bd-new", "After", "tombstone"],
        ]
    );
}

#[test]
fn what_leaves_a_filter_is_told() {
    let world = World::with_store();
    let start = tip(&world);
    let id = world.create(&["One", "-l", "red"]);
    world.bd(&["start", &id]).ok();
    world.bd(&["done", &id]).ok();
    world.bd(&["reopen", &id, "-r", "no"]).ok();
    world.bd(&["update", &id, "--rm-label", "red"]).ok();
    world.bd(&["note", &id, "hello"]).ok();
    world.bd(&["delete", &id]).ok();
    let verbs = |args: &[&str], n: usize| -> Vec<String> {
        let events = told(&world, &start, n, args);
        subjects(&events)
            .iter()
            .map(|subject| subject.split(' ').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        verbs(&["-s", "open"], 6),
        ["create", "start", "reopen", "update", "note", "delete"]
    );
    assert_eq!(verbs(&["-s", "in_progress"], 2), ["start", "done"]);
    assert_eq!(verbs(&["-s", "closed"], 2), ["done", "reopen"]);
    assert_eq!(
        verbs(&["-l", "red"], 5),
        ["create", "start", "done", "reopen", "update"]
    );
    assert_eq!(verbs(&["-s", "tombstone"], 1), ["delete"]);
    let left = &told(&world, &start, 2, &["-s", "in_progress"])[1];
    assert_eq!(left["issues"][0]["status"], "closed", "as it is after it");
}

#[test]
fn a_filter_stays_when_its_last_issue_has_left_it() {
    let world = World::with_store();
    world
        .bd_with(
            "{\"id\":\"x-1\",\"title\":\"t\",\"status\":\"triage\"}\n",
            &["import", "-"],
        )
        .ok();
    named(&world, "bd-epic", &["Epic", "-t", "epic"]);
    let mut triage = Watch::from_here(&world, &["-s", "triage"]);
    let mut parts = Watch::from_here(&world, &["--parent", "bd-epic"]);
    world.bd(&["update", "x-1", "--parent", "bd-epic"]).ok();
    assert!(
        triage.line().contains(" update x-1") && parts.line().contains(" update x-1"),
        "both have begun"
    );
    world.bd(&["update", "x-1", "-s", "open"]).ok();
    assert!(parts.line().contains(" update x-1"));
    assert!(triage.line().contains(" update x-1"));
    world.bd(&["rename", "bd-epic", "bd-other"]).ok();
    let child = world.create(&["Part", "--parent", "bd-other"]);
    assert!(parts.line().contains(&format!(" create {child}")));
    world.bd(&["update", &child, "--parent", ""]).ok();
    assert!(parts.line().contains(&format!(" update {child}")));
    assert_eq!(
        (triage.end("-INT").0, parts.end("-INT").0),
        (Some(0), Some(0))
    );
}

#[test]
fn an_epic_that_was_closed_with_its_last_part_is_open_with_it() {
    let world = World::with_store();
    named(&world, "bd-e", &["Epic", "-t", "epic"]);
    named(&world, "bd-c", &["Part", "--parent", "bd-e"]);
    world.bd(&["done", "bd-c"]).ok();
    world.bd(&["reopen", "bd-c", "-r", "no"]).ok();
    let start = tip(&world);
    world.bd(&["note", "bd-e", "hello"]).ok();
    world.bd(&["done", "bd-c"]).ok();
    world.bd(&["note", "bd-e", "and on"]).ok();
    let events = told(&world, &start, 3, &[]);
    assert_eq!(
        (
            &events[0]["issues"][0]["status"],
            &events[2]["issues"][0]["status"]
        ),
        (&"open".into(), &"closed".into())
    );
    assert_eq!(
        told(&world, &start, 1, &["-s", "closed", "-t", "epic"]),
        events[2..]
    );
}

#[test]
fn an_operation_on_many_is_judged_and_stays_a_line() {
    let world = World::with_store();
    let start = tip(&world);
    let lines = |status: &str| -> String {
        let line = |n: usize| {
            format!("{{\"id\":\"x-{n}\",\"title\":\"t {n}\",\"status\":\"{status}\"}}\n")
        };
        (0..120).map(line).collect()
    };
    world.bd_with(lines("open"), &["import", "-"]).ok();
    let ids: Vec<String> = (0..120).map(|n| format!("x-{n}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    world.bd(&[&["update", "-p", "1"], &*ids].concat()).ok();
    world.bd(&[&["done"], &*ids].concat()).ok();
    world.bd(&["note", "x-7", "hello"]).ok();
    let verbs = |args: &[&str], n: usize| -> Vec<String> {
        let events = told(&world, &start, n, args);
        assert!(
            events
                .iter()
                .all(|event| event["subject"] == "note x-7: 1 added" || event["issues"].is_null())
        );
        subjects(&events)
            .iter()
            .map(|subject| subject.split(' ').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(verbs(&["-s", "open"], 3), ["import", "update", "done"]);
    assert_eq!(verbs(&["-p", "0"], 2), ["import", "update"]);
    assert_eq!(verbs(&["-p", "1", "-s", "closed"], 2), ["done", "note"]);
}

#[test]
fn a_span_counts_from_the_operation() {
    let mut world = World::with_store();
    let start = tip(&world);
    let id = world.create(&["Old"]);
    world.set("GIT_BEADS_NOW", "1796000000000");
    world.bd(&["note", &id, "again"]).ok();
    world.set("GIT_BEADS_NOW", "1796100000000");
    world.bd(&["note", &id, "soon after"]).ok();
    world.set("GIT_BEADS_NOW", "1799000000000");
    world.bd(&["done", &id]).ok();
    assert_eq!(
        subjects(&told(&world, &start, 2, &["--stale", "3d"])),
        [format!("note {id}"), format!("done {id}")],
        "nothing had happened for three days, until then"
    );
}

#[test]
fn what_a_pull_brings_is_told() {
    let world = World::with_store();
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .ok();
    world.git(&["remote", "add", "origin", "../hub.git"]).ok();
    world.bd(&["sync"]).ok();
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "other"])
        .ok();
    world.bd_in("other", &["init"]).ok();
    let mut watch = Watch::from_here(&world, &["--json"]);
    world
        .bd_in("other", &["--actor", "bob", "create", "From afar"])
        .ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["pull"]).ok();
    let event = watch.json();
    assert_eq!(
        (&event["actor"], &event["issues"][0]["title"]),
        (&"bob".into(), &"From afar".into())
    );
    assert_eq!(watch.end("-INT").0, Some(0));
}

#[test]
fn a_reader_that_goes_ends_it() {
    let world = World::with_store();
    let Watch { mut child, lines } = Watch::from_here(&world, &[]);
    drop(lines);
    while child.try_wait().unwrap().is_none() {
        world.create(&["One more"]);
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap()
        ),
        (Some(0), String::new())
    );
}

#[test]
fn a_merge_is_told_where_it_joined_what_the_filter_lets_through() {
    let world = World::with_store();
    let id = world.create(&["Both", "-l", "red"]);
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .ok();
    world.git(&["remote", "add", "origin", "../hub.git"]).ok();
    world.bd(&["sync"]).ok();
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "other"])
        .ok();
    world.bd_in("other", &["init"]).ok();
    let start = tip(&world);
    world.bd_in("other", &["done", &id]).ok();
    world
        .bd_in("other", &["create", "Theirs", "-l", "blue"])
        .ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["update", &id, "--add-label", "ours"]).ok();
    world.bd(&["sync"]).ok();
    let merges = |args: &[&str], n| subjects(&told(&world, &start, n, args)).contains(&"merge");
    assert!(
        merges(&["-l", "ours", "-s", "closed"], 1),
        "both had changed it"
    );
    assert!(
        merges(&["-s", "open", "-l", "red"], 3),
        "it leaves what one side had"
    );
    world.bd(&["create", "Last", "-l", "blue"]).ok();
    assert!(
        !merges(&["-l", "blue"], 2),
        "what only they did is their operation"
    );
}

#[test]
fn a_purged_title_is_not_told() {
    let world = World::with_store();
    let id = world.create(&["hunter2", "-l", "secret"]);
    world.bd(&["update", &id, "-p", "1"]).ok();
    world.bd(&["purge", "--yes", &id]).ok();
    let events = told(&world, "2001-01-01", 4, &[]);
    assert!(!format!("{events:?}").contains("hunter2"), "{events:?}");
    for event in &events[1..] {
        assert_eq!(event["issues"][0]["status"], "tombstone", "{event}");
    }
    let other = world.create(&["Of others", "-l", "secret"]);
    assert_eq!(
        subjects(&told(&world, "2001-01-01", 1, &["-l", "secret"])),
        [format!("create {other}")]
    );
}

#[test]
fn without_a_store_there_is_nothing_to_watch() {
    assert!(
        World::new()
            .bd(&["watch"])
            .fails(4)
            .contains("hint: git beads init")
    );
}

#[test]
fn packs_that_come_beside_it_do_not_silence_it() {
    let world = World::with_store();
    let mut packs = Packs::new(&world);
    let mut watch = Watch::from_here(&world, &[]);
    for come in [40, 700, 1300] {
        packs.come(come);
        let lines: String = (0..101)
            .map(|n| format!("{{\"id\": \"bd-{come}x{n}\", \"title\": \"Issue\"}}\n"))
            .collect();
        world.bd_with(lines, &["import", "-"]).ok();
        let line = watch.line();
        assert!(line.contains("import"), "{line}");
    }
    packs.go();
    let id = world.create(&["After them"]);
    assert!(watch.line().contains(&id));
    assert_eq!(watch.end("-INT"), (Some(0), String::new()));
}
