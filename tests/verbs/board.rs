//! `board`: columns as wide as the terminal, sections in a pipe.

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::support::World;
use crate::support::look::{ids, named};

fn world() -> World {
    let world = World::with_store();
    named(&world, "bd-base", &["Base", "-p", "1", "-l", "core"]);
    named(&world, "bd-waits", &["Waits", "--on", "bd-base"]);
    named(&world, "bd-mine", &["Mine", "--start"]);
    named(&world, "bd-stuck", &["Stuck"]);
    named(&world, "bd-done", &["Done"]);
    world
        .bd(&["block", "bd-stuck", "-r", "the host is down"])
        .ok();
    world.bd(&["done", "bd-done"]).ok();
    world
}

fn column<'a>(board: &'a Value, name: &str) -> &'a Value {
    board["columns"]
        .as_array()
        .unwrap()
        .iter()
        .find(|column| column["name"] == name)
        .unwrap()
}

#[test]
fn every_issue_stands_in_its_column() {
    let mut world = world();
    let board = world.bd(&["board", "--json"]).json();
    let names: Vec<&str> = board["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["ready", "in_progress", "blocked", "done"]);
    assert_eq!(
        ids(&column(&board, "blocked")["issues"]),
        ["bd-waits", "bd-stuck"]
    );
    assert_eq!(ids(&column(&board, "ready")["issues"]), ["bd-base"]);
    assert_eq!(ids(&column(&board, "in_progress")["issues"]), ["bd-mine"]);
    assert_eq!(ids(&column(&board, "done")["issues"]), ["bd-done"]);
    assert!(column(&board, "done")["issues"][0]["since"].is_string());
    let waits = &column(&board, "blocked")["issues"];
    assert_eq!(
        (ids(&waits[0]["blocked_by"]), &waits[1]["reason"]),
        (vec!["bd-base"], &"the host is down".into())
    );
    // Eight days later what was done has left the board.
    world.set("GIT_BEADS_NOW", "1795864900000");
    assert_eq!(
        column(&world.bd(&["board", "--json"]).json(), "done")["total_count"],
        0
    );
    let then = world.bd(&["board", "--json", "--at", "@"]).json();
    assert_eq!(
        ids(&column(&then, "done")["issues"]),
        ["bd-done"],
        "as of the commit it is there"
    );
}

#[test]
fn every_open_issue_has_a_column() {
    let world = world();
    named(&world, "bd-later", &["Later"]);
    world.bd(&["defer", "bd-later"]).ok();
    named(&world, "bd-epic", &["Epic", "-t", "epic"]);
    world.create(&["Part", "--parent", "bd-epic"]);
    let board = world.bd(&["board", "--json"]).json();
    let columns = board["columns"].as_array().unwrap().iter();
    let names: Vec<&str> = columns.map(|it| it["name"].as_str().unwrap()).collect();
    let all = [
        "ready",
        "in_progress",
        "blocked",
        "open",
        "deferred",
        "done",
    ];
    assert_eq!(names, all);
    assert_eq!(ids(&column(&board, "open")["issues"]), ["bd-epic"]);
    assert_eq!(ids(&column(&board, "deferred")["issues"]), ["bd-later"]);
    let text = world.bd(&["board"]).ok();
    assert!(text.contains("\nOpen, not ready 1\nbd-epic "), "{text}");
    let Some(output) = world.on_terminal(80, &["--no-pager", "--color", "never", "board"]) else {
        return;
    };
    let text = output.ok();
    let heads = |line: &&str| line.contains("Ready 2") || line.contains("deferred 1");
    let heads: Vec<&str> = text.lines().filter(heads).collect();
    assert!(
        heads.len() == 2 && heads[1].contains("Done (7 days) 1"),
        "what has no place is below: {text}"
    );
}

#[test]
fn groups_of_a_query_are_columns() {
    let world = world();
    let columns = |query: &str| -> Vec<(String, Vec<String>)> {
        let board = world.bd(&["board", "--json", "-w", query]).json();
        let columns = board["columns"].as_array().unwrap().iter();
        let column = |it: &Value| {
            let issues = ids(&it["issues"]).iter().map(ToString::to_string).collect();
            (it["name"].as_str().unwrap().to_owned(), issues)
        };
        columns.map(column).collect()
    };
    let of = |name: &str, ids: &[&str]| {
        let ids = ids.iter().map(ToString::to_string).collect();
        (name.to_owned(), ids)
    };
    assert_eq!(
        columns("group:priority"),
        [
            of("P1", &["bd-base"]),
            of("P2", &["bd-waits", "bd-mine", "bd-stuck"])
        ]
    );
    assert_eq!(
        columns("group:assignee sort:id -is:blocked"),
        [of("Ann", &["bd-mine"]), of("", &["bd-base"])]
    );
    let text = world.bd(&["board", "-w", "group:assignee"]).ok();
    assert!(
        text.starts_with("Ann 1\nbd-mine ") && text.contains("\nNone 3\nbd-base "),
        "{text}"
    );
}

#[test]
fn an_epic_whose_children_are_closed_stands_below_the_columns() {
    let world = world();
    for n in 1..=4 {
        let epic = format!("bd-e{n}");
        named(&world, &epic, &["Epic", "-t", "epic"]);
        let child = world.create(&["Part", "--parent", &epic]);
        world.bd(&["done", &child]).ok();
        world.bd(&["reopen", &epic, "-r", "not yet"]).ok();
    }
    world.bd(&["start", "bd-e4"]).ok();
    let board = world.bd(&["board", "--json"]).json();
    assert_eq!(
        ids(&board["epics_to_close"]),
        ["bd-e1", "bd-e2", "bd-e3", "bd-e4"]
    );
    assert_eq!(board["epics_to_close"][0]["hint"], "git beads done bd-e1");
    let text = world.bd(&["board"]).ok();
    assert!(
        text.ends_with(
            "\nall children closed: git beads done bd-e3\n(1 more: git beads status -n 0)\n"
        ),
        "{text}"
    );
}

#[test]
fn what_was_done_comes_newest_first_and_a_reopened_issue_goes_back() {
    let world = world();
    named(&world, "bd-later", &["Later"]);
    world.bd(&["done", "bd-later"]).ok();
    let done = |world: &World| column(&world.bd(&["board", "--json"]).json(), "done").clone();
    assert_eq!(ids(&done(&world)["issues"]), ["bd-later", "bd-done"]);
    world.bd(&["reopen", "bd-done", "-r", "not yet"]).ok();
    world.bd(&["delete", "bd-later"]).ok();
    assert_eq!(done(&world)["total_count"], 0);
}

#[test]
fn it_takes_the_filters_of_a_list() {
    let world = world();
    let only = |args: &[&str]| {
        world
            .bd(&[&["board", "-q"], args].concat())
            .ok()
            .replace('\n', " ")
    };
    assert_eq!(only(&["-l", "core"]), "bd-base ");
    assert_eq!(only(&["-s", "in_progress"]), "bd-mine ");
    assert_eq!(only(&["-s", "closed,open"]), "bd-base bd-waits bd-done ");
    assert_eq!(only(&["-a", "me"]), "bd-mine ");
    assert_eq!(only(&["--at", "@~2", "-s", "closed"]), "");
    assert_eq!(
        world
            .bd(&["board", "-l", "none-has-it", "--exit-code"])
            .code,
        1
    );
    assert!(
        world
            .bd(&["board", "-s", "opn"])
            .fails(1)
            .contains("did you mean `open`")
    );
    for other in [&["--at", "@~1"][..], &["--reverse"], &["-n", "3"]] {
        let watch = world.bd(&[&["board", "--watch"], other].concat());
        assert!(watch.fails(2).contains("cannot be used with"), "{other:?}");
    }
}

#[test]
fn a_pipe_gets_plain_sections() {
    let world = world();
    let text = world.bd(&["board"]).ok();
    insta::assert_snapshot!(text, @r"
    Ready 1
    bd-base P1 open task Base #core
    In progress 1
    bd-mine P2 in_progress task Mine @Ann
    Blocked 2
    bd-waits P2 open task Waits <- bd-base
    bd-stuck P2 blocked task Stuck (the host is down)
    Done (7 days) 1
    bd-done P2 closed task Done
    ");
    assert_eq!(
        world.bd(&["board", "--watch"]).ok(),
        text,
        "in a pipe it is drawn once"
    );
    let short = world.bd(&["board", "-n", "1"]).ok();
    assert!(
        short.contains("Blocked 2 +1 more\nbd-waits P2 open task Waits <- bd-base\nDone"),
        "{short}"
    );
}

#[test]
fn columns_stand_side_by_side_and_fit() {
    let world = world();
    named(
        &world,
        "bd-wide",
        &[&"日本語 テキスト ".repeat(9), "-p", "0"],
    );
    named(
        &world,
        "bd-long",
        &[&"unbreakable".repeat(20), "-a", "somebody-with-a-long-name"],
    );
    for n in 0..20 {
        world.create(&[&format!("Filler number {n} with a title of some length")]);
    }
    for width in [72, 80, 132, 200] {
        let Some(output) = world.on_terminal(width, &["--no-pager", "--color", "never", "board"])
        else {
            return;
        };
        let text = output.ok();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() < 50, "{text}");
        assert!(
            lines.iter().all(|line| line.width() <= width as usize),
            "{width}: {text}"
        );
        let head = lines[0];
        assert!(
            head.starts_with("Ready 23 +") && head.contains("Blocked 2 "),
            "{head}"
        );
        let at = |line: &str, part: &str| {
            line[..line
                .find(part)
                .unwrap_or_else(|| panic!("no {part}: {text}"))]
                .width()
        };
        let ready = at(head, "Ready");
        let beside = lines.iter().find(|line| line.contains("bd-stuck")).unwrap();
        assert_eq!(at(beside, "bd-stuck P2"), at(head, "Blocked"), "{beside}");
        assert_eq!(
            at(
                lines
                    .iter()
                    .find(|line| line.contains("bd-wide P0"))
                    .unwrap(),
                "bd-wide"
            ),
            ready,
            "{text}"
        );
        let done = at(head, "Done (7 days)");
        assert_eq!(
            at(
                lines
                    .iter()
                    .find(|line| line.contains("bd-done P2"))
                    .unwrap(),
                "bd-done"
            ),
            done,
            "{text}"
        );
        assert!(!text.contains("└") && !text.contains("│"), "no boxes");
    }
    let Some(output) = world.on_terminal(50, &["--no-pager", "--color", "never", "board"]) else {
        return;
    };
    let text = output.ok();
    assert!(
        text.starts_with("Ready 23 +") && text.lines().all(|line| line.width() <= 50),
        "{text}"
    );
}

#[test]
fn hostile_titles_are_shown_and_not_sent() {
    let world = World::with_store();
    world.create(&[
        "a\u{1b}[31mb\u{202e}c\u{200b}d\u{7}",
        "-a",
        "x\u{1b}]0;t\u{7}",
    ]);
    for width in [50, 100] {
        let Some(output) = world.on_terminal(width, &["--no-pager", "--color", "never", "board"])
        else {
            return;
        };
        assert!(
            !output
                .stdout
                .contains(['\u{1b}', '\u{202e}', '\u{200b}', '\u{7}']),
            "{output:?}"
        );
    }
}
