//! Our own export changes nothing here, and comes back whole elsewhere.

use serde_json::{Value, json};

use super::{export, exported, ids, import, line, records, show, tip, with};
use crate::properties::faults::{Dice, plain_or};
use crate::support::World;

const OLD: &str = "2026-01-02T00:00:00Z";

/// Issues in all states, so that whichever side a tie falls to, it is seen.
fn lively() -> World {
    let world = with(line(
        "bd-i",
        OLD,
        r#","status":"closed","close_reason":"ok","closed_at":"2026-01-02T00:00:00Z","labels":["a"]"#,
    ));
    world.bd(&["reopen", "bd-i", "-r", "not yet"]).ok();
    for i in 0..8 {
        let id = world.create(&[&format!("task {i}"), "-d", "text", "-l", "x,y", "-p", "P1"]);
        world.bd(&["label", &id, "--rm", "y"]).ok();
        world
            .bd(&[
                "note",
                &id,
                "--finding",
                "f",
                "--decision",
                "d",
                "--comment",
                "c",
            ])
            .ok();
        match i % 4 {
            0 => world.bd(&["done", &id, "-r", "finished"]).ok(),
            1 => world.bd(&["delete", &id]).ok(),
            2 => world.bd(&["defer", &id, "--until", "2028-01-01"]).ok(),
            _ => world.bd(&["start", &id]).ok(),
        };
    }
    world
}

/// All that a person sees of every issue.
fn seen(world: &World) -> Vec<Value> {
    let all = ids(world, &["list", "--all", "--deleted", "-q", "-n", "0"]);
    all.iter()
        .map(|id| {
            let mut shown = show(world, id);
            shown["issue"]["updated_at"].take();
            shown
        })
        .collect()
}

#[track_caller]
fn own_export_changes_nothing(world: &World) {
    let before = seen(world);
    let out = export(world);
    let (tip_before, report) = (tip(world), import(world, &out));
    assert_eq!(tip(world), tip_before, "{report}");
    for (old, new) in before.iter().zip(seen(world)) {
        assert_eq!(*old, new);
    }
    assert_eq!(records(&export(world)), records(&out));
}

#[test]
fn our_own_export_changes_no_visible_value() {
    own_export_changes_nothing(&lively());
}

#[test]
fn our_own_export_keeps_the_reason_of_a_status() {
    let world = World::with_store();
    for i in 0..8 {
        let id = world.create(&[&format!("task {i}")]);
        world.bd(&["block", &id, "-r", "waits for legal"]).ok();
    }
    own_export_changes_nothing(&world);
}

/// A parent given with what is known of the edge is the same parent.
#[test]
fn our_own_export_keeps_a_parent_without_conflict() {
    let world = World::with_store();
    let epic = world.create(&["epic", "-t", "epic"]);
    for i in 0..8 {
        world.create(&[&format!("child {i}"), "--parent", &epic]);
    }
    own_export_changes_nothing(&world);
}

#[test]
fn our_own_export_keeps_an_automatic_close() {
    let world = World::with_store();
    let mut last = String::new();
    for i in 0..8 {
        let epic = world.create(&[&format!("epic {i}"), "-t", "epic"]);
        last = world.create(&["child", "--parent", &epic]);
        world.bd(&["done", &last]).ok();
    }
    own_export_changes_nothing(&world);
    // An automatic close gives way to a child that opens again, also after the import.
    world.bd(&["reopen", &last]).ok();
    let epic = last.rsplit_once('.').unwrap().0;
    assert_eq!(show(&world, epic)["issue"]["status"], "open");
}

#[test]
fn findings_and_decisions_travel_as_marked_comments() {
    let world = World::with_store();
    let id = world.create(&["t"]);
    world
        .bd_as(
            "bob",
            &[
                "note",
                &id,
                "--finding",
                "slow\nvery",
                "--decision",
                "cache",
                "--comment",
                "hm",
            ],
        )
        .ok();
    let texts: Vec<Value> = exported(&world, &id)["comments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|comment| comment["text"].clone())
        .collect();
    assert_eq!(
        texts,
        [
            json!("FINDING: slow\nvery"),
            json!("KEY DECISION: cache"),
            json!("hm")
        ]
    );
    let other = with(export(&world));
    let (here, there) = (
        show(&world, &id)["memory"].clone(),
        show(&other, &id)["memory"].clone(),
    );
    for kind in ["findings", "decisions", "comments"] {
        assert_eq!(there[kind].as_array().unwrap().len(), 1);
        for key in ["text", "by", "at"] {
            assert_eq!(here[kind][0][key], there[kind][0][key], "{kind} {key}");
        }
    }
}

#[test]
fn what_is_made_here_comes_back_elsewhere() {
    let world = lively();
    let out = export(&world);
    let other = with(&out);
    assert_eq!(records(&export(&other)), records(&out));
}

#[test]
fn a_comment_that_looks_like_a_finding_is_not_doubled() {
    let world = World::with_store();
    let id = world.create(&["t"]);
    world
        .bd(&["note", &id, "--comment", "FINDING: said aloud"])
        .ok();
    own_export_changes_nothing(&world);
}

/// Stores of random commands, some of which are refused, and of a file with odd values.
#[test]
fn an_export_of_any_store_brings_it_nothing() {
    for seed in 0..plain_or(3, 40) {
        let mut dice = Dice::new(seed);
        let world = with(
            line(
                "bd-i",
                OLD,
                r#","odd":{"a":1.50},"labels":["a, b"," c"],"status":"in_review""#,
            ) + &line(
                "bd-j",
                OLD,
                r#","status":"closed","close_reason":"","dependencies":[{"depends_on_id":"x-9","type":"blocks"}]"#,
            ) + "{\"_type\":\"memory\",\"key\":\"k\",\"value\":\"v\"}\n",
        );
        let mut said = Vec::new();
        for step in 0..40 {
            let all = ids(&world, &["list", "--all", "--deleted", "-q", "-n", "0"]);
            let (id, other) = (
                &all[dice.roll(all.len() as u64) as usize],
                &all[dice.roll(all.len() as u64) as usize],
            );
            let text = format!("text {step}");
            let new = format!("re-{step}");
            let args: &[&str] = match dice.roll(26) {
                0 => &["create", &text, "-d", "d\n", "-l", "x,y", "--parent", id],
                1 | 2 => &["create", &text, "-t", "epic", "-p", "0"],
                3 => &["update", id, "--title", &text],
                4 => &["update", id, "-d", "", "-a", "bob", "--due", "2027-01-01"],
                5 => &["label", id, "x"],
                6 => &["label", id, "--rm", "x"],
                7 => &["dep", "add", id, "--on", other],
                8 => &["dep", "rm", id, "--on", other],
                9 => &["note", id, "--finding", &text, "--comment", "c"],
                10 => &["ask", id, &text, "--option", "a", "--option", "b"],
                11 => &["answer", id, "a"],
                12 => &["start", id],
                13 => &["stop", id],
                14 => &["done", id, "-r", &text],
                15 => &["reopen", id],
                16 => &["block", id, "-r", &text],
                17 => &["defer", id, "--until", "2028-01-01"],
                18 => &["delete", id],
                19 => &["restore", id],
                20 => &["rename", id, &new],
                21 => &["undo"],
                22 => &["update", id, "-t", "bug", "-s", "pinned"],
                23 => &["update", id, "--parent", other],
                24 => &["purge", id, "--yes"],
                _ => &["rename-prefix", ["p.q", "2d", "café"][step % 3]],
            };
            let answer = world.bd(args);
            said.push(format!("{args:?}: {}", answer.code));
        }
        let (refs, out) = (world.git(&["for-each-ref"]).ok(), export(&world));
        let report = world.bd_with(&out, &["import", "-", "--json"]).json();
        let said = said.join("\n");
        assert_eq!(
            world.git(&["for-each-ref"]).ok(),
            refs,
            "{seed}: {report}\n{said}"
        );
        assert_eq!(report["not_newer"], Value::Null, "{seed}: {said}");
        assert_eq!(export(&world), out, "{seed}: {said}");
    }
}
