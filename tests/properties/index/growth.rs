//! Costs that grow as they should: with what there is, not with its square.
//!
//! What is compared is the processor's time for eight times as much, as the shell counts it for its children: in
//! proportion it is eightfold, by the square 64 times as much, and a loaded machine changes little about that.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::plumbing::hub;
use crate::support::{World, binary};

/// Returns whether the long tests run too.
fn is_long() -> bool {
    let cases = std::env::var("GIT_BEADS_CASES").ok();
    cases.is_some_and(|cases| cases.parse().is_ok_and(|cases: u64| cases >= 20_000))
}

/// Issues each of which waits for the one before, or is its child.
fn chain(kind: &str, n: usize) -> String {
    let mut text = String::new();
    for i in 0..n {
        let edge = (i > 0).then(|| json!({"depends_on_id": format!("x-{}", i - 1), "type": kind}));
        let edges: Vec<Value> = edge.into_iter().collect();
        let line = json!({"id": format!("x-{i}"), "title": "t", "created_at": "2026-01-01T00:00:00Z", "dependencies": edges});
        let _ = writeln!(text, "{line}");
    }
    text
}

fn comments(n: usize) -> String {
    let of = |i| json!({"id": i, "author": "a", "text": format!("c {i}"), "created_at": "2026-01-01T00:00:00Z"});
    let comments: Vec<Value> = (0..n).map(of).collect();
    json!({"id": "x-0", "title": "t", "created_at": "2026-01-01T00:00:00Z", "comments": comments})
        .to_string()
}

/// The seconds of the processor that a command takes.
fn seconds(world: &World, folder: &str, args: &[&str]) -> f64 {
    let script = r#"out=$1; shift; "$@" >"$out" || exit 9; times"#;
    let out = world.path("out").display().to_string();
    let all = [&["-c", script, "sh", &out, binary()], args].concat();
    let said = world.run(world.command(folder, "sh", &all), None).ok();
    let children = said.lines().next_back().unwrap();
    let seconds = |text: &str| {
        let (minutes, rest) = text.split_once('m').unwrap();
        let rest: f64 = rest.trim_end_matches('s').parse().unwrap();
        rest + 60.0 * minutes.parse::<f64>().unwrap()
    };
    children.split(' ').map(seconds).sum()
}

/// Returns the costs of import, list as a tree, export and pull of a file.
fn costs(file: &str, size: usize) -> [(&'static str, f64); 4] {
    let world = World::with_store();
    hub(&world);
    world.create(&["Base"]);
    world.bd(&["sync"]).ok();
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "b"])
        .ok();
    world.bd_in("b", &["init"]).ok();
    world.bd_in("b", &["list"]).ok();
    let path = world.file("chain.jsonl", file);
    let import = seconds(&world, "repo", &["import", &path]);
    let tree = seconds(&world, "repo", &["list", "--tree", "-n", "0"]);
    let text = std::fs::read_to_string(world.path("out")).unwrap();
    assert!(text.len() < size * 140, "{} bytes for {size}", text.len());
    let export = seconds(&world, "repo", &["export"]);
    world.bd(&["sync"]).ok();
    let pull = seconds(&world, "b", &["pull"]);
    [
        ("import", import),
        ("tree", tree),
        ("export", export),
        ("pull", pull),
    ]
}

#[test]
fn chains_are_imported_pulled_and_listed_in_proportion() {
    for kind in ["blocks", "parent-child"] {
        let [small, large] = [250, 2000].map(|n| costs(&chain(kind, n), n));
        for ((what, small), (_, large)) in small.into_iter().zip(large) {
            assert!(
                large < 20.0 * small.max(0.02),
                "{what} of a chain of {kind}: {small} s for 250, {large} s for 2,000"
            );
        }
    }
}

#[test]
fn one_cycle_beside_a_chain_is_found_in_proportion() {
    let waits = |id: &str, on: &str| {
        let edges = json!([{"depends_on_id": on, "type": "blocks"}]);
        json!({"id": id, "title": "t", "created_at": "2026-01-01T00:00:00Z", "dependencies": edges})
    };
    let [small, large] = [1_000, 8_000].map(|n| {
        let world = World::with_store();
        let circle = format!("{}\n{}\n", waits("y-1", "y-2"), waits("y-2", "y-1"));
        let path = world.file("chain.jsonl", chain("blocks", n) + &circle);
        world.bd(&["import", &path]).ok();
        let seconds = seconds(&world, "repo", &["dep", "cycles"]);
        let said = std::fs::read_to_string(world.path("out")).unwrap();
        assert!(
            said.contains("y-1 -> y-2 -> y-1") || said.contains("y-2 -> y-1 -> y-2"),
            "{said}"
        );
        seconds
    });
    assert!(
        large < 20.0 * small.max(0.02),
        "{small} s for 1,000, {large} s for 8,000"
    );
}

#[test]
fn comments_beyond_the_limit_of_a_blob_are_imported() {
    // With that many the blob of the issue could not hold them as well.
    for n in if is_long() {
        vec![8_000, 50_000]
    } else {
        vec![8_000]
    } {
        let world = World::with_store();
        let file = comments(n);
        let path = world.file("comments.jsonl", &file);
        assert!(
            world
                .bd(&["import", &path])
                .ok()
                .contains(&format!("{n} memory entries"))
        );
        let again = world.bd(&["import", &path, "--json"]).json();
        assert_eq!(
            (&again["unchanged"], &again["memory"]),
            (&json!(1), &json!(0))
        );
        let exported: Value = serde_json::from_str(&world.bd(&["export"]).ok()).unwrap();
        let texts = |line: &Value| -> Vec<String> {
            let comments = line["comments"].as_array().unwrap().iter();
            comments
                .map(|comment| comment["text"].as_str().unwrap().to_owned())
                .collect()
        };
        let original: Value = serde_json::from_str(&file).unwrap();
        assert_eq!(
            texts(&exported),
            texts(&original),
            "in the order of the file"
        );
        world.bd(&["note", "x-0", "One more"]).ok();
        let exported: Value = serde_json::from_str(&world.bd(&["export"]).ok()).unwrap();
        assert_eq!(texts(&exported).len(), n + 1);
    }
}

#[test]
fn growth_of_real_chains_of_50_000() {
    if !is_long() {
        return;
    }
    for kind in ["blocks", "parent-child"] {
        let n = 50_000;
        for (what, seconds) in costs(&chain(kind, n), n) {
            assert!(seconds < 120.0, "{what} of {n}: {seconds} s");
        }
    }
}
