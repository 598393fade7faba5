//! `split`: an epic into children, in one commit.

use insta::assert_snapshot;

use crate::support::World;
use crate::support::look::{commits, ids, issue, named, quiet, status};

fn world() -> World {
    let world = World::with_store();
    named(&world, "bd-epic", &["Epic", "-t", "epic"]);
    named(&world, "bd-other", &["Other"]);
    world
}

fn split(world: &World, plan: &str) -> crate::support::Output {
    world.bd_with(plan, &["split", "bd-epic", "-F", "-"])
}

fn on(world: &World, id: &str) -> Vec<String> {
    ids(&issue(world, id)["dependencies"])
        .into_iter()
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_json_plan_carries_every_field() {
    let world = world();
    let plan = r#"[{"title":"One","type":"bug","priority":0,"description":"what","design":"how","acceptance":"when",
        "assignee":"Bob","labels":["x","y"]},{"title":"Two","priority":"P3"}]"#;
    split(&world, plan).ok();
    let one = issue(&world, "bd-epic.1");
    for (field, value) in [
        ("title", "One"),
        ("type", "bug"),
        ("description", "what"),
        ("design", "how"),
        ("acceptance", "when"),
        ("assignee", "Bob"),
        ("parent", "bd-epic"),
    ] {
        assert_eq!(one[field], value, "{field}");
    }
    assert_eq!(
        (ids(&one["labels"]), &one["priority"]),
        (vec!["x", "y"], &0.into())
    );
    assert_eq!(issue(&world, "bd-epic.2")["priority"], 3);
}

#[test]
fn dependencies_are_indices_or_ids() {
    let world = world();
    let plan = r#"[{"title":"One"},{"title":"Two","depends_on":[0]},{"title":"Three","depends_on":[0,1,"bd-other"]},
        {"title":"Four","depends_on":"bd-other","dep_type":"related"},{"title":"Five","depends_on":3},
        {"title":"Six","depends_on":null}]"#;
    split(&world, plan).ok();
    assert_eq!(on(&world, "bd-epic.2"), ["bd-epic.1"]);
    assert_eq!(
        on(&world, "bd-epic.3"),
        ["bd-epic.1", "bd-epic.2", "bd-other"]
    );
    assert_eq!(
        issue(&world, "bd-epic.4")["dependencies"][0]["type"],
        "related"
    );
    assert_eq!(on(&world, "bd-epic.5"), ["bd-epic.4"]);
    assert_eq!(
        quiet(&world, &["ready", "--parent", "bd-epic"]),
        ["bd-epic.1", "bd-epic.4", "bd-epic.6"]
    );
}

#[test]
fn a_plan_may_stand_in_an_object() {
    for key in ["children", "sub_issues"] {
        let world = world();
        split(
            &world,
            &format!(r#"{{"{key}":[{{"title":"One"}},{{"title":"Two"}}]}}"#),
        )
        .ok();
        assert_eq!(
            ids(&issue(&world, "bd-epic")["children"]),
            ["bd-epic.1", "bd-epic.2"]
        );
    }
}

#[test]
fn a_markdown_list_is_a_plan() {
    let world = world();
    assert_snapshot!(split(&world, "The plan:\n\n- One\n- [ ] Two\n3. Three\n").all(), @"
    bd-epic split into bd-epic.1 bd-epic.2 bd-epic.3
    next: git beads ready
    ");
    let titles: Vec<String> = (1..=3)
        .map(|n| {
            issue(&world, &format!("bd-epic.{n}"))["title"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(titles, ["One", "Two", "Three"]);
}

#[test]
fn what_is_below_a_bullet_is_no_child_of_its_own() {
    let world = world();
    split(&world, "- One\n  - a detail of it\n- Two\n").ok();
    assert_eq!(ids(&issue(&world, "bd-epic")["children"]).len(), 2);
}

#[test]
fn markdown_sections_carry_texts_and_settings() {
    let world = world();
    let plan = "# Plan\n\n## One\nWhat it is.\n\nMore.\n### Design\nHow.\n### Acceptance\n- it works\n\n## Two\nType: bug\nPriority: P1\nLabels: x, y\nAssignee: Bob\nDepends on: 0, bd-other\n";
    split(&world, plan).ok();
    let (one, two) = (issue(&world, "bd-epic.1"), issue(&world, "bd-epic.2"));
    assert_eq!(
        (&one["description"], &one["design"]),
        (&"What it is.\n\nMore.".into(), &"How.".into())
    );
    assert_eq!(one["acceptance"], "- it works");
    assert_eq!(
        (&two["type"], &two["priority"], &two["assignee"]),
        (&"bug".into(), &1.into(), &"Bob".into())
    );
    assert_eq!(
        (ids(&two["labels"]), on(&world, "bd-epic.2")),
        (vec!["x", "y"], vec!["bd-epic.1".into(), "bd-other".into()])
    );
    assert!(two.get("description").is_none());
}

#[test]
fn a_text_with_a_colon_is_no_setting() {
    let world = world();
    split(&world, "## One\n### Acceptance\n- Priority: the urgent come first\n- After: the cache is warm\n## Two\n")
        .ok();
    let text = issue(&world, "bd-epic.1")["acceptance"].to_string();
    assert!(
        text.contains("the urgent come first") && text.contains("the cache is warm"),
        "{text}"
    );
}

#[test]
fn a_file_is_read() {
    let world = world();
    let file = world.file("plan.md", "- One\n- Two\n");
    assert_eq!(
        quiet(&world, &["split", "bd-epic", "-F", &file]),
        ["bd-epic.1", "bd-epic.2"]
    );
    assert_eq!(
        quiet(&world, &["decompose", "bd-epic", "-F", &file]),
        ["bd-epic.3", "bd-epic.4"]
    );
    assert!(
        world
            .bd(&["split", "bd-epic", "-F", "missing.md"])
            .fails(1)
            .contains("missing.md")
    );
    let _ = world.bd(&["split", "bd-epic"]).fails(2);
}

#[test]
fn it_is_one_commit() {
    let world = world();
    let before = commits(&world);
    let answer = world
        .bd_with(
            "- One\n- Two\n- Three\n",
            &["split", "bd-epic", "-F", "-", "--json"],
        )
        .json();
    assert_eq!(commits(&world), before + 1);
    assert_eq!(
        (&answer["kind"], &answer["next"]),
        (&"created".into(), &"start_next_ready".into())
    );
    assert_eq!(
        (ids(&answer["ids"]).len(), &answer["epic_id"]),
        (3, &"bd-epic".into())
    );
    assert!(answer.get("started_child_id").is_none());
}

#[test]
fn a_single_child_is_started() {
    let world = world();
    let answer = world
        .bd_with("- Only\n", &["split", "bd-epic", "-F", "-", "--json"])
        .json();
    assert_eq!(answer["started_child_id"], "bd-epic.1");
    let child = issue(&world, "bd-epic.1");
    assert_eq!(
        (&child["status"], &child["assignee"]),
        (&"in_progress".into(), &"Ann".into())
    );
}

#[test]
fn of_several_none_is_started() {
    let world = world();
    split(&world, "- One\n- Two\n").ok();
    assert_eq!(
        (status(&world, "bd-epic.1"), status(&world, "bd-epic.2")),
        ("open".into(), "open".into())
    );
}

#[test]
fn one_bad_child_and_nothing_is_written() {
    let world = world();
    let before = commits(&world);
    for (bad, why) in [
        (r#"{"title":" "}"#, "title"),
        (r#"{"title":"Two","priority":7}"#, "priority"),
        (
            r#"{"title":"Two","depends_on":[1]}"#,
            "depends_on 1 is not the index of an earlier child",
        ),
        (
            r#"{"title":"Two","depends_on":["bd-zzzz"]}"#,
            "bd-zzzz not found",
        ),
        (r#"{"title":"Two","type":"a b"}"#, "type"),
    ] {
        let error = split(&world, &format!(r#"[{{"title":"One"}},{bad}]"#)).fails(1);
        assert!(
            error.contains("child 1: ") && error.contains(why),
            "{error}"
        );
    }
    assert_eq!(commits(&world), before);
    assert!(issue(&world, "bd-epic").get("children").is_none());
    split(&world, "- One\n- Two\n").ok();
    assert_eq!(
        ids(&issue(&world, "bd-epic")["children"]),
        ["bd-epic.1", "bd-epic.2"]
    );
}

#[test]
fn a_plan_that_is_none_is_an_error() {
    let world = world();
    for (plan, why) in [
        ("", "names no children"),
        ("just words\n", "names no children"),
        ("[]", "names no children"),
        ("{}", "plan"),
        ("[{", "JSON"),
        (r#"[{"description":"x"}]"#, "title"),
        (r#"[{"title":"a","dependsOn":[0]}]"#, "dependsOn"),
        (r#"["a"]"#, "plan"),
    ] {
        let error = split(&world, plan).fails(1);
        assert!(error.contains(why), "{plan}: {error}");
    }
}

#[test]
fn children_go_on_from_the_last_number() {
    let world = world();
    world.create(&["Before", "--parent", "bd-epic"]);
    split(&world, "- One\n- Two\n").ok();
    assert_eq!(issue(&world, "bd-epic.3")["title"], "Two");
}

#[test]
fn a_child_may_be_split_and_its_grandchildren_not() {
    let world = world();
    split(&world, "- One\n- Two\n").ok();
    world
        .bd_with("- A\n- B\n", &["split", "bd-epic.1", "-F", "-"])
        .ok();
    world
        .bd_with("- A\n- B\n", &["split", "bd-epic.1.1", "-F", "-"])
        .ok();
    let before = commits(&world);
    let error = world
        .bd_with("- A\n- B\n", &["split", "bd-epic.1.1.2", "-F", "-"])
        .fails(1);
    assert!(error.contains("bd-epic.1.1.2"), "{error}");
    assert_eq!(commits(&world), before);
}

#[test]
fn an_auto_closed_epic_that_is_split_opens() {
    let world = world();
    split(&world, "- One\n- Two\n").ok();
    world.bd(&["done", "bd-epic.1", "bd-epic.2"]).ok();
    split(&world, "- Three\n- Four\n").ok();
    assert_eq!(status(&world, "bd-epic"), "open");
}

#[test]
fn an_epic_that_is_deleted_or_unknown_is_not_split() {
    let world = world();
    world.bd(&["delete", "bd-epic"]).ok();
    assert!(
        split(&world, "- One\n")
            .fails(1)
            .contains("hint: git beads restore bd-epic")
    );
    assert!(
        world
            .bd_with("- One\n", &["split", "bd-zzzz", "-F", "-"])
            .fails(1)
            .contains("bd-zzzz not found")
    );
}

#[test]
fn a_closed_epic_is_not_split_and_a_child_of_somebody_else_not_started() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let plan = world.file("theirs.json", r#"[{"title": "Only", "assignee": "bob"}]"#);
    let made = world.bd(&["split", &epic, "-F", &plan, "--json"]).json();
    assert!(made.get("started_child_id").is_none(), "{made}");
    world.bd(&["done", &epic]).ok();
    let said = world.bd(&["split", &epic, "-F", &plan]).fails(3);
    assert_eq!(
        said,
        format!("error: {epic} is closed\nhint: git beads reopen {epic}\n")
    );
}

#[test]
fn titles_are_children_too() {
    let world = world();
    let answer = world.bd(&["split", "bd-epic", "First", "Second", "--json"]);
    assert_eq!(ids(&answer.json()["ids"]), ["bd-epic.1", "bd-epic.2"]);
    assert_eq!(issue(&world, "bd-epic.1")["title"], "First");
    world.bd(&["split", "bd-epic"]).fails(2);
}
