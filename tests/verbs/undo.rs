//! `undo`: what it takes back, what it leaves alone, what it refuses.

mod clones;
mod conflicts;
mod overwritten;

use crate::support::World;
use crate::support::history::subjects;
use crate::support::look::{commits, issue, memory, named, quiet, status};

fn tip(world: &World) -> String {
    world
        .git(&["rev-parse", "refs/beads/main"])
        .ok()
        .trim()
        .to_owned()
}

#[test]
fn again_and_again_goes_further_back() {
    let world = World::with_store();
    let id = named(&world, "bd-a", &["First"]);
    world.bd(&["update", id, "-p", "1"]).ok();
    world
        .bd(&["update", id, "-p", "0", "--add-label", "x"])
        .ok();
    let text = world.bd(&["undo"]).ok();
    let (first, rest) = text.split_once('\n').unwrap();
    assert!(
        first.starts_with("undid ") && first.ends_with(" update bd-a: priority, labels"),
        "{first}"
    );
    assert!(
        rest.starts_with(
            "  changed bd-a First\n    priority: 0 -> 1\n    labels: -x\nredo: git beads undo "
        ),
        "{rest}"
    );
    assert_eq!(issue(&world, id)["priority"], 1);
    world.bd(&["undo"]).ok();
    assert_eq!(issue(&world, id)["priority"], 2);
    // The undo itself is undone by its name; then the operation stands again, and is the last once more.
    let undo = tip(&world);
    world.bd(&["undo", &undo[..10]]).ok();
    assert_eq!(issue(&world, id)["priority"], 1);
    world.bd(&["undo"]).ok();
    assert_eq!(issue(&world, id)["priority"], 2);
    assert!(
        world
            .bd(&["undo", &undo])
            .fails(3)
            .contains("undone already")
    );
    assert!(subjects(&world, &["-n", "1"])[0].starts_with("undo "));
}

#[test]
fn several_are_one_commit() {
    let world = World::with_store();
    let id = named(&world, "bd-a", &["First"]);
    world.bd(&["update", id, "--title", "Second"]).ok();
    world.bd_as("bob", &["update", id, "-p", "0"]).ok();
    world.bd(&["update", id, "--title", "Third"]).ok();
    let before = commits(&world);
    world.bd(&["undo", "2"]).ok();
    assert_eq!(commits(&world), before + 1);
    let now = issue(&world, id);
    assert_eq!(
        (&now["title"], &now["priority"]),
        (&"First".into(), &0.into())
    );
    let message = world
        .git(&["log", "-1", "--format=%B", "refs/beads/main"])
        .ok();
    let undoes = message
        .lines()
        .find_map(|line| line.strip_prefix("Undoes: "))
        .unwrap();
    assert_eq!(undoes.split(' ').count(), 2);
    world.bd(&["undo", "@"]).ok();
    assert_eq!(issue(&world, id)["title"], "Third");
    assert!(
        world
            .bd(&["undo", "99"])
            .fails(1)
            .contains("only 3 operations of Ann can be undone\nhint: git beads undo 3")
    );
}

#[test]
fn only_ones_own_unless_named() {
    let world = World::with_store();
    let id = named(&world, "bd-a", &["First"]);
    world.bd_as("bob", &["update", id, "-p", "0"]).ok();
    let bobs = tip(&world);
    assert!(
        world
            .bd_as("cy", &["undo"])
            .fails(1)
            .contains("cy has no operation that can be undone")
    );
    world.bd(&["undo", "--dry-run"]).ok();
    assert_eq!(tip(&world), bobs);
    world.bd(&["undo", &bobs]).ok();
    assert_eq!(issue(&world, id)["priority"], 2);
    // Taken back by somebody else it is not the last of bob's own any more.
    assert!(
        world
            .bd_as("bob", &["undo"])
            .fails(1)
            .contains("no operation")
    );
    assert_eq!(issue(&world, id)["id"], "bd-a");
}

#[test]
fn an_agent_and_its_person_take_back_only_what_they_did_themselves() {
    let world = World::with_store();
    let id = named(&world, "bd-a", &["First"]);
    let as_agent = |name: &str, args: &[&str]| world.bd(&[&["--agent", name], args].concat());
    as_agent("c-1", &["start", id]).ok();
    as_agent("c-1", &["done", id, "-r", "fin"]).ok();
    let before = tip(&world);
    let error = as_agent("c-2", &["undo"]).fails(1);
    assert!(
        error.contains("Ann/c-2 has no operation that can be undone"),
        "{error}"
    );
    as_agent("c-2", &["note", id, "a comment"]).ok();
    let error = as_agent("c-2", &["undo", "50"]).fails(1);
    assert!(
        error.contains(
            "only 1 operations of Ann/c-2 can be undone\nhint: git beads --agent c-2 undo 1\n"
        ),
        "{error}"
    );
    as_agent("c-2", &["undo", "1"]).ok();
    assert_eq!(issue(&world, id)["status"], "closed");
    assert_ne!(tip(&world), before);
    // The person did nothing but give the name and create it.
    let undone = world.bd(&["undo", "--dry-run", "--json"]).json();
    assert!(
        undone["operations"][0]["subject"]
            .as_str()
            .unwrap()
            .starts_with("rename "),
        "{undone}"
    );
    as_agent("c-1", &["undo"]).ok();
    assert_eq!(issue(&world, id)["status"], "in_progress");
}

#[test]
fn a_creation_is_undone_by_a_deletion() {
    let world = World::with_store();
    let id = world.create(&["First", "-l", "x", "--start"]);
    world.bd(&["undo"]).ok();
    assert_eq!(status(&world, &id), "tombstone");
    world.bd(&["undo", "@"]).ok();
    assert_eq!(status(&world, &id), "in_progress");
    // What somebody else has put into it is not taken along.
    world.bd_as("bob", &["note", &id, "--finding", "f"]).ok();
    assert!(
        world
            .bd(&["undo"])
            .fails(3)
            .contains("changed since it was created")
    );
    assert_eq!(status(&world, &id), "in_progress");
    world.bd(&["undo", "--force"]).ok();
    assert_eq!(status(&world, &id), "tombstone");
    world.bd(&["restore", &id]).ok();
    assert_eq!(memory(&world, &id)["findings"].as_array().unwrap().len(), 1);
}

#[test]
fn a_note_is_undone_by_a_redaction() {
    let world = World::with_store();
    let id = world.create(&["First"]);
    world.bd(&["note", &id, "--finding", "right"]).ok();
    world
        .bd(&["note", &id, "--finding", "wrong", "--decision", "bad"])
        .ok();
    let text = world.bd(&["undo"]).ok();
    assert!(
        text.contains("findings: -wrong") && text.contains("decisions: -bad"),
        "{text}"
    );
    let left = memory(&world, &id);
    assert_eq!(left["findings"].as_array().unwrap().len(), 1);
    assert!(left["decisions"].is_null());
    world.bd(&["undo", "@"]).ok();
    assert_eq!(memory(&world, &id)["findings"].as_array().unwrap().len(), 2);
}

#[test]
fn an_epic_that_closed_with_its_last_child_opens_with_it() {
    let world = World::with_store();
    let epic = world.create(&["E", "-t", "epic"]);
    let child = world.create(&["C", "--parent", &epic]);
    world.bd(&["done", &child]).ok();
    assert_eq!(status(&world, &epic), "closed");
    world.bd(&["undo"]).ok();
    assert_eq!(
        (status(&world, &epic), status(&world, &child)),
        ("open".into(), "open".into())
    );
    assert!(world.bd(&["show", &epic]).ok().contains("0 of 1 done"));
}

#[test]
fn a_large_import_is_undone_and_redone() {
    let world = World::with_store();
    let line = |n: usize, title: &str, year: usize| {
        format!(
            "{{\"id\":\"bd-n{n}\",\"title\":\"{title}\",\"status\":\"open\",\"created_at\":\"2020-01-01T00:00:00Z\",\"updated_at\":\"{year}-01-01T00:00:00Z\"}}\n"
        )
    };
    let memory = "{\"_type\":\"memory\",\"key\":\"k\",\"value\":\"v\"}\n";
    let first = world.file("first.jsonl", line(1, "old", 2020));
    world.bd_as("cy", &["import", &first]).ok();
    let before = world.bd(&["export"]).ok();
    let many = world.file(
        "many.jsonl",
        (0..150).map(|n| line(n, "new", 2021)).collect::<String>() + memory,
    );
    world.bd(&["import", &many]).ok();
    let after = world.bd(&["export"]).ok();
    let text = world.bd(&["log", "-p", "-n", "1"]).ok();
    assert!(
        text.contains("more issues") && text.lines().count() < 300,
        "{text}"
    );
    let text = world.bd(&["undo"]).ok();
    assert!(
        text.contains("more issues") && text.lines().count() < 60,
        "{text}"
    );
    assert_eq!(quiet(&world, &["list", "-n", "0"]), ["bd-n1"]);
    assert_eq!(issue(&world, "bd-n1")["title"], "old");
    assert_eq!(
        world
            .bd(&["export"])
            .ok()
            .lines()
            .filter(|line| !line.contains("tombstone"))
            .count(),
        before.lines().count()
    );
    world.bd(&["undo", "@"]).ok();
    let strip = |text: &str| {
        text.lines()
            .map(|line| line.replace("2021-01-01", "").len())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        strip(&world.bd(&["export"]).ok()).len(),
        strip(&after).len()
    );
    assert_eq!(quiet(&world, &["list", "-n", "0"]).len(), 150);
}

#[test]
fn a_purge_is_for_good() {
    let world = World::with_store();
    world.create(&["Third"]);
    let third = tip(&world);
    let (id, other) = (world.create(&["First"]), world.create(&["Other"]));
    world.bd(&["update", &id, &other, "-d", "hunter2"]).ok();
    let update = tip(&world);
    // What others have is not rewritten.
    world
        .git(&["update-ref", "refs/beads-remotes/elsewhere/main", &update])
        .ok();
    world.bd(&["purge", "--yes", &id]).ok();
    let hinted = |args: &[&str], command: &str| {
        let said = world.bd(args).fails(3);
        assert!(said.contains("a purge can't be undone"), "{said}");
        assert!(
            said.ends_with(&format!("hint: git beads {command}\n")),
            "{said}"
        );
    };
    let name = format!("undo {}", &update[..10]);
    hinted(&["undo"], &name);
    hinted(&["undo", "2"], &name);
    hinted(&["undo", "@"], "log");
    world.bd(&["update", &other, "-p", "0"]).ok();
    hinted(&["undo", "3"], "undo 1");
    world.bd(&["undo", "1"]).ok();
    hinted(&["undo"], &name);
    // Where the one before it has been overwritten, it is the next that can be.
    let purge = tip(&world);
    world.bd_as("bob", &["update", &other, "-d", "bob's"]).ok();
    hinted(&["undo"], &format!("undo {}", &third[..10]));
    world.bd(&["undo", &third[..10], "--dry-run"]).ok();
    world.git(&["update-ref", "refs/beads/main", &purge]).ok();
    // What else that operation changed is undone; nothing is written into the purged one.
    let text = world.bd(&["undo", &update]).ok();
    assert!(
        text.contains(&format!("left alone, it was purged since: {id}"))
            && !text.contains("hunter2 "),
        "{text}"
    );
    assert!(issue(&world, &other)["description"].is_null());
}

#[test]
fn an_id_that_is_taken_does_not_come_back() {
    let world = World::with_store();
    let id = named(&world, "bd-old", &["First"]);
    world.bd(&["start", id, "--branch"]).ok();
    world.bd(&["rename", id, "bd-new"]).ok();
    world.bd(&["undo"]).ok();
    assert_eq!(issue(&world, "bd-old")["title"], "First");
    assert!(
        world
            .git(&["config", "--get-regexp", "bead"])
            .ok()
            .contains("bd-old")
    );
}

#[test]
fn no_circle_comes_back() {
    let world = World::with_store();
    let (a, b) = (named(&world, "bd-a", &["A"]), named(&world, "bd-b", &["B"]));
    world.bd(&["dep", "add", a, "--on", b]).ok();
    world.bd(&["dep", "rm", a, "--on", b]).ok();
    let removed = tip(&world);
    world.bd(&["dep", "add", b, "--on", a]).ok();
    for args in [&["undo", &removed][..], &["undo", &removed, "--force"]] {
        assert!(world.bd(args).fails(3).contains("that would close a cycle"));
    }
}

#[test]
fn it_is_a_change_of_now() {
    let mut world = World::with_store();
    let id = named(&world, "bd-a", &["First"]);
    world.bd(&["done", id]).ok();
    world.bd(&["reopen", id]).ok();
    let closed = |world: &World| issue(world, id)["closed_at"].clone();
    world.set("GIT_BEADS_NOW", "1795260000000");
    world.bd(&["undo"]).ok();
    assert!(
        closed(&world).as_str().unwrap().starts_with("2026-11-20"),
        "{}",
        closed(&world)
    );
    let updated = |world: &World| issue(world, id)["updated_at"].as_str().unwrap()[..10].to_owned();
    assert_eq!(updated(&world), "2026-11-21");
    // Also when the same is undone once more.
    world.bd(&["undo", "@"]).ok();
    world.set("GIT_BEADS_NOW", "1795350000000");
    world.bd(&["undo"]).ok();
    assert_eq!(updated(&world), "2026-11-22");
}

#[test]
fn what_names_no_operation_is_refused() {
    let world = World::with_store();
    for (args, said) in [
        (&["undo"][..], "no operation that can be undone"),
        (&["undo", "0"], "0 operations"),
        (&["undo", "nonsense"], "not a date, commit or remote"),
        (&["undo", "abcdef12"], "no commit"),
        (&["undo", "@"], "changed nothing that can be undone"),
    ] {
        let answer = world.bd(args).fails(1);
        assert!(
            answer.contains(said) && answer.contains("hint: git beads "),
            "{answer}"
        );
    }
}

#[test]
fn what_an_undone_import_gave_back_is_not_lost_in_the_next() {
    let world = World::with_store();
    let import = |title: &str, year: usize| {
        let line = serde_json::json!({"id": "x-1", "title": title, "status": "open", "created_at": "2020-01-01T00:00:00Z",
            "updated_at": format!("{year}-01-01T00:00:00Z"), "labels": ["l"]});
        let file = world.file("one.jsonl", line.to_string());
        world.bd(&["import", &file]).ok();
    };
    import("first", 2020);
    world
        .bd(&["update", "x-1", "--title", "mine", "--add-label", "own"])
        .ok();
    import("second", 2027);
    world.bd(&["undo"]).ok();
    assert_eq!(issue(&world, "x-1")["title"], "mine");
    import("third", 2028);
    let now = issue(&world, "x-1");
    assert_eq!(now["title"], "third");
    assert!(now["labels"].to_string().contains("own"), "{now}");
    let conflicts = world.bd(&["conflicts", "--json"]).json()["conflicts"].clone();
    assert!(
        conflicts
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["field"] == "title" && it["value"] == "mine"),
        "{conflicts}"
    );
}

#[test]
fn what_got_children_since_stays() {
    let world = World::with_store();
    let epic = world.create(&["E", "-t", "epic"]);
    let child = world.create(&["C", "--parent", &epic]);
    world.bd_as("bob", &["update", &child, "-p", "0"]).ok();
    let said = world.bd(&["undo"]).fails(3);
    assert!(
        said.contains(&format!(
            "nothing was undone; {child}: changed since it was created"
        )),
        "{said}"
    );
    let create = world
        .git(&["rev-parse", "refs/beads/main~2"])
        .ok()
        .trim()
        .to_owned();
    assert!(
        world
            .bd(&["undo", &create])
            .fails(3)
            .contains(&format!("{epic}: it has children now"))
    );
    world.bd(&["delete", &child]).ok();
    world.bd(&["undo", &create]).ok();
    assert_eq!(status(&world, &epic), "tombstone");
    // Children that came with it go with it.
    let child = r#"{"id":"x-2","title":"C","status":"open","dependencies":[{"depends_on_id":"x-1","type":"parent-child"}]}"#;
    let file = world.file(
        "both.jsonl",
        format!("{child}\n{}", r#"{"id":"x-1","title":"P","status":"open"}"#),
    );
    world.bd(&["import", &file]).ok();
    assert_eq!(quiet(&world, &["list", "--parent", "x-1"]), ["x-2"]);
    world.bd(&["undo"]).ok();
    assert_eq!(quiet(&world, &["list", "-n", "0"]), Vec::<String>::new());
}

#[test]
fn a_number_that_was_used_is_not_given_again() {
    let world = World::with_store();
    let (epic, issue) = (world.create(&["E", "-t", "epic"]), world.create(&["First"]));
    world.bd(&["rename", &issue, &format!("{epic}.7")]).ok();
    world.bd(&["undo"]).ok();
    assert_eq!(world.create(&["C", "--parent", &epic]), format!("{epic}.8"));
    // That is no work on the epic.
    for _ in 0..3 {
        world.bd(&["undo"]).ok();
    }
    assert_eq!(
        (status(&world, &epic), status(&world, &issue)),
        ("tombstone".into(), "tombstone".into())
    );
}
