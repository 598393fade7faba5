//! `dep`: what waits for what.

use insta::assert_snapshot;

use crate::support::World;
use crate::support::look::{commits, ids, issue, named, quiet};
use crate::support::samples::three as world;

fn on(world: &World, id: &str) -> Vec<String> {
    ids(&issue(world, id)["dependencies"])
        .into_iter()
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_answer_is_a_sentence() {
    let world = world();
    assert_snapshot!(world.bd(&["dep", "add", "bd-a", "--on", "bd-b", "bd-c"]).all(), @"
    bd-a is blocked by bd-b, bd-c
    next: git beads ready
    ");
    assert_snapshot!(world.bd(&["dep", "add", "bd-a", "--on", "bd-b"]).all(), @"
    bd-a unchanged
    next: git beads ready
    ");
    assert_snapshot!(world.bd(&["dep", "rm", "bd-a", "--on", "bd-b"]).all(), @"
    bd-a is no longer blocked by bd-b
    next: git beads ready
    ");
    assert_snapshot!(world.bd(&["dep", "add", "bd-a", "bd-b", "--type", "related"]).all(), @"
    bd-a is linked to bd-b (related)
    next: git beads ready
    ");
}

#[test]
fn every_spelling_makes_the_first_wait_for_the_others() {
    for args in [
        &["dep", "add", "bd-a", "bd-b"][..],
        &["dep", "add", "bd-a", "--on", "bd-b"],
        &["link", "bd-a", "bd-b"],
        &["link", "bd-a", "--on", "bd-b"],
        &["link", "bd-a", "--on", "bd-b", "--type", "blocks"],
    ] {
        let world = world();
        world.bd(args).ok();
        assert_eq!(on(&world, "bd-a"), ["bd-b"], "{args:?}");
        assert_eq!(ids(&issue(&world, "bd-b")["dependents"]), ["bd-a"]);
        assert_eq!(quiet(&world, &["ready"]), ["bd-b", "bd-c"]);
    }
}

#[test]
fn several_are_added_in_one_commit_and_again_in_none() {
    let world = world();
    let before = commits(&world);
    let answer = world
        .bd(&["dep", "add", "bd-a", "--on", "bd-b", "bd-c", "--json"])
        .json();
    assert_eq!(ids(&answer["added_depends_on"]), ["bd-b", "bd-c"]);
    world.bd(&["dep", "add", "bd-a", "bd-b", "bd-c"]).ok();
    assert_eq!(commits(&world), before + 1);
}

#[test]
fn types_are_kept_apart() {
    let world = world();
    world.bd(&["dep", "add", "bd-a", "bd-b"]).ok();
    world
        .bd(&["dep", "add", "bd-a", "bd-b", "-t", "related"])
        .ok();
    assert_eq!(on(&world, "bd-a"), ["bd-b", "bd-b"]);
    world.bd(&["dep", "rm", "bd-a", "bd-b"]).ok();
    assert_eq!(issue(&world, "bd-a")["dependencies"][0]["type"], "related");
    world
        .bd(&["dep", "rm", "bd-a", "bd-b", "-t", "related"])
        .ok();
    assert!(on(&world, "bd-a").is_empty());
}

#[test]
fn removing_what_is_not_there_is_an_error() {
    let world = world();
    let error = world.bd(&["dep", "rm", "bd-a", "bd-b"]).fails(1);
    assert!(
        error.contains("bd-a has no dependency `blocks` on bd-b"),
        "{error}"
    );
    let answer = world.bd(&["dep", "add", "bd-a"]);
    assert!(
        answer.code == 1
            && answer
                .stderr
                .contains("hint: git beads dep add bd-a --on ID"),
        "{answer:?}"
    );
}

#[test]
fn no_issue_waits_for_itself() {
    let world = world();
    let before = commits(&world);
    for kind in ["blocks", "related"] {
        assert!(
            world
                .bd(&["dep", "add", "bd-a", "bd-a", "-t", kind])
                .fails(3)
                .contains("can't be blocked by itself")
        );
    }
    assert_eq!(commits(&world), before);
}

#[test]
fn a_cycle_is_refused_and_its_path_named() {
    let world = world();
    world.bd(&["dep", "add", "bd-a", "bd-b"]).ok();
    world.bd(&["dep", "add", "bd-b", "bd-c"]).ok();
    let before = commits(&world);
    assert_snapshot!(world.bd(&["dep", "add", "bd-c", "bd-a"]).all(), @"
    --- stderr
    error: that would close a cycle: bd-c -> bd-a -> bd-b -> bd-c
    hint: git beads dep rm bd-a --on bd-b
    --- exit 3
    ");
    assert_eq!(commits(&world), before);
    let output = world.bd(&["dep", "add", "bd-c", "bd-a", "--json"]);
    assert!(
        output.code == 3 && output.stdout.contains(r#""code":"cycle""#),
        "{output:?}"
    );
}

#[test]
fn a_cycle_of_other_types_is_allowed() {
    let world = world();
    world
        .bd(&["dep", "add", "bd-a", "bd-b", "-t", "related"])
        .ok();
    world
        .bd(&["dep", "add", "bd-b", "bd-a", "-t", "related"])
        .ok();
    world.bd(&["dep", "add", "bd-b", "bd-a"]).ok();
    assert_eq!(
        world.bd(&["dep", "cycles"]).ok(),
        "no issues wait for each other\n"
    );
}

#[test]
fn of_a_long_cycle_the_beginning_is_named() {
    let world = World::with_store();
    let line = |n: usize| {
        let waits = match n {
            0 => String::new(),
            _ => format!(
                r#","dependencies":[{{"depends_on_id":"c-{}","type":"blocks"}}]"#,
                n - 1
            ),
        };
        format!("{{\"id\":\"c-{n}\",\"title\":\"t\"{waits}}}\n")
    };
    let chain = |n: usize| world.file("chain.jsonl", (0..n).map(line).collect::<String>());
    for (n, named) in [
        (
            8,
            "c-0 -> c-7 -> c-6 -> c-5 -> c-4 -> c-3 -> c-2 -> c-1 -> c-0",
        ),
        (
            300,
            "c-0 -> c-299 -> c-298 -> c-297 -> c-296 -> c-295 -> c-294 -> c-293 -> c-292 -> ... -> c-0 (300 issues)",
        ),
    ] {
        world.bd(&["import", &chain(n)]).ok();
        let last = format!("c-{}", n - 1);
        let said = world.bd(&["dep", "add", "c-0", &last]).fails(3);
        let message = said.lines().next().unwrap();
        assert_eq!(message, format!("error: that would close a cycle: {named}"));
        let hint = format!("hint: git beads dep rm {last} --on c-{}", n - 2);
        assert!(said.contains(&hint), "{said}");
    }
}

#[test]
fn a_cycle_in_one_command_is_refused_whole() {
    let world = world();
    world.bd(&["dep", "add", "bd-b", "bd-a"]).ok();
    let before = commits(&world);
    let _ = world.bd(&["dep", "add", "bd-a", "bd-c", "bd-b"]).fails(3);
    assert_eq!(commits(&world), before);
    assert!(on(&world, "bd-a").is_empty());
}

#[test]
fn a_cycle_from_elsewhere_is_found() {
    let world = World::with_store();
    let line = |id: &str, on: &str| {
        format!(
            r#"{{"id":"{id}","title":"{id}","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","dependencies":[{{"issue_id":"{id}","depends_on_id":"{on}","type":"blocks"}}]}}"#
        )
    };
    world
        .bd_with(
            format!("{}\n{}\n", line("bd-x", "bd-y"), line("bd-y", "bd-x")),
            &["import", "-"],
        )
        .ok();
    let cycles = world.bd(&["dep", "cycles", "--json"]).json()["cycles"].clone();
    assert_eq!(cycles.as_array().unwrap().len(), 1);
    let mut members = ids(&cycles[0]);
    members.sort_unstable();
    assert_eq!(members, ["bd-x", "bd-y"]);
}

#[test]
fn the_tree_shows_what_an_issue_waits_for() {
    let world = world();
    named(&world, "bd-d", &["d"]);
    world.bd(&["dep", "add", "bd-a", "bd-b", "bd-c"]).ok();
    world.bd(&["dep", "add", "bd-b", "bd-d"]).ok();
    world
        .bd(&["dep", "add", "bd-c", "bd-b", "external:x:y"])
        .ok();
    world
        .bd(&["dep", "add", "bd-d", "bd-a", "-t", "related"])
        .ok();
    world.bd(&["done", "bd-d"]).ok();
    assert_snapshot!(world.bd(&["dep", "tree", "bd-a"]).all(), @"
    bd-a [open] a
      bd-b [open] b
        bd-d [closed] d
          bd-a [open] a (related) (shown above)
      bd-c [open] c
        bd-b [open] b (shown above)
        external:x:y
    ");
    let tree = world.bd(&["dep", "tree", "bd-a", "--json"]).json()["tree"].clone();
    assert_eq!(
        (&tree["id"], ids(&tree["depends_on"])),
        (&"bd-a".into(), vec!["bd-b", "bd-c"])
    );
}

#[test]
fn an_unknown_issue_or_type_is_an_error() {
    let world = world();
    assert!(
        world
            .bd(&["dep", "add", "bd-a", "bd-zzzz"])
            .fails(1)
            .contains("bd-zzzz not found")
    );
    assert!(
        world
            .bd(&["dep", "add", "bd-a", "bd-b", "-t", "a b"])
            .fails(1)
            .contains("dependency type")
    );
}

#[test]
fn parent_child_is_the_same_as_a_parent() {
    let world = world();
    world
        .bd(&["dep", "add", "bd-a", "bd-b", "-t", "parent-child"])
        .ok();
    assert_eq!(quiet(&world, &["list", "--parent", "bd-b"]), ["bd-a"]);
    assert_eq!(issue(&world, "bd-a")["parent"], "bd-b");
    world
        .bd(&["dep", "rm", "bd-a", "bd-b", "-t", "parent-child"])
        .ok();
    assert!(issue(&world, "bd-a").get("parent").is_none());
}

#[test]
fn a_part_does_not_wait_for_its_whole() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "Epic"]);
    let child = world.create(&["Child", "--parent", &epic]);
    let deep = world.create(&["Deep", "--parent", &child]);
    for part in [&child, &deep] {
        let said = world.bd(&["dep", "add", part, "--on", &epic]).fails(3);
        assert!(
            said.contains(&format!(
                "{part} is part of {epic}, which ends with its parts"
            )),
            "{said}"
        );
        world
            .bd(&["dep", "add", part, "--on", &epic, "--type", "related"])
            .ok();
    }
    world.bd(&["dep", "add", &epic, "--on", &child]).ok();
}

#[test]
fn a_part_does_not_wait_for_its_whole_however_deep_it_is() {
    let world = World::with_store();
    let top = world.create(&["Top", "-t", "epic"]);
    let below = |above: String, n: usize| {
        let id = world.create(&[&format!("Level {n}"), "-t", "epic"]);
        world.bd(&["update", &id, "--parent", &above]).ok();
        id
    };
    let deepest = (1..40).fold(top.clone(), below);
    let said = world.bd(&["dep", "add", &deepest, "--on", &top]).fails(3);
    assert!(said.contains("which ends with its parts"), "{said}");
}

#[test]
fn a_word_in_another_case_is_the_same_word() {
    let world = World::with_store();
    let (a, b) = (
        world.create(&["A", "-t", "Bug"]),
        world.create(&["B", "-t", "Own-Type"]),
    );
    world
        .bd(&["dep", "add", &a, "--on", &b, "--type", "Blocks"])
        .ok();
    assert_eq!(world.bd(&["blocked", "-q"]).ok().trim(), a);
    assert_eq!(world.bd(&["list", "-t", "BUG", "-q"]).ok().trim(), a);
    assert_eq!(
        world.bd(&["show", &a, "--json"]).json()["issue"]["type"],
        "bug"
    );
    assert_eq!(
        world.bd(&["show", &b, "--json"]).json()["issue"]["type"],
        "Own-Type",
        "what nobody knows stays"
    );
}

#[test]
fn a_deleted_issue_depends_on_nothing() {
    let world = World::with_store();
    let (first, second) = (world.create(&["First"]), world.create(&["Second"]));
    world.bd(&["dep", "add", &second, "--on", &first]).ok();
    let count = || issue(&world, &first)["dependent_count"].clone();
    assert_eq!(count(), 1);
    world.bd(&["delete", &second]).ok();
    assert_eq!(count(), 0);
    world.bd(&["restore", &second]).ok();
    assert_eq!(count(), 1);
}

#[test]
fn what_an_issue_waits_for_is_no_parent_of_it() {
    let world = world();
    world.bd(&["dep", "add", "bd-a", "--on", "bd-b"]).ok();
    world.bd(&["update", "bd-c", "--parent", "bd-b"]).ok();
    for parent in ["bd-b", "bd-c"] {
        let error = world.bd(&["update", "bd-a", "--parent", parent]).fails(3);
        assert!(
            error.contains("bd-a is blocked by bd-b, so it can't be part of it"),
            "{error}"
        );
        assert!(
            error.contains("hint: git beads dep rm bd-a --on bd-b"),
            "{error}"
        );
    }
    world.bd(&["dep", "rm", "bd-a", "--on", "bd-b"]).ok();
    world.bd(&["update", "bd-a", "--parent", "bd-c"]).ok();
}

#[test]
fn one_that_was_deleted_is_no_parent() {
    let world = world();
    world.bd(&["delete", "bd-a"]).ok();
    let error = world.bd(&["update", "bd-b", "--parent", "bd-a"]).fails(1);
    assert!(error.contains("bd-a is deleted"), "{error}");
}

#[test]
fn one_that_was_purged_can_be_removed() {
    let world = world();
    world.bd(&["dep", "add", "bd-a", "--on", "bd-b"]).ok();
    world.bd(&["purge", "bd-b", "--yes"]).ok();
    world.bd(&["dep", "rm", "bd-a", "--on", "bd-b"]).ok();
    assert!(on(&world, "bd-a").is_empty());
}

#[test]
fn of_many_cycles_the_first_are_spelled_out() {
    let world = World::with_store();
    let line = |id: String, on: String| {
        format!(
            "{{\"id\":\"{id}\",\"title\":\"t\",\"dependencies\":[{{\"depends_on_id\":\"{on}\",\"type\":\"blocks\"}}]}}\n"
        )
    };
    let pair = |n: usize| {
        let (a, b) = (format!("a-{n}"), format!("b-{n}"));
        line(a.clone(), b.clone()) + &line(b, a)
    };
    let path = world.file("pairs.jsonl", (0..103).map(pair).collect::<String>());
    world.bd(&["import", &path]).ok();
    let answer = world.bd(&["dep", "cycles", "--json"]).json();
    assert_eq!(answer["cycles"].as_array().unwrap().len(), 100);
    assert_eq!(answer["more"], 3);
    assert!(
        world
            .bd(&["dep", "cycles"])
            .ok()
            .ends_with("\nand 3 more\n")
    );
}

#[test]
fn what_is_at_the_end_of_a_deep_tree_is_shown_where_it_is_higher_up() {
    let world = World::with_store();
    for n in 0..30 {
        named(&world, &format!("bd-a{n:02}"), &["T"]);
    }
    named(&world, "bd-z", &["Z"]);
    named(&world, "bd-zz", &["Below"]);
    world.bd(&["dep", "add", "bd-z", "bd-zz"]).ok();
    for n in 0..29 {
        let (from, to) = (format!("bd-a{n:02}"), format!("bd-a{:02}", n + 1));
        world.bd(&["dep", "add", &from, &to]).ok();
    }
    world.bd(&["dep", "add", "bd-a29", "bd-z"]).ok();
    world.bd(&["dep", "add", "bd-a00", "bd-z"]).ok();
    let tree = world.bd(&["dep", "tree", "bd-a00"]).ok();
    assert!(
        tree.contains("bd-zz") && !tree.contains("shown above"),
        "{tree}"
    );
}
