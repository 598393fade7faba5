//! Blobs of later versions and of other programs: kept, carried, and refused where they ask for it.

use serde_json::{Value, json};

use crate::support::World;
use crate::support::plumbing::{blob, lines, path, path_of, put, sound, tip, uid};

/// Changes the blob of an issue as another program would, and returns its bytes.
fn rewrite(world: &World, id: &str, change: impl FnOnce(&mut Value)) -> String {
    let place = path(world, id);
    let mut value: Value = serde_json::from_str(&blob(world, &place)).unwrap();
    change(&mut value);
    let bytes = format!("{value}\n");
    put(world, &place, &bytes);
    bytes
}

#[test]
fn an_issue_that_needs_a_newer_reader_is_shown_and_refused() {
    let world = World::with_store();
    let (good, newer) = (world.create(&["Good"]), world.create(&["From the future"]));
    let place = path(&world, &newer);
    let bytes = rewrite(&world, &newer, |value| {
        value["min_reader"] = json!(7);
        value["v"] = json!(8);
        value["status"] = json!(["a", "shape", "of", "later"]);
    });
    let list = world.bd(&["list"]).ok();
    assert!(
        list.lines()
            .any(|line| line.starts_with(&newer) && line.contains("unreadable")),
        "{list}"
    );
    assert!(world.bd(&["status"]).ok().contains("reads format 7"));
    assert!(world.bd(&["show", &newer]).fails(6).contains("format 7"));
    let before = tip(&world);
    for args in [
        &["update", &newer, "--title", "x"][..],
        &["start", &newer],
        &["done", &newer],
        &["reopen", &newer],
        &["delete", &newer],
        &["note", &newer, "--finding", "x"],
        &["dep", "add", &newer, "--on", &good],
        &["rename", &newer, "bd-mine"],
        &["done", &good, &newer],
    ] {
        let output = world.bd(args);
        assert_eq!(output.code, 6, "{args:?} {output:?}");
        assert!(
            output.stderr.contains("format 7") && output.stderr.contains("hint: update git-beads"),
            "{output:?}"
        );
        assert_eq!(tip(&world), before, "{args:?}");
    }
    assert_eq!(world.bd(&["ready", "-q"]).ok().trim(), good);
    world.bd(&["done", &good]).ok();
    assert_eq!(blob(&world, &place), bytes);
}

/// An imported issue with two comments, and the place of one that a later version has written.
fn entry_of_later(world: &World) -> (String, String) {
    world.file(
        "repo/all.jsonl",
        r#"{"id":"bd-one","title":"One","comments":[{"id":1,"author":"a","text":"first"},{"id":2,"author":"a","text":"second"}]}"#,
    );
    world.bd(&["import", "all.jsonl"]).ok();
    let id = "bd-one".to_owned();
    let all = world
        .git(&["ls-tree", "-r", "--name-only", "refs/beads/main"])
        .ok();
    let issue = path(world, &id);
    let folder = issue.trim_end_matches("issue.json");
    let place = all
        .lines()
        .find(|path| path.starts_with(folder) && !path.ends_with("/issue.json"))
        .unwrap()
        .to_owned();
    let mut value: Value = serde_json::from_str(&blob(world, &place)).unwrap();
    value["min_reader"] = json!(9);
    value["of_later"] = json!("kept");
    put(world, &place, &format!("{value}\n"));
    (id, place)
}

#[test]
fn an_import_writes_over_nothing_that_can_not_be_read() {
    let world = World::with_store();
    let (_, place) = entry_of_later(&world);
    let entry = blob(&world, &place);
    world.bd(&["import", "all.jsonl"]).ok();
    assert_eq!(blob(&world, &place), entry);
}

#[test]
fn a_purge_leaves_no_entry_behind_that_can_not_be_read() {
    let world = World::with_store();
    let (id, _) = entry_of_later(&world);
    let before = tip(&world);
    let error = world.bd(&["purge", &id, "--yes"]).fails(6);
    assert!(error.contains("1 of the entries of"), "{error}");
    assert!(error.contains("nothing was purged"), "{error}");
    assert_eq!(tip(&world), before);
}

#[test]
fn its_id_stays_taken() {
    let world = World::with_store();
    let (a, newer) = (world.create(&["a"]), world.create(&["b"]));
    rewrite(&world, &newer, |value| value["min_reader"] = json!(2));
    let _ = world.bd(&["rename", &a, &newer]).fails(3);
    let again = world.bd(&["show", &newer]).fails(6);
    assert!(again.contains("format 2"), "{again}");
}

#[test]
fn it_still_blocks_what_waits_for_it() {
    let world = World::with_store();
    let (a, newer) = (world.create(&["a"]), world.create(&["b"]));
    world.bd(&["dep", "add", &a, "--on", &newer]).ok();
    rewrite(&world, &newer, |value| value["min_reader"] = json!(2));
    assert_eq!(
        world.bd(&["ready", "-q"]).ok().trim(),
        "",
        "nobody knows that it is done"
    );
    assert_eq!(world.bd(&["blocked", "-q"]).ok().trim(), a);
}

#[test]
fn an_import_joins_even_what_it_may_not_edit() {
    let world = World::with_store();
    let file = world.file("in.jsonl", lines(1));
    world.bd(&["import", &file]).ok();
    rewrite(&world, "imp-0000", |value| value["min_reader"] = json!(2));
    let newer = world.file(
        "in.jsonl",
        lines(1)
            .replace("Imported", "Newer")
            .replace("2025-01-02", "2026-01-02"),
    );
    let output = world.bd(&["import", &newer]);
    assert!(
        output.code == 0 || output.all().contains("imp-0000"),
        "joined or named, never dropped: {output:?}"
    );
}

/// The blob of an issue with all that we have never heard of.
fn odd(value: &mut Value) {
    let stamp = "01J2000000000000000000000A";
    value["v"] = json!(3);
    value["x_colour"] =
        json!({"z": 1, "a": [true, null, "ü\u{1f600}"], "big": 9_007_199_254_740_993_i64});
    value["at"]["x_colour"] = json!(stamp);
    value["by"]["x_colour"] = json!("a later version");
    value["when"] = json!({"x_colour": "2024-07-01T00:00:00.000Z"});
    value["x_null"] = Value::Null;
    value["import"] = json!({"cost": {"$number": "1.50"}, "$$odd": "key", "custom": []});
    value["set:watchers"] = json!({
        "ann": format!("+{stamp}"),
        "bob": {"at": format!("-{stamp}"), "since": "then", "deep": {"b": 1, "a": 2}},
        "": format!("+{stamp}"),
    });
    value["set:deps"] = json!({
        "blocks:=external:proj:cap": {"at": format!("+{stamp}"), "created_by": "ann", "metadata": "{}"},
        "odd-type:=nowhere-1": format!("+{stamp}"),
        "no colon": format!("+{stamp}"),
    });
    value["set:empty"] = json!({});
    value["lost"] = json!({
        "description@01J1000000000000000000000B": {"by": "eve", "v": "the concurrent text"},
        "x_colour@01J1000000000000000000000C": {"by": "eve", "v": "red", "more": 1},
        "design@01J1000000000000000000000D": "-01J2000000000000000000000A",
        "notes@01J1000000000000000000000E": {"by": "eve", "ref": "0123456789012345678901234567890123456789"},
    });
    value["status"] = json!({"s": "needs-review", "auto": false, "more": "yes"});
    value["priority"] = json!(9);
    value["type"] = json!("odd type");
}

#[test]
fn an_update_keeps_all_it_does_not_know_byte_for_byte() {
    let world = World::with_store();
    let id = world.create(&["Odd", "-d", "text"]);
    let place = path(&world, &id);
    let before = rewrite(&world, &id, odd);
    world.bd(&["update", &id, "--title", "Renamed"]).ok();
    let after: Value = serde_json::from_str(&blob(&world, &place)).unwrap();
    let mut expected: Value = serde_json::from_str(&before).unwrap();
    expected["title"] = json!("Renamed");
    expected["at"]["title"] = after["at"]["title"].clone();
    assert_eq!(blob(&world, &place), format!("{expected}\n"));
    assert!(after["at"]["title"].as_str() > after["at"]["x_colour"].as_str());
    sound(&world);
}

#[test]
fn every_verb_keeps_it() {
    let world = World::with_store();
    let id = world.create(&["Odd"]);
    let place = path(&world, &id);
    rewrite(&world, &id, odd);
    for args in [
        &["start", &id, "--force"][..],
        &["label", &id, "new"],
        &["note", &id, "--finding", "f", "-s", "open"],
        &["dep", "add", &id, "--on", "external:other:cap"],
        &["defer", &id],
        &["done", &id, "-r", "r"],
        &["reopen", &id],
        &["delete", &id],
        &["restore", &id],
        &["rename", &id, "bd-odd"],
    ] {
        let id = if args[0] == "rename" { "bd-odd" } else { &id };
        world.bd(args).ok();
        let after: Value = serde_json::from_str(&blob(&world, &place)).unwrap();
        let mut known = json!({"at": {}, "by": {}});
        odd(&mut known);
        for key in [
            "x_colour",
            "x_null",
            "import",
            "set:watchers",
            "set:empty",
            "v",
            "when",
            "priority",
            "type",
        ] {
            assert_eq!(after[key], known[key], "{key} of {id} after {args:?}");
        }
        assert_eq!(
            after["set:deps"]["no colon"], known["set:deps"]["no colon"],
            "{args:?}"
        );
        assert_eq!(
            after["set:deps"]["odd-type:=nowhere-1"], known["set:deps"]["odd-type:=nowhere-1"],
            "{args:?}"
        );
        assert_eq!(
            after["lost"]["x_colour@01J1000000000000000000000C"]["more"], 1,
            "{args:?}"
        );
        assert_eq!(after["at"]["x_colour"], known["at"]["x_colour"], "{args:?}");
        assert_eq!(after["by"]["x_colour"], known["by"]["x_colour"], "{args:?}");
    }
}

#[test]
fn a_write_settles_what_was_lost_of_its_register_but_not_long_texts() {
    let world = World::with_store();
    let id = world.create(&["Lost", "-p", "P1"]);
    let place = path(&world, &id);
    rewrite(&world, &id, |value| {
        value["lost"] = json!({
            "title@01J1000000000000000000000B": {"by": "eve", "v": "Another title"},
            "description@01J1000000000000000000000B": {"by": "eve", "v": "Another text"},
            "priority@01J1000000000000000000000B": {"by": "eve", "v": 4},
        });
    });
    world
        .bd(&["update", &id, "--title", "Mine", "-d", "My text"])
        .ok();
    let after: Value = serde_json::from_str(&blob(&world, &place)).unwrap();
    let stamp = after["at"]["title"].as_str().unwrap();
    assert_eq!(
        after["lost"]["title@01J1000000000000000000000B"],
        format!("-{stamp}")
    );
    assert_eq!(
        after["lost"]["description@01J1000000000000000000000B"]["v"],
        "Another text"
    );
    assert_eq!(after["lost"]["priority@01J1000000000000000000000B"]["v"], 4);
}

#[test]
fn a_blob_that_is_not_canonical_is_read() {
    let world = World::with_store();
    let id = world.create(&["Pretty", "-d", "text"]);
    let place = path(&world, &id);
    let value: Value = serde_json::from_str(&blob(&world, &place)).unwrap();
    put(
        &world,
        &place,
        &serde_json::to_string_pretty(&value).unwrap(),
    );
    assert_eq!(world.bd(&["list", "-q"]).ok().trim(), id);
    let before = tip(&world);
    world.bd(&["update", &id, "--title", "Pretty"]).ok();
    assert_eq!(
        tip(&world),
        before,
        "nothing is rewritten where no value changes"
    );
    world.bd(&["update", &id, "--title", "Plain"]).ok();
    assert_eq!(blob(&world, &place).lines().count(), 1);
}

#[test]
fn the_next_stamp_exceeds_every_stamp_in_the_issue() {
    let world = World::with_store();
    let id = world.create(&["Ahead"]);
    let ahead = "01N0000000000000000000000A";
    rewrite(&world, &id, |value| {
        value["at"]["title"] = json!(ahead);
        value["set:labels"] = json!({"x": format!("+{ahead}")});
    });
    let entry = path_of(&uid(&world, &id), "01P0000000000000000000000A");
    let memory = json!({"at": {"*": "01P0000000000000000000000A"}, "by": {"*": "eve"}, "kind": "finding", "min_reader": 1,
        "text": "later", "uid": "01P0000000000000000000000A", "v": 1});
    put(&world, &entry, &format!("{memory}\n"));
    world
        .bd(&["update", &id, "--title", "Mine", "--rm-label", "x"])
        .ok();
    let after: Value = serde_json::from_str(&blob(&world, &path(&world, &id))).unwrap();
    assert!(
        after["at"]["title"].as_str().unwrap() > "01P0000000000000000000000A",
        "{after}"
    );
    assert_eq!(after["title"], "Mine");
    assert!(world.bd(&["show", &id, "--json"]).json()["issue"]["labels"].is_null());
    assert!(
        after["when"]["title"]
            .as_str()
            .unwrap()
            .starts_with("2026-11-20"),
        "the clock of the writer is kept"
    );
}

#[test]
fn a_purge_marker_is_a_tombstone_without_text() {
    let world = World::with_store();
    let id = world.create(&["Secret", "-d", "hunter2"]);
    world.bd(&["note", &id, "--finding", "hunter3"]).ok();
    let (place, name) = (path(&world, &id), uid(&world, &id));
    let marker = json!({"id": id, "min_reader": 1, "purged": "01M9000000000000000000000A", "uid": name, "v": 1});
    put(&world, &place, &format!("{marker}\n"));
    assert_eq!(world.bd(&["list", "--all", "-q"]).ok().trim(), "");
    let all = world.bd(&["list", "--all", "--deleted", "--json"]).json();
    assert_eq!(all["issues"][0]["status"], "tombstone");
    let shown = world.bd(&["show", &id]).all();
    assert!(!shown.contains("hunter"), "{shown}");
    for text in ["hunter2", "hunter3", "Secret"] {
        assert_eq!(world.bd(&["search", text, "-q"]).ok().trim(), "", "{text}");
    }
    assert!(!world.bd(&["export"]).ok().contains("hunter"));
    let before = tip(&world);
    for args in [
        &["update", &id, "--title", "x"][..],
        &["restore", &id],
        &["note", &id, "x"],
        &["reopen", &id],
    ] {
        assert_ne!(world.bd(args).code, 0, "{args:?}");
        assert_eq!(tip(&world), before, "{args:?}");
    }
}
