//! `ready`: what can be worked on.

use insta::assert_snapshot;

use crate::support::World;
use crate::support::look::{commits, ids, issue, named, quiet, status};

fn ready(world: &World) -> Vec<String> {
    quiet(world, &["ready"])
}

#[test]
fn the_most_urgent_and_then_the_oldest_come_first() {
    let world = World::with_store();
    for (id, priority) in [("bd-b", "2"), ("bd-a", "2"), ("bd-c", "0")] {
        named(&world, id, &[id, "-p", priority]);
    }
    assert_eq!(ready(&world), ["bd-c", "bd-b", "bd-a"]);
}

#[test]
fn only_what_is_open_is_ready() {
    let world = World::with_store();
    for status in [
        "in_progress",
        "blocked",
        "deferred",
        "closed",
        "pinned",
        "hooked",
    ] {
        let id = world.create(&[status]);
        world.bd(&["update", &id, "-s", status]).ok();
    }
    let gone = world.create(&["gone"]);
    world.bd(&["delete", &gone]).ok();
    assert_snapshot!(world.bd(&["ready"]).all(), @"nothing is ready; git beads ready --explain says why");
}

#[test]
fn only_blocks_makes_an_issue_wait() {
    let world = World::with_store();
    let first = world.create(&["First"]);
    for kind in [
        "related",
        "discovered-from",
        "duplicates",
        "relates-to",
        "supersedes",
    ] {
        world.create(&[kind, "--on", &first, "--dep-type", kind]);
    }
    let waits = world.create(&["Waits", "--on", &first]);
    assert_eq!(ready(&world).len(), 6);
    assert!(!ready(&world).contains(&waits));
}

#[test]
fn a_blocker_that_is_closed_or_deleted_blocks_no_more() {
    let world = World::with_store();
    let (a, b) = (world.create(&["A"]), world.create(&["B"]));
    let waits = world.create(&["Waits", "--on", &a, &b]);
    world.bd(&["done", &a]).ok();
    assert_eq!(ready(&world), [b.as_str()]);
    world.bd(&["delete", &b]).ok();
    assert_eq!(ready(&world), [waits.as_str()]);
    world.bd(&["reopen", &a]).ok();
    assert_eq!(ready(&world), [a.as_str()]);
    world.bd(&["dep", "rm", &waits, &a]).ok();
    assert_eq!(ready(&world), [a, waits]);
}

#[test]
fn an_external_dependency_does_not_block() {
    let world = World::with_store();
    let id = world.create(&["T", "--on", "external:other:cap"]);
    assert_eq!(ready(&world), [id.as_str()]);
    assert_eq!(
        issue(&world, &id)["dependencies"][0]["id"],
        "external:other:cap"
    );
}

#[test]
fn a_parent_does_not_block_its_children() {
    let world = World::with_store();
    let task = world.create(&["Task"]);
    let child = world.create(&["Child", "--parent", &task]);
    assert_eq!(ready(&world), [task, child]);
}

#[test]
fn an_epic_with_children_is_left_out_unless_asked_for() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic", "-p", "0"]);
    assert_eq!(
        ready(&world),
        [epic.as_str()],
        "one without children wants splitting"
    );
    let child = world.create(&["Child", "--parent", &epic]);
    assert_eq!(ready(&world), [child]);
    for asked in [["-w", "type:epic"], ["-w", "is:epic"], ["-t", "task,epic"]] {
        let found = quiet(&world, &[&["ready"][..], &asked].concat());
        assert!(found.contains(&epic), "{asked:?}: {found:?}");
    }
    assert_eq!(quiet(&world, &["ready", "-t", "epic"]), [epic]);
    assert_eq!(
        world.bd(&["ready", "-t", "epic", "--json"]).json()["total_count"],
        1
    );
}

#[test]
fn a_deferred_issue_returns_by_its_date() {
    let mut world = World::with_store();
    let (dated, undated, kept) = (
        world.create(&["Dated"]),
        world.create(&["Undated"]),
        world.create(&["Kept"]),
    );
    world.bd(&["defer", &dated, "--until", "2026-11-25"]).ok();
    world.bd(&["defer", &undated]).ok();
    world.bd(&["update", &kept, "--defer", "2026-11-25"]).ok();
    assert_eq!(ready(&world), [""; 0]);
    assert_eq!(world.bd(&["ready", "--json"]).json()["total_count"], 0);
    world.set("GIT_BEADS_NOW", "1795700000000");
    assert_eq!(ready(&world), [dated.clone(), kept]);
    assert_eq!(world.bd(&["ready", "--json"]).json()["total_count"], 2);
    assert_eq!(status(&world, &dated), "deferred");
    world.bd(&["start", &dated]).ok();
    assert_eq!(status(&world, &dated), "in_progress");
}

#[test]
fn ten_are_shown_and_the_true_total_said() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let plan: String = (0..12).map(|n| format!("- Child {n}\n")).collect();
    world.bd_with(plan, &["split", &epic, "-F", "-"]).ok();
    let page = world.bd(&["ready", "--json"]).json();
    assert_eq!(
        (&page["returned"], &page["total_count"], &page["truncated"]),
        (&10.into(), &12.into(), &true.into())
    );
    assert_eq!(quiet(&world, &["ready", "-n", "3"]).len(), 3);
    assert_eq!(quiet(&world, &["ready", "-n", "0"]).len(), 12);
}

#[test]
fn filters_are_those_of_list() {
    let world = World::with_store();
    let bug = world.create(&["Bug", "-t", "bug", "-l", "ui", "-a", "Bob"]);
    world.create(&["Task"]);
    for filter in [&["-t", "bug"][..], &["-l", "ui"], &["-a", "Bob"]] {
        assert_eq!(
            quiet(&world, &[&["ready"], filter].concat()),
            [bug.as_str()],
            "{filter:?}"
        );
    }
}

#[test]
fn explain_gives_every_issue_its_reason() {
    let world = World::with_store();
    let base = named(&world, "bd-base", &["Base"]);
    named(&world, "bd-waits", &["Waits", "--on", base]);
    let epic = named(&world, "bd-epic", &["Epic", "-t", "epic"]);
    world.create(&["Child", "--parent", epic]);
    world.create(&["Second", "--parent", epic, "--on", base]);
    named(&world, "bd-later", &["Later"]);
    world
        .bd(&["defer", "bd-later", "--until", "2027-01-02"])
        .ok();
    named(&world, "bd-mine", &["Mine", "--start"]);
    assert_snapshot!(world.bd(&["ready", "--explain"]).all(), @"
    bd-base P2 open task Base
    bd-epic.1 P2 open task Child

    not ready:
    bd-waits Waits: blocked by bd-base
    bd-epic Epic: an epic with 2 children, 2 of them open: work on those
    bd-epic.2 Second: blocked by bd-base
    bd-later Later: deferred until 2027-01-02
    bd-mine Mine: in_progress (Ann)
    ");
}

#[test]
fn explain_in_json_has_two_lists() {
    let world = World::with_store();
    let base = world.create(&["Base"]);
    let waits = world.create(&["Waits", "--on", &base]);
    let answer = world.bd(&["ready", "--explain", "--json"]).json();
    assert_eq!(answer["kind"], "report");
    assert_eq!(ids(&answer["ready"]), [base.as_str()]);
    assert_eq!(ids(&answer["not_ready"]), [waits.as_str()]);
    assert_eq!(
        answer["not_ready"][0]["reason"],
        format!("blocked by {base}")
    );
}

#[test]
fn explain_obeys_the_limit() {
    let world = World::with_store();
    let a = world.create(&["A", "-p", "0"]);
    let b = world.create(&["B", "-p", "1", "--on", &a]);
    let c = world.create(&["C", "-p", "3"]);
    let answer = world
        .bd(&["ready", "--explain", "-n", "2", "--json"])
        .json();
    assert_eq!(ids(&answer["ready"]), [a.as_str()]);
    assert_eq!(ids(&answer["not_ready"]), [b.as_str()]);
    assert_eq!(
        (&answer["total_count"], &answer["truncated"]),
        (&3.into(), &true.into())
    );
    let text = world.bd(&["ready", "--explain", "-n", "2"]).ok();
    assert!(
        text.ends_with("(2 of 3; --offset 2 shows the next, -n 0 all 3)\n"),
        "{text}"
    );
    let page = ["ready", "--explain", "-n", "1", "--offset", "1"];
    let text = world.bd(&page).ok();
    assert!(text.starts_with("not ready:\n"), "others are ready: {text}");
    let rest = ["ready", "--explain", "--offset", "2", "-q"];
    assert_eq!(quiet(&world, &rest), [c.as_str()]);
    let all = world.bd(&["ready", "--explain", "--json"]).json();
    assert_eq!(
        (&all["total_count"], &all["truncated"]),
        (&3.into(), &false.into())
    );
}

#[test]
fn an_epic_whose_children_are_closed_says_what_closes_it() {
    let world = World::with_store();
    let epic = named(&world, "bd-epic", &["Epic", "-t", "epic"]);
    let child = world.create(&["Child", "--parent", epic]);
    world.bd(&["done", &child]).ok();
    world.bd(&["reopen", epic, "-r", "not yet"]).ok();
    let answer = world.bd(&["ready", "--explain", "--json"]).json();
    let issue = &answer["not_ready"][0];
    assert_eq!(
        (&issue["id"], &issue["reason"], &issue["hint"]),
        (
            &"bd-epic".into(),
            &"all children closed".into(),
            &"git beads done bd-epic".into()
        )
    );
    let line = "bd-epic Epic: all children closed: git beads done bd-epic\n";
    let text = world.bd(&["ready", "--explain"]).ok();
    assert!(text.contains(line), "{text}");
    world.bd(&["start", epic]).ok();
    let text = world.bd(&["ready", "--explain"]).ok();
    assert!(text.contains(line), "also one that is in progress: {text}");
    world.bd(&["reopen", &child, "-r", "more"]).ok();
    let text = world.bd(&["ready", "--explain"]).ok();
    assert!(!text.contains("all children closed"), "{text}");
}

#[test]
fn an_epic_with_an_open_grandchild_is_no_epic_to_close() {
    let world = World::with_store();
    let epic = named(&world, "bd-epic", &["Epic", "-t", "epic"]);
    let child = world.create(&["Child", "--parent", epic]);
    let below = world.create(&["Below", "--parent", &child]);
    world.bd(&["done", &child]).ok();
    // Of two, more than a page of one.
    let other = named(&world, "bd-other", &["Other", "-t", "epic", "-p", "4"]);
    let last = world.create(&["Last", "--parent", other]);
    world.bd(&["done", &last]).ok();
    world.bd(&["reopen", other, "-r", "not yet"]).ok();
    let told = |args: &[&str]| world.bd(args).json();
    let answer = told(&["ready", "--explain", "--json"]);
    let issues = answer["not_ready"].as_array().unwrap().iter();
    let hint = |id: &str| {
        issues
            .clone()
            .find(|it| it["id"] == id)
            .map(|it| it["hint"].clone())
    };
    assert_eq!(hint(epic), Some(serde_json::Value::Null), "{answer}");
    assert_eq!(hint(other), Some("git beads done bd-other".into()));
    let status = told(&["status", "-n", "1", "--json"]);
    assert_eq!(status["epics_to_close_count"], 1, "{status}");
    assert_eq!(
        status["epics_to_close"][0]["id"], "bd-other",
        "it is not on another page"
    );
    world.bd(&["done", &below]).ok();
    world.bd(&["reopen", epic, "-r", "not yet"]).ok();
    assert_eq!(told(&["status", "--json"])["epics_to_close_count"], 2);
}

#[test]
fn claim_takes_the_first() {
    let world = World::with_store();
    world.create(&["Later", "-p", "3"]);
    let urgent = world.create(&["Urgent", "-p", "0"]);
    assert_eq!(world.bd(&["ready", "--claim", "-q"]).ok().trim(), urgent);
    let taken = issue(&world, &urgent);
    assert_eq!(
        (&taken["status"], &taken["assignee"]),
        (&"in_progress".into(), &"Ann".into())
    );
}

#[test]
fn claim_takes_another_each_time_until_none_is_left() {
    let world = World::with_store();
    let (a, b) = (world.create(&["A"]), world.create(&["B"]));
    let took = |actor: &str| {
        world
            .bd_as(actor, &["ready", "--claim", "-q"])
            .ok()
            .trim()
            .to_owned()
    };
    assert_eq!((took("Bob"), took("Cy")), (a, b));
    let before = commits(&world);
    let error = world.bd(&["ready", "--claim"]).fails(1);
    assert!(
        error.contains("nothing is ready") && error.contains("hint: "),
        "{error}"
    );
    assert_eq!(commits(&world), before);
}

#[test]
fn claim_respects_filters() {
    let world = World::with_store();
    world.create(&["Task", "-p", "0"]);
    let bug = world.create(&["Bug", "-t", "bug"]);
    assert_eq!(
        world
            .bd(&["ready", "--claim", "-t", "bug", "-q"])
            .ok()
            .trim(),
        bug
    );
}

#[test]
fn claim_leaves_what_is_assigned_to_somebody_else() {
    let world = World::with_store();
    world.create(&["Bob's", "-p", "0", "-a", "Bob"]);
    let free = world.create(&["Free"]);
    assert_eq!(world.bd(&["ready", "--claim", "-q"]).ok().trim(), free);
}
