//! `watch` with a filter.

use super::{Watch, subjects, tip, told};
use crate::support::World;
use crate::support::look::named;

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
