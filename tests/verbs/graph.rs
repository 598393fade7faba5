//! `graph`: the tree in text, its figures, and what is in it.

mod drawings;

use insta::assert_snapshot;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::support::World;
use crate::support::look::{ids, named};

/// An epic of which one child is done and three form a chain, and an issue beside it that waits for the last.
fn world() -> World {
    let world = World::with_store();
    named(&world, "bd-e", &["Epic", "-t", "epic", "-p", "1"]);
    for id in ["bd-a", "bd-b", "bd-c", "bd-d"] {
        named(&world, id, &[&id[3..], "--parent", "bd-e"]);
    }
    named(&world, "bd-x", &["x", "--on", "bd-c"]);
    named(&world, "bd-alone", &["alone"]);
    world.bd(&["dep", "add", "bd-b", "--on", "bd-a"]).ok();
    world
        .bd(&["dep", "add", "bd-c", "--on", "bd-a", "bd-b"])
        .ok();
    world.bd(&["done", "bd-d"]).ok();
    world
}

fn graph(world: &World, args: &[&str]) -> Value {
    world.bd(&[&["graph", "--json"], args].concat()).json()
}

fn node<'a>(graph: &'a Value, id: &str) -> &'a Value {
    graph["issues"]
        .as_array()
        .unwrap()
        .iter()
        .find(|issue| issue["id"] == id)
        .unwrap()
}

#[test]
fn parts_stand_below_their_parent_and_what_waits_below_what_it_waits_for() {
    assert_snapshot!(world().bd(&["graph"]).all(), @"
    bd-e P1 open Epic 1/4
      bd-a P2 open a (unblocks 3, critical)
        -> bd-b P2 open b (unblocks 2, critical)
          -> bd-c P2 open c (unblocks 1, blocked by 2, critical)
            -> bd-x P2 open x (critical)
        -> bd-c

    critical path (4): bd-a -> bd-b -> bd-c -> bd-x
    (1 issue without links: git beads graph --all)
    ");
}

#[test]
fn a_terminal_gets_lines_and_a_bar_within_its_width() {
    let world = world();
    world
        .bd(&["update", "bd-b", "--title", &"日本語 ".repeat(60)])
        .ok();
    let Some(shown) = world.on_terminal(60, &["--no-pager", "--color", "never", "graph"]) else {
        return;
    };
    assert_snapshot!(shown.ok().replace('\r', ""), @"
    bd-e P1 open Epic ██░░░░░░░░ 1/4
    └─ bd-a P2 open a (unblocks 3, critical)
       ├→ bd-b P2 open 日本語 日本語 日… (unblocks 2, critical)
       │  └→ bd-c P2 open c (unblocks 1, blocked by 2, critical)
       │     └→ bd-x P2 open x (critical)
       └→ bd-c

    critical path (4): bd-a -> bd-b -> bd-c -> bd-x
    (1 issue without links: git beads graph --all)
    ");
    for width in [60, 80, 200] {
        for args in [&["graph"][..], &["graph", "--all"], &["graph", "bd-e"]] {
            let shown = world
                .on_terminal(width, &[&["--no-pager", "--color", "never"], args].concat())
                .unwrap()
                .ok();
            assert!(
                shown.lines().all(|line| line.width() <= width as usize),
                "{shown}"
            );
        }
    }
}

#[test]
fn an_issue_brings_what_is_below_and_around_it() {
    let world = world();
    named(&world, "bd-first", &["first"]);
    world.bd(&["dep", "add", "bd-a", "--on", "bd-first"]).ok();
    assert_eq!(
        ids(&graph(&world, &["bd-e"])["issues"]),
        ["bd-e", "bd-a", "bd-b", "bd-c", "bd-d", "bd-x", "bd-first"]
    );
    assert_eq!(
        ids(&graph(&world, &["bd-x"])["issues"]),
        ["bd-x", "bd-a", "bd-b", "bd-c", "bd-first"]
    );
    assert_eq!(ids(&graph(&world, &["bd-alone"])["issues"]), ["bd-alone"]);
    world.bd(&["graph", "zzz"]).fails(1);
}

#[test]
fn closed_and_lonely_issues_are_there_when_asked_for() {
    let world = world();
    let open = graph(&world, &[]);
    assert_eq!(
        ids(&open["issues"]),
        ["bd-e", "bd-a", "bd-b", "bd-c", "bd-x"]
    );
    assert_eq!(open["unlinked_count"], 1);
    let all = graph(&world, &["--all"]);
    assert_eq!(
        ids(&all["issues"]),
        ["bd-e", "bd-a", "bd-b", "bd-c", "bd-d", "bd-x", "bd-alone"]
    );
    assert_eq!(all["unlinked_count"], 0);
    world.bd(&["delete", "bd-d"]).ok();
    assert_eq!(
        node(&graph(&world, &["--all"]), "bd-e")["progress"],
        serde_json::json!({"done": 0, "total": 3})
    );
}

#[test]
fn filters_are_those_of_list() {
    let world = world();
    world.bd(&["label", "bd-a", "api"]).ok();
    world.bd(&["label", "bd-b", "api"]).ok();
    let api = graph(&world, &["-l", "api"]);
    assert_eq!(ids(&api["issues"]), ["bd-a", "bd-b"]);
    assert_eq!(
        node(&api, "bd-a")["unblocks"],
        3,
        "what is left out waits all the same"
    );
    assert_eq!(api["critical_path"], serde_json::json!(["bd-a", "bd-b"]));
    assert_eq!(world.bd(&["graph", "-l", "none", "--exit-code"]).code, 1);
    assert_snapshot!(world.bd(&["graph", "-l", "none"]).all(), @"no links between issues");
    assert_eq!(world.bd(&["graph", "-q", "-l", "api"]).ok(), "bd-a\nbd-b\n");
}

#[test]
fn parts_of_parts_count_and_what_holds_them_together_does_not() {
    let world = world();
    named(&world, "bd-top", &["Top", "-t", "epic"]);
    world.bd(&["update", "bd-e", "--parent", "bd-top"]).ok();
    named(&world, "bd-t", &["t", "--parent", "bd-top"]);
    assert_eq!(
        node(&graph(&world, &["bd-top"]), "bd-top")["progress"],
        serde_json::json!({"done": 1, "total": 5})
    );
}

/// What an import says of issues and whom they wait for, or are part of.
fn imported(edges: &[(&str, &str, &str)]) -> World {
    let world = World::with_store();
    let mut names: Vec<&str> = edges
        .iter()
        .flat_map(|(from, to, _)| [*from, *to])
        .collect();
    names.sort_unstable();
    names.dedup();
    let line = |id: &&str| {
        let of = edges.iter().filter(|(from, ..)| from == id);
        let dependencies: Vec<Value> = of
            .map(|(from, to, kind)| serde_json::json!({"issue_id": from, "depends_on_id": to, "type": kind}))
            .collect();
        let at = "2026-01-01T00:00:00Z";
        serde_json::json!({"id": id, "title": id, "created_at": at, "dependencies": dependencies})
            .to_string()
            + "\n"
    };
    world
        .bd_with(names.iter().map(line).collect::<String>(), &["import", "-"])
        .ok();
    world
}

#[test]
fn suspended_edges_and_the_circles_they_would_close_are_seen() {
    let world = imported(&[
        ("x-1", "x-2", "blocks"),
        ("x-2", "x-3", "blocks"),
        ("x-3", "x-1", "blocks"),
    ]);
    let graph = graph(&world, &[]);
    let suspended: Vec<&Value> = graph["edges"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|edge| edge["suspended"] == true)
        .collect();
    assert_eq!(suspended.len(), 1);
    assert_eq!(graph["cycles"][0].as_array().unwrap().len(), 3);
    assert_snapshot!(world.bd(&["graph"]).all(), @"
    x-2 P0 open x-2 (unblocks 2, critical) (suspended: x-3)
      -> x-1 P0 open x-1 (unblocks 1, critical)
        -> x-3 P0 open x-3 (critical)

    critical path (3): x-2 -> x-1 -> x-3
    cycle: x-3 -> x-1 -> x-2 -> x-3
    ");
}

#[test]
fn circles_of_both_kinds_of_edges_lose_nobody() {
    let edges = [
        ("x-a1", "x-a", "parent-child"),
        ("x-b1", "x-b", "parent-child"),
        ("x-a", "x-b1", "blocks"),
        ("x-b", "x-a1", "blocks"),
    ];
    let shown = imported(&edges).bd(&["graph"]).ok();
    for id in ["x-a", "x-a1", "x-b", "x-b1"] {
        assert_eq!(
            shown
                .lines()
                .filter(|line| line.contains(&format!("{id} P0")))
                .count(),
            1,
            "{id} in {shown}"
        );
    }
}

#[test]
fn two_parents_are_both_told() {
    let shown = imported(&[
        ("x-c", "x-a", "parent-child"),
        ("x-c", "x-b", "parent-child"),
    ])
    .bd(&["graph"])
    .ok();
    assert_snapshot!(shown, @"
    x-a P0 open x-a 0/1
      x-c P0 open x-c
    x-b P0 open x-b 0/1
      x-c
    ");
}

#[test]
fn a_long_chain_is_drawn() {
    let names: Vec<String> = (0..1100).map(|n| format!("x-{n:04}")).collect();
    let edges: Vec<(&str, &str, &str)> = names
        .windows(2)
        .map(|pair| (pair[1].as_str(), pair[0].as_str(), "blocks"))
        .collect();
    let world = imported(&edges);
    assert_eq!(world.bd(&["graph"]).ok().lines().count(), 1102);
    let graph = graph(&world, &[]);
    assert_eq!(graph["critical_path"].as_array().unwrap().len(), 1100);
    assert_eq!(
        (
            &graph["issues"][0]["unblocks"],
            &graph["issues"][1099]["unblocks"]
        ),
        (&1000.into(), &0.into())
    );
}

#[test]
fn no_link_at_all_is_said() {
    let world = World::with_store();
    assert_snapshot!(world.bd(&["graph"]).all(), @"no links between issues");
    named(&world, "bd-a", &["a"]);
    assert_snapshot!(world.bd(&["graph"]).all(), @"
    no links between issues
    (1 issue without links: git beads graph --all)
    ");
}
