//! `list`: filters, order, pages.

use insta::assert_snapshot;

use crate::support::World;
use crate::support::look::{ids, named, quiet};

/// Issues of several kinds, each with a telling id.
fn world() -> World {
    let world = World::with_store();
    named(&world, "bd-low", &["Low", "-p", "4", "-l", "ui"]);
    named(
        &world,
        "bd-bug",
        &["Bug", "-t", "bug", "-p", "1", "-l", "ui", "-l", "db"],
    );
    named(&world, "bd-epic", &["Epic", "-t", "epic"]);
    world.create(&["Child", "--parent", "bd-epic", "-a", "Bob"]);
    named(&world, "bd-mine", &["Mine", "--start"]);
    named(&world, "bd-done", &["Done", "-p", "0"]);
    named(&world, "bd-gone", &["Gone", "-p", "0"]);
    world.bd(&["done", "bd-done"]).ok();
    world.bd(&["delete", "bd-gone"]).ok();
    world
}

fn list(world: &World, args: &[&str]) -> Vec<String> {
    let mut all = vec!["list"];
    all.extend(args);
    quiet(world, &all)
        .into_iter()
        .map(|id| id.trim_start_matches("bd-").to_owned())
        .collect()
}

#[test]
fn it_hides_closed_and_deleted_and_orders_by_priority_then_age() {
    let world = world();
    assert_snapshot!(world.bd(&["list"]).all(), @"
    bd-bug P1 open bug Bug #db #ui
    bd-epic P2 open epic Epic
    bd-epic.1 P2 open task Child @Bob
    bd-mine P2 in_progress task Mine @Ann
    bd-low P4 open task Low #ui
    ");
    assert_eq!(world.bd(&["ls"]).ok(), world.bd(&["list", "--flat"]).ok());
}

#[test]
fn all_adds_the_closed_and_deleted_the_deleted() {
    let world = world();
    let usual = list(&world, &[]);
    assert_eq!(
        list(&world, &["--all"]),
        [&["done".to_owned()][..], &usual].concat()
    );
    assert_eq!(
        list(&world, &["--deleted"]),
        [&["gone".to_owned()][..], &usual].concat()
    );
    assert_eq!(list(&world, &["--all", "--deleted"]).len(), usual.len() + 2);
}

#[test]
fn a_status_is_enough_to_see_the_closed_and_the_deleted() {
    let world = world();
    assert_eq!(list(&world, &["-s", "closed"]), ["done"]);
    assert_eq!(list(&world, &["-s", "tombstone"]), ["gone"]);
    assert_eq!(list(&world, &["-s", "in_progress"]), ["mine"]);
    assert_eq!(list(&world, &["-s", "in-progress"]), ["mine"]);
    assert_eq!(
        list(&world, &["-s", "closed,in_progress"]),
        ["done", "mine"]
    );
    assert_eq!(
        list(&world, &["-s", "closed", "-s", "in_progress"]),
        ["done", "mine"]
    );
}

#[test]
fn an_unknown_status_names_the_near_one() {
    let error = world().bd(&["list", "-s", "in_progres"]).fails(1);
    assert!(error.contains("did you mean `in_progress`"), "{error}");
}

#[test]
fn types_and_priorities_may_be_several() {
    let world = world();
    assert_eq!(list(&world, &["-t", "bug"]), ["bug"]);
    assert_eq!(list(&world, &["-t", "bug,epic"]), ["bug", "epic"]);
    assert_eq!(list(&world, &["-p", "1"]), ["bug"]);
    assert_eq!(list(&world, &["-p", "P1,4"]), ["bug", "low"]);
    assert!(world.bd(&["list", "-p", "9"]).fails(1).contains("priority"));
}

#[test]
fn all_labels_must_be_there() {
    let world = world();
    assert_eq!(list(&world, &["-l", "ui"]), ["bug", "low"]);
    assert_eq!(list(&world, &["-l", "ui", "-l", "db"]), ["bug"]);
    assert!(list(&world, &["-l", "u"]).is_empty());
}

#[test]
fn labels_may_be_separated_by_commas_as_when_creating() {
    assert_eq!(list(&world(), &["-l", "ui,db"]), ["bug"]);
}

#[test]
fn an_assignee_is_a_name_or_me_or_none() {
    let world = world();
    assert_eq!(list(&world, &["-a", "me"]), ["mine"]);
    assert_eq!(list(&world, &["-a", "Ann"]), ["mine"]);
    assert_eq!(list(&world, &["-a", "Bob"]), ["epic.1"]);
    assert_eq!(list(&world, &["-a", "none"]), ["bug", "epic", "low"]);
    assert_eq!(
        quiet(&world, &["--actor", "Bob", "list", "-a", "me"]),
        ["bd-epic.1"]
    );
}

#[test]
fn a_parent_has_its_children_only() {
    let world = world();
    assert_eq!(list(&world, &["--parent", "bd-epic"]), ["epic.1"]);
    assert_eq!(list(&world, &["--parent", "epic"]), ["epic.1"]);
    assert!(list(&world, &["--parent", "bd-low"]).is_empty());
    assert!(
        world
            .bd(&["list", "--parent", "bd-nothing"])
            .fails(1)
            .contains("not found")
    );
}

#[test]
fn since_and_stale_divide_the_issues() {
    let mut world = world();
    world.set("GIT_BEADS_NOW", "1795600000000");
    world.bd(&["update", "bd-low", "-d", "changed"]).ok();
    assert_eq!(list(&world, &["--since", "1d"]), ["low"]);
    assert_eq!(
        list(&world, &["--stale", "1d"]),
        ["bug", "epic", "epic.1", "mine"]
    );
    assert_eq!(list(&world, &["--since", "2026-11-25"]), ["low"]);
    assert_eq!(list(&world, &["--stale", "2026-11-01"]), [""; 0]);
    assert!(
        world
            .bd(&["list", "--since", "never"])
            .fails(1)
            .contains("`never` is not a date")
    );
}

#[test]
fn every_order_is_as_named() {
    let world = world();
    world.bd(&["update", "bd-bug", "-d", "changed"]).ok();
    assert_eq!(
        list(&world, &["--sort", "id"]),
        ["bug", "epic", "epic.1", "low", "mine"]
    );
    assert_eq!(
        list(&world, &["--sort", "title"]),
        ["bug", "epic.1", "epic", "low", "mine"]
    );
    assert_eq!(list(&world, &["--sort", "priority"]), list(&world, &[]));
    assert_eq!(list(&world, &["--sort", "updated"])[0], "bug");
    assert_eq!(list(&world, &["--sort", "created"]).len(), 5);
    assert!(
        world
            .bd(&["list", "--sort", "prio"])
            .fails(1)
            .contains("did you mean `priority`")
    );
}

#[test]
fn a_page_knows_the_true_total() {
    let world = world();
    let page = world.bd(&["list", "-n", "2", "--json"]).json();
    assert_eq!(
        (&page["total_count"], &page["returned"], &page["truncated"]),
        (&5.into(), &2.into(), &true.into())
    );
    assert!(page["hint"].as_str().unwrap().contains("--offset 2"));
    let last = world
        .bd(&["list", "-n", "2", "--offset", "4", "--json"])
        .json();
    assert_eq!(
        (&last["total_count"], &last["returned"], &last["truncated"]),
        (&5.into(), &1.into(), &false.into())
    );
    assert!(last.get("hint").is_none());
}

#[test]
fn pages_together_are_the_whole() {
    let world = world();
    let pages: Vec<String> = ["0", "2", "4"]
        .iter()
        .flat_map(|offset| list(&world, &["-n", "2", "--offset", offset]))
        .collect();
    assert_eq!(pages, list(&world, &["-n", "0"]));
}

#[test]
fn a_page_past_the_end_is_empty_with_the_true_total() {
    let page = world().bd(&["list", "--offset", "99", "--json"]).json();
    assert_eq!(
        (&page["kind"], &page["total_count"], &page["returned"]),
        (&"empty".into(), &5.into(), &0.into())
    );
    assert_eq!(page["issues"], serde_json::json!([]));
}

#[test]
fn text_says_that_there_are_more() {
    let text = world().bd(&["list", "-n", "2"]).ok();
    assert!(
        text.ends_with("(2 of 5; --offset 2 shows the next, -n 0 all 5)\n"),
        "{text}"
    );
}

#[test]
fn fifty_are_shown_unless_said_otherwise() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let plan: String = (0..60).map(|n| format!("- Child {n}\n")).collect();
    world.bd_with(plan, &["split", &epic, "-F", "-"]).ok();
    let page = world.bd(&["list", "--json"]).json();
    assert_eq!(
        (&page["returned"], &page["total_count"]),
        (&50.into(), &61.into())
    );
    assert_eq!(list(&world, &["-n", "0"]).len(), 61);
    world.git(&["config", "beads.listLimit", "5"]).ok();
    assert_eq!(list(&world, &[]).len(), 5);
    assert_eq!(quiet(&world, &["ready"]).len(), 10);
}

#[test]
fn nothing_found_is_no_failure_unless_asked_for() {
    let world = world();
    world.bd(&["list", "-l", "no"]).ok();
    world.bd(&["list", "--exit-code"]).ok();
    for verb in [
        &["list"][..],
        &["ready"],
        &["blocked"],
        &["search", "xyzzy"],
    ] {
        let all = [verb, &["-l", "db", "-p", "4", "--exit-code", "--json"]].concat();
        let output = world.bd(&all);
        assert_eq!((output.code, output.stderr.as_str()), (1, ""), "{output:?}");
        assert!(output.stdout.contains(r#""kind":"empty""#), "{output:?}");
    }
}

#[test]
fn an_empty_store_says_how_to_begin() {
    assert_snapshot!(World::with_store().bd(&["list"]).all(), @r#"no issues; git beads create "What is to be done""#);
}

#[test]
fn a_filter_that_finds_nothing_does_not_claim_that_there_are_no_issues() {
    let text = world().bd(&["list", "-l", "no"]).ok();
    assert!(!text.contains("git beads create"), "{text}");
}

#[test]
fn a_tree_has_children_below_their_parents() {
    let world = world();
    world.create(&["Urgent", "--parent", "bd-epic", "-p", "0"]);
    assert_snapshot!(world.bd(&["list", "--tree"]).all(), @"
    bd-bug P1 open bug Bug #db #ui
    bd-epic P2 open epic Epic
    bd-epic.2 P0 open task   Urgent
    bd-epic.1 P2 open task   Child @Bob
    bd-mine P2 in_progress task Mine @Ann
    bd-low P4 open task Low #ui
    ");
    let _ = world.bd(&["list", "--tree", "--flat"]).fails(2);
}

#[test]
fn children_of_a_deleted_parent_stand_at_the_root() {
    let world = world();
    world.bd(&["delete", "bd-epic"]).ok();
    let text = world.bd(&["list", "--tree"]).ok();
    assert!(text.contains("bd-epic.1 P2 open task Child"), "{text}");
}

#[test]
fn a_row_carries_what_scripts_need() {
    let world = world();
    world.bd(&["dep", "add", "bd-low", "--on", "bd-bug"]).ok();
    let list = world.bd(&["list", "--json"]).json();
    let bug = &list["issues"][0];
    assert_eq!(bug["id"], "bd-bug");
    assert_eq!(
        (&bug["dependency_count"], &bug["dependent_count"]),
        (&0.into(), &1.into())
    );
    assert_eq!(ids(&bug["labels"]), ["db", "ui"]);
    assert!(bug["created_at"].is_string() && bug["updated_at"].is_string());
    assert_eq!(
        (&list["v"], &list["kind"], &list["next"]),
        (&1.into(), &"summary".into(), &"continue".into())
    );
}

#[test]
fn equal_priority_and_age_are_ordered_by_id() {
    let mut world = World::with_store();
    world.set("GIT_BEADS_NOW", "1795600000000");
    for (seed, id) in [("1", "bd-zz"), ("2", "bd-mm"), ("3", "bd-aa")] {
        world.set("GIT_BEADS_SEED", seed);
        named(&world, id, &["Same"]);
    }
    assert_eq!(list(&world, &[]), ["aa", "mm", "zz"]);
}

#[test]
fn filters_combine() {
    let world = world();
    assert_eq!(
        list(
            &world,
            &[
                "-l", "ui", "-p", "4", "-a", "none", "-s", "open", "-t", "task"
            ]
        ),
        ["low"]
    );
    let page = world.bd(&["list", "-l", "ui", "-n", "1", "--json"]).json();
    assert_eq!(
        (&page["total_count"], &page["returned"]),
        (&2.into(), &1.into())
    );
}

#[test]
fn a_deep_level_of_a_tree_is_a_number() {
    let world = World::with_store();
    let line = |n: usize| {
        let edges = serde_json::json!([{"depends_on_id": format!("x-{}", n.max(1) - 1), "type": "parent-child"}]);
        let edges = if n == 0 { serde_json::json!([]) } else { edges };
        serde_json::json!({"id": format!("x-{n}"), "title": "t", "created_at": "2026-01-01T00:00:00Z", "dependencies": edges})
            .to_string()
    };
    let lines: Vec<String> = (0..40).map(line).collect();
    let path = world.file("deep.jsonl", lines.join("\n"));
    world.bd(&["import", &path]).ok();
    let text = world.bd(&["list", "--tree", "-n", "0"]).ok();
    let row = |n: usize| text.lines().nth(n).unwrap().to_owned();
    assert_eq!(row(1), "x-1 P0 open task   t");
    assert_eq!(row(30), format!("x-30 P0 open task {}t", "  ".repeat(30)));
    for n in [31, 39] {
        let drawn = "  ".repeat(30);
        assert_eq!(row(n), format!("x-{n} P0 open task {drawn}[{n}] t"));
    }
}

#[test]
fn mine_is_what_this_agent_works_on_and_me_what_is_the_persons() {
    let world = World::with_store();
    for id in ["bd-person", "bd-claude", "bd-codex", "bd-told", "bd-open"] {
        named(&world, id, &["T"]);
    }
    world.bd(&["start", "bd-person"]).ok();
    world
        .bd(&["start", "bd-told", "--agent", "claude-3f2ak"])
        .ok();
    for agent in ["claude", "codex"] {
        let id = format!("bd-{agent}");
        world
            .bd(&["start", &id, "--agent", &format!("{agent}-1")])
            .ok();
    }
    // Assigned to another, it is no longer what that agent works on.
    world.bd(&["update", "bd-told", "-a", "Bob"]).ok();
    assert_eq!(list(&world, &["--mine"]), ["person"]);
    assert_eq!(list(&world, &["--mine", "--agent", "codex-1"]), ["codex"]);
    assert!(list(&world, &["--mine", "--agent", "claude-3f2ak"]).is_empty());
    assert!(list(&world, &["--mine", "--actor", "Bob", "--agent", "codex-1"]).is_empty());
    let both = |name| list(&world, &["-a", name, "--mine", "--agent", "codex-1"]);
    assert_eq!(both("codex-1"), ["codex"]);
    assert!(both("claude-1").is_empty());
    for me in ["me", "@me"] {
        let found = list(&world, &["-a", me, "--agent", "codex-1", "--sort", "id"]);
        assert_eq!(found, ["claude", "codex", "person"]);
    }
    world
        .bd(&["done", "bd-codex", "--agent", "codex-1", "-r", "x"])
        .ok();
    assert!(list(&world, &["--mine", "--agent", "codex-1"]).is_empty());
}

#[test]
fn rows_name_the_agent_that_works_on_an_issue() {
    let world = World::with_store();
    named(&world, "bd-one", &["T"]);
    let started = world.bd(&["start", "bd-one", "--agent", "codex-1"]).ok();
    assert!(started.contains("in_progress by Ann/codex-1"), "{started}");
    for args in [
        &["list"][..],
        &["show", "bd-one"],
        &["status"],
        &["board"],
        &["graph", "--all"],
        &["search", "T"],
    ] {
        let shown = world.bd(args).ok();
        assert!(shown.contains("@Ann/codex-1"), "{args:?}: {shown}");
    }
    world.bd(&["update", "bd-one", "-a", "Bob"]).ok();
    let listed = world.bd(&["list"]).ok();
    assert!(
        listed.contains("@Bob") && !listed.contains("codex"),
        "{listed}"
    );
}

#[test]
fn a_name_as_lists_show_it_is_a_filter() {
    let world = World::with_store();
    let [one, two] = ["One", "Two"].map(|title| world.create(&[title]));
    world.bd(&["--agent", "codex-l1", "start", &one]).ok();
    world.bd(&["--agent", "Ann/c-2", "start", &two]).ok();
    let listed = |name: &str| world.bd(&["list", "-q", "-a", name]).ok();
    assert_eq!(listed("Ann/codex-l1"), format!("{one}\n"));
    assert_eq!(listed("codex-l1"), format!("{one}\n"));
    assert_eq!(listed("@Ann/c-2"), format!("{two}\n"));
    assert_eq!(listed("bob/codex-l1"), "");
    assert_eq!(listed("Ann").lines().count(), 2);
    // A person of that name comes first.
    let three = world.create(&["Three", "-a", "codex-l1"]);
    assert_eq!(listed("codex-l1"), format!("{three}\n"));
    let by = |name: &str| {
        world
            .bd(&["log", "--author", name, "-q"])
            .ok()
            .lines()
            .count()
    };
    assert_eq!(
        (by("codex-l1"), by("Ann/c-2"), by("bob/c-2"), by("Ann")),
        (1, 1, 0, 6)
    );
    let error = world.bd(&["--agent", "bob/c-2", "list"]).fails(1);
    assert!(
        error.contains("bob/c-2 would be an agent of bob, and Ann acts"),
        "{error}"
    );
}

#[test]
fn groups_have_their_names_above_them() {
    let world = World::with_store();
    let first = world.create(&["First", "-a", "lea"]);
    let second = world.create(&["Second"]);
    let third = world.create(&["Third", "-a", "ann"]);
    let text = world.bd(&["list", "--group", "assignee"]).ok();
    let wanted = format!(
        "ann\n{third} P2 open task Third @ann\n\nlea\n{first} P2 open task First @lea\n\nno assignee\n{second} P2 open task Second\n"
    );
    assert_eq!(text, wanted);
    // The agents of one person are told apart.
    for agent in ["bot2", "bot1"] {
        let id = world.create(&["Busy"]);
        world.bd(&["--agent", agent, "start", &id]).ok();
    }
    let text = world
        .bd(&["list", "--group", "assignee", "-s", "in_progress"])
        .ok();
    let heads: Vec<&str> = text.lines().filter(|line| !line.contains(' ')).collect();
    assert_eq!(heads, ["Ann/bot1", "", "Ann/bot2"], "{text}");
    let asked = world
        .bd(&[
            "list",
            "-w",
            "group:assignee -is:mine status:open",
            "--json",
        ])
        .json();
    assert_eq!(asked["group"], "assignee", "{asked}");
    let ids: Vec<_> = asked["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["id"])
        .collect();
    assert_eq!(ids, [&third, &first, &second]);
    for refused in [
        &["list", "--group", "asignee"][..],
        &["search", "first group:type"],
        &["blocked", "-w", "group:type"],
        &["graph", "-w", "group:type"],
        &["watch", "-w", "group:type"],
        &["stats", "-w", "group:type"],
        &["status", "-w", "group:type"],
        &["list", "--parent", "none"],
    ] {
        world.bd(refused).fails(1);
    }
}
