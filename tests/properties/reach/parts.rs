//! Carry files in several parts: each is a sound state by itself, so they arrive one by one, in any order.

use super::carried::{commit, lead_and_agent};
use super::export;
use crate::support::World;
use crate::support::clones::{noise, sync};

/// So many issues of so many bytes are more than one part holds.
const ISSUES: usize = 40;
const LENGTH: usize = 20_000;

/// An agent `b` whose changes have several parts, and their paths.
fn agent_with_parts() -> (World, Vec<String>) {
    let (world, _) = lead_and_agent();
    let text = noise(LENGTH);
    let line = |n| {
        let issue = serde_json::json!({"id": format!("im-{n}"), "title": "t", "description": text,
            "created_at": "2026-01-01T00:00:00Z"});
        format!("{issue}\n")
    };
    let file = world.file("import.jsonl", (0..ISSUES).map(line).collect::<String>());
    world.bd_in("b", &["import", &file]).ok();
    let parts = carry(&world);
    assert!(parts.len() > 2, "{parts:?}");
    (world, parts)
}

/// Lets the agent write what waits; returns the paths of its parts, which are there.
#[track_caller]
fn carry(world: &World) -> Vec<String> {
    let said = world.bd_in("b", &["carry", "--json"]).json();
    let more = said["parts"].as_array().into_iter().flatten();
    let all = std::iter::once(&said["file"]).chain(more);
    let parts: Vec<String> = all.map(|path| path.as_str().unwrap().to_owned()).collect();
    for part in &parts {
        assert!(world.path(&format!("b/{part}")).is_file(), "{part}: {said}");
    }
    parts
}

/// The carry files in the work tree of the agent.
fn there(world: &World) -> usize {
    let folder = world.path("b/.git-beads/carry");
    std::fs::read_dir(folder).unwrap().count()
}

/// Brings the branch of the agent to the hub, and lets the lead fetch it.
fn push(world: &World) {
    commit(world, "b");
    let push = ["push", "--quiet", "../hub.git", "work"];
    world.git_in("b", &push).ok();
    world.git_in("a", &["fetch", "--quiet"]).ok();
}

#[test]
fn parts_are_taken_over_in_any_order() {
    for is_backwards in [false, true] {
        let (world, mut parts) = agent_with_parts();
        if is_backwards {
            parts.reverse();
        }
        for part in &parts {
            let path = world.path(&format!("b/{part}"));
            assert!(path.metadata().unwrap().len() <= 300 << 10, "{part}");
            let file = path.display().to_string();
            let said = world.bd_in("a", &["collect", "--file", &file]).ok();
            assert!(said.contains("collected from"), "{part}: {said}");
            world.bd_in("a", &["doctor"]).ok();
        }
        assert_eq!(export(&world, "a"), export(&world, "b"), "{parts:?}");
    }
}

#[test]
fn a_part_counts_what_has_changed_its_own_paths() {
    let (world, parts) = agent_with_parts();
    let headers = parts.iter().map(|part| {
        let text = std::fs::read_to_string(world.path(&format!("b/{part}"))).unwrap();
        let header = text.lines().next().unwrap().to_owned();
        serde_json::from_str::<serde_json::Value>(&header).unwrap()
    });
    let headers: Vec<_> = headers.collect();
    let counted = |verb: &str| {
        let ops = headers.iter().flat_map(|it| it["ops"].as_array().unwrap());
        ops.filter(|op| op.as_str().unwrap().starts_with(verb))
            .count()
    };
    assert_eq!((counted("start "), counted("import")), (1, parts.len()));
    let changes = headers.iter().map(|it| it["changes"].as_u64().unwrap());
    assert_eq!(changes.sum::<u64>(), 4 + parts.len() as u64);
    let said = world.bd_in("b", &["carry", "--json"]).json();
    assert_eq!(said["changes"], 5, "{said}");
}

#[test]
fn a_part_that_is_late_is_taken_over_when_it_arrives() {
    let (world, parts) = agent_with_parts();
    let late = world.path(&format!("b/{}", parts[1]));
    let text = std::fs::read(&late).unwrap();
    std::fs::remove_file(&late).unwrap();
    push(&world);
    let said = world.bd_in("a", &["sync", "--json"]).json();
    let collected = said["collected"].as_array().unwrap().len();
    assert_eq!(collected, parts.len() - 1, "{said}");
    assert_eq!(said.get("left"), None, "{said}");
    world.bd_in("a", &["doctor"]).ok();
    assert_ne!(export(&world, "a"), export(&world, "b"));
    std::fs::write(&late, text).unwrap();
    push(&world);
    let said = world.bd_in("a", &["sync", "--json"]).json();
    let from = format!("work:{}", parts[1]);
    assert_eq!(said["collected"][0]["from"], from, "{said}");
    assert_eq!(said["collected"].as_array().unwrap().len(), 1, "{said}");
    assert_eq!(export(&world, "a"), export(&world, "b"));
}

#[test]
fn a_part_that_was_edited_holds_up_no_other() {
    let (world, parts) = agent_with_parts();
    let path = world.path(&format!("b/{}", parts[0]));
    let text = std::fs::read_to_string(&path).unwrap();
    let edited = text.replacen("\"defer\":null", "\"defer\":1", 1);
    assert_ne!(text, edited);
    std::fs::write(&path, edited).unwrap();
    push(&world);
    let said = world.bd_in("a", &["sync", "--json"]).json();
    assert_eq!(said["left"][0]["code"], "edited", "{said}");
    let from = format!("work:{}", parts[0]);
    assert_eq!(said["left"][0]["from"], from, "{said}");
    let collected = said["collected"].as_array().unwrap().len();
    assert_eq!(collected, parts.len() - 1, "{said}");
    std::fs::write(&path, text).unwrap();
    push(&world);
    sync(&world, &["a"]);
    assert_eq!(export(&world, "a"), export(&world, "b"));
}

#[test]
fn a_part_that_says_the_same_is_written_once() {
    let (world, parts) = agent_with_parts();
    world.pass(60);
    world
        .bd_in("b", &["update", "im-1", "--title", "second"])
        .ok();
    // What no one has committed is replaced where it differs, and stays where it does not.
    let again = carry(&world);
    assert_eq!(there(&world), again.len(), "{again:?}");
    assert_eq!(
        parts.iter().filter(|it| again.contains(it)).count(),
        parts.len() - 1
    );
    commit(&world, "b");
    world.pass(60);
    world
        .bd_in("b", &["update", "im-1", "--title", "third"])
        .ok();
    let third = carry(&world);
    assert_eq!(there(&world), again.len() + 1, "{third:?}");
    push(&world);
    sync(&world, &["a"]);
    assert_eq!(export(&world, "a"), export(&world, "b"));
    world.bd_in("a", &["doctor"]).ok();
}
