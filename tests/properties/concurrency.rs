//! Many writers at once: every one succeeds, and nothing is lost.

use std::collections::BTreeSet;

use crate::support::plumbing::{REF, commits, git, object, program, shard, sound, together, uid};
use crate::support::{World, files_refs_only};

#[test]
fn twenty_creations_at_once_make_twenty_issues() {
    let world = World::with_store();
    let commands = (0..20)
        .map(|n| program(&world, &["create", "-q", &format!("Parallel {n}")]))
        .collect();
    let ids: BTreeSet<String> = together(commands)
        .into_iter()
        .map(crate::support::Output::ok)
        .collect();
    assert_eq!(ids.len(), 20, "{ids:?}");
    assert_eq!(commits(&world), 21);
    let list = world.bd(&["list", "--json", "-n", "0"]).json();
    let titles: BTreeSet<&str> = list["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles.len(), 20);
    sound(&world);
}

#[test]
fn the_first_creations_race_with_init() {
    let world = World::new();
    let outputs = together((0..6).map(|_| program(&world, &["init"])).collect());
    for output in outputs {
        output.ok();
    }
    assert_eq!(
        commits(&world),
        1,
        "one of them made the store, the others found it"
    );
}

#[test]
fn children_made_at_once_get_numbers_of_their_own() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let commands = (0..10).map(|n| {
        program(
            &world,
            &["create", "-q", "--parent", &epic, &format!("Child {n}")],
        )
    });
    let ids: BTreeSet<String> = together(commands.collect())
        .into_iter()
        .map(|output| output.ok().trim().to_owned())
        .collect();
    assert_eq!(ids, (1..=10).map(|n| format!("{epic}.{n}")).collect());
}

/// Eight processes with ten writes each, every one with a seed and a time of its own.
#[test]
fn eight_processes_with_mixed_writes_lose_nothing() {
    let world = World::with_store();
    let shared = world.create(&["Shared"]);
    let script = r#"set -e
run() { n=$((n + 1)); GIT_BEADS_SEED=$1-$n git-beads --actor "$@"; }
n=0
a=$(run "$1" create -q "$1 first")
run "$1" note "$2" --finding "$1 finding"
run "$1" update "$a" -p P1 --add-label "$1"
b=$(GIT_BEADS_SEED=$1-x git-beads --actor "$1" create -q "$1 second")
run "$1" dep add "$b" --on "$a"
run "$1" start "$a"
run "$1" label "$2" "$1"
run "$1" note "$a" --decision "$1 decision"
run "$1" done "$a" -r "$1 reason"
run "$1" note "$2" --comment "$1 comment"
"#;
    let file = world.file("writer.sh", script);
    let commands = (0..8)
        .map(|n| world.command("repo", "sh", &[&file, &format!("w{n}"), &shared]))
        .collect();
    for output in together(commands) {
        output.ok();
    }
    assert_eq!(commits(&world), 2 + 80);
    let list = world.bd(&["list", "--all", "--json", "-n", "0"]).json();
    assert_eq!(list["total_count"], 17);
    let shown = world.bd(&["show", &shared, "--json"]).json();
    assert_eq!(shown["issue"]["labels"].as_array().unwrap().len(), 8);
    assert_eq!(shown["memory"]["findings"].as_array().unwrap().len(), 8);
    assert_eq!(shown["memory"]["comments"].as_array().unwrap().len(), 8);
    let closed = world
        .bd(&["list", "-s", "closed", "--json", "-n", "0"])
        .json();
    assert_eq!(closed["total_count"], 8);
    sound(&world);
}

#[test]
fn splits_of_one_epic_at_once_give_every_child_an_id() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let plan = world.file(
        "plan.json",
        r#"[{"title":"a"},{"title":"b","depends_on":[0]},{"title":"c","depends_on":[1]}]"#,
    );
    let commands = (0..6)
        .map(|_| program(&world, &["split", "-q", &epic, "-F", &plan]))
        .collect();
    let ids: Vec<String> = together(commands)
        .into_iter()
        .flat_map(|o| {
            o.ok()
                .split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(ids.len(), 18);
    assert_eq!(
        ids.iter().cloned().collect::<BTreeSet<_>>(),
        (1..=18).map(|n| format!("{epic}.{n}")).collect()
    );
    assert_eq!(commits(&world), 8);
    assert_eq!(
        world.bd(&["blocked", "--json", "-n", "0"]).json()["total_count"],
        12
    );
}

#[test]
fn only_one_of_many_claims_the_first_ready_issue() {
    let world = World::with_store();
    for n in 0..4 {
        world.create(&[&format!("Job {n}")]);
    }
    let commands = (0..4)
        .map(|n| {
            program(
                &world,
                &["--actor", &format!("w{n}"), "ready", "--claim", "-q"],
            )
        })
        .collect();
    let claimed: BTreeSet<String> = together(commands)
        .into_iter()
        .map(crate::support::Output::ok)
        .collect();
    assert_eq!(claimed.len(), 4, "{claimed:?}");
    let commands = (0..6)
        .map(|n| {
            program(
                &world,
                &[
                    "--actor",
                    &format!("w{n}"),
                    "create",
                    "--key",
                    "k",
                    "-q",
                    "Once",
                ],
            )
        })
        .collect();
    let made: BTreeSet<String> = together(commands)
        .into_iter()
        .map(crate::support::Output::ok)
        .collect();
    assert_eq!(made.len(), 6, "a key belongs to its actor");
}

#[test]
fn one_key_of_one_actor_makes_one_issue() {
    let world = World::with_store();
    let commands = (0..8)
        .map(|_| program(&world, &["create", "--key", "k", "-q", "Once"]))
        .collect();
    let made: BTreeSet<String> = together(commands)
        .into_iter()
        .map(crate::support::Output::ok)
        .collect();
    assert_eq!(made.len(), 1, "{made:?}");
    assert_eq!(commits(&world), 2);
}

/// A program that takes no lock of ours but moves the ref as git does.
#[test]
fn a_writer_outside_our_lock_loses_nothing_and_harms_nothing() {
    let world = World::with_store();
    let id = world.create(&["Ours"]);
    let home = uid(&world, &id);
    let [a, b, c] = shard(&home);
    let mut entries = String::new();
    for n in 0..15 {
        let entry = format!("01J00000000000000000000{n:03}");
        let text = format!(
            "{{\"at\":{{\"*\":\"{entry}\"}},\"by\":{{\"*\":\"other\"}},\"kind\":\"finding\",\"min_reader\":1,\"text\":\"outside {n}\",\"uid\":\"{entry}\",\"v\":1}}\n"
        );
        entries.push_str(&format!(
            "{},issues/{a}/{b}/{c}/{home}/{entry}.json\n",
            object(&world, &text)
        ));
    }
    let list = world.file("entries", entries);
    let script = r#"export GIT_INDEX_FILE="$2"
while read -r entry; do
  while :; do
    old=$(git rev-parse refs/beads/main) || exit 1
    git read-tree "$old" && git update-index --add --cacheinfo "100644,$entry" || exit 1
    new=$(git commit-tree "$(git write-tree)" -p "$old" -m outside) || exit 1
    git update-ref refs/beads/main "$new" "$old" 2>/dev/null && break
  done
done < "$1"
"#;
    let script = world.file("outside.sh", script);
    let scratch = world.path("scratch.index").display().to_string();
    let inside = r#"for n in 1 2 3 4 5 6 7 8; do GIT_BEADS_SEED=$1-$n git-beads create -q "$1 $n" || exit; done"#;
    let inside = world.file("inside.sh", inside);
    let commands = vec![
        world.command("repo", "sh", &[&script, &list, &scratch]),
        world.command("repo", "sh", &[&inside, "one"]),
        world.command("repo", "sh", &[&inside, "two"]),
    ];
    for output in together(commands) {
        output.ok();
    }
    assert_eq!(commits(&world), 2 + 15 + 16);
    assert_eq!(
        git(&world, &["log", "--format=%s", REF])
            .matches("outside")
            .count(),
        15
    );
    assert_eq!(
        world.bd(&["list", "--json", "-n", "0"]).json()["total_count"],
        17
    );
    let shown = world.bd(&["show", &id, "--json", "--memory", "100"]).json();
    assert_eq!(shown["memory"]["findings"].as_array().unwrap().len(), 15);
    sound(&world);
}

#[test]
fn bulk_imports_at_once_keep_both() {
    let world = World::with_store();
    let one = world.file("one.jsonl", crate::support::plumbing::lines(130));
    let two = world.file(
        "two.jsonl",
        crate::support::plumbing::lines(130).replace("imp-", "two-"),
    );
    let commands = vec![
        program(&world, &["import", &one]),
        program(&world, &["import", &two]),
        program(&world, &["create", "Between"]),
    ];
    for output in together(commands) {
        output.ok();
    }
    assert_eq!(
        world.bd(&["list", "--json", "-n", "0"]).json()["total_count"],
        261
    );
    assert_eq!(commits(&world), 4);
    sound(&world);
}

#[test]
fn readers_never_fail_while_others_write() {
    let world = World::with_store();
    for n in 0..5 {
        world.create(&[&format!("Before {n}")]);
    }
    let mut commands = Vec::new();
    for n in 0..8 {
        commands.push(program(&world, &["create", &format!("New {n}")]));
        commands.push(program(&world, &["list", "--json"]));
        commands.push(program(&world, &["search", "before", "--json"]));
    }
    for (n, output) in together(commands).into_iter().enumerate() {
        let text = output.ok();
        if n % 3 == 2 {
            assert!(text.contains("\"total_count\":5"), "{text}");
        }
    }
}

#[test]
fn a_ref_that_git_holds_locked_is_busy_and_unharmed() {
    let _files = files_refs_only();
    let world = World::with_store();
    let before = crate::support::plumbing::tip(&world);
    let lock = world.file("repo/.git/refs/beads/main.lock", "");
    assert!(world.bd(&["create", "x"]).fails(3).contains("hint:"));
    assert!(
        std::path::Path::new(&lock).exists(),
        "a foreign lock is never broken"
    );
    assert_eq!(crate::support::plumbing::tip(&world), before);
    world.bd(&["list"]).ok();
    std::fs::remove_file(lock).unwrap();
    world.create(&["x"]);
}

#[test]
fn purges_at_the_same_time_all_succeed() {
    let world = World::with_store();
    for round in 0..3 {
        let title = |n| format!("Leak {round} {n}");
        let ids: Vec<String> = (0..4).map(|n| world.create(&[&title(n)])).collect();
        let purge = |id: &String| program(&world, &["purge", id, "--yes"]);
        for output in together(ids.iter().map(purge).collect()) {
            output.ok();
        }
    }
    sound(&world);
}
