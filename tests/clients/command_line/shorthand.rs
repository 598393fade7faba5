//! Short forms: ids from standard input, several ids before the last word, and numbers as limits.

use serde_json::Value;

use crate::support::World;

fn three() -> (World, Vec<String>) {
    let world = World::with_store();
    let ids = ["A", "B", "C"].map(|title| world.create(&[title]));
    (world, ids.to_vec())
}

#[track_caller]
fn field(world: &World, id: &str, name: &str) -> Value {
    world.bd(&["show", id, "--json"]).json()["issue"][name].clone()
}

#[test]
fn a_dash_is_the_ids_of_standard_input() {
    let (world, ids) = three();
    let listed = world.bd(&["list", "-q"]).ok();
    let from = |args: &[&str], input: &str| {
        let command = world.command("repo", crate::support::binary(), args);
        world.run(command, Some(input.as_bytes()))
    };
    from(&["update", "-", "--add-label", "all"], &listed).ok();
    from(&["label", "-", "slow"], &format!("{}\n", ids[0])).ok();
    from(
        &["priority", "-", "0"],
        &format!("  {} P2 open A\n\n{}\n", ids[1], ids[2]),
    )
    .ok();
    assert_eq!(
        field(&world, &ids[0], "labels").as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(field(&world, &ids[1], "priority"), 0);
    assert_eq!(field(&world, &ids[2], "priority"), 0);
    from(&["close", "-", "-r", "-"], &listed).ok();
    for id in &ids {
        assert_eq!(field(&world, id, "status"), "closed");
        assert_eq!(
            field(&world, id, "reason"),
            "-",
            "the value of an option is no id"
        );
    }
    let nothing = from(&["reopen", "-"], "\n").fails(2);
    assert!(
        nothing.contains("standard input has no ID\nhint: git beads list -q"),
        "{nothing}"
    );
    assert_eq!(
        world.bd(&["log", "-q"]).ok().lines().count(),
        8,
        "one operation each"
    );
}

#[test]
fn several_ids_come_before_the_last_word() {
    let (world, ids) = three();
    let [a, b, c] = [&ids[0], &ids[1], &ids[2]];
    world.bd(&["assign", a, b, "lea"]).ok();
    assert_eq!(field(&world, b, "assignee"), "lea");
    world.bd(&["priority", a, b, c, "P1"]).ok();
    assert_eq!(field(&world, c, "priority"), 1);
    world.bd(&["label", a, b, "slow", "api"]).ok();
    assert_eq!(
        field(&world, b, "labels"),
        serde_json::json!(["api", "slow"])
    );
    world.bd(&["label", "rm", a, b, "slow"]).ok();
    assert_eq!(field(&world, a, "labels"), serde_json::json!(["api"]));
    world.bd(&["label", a, b, "--rm", "api"]).ok();
    let misplaced = world.bd(&["label", a, "slow", b]).fails(2);
    let right = format!("`{b}` looks like an ID, not like a label\nhint: ids come first; `--`");
    assert!(misplaced.contains(&right), "{misplaced}");
    let unknown = world.bd(&["label", a, "bd-zzzz"]).fails(2);
    assert!(unknown.contains("looks like an ID"), "{unknown}");
    world.bd(&["label", a, "--", b]).ok();
    assert_eq!(field(&world, a, "labels"), serde_json::json!([b]));
    world.bd(&["label", a, "time-out"]).ok();
    assert_eq!(field(&world, a, "labels").as_array().map(Vec::len), Some(2));
}

#[test]
fn a_number_is_a_limit() {
    let (world, _) = three();
    for verb in ["list", "ready", "log"] {
        assert_eq!(
            world.bd(&[verb, "-2", "-q"]).ok().lines().count(),
            2,
            "{verb}"
        );
    }
    assert_eq!(
        world.bd(&["search", "-1", "A", "-q"]).ok().lines().count(),
        1
    );
    let refused = world.bd(&["show", "-2"]).fails(2);
    assert!(refused.contains("unknown option `-2`"), "{refused}");
}

#[test]
fn everything_can_be_set_when_an_issue_is_created() {
    let world = World::with_store();
    let options = [
        "--due",
        "2027-01-02",
        "--external-ref",
        "gh-7",
        "--notes",
        "n",
        "--defer",
        "2026-12-24",
    ];
    let id = world.create(&[&["T"][..], &options].concat());
    assert_eq!(field(&world, &id, "due"), "2027-01-02T23:59:59.000Z");
    assert_eq!(field(&world, &id, "external_ref"), "gh-7");
    assert_eq!(field(&world, &id, "notes"), "n");
    let ready = world.bd(&["ready", "-q"]).ok();
    assert_eq!(ready, "", "it is hidden until that date");
    let refused = world.bd(&["create", "T", "--due", "someday"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert_eq!(world.bd(&["list", "-q", "--all"]).ok().lines().count(), 1);
}
