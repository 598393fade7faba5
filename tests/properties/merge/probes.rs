//! The two-clone probes at which other trackers fail.

use crate::support::clones::{create, sync, tip, two_clones};

#[test]
fn different_issues_made_at_the_same_time_reach_both() {
    let world = two_clones();
    let (x, y) = (
        create(&world, "a", &["from a"]),
        create(&world, "b", &["from b"]),
    );
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        let ids = world.bd_in(clone, &["list", "-q"]).ok();
        assert!(ids.contains(&x) && ids.contains(&y), "{clone}: {ids}");
    }
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
}

#[test]
fn different_fields_of_one_issue_are_both_kept() {
    let world = two_clones();
    let id = create(&world, "a", &["shared"]);
    sync(&world, &["a", "b"]);
    world
        .bd_in("a", &["update", &id, "--title", "new title"])
        .ok();
    world
        .bd_in("b", &["update", &id, "-p", "0", "-s", "in_progress"])
        .ok();
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        let issue = &world.bd_in(clone, &["show", &id, "--json"]).json()["issue"];
        assert_eq!(
            (&issue["title"], &issue["priority"], &issue["status"]),
            (&"new title".into(), &0.into(), &"in_progress".into())
        );
    }
    assert!(
        world.bd_in("a", &["conflicts", "--json"]).json()["conflicts"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn labels_of_both_are_kept_and_a_removed_one_stays_removed() {
    let world = two_clones();
    let id = create(&world, "a", &["shared", "-l", "old"]);
    sync(&world, &["a", "b"]);
    world.bd_in("a", &["label", &id, "x", "--rm", "old"]).ok();
    world.bd_in("b", &["label", &id, "y"]).ok();
    sync(&world, &["b", "a", "b"]);
    for clone in ["a", "b"] {
        assert_eq!(
            world.bd_in(clone, &["show", &id, "--json"]).json()["issue"]["labels"],
            serde_json::json!(["x", "y"])
        );
    }
}

#[test]
fn children_that_got_the_same_id_are_both_kept_and_told_apart() {
    let world = two_clones();
    let epic = create(&world, "a", &["epic", "-t", "epic"]);
    sync(&world, &["a", "b"]);
    let (x, y) = (
        create(&world, "a", &["child of a", "--parent", &epic]),
        create(&world, "b", &["child of b", "--parent", &epic]),
    );
    assert_eq!(x, y);
    let waits = create(&world, "b", &["waits", "--on", &y]);
    sync(&world, &["a"]);
    let told = world.bd_in("b", &["sync"]).ok();
    assert!(told.contains("shares its id with an older issue"), "{told}");
    sync(&world, &["a"]);
    for clone in ["a", "b"] {
        let ids = world.bd_in(clone, &["list", "--parent", &epic, "-q"]).ok();
        let ids: Vec<&str> = ids.lines().collect();
        assert_eq!((ids.len(), ids[0]), (2, x.as_str()), "{ids:?}");
        assert!(ids[1].starts_with(&format!("{x}~")));
        assert!(world.bd_in(clone, &["start", &x]).fails(3).contains(ids[1]));
        let on =
            &world.bd_in(clone, &["show", &waits, "--json"]).json()["issue"]["dependencies"][0];
        assert_eq!(
            (on["id"].as_str(), on["title"].as_str()),
            (Some(ids[1]), Some("child of b"))
        );
        assert_eq!(
            world.bd_in(clone, &["show", &x, "--json"]).json()["issues"]
                .as_array()
                .unwrap()
                .len(),
            2
        );
    }
    let alias = world
        .bd_in("a", &["list", "--parent", &epic, "-q"])
        .ok()
        .lines()
        .nth(1)
        .unwrap()
        .to_owned();
    world.bd_in("a", &["rename", &alias, "bd-free"]).ok();
    world.bd_in("a", &["start", &x]).ok();
}

#[test]
fn one_field_written_by_both_keeps_both_values() {
    let world = two_clones();
    let id = create(&world, "a", &["shared"]);
    sync(&world, &["a", "b"]);
    world.bd_in("a", &["update", &id, "-d", "text of a"]).ok();
    world.bd_in("b", &["update", &id, "-d", "text of b"]).ok();
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        let conflicts = world.bd_in(clone, &["conflicts", "--json"]).json();
        assert_eq!(
            (
                &conflicts["conflicts"][0]["value"],
                &conflicts["conflicts"][0]["current"]
            ),
            (&"text of a".into(), &"text of b".into())
        );
    }
    world
        .bd_in("a", &["resolve", &id, "description", "--take", "1"])
        .ok();
    sync(&world, &["a", "b"]);
    let shown = world.bd_in("b", &["show", &id, "--json"]).json();
    assert_eq!(
        (&shown["issue"]["description"], &shown["issue"]["conflicts"]),
        (&"text of a".into(), &serde_json::Value::Null)
    );
}

#[test]
fn a_plain_fetch_is_noticed_where_that_is_asked_for() {
    let world = two_clones();
    world
        .git_in("b", &["config", "beads.trackFetch", "true"])
        .ok();
    sync(&world, &["b"]);
    let id = create(&world, "a", &["from a"]);
    sync(&world, &["a"]);
    world.git_in("b", &["fetch", "--quiet"]).ok();
    assert_eq!(world.bd_in("b", &["ready", "-q"]).ok().trim(), id);
}

#[test]
fn files_imported_by_both_before_their_first_sync_are_there_once() {
    let world = two_clones();
    let sample = std::fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/cli/demo/sample.jsonl"
    ))
    .unwrap();
    let file = world.file("issues.jsonl", sample);
    for clone in ["a", "b"] {
        world.bd_in(clone, &["import", &file]).ok();
    }
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        assert_eq!(
            world.bd_in(clone, &["list", "--all", "--json"]).json()["total_count"],
            8
        );
    }
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
}

#[test]
fn a_relative_address_is_relative_to_the_work_tree() {
    let world = two_clones();
    world
        .git_in("a", &["remote", "set-url", "origin", "../hub.git"])
        .ok();
    world.file("a/below/file", "");
    create(&world, "a", &["one"]);
    world.bd_in("a/below", &["sync"]).ok();
    world.bd_in("home", &["-C", "../a", "sync"]).ok();
}

#[test]
fn ids_that_a_remote_is_known_to_have_are_not_given_again() {
    let world = two_clones();
    let epic = create(&world, "a", &["epic", "-t", "epic"]);
    sync(&world, &["a", "b"]);
    create(&world, "a", &["child of a", "--parent", &epic]);
    sync(&world, &["a"]);
    world.bd_in("b", &["fetch"]).ok();
    assert_eq!(
        create(&world, "b", &["child of b", "--parent", &epic]),
        format!("{epic}.2")
    );
}
