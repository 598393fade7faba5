//! `purge`: afterwards no file of ours holds the text, and it is asked for first.

use std::path::{Path, PathBuf};

use crate::support::World;
use crate::support::events::WAITS_FOR_PACKER;
use crate::support::plumbing::{REF, git, quiet, tip};

const LEAK: &str = "hunter2xyzzy";

/// The files below `.git/beads` that hold the text, by name.
fn holding(world: &World) -> Vec<String> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else {
                found.push(path);
            }
        }
    }
    let mut all = Vec::new();
    walk(&world.path("repo/.git/beads"), &mut all);
    all.retain(|path| {
        // What has gone meanwhile holds nothing.
        let bytes = std::fs::read(path).unwrap_or_default();
        bytes
            .windows(LEAK.len())
            .any(|part| part == LEAK.as_bytes())
    });
    let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut names: Vec<String> = all.into_iter().map(name).collect();
    names.sort();
    names
}

/// Returns the number of generations of the index.
fn generations(world: &World) -> usize {
    let names = std::fs::read_dir(world.path("repo/.git/beads")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| name.starts_with("index-") && !name.ends_with(".late.db"))
        .count()
}

/// An issue whose text is in generations of several boots, with texts and operations indexed.
fn leaked() -> (World, String) {
    let mut world = World::with_store();
    let id = world.create(&[&format!("leak {LEAK}")]);
    world
        .bd(&["note", &id, "--finding", &format!("{LEAK} too")])
        .ok();
    for boot in ["b1", "b2", "b3"] {
        world.set("GIT_BEADS_BOOT", boot);
        world.create(&["More"]);
        world.bd(&["search", LEAK]).ok();
        world.bd(&["log"]).ok();
    }
    quiet(&world);
    (world, id)
}

#[test]
fn a_notice_of_an_answer_goes_too() {
    let (world, id) = leaked();
    world
        .bd(&["--agent", "c-1", "ask", &id, "Which word?"])
        .ok();
    world.bd(&["answer", &id, LEAK]).ok();
    let notices = "repo/.git/beads/agents/c-1.notes";
    assert!(world.path(notices).exists());
    world.bd(&["purge", "--yes", &id]).ok();
    assert!(!world.path(notices).exists());
    assert!(!world.bd(&["--agent", "c-1", "list"]).all().contains(LEAK));
}

#[test]
fn after_a_purge_no_file_of_ours_holds_the_text() {
    let (world, id) = leaked();
    // What killed writers and damage have left, of each kind that the list has, and of another schema.
    for name in [
        "object-x1",
        "journal-new-x1",
        "index-new-x1",
        "aside-journal-1",
        "index-9-4.db",
        "index-9-4.late.db",
    ] {
        world.file(&format!("repo/.git/beads/{name}"), format!("{LEAK}\n"));
    }
    world.file("repo/.git/beads/object-folder/pack", LEAK);
    world.file("repo/.git/beads/aside-ref-1", "garbage");
    assert!(holding(&world).len() > 8, "{:?}", holding(&world));
    let said = world.bd(&["purge", "--yes", &id]).ok();
    assert!(said.contains("is purged, with 1 entry of memory"), "{said}");
    assert!(
        said.contains(
            "5 commits of the history, none of which was sent, are rewritten without the text"
        ),
        "{said}"
    );
    assert_eq!(holding(&world), Vec::<String>::new());
    assert!(world.path("repo/.git/beads/aside-ref-1").exists());
    assert_eq!(generations(&world), 1);
    world.bd(&["search", LEAK, "--exit-code"]).fails(1);
    assert!(
        !world
            .bd(&["list", "--all", "--deleted"])
            .ok()
            .contains(LEAK)
    );
    assert!(!world.bd(&["log"]).ok().contains(LEAK));
    assert_eq!(holding(&world), Vec::<String>::new());
}

#[test]
fn a_purge_waits_for_who_packs_a_journal() {
    let (mut world, id) = leaked();
    let journal = world.path("repo/.git/beads/packed-77");
    std::fs::copy(world.path("repo/.git/beads/journal"), &journal).unwrap();
    let packing = std::fs::File::open(&journal).unwrap();
    packing.lock().unwrap();
    git(&world, &["config", "beads.lockTimeout", "1"]);
    let said = world.bd(&["purge", "--yes", &id]).fails(3);
    assert!(said.contains("packed-77"), "{said}");
    git(&world, &["config", "beads.lockTimeout", "300"]);
    let events = world.events();
    let ends = std::thread::spawn(move || {
        events.wait(WAITS_FOR_PACKER, 1);
        drop(packing);
    });
    world.bd(&["purge", "--yes", &id]).ok();
    ends.join().unwrap();
    assert_eq!(holding(&world), Vec::<String>::new());
}

#[test]
fn a_dry_run_names_what_goes_and_changes_nothing() {
    let (world, id) = leaked();
    let (before, held) = (tip(&world), holding(&world));
    let plan = world.bd(&["purge", "--dry-run", "--json", &id]).json();
    assert_eq!(
        [&plan["memory"], &plan["held_by"], &plan["rewritten"]],
        [1, 0, 5]
    );
    let files = plan["files"].to_string();
    for name in &held {
        assert!(files.contains(&format!("/{name}: ")), "{name}: {files}");
    }
    let said = world.bd(&["purge", "--dry-run", &id]).ok();
    assert!(
        said.contains(&format!("would purge {id}")) && said.contains("would rewrite 5 commits"),
        "{said}"
    );
    assert_eq!((tip(&world), holding(&world)), (before, held));
}

#[test]
fn a_purge_is_asked_for() {
    let (world, id) = leaked();
    let before = tip(&world);
    let said = world.bd(&["purge", &id]).fails(2);
    assert!(
        said.contains("nothing was purged")
            && said.contains(&format!("hint: git beads purge {id} --yes")),
        "{said}"
    );
    let asked = |answer| {
        let words = [crate::support::binary(), "purge", &id];
        world.conversation("repo", (50, 120), &words, &[("[y/N]", answer)])
    };
    let Some(said) = asked("n\r") else { return };
    assert_eq!((said.code, tip(&world)), (3, before));
    assert!(said.stdout.contains("would clear"), "{said:?}");
    assert_eq!(asked("y\r").unwrap().code, 0);
    assert_eq!(holding(&world), Vec::<String>::new());
}

#[test]
fn uninstall_goes_by_the_same_list() {
    let (world, _) = leaked();
    for name in [
        "journal-new-x1",
        "index-9-4.db",
        "aside-journal-1",
        "notes.txt",
    ] {
        world.file(&format!("repo/.git/beads/{name}"), "x");
    }
    world.file("repo/.git/beads/object-folder/pack", "x");
    for args in [&["uninstall", "--dry-run"][..], &["uninstall"]] {
        let said = world.bd(args).ok();
        for kept in ["aside-journal-1", "notes.txt"] {
            assert!(
                said.contains(&format!("WORLD/repo/.git/beads/{kept}")),
                "{said}"
            );
        }
    }
    let left = std::fs::read_dir(world.path("repo/.git/beads")).unwrap();
    let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["aside-journal-1", "notes.txt"]);
    assert!(!git(&world, &["rev-parse", REF]).is_empty());
}

#[test]
fn many_reboots_leave_two_generations() {
    let mut world = World::with_store();
    for n in 0..60 {
        world.set("GIT_BEADS_BOOT", &format!("boot{n}"));
        if n % 10 == 0 {
            world.create(&["One more"]);
        }
        world.bd(&["list"]).ok();
        assert!(generations(&world) <= 2, "{n}");
    }
}

#[test]
fn two_machines_that_take_turns_keep_a_generation_each() {
    let mut world = World::with_store();
    for machine in ["b1", "b2"] {
        world.set("GIT_BEADS_BOOT", machine);
        world.bd(&["list"]).ok();
    }
    let files = |world: &World| {
        let names = std::fs::read_dir(world.path("repo/.git/beads")).unwrap();
        let mut names: Vec<String> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with("index-"))
            .collect();
        names.sort();
        names
    };
    let before = files(&world);
    for n in 0..6 {
        world.set("GIT_BEADS_BOOT", ["b1", "b2"][n % 2]);
        let title = format!("Turn {n}");
        world.create(&[&title]);
        assert!(world.bd(&["list"]).ok().contains(&title));
        assert_eq!(files(&world), before, "without a rebuild");
    }
    assert_eq!(world.bd(&["list", "-q"]).ok().lines().count(), 6);
}

#[test]
fn an_older_export_brings_nothing_back() {
    let world = World::with_store();
    let id = world.create(&[LEAK]);
    world.bd(&["note", &id, "--finding", LEAK]).ok();
    world.bd(&["export", "all.jsonl"]).ok();
    world.bd(&["purge", &id, "--yes"]).ok();
    let purged = tip(&world);
    let said = world.bd(&["import", "all.jsonl"]).ok();
    assert!(said.contains("0 created, 0 updated, 1 unchanged"), "{said}");
    let changed = git(&world, &["diff", "--stat", &purged, REF]);
    assert!(changed.is_empty(), "{changed}");
}
