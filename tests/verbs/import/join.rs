//! An import meets what is here already.

use serde_json::{Value, json};

use super::{
    blob, export, exported, ids, import, line, lost, object, path, records, show, tip, with,
};
use crate::support::World;

const OLD: &str = "2026-01-02T00:00:00Z";

const NEW: &str = "2026-02-02T00:00:00Z";

/// After every clock of these tests.
const FUTURE: &str = "2027-02-02T00:00:00Z";

#[test]
fn a_local_edit_survives_the_same_file() {
    let text = line(
        "bd-1",
        OLD,
        r#","description":"theirs","labels":["a"],"x":1"#,
    );
    let world = with(&text);
    world
        .bd(&[
            "update",
            "bd-1",
            "--title",
            "Mine",
            "-d",
            "",
            "--rm-label",
            "a",
        ])
        .ok();
    let before = tip(&world);
    assert_eq!(import(&world, &text)["not_newer"], json!(["bd-1"]));
    assert_eq!(tip(&world), before);
    let record = exported(&world, "bd-1");
    assert_eq!(
        (&record["title"], &record["x"]),
        (&json!("Mine"), &json!(1))
    );
    assert!(
        record.get("description").is_none_or(|text| text == ""),
        "{record}"
    );
    assert!(
        record
            .get("labels")
            .is_none_or(|labels| *labels == json!([])),
        "{record}"
    );
    assert_eq!(lost(&world, "bd-1"), [""; 0]);
}

#[test]
fn a_newer_record_beats_a_local_value_and_keeps_it_as_lost() {
    let world = with(line("bd-1", OLD, r#","design":"first","priority":3"#));
    world
        .bd_as(
            "bob",
            &[
                "update",
                "bd-1",
                "--design",
                "bob's",
                "--notes",
                "only here",
            ],
        )
        .ok();
    let mine = blob(&world, "bd-1");
    let report = import(
        &world,
        line("bd-1", FUTURE, r#","design":"theirs","priority":1"#),
    );
    assert_eq!(report["updated"], 1);
    let shown = show(&world, "bd-1");
    assert_eq!(
        (&shown["issue"]["design"], &shown["issue"]["priority"]),
        (&json!("theirs"), &json!(1))
    );
    let now = blob(&world, "bd-1");
    let at = mine["at"]["design"].as_str().unwrap();
    assert_eq!(
        now["lost"][format!("design@{at}")],
        json!({"by": "bob", "v": "bob's"})
    );
    // What the record says nothing of is cleared by it, and kept as lost likewise; a value that came
    // with the import before it is simply replaced.
    assert_eq!(
        now["lost"][format!("notes@{at}")],
        json!({"by": "bob", "v": "only here"})
    );
    assert_eq!(now["lost"].as_object().unwrap().len(), 2);
    let conflicts = shown["issue"]["conflicts"].as_array().unwrap();
    assert_eq!(conflicts.len(), 2);
    assert_eq!(
        (
            &conflicts[0]["field"],
            &conflicts[0]["value"],
            &conflicts[0]["by"]
        ),
        (&json!("design"), &json!("bob's"), &json!("bob"))
    );
    // Once more: the same state.
    let before = tip(&world);
    import(
        &world,
        line("bd-1", FUTURE, r#","design":"theirs","priority":1"#),
    );
    assert_eq!(tip(&world), before);
}

#[test]
fn a_long_lost_value_is_named_by_its_blob() {
    let world = with(line("bd-1", OLD, ""));
    let long = "mine ".repeat(300);
    world.bd(&["update", "bd-1", "--design", &long]).ok();
    let held = object(&world, &format!("refs/beads/main:{}", path(&world, "bd-1")));
    import(&world, line("bd-1", FUTURE, r#","design":"theirs""#));
    let now = blob(&world, "bd-1");
    let record = now["lost"].as_object().unwrap().values().next().unwrap();
    assert_eq!(record["ref"], held);
    assert!(
        world
            .git(&["cat-file", "blob", &held])
            .ok()
            .contains(long.trim_end())
    );
    world.git(&["gc", "--quiet", "--prune=now"]).ok();
    world.git(&["cat-file", "-e", &held]).ok();
}

#[test]
fn an_equal_value_is_never_lost() {
    let world = with(line("bd-1", OLD, r#","design":"first""#));
    world
        .bd(&["update", "bd-1", "--design", "same", "--title", "bd-1 too"])
        .ok();
    import(&world, line("bd-1", FUTURE, r#","design":"same""#));
    let keys = lost(&world, "bd-1");
    assert!(keys.len() == 1 && keys[0].starts_with("title@"), "{keys:?}");
}

#[test]
fn an_older_file_overwrites_nothing() {
    let world = with(line(
        "bd-1",
        NEW,
        r#","description":"new","labels":["b"],"x":2"#,
    ));
    let before = tip(&world);
    let old = line(
        "bd-1",
        OLD,
        r#","description":"old","status":"closed","close_reason":"r","x":1"#,
    );
    assert_eq!(import(&world, old)["not_newer"], json!(["bd-1"]));
    assert_eq!(tip(&world), before);
    let record = exported(&world, "bd-1");
    assert_eq!(
        (&record["description"], &record["x"], &record["status"]),
        (&json!("new"), &json!(2), &Value::Null)
    );
    assert_eq!(lost(&world, "bd-1"), [""; 0]);
}

/// The order of two files does not show in the registers.
#[test]
fn older_and_newer_commute() {
    let old = line(
        "bd-1",
        OLD,
        r#","description":"old","assignee":"ann","x":1"#,
    );
    let new = line("bd-1", NEW, r#","description":"new","y":2"#);
    let (one, two) = (with(&old), with(&new));
    import(&one, &new);
    import(&two, &old);
    assert_eq!(records(&export(&one)), records(&new));
    assert_eq!(export(&one), export(&two));
    assert_eq!(blob(&one, "bd-1"), blob(&two, "bd-1"));
}

fn on(ids: &[&str]) -> String {
    let edges: Vec<String> = ids
        .iter()
        .map(|id| format!(r#"{{"depends_on_id":"{id}","type":"blocks"}}"#))
        .collect();
    format!(r#","dependencies":[{}]"#, edges.join(","))
}

#[test]
fn what_the_newer_record_dropped_goes_and_what_is_ours_stays() {
    let rest = line("bd-2", OLD, "") + &line("bd-3", OLD, "") + &line("bd-4", OLD, "");
    let world = with(
        line(
            "bd-1",
            OLD,
            &(r#","labels":["keep","drop"]"#.to_owned() + &on(&["bd-2", "bd-3", "gone-1"])),
        ) + &rest,
    );
    world.bd(&["label", "bd-1", "mine"]).ok();
    world.bd(&["dep", "add", "bd-1", "--on", "bd-4"]).ok();
    import(
        &world,
        line(
            "bd-1",
            NEW,
            &(r#","labels":["keep","new"]"#.to_owned() + &on(&["bd-2"])),
        ),
    );
    let shown = show(&world, "bd-1");
    assert_eq!(shown["issue"]["labels"], json!(["keep", "mine", "new"]));
    let edges: Vec<&str> = shown["issue"]["dependencies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| edge["id"].as_str().unwrap())
        .collect();
    assert_eq!(edges, ["bd-2", "bd-4"]);
    let stored = blob(&world, "bd-1");
    assert!(
        stored["set:labels"]["drop"]
            .as_str()
            .unwrap()
            .starts_with('-'),
        "{stored}"
    );
    assert_eq!(
        stored["set:labels"]["drop"].as_str().unwrap()[1..],
        *stored["at"]["import"]
            .as_str()
            .unwrap_or(stored["at"]["*"].as_str().unwrap())
    );
    assert_eq!(lost(&world, "bd-1"), [""; 0]);
    let record = exported(&world, "bd-1");
    assert_eq!(record["labels"], json!(["keep", "mine", "new"]));
    assert_eq!(record["dependencies"].as_array().unwrap().len(), 2);
}

#[test]
fn a_parent_the_newer_record_dropped_goes() {
    let parent =
        |id: &str| format!(r#","dependencies":[{{"depends_on_id":"{id}","type":"parent-child"}}]"#);
    let world =
        with(line("bd-1", OLD, "") + &line("bd-3", OLD, "") + &line("bd-2", OLD, &parent("bd-1")));
    import(&world, line("bd-2", NEW, ""));
    assert_eq!(show(&world, "bd-2")["issue"]["parent"], Value::Null);
    import(&world, line("bd-2", FUTURE, &parent("bd-3")));
    assert_eq!(show(&world, "bd-2")["issue"]["parent"], "bd-3");
}

#[test]
fn an_equal_comment_is_not_doubled() {
    let world = with(line("bd-1", OLD, ""));
    world
        .bd_as(
            "bob",
            &["note", "bd-1", "--finding", "slow", "--comment", "hello"],
        )
        .ok();
    let memory = show(&world, "bd-1")["memory"].clone();
    let at = memory["findings"][0]["at"].as_str().unwrap();
    let comments = format!(
        r#","comments":[{{"id":1,"author":"bob","text":"FINDING: slow","created_at":"{at}"}},{{"id":2,"author":"bob","text":"hello","created_at":"{at}"}},{{"id":3,"author":"ann","text":"hello","created_at":"{at}"}}]"#
    );
    let report = import(&world, line("bd-1", NEW, &comments));
    assert_eq!(report["memory"], 1, "only what another author says is new");
    let after = show(&world, "bd-1")["memory"].clone();
    assert_eq!(after["findings"].as_array().unwrap().len(), 1);
    assert_eq!(after["comments"].as_array().unwrap().len(), 2);
}

#[test]
fn a_redacted_comment_stays_hidden() {
    let text = line(
        "bd-1",
        OLD,
        r#","comments":[{"id":1,"author":"bob","text":"secret","created_at":"2026-01-01T00:00:00Z"}]"#,
    );
    let world = with(&text);
    let entry = show(&world, "bd-1")["memory"]["comments"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    world.bd(&["redact", "bd-1", &entry]).ok();
    import(&world, &text);
    assert_eq!(show(&world, "bd-1")["memory"], Value::Null);
    assert!(!export(&world).contains("secret"));
}

#[test]
fn a_renamed_issue_is_the_same_issue() {
    let text = line("bd-1", OLD, "") + &line("bd-2", OLD, &on(&["bd-1"]));
    let world = with(&text);
    world.bd(&["rename", "bd-1", "bd-new"]).ok();
    let before = tip(&world);
    assert_eq!(import(&world, &text)["unchanged"], 2);
    assert_eq!(tip(&world), before);
    assert_eq!(ids(&world, &["list", "-q"]), ["bd-2", "bd-new"]);
    assert_eq!(
        exported(&world, "bd-2")["dependencies"][0]["depends_on_id"],
        "bd-new"
    );
    // A newer record has newer fields; the new name stays, for it was given later.
    import(&world, line("bd-1", NEW, r#","design":"d""#));
    assert_eq!(ids(&world, &["list", "-q"]), ["bd-2", "bd-new"]);
    assert_eq!(show(&world, "bd-new")["issue"]["design"], "d");
}

/// Both names in one file are still one issue: the records are joined, none is dropped.
#[test]
fn both_names_of_a_renamed_issue_in_one_file_are_joined() {
    let world = with(line("bd-1", OLD, ""));
    world.bd(&["rename", "bd-1", "bd-new"]).ok();
    let one = line("bd-1", NEW, r#","design":"newest","labels":["a"]"#);
    let two = line(
        "bd-new",
        "2026-01-15T00:00:00Z",
        r#","design":"older","labels":["b"]"#,
    );
    import(&world, one.clone() + &two);
    assert_eq!(show(&world, "bd-new")["issue"]["design"], "newest");
}

#[test]
fn an_issue_made_here_with_the_id_of_a_record_is_the_same_issue() {
    let world = World::with_store();
    let id = world.create(&["Made here", "-d", "ours"]);
    let uid = show(&world, &id)["issue"]["uid"].clone();
    let report = import(&world, line(&id, FUTURE, ""));
    assert_eq!(
        (&report["created"], &report["updated"]),
        (&json!(0), &json!(1))
    );
    let shown = show(&world, &id);
    assert_eq!(
        (&shown["issue"]["uid"], &shown["issue"]["title"]),
        (&uid, &json!(id))
    );
    assert_eq!(
        shown["issue"]["conflicts"].as_array().unwrap().len(),
        3,
        "title, description and priority: {shown}"
    );
    assert_eq!(ids(&world, &["list", "-q"]), [id]);
}

#[test]
fn a_deleted_issue_is_not_brought_back_by_an_older_file() {
    let text = line("bd-1", OLD, "");
    let world = with(&text);
    world.bd(&["delete", "bd-1", "-r", "dup"]).ok();
    import(&world, &text);
    assert!(ids(&world, &["list", "--all", "-q"]).is_empty());
    let record = exported(&world, "bd-1");
    assert_eq!(
        (&record["status"], &record["delete_reason"]),
        (&json!("tombstone"), &json!("dup"))
    );
}

#[test]
fn local_writes_after_an_import_from_the_future_still_win() {
    let world = with(line("bd-1", "2030-01-01T00:00:00Z", ""));
    world.bd(&["update", "bd-1", "--title", "now"]).ok();
    assert_eq!(show(&world, "bd-1")["issue"]["title"], "now");
    let stored = blob(&world, "bd-1");
    assert_eq!(
        stored["when"]["title"].as_str().unwrap()[..10],
        *"2026-11-20",
        "{stored}"
    );
    assert_eq!(stored["when"].get("*"), None);
}
