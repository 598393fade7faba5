//! `status`: what waits for a person first, who is on what, and all of it on one screen.

use insta::assert_snapshot;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::support::World;
use crate::support::look::{ids, named};
use crate::support::samples::mixed;

#[test]
fn status_says_where_things_stand() {
    let world = mixed();
    assert_snapshot!(world.bd(&["status"]).all(), @"
    WORLD/repo: 2 open, 1 in_progress, 1 closed
    1 ready, 1 blocked

    in progress 1
    bd-mine P2 @Ann now Mine

    ready 1
    bd-base P1 Base

    blocked 1
    bd-waits P2 Waits <- bd-base
    ");
    assert_eq!(world.bd(&[]).ok(), world.bd(&["status"]).ok());
}

#[test]
fn status_of_nothing_is_no_failure() {
    let world = World::with_store();
    assert_snapshot!(world.bd(&[]).all(), @"
    WORLD/repo: no issues yet
    0 ready, 0 blocked
    ");
}

#[test]
fn status_in_json_has_counts_and_lists() {
    let status = mixed().bd(&["status", "--json"]).json();
    assert_eq!(
        (&status["v"], &status["kind"]),
        (&1.into(), &"report".into())
    );
    assert_eq!(
        status["counts"],
        serde_json::json!({"closed": 1, "in_progress": 1, "open": 2})
    );
    assert_eq!(
        (&status["ready_count"], &status["blocked_count"]),
        (&1.into(), &1.into())
    );
    assert_eq!(
        (ids(&status["ready"]), ids(&status["blocked"])),
        (vec!["bd-base"], vec!["bd-waits"])
    );
    let active = &status["in_progress"][0];
    assert_eq!(
        (&active["id"], &active["assignee"]),
        (&"bd-mine".into(), &"Ann".into())
    );
    assert!(active["since"].is_string());
}

#[test]
fn status_counts_deleted_issues_as_tombstones() {
    let world = mixed();
    world.bd(&["delete", "bd-base"]).ok();
    let status = world.bd(&["status", "--json"]).json();
    assert_eq!(
        (&status["counts"]["tombstone"], &status["counts"]["open"]),
        (&1.into(), &1.into())
    );
    assert_eq!(ids(&status["ready"]), ["bd-waits"]);
}

fn status(world: &World) -> Value {
    world.bd(&["status", "--json"]).json()
}

fn told(world: &World, filters: &[&str]) -> Value {
    world.bd(&[&["status", "--json"], filters].concat()).json()
}

#[test]
fn what_waits_for_a_person_comes_first() {
    let world = World::with_store();
    named(&world, "bd-work", &["Work"]);
    named(&world, "bd-ask", &["Ask", "-l", "human"]);
    named(&world, "bd-wait", &["Wait", "-p", "1"]);
    named(&world, "bd-mute", &["Blocked without a word"]);
    named(&world, "bd-old", &["Answered", "-l", "human"]);
    world.bd(&["block", "bd-wait", "-r", "which licence?"]).ok();
    world.bd(&["block", "bd-mute"]).ok();
    world.bd(&["done", "bd-old"]).ok();
    world.bd(&["start", "bd-work"]).ok();
    let told = status(&world);
    assert_eq!(ids(&told["waiting"]), ["bd-wait", "bd-ask"]);
    assert_eq!(
        (&told["waiting_count"], &told["waiting"][0]["reason"]),
        (&2.into(), &"which licence?".into())
    );
    let text = world.bd(&[]).ok();
    let at = |part: &str| {
        text.find(part)
            .unwrap_or_else(|| panic!("no {part} in {text}"))
    };
    assert!(
        at("waiting for a person 2") < at("bd-wait P1")
            && at("> which licence?") < at("in progress 1"),
        "{text}"
    );
    assert_eq!(
        world.bd(&["list", "--waiting", "-q"]).ok(),
        "bd-wait\nbd-ask\n"
    );
    world.bd(&["unblock", "bd-wait"]).ok();
    world.bd(&["label", "bd-ask", "--rm", "human"]).ok();
    assert!(status(&world)["waiting"].is_null(), "the index follows");
}

#[test]
fn an_epic_whose_children_are_closed_is_shown_with_what_closes_it() {
    let world = World::with_store();
    named(&world, "bd-epic", &["Epic", "-t", "epic"]);
    let child = world.create(&["Child", "--parent", "bd-epic"]);
    world.bd(&["done", &child]).ok();
    assert_eq!(status(&world)["epics_to_close_count"], 0, "it closed too");
    world.bd(&["reopen", "bd-epic", "-r", "not yet"]).ok();
    let told = status(&world);
    assert_eq!(
        (&told["epics_to_close"], &told["epics_to_close_count"]),
        (
            &serde_json::json!([{"id": "bd-epic", "title": "Epic", "hint": "git beads done bd-epic"}]),
            &1.into()
        )
    );
    let text = world.bd(&["status"]).ok();
    assert!(
        text.contains("all children closed (git beads done ID) 1\nbd-epic Epic\n"),
        "{text}"
    );
    assert!(told_none(&world, &["-l", "none"]) && told_none(&world, &["-s", "closed"]));
    world.bd(&["defer", "bd-epic"]).ok();
    assert!(told_none(&world, &[]), "paused on purpose");
    world.bd(&["unblock", "bd-epic"]).ok();
    assert!(!told_none(&world, &[]));
    world.bd(&["delete", &child]).ok();
    assert!(told_none(&world, &[]), "it has no children");
    world.bd(&["restore", &child]).ok();
    world.bd(&["done", "bd-epic"]).ok();
    assert!(told_none(&world, &[]));
}

fn told_none(world: &World, filters: &[&str]) -> bool {
    told(world, filters)["epics_to_close"].is_null()
}

#[test]
fn it_takes_the_filters_of_a_list() {
    let mut world = World::with_store();
    named(&world, "bd-a", &["Upload", "-l", "net", "-p", "1"]);
    named(&world, "bd-b", &["Login", "-l", "web"]);
    named(&world, "bd-c", &["Download", "-l", "net"]);
    named(&world, "bd-d", &["Proxy", "-l", "net,human"]);
    world.bd(&["dep", "add", "bd-c", "bd-a"]).ok();
    world.bd(&["start", "bd-a"]).ok();
    world.bd_as("bob", &["start", "bd-b"]).ok();
    let net = told(&world, &["-l", "net"]);
    assert_eq!(
        net["counts"],
        serde_json::json!({"in_progress": 1, "open": 2})
    );
    assert_eq!(
        (ids(&net["in_progress"]), ids(&net["blocked"])),
        (vec!["bd-a"], vec!["bd-c"])
    );
    assert_eq!(
        (
            &net["ready_count"],
            &net["blocked_count"],
            &net["waiting_count"]
        ),
        (&1.into(), &1.into(), &1.into())
    );
    assert_eq!(ids(&told(&world, &["-a", "bob"])["in_progress"]), ["bd-b"]);
    assert_eq!(ids(&told(&world, &["-p", "1"])["in_progress"]), ["bd-a"]);
    assert!(told(&world, &["-s", "open"])["in_progress"].is_null());
    world.set("GIT_BEADS_NOW", "1796469700000");
    let stale = told(&world, &["-l", "web"]);
    assert_eq!(
        (&stale["stale_count"], &stale["in_progress"][0]["stale"]),
        (&1.into(), &true.into())
    );
    assert_eq!(told(&world, &["-l", "net,web"])["stale_count"], 0);
    world.bd(&["status", "-l", "none", "--exit-code"]).fails(1);
}

#[test]
fn what_a_filter_leaves_out_leads_to_no_other_list() {
    let world = World::with_store();
    for i in 0..12 {
        named(&world, &format!("bd-{i:02}"), &["Upload", "-l", "net"]);
        world.bd(&["start", &format!("bd-{i:02}")]).ok();
    }
    assert!(
        world
            .bd(&["status", "-t", "bug"])
            .ok()
            .contains("no issue matches")
    );
    assert!(
        world
            .bd(&["status"])
            .ok()
            .contains("in progress 12, and 2 more: git beads list -s in_progress -n 0")
    );
    let text = world.bd(&["status", "-l", "net"]).ok();
    assert!(
        text.contains("in progress 12, and 2 more: -n 0 shows all"),
        "{text}"
    );
    let whole = world.bd(&["status", "-l", "net", "-n", "0"]).ok();
    assert!(
        whole.contains("in progress 12\n") && whole.contains("bd-11"),
        "{whole}"
    );
    world.bd(&["status", "-p", "high"]).fails(1);
    world.bd(&["status", "--since", "never"]).fails(1);
    world.bd(&["status", "--parent", "bd-none"]).fails(1);
}

#[test]
fn it_says_who_is_on_what_since_when_and_where() {
    let world = World::with_store();
    world
        .git(&["commit", "--quiet", "--allow-empty", "-m", "x"])
        .ok();
    let id = world.create(&["Stream the body"]);
    world
        .bd_as("agent-1", &["start", &id, "--branch=stream"])
        .ok();
    world
        .bd_as("agent-1", &["note", &id, "--finding", "first"])
        .ok();
    world
        .bd_as(
            "agent-2",
            &["note", &id, "--decision", "the second\nis  longer"],
        )
        .ok();
    let active = &status(&world)["in_progress"][0];
    assert_eq!(
        (&active["assignee"], &active["branch"]),
        (&"agent-1".into(), &"stream".into())
    );
    let note = &active["last_note"];
    assert_eq!(
        (&note["kind"], &note["text"]),
        (&"decision".into(), &"the second is longer".into())
    );
    assert_eq!(note["by"], "agent-2");
    assert!(active["since"].as_str().unwrap() < active["last_activity"].as_str().unwrap());
    let text = world.bd(&["status"]).ok();
    assert!(
        text.contains(&format!(
            "{id} P2 @agent-1 now Stream the body [stream]\n> decision: the second"
        )),
        "{text}"
    );
    assert_eq!(world.bd(&["status", "-q"]).ok().trim(), id);
}

#[test]
fn a_redacted_note_is_not_the_last() {
    let world = World::with_store();
    let id = world.create(&["Work"]);
    world.bd(&["start", &id]).ok();
    world.bd(&["note", &id, "--finding", "right"]).ok();
    let entry = world.bd(&["note", &id, "--finding", "wrong", "-q"]).ok();
    world.bd(&["redact", &id, entry.trim()]).ok();
    assert_eq!(
        status(&world)["in_progress"][0]["last_note"]["text"],
        "right"
    );
}

#[test]
fn a_stale_claim_is_marked() {
    let mut world = World::with_store();
    let id = world.create(&["Left behind"]);
    world.bd(&["start", &id]).ok();
    assert!(status(&world)["in_progress"][0]["stale"].is_null());
    // Fifteen days later.
    world.set("GIT_BEADS_NOW", "1796469700000");
    let told = status(&world);
    assert_eq!(
        (&told["in_progress"][0]["stale"], &told["stale_count"]),
        (&true.into(), &1.into())
    );
    let text = world.bd(&["status"]).ok();
    assert!(
        text.contains("1 stale (14 days)") && text.contains("15d stale Left behind"),
        "{text}"
    );
    world.git(&["config", "beads.stale", "20"]).ok();
    assert_eq!(status(&world)["stale_count"], 0);
    world.bd(&["note", &id, "still at it"]).ok();
    world.git(&["config", "beads.stale", "1"]).ok();
    assert_eq!(status(&world)["stale_count"], 0, "a note is a sign of life");
}

#[test]
fn each_remote_has_its_distance() {
    let world = World::with_store();
    for name in ["hub", "spare"] {
        world
            .git_in(".", &["init", "--quiet", "--bare", &format!("{name}.git")])
            .ok();
        world
            .git(&["remote", "add", name, &format!("../{name}.git")])
            .ok();
        world.bd(&["sync", "--remote", name]).ok();
    }
    world.create(&["One"]);
    world.bd(&["sync", "--remote", "hub"]).ok();
    let text = world.bd(&["status"]).ok();
    assert!(
        text.contains("hub: up to date; spare: 1 ahead, 0 behind (git beads sync)"),
        "{text}"
    );
}

/// A store with more of everything than a screen can hold.
fn full() -> World {
    let world = World::with_store();
    let mut lines = String::new();
    for n in 0..60 {
        let status = ["open", "in_progress", "blocked"][n % 3];
        let long = "long 日本語 title ".repeat(12);
        let label = if n % 2 == 0 { "human" } else { "other" };
        let line = serde_json::json!({"id": format!("x-{n}"), "title": long, "status": status, "labels": [label],
            "assignee": "somebody-with-a-long-name-indeed", "comments": [{"id": n, "issue_id": format!("x-{n}"),
            "author": "a", "text": long, "created_at": "2026-01-01T00:00:00Z"}],
            "dependencies": [{"issue_id": format!("x-{n}"), "depends_on_id": format!("x-{}", n + 3), "type": "blocks"}]});
        lines.push_str(&format!("{line}\n"));
    }
    world.bd_with(lines, &["import", "-"]).ok();
    world
}

#[test]
fn it_fits_a_screen() {
    let world = full();
    let text = world.bd(&["status"]).ok();
    assert!(
        text.lines().count() < 24,
        "{} lines: {text}",
        text.lines().count()
    );
    for part in [
        "more: git beads list --waiting -n 0",
        "more: git beads list -s in_progress -n 0",
        "blocked 39, and",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    for width in [60, 80, 200] {
        let Some(output) = world.on_terminal(width, &["--no-pager", "--color", "never"]) else {
            return;
        };
        let text = output.ok();
        assert!(text.lines().count() < 50, "{text}");
        for line in text.lines() {
            assert!(
                line.width() <= width as usize,
                "{} of {width}: {line}",
                line.width()
            );
        }
    }
}

#[test]
fn a_small_store_has_air() {
    let world = World::with_store();
    let id = world.create(&["Work"]);
    world.bd(&["start", &id]).ok();
    let Some(output) = world.on_terminal(80, &["--no-pager", "--color", "never", "status"]) else {
        return;
    };
    assert!(output.stdout.contains("\n\nin progress 1\n"), "{output:?}");
}

#[test]
fn without_a_store_the_bare_command_helps() {
    assert!(
        World::new()
            .bd(&[])
            .fails(4)
            .contains("hint: git beads init")
    );
    assert!(
        World::empty()
            .bd_in("home", &[])
            .fails(128)
            .contains("not a git repository")
    );
}
