//! What two clones did to the same issues meets: deletion, purge, memory, cycles, loops and epics.

use serde_json::Value;

use crate::support::World;
use crate::support::clones::{create, sync, tip, two_clones};

fn issue(world: &World, clone: &str, id: &str) -> Value {
    world.bd_in(clone, &["show", id, "--json"]).json()["issue"].clone()
}

/// Two clones that share issues of these titles; their ids.
fn sharing(titles: &[&str]) -> (World, Vec<String>) {
    let world = two_clones();
    let ids = titles
        .iter()
        .map(|title| create(&world, "a", &[title]))
        .collect();
    sync(&world, &["a", "b"]);
    (world, ids)
}

#[test]
fn deleted_and_edited_shows_both_and_restore_brings_all_back() {
    let (world, ids) = sharing(&["shared"]);
    let id = &ids[0];
    world.bd_in("a", &["delete", id]).ok();
    world.bd_in("b", &["update", id, "-d", "edited by b"]).ok();
    world
        .bd_in("b", &["note", id, "--finding", "found by b"])
        .ok();
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        let text = world.bd_in(clone, &["show", id]).ok();
        assert!(
            text.contains("edited by b") && text.contains("found by b"),
            "{clone}: {text}"
        );
        assert!(
            text.contains("tombstone") || text.contains("deleted"),
            "{clone}: {text}"
        );
        assert!(
            !world
                .bd_in(clone, &["list", "-q"])
                .ok()
                .contains(id.as_str())
        );
    }
    world.bd_in("a", &["restore", id]).ok();
    sync(&world, &["a", "b"]);
    for clone in ["a", "b"] {
        let text = world.bd_in(clone, &["show", id]).ok();
        assert!(
            text.contains("edited by b") && text.contains("found by b"),
            "{clone}: {text}"
        );
        assert!(
            world
                .bd_in(clone, &["list", "-q"])
                .ok()
                .contains(id.as_str())
        );
    }
}

#[test]
fn purged_stays_purged_whatever_the_other_clone_wrote() {
    let (world, ids) = sharing(&["leaked-secret"]);
    let id = &ids[0];
    world
        .bd_in("a", &["note", id, "--finding", "leaked-secret in a note"])
        .ok();
    sync(&world, &["a", "b"]);
    world.bd_in("a", &["purge", "--yes", id]).ok();
    world
        .bd_in(
            "b",
            &[
                "update",
                id,
                "-d",
                "leaked-secret again",
                "--add-label",
                "leaked-secret",
            ],
        )
        .ok();
    sync(&world, &["b", "a", "b"]);
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
    world
        .bd_in("b", &["update", id, "-d", "leaked-secret once more"])
        .fails(3);
    for clone in ["a", "b"] {
        let _ = world.bd_in(clone, &["show", id]);
        for args in [
            &["list", "--all", "--json"][..],
            &["show", id],
            &["search", "leaked-secret"],
            &["export"],
        ] {
            let output = world.bd_in(clone, args);
            let told = output
                .stdout
                .lines()
                .any(|line| line.contains("leaked-secret") && !line.contains("\"query\""));
            assert!(!told || args[0] == "search", "{clone} {args:?}: {output:?}");
            assert!(
                !output.stdout.contains("leaked-secret again"),
                "{clone} {args:?}"
            );
        }
        assert!(
            !world
                .bd_in(clone, &["search", "leaked-secret", "-q"])
                .stdout
                .contains(id.as_str())
        );
        let grep = world.git_in(clone, &["grep", "-c", "leaked-secret", "refs/beads/main"]);
        assert_eq!(
            (grep.code, grep.stdout.as_str()),
            (1, ""),
            "{clone}: still in the current tree"
        );
        let mut indexes = vec![world.path(&format!("{clone}/.git/beads"))];
        while let Some(path) = indexes.pop() {
            if path.is_dir() {
                indexes.extend(
                    std::fs::read_dir(&path)
                        .unwrap()
                        .map(|entry| entry.unwrap().path()),
                );
            } else if path.to_string_lossy().contains("index") {
                let bytes = std::fs::read(&path).unwrap();
                let found = bytes.windows(13).any(|window| window == b"leaked-secret");
                assert!(!found, "{clone}: {} still holds the text", path.display());
            }
        }
    }
}

#[test]
fn a_note_written_beside_a_purge_leaves_the_tree_and_every_view() {
    let (world, ids) = sharing(&["shared"]);
    let id = &ids[0];
    world.bd_in("a", &["purge", "--yes", id]).ok();
    world
        .bd_in("b", &["note", id, "--decision", "leaked-secret decided"])
        .ok();
    sync(&world, &["b", "a", "b"]);
    for clone in ["a", "b"] {
        for args in [
            &["show", id][..],
            &["show", id, "--json"],
            &["export"],
            &["search", "leaked-secret", "-q"],
        ] {
            let output = world.bd_in(clone, args);
            assert!(
                !output.stdout.contains("leaked-secret") && !output.stdout.contains(id.as_str())
                    || args[0] != "search"
            );
            assert!(
                !output.stdout.contains("decided"),
                "{clone} {args:?}: {output:?}"
            );
        }
        let grep = world.git_in(clone, &["grep", "-c", "leaked-secret", "refs/beads/main"]);
        assert_eq!(
            (grep.code, grep.stdout.as_str()),
            (1, ""),
            "{clone}: still in the current tree"
        );
    }
}

#[test]
fn memory_of_both_clones_is_kept() {
    let (world, ids) = sharing(&["shared"]);
    let id = &ids[0];
    for (clone, kind) in [
        ("a", "--finding"),
        ("b", "--finding"),
        ("a", "--decision"),
        ("b", "--comment"),
    ] {
        world
            .bd_in(
                clone,
                &["note", id, kind, &format!("{} of {clone}", &kind[2..])],
            )
            .ok();
    }
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        let text = world.bd_in(clone, &["show", id]).ok();
        for entry in [
            "finding of a",
            "finding of b",
            "decision of a",
            "comment of b",
        ] {
            assert!(text.contains(entry), "{clone} lacks {entry}: {text}");
        }
    }
}

#[test]
fn an_entry_redacted_by_one_clone_is_redacted_for_all() {
    let (world, ids) = sharing(&["shared"]);
    let id = &ids[0];
    world
        .bd_in("a", &["note", id, "--finding", "wrong fact"])
        .ok();
    sync(&world, &["a", "b"]);
    let memory = world.bd_in("a", &["show", id, "--json"]).json()["memory"].clone();
    let entry = memory["findings"][0]["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{memory}"))
        .to_owned();
    world.bd_in("a", &["redact", id, &entry]).ok();
    world
        .bd_in("b", &["note", id, "--finding", "other fact"])
        .ok();
    sync(&world, &["b", "a", "b"]);
    for clone in ["a", "b"] {
        let text = world.bd_in(clone, &["show", id]).ok();
        assert!(
            !text.contains("wrong fact") && text.contains("other fact"),
            "{clone}: {text}"
        );
    }
}

#[test]
fn a_cycle_closed_by_a_merge_suspends_one_edge_until_the_other_is_removed() {
    let (world, ids) = sharing(&["p", "q"]);
    let (p, q) = (&ids[0], &ids[1]);
    world.bd_in("a", &["dep", "add", p, q]).ok();
    world.bd_in("b", &["dep", "add", q, p]).ok();
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        let ready = world.bd_in(clone, &["ready", "-q"]).ok();
        assert_eq!(
            ready.lines().count(),
            1,
            "exactly one can be started: {ready}"
        );
        let cycles = world.bd_in(clone, &["dep", "cycles"]).ok();
        assert!(cycles.contains(p) && cycles.contains(q), "{cycles}");
    }
    let first = world.bd_in("a", &["ready", "-q"]).ok().trim().to_owned();
    let other = if &first == p { q } else { p };
    // The edge that does not count belongs to the one that is ready.
    world.bd_in("a", &["dep", "rm", other, &first]).ok();
    sync(&world, &["a", "b"]);
    for clone in ["a", "b"] {
        assert_eq!(
            world.bd_in(clone, &["ready", "-q"]).ok().trim(),
            other.as_str(),
            "the other edge counts again"
        );
        assert!(
            !world
                .bd_in(clone, &["dep", "cycles"])
                .ok()
                .contains(p.as_str())
        );
    }
}

/// Which edge of a circle counts follows from when they were added.
#[test]
fn an_edge_that_is_added_again_is_the_younger_one() {
    let (world, ids) = sharing(&["p", "q"]);
    let (p, q) = (&ids[0], &ids[1]);
    world.bd_in("a", &["dep", "add", p, q]).ok();
    sync(&world, &["a"]);
    world.bd_in("b", &["dep", "add", q, p]).ok();
    world.bd_in("b", &["pull"]).ok();
    assert_eq!(world.bd_in("b", &["ready", "-q"]).ok().trim(), q);
    world.bd_in("a", &["dep", "rm", p, q]).ok();
    world.bd_in("a", &["dep", "add", p, q]).ok();
    world.bd_in("a", &["push"]).ok();
    world.bd_in("b", &["pull"]).ok();
    assert_eq!(world.bd_in("b", &["ready", "-q"]).ok().trim(), p);
    world.bd_in("b", &["update", q, "--title", "Another"]).ok();
    assert_eq!(world.bd_in("b", &["ready", "-q"]).ok().trim(), p);
    let found = world.bd_in("b", &["doctor"]).stdout;
    assert!(!found.contains("index"), "{found}");
}

#[test]
fn a_suspended_edge_is_marked_where_it_is_shown() {
    let (world, ids) = sharing(&["p", "q"]);
    world.bd_in("a", &["dep", "add", &ids[0], &ids[1]]).ok();
    world.bd_in("b", &["dep", "add", &ids[1], &ids[0]]).ok();
    sync(&world, &["a", "b"]);
    let ready = world.bd_in("b", &["ready", "-q"]).ok().trim().to_owned();
    let on = &issue(&world, "b", &ready)["dependencies"][0];
    assert_eq!(on["suspended"], true, "{on}");
    assert!(
        world
            .bd_in("b", &["show", &ready])
            .ok()
            .contains("suspended")
    );
    let board = world.bd_in("b", &["board", "--json"]).json();
    assert!(
        board["columns"][1]["issues"][0].get("blocked_by").is_none(),
        "nothing waits for a suspended edge: {board}"
    );
}

#[test]
fn a_parent_loop_closed_by_a_merge_leaves_every_issue_in_reach() {
    let (world, ids) = sharing(&["p", "q"]);
    let (p, q) = (&ids[0], &ids[1]);
    world.bd_in("a", &["update", p, "--parent", q]).ok();
    world.bd_in("b", &["update", q, "--parent", p]).ok();
    sync(&world, &["a", "b", "a"]);
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
    for clone in ["a", "b"] {
        let children = |id: &str| {
            world
                .bd_in(clone, &["list", "--parent", id, "-q"])
                .ok()
                .lines()
                .count()
        };
        assert_eq!(children(p) + children(q), 1, "one of the two edges counts");
        let all = world.bd_in(clone, &["list", "--all", "-q"]).ok();
        assert!(all.contains(p.as_str()) && all.contains(q.as_str()));
    }
    world.bd_in("a", &["update", p, "--parent", ""]).ok();
    sync(&world, &["a", "b"]);
    assert_eq!(
        world.bd_in("b", &["list", "--parent", p, "-q"]).ok().trim(),
        q.as_str()
    );
}

#[test]
fn an_epic_closed_by_its_last_child_shows_open_when_another_was_added() {
    let world = two_clones();
    let epic = create(&world, "a", &["epic", "-t", "epic"]);
    let child = create(&world, "a", &["first", "--parent", &epic]);
    sync(&world, &["a", "b"]);
    world.bd_in("a", &["done", &child]).ok();
    assert_eq!(issue(&world, "a", &epic)["status"], "closed");
    let second = create(&world, "b", &["second", "--parent", &epic]);
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        let shown = issue(&world, clone, &epic);
        assert_eq!(shown["status"], "open");
        assert_eq!(
            shown["closed_at"],
            Value::Null,
            "an open issue has no closing time"
        );
        assert!(
            !world
                .bd_in(clone, &["show", &epic])
                .ok()
                .contains("Auto-closed")
        );
        assert!(world.bd_in(clone, &["ready", "-q"]).ok().contains(&second));
    }
    world.bd_in("b", &["done", &second]).ok();
    sync(&world, &["b", "a"]);
    assert_eq!(issue(&world, "a", &epic)["status"], "closed");
}

#[test]
fn both_reasons_of_two_who_closed_it_are_shown_and_none_is_a_conflict() {
    for starts in [false, true] {
        let (world, ids) = sharing(&["shared"]);
        let id = &ids[0];
        for (clone, person) in [("a", "Ann"), ("b", "Bob")] {
            let run = |args: &[&str]| {
                let by = ["--actor", person, "--agent", "w"];
                world.bd_in(clone, &[&by[..], args].concat()).ok()
            };
            if starts {
                run(&["start", id]);
            }
            run(&["done", id, "-r", &format!("reason of {person}")]);
        }
        sync(&world, &["b", "a", "b"]);
        for clone in ["a", "b"] {
            let text = world.bd_in(clone, &["show", id]).ok();
            for reason in ["reason of Ann", "reason of Bob"] {
                assert_eq!(text.matches(reason).count(), 1, "{text}");
            }
            assert!(text.contains("closed too by "), "{text}");
            assert_eq!(issue(&world, clone, id)["conflicts"], Value::Null);
            assert_eq!(world.bd_in(clone, &["conflicts", "-q"]).ok(), "");
        }
    }
}
