//! Issues of another tracker that are followed: undone, in two clones, and a real file.

use serde_json::{Value, json};

use super::github::{PLACE, field, gh, one};
use super::{blob, import, lost, show};
use crate::support::clones::{self, sync, two_clones};
use crate::support::{World, data};

#[test]
fn an_undo_takes_an_import_back_and_the_next_brings_it_again() {
    let world = World::with_store();
    import(&world, one(json!({})));
    import(
        &world,
        one(json!({"title": "Theirs", "updatedAt": "2026-01-05T00:00:00Z"})),
    );
    world.bd(&["undo"]).ok();
    assert_eq!(field(&world, "gh-12", "title"), "Issue 12");
    // What was undone here has changed here.
    import(
        &world,
        one(json!({"title": "Theirs 2", "updatedAt": "2026-01-06T00:00:00Z"})),
    );
    assert_eq!(field(&world, "gh-12", "title"), "Theirs 2");
}

/// Imports a file in a clone.
fn import_in(world: &World, clone: &str, text: &str) {
    let file = world.file("clone.json", text);
    world.bd_in(clone, &["import", &file]).ok();
}

#[test]
fn two_clones_that_import_the_same_come_to_rest() {
    let world = two_clones();
    let first = one(json!({"labels": [{"name": "a"}]}));
    let second = one(
        json!({"title": "Later", "body": "x".repeat(3_000), "labels": [{"name": "b"}], "updatedAt": "2026-01-05T00:00:00Z"}),
    );
    for (a, b) in [(&first, &first), (&first, &second), (&second, &second)] {
        import_in(&world, "a", a);
        import_in(&world, "b", b);
        sync(&world, &["a", "b", "a"]);
    }
    let tips = || ["a", "b"].map(|clone| clones::tip(&world, clone));
    let before = tips();
    assert_eq!(before[0], before[1]);
    for clone in ["a", "b"] {
        import_in(&world, clone, &second);
        sync(&world, &[clone]);
        let found = world.bd_in(clone, &["conflicts", "--json"]).json();
        assert_eq!(found["conflicts"], json!([]));
        let list = world.bd_in(clone, &["list"]).ok();
        assert_eq!(list.trim(), "gh-12 P2 open task Later #b");
    }
    assert_eq!(tips(), before);
}

#[test]
fn files_of_different_days_in_two_clones_are_no_conflict() {
    let world = two_clones();
    import_in(&world, "a", &one(json!({})));
    sync(&world, &["a", "b"]);
    import_in(
        &world,
        "a",
        &one(json!({"title": "Day 2", "updatedAt": "2026-01-05T00:00:00Z"})),
    );
    import_in(
        &world,
        "b",
        &one(json!({"title": "Day 3", "updatedAt": "2026-01-06T00:00:00Z"})),
    );
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        let list = world.bd_in(clone, &["list"]).ok();
        assert!(list.contains("Day 3"), "{list}");
        let found = world.bd_in(clone, &["conflicts", "--json"]).json();
        assert_eq!(found["conflicts"], json!([]));
    }
    // An edit by a person beside a later file is one.
    world
        .bd_in("a", &["update", "gh-12", "--title", "By hand"])
        .ok();
    import_in(
        &world,
        "b",
        &one(json!({"title": "Day 4", "updatedAt": "2026-01-07T00:00:00Z"})),
    );
    sync(&world, &["a", "b", "a"]);
    let found = world.bd_in("a", &["conflicts", "--json"]).json();
    assert_eq!(
        found["conflicts"].as_array().map(Vec::len),
        Some(1),
        "{found}"
    );
}

#[test]
fn what_a_source_said_is_kept_beside_the_issue() {
    let world = World::with_store();
    import(&world, one(json!({"labels": [{"name": "a"}]})));
    let blob = blob(&world, "gh-12");
    let said = &blob["set:source"]["github.com/acme/shop#12"];
    assert_eq!(said["title"], "Issue 12", "{blob}");
    assert_eq!(said["labels"], json!(["a"]));
    assert_eq!(said["description"].as_str().map(str::len), Some(20));
    assert_eq!(lost(&world, "gh-12"), [""; 0]);
}

/// A real file of 749 issues, as GitHub would have them.
#[test]
fn a_real_file_comes_in_again_without_a_commit_and_is_merged_by_field() {
    let Some(folder) = data() else { return };
    let text = std::fs::read_to_string(folder.join("gqlc-1.x.jsonl")).unwrap();
    let records = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut issues = Vec::new();
    for (n, record) in (1_u64..).zip(records.filter(|it| it["_type"] != "memory")) {
        let title: String = record["title"]
            .as_str()
            .unwrap()
            .chars()
            .take(250)
            .collect();
        let comments = record["comments"].as_array().cloned().unwrap_or_default();
        let comments: Vec<Value> = comments
            .iter()
            .map(|it| json!({"author": {"login": it["author"]}, "body": it["text"], "createdAt": it["created_at"]}))
            .collect();
        let labels = record["labels"].as_array().cloned().unwrap_or_default();
        let labels: Vec<Value> = labels.iter().map(|it| json!({"name": it})).collect();
        issues.push(gh(n, json!({
            "title": title, "body": record["description"], "labels": labels, "comments": comments,
            "state": if record["status"] == "closed" { "CLOSED" } else { "OPEN" },
            "createdAt": record["created_at"], "updatedAt": record["updated_at"], "closedAt": record["closed_at"],
        })));
    }
    let world = two_clones();
    let file = Value::from(issues.clone()).to_string();
    import_in(&world, "a", &file);
    sync(&world, &["a", "b"]);
    let before = clones::tip(&world, "b");
    import_in(&world, "b", &file);
    assert_eq!(clones::tip(&world, "b"), before);
    world
        .bd_in("b", &["update", "gh-7", "--title", "Edited here"])
        .ok();
    for issue in &mut issues {
        issue["body"] = json!(format!(
            "{}\nedited there",
            issue["body"].as_str().unwrap_or_default()
        ));
        issue["updatedAt"] = json!("2026-12-01T00:00:00Z");
    }
    import_in(&world, "a", &Value::from(issues.clone()).to_string());
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        let issue = world.bd_in(clone, &["show", "gh-7", "--json"]).json()["issue"].clone();
        assert_eq!(issue["title"], "Edited here");
        assert!(
            issue["description"]
                .as_str()
                .unwrap()
                .ends_with("\nedited there")
        );
        let found = world.bd_in(clone, &["conflicts", "--json"]).json();
        assert_eq!(found["conflicts"], json!([]));
        let list = world.bd_in(clone, &["list", "--all", "-qn", "0"]).ok();
        assert_eq!(list.lines().count(), issues.len());
    }
}

#[test]
fn pages_that_overlap_have_one_word_on_an_issue() {
    let world = World::with_store();
    let page = |title: &str| json!([gh(12, json!({"title": title}))]).to_string();
    let report = import(&world, page("First") + "\n" + &page("Last"));
    assert_eq!(
        (&report["created"], &report["duplicates"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(field(&world, "gh-12", "title"), "Last");
}

#[test]
fn a_clone_with_a_cut_history_follows_as_every_other() {
    let world = two_clones();
    import_in(&world, "a", &one(json!({})));
    for n in 1..4 {
        world
            .bd_in("a", &["note", "gh-12", &format!("note {n}")])
            .ok();
    }
    sync(&world, &["a"]);
    let url = format!("file://{}", world.path("hub.git").display());
    world.git_in(".", &["clone", "--quiet", &url, "c"]).ok();
    world.bd_in("c", &["init", "--depth", "1"]).ok();
    let before = clones::tip(&world, "c");
    import_in(&world, "c", &one(json!({})));
    assert_eq!(clones::tip(&world, "c"), before);
    world.bd_in("a", &["update", "gh-12", "-p", "0"]).ok();
    import_in(
        &world,
        "c",
        &one(json!({"title": "Later", "updatedAt": "2026-01-05T00:00:00Z"})),
    );
    sync(&world, &["c", "a", "c"]);
    for clone in ["a", "c"] {
        let list = world.bd_in(clone, &["list"]).ok();
        assert_eq!(list.trim(), "gh-12 P0 open task Later");
        let found = world.bd_in(clone, &["conflicts", "--json"]).json();
        assert_eq!(found["conflicts"], json!([]));
    }
}

#[test]
fn five_thousand_issues_are_one_commit() {
    let world = World::with_store();
    let issues: Vec<Value> = (1..=5_000).map(|n| gh(n, json!({}))).collect();
    let before = world.git(&["rev-list", "--count", "refs/beads/main"]).ok();
    let report = import(&world, Value::from(issues).to_string());
    assert_eq!(report["created"], 5_000);
    let after = world.git(&["rev-list", "--count", "refs/beads/main"]).ok();
    let count = |text: &str| text.trim().parse::<u32>().unwrap();
    assert_eq!(count(&after), count(&before) + 1);
    assert_eq!(field(&world, "gh-4711", "title"), "Issue 4711");
}

#[test]
fn what_an_export_brings_to_another_store_is_followed_there() {
    let world = two_clones();
    import_in(&world, "a", &one(json!({})));
    let export = world.bd_in("a", &["export"]).ok();
    let other = World::with_store();
    import(&other, export);
    let report = import(
        &other,
        one(json!({"title": "Later", "updatedAt": "2026-01-05T00:00:00Z"})),
    );
    assert_eq!(report["created"], 0, "{report}");
    assert_eq!(field(&other, "gh-12", "title"), "Later");
}

#[test]
fn what_is_waited_for_is_linked_when_it_arrives() {
    let world = World::with_store();
    let link = |number: u64| json!({"number": number, "url": format!("{PLACE}/{number}")});
    let first = json!([gh(14, json!({"blockedBy": [link(12)], "parent": link(13)}))]);
    import(&world, first.to_string());
    assert_eq!(world.bd(&["ready", "-q"]).ok().trim(), "gh-14");
    import(
        &world,
        json!([gh(12, json!({})), gh(13, json!({}))]).to_string(),
    );
    assert_eq!(world.bd(&["blocked", "-q"]).ok().trim(), "gh-14");
    assert_eq!(field(&world, "gh-14", "parent"), "gh-13");
    let later = json!({"blockedBy": [], "parent": null, "updatedAt": "2026-01-05T00:00:00Z"});
    import(&world, json!([gh(14, later)]).to_string());
    assert_eq!(world.bd(&["blocked", "-q"]).ok().trim(), "");
    assert_eq!(field(&world, "gh-14", "parent"), Value::Null);
}

#[test]
fn clones_that_read_different_files_end_with_the_last_one() {
    let world = two_clones();
    let labels = |names: &[&str]| Value::from_iter(names.iter().map(|it| json!({"name": it})));
    let at = |day: u32| format!("2026-01-0{day}T00:00:00Z");
    let file = |more: Value| one(more);
    let first = file(json!({"labels": labels(&["bug"])}));
    for clone in ["a", "b"] {
        import_in(&world, clone, &first);
        sync(&world, &[clone]);
    }
    sync(&world, &["a"]);
    import_in(
        &world,
        "a",
        &file(
            json!({"state": "CLOSED", "stateReason": "COMPLETED", "title": "Two", "updatedAt": at(5), "labels": labels(&["bug", "triage"])}),
        ),
    );
    let last =
        file(json!({"body": "three", "updatedAt": at(6), "labels": labels(&["bug", "ready"])}));
    import_in(&world, "b", &last);
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b", "a"] {
        import_in(&world, clone, &last);
        sync(&world, &[clone]);
    }
    sync(&world, &["b"]);
    for clone in ["a", "b"] {
        let issue = world.bd_in(clone, &["show", "gh-12", "--json"]).json()["issue"].clone();
        assert_eq!(
            (&issue["status"], &issue["title"]),
            (&json!("open"), &json!("Issue 12")),
            "{clone}"
        );
        assert_eq!(issue["labels"], json!(["bug", "ready"]), "{clone}");
        let found = world.bd_in(clone, &["conflicts", "--json"]).json();
        assert_eq!(found["conflicts"], json!([]), "{clone}");
    }
    assert_eq!(clones::tip(&world, "a"), clones::tip(&world, "b"));
    let before = clones::tip(&world, "a");
    import_in(&world, "a", &last);
    assert_eq!(clones::tip(&world, "a"), before);
}

#[test]
fn what_was_said_of_an_end_here_is_kept() {
    let world = World::with_store();
    import(&world, one(json!({})));
    world
        .bd(&["done", "gh-12", "-r", "fixed in abc", "--pr", "7"])
        .ok();
    let closed =
        json!({"state": "CLOSED", "stateReason": "COMPLETED", "updatedAt": "2026-01-05T00:00:00Z"});
    let report = import(&world, one(closed));
    assert!(report.get("conflicts").is_none(), "{report}");
    let text = world.bd(&["show", "gh-12"]).ok();
    assert!(
        text.contains("fixed in abc") && text.contains("pr"),
        "{text}"
    );
}

#[test]
fn a_conflict_that_an_import_makes_is_named() {
    let world = World::with_store();
    import(&world, one(json!({})));
    world.bd(&["update", "gh-12", "--title", "Ours"]).ok();
    let theirs = one(json!({"title": "Theirs", "updatedAt": "2026-01-05T00:00:00Z"}));
    let file = world.file("gh.json", theirs);
    let output = world.bd(&["import", &file]);
    assert_eq!(output.code, 0);
    assert!(
        output
            .stderr
            .contains("1 issue changed both here and in GitHub"),
        "{output:?}"
    );
    assert!(
        output.stderr.contains("hint: git beads conflicts"),
        "{output:?}"
    );
}

#[test]
fn who_made_an_issue_and_when_stays_where_a_later_file_does_not_say_it() {
    let world = World::with_store();
    import(&world, one(json!({})));
    let few = json!([{"number": 12, "title": "Later", "url": format!("{PLACE}/12"), "updatedAt": "2026-01-05T00:00:00Z"}]);
    import(&world, few.to_string());
    let issue = &show(&world, "gh-12")["issue"];
    assert_eq!(issue["created_by"], "ann");
    assert_eq!(issue["created_at"], "2026-01-01T00:00:00.000Z");
    assert_eq!(issue["title"], "Later");
}

#[test]
fn a_milestone_stays_where_a_file_does_not_say_it() {
    let world = World::with_store();
    let mut issue = gh(
        12,
        json!({"milestone": {"title": "2.0"}, "labels": [{"name": "a"}]}),
    );
    import(&world, json!([issue]).to_string());
    let before = clones::tip(&world, "repo");
    issue.as_object_mut().unwrap().remove("milestone");
    import(&world, json!([issue]).to_string());
    assert_eq!(clones::tip(&world, "repo"), before);
    issue["milestone"] = Value::Null;
    issue["updatedAt"] = json!("2026-01-05T00:00:00Z");
    import(&world, json!([issue]).to_string());
    assert_eq!(field(&world, "gh-12", "labels"), json!(["a"]));
}

#[test]
fn an_issue_that_names_its_address_is_the_one_that_is_followed() {
    let world = World::with_store();
    let address = format!("{PLACE}/12");
    let id = world.create(&["Ours", "--external-ref", &address]);
    let report = import(&world, one(json!({"title": "Theirs"})));
    assert_eq!(report["created"], 0, "{report}");
    assert_eq!(field(&world, &id, "title"), "Theirs");
    assert_eq!(world.bd(&["list", "-qw", "source:github"]).ok().trim(), id);
}

#[test]
fn the_same_said_in_another_form_is_no_news() {
    let world = World::with_store();
    let labels = |names: [&str; 2]| json!(names.map(|it| json!({"name": it})));
    import(
        &world,
        one(
            json!({"body": "", "labels": labels(["a", "b"]), "state": "CLOSED", "stateReason": "COMPLETED"}),
        ),
    );
    let before = clones::tip(&world, "repo");
    import(
        &world,
        one(
            json!({"body": null, "labels": labels(["b", "a"]), "state": "CLOSED", "stateReason": "COMPLETED"}),
        ),
    );
    assert_eq!(clones::tip(&world, "repo"), before);
    world
        .bd(&["update", "gh-12", "-d", "Mine", "--type", "bug"])
        .ok();
    world.bd(&["reopen", "gh-12", "-r", "still there"]).ok();
    // The API knows no reason here, and no type.
    let mut other = gh(
        12,
        json!({"body": null, "state": "closed", "type": null, "updatedAt": "2026-01-05T00:00:00Z"}),
    );
    other.as_object_mut().unwrap().remove("stateReason");
    let report = import(&world, json!([other]).to_string());
    assert!(report.get("conflicts").is_none(), "{report}");
    let issue = &show(&world, "gh-12")["issue"];
    assert_eq!(
        (&issue["description"], &issue["type"], &issue["status"]),
        (&json!("Mine"), &json!("bug"), &json!("open"))
    );
}

#[test]
fn a_name_stands_for_no_other_issue_of_the_same_number() {
    let world = World::with_store();
    import(&world, one(json!({})));
    let link = |number: u64| json!({"number": number, "url": format!("https://github.com/acme/lib/issues/{number}")});
    let other = |number: u64, more: Value| {
        let mut issue = gh(number, more);
        issue["url"] = json!(format!("https://github.com/acme/lib/issues/{number}"));
        issue
    };
    import(
        &world,
        json!([other(
            14,
            json!({"blockedBy": [link(12)], "parent": link(15)})
        )])
        .to_string(),
    );
    assert_eq!(world.bd(&["blocked", "-q"]).ok().trim(), "");
    import(
        &world,
        json!([other(12, json!({})), other(15, json!({}))]).to_string(),
    );
    assert_eq!(world.bd(&["blocked", "-q"]).ok().trim(), "gh2-14");
    assert_eq!(field(&world, "gh2-14", "parent"), "gh2-15");
    let shown = show(&world, "gh2-14").to_string();
    assert!(!shown.contains("external:"), "{shown}");
    let before = clones::tip(&world, "repo");
    import(
        &world,
        json!([other(12, json!({})), other(15, json!({}))]).to_string(),
    );
    assert_eq!(clones::tip(&world, "repo"), before);
}

#[test]
fn a_comment_belongs_to_an_issue_however_often_it_is_in_the_file() {
    let world = World::with_store();
    let comment = json!({"issue_url": "https://api.github.com/repos/Acme/Shop/issues/12", "user": {"login": "b"}, "body": "Here", "created_at": "2026-01-02T00:00:00Z"});
    let newer = gh(12, json!({"updatedAt": "2026-01-05T00:00:00Z"}));
    import(
        &world,
        json!([newer, gh(12, json!({})), comment]).to_string(),
    );
    assert!(world.bd(&["show", "gh-12"]).ok().contains("Here"));
}
