//! `watch`: a line for each operation as it appears, from a process that goes on.

mod filters;
mod idle;

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::support::events::until;
use crate::support::look::{commits, ids};
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
        Self::in_folder(world, "repo", args)
    }

    fn in_folder(world: &World, folder: &str, args: &[&str]) -> Self {
        let mut command = world.command(folder, binary(), &[&["watch"], args].concat());
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
        format!("2026-11-20 11:20:05 +0000 Ann create {id}: Fix the login")
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
fn a_warning_is_said_when_it_occurs() {
    let world = World::with_store();
    let before = tip(&world);
    let mut watch = Watch::from_here(&world, &[]);
    world.create(&["One"]);
    assert!(watch.line().ends_with(": One"));
    let stderr = watch.child.stderr.take().unwrap();
    let (send, said) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let lines = BufReader::new(stderr).lines().map_while(Result::ok);
        lines.for_each(|line| drop(send.send(line)));
    });
    world.git(&["update-ref", "refs/beads/main", &before]).ok();
    let mut line = String::new();
    until("a warning", || {
        line = said.try_recv().unwrap_or_default();
        !line.is_empty()
    });
    assert!(
        line.starts_with("warning: the issues were set back"),
        "{line}"
    );
    assert_eq!(watch.end("-INT").0, Some(0));
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
            .contains("not a date, commit or remote")
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
fn a_query_finds_the_children_that_an_import_names() {
    let world = World::with_store();
    let file = concat!(
        r#"{"id":"imp-1","title":"Epic","issue_type":"epic","status":"open"}"#,
        "\n",
        r#"{"id":"imp-2","title":"Child","status":"open","dependencies":[{"issue_id":"imp-2","depends_on_id":"imp-1","type":"parent-child"}]}"#,
        "\n"
    );
    let file = world.file("issues.jsonl", file);
    world.bd(&["import", &file]).ok();
    let start = tip(&world);
    world.bd(&["note", "imp-1", "not this one"]).ok();
    world.bd(&["note", "imp-2", "this one"]).ok();
    for args in [&["-w", "parent:imp-1"], &["--parent", "imp-1"]] {
        assert_eq!(subjects(&told(&world, &start, 1, args)), ["note imp-2"]);
    }
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
