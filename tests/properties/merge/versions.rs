//! Two programs of which one does not know all that the other writes: nothing is lost, nobody goes in circles.

use serde_json::{Value, json};

use crate::support::World;
use crate::support::clones::{create, sync, tip, two_clones};
use crate::support::hand::{self, blob, git, put, uid};
use crate::support::plumbing::{path_of, sound_in};

const LATER: &str = "01M8000000000000000000000A";
const LATEST: &str = "01M9000000000000000000000A";

/// Four rounds of syncs, of which the second must have said it all; the head they end with.
#[track_caller]
fn settle(world: &World) -> String {
    sync(world, &["a", "b", "a", "b"]);
    let head = tip(world, "a");
    assert_eq!(tip(world, "b"), head, "two rounds and still apart");
    sync(world, &["a", "b", "b", "a"]);
    assert_eq!(
        (tip(world, "a"), tip(world, "b")),
        (head.clone(), head.clone()),
        "the clones answer each other"
    );
    sound_in(world, "a");
    head
}

/// Two clones that share an issue; its id and where its blob lies.
fn shared() -> (World, String, String) {
    let world = two_clones();
    let id = create(&world, "a", &["shared"]);
    sync(&world, &["a", "b"]);
    let path = path_of(&uid(&world, "a", &id), "issue");
    (world, id, path)
}

fn json_of(world: &World, clone: &str, path: &str) -> Value {
    serde_json::from_str(&blob(world, clone, path)).unwrap()
}

/// Changes a blob in a clone as a later version would and returns its bytes.
#[track_caller]
fn rewrite(world: &World, clone: &str, path: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut value = json_of(world, clone, path);
    change(&mut value);
    let bytes = format!("{value}\n");
    put(world, clone, path, &bytes);
    bytes
}

fn odd(value: &mut Value) {
    value["v"] = json!(3);
    value["x_colour"] =
        json!({"z": 1, "a": [true, null, "ü\u{1f600}"], "big": 9_007_199_254_740_993_i64});
    value["at"]["x_colour"] = json!(LATER);
    value["by"]["x_colour"] = json!("a later version");
    value["when"] = json!({"x_colour": "2024-07-01T00:00:00.000Z"});
    value["x_null"] = Value::Null;
    value["set:watchers"] = json!({
        "ann": format!("+{LATER}"),
        "bob": {"at": format!("-{LATER}"), "since": "then", "deep": {"b": 1, "a": 2}},
    });
    value["set:empty"] = json!({});
}

#[test]
fn registers_and_sets_of_later_versions_survive_merges_both_ways() {
    for (newer, older) in [("a", "b"), ("b", "a")] {
        let (world, id, path) = shared();
        rewrite(&world, newer, &path, odd);
        world
            .bd_in(
                older,
                &["update", &id, "--title", "by the older", "-d", "text"],
            )
            .ok();
        world.bd_in(older, &["label", &id, "x"]).ok();
        settle(&world);
        let (mut expected, found) = (json!({}), json_of(&world, older, &path));
        odd(&mut expected);
        for key in [
            "v",
            "x_colour",
            "x_null",
            "set:watchers",
            "set:empty",
            "when",
        ] {
            assert_eq!(found[key], expected[key], "{key}");
        }
        assert_eq!(
            (&found["at"]["x_colour"], &found["by"]["x_colour"]),
            (&json!(LATER), &json!("a later version"))
        );
        assert_eq!(
            (&found["title"], &found["min_reader"]),
            (&json!("by the older"), &json!(1))
        );
        assert!(found["set:labels"]["x"].is_string());
        world.bd_in(older, &["done", &id]).ok();
        settle(&world);
        assert_eq!(
            json_of(&world, newer, &path)["x_colour"],
            expected["x_colour"]
        );
    }
}

#[test]
fn unknown_fields_merge_by_the_same_rules() {
    let (world, id, path) = shared();
    let write = |clone: &str, at: &str, value: &str| {
        rewrite(&world, clone, &path, |blob| {
            blob["x_colour"] = json!(value);
            blob["at"]["x_colour"] = json!(at);
            blob["set:watchers"] = json!({value: format!("+{at}"), "both": format!("-{at}")});
        });
    };
    write("a", LATER, "red");
    write("b", LATEST, "blue");
    settle(&world);
    let found = json_of(&world, "a", &path);
    assert_eq!(found["x_colour"], "blue");
    assert_eq!(found["lost"][format!("x_colour@{LATER}")]["v"], "red");
    let watchers = json!({"red": format!("+{LATER}"), "blue": format!("+{LATEST}"), "both": format!("-{LATEST}")});
    assert_eq!(found["set:watchers"], watchers);
    let conflicts = world.bd_in("b", &["conflicts", &id, "--json"]).json();
    let conflict = &conflicts["conflicts"][0];
    assert_eq!(
        (&conflict["field"], &conflict["value"]),
        (&json!("x_colour"), &json!("red"))
    );
    world
        .bd_in("b", &["resolve", &id, "x_colour", "--take", "1"])
        .ok();
    settle(&world);
    assert_eq!(json_of(&world, "a", &path)["x_colour"], "red");
}

#[test]
fn a_value_that_a_later_version_overwrote_is_no_conflict() {
    let (world, _, path) = shared();
    let write = |clone: &str, at: &str| {
        rewrite(&world, clone, &path, |blob| {
            blob["x_colour"] = json!(at);
            blob["at"]["x_colour"] = json!(at);
        })
    };
    write("a", LATER);
    settle(&world);
    let bytes = write("b", LATEST);
    create(&world, "a", &["at the same time"]);
    settle(&world);
    assert_eq!(blob(&world, "a", &path), bytes);
}

#[test]
fn an_issue_for_newer_readers_is_joined_and_not_shown() {
    let (world, id, path) = shared();
    rewrite(&world, "b", &path, |blob| {
        odd(blob);
        blob["min_reader"] = json!(2);
    });
    world
        .bd_in("a", &["update", &id, "--title", "an edit of before"])
        .ok();
    let other = create(&world, "a", &["another"]);
    settle(&world);
    for clone in ["a", "b"] {
        let found = json_of(&world, clone, &path);
        assert_eq!(
            (&found["min_reader"], &found["title"]),
            (&json!(2), &json!("an edit of before"))
        );
        assert!(found["x_colour"].is_object());
        assert!(
            world
                .bd_in(clone, &["show", &id])
                .fails(6)
                .contains("format 2")
        );
        assert!(
            world.bd_in(clone, &["status", "--json"]).json()["unreadable"][0]
                .as_str()
                .unwrap()
                .contains(&path)
        );
        assert!(world.bd_in(clone, &["ready", "-q"]).ok().contains(&other));
        let _ = world
            .bd_in(clone, &["update", &id, "--title", "x"])
            .fails(6);
    }
}

#[test]
fn paths_of_later_versions_are_carried_from_both_sides() {
    let (world, id, path) = shared();
    let folder = path.strip_suffix("/issue.json").unwrap();
    let places = [
        (
            "b",
            format!("{folder}/extra.json"),
            "{\"anything\": [1.5, 1e400]}".to_owned(),
        ),
        (
            "b",
            "future/x.json".to_owned(),
            "not even JSON \0".to_owned(),
        ),
        (
            "a",
            "future/y.json".to_owned(),
            "{\"v\":9,\"min_reader\":9}".to_owned(),
        ),
        ("a", "notes.txt".to_owned(), String::new()),
    ];
    for (clone, path, bytes) in &places {
        put(&world, clone, path, bytes);
    }
    world.bd_in("a", &["update", &id, "-d", "text"]).ok();
    settle(&world);
    for clone in ["a", "b"] {
        let status = world.bd_in(clone, &["status", "--json"]).json()["unreadable"].to_string();
        for (_, path, bytes) in &places {
            assert_eq!(&blob(&world, clone, path), bytes, "{path}");
            assert!(
                status.contains(path.as_str()),
                "{path} is not told: {status}"
            );
        }
        world.bd_in(clone, &["note", &id, "--finding", clone]).ok();
    }
    settle(&world);
    for (_, path, bytes) in &places {
        assert_eq!(&blob(&world, "a", path), bytes, "{path}");
    }
}

/// A blob at a path we do not know is joined like any other: what its writer had seen is no conflict.
#[test]
fn a_blob_at_a_new_path_goes_forward_as_it_is() {
    let (world, _, _) = shared();
    let bytes = |at: &str| {
        format!("{{\"at\":{{\"*\":\"{at}\"}},\"min_reader\":1,\"text\":\"at {at}\",\"v\":1}}\n")
    };
    put(&world, "b", "future/x.json", bytes(LATER));
    settle(&world);
    put(&world, "b", "future/x.json", bytes(LATEST));
    let head = tip(&world, "b");
    sync(&world, &["b", "a"]);
    assert_eq!(blob(&world, "a", "future/x.json"), bytes(LATEST));
    assert_eq!(tip(&world, "a"), head, "a fast-forward");
}

#[test]
fn what_nobody_can_read_is_one_of_the_two_and_stays() {
    let (world, _, path) = shared();
    for place in [path.as_str(), "future/x.bin"] {
        put(&world, "b", place, "from b: not JSON");
        settle(&world);
        assert_eq!(
            blob(&world, "a", place),
            "from b: not JSON",
            "the descendant's"
        );
        create(&world, "a", &["apart"]);
        put(&world, "b", place, "newer from b, base known");
        settle(&world);
        assert_eq!(
            blob(&world, "a", place),
            "newer from b, base known",
            "the one that differs from the base"
        );
        put(&world, "a", place, "one");
        put(&world, "b", place, "two");
        settle(&world);
        let larger = ["one", "two"]
            .into_iter()
            .max_by_key(|text| hand::object(&world, "a", text))
            .unwrap();
        assert_eq!(blob(&world, "a", place), larger, "the larger id");
        let status = world.bd_in("a", &["status", "--json"]).json()["unreadable"].to_string();
        assert!(status.contains(place), "{status}");
    }
}

#[test]
fn another_spelling_stays_as_it_is() {
    let (world, id, path) = shared();
    let canonical = blob(&world, "b", &path);
    let pretty = format!("{:#}", serde_json::from_str::<Value>(&canonical).unwrap());
    put(&world, "b", &path, &pretty);
    create(&world, "a", &["apart"]);
    settle(&world);
    let larger = [&canonical, &pretty]
        .into_iter()
        .max_by_key(|text| hand::object(&world, "a", text))
        .unwrap();
    assert!(
        [&canonical, &pretty].contains(&&blob(&world, "a", &path)),
        "{larger}"
    );
    put(&world, "a", &path, &canonical);
    put(&world, "b", &path, &pretty);
    settle(&world);
    assert_eq!(&blob(&world, "a", &path), larger);
    world.bd_in("b", &["update", &id, "-d", "text"]).ok();
    settle(&world);
    assert_eq!(
        world.bd_in("a", &["show", &id, "--json"]).json()["issue"]["description"],
        "text"
    );
}

/// What is one file there and a folder here has no tree that holds both: refused or carried, never dropped.
#[test]
fn a_file_where_the_other_has_a_folder_takes_nothing_away() {
    let (world, id, path) = shared();
    put(&world, "a", "future/x.json", "in a folder");
    put(&world, "b", "future", "a file");
    sync(&world, &["a"]);
    let before = tip(&world, "b");
    let output = world.bd_in("b", &["sync"]);
    if output.code == 5 {
        assert_eq!(tip(&world, "b"), before);
        assert!(output.stderr.contains("future"), "{output:?}");
    } else {
        panic!(
            "one of the two paths was dropped: {output:?} {}",
            git(&world, "b", &["ls-tree", "-r", "--name-only", hand::REF])
        );
    }
    world.bd_in("b", &["show", &id]).ok();
    assert!(!blob(&world, "b", &path).is_empty());
}

#[test]
fn equal_heads_make_equal_merges_whoever_merges() {
    let (mut world, id, _) = shared();
    for (other, remote) in [("a", "b"), ("b", "a")] {
        git(
            &world,
            other,
            &["remote", "add", "peer", &format!("../{remote}")],
        );
        world
            .bd_in(
                other,
                &[
                    "update",
                    &id,
                    "-d",
                    &format!("text of {other}"),
                    "--title",
                    other,
                ],
            )
            .ok();
        create(&world, other, &["own"]);
    }
    let (a, b) = (tip(&world, "a"), tip(&world, "b"));
    world.bd_in("a", &["pull", "--remote", "peer"]).ok();
    let merged = tip(&world, "a");
    git(&world, "a", &["update-ref", hand::REF, &a]);
    git(&world, "b", &["config", "user.name", "Someone Else"]);
    world
        .set("TZ", "Asia/Tokyo")
        .set("GIT_BEADS_NOW", "1895173600000")
        .set("GIT_AUTHOR_DATE", "2001-01-01T00:00:00Z");
    world.bd_in("b", &["pull", "--remote", "peer"]).ok();
    assert_eq!(tip(&world, "b"), merged);
    let mut parents = [a, b];
    parents.sort();
    assert_eq!(
        git(&world, "b", &["log", "-1", "--format=%P", &merged]),
        parents.join(" ")
    );
}
