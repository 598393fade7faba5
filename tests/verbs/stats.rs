//! `stats`: figures that follow from the issues and the operations, and the drawing.

mod status_changes;

use serde_json::{Value, json};

use crate::support::look::{issue, named};
use crate::support::{World, data};

/// Issues of four weeks: one that took a day, one that took three of which it was worked on for one, one open, one
/// deleted.
fn world() -> World {
    let world = World::with_store();
    let record = |id: &str, by: &str, created: &str, started: Value, closed: Value| {
        json!({"id": id, "title": id, "created_by": by, "created_at": created, "started_at": started, "closed_at": closed,
            "status": if closed.is_null() { "open" } else { "closed" }, "updated_at": "2026-11-12T00:00:00Z",
            "labels": ["api"], "assignee": if closed.is_null() { Value::Null } else { "bob".into() }})
        .to_string()
            + "\n"
    };
    let input = [
        record(
            "x-1",
            "ann",
            "2026-10-26T10:00:00Z",
            Value::Null,
            "2026-10-27T10:00:00Z".into(),
        ),
        record(
            "x-2",
            "ann",
            "2026-11-01T23:00:00Z",
            "2026-11-03T23:00:00Z".into(),
            "2026-11-04T23:00:00Z".into(),
        ),
        record(
            "x-3",
            "cy",
            "2026-11-10T00:00:00Z",
            Value::Null,
            Value::Null,
        ),
        record(
            "x-4",
            "cy",
            "2026-11-10T00:00:00Z",
            Value::Null,
            Value::Null,
        ),
    ];
    world.bd_with(input.concat(), &["import", "-"]).ok();
    world.bd(&["delete", "x-4"]).ok();
    world
}

fn stats(world: &World, args: &[&str]) -> Value {
    world.bd(&[&["stats", "--json"], args].concat()).json()
}

#[test]
fn weeks_begin_on_monday_and_are_all_there() {
    let answer = stats(&world(), &[]);
    let week = |week: &str, opened: u64, closed: u64, all: u64, done: u64| json!({"week": week, "opened": opened, "closed": closed, "total_opened": all, "total_closed": done});
    let weeks = [
        week("2026-10-26", 2, 1, 2, 1),
        week("2026-11-02", 0, 1, 2, 2),
        week("2026-11-09", 1, 0, 3, 2),
        week("2026-11-16", 0, 0, 3, 2),
    ];
    assert_eq!(answer["weeks"], json!(weeks));
    assert_eq!(
        (&answer["opened"], &answer["closed"], &answer["open"]),
        (&json!(3), &json!(2), &json!(1))
    );
}

#[test]
fn a_cycle_begins_with_the_work_where_that_is_known() {
    let time = json!({"count": 2, "from_start": 1, "median_seconds": 86400, "p90_seconds": 86400});
    assert_eq!(stats(&world(), &[])["cycle_time"], time);
    let world = World::with_store();
    let id = world.create(&["A"]);
    assert!(stats(&world, &[])["cycle_time"].is_null());
    world.bd_as("bob", &["start", &id]).ok();
    world.bd_as("cy", &["done", &id]).ok();
    let answer = stats(&world, &[]);
    let took = answer["cycle_time"]["median_seconds"].as_u64().unwrap();
    assert_eq!(answer["cycle_time"]["from_start"], 1);
    assert!(
        (1..4).contains(&took),
        "from start to done, not from create: {answer}"
    );
    assert_eq!(
        answer["actors"][0]["name"], "cy",
        "who closed it, not who had it: {answer}"
    );
}

#[test]
fn what_was_opened_again_is_counted_once() {
    let world = World::with_store();
    for id in ["bd-a", "bd-b", "bd-c", "bd-d"] {
        named(&world, id, &["x"]);
    }
    world.bd(&["done", "bd-a", "bd-b", "bd-c"]).ok();
    assert_eq!(stats(&world, &[])["reopen_percent"], 0.0);
    for _ in 0..2 {
        world.bd(&["reopen", "bd-a", "-r", "no"]).ok();
        world.bd(&["done", "bd-a"]).ok();
    }
    world.bd(&["reopen", "bd-b", "-r", "no"]).ok();
    assert_eq!(issue(&world, "bd-b")["status"], "open");
    let answer = stats(&world, &[]);
    assert_eq!(
        (&answer["reopened"], &answer["reopen_percent"]),
        (&json!(2), &json!(66.6))
    );
    assert_eq!((&answer["closed"], &answer["open"]), (&json!(2), &json!(2)));
}

#[test]
fn a_period_begins_where_it_is_asked_to() {
    let answer = stats(&world(), &["--since", "2026-11-02"]);
    assert_eq!(
        (&answer["opened"], &answer["closed"], &answer["open"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!(answer["weeks"][0]["week"], "2026-11-02");
    assert_eq!(
        answer["weeks"][0]["total_opened"], 2,
        "what was before counts into the sums"
    );
    assert_eq!(answer["since"], "2026-11-02T00:00:00.000Z");
    world().bd(&["stats", "--since", "soon"]).fails(1);
    assert_eq!(stats(&world(), &["--since", "2030-01-01"])["opened"], 0);
}

#[test]
fn filters_are_those_of_list() {
    let world = world();
    assert_eq!(stats(&world, &["-a", "bob"])["opened"], 2);
    assert_eq!(stats(&world, &["-s", "open"])["opened"], 1);
    assert_eq!(stats(&world, &["-l", "none"])["opened"], 0);
    assert_eq!(world.bd(&["stats", "-l", "none", "--exit-code"]).code, 1);
}

#[test]
fn a_terminal_gets_columns_and_a_pipe_the_same_single_spaced() {
    let world = world();
    let columns = "
    3 opened, 2 closed; 1 open

    week        opened  closed  open
    2026-10-26       2       1     1
    2026-11-02       0       1     0
    2026-11-09       1       0     1
    (not shown: 1 week without a change; --json has all)

    burn-up since 2026-10-26
    opened ▆▆██ 3
    closed ▄▆▆▆ 2

    cycle time: median 1d, 90 % within 1d (1 measured from start, 1 from creation)
    reopened: 0 (0 % of those closed)

    actor  opened  closed  median
    bob         0       2      1d
    ann         2       0       -
    cy          1       0       -

    label  opened  closed  median
    api         3       2      1d
    ";
    let lines = || columns.trim().lines().map(str::trim);
    let single = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n";
    assert_eq!(
        world.bd(&["stats"]).all(),
        lines().map(single).collect::<String>()
    );
    if let Some(shown) = world.on_terminal(80, &["--no-pager", "--color", "never", "stats"]) {
        assert_eq!(
            shown.ok(),
            lines().map(|line| format!("{line}\n")).collect::<String>()
        );
    }
    assert_eq!(
        World::with_store().bd(&["stats"]).all(),
        "0 opened, 0 closed; 0 open\n"
    );
}

#[test]
fn a_drawing_is_part_of_the_page() {
    let error = world().bd(&["stats", "--svg", "burn-up.svg"]).fails(2);
    assert!(
        error.contains("git beads export --html burn-up.svg"),
        "{error}"
    );
}

#[test]
fn a_real_store_is_counted_as_its_file_says() {
    let Some(file) = data().map(|folder| folder.join("beads-0.47.jsonl")) else {
        return;
    };
    let world = World::new();
    world.bd(&["init", "--import", file.to_str().unwrap()]).ok();
    let records: std::collections::HashMap<String, Value> = std::fs::read_to_string(&file)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|record| (record["id"].as_str().unwrap().to_owned(), record))
        .collect();
    let live = || {
        records
            .values()
            .filter(|record| record["status"] != "tombstone")
    };
    let closed = live().filter(|record| record["status"] == "closed").count();
    let answer = stats(&world, &[]);
    assert_eq!(
        (&answer["opened"], &answer["closed"]),
        (&json!(live().count()), &json!(closed))
    );
    let last = answer["weeks"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["total_opened"], &last["total_closed"]),
        (&json!(live().count()), &json!(closed))
    );
    let opened = |part: &Value| part["opened"].as_u64().unwrap();
    for whole in ["weeks", "actors"] {
        assert_eq!(
            answer[whole]
                .as_array()
                .unwrap()
                .iter()
                .map(opened)
                .sum::<u64>(),
            live().count() as u64,
            "{whole}"
        );
    }
}
