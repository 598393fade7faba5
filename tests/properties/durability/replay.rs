//! A readable ref is never replaced, and what was answered never goes without a word.

use std::path::Path;

use crate::support::plumbing::{REF, drop_index, git, hub, sound, tip};
use crate::support::{World, files_refs_only};

const NO_BOOT: &str = " ";

fn boot(world: &mut World, name: &str) {
    world.set("GIT_BEADS_BOOT", name);
}

fn titles(world: &World) -> Vec<String> {
    let list = world.bd(&["list", "--json", "-n", "0"]).json();
    let issues = list["issues"].as_array().unwrap().iter();
    let titles = issues.map(|issue| issue["title"].as_str().unwrap().to_owned());
    titles.collect()
}

fn collect(world: &World) {
    git(world, &["reflog", "expire", "--expire=now", "--all"]);
    git(world, &["gc", "--quiet", "--prune=now"]);
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => _ = std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap(),
        }
    }
}

/// A commit without parents that has the state of the ref.
fn squashed(world: &World) -> String {
    git(
        world,
        &["commit-tree", &format!("{REF}^{{tree}}"), "-m", "squashed"],
    )
}

/// Everything works, for us and for git, and the ref still leads to a commit.
fn works(world: &World, own: &str) {
    git(world, &["merge-base", "--is-ancestor", own, REF]);
    world.create(&["Works"]);
    sound(world);
    git(world, &["gc", "--quiet"]);
    assert!(titles(world).contains(&"Works".to_owned()));
}

#[test]
fn a_ref_that_a_fetch_replaced_stays_whole_after_a_reboot() {
    for copied in [false, true] {
        let mut world = World::with_store_made_here();
        world.create(&["Base"]);
        hub(&world);
        for n in 1..4 {
            boot(&mut world, &format!("b{n}"));
            world.create(&[&format!("Unsynced {n}")]);
            world.bd(&["hook", "fold"]).ok();
        }
        git(
            &world,
            &["fetch", "--quiet", "origin", "+refs/beads/*:refs/beads/*"],
        );
        collect(&world);
        let own = tip(&world);
        if copied {
            std::fs::rename(world.path("repo"), world.path("first")).unwrap();
            copy(&world.path("first"), &world.path("repo"));
        } else {
            boot(&mut world, "b4");
        }
        assert!(titles(&world).contains(&"Base".to_owned()));
        works(&world, &own);
        world.bd(&["sync"]).ok();
        sound(&world);
    }
}

#[test]
fn a_history_that_was_removed_does_not_come_back() {
    for collected in [false, true] {
        let mut world = World::with_store_made_here();
        for n in 1..4 {
            world.create(&[&format!("Work {n}")]);
        }
        let old = tip(&world);
        let own = squashed(&world);
        git(&world, &["update-ref", REF, &own]);
        if collected {
            collect(&world);
        }
        boot(&mut world, "next");
        assert_eq!(titles(&world).len(), 3);
        assert_eq!(tip(&world), own);
        let said = world.bd(&["doctor"]);
        assert!(
            said.stdout.contains(&format!("the ref lacks what {old}")),
            "{said:?}"
        );
        assert!(
            said.stdout.contains("it shares no history with the ref"),
            "{said:?}"
        );
        works(&world, &own);
        let _ = world.bd(&["doctor", "--fix"]);
        assert_eq!(git(&world, &["rev-list", "--count", REF]), "2");
        boot(&mut world, "the one after");
        works(&world, &own);
    }
}

#[test]
fn the_journal_of_another_repository_is_not_replayed() {
    let world = World::with_store_made_here();
    for n in 1..4 {
        world.create(&[&format!("Foreign {n}")]);
    }
    std::fs::rename(world.path("repo"), world.path("other")).unwrap();
    world.git_in(".", &["init", "--quiet", "repo"]).ok();
    world.bd(&["init"]).ok();
    world.create(&["Mine"]);
    let own = tip(&world);
    std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap();
    copy(
        &world.path("other/.git/beads"),
        &world.path("repo/.git/beads"),
    );
    assert_eq!(titles(&world), ["Mine"]);
    assert_eq!(tip(&world), own);
    works(&world, &own);
    assert_eq!(titles(&world), ["Mine", "Works"]);
}

#[test]
fn an_older_journal_that_came_back_changes_nothing() {
    let world = World::with_store_made_here();
    world.create(&["One"]);
    copy(&world.path("repo/.git/beads"), &world.path("backup"));
    world.create(&["Two"]);
    let own = tip(&world);
    std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap();
    copy(&world.path("backup"), &world.path("repo/.git/beads"));
    assert_eq!(titles(&world), ["One", "Two"]);
    assert_eq!(tip(&world), own);
    works(&world, &own);
}

#[test]
fn a_lost_rename_is_found_without_a_boot_id_too() {
    let _files = files_refs_only();
    for (before, after) in [("1", "2"), (NO_BOOT, NO_BOOT)] {
        let mut world = World::new();
        boot(&mut world, before);
        world.bd(&["init"]).ok();
        world.create(&["One"]);
        let file = world.path("repo/.git/refs/beads/main");
        let old = std::fs::read(&file).unwrap();
        world.create(&["Acknowledged"]);
        let acknowledged = tip(&world);
        std::fs::write(&file, old).unwrap();
        boot(&mut world, after);
        world.create(&["Later"]);
        assert_eq!(titles(&world), ["One", "Acknowledged", "Later"], "{before}");
        git(&world, &["merge-base", "--is-ancestor", &acknowledged, REF]);
        assert_eq!(git(&world, &["reflog", "-1", REF]).lines().count(), 1);
        sound(&world);
    }
}

#[test]
fn who_went_back_on_purpose_stays_there_after_a_reboot() {
    for after in ["2", NO_BOOT] {
        let mut world = World::new();
        boot(&mut world, if after == "2" { "1" } else { NO_BOOT });
        world.bd(&["init"]).ok();
        world.create(&["One"]);
        let older = tip(&world);
        world.create(&["Two"]);
        let newest = tip(&world);
        git(&world, &["update-ref", REF, &older]);
        boot(&mut world, after);
        drop_index(&world);
        world.create(&["Three"]);
        assert_eq!(titles(&world), ["One", "Three"], "{after}");
        let said = world.bd(&["status"]);
        assert!(said.stderr.contains(&newest), "{said:?}");
        world.bd(&["doctor", "--fix"]).ok();
        assert_eq!(titles(&world), ["One", "Two", "Three"]);
        sound(&world);
    }
}

#[test]
fn a_ref_that_was_set_back_is_named_until_it_is_brought_back() {
    let world = World::with_store_made_here();
    world.create(&["One"]);
    let older = tip(&world);
    world.create(&["Two"]);
    let newest = tip(&world);
    git(&world, &["update-ref", REF, &older]);
    for args in [&["list"][..], &["status"], &["show", "bd"], &["doctor"]] {
        let said = world.bd(args);
        let named = format!("lacks what {newest} has; to bring it back: git beads doctor --fix");
        assert!(said.stderr.contains(&named), "{args:?} {said:?}");
        assert_eq!(tip(&world), older);
    }
    world.create(&["Three"]);
    let said = world.bd(&["doctor", "--fix"]);
    assert!(
        said.stdout
            .contains(&format!("the ref lacks what {newest} has")),
        "{said:?}"
    );
    said.ok();
    let said = world.bd(&["list"]);
    assert!(!said.stderr.contains("lacks"), "{said:?}");
    assert_eq!(titles(&world), ["One", "Two", "Three"]);
    world.bd(&["doctor"]).ok();
    sound(&world);
}

/// The journal still holds what git has pruned, so it comes back from there.
#[test]
fn a_ref_that_was_set_back_is_named_after_git_has_pruned_what_it_lacks() {
    let world = World::with_store_made_here();
    world.create(&["One"]);
    let older = tip(&world);
    world.create(&["Two"]);
    let newest = tip(&world);
    git(&world, &["update-ref", REF, &older]);
    collect(&world);
    let named = format!("lacks what {newest} has; to bring it back: git beads doctor --fix");
    for args in [&["list"][..], &["create", "Three"], &["status"]] {
        let said = world.bd(args);
        assert_eq!(said.code, 0, "{args:?} {said:?}");
        assert!(said.stderr.contains(&named), "{args:?} {said:?}");
    }
    let said = world.bd(&["doctor", "--fix"]);
    assert!(said.stdout.contains("all fixed"), "{said:?}");
    let said = world.bd(&["list"]);
    assert!(!said.stderr.contains("lacks"), "{said:?}");
    assert_eq!(titles(&world), ["One", "Two", "Three"]);
    world.bd(&["doctor"]).ok();
    sound(&world);
}

#[test]
fn what_a_forced_fetch_dropped_is_merged_at_once() {
    for first in [&["list"][..], &["create", "After"]] {
        let world = World::with_store_made_here();
        world.create(&["One"]);
        hub(&world);
        world.create(&["Unsynced 1"]);
        world.create(&["Unsynced 2"]);
        git(
            &world,
            &[
                "fetch",
                "--quiet",
                "origin",
                "+refs/beads/main:refs/beads/main",
            ],
        );
        let said = world.bd(first);
        assert!(
            said.stderr.contains("what it dropped was merged again"),
            "{said:?}"
        );
        let after = titles(&world);
        assert_eq!(after[..3], ["One", "Unsynced 1", "Unsynced 2"], "{first:?}");
        let said = world.bd(&["sync"]);
        assert!(said.stdout.contains("sent"), "{said:?}");
        sound(&world);
    }
}

#[test]
fn what_a_forced_fetch_dropped_is_there_after_a_power_cut_took_the_merge() {
    let _files = files_refs_only();
    let mut world = World::new();
    boot(&mut world, "1");
    world.bd(&["init"]).ok();
    world.create(&["One"]);
    hub(&world);
    world.create(&["Unsynced"]);
    let fetched = "+refs/beads/main:refs/beads/main";
    git(&world, &["fetch", "--quiet", "origin", fetched]);
    let dropped = tip(&world);
    assert_eq!(titles(&world), ["One", "Unsynced"]);
    // The last entry of the reflog is that of the fetch now.
    let log = world.path("repo/.git/logs").join(REF);
    let text = std::fs::read_to_string(&log).unwrap();
    let end = text.trim_end().rfind('\n').unwrap() + 1;
    std::fs::write(&log, &text[..end]).unwrap();
    world.file(&format!("repo/.git/{REF}"), format!("{dropped}\n"));
    boot(&mut world, "2");
    assert_eq!(titles(&world), ["One", "Unsynced"], "by the first command");
    sound(&world);
}

#[test]
fn a_part_of_what_a_fetch_dropped_is_said_to_be_a_part() {
    let world = World::with_store_made_here();
    world.create(&["One"]);
    hub(&world);
    world.create(&["Unsynced 1"]);
    let first = tip(&world);
    world.create(&["Unsynced 2"]);
    let second = tip(&world);
    git(
        &world,
        &[
            "fetch",
            "--quiet",
            "origin",
            "+refs/beads/main:refs/beads/main",
        ],
    );
    // The tree of the second is gone, and nothing of ours has a copy.
    let tree = git(&world, &["rev-parse", &format!("{second}^{{tree}}")]);
    let (folder, name) = tree.trim().split_at(2);
    std::fs::remove_file(world.path(&format!("repo/.git/objects/{folder}/{name}"))).unwrap();
    for entry in std::fs::read_dir(world.path("repo/.git/beads")).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let notes = format!("{first}\n{second}\n");
    std::fs::write(world.path("repo/.git/beads/left-out"), notes).unwrap();
    let said = world.bd(&["list"]);
    assert!(
        said.stderr
            .contains("1 of the 2 states that it dropped was merged again"),
        "{said:?}"
    );
    let lacked = format!("refs/beads/main lacks what {second} has");
    assert!(said.stderr.contains(&lacked), "{said:?}");
    assert_eq!(titles(&world), ["One", "Unsynced 1"]);
}
