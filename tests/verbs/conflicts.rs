//! What was written at the same time: listed, marked, settled, and never lost.

use serde_json::{Value, json};

use crate::support::World;
use crate::support::clones::{create, failed, sync, tip, two_clones};

/// The fields that two clones can write at the same time: option, value of `a`, value of `b`.
const FIELDS: [(&str, &str, &str, &str); 10] = [
    ("title", "--title", "title a", "title b"),
    ("description", "-d", "what a", "what b"),
    ("design", "-D", "how a", "how b"),
    ("acceptance", "-A", "done a", "done b"),
    ("notes", "--notes", "notes a", "notes b"),
    ("priority", "-p", "0", "4"),
    ("status", "-s", "blocked", "deferred"),
    ("assignee", "-a", "ann", "bob"),
    ("external_ref", "--external-ref", "gh-1", "gh-2"),
    ("due", "--due", "2027-01-01", "2027-02-02"),
];

/// The conflicts of an issue as a clone lists them.
#[track_caller]
fn listed(world: &World, clone: &str, id: &str) -> Vec<Value> {
    let answer = world.bd_in(clone, &["conflicts", id, "--json"]).json();
    answer["conflicts"].as_array().unwrap().clone()
}

/// One field of an issue as a clone shows it.
#[track_caller]
fn shown(world: &World, clone: &str, id: &str, field: &str) -> Value {
    world.bd_in(clone, &["show", id, "--json"]).json()["issue"][field].clone()
}

/// Two clones that wrote a field of one issue, `a` first, and have exchanged it.
fn written_twice(option: &str, a: &str, b: &str) -> (World, String) {
    let world = two_clones();
    let id = create(&world, "a", &["shared"]);
    sync(&world, &["a", "b"]);
    world
        .bd_in("a", &["--actor", "ann", "update", &id, option, a])
        .ok();
    world
        .bd_in("b", &["--actor", "bob", "update", &id, option, b])
        .ok();
    sync(&world, &["a", "b", "a"]);
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
    (world, id)
}

#[test]
fn every_field_written_twice_is_listed_alike_and_settled_either_way() {
    let world = two_clones();
    let (id, parent_a, parent_b) = (
        create(&world, "a", &["shared"]),
        create(&world, "a", &["pa"]),
        create(&world, "a", &["pb"]),
    );
    sync(&world, &["a", "b"]);
    let parents = ("parent", "--parent", parent_a.as_str(), parent_b.as_str());
    let fields: Vec<_> = FIELDS.into_iter().chain([parents]).collect();
    for (actor, clone) in [("ann", "a"), ("bob", "b")] {
        let mut args = vec!["--actor", actor, "update", &id];
        args.extend(
            fields
                .iter()
                .flat_map(|field| [field.1, if clone == "a" { field.2 } else { field.3 }]),
        );
        world.bd_in(clone, &args).ok();
    }
    sync(&world, &["a", "b", "a"]);
    let (here, there) = (listed(&world, "a", &id), listed(&world, "b", &id));
    assert_eq!(here, there);
    let names: Vec<&str> = here
        .iter()
        .filter_map(|entry| entry["field"].as_str())
        .collect();
    for (field, ..) in &fields {
        assert!(names.contains(field), "{field} is not among {names:?}");
    }
    assert!(
        here.iter()
            .all(|entry| entry["by"] == "ann" && entry["current_by"] == "bob" && entry["n"] == 1)
    );
    let text = world.bd_in("b", &["conflicts"]).ok();
    let page = world.bd_in("b", &["show", &id]).ok();
    for (field, _, a, b) in FIELDS {
        assert!(
            text.contains(&format!("{id} {field}")) && text.contains(a) && text.contains(b),
            "{field}: {text}"
        );
        assert!(
            page.contains(&format!("conflict: {field} by ann")),
            "{field}: {page}"
        );
    }
    for (n, (field, ..)) in fields.iter().enumerate() {
        let clone = if n % 2 == 0 { "a" } else { "b" };
        let take = if n % 3 == 0 { "0" } else { "1" };
        world
            .bd_in(clone, &["resolve", &id, field, "--take", take])
            .ok();
        sync(&world, &["a", "b", "a"]);
    }
    for clone in ["a", "b"] {
        assert_eq!(listed(&world, clone, &id), Vec::<Value>::new());
        assert_eq!(shown(&world, clone, &id, "title"), "title b");
        assert_eq!(shown(&world, clone, &id, "description"), "what a");
        assert_eq!(shown(&world, clone, &id, "priority"), 0);
        assert_eq!(shown(&world, clone, &id, "status"), "deferred");
        assert!(
            world
                .bd_in(clone, &["conflicts"])
                .ok()
                .contains("no conflicts")
        );
    }
}

#[test]
fn parents_written_twice_are_listed_by_their_ids() {
    let world = two_clones();
    let (id, p, q) = (
        create(&world, "a", &["shared"]),
        create(&world, "a", &["p"]),
        create(&world, "a", &["q"]),
    );
    sync(&world, &["a", "b"]);
    world.bd_in("a", &["update", &id, "--parent", &p]).ok();
    world.bd_in("b", &["update", &id, "--parent", &q]).ok();
    sync(&world, &["a", "b"]);
    let entry = &listed(&world, "b", &id)[0];
    assert_eq!((&entry["value"], &entry["current"]), (&json!(p), &json!(q)));
    let text = world.bd_in("b", &["conflicts"]).ok();
    assert!(
        text.contains(&p) && text.contains(&q),
        "ids, not inner names: {text}"
    );
    assert!(world.bd_in("b", &["show", &id]).ok().contains(&p));
}

#[test]
fn a_status_says_that_something_is_unsettled() {
    let (world, _) = written_twice("--title", "by a", "by b");
    assert!(world.bd_in("a", &["status"]).ok().contains("conflicts"));
    assert_eq!(world.bd_in("a", &["sync", "--json"]).json()["conflicts"], 1);
}

#[test]
fn the_same_value_written_twice_is_no_conflict() {
    let (world, id) = written_twice("-d", "the same", "the same");
    assert_eq!(listed(&world, "a", &id), Vec::<Value>::new());
}

#[test]
fn resolve_writes_another_value_and_refuses_what_is_not_there() {
    let (world, id) = written_twice("-d", "by a", "by b");
    let _ = failed(
        world.bd_in(
            "a",
            &["resolve", "--json", &id, "description", "--take", "2"],
        ),
        1,
    );
    let _ = failed(
        world.bd_in("a", &["resolve", "--json", &id, "title", "--take", "1"]),
        1,
    );
    assert_eq!(listed(&world, "a", &id).len(), 1);
    let commits = |world: &World| {
        world
            .git_in("a", &["rev-list", "--count", "refs/beads/main"])
            .ok()
    };
    let before: usize = commits(&world).trim().parse().unwrap();
    world
        .bd_in("a", &["resolve", &id, "description", "--value", "by both"])
        .ok();
    assert_eq!(commits(&world).trim(), (before + 1).to_string());
    sync(&world, &["a", "b"]);
    for clone in ["a", "b"] {
        assert_eq!(shown(&world, clone, &id, "description"), "by both");
        assert_eq!(listed(&world, clone, &id), Vec::<Value>::new());
    }
}

#[test]
fn keeping_the_shown_value_settles_everywhere() {
    let (world, id) = written_twice("-d", "by a", "by b");
    world
        .bd_in("a", &["resolve", &id, "description", "--take", "0"])
        .ok();
    sync(&world, &["a", "b"]);
    for clone in ["a", "b"] {
        assert_eq!(shown(&world, clone, &id, "description"), "by b");
        assert_eq!(listed(&world, clone, &id), Vec::<Value>::new());
    }
}

#[test]
fn long_values_are_kept_whole() {
    let (a, b) = ("a line of a\n".repeat(400), "a line of b\n".repeat(400));
    let (world, id) = written_twice("-d", &a, &b);
    world.git_in("b", &["gc", "--quiet", "--prune=now"]).ok();
    for clone in ["a", "b"] {
        let value = listed(&world, clone, &id)[0]["value"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(value.trim_end(), a.trim_end(), "{clone}");
    }
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "c"])
        .ok();
    world.bd_in("c", &["init"]).ok();
    world
        .bd_in("c", &["resolve", &id, "description", "--take", "1"])
        .ok();
    sync(&world, &["c", "a"]);
    assert_eq!(
        shown(&world, "a", &id, "description")
            .as_str()
            .unwrap()
            .trim_end(),
        a.trim_end()
    );
    assert_eq!(listed(&world, "a", &id), Vec::<Value>::new());
}

#[test]
fn three_values_of_one_field_are_all_kept() {
    let world = two_clones();
    let id = create(&world, "a", &["shared"]);
    sync(&world, &["a", "b"]);
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "c"])
        .ok();
    world.bd_in("c", &["init"]).ok();
    for clone in ["a", "b", "c"] {
        world
            .bd_in(
                clone,
                &[
                    "--actor",
                    clone,
                    "update",
                    &id,
                    "-d",
                    &format!("by {clone}"),
                ],
            )
            .ok();
    }
    sync(&world, &["a", "b", "c", "a", "b"]);
    for clone in ["a", "b", "c"] {
        let entries = listed(&world, clone, &id);
        let mut values: Vec<&str> = entries
            .iter()
            .filter_map(|entry| entry["value"].as_str())
            .collect();
        values.sort_unstable();
        assert_eq!(
            (values, &entries[0]["current"]),
            (vec!["by a", "by b"], &json!("by c")),
            "{clone}"
        );
        assert_eq!(
            entries
                .iter()
                .map(|entry| entry["n"].as_u64().unwrap())
                .collect::<Vec<_>>(),
            [1, 2]
        );
    }
    let second = listed(&world, "b", &id)[1]["value"].clone();
    world
        .bd_in("b", &["resolve", &id, "description", "--take", "2"])
        .ok();
    sync(&world, &["b", "a", "c"]);
    for clone in ["a", "b", "c"] {
        assert_eq!(
            (
                listed(&world, clone, &id),
                shown(&world, clone, &id, "description")
            ),
            (vec![], second.clone())
        );
    }
}

#[test]
fn a_later_write_settles_short_fields_but_not_texts() {
    let world = two_clones();
    let id = create(&world, "a", &["shared"]);
    sync(&world, &["a", "b"]);
    for (_, option, a, b) in FIELDS {
        world.bd_in("a", &["update", &id, option, a]).ok();
        world.bd_in("b", &["update", &id, option, b]).ok();
    }
    sync(&world, &["a", "b", "a"]);
    let later: Vec<(&str, &str)> = vec![
        ("--title", "later"),
        ("-d", "later"),
        ("-D", "later"),
        ("-A", "later"),
        ("--notes", "later"),
        ("-p", "3"),
        ("-s", "blocked"),
        ("-a", "cat"),
        ("--external-ref", "gh-3"),
        ("--due", "2027-03-03"),
    ];
    for (option, value) in later {
        world.bd_in("a", &["update", &id, option, value]).ok();
    }
    sync(&world, &["a", "b"]);
    for clone in ["a", "b"] {
        let mut left: Vec<String> = listed(&world, clone, &id)
            .iter()
            .filter_map(|entry| entry["field"].as_str().map(str::to_owned))
            .collect();
        left.sort();
        assert_eq!(
            left,
            ["acceptance", "description", "design", "notes"],
            "{clone}"
        );
    }
}

#[test]
fn a_claim_made_twice_says_who_holds_the_issue() {
    let world = two_clones();
    let id = create(&world, "a", &["shared"]);
    sync(&world, &["a", "b"]);
    world.bd_in("a", &["--actor", "ann", "start", &id]).ok();
    world.bd_in("b", &["--actor", "bob", "start", &id]).ok();
    // From clone to clone: the remote that is used by default would decide.
    for (clone, peer) in [("a", "b"), ("b", "a")] {
        let url = world.path(peer).display().to_string();
        world.git_in(clone, &["remote", "add", peer, &url]).ok();
        world.bd_in(clone, &["pull", "--remote", peer]).ok();
    }
    for clone in ["a", "b"] {
        let holder = shown(&world, clone, &id, "assignee")
            .as_str()
            .unwrap()
            .to_owned();
        let text = world.bd_in(clone, &["conflicts"]).ok();
        assert!(text.contains(&format!("({holder} holds it)")), "{text}");
        assert_eq!(
            listed(&world, clone, &id).len(),
            1,
            "both wrote the same status"
        );
    }
}

#[test]
fn two_closes_with_different_reasons_are_no_conflict() {
    let world = two_clones();
    let id = create(&world, "a", &["shared"]);
    sync(&world, &["a", "b"]);
    world.bd_in("a", &["done", &id, "-r", "fixed in a"]).ok();
    world.bd_in("b", &["done", &id, "-r", "fixed in b"]).ok();
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        assert_eq!(listed(&world, clone, &id), Vec::<Value>::new());
        assert_eq!(shown(&world, clone, &id, "status"), "closed");
    }
}
