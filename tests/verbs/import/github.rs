//! Issues of GitHub, as `gh issue list --json` and `gh api` write them: in, again, and from two clones.

use serde_json::{Value, json};

use super::{ids, import, show, tip};
use crate::support::World;

pub(super) const PLACE: &str = "https://github.com/Acme/Shop/issues";

/// An issue as `gh issue list` writes it.
pub(super) fn gh(number: u64, more: Value) -> Value {
    let mut issue = json!({
        "number": number,
        "title": format!("Issue {number}"),
        "body": format!("Text of {number}"),
        "state": "OPEN",
        "stateReason": "",
        "url": format!("{PLACE}/{number}"),
        "author": {"login": "ann"},
        "assignees": [],
        "labels": [],
        "milestone": null,
        "createdAt": "2026-01-01T00:00:00Z",
        "updatedAt": "2026-01-02T00:00:00Z",
        "closedAt": null,
        "comments": [],
    });
    let Value::Object(more) = more else {
        panic!("{more} is no object");
    };
    issue.as_object_mut().unwrap().extend(more);
    issue
}

pub(super) fn one(more: Value) -> String {
    json!([gh(12, more)]).to_string()
}

pub(super) fn field(world: &World, id: &str, name: &str) -> Value {
    show(world, id)["issue"][name].clone()
}

fn conflicts(world: &World) -> Value {
    world.bd(&["conflicts", "--json"]).json()["conflicts"].clone()
}

#[test]
fn what_github_says_of_an_issue_is_there() {
    let world = World::with_store();
    let more = json!({
        "state": "CLOSED", "stateReason": "NOT_PLANNED", "closedAt": "2026-01-03T00:00:00Z", "body": "One\r\ntwo",
        "assignees": [{"login": "bob"}, {"login": "cy"}], "labels": [{"name": "bug"}, {"name": "good first issue"}],
        "milestone": {"title": "v1"}, "issueType": {"name": "Bug"},
        "comments": [{"id": "IC_1", "author": {"login": "bob"}, "body": "Seen\r\nhere", "createdAt": "2026-01-02T00:00:00Z"}],
    });
    let report = import(&world, one(more));
    assert_eq!(report["source"], "GitHub", "{report}");
    assert_eq!(report["created"], 1);
    assert_eq!(report["left_out"], json!({"further assignees": 1}));
    let issue = &show(&world, "gh-12")["issue"];
    for (key, value) in [
        ("title", json!("Issue 12")),
        ("description", json!("One\ntwo")),
        ("status", json!("closed")),
        ("assignee", json!("bob")),
        ("labels", json!(["bug", "good first issue", "milestone:v1"])),
        ("type", json!("bug")),
        ("priority", json!(2)),
        ("created_by", json!("ann")),
        ("external_ref", json!(format!("{PLACE}/12"))),
    ] {
        assert_eq!(issue[key], value, "{key} of {issue}");
    }
    let text = world.bd(&["show", "gh-12"]).ok();
    assert!(text.contains("reason: not planned"), "{text}");
    assert!(text.contains("closed 2026-01-03"), "{text}");
    assert!(text.contains("Seen"), "{text}");
    assert_eq!(
        ids(&world, &["list", "-qw", "source:github is:any"]),
        ["gh-12"]
    );
    assert_eq!(
        ids(&world, &["list", "-qw", "source:acme/shop is:any"]),
        ["gh-12"]
    );
    assert_eq!(
        ids(&world, &["list", "-q", "-w=-source:github is:any"]),
        [""; 0]
    );
}

#[test]
fn the_same_file_again_changes_nothing() {
    let world = World::with_store();
    let comment =
        json!({"author": {"login": "bob"}, "body": "Hi", "createdAt": "2026-01-02T00:00:00Z"});
    let file = one(
        json!({"comments": [comment], "labels": [{"name": "a"}], "parent": {"number": 9, "url": format!("{PLACE}/9")}}),
    );
    import(&world, &file);
    let before = tip(&world);
    let report = import(&world, &file);
    assert_eq!(
        (&report["unchanged"], &report["updated"]),
        (&json!(1), &json!(0))
    );
    // Nor does what only moves its time.
    let moved = file.replace(
        "2026-01-02T00:00:00Z\",\"url",
        "2026-01-09T00:00:00Z\",\"url",
    );
    import(&world, moved);
    assert_eq!(tip(&world), before);
}

#[test]
fn a_field_is_taken_where_it_has_changed_there_and_kept_where_it_has_changed_here() {
    let world = World::with_store();
    import(
        &world,
        one(json!({"labels": [{"name": "a"}, {"name": "b"}, {"name": "c"}]})),
    );
    world
        .bd(&[
            "update",
            "gh-12",
            "--title",
            "Our title",
            "-p",
            "0",
            "--add-label",
            "ours",
            "--rm-label",
            "b",
        ])
        .ok();
    world.bd(&["start", "gh-12"]).ok();
    let later = json!({
        "body": "Their text", "updatedAt": "2026-01-05T00:00:00Z",
        "labels": [{"name": "a"}, {"name": "b"}, {"name": "renamed"}],
    });
    let report = import(&world, one(later));
    assert_eq!(report["updated"], 1, "{report}");
    let issue = &show(&world, "gh-12")["issue"];
    assert_eq!(issue["title"], "Our title");
    assert_eq!(issue["priority"], 0);
    assert_eq!(issue["status"], "in_progress");
    assert_eq!(issue["description"], "Their text");
    // Removed here, renamed there, and added here.
    assert_eq!(issue["labels"], json!(["a", "ours", "renamed"]));
    assert_eq!(conflicts(&world), json!([]));
}

#[test]
fn what_has_changed_in_both_is_a_conflict() {
    let world = World::with_store();
    import(&world, one(json!({})));
    world.bd(&["update", "gh-12", "--title", "Our title"]).ok();
    import(
        &world,
        one(json!({"title": "Their title", "updatedAt": "2026-01-05T00:00:00Z"})),
    );
    assert_eq!(field(&world, "gh-12", "title"), "Their title");
    let found = conflicts(&world);
    assert_eq!(found[0]["id"], "gh-12", "{found}");
    assert!(found.to_string().contains("Our title"), "{found}");
    world.bd(&["resolve", "gh-12", "title", "--take", "1"]).ok();
    // The same again settles nothing, and brings nothing back.
    let before = tip(&world);
    import(
        &world,
        one(json!({"title": "Their title", "updatedAt": "2026-01-06T00:00:00Z"})),
    );
    assert_eq!(tip(&world), before);
}

#[test]
fn what_is_closed_here_stays_closed_while_it_is_open_there() {
    let world = World::with_store();
    import(&world, one(json!({})));
    world.bd(&["done", "gh-12", "-r", "fixed"]).ok();
    import(
        &world,
        one(json!({"title": "Another", "updatedAt": "2026-01-05T00:00:00Z"})),
    );
    assert_eq!(field(&world, "gh-12", "status"), "closed");
    // Closed there too: no contradiction in what both say.
    let closed = json!({"title": "Another", "state": "CLOSED", "stateReason": "COMPLETED", "updatedAt": "2026-01-06T00:00:00Z"});
    import(&world, one(closed.clone()));
    assert_eq!(field(&world, "gh-12", "status"), "closed");
    world.bd(&["reopen", "gh-12", "-r", "still there"]).ok();
    import(&world, one(closed));
    assert_eq!(field(&world, "gh-12", "status"), "open");
}

#[test]
fn what_is_not_in_a_later_file_stays_as_it_is() {
    let world = World::with_store();
    import(
        &world,
        json!([gh(1, json!({})), gh(2, json!({}))]).to_string(),
    );
    let before = tip(&world);
    import(&world, json!([gh(2, json!({}))]).to_string());
    assert_eq!(tip(&world), before);
    // A file with fewer fields says nothing of the others.
    let few = json!([{"number": 1, "title": "Issue 1", "url": format!("{PLACE}/1")}]);
    import(&world, few.to_string());
    assert_eq!(tip(&world), before);
    assert_eq!(field(&world, "gh-1", "description"), "Text of 1");
}

#[test]
fn an_older_file_takes_nothing_back() {
    let world = World::with_store();
    import(
        &world,
        one(json!({"title": "New", "updatedAt": "2026-01-05T00:00:00Z"})),
    );
    let before = tip(&world);
    let report = import(&world, one(json!({"title": "Old"})));
    assert_eq!(report["older"], 1, "{report}");
    assert_eq!(tip(&world), before);
}

#[test]
fn pages_and_comments_of_the_api_are_understood() {
    let world = World::with_store();
    let api = |number: u64, more: Value| {
        let mut issue = json!({
            "url": format!("https://api.github.com/repos/Acme/Shop/issues/{number}"),
            "html_url": format!("{PLACE}/{number}"), "number": number, "title": format!("Issue {number}"),
            "user": {"login": "ann"}, "labels": [{"name": "a"}], "state": "open", "state_reason": null, "body": null,
            "assignee": null, "assignees": [], "milestone": null, "comments": 0,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-02T00:00:00Z", "closed_at": null,
        });
        issue
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        issue
    };
    let comment = json!({
        "issue_url": "https://api.github.com/repos/Acme/Shop/issues/2", "html_url": format!("{PLACE}/2#issuecomment-7"),
        "user": null, "body": "From a ghost", "created_at": "2026-01-03T00:00:00Z",
    });
    let pages = format!(
        "{}\n{}{}",
        json!([
            api(1, json!({"state": "closed", "state_reason": "completed"})),
            api(2, json!({"comments": 1}))
        ]),
        json!([
            api(3, json!({"pull_request": {"url": "x"}})),
            api(
                4,
                json!({"comments": 2, "parent_issue_url": "https://api.github.com/repos/Acme/Shop/issues/2"})
            )
        ]),
        json!([comment]),
    );
    let report = import(&world, pages);
    assert_eq!(report["created"], 3, "{report}");
    assert_eq!(
        report["left_out"],
        json!({"issues whose comments are not in the file": 1, "pull requests": 1})
    );
    assert_eq!(field(&world, "gh-1", "status"), "closed");
    assert_eq!(field(&world, "gh-4", "parent"), "gh-2");
    assert_eq!(field(&world, "gh-2", "external_ref"), format!("{PLACE}/2"));
    let text = world.bd(&["show", "gh-2"]).ok();
    assert!(
        text.contains("From a ghost") && text.contains("ghost"),
        "{text}"
    );
}

#[test]
fn links_lead_to_issues_of_the_file_of_the_store_and_elsewhere() {
    let world = World::with_store();
    import(&world, json!([gh(1, json!({}))]).to_string());
    let blocked = json!({"blockedBy": [
        {"number": 1, "url": format!("{PLACE}/1")}, {"number": 3, "url": format!("{PLACE}/3")},
        {"number": 5, "url": "https://github.com/other/place/issues/5"},
    ], "parent": {"number": 3, "url": format!("{PLACE}/3")}});
    import(
        &world,
        json!([gh(2, blocked.clone()), gh(3, json!({}))]).to_string(),
    );
    let shown = show(&world, "gh-2");
    assert_eq!(shown["issue"]["parent"], "gh-3");
    assert_eq!(ids(&world, &["blocked", "-q"]), ["gh-2"]);
    let links = shown.to_string();
    assert!(
        links.contains("external:github.com/other/place#5"),
        "{links}"
    );
    // What arrives later takes the place of what stood for it.
    let other = json!([{"number": 5, "title": "Other", "state": "OPEN", "url": "https://github.com/other/place/issues/5"}]);
    import(&world, other.to_string());
    let later = json!([gh(
        2,
        json!({"blockedBy": blocked["blockedBy"], "updatedAt": "2026-01-05T00:00:00Z", "body": "x"})
    )]);
    import(&world, later.to_string());
    assert_eq!(field(&world, "gh2-5", "title"), "Other");
}

#[test]
fn a_second_project_gets_ids_of_its_own() {
    let world = World::with_store();
    import(&world, one(json!({})));
    let other = json!([{"number": 12, "title": "Other", "state": "OPEN", "url": "https://ghe.example.org/o/r/issues/12"}]);
    import(&world, other.to_string());
    assert_eq!(field(&world, "gh2-12", "title"), "Other");
    let file = world.file("more.json", json!([gh(13, json!({}))]).to_string());
    world.bd(&["import", &file]).ok();
    assert_eq!(field(&world, "gh-13", "title"), "Issue 13");
    let third = json!([{"number": 1, "title": "Third", "state": "OPEN", "url": "https://github.com/a/b/issues/1"}]);
    let file = world.file("third.json", third.to_string());
    world.bd(&["import", &file, "--prefix", "web"]).ok();
    assert_eq!(field(&world, "web-1", "title"), "Third");
    let refused = world.bd(&["import", &file, "--prefix", "a b"]).fails(1);
    assert!(refused.contains("is not a prefix"), "{refused}");
}

#[test]
fn a_new_id_that_another_issue_has_is_not_taken() {
    let world = World::with_store();
    world.bd(&["create", "Ours", "-q"]).ok();
    let id = ids(&world, &["list", "-q"]).remove(0);
    world.bd(&["rename", &id, "gh-12"]).ok();
    import(&world, one(json!({})));
    assert_eq!(field(&world, "gh-12", "title"), "Ours");
    assert_eq!(field(&world, "gh-12-2", "title"), "Issue 12");
}

#[test]
fn texts_of_all_kinds_are_kept() {
    let world = World::with_store();
    let body = "é 👩‍💻 می‌خواهم ".repeat(2_500);
    let report = import(
        &world,
        json!([
            gh(1, json!({"title": "👩‍💻 emoji", "body": body})),
            gh(
                2,
                json!({"body": null, "author": null, "assignees": null, "labels": null})
            ),
            gh(3, json!({"author": {"login": ""}})),
        ])
        .to_string(),
    );
    assert_eq!(report["created"], 3, "{report}");
    assert_eq!(field(&world, "gh-1", "description"), body.as_str());
    assert_eq!(field(&world, "gh-2", "created_by"), "ghost");
    assert_eq!(field(&world, "gh-3", "created_by"), "ghost");
}

#[test]
fn what_can_t_be_read_is_named_and_the_rest_imported() {
    let world = World::with_store();
    let file = world.file(
        "odd.json",
        json!([
            null,
            {"number": 2, "title": "no address"},
            gh(3, json!({"title": ""})),
            gh(4, json!({"url": "https://github.com/Acme/Shop/discussions/4"})),
            gh(5, json!({"title": "x".repeat(501)})),
            gh(6, json!({})),
            gh(7, json!({"url": "https://github.com/wei/pull/issues/7"})),
        ])
        .to_string(),
    );
    let output = world.bd(&["import", &file]);
    assert_eq!(output.code, 1, "{output:?}");
    for text in [
        "odd.json: element 2: it has no `url`",
        "odd.json: element 3: ",
        "odd.json: element 4: `https://github.com/Acme/Shop/discussions/4` is no address of an issue",
        "odd.json: element 5: ",
    ] {
        assert!(output.stderr.contains(text), "{text} in {}", output.stderr);
    }
    assert_eq!(
        ids(&world, &["list", "-q", "--sort", "id"]),
        ["gh-6", "gh2-7"]
    );
}

#[test]
fn an_issue_that_became_a_pull_request_or_moved_stays_as_it_was() {
    let world = World::with_store();
    import(&world, one(json!({})));
    let before = tip(&world);
    let pull = one(json!({"url": "https://github.com/Acme/Shop/pull/12"}));
    let report = import(&world, pull);
    assert_eq!(report["left_out"], json!({"pull requests": 1}));
    assert_eq!(tip(&world), before);
    let moved = one(json!({"url": "https://github.com/Acme/Other/issues/1", "number": 1}));
    import(&world, moved);
    assert_eq!(
        ids(&world, &["list", "-q", "--sort", "id"]),
        ["gh-12", "gh2-1"]
    );
}

#[test]
fn what_was_purged_does_not_come_back() {
    let world = World::with_store();
    let file = one(
        json!({"comments": [{"author": {"login": "b"}, "body": "secret", "createdAt": "2026-01-02T00:00:00Z"}]}),
    );
    import(&world, &file);
    world.bd(&["purge", "gh-12", "--yes"]).ok();
    let before = tip(&world);
    import(
        &world,
        file.replace("Text of", "Changed text of")
            .replace("2026-01-02", "2026-02-02"),
    );
    assert_eq!(tip(&world), before);
    let export = world.bd(&["export"]).ok();
    assert!(!export.contains("secret"), "{export}");
}
