//! Built whole or step by step, by one process or by several: the same answers.

use crate::properties::index::{drop_index, everything};
use crate::support::World;
use crate::support::look::named;
use crate::support::plumbing::{REF, git, program, put, tip, together};

/// A generator of numbers that is the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n
    }

    fn one<'a>(&mut self, of: &'a [String]) -> &'a str {
        &of[self.below(of.len())]
    }
}

/// One operation of any kind; what is refused (a cycle, say) is part of the walk.
fn step(world: &World, dice: &mut Dice, ids: &mut Vec<String>, n: usize) {
    let title = format!("Issue {n} {}", ["alpha", "beta", "gamma"][dice.below(3)]);
    let kind = ["task", "bug", "epic"][dice.below(3)];
    let priority = dice.below(5).to_string();
    if ids.len() < 4 || dice.below(4) == 0 {
        let parent = (!ids.is_empty() && dice.below(2) == 0).then(|| dice.one(ids).to_owned());
        let mut args = vec!["create", "-q", &title, "-t", kind, "-p", &priority];
        args.extend(
            parent
                .iter()
                .flat_map(|parent| ["--parent", parent.as_str()]),
        );
        let made = world.bd(&args);
        if made.code == 0 {
            ids.push(made.ok().trim().to_owned());
        }
        return;
    }
    let (a, b) = (dice.one(ids).to_owned(), dice.one(ids).to_owned());
    let label = ["red", "green"][dice.below(2)];
    let plan = world.file(
        "plan.json",
        r#"[{"title":"left alpha"},{"title":"right","depends_on":[0]}]"#,
    );
    let free = format!("bd-free{n}");
    let choices: [&[&str]; 18] = [
        &["update", &a, "--title", &title],
        &["update", &a, "-p", &priority, "--add-label", label],
        &["update", &a, "--rm-label", label],
        &["update", &a, "--parent", &b],
        &["update", &a, "--parent", ""],
        &["update", &a, "-t", kind, "-d", &title],
        &["start", &a, "--force"],
        &["note", &a, "--finding", &title, "--comment", "alpha"],
        &["done", &a, "-r", "because"],
        &["done", &a, &b],
        &["reopen", &a, "-r", "again"],
        &["block", &a, "-r", "waits"],
        &["defer", &a, "--until", "2027-01-01"],
        &["delete", &a],
        &["restore", &a],
        &["dep", "add", &a, "--on", &b],
        &[
            "dep",
            "add",
            &a,
            "--on",
            "external:x:y",
            &free,
            "--type",
            "related",
        ],
        &["split", &a, "-F", &plan],
    ];
    let choice = dice.below(choices.len() + 2);
    let output = match choices.get(choice) {
        Some(args) => world.bd(args),
        None if choice == choices.len() => world.bd(&["dep", "rm", &a, "--on", &b]),
        None => {
            let renamed = world.bd(&["rename", &a, &free]);
            if renamed.code == 0 {
                ids.iter_mut()
                    .filter(|id| **id == a)
                    .for_each(|id| id.clone_from(&free));
            }
            renamed
        }
    };
    assert!([0, 1, 3].contains(&output.code), "{output:?}");
    let import = format!(
        "{{\"id\":\"imp-{}\",\"title\":\"{title}\",\"status\":\"open\",\"priority\":1,\"updated_at\":\"2025-01-01T00:00:{:02}Z\",\"dependencies\":[{{\"issue_id\":\"imp-{}\",\"depends_on_id\":\"{a}\",\"type\":\"blocks\"}}]}}\n",
        n % 4,
        n % 60,
        n % 4
    );
    if dice.below(8) == 0 {
        let file = world.file("step.jsonl", import);
        world.bd(&["import", &file]).ok();
    }
}

fn walk(seed: u64, steps: usize) -> World {
    let world = World::with_store();
    let (mut dice, mut ids) = (Dice(seed), Vec::new());
    for n in 0..steps {
        step(&world, &mut dice, &mut ids, n);
    }
    world
}

#[track_caller]
fn equal_when_rebuilt(world: &World, what: &str) {
    let grown = everything(world);
    drop_index(world);
    let whole = everything(world);
    for (grown, whole) in grown.iter().zip(&whole) {
        assert_eq!(grown, whole, "{what}");
    }
}

#[test]
fn step_by_step_is_as_built_whole() {
    for seed in [1, 20_261_120] {
        let world = walk(seed, 60);
        // In this order: a search finds the same issues in any.
        let search = |text: &str| world.bd(&["search", text, "-q", "-n", "0"]).ok();
        let grown = ["alpha", "beta", "left", "issue"].map(search);
        equal_when_rebuilt(&world, &format!("seed {seed}"));
        assert_eq!(["alpha", "beta", "left", "issue"].map(search), grown);
    }
}

#[test]
fn after_every_step_it_is_as_built_whole() {
    let world = World::with_store();
    let (mut dice, mut ids) = (Dice(7), Vec::new());
    for n in 0..25 {
        step(&world, &mut dice, &mut ids, n);
        if n % 3 == 0 {
            equal_when_rebuilt(&world, &format!("step {n}"));
        }
    }
}

#[test]
fn one_leap_over_many_commits_is_as_built_whole() {
    let world = walk(3, 50);
    let newest = tip(&world);
    for back in [40, 25, 10] {
        let older = git(&world, &["rev-parse", &format!("{newest}~{back}")]);
        git(&world, &["update-ref", REF, &older]);
        world.bd(&["search", "alpha"]).ok();
        git(&world, &["update-ref", REF, &newest]);
        equal_when_rebuilt(&world, &format!("{back} commits at once"));
    }
}

/// Ids that two issues have, edges that close a circle together.
#[test]
fn what_two_walks_come_to_together_is_as_built_whole() {
    for seed in [5, 6, 102] {
        let world = World::with_store();
        let (mut dice, mut ids) = (Dice(seed), Vec::new());
        let mut walk = |from: usize, ids: &mut Vec<String>| {
            (from..from + 20).for_each(|n| step(&world, &mut dice, ids, n));
        };
        walk(0, &mut ids);
        let base = (tip(&world), ids.clone());
        world
            .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
            .ok();
        git(&world, &["remote", "add", "origin", "../hub.git"]);
        walk(20, &mut ids);
        git(&world, &["push", "--quiet", "origin", REF]);
        git(&world, &["update-ref", REF, &base.0]);
        let mut others = base.1;
        walk(20, &mut others);
        world.bd(&["sync"]).ok();
        ids.extend(others);
        walk(60, &mut ids);
        equal_when_rebuilt(&world, &format!("seed {seed}"));
    }
}

#[test]
fn backwards_is_as_built_whole() {
    let world = walk(5, 40);
    world.bd(&["search", "alpha"]).ok();
    world.bd(&["log"]).ok();
    let older = git(&world, &["rev-parse", &format!("{REF}~20")]);
    git(&world, &["update-ref", REF, &older]);
    equal_when_rebuilt(&world, "20 commits back");
}

#[test]
fn several_processes_that_catch_up_at_once_leave_a_right_index() {
    let world = walk(11, 40);
    let newest = tip(&world);
    let older = git(&world, &["rev-parse", &format!("{newest}~30")]);
    for _ in 0..3 {
        git(&world, &["update-ref", REF, &older]);
        world.bd(&["list"]).ok();
        git(&world, &["update-ref", REF, &newest]);
        let readers = (0..8).map(|n| {
            program(
                &world,
                &[["list", "ready", "status", "blocked"][n % 4], "--json"],
            )
        });
        for output in together(readers.collect()) {
            output.ok();
        }
        equal_when_rebuilt(&world, "eight at once");
    }
}

#[test]
fn several_processes_that_build_at_once_leave_a_right_index() {
    let world = walk(13, 30);
    let right = everything(&world);
    for _ in 0..3 {
        drop_index(&world);
        let readers =
            (0..8).map(|_| program(&world, &["list", "--all", "--deleted", "--json", "-n", "0"]));
        for output in together(readers.collect()) {
            assert_eq!(output.ok(), right[0]);
        }
        assert_eq!(everything(&world), right);
    }
}

#[test]
fn a_clone_answers_as_the_original() {
    let world = walk(17, 40);
    world.git_in(".", &["init", "--quiet", "clone"]).ok();
    world
        .git_in(
            "clone",
            &[
                "fetch",
                "--quiet",
                "../repo",
                "refs/beads/main:refs/beads/main",
            ],
        )
        .ok();
    let list = ["list", "--all", "--deleted", "--json", "-n", "0"];
    assert_eq!(world.bd_in("clone", &list).ok(), world.bd(&list).ok());
    assert_eq!(
        world.bd_in("clone", &["export"]).ok(),
        world.bd(&["export"]).ok()
    );
}

/// Asserts that the cache that was kept up says what a new one says.
fn same_as_new(world: &World, questions: &[&[&str]]) {
    let answers = || -> Vec<String> { questions.iter().map(|args| world.bd(args).all()).collect() };
    let kept = answers();
    drop_index(world);
    assert_eq!(kept, answers());
}

#[test]
fn a_rename_that_closes_or_opens_a_cycle_is_seen() {
    let world = World::with_store();
    let waits = |id: &str, on: &str| {
        format!(
            "{{\"id\":\"{id}\",\"title\":\"T\",\"dependencies\":[{{\"depends_on_id\":\"{on}\",\"type\":\"blocks\"}}]}}\n"
        )
    };
    let file = world.file("all.jsonl", waits("t-1", "t-zz") + &waits("t-2", "t-1"));
    world.bd(&["import", &file]).ok();
    let questions: [&[&str]; 3] = [&["ready"], &["blocked"], &["dep", "cycles"]];
    world.bd(&["list"]).ok();
    world.bd(&["rename", "t-2", "t-zz"]).ok();
    assert!(world.bd(&["dep", "cycles"]).ok().contains("t-zz"));
    same_as_new(&world, &questions);
    world.bd(&["undo"]).ok();
    assert!(world.bd(&["dep", "cycles"]).ok().starts_with("no issues"));
    same_as_new(&world, &questions);
}

#[test]
fn an_entry_that_can_not_be_read_any_more_is_not_shown_as_it_was() {
    let world = World::with_store();
    let id = world.create(&["T"]);
    world.bd(&["note", &id, "--finding", "learnt"]).ok();
    world.bd(&["prime"]).ok();
    let paths = world.git(&["ls-tree", "-r", "--name-only", REF]).ok();
    let is_entry = |path: &&str| path.contains('/') && !path.ends_with("issue.json");
    let place = paths.lines().rfind(is_entry).unwrap();
    let text = world.git(&["show", &format!("{REF}:{place}")]).ok();
    put(
        &world,
        place,
        &text.replace("\"min_reader\":1", "\"min_reader\":9"),
    );
    same_as_new(&world, &[&["prime"], &["doctor"]]);
}

#[test]
fn what_was_purged_is_in_no_past_state() {
    let world = World::with_store();
    for n in 0..5 {
        named(&world, &format!("bd-{n}aa"), &["T"]);
    }
    let before = tip(&world);
    named(&world, "bd-gone", &["Later"]);
    world.bd(&["delete", "bd-gone"]).ok();
    world.bd(&["purge", "bd-gone", "--yes"]).ok();
    let _ = world.bd(&["show", "bd-gone", "--at", &before]).fails(1);
    let past = world
        .bd(&["list", "--all", "--at", &before, "--json"])
        .json();
    assert_eq!(past["total_count"], 5);
}

#[test]
fn a_deleted_issue_without_a_title_is_not_taken_for_a_purged_one() {
    let world = World::with_store();
    let record =
        |more: &str| format!("{{\"id\":\"t-1\",\"created_at\":\"2026-01-01T00:00:00Z\",{more}}}\n");
    let first = record(
        "\"title\":\"Title\",\"description\":\"text\",\"updated_at\":\"2026-01-01T00:00:00Z\"",
    );
    let file = world.file("first.jsonl", first);
    world.bd(&["import", &file]).ok();
    let before = tip(&world);
    let gone = record("\"status\":\"tombstone\",\"updated_at\":\"2026-02-01T00:00:00Z\"");
    let file = world.file("gone.jsonl", gone);
    world.bd(&["import", &file]).ok();
    let past = world.bd(&["show", "t-1", "--at", &before]).ok();
    assert!(past.contains("Title") && past.contains("text"), "{past}");
    let log = world.bd(&["log", "t-1"]).ok();
    assert!(log.contains("created"), "{log}");
}
