//! The redo journal: what was answered is there after a power cut, and what has gone comes back.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use crate::support::plumbing::{
    REF, drop_index, git, hub, lines, loose, path, path_of, put, quiet, ref_lock, sound, tip, uid,
};
use crate::support::{World, files_refs_only};

const JOURNAL: &str = "repo/.git/beads/journal";

/// The machine goes down and comes up again.
fn reboot(world: &mut World) {
    world.set("GIT_BEADS_BOOT", "another-boot");
}

fn objects(world: &World) -> Vec<PathBuf> {
    let folder = world.path("repo/.git/objects");
    let folders = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let folders = folders.filter(|path| path.file_name().unwrap().len() == 2);
    folders
        .flat_map(|path| {
            std::fs::read_dir(path)
                .unwrap()
                .map(|entry| entry.unwrap().path())
        })
        .collect()
}

/// What a power cut does to files that nobody made durable.
fn lose(world: &World, how: &str) {
    for path in objects(world) {
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        match how {
            "gone" => std::fs::remove_file(path).unwrap(),
            "empty" => std::fs::write(path, "").unwrap(),
            _ => std::fs::write(path, [0; 100]).unwrap(),
        }
    }
}

fn titles(world: &World) -> Vec<String> {
    let list = world.bd(&["list", "--json", "-n", "0"]).json();
    list["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| issue["title"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn what_was_answered_survives_a_power_cut() {
    let _files = files_refs_only();
    for how in ["gone", "empty", "zeros"] {
        for reference in [
            None,
            Some(""),
            Some("\0\0\0\0"),
            Some("older"),
            Some("unanswered"),
        ] {
            let mut world = World::with_store_made_here();
            let older = tip(&world);
            let id = world.create(&["First"]);
            world.bd(&["note", &id, "--finding", "It holds"]).ok();
            world.create(&["Second"]);
            let before = tip(&world);
            lose(&world, how);
            let file = world.path("repo/.git/refs/beads/main");
            match reference {
                None => std::fs::remove_file(&file).unwrap(),
                Some("older") => std::fs::write(&file, format!("{older}\n")).unwrap(),
                Some("unanswered") => {
                    std::fs::write(&file, "0123456789012345678901234567890123456789\n").unwrap();
                }
                Some(text) => std::fs::write(&file, text).unwrap(),
            }
            reboot(&mut world);
            assert_eq!(titles(&world), ["First", "Second"], "{how} {reference:?}");
            assert_eq!(tip(&world), before);
            assert!(world.bd(&["show", &id]).ok().contains("It holds"));
            world.create(&["Third"]);
            sound(&world);
        }
    }
}

#[test]
fn what_goes_under_the_same_boot_comes_back() {
    for how in ["gone", "empty", "zeros"] {
        let world = World::with_store_made_here();
        let id = world.create(&["Kept"]);
        lose(&world, how);
        drop_index(&world);
        let list = world.bd(&["list"]);
        assert!(
            list.stderr.contains("repaired from the journal"),
            "{list:?}"
        );
        assert!(list.ok().contains("Kept"));
        lose(&world, how);
        world.bd(&["update", &id, "--title", "Kept too"]).ok();
        world.bd(&["create", "Another"]).ok();
        sound(&world);
    }
}

#[test]
fn a_ref_that_cannot_be_read_is_put_back_and_what_was_there_is_kept() {
    let _files = files_refs_only();
    for content in ["garbage\n", "", "\0\0\0\0\0", "0123456789abcdef\n"] {
        let world = World::with_store_made_here();
        world.create(&["Kept"]);
        let before = tip(&world);
        let file = world.path("repo/.git/refs/beads/main");
        std::fs::write(&file, content).unwrap();
        let list = world.bd(&["list"]);
        assert!(
            list.stderr.contains("repaired from the journal"),
            "{list:?}"
        );
        assert!(list.ok().contains("Kept"));
        assert_eq!(tip(&world), before);
        let kept: Vec<PathBuf> = std::fs::read_dir(world.path("repo/.git/beads"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| {
                path.file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .starts_with("aside-ref-")
            })
            .collect();
        assert_eq!(std::fs::read_to_string(&kept[0]).unwrap(), content);
        world.create(&["After"]);
    }
}

#[test]
fn replaying_never_sets_the_ref_back() {
    let mut world = World::with_store_made_here();
    world.create(&["One"]);
    // Somebody else's commit on top of ours, which no journal knows.
    let tree = git(&world, &["rev-parse", &format!("{REF}^{{tree}}")]);
    let theirs = git(
        &world,
        &["commit-tree", &tree, "-p", &tip(&world), "-m", "by hand"],
    );
    git(&world, &["update-ref", REF, &theirs]);
    reboot(&mut world);
    assert_eq!(titles(&world), ["One"]);
    assert_eq!(tip(&world), theirs);
    world.create(&["Two"]);
    assert_eq!(git(&world, &["merge-base", &theirs, &tip(&world)]), theirs);
}

#[test]
fn a_ref_that_was_set_back_stays_so_after_a_reboot() {
    let mut world = World::with_store_made_here();
    world.create(&["One"]);
    let older = tip(&world);
    world.create(&["Two"]);
    git(&world, &["update-ref", REF, &older]);
    for _ in 0..2 {
        assert_eq!(titles(&world), ["One"], "it is somebody's decision");
        assert_eq!(tip(&world), older);
        reboot(&mut world);
        drop_index(&world);
    }
    world.bd(&["doctor", "--fix"]).ok();
    assert_eq!(titles(&world), ["One", "Two"]);
}

/// What somebody took back is in a journal alone, which a reboot puts aside.
#[test]
fn what_git_has_pruned_of_a_ref_that_was_set_back_comes_back_after_a_reboot() {
    let mut world = World::with_store_made_here();
    world.create(&["One"]);
    let older = tip(&world);
    world.create(&["Two"]);
    git(&world, &["update-ref", REF, &older]);
    assert_eq!(titles(&world), ["One"]);
    git(&world, &["reflog", "expire", "--expire=now", "--all"]);
    git(&world, &["prune", "--expire=now"]);
    reboot(&mut world);
    let said = world.bd(&["list"]);
    assert!(said.stderr.contains("lacks what"), "{said:?}");
    world.bd(&["doctor", "--fix"]).ok();
    assert_eq!(titles(&world), ["One", "Two"]);
    sound(&world);
}

#[test]
fn a_ref_that_was_moved_apart_is_merged_on_request_and_survives_the_next_power_cut() {
    let mut world = World::with_store_made_here();
    world.create(&["One"]);
    let older = tip(&world);
    world.create(&["Two"]);
    let tree = git(&world, &["rev-parse", &format!("{older}^{{tree}}")]);
    let theirs = git(
        &world,
        &["commit-tree", &tree, "-p", &older, "-m", "by hand"],
    );
    git(&world, &["update-ref", REF, &theirs]);
    git(&world, &["repack", "-d", "--quiet"]);
    reboot(&mut world);
    assert_eq!(titles(&world), ["One"]);
    // Git has dated its commit by another clock, which is found too.
    let said = world.bd(&["doctor", "--fix"]).stdout;
    assert!(said.contains("the ref lacks what"), "{said}");
    assert_eq!(titles(&world), ["One", "Two"]);
    let joined = tip(&world);
    lose(&world, "gone");
    world.set("GIT_BEADS_BOOT", "a-third-boot");
    assert_eq!(titles(&world), ["One", "Two"]);
    assert_eq!(tip(&world), joined);
    sound(&world);
}

#[test]
fn what_git_keeps_of_its_refs_is_not_ours_to_mend() {
    let _files = files_refs_only();
    let mut world = World::with_store_made_here();
    world.create(&["Kept"]);
    let before = tip(&world);
    git(&world, &["pack-refs", "--all"]);
    let packed = world.path("repo/.git/packed-refs");
    let whole = std::fs::read(&packed).unwrap();
    for boot in ["this", "another"] {
        std::fs::write(&packed, "garbage\n").unwrap();
        world.set("GIT_BEADS_BOOT", boot);
        for (args, code) in [
            (&["list"][..], 6),
            (&["create", "x"], 6),
            (&["doctor", "--fix"], 1),
        ] {
            let said = world.bd(args);
            assert!(
                said.code == code && said.all().contains("git for-each-ref"),
                "{said:?}"
            );
            assert!(!said.all().contains("was mended"), "{said:?}");
        }
        assert!(!world.path("repo/.git/refs/beads/main").exists());
        std::fs::write(&packed, &whole).unwrap();
        assert_eq!(titles(&world), ["Kept"]);
        assert_eq!(tip(&world), before);
    }
}

#[test]
fn putting_the_ref_back_leaves_no_lock() {
    let _files = files_refs_only();
    let world = World::with_store_made_here();
    world.create(&["Kept"]);
    let file = world.path("repo/.git/refs/beads/main");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    std::fs::write(file.join("in-the-way"), "").unwrap();
    let said = world.bd(&["doctor", "--fix"]);
    assert!(said.code != 0, "{said:?}");
    assert!(!world.path("repo/.git/refs/beads/main.lock").exists());
    std::fs::remove_dir_all(&file).unwrap();
    world.bd(&["doctor", "--fix"]).ok();
    assert_eq!(titles(&world), ["Kept"]);
}

#[test]
fn a_history_that_git_removed_is_made_again_for_a_push() {
    let world = World::with_store_made_here();
    let id = world.create(&["One"]);
    hub(&world);
    world.bd(&["update", &id, "--title", "Two"]).ok();
    let old = git(
        &world,
        &["rev-parse", &format!("{REF}:{}", path(&world, &id))],
    );
    world.bd(&["update", &id, "--title", "Three"]).ok();
    std::fs::remove_file(loose(&world, &old)).unwrap();
    world.bd(&["sync"]).ok();
    sound(&world);
    world.bd(&["doctor", "--remote"]).ok();
}

#[test]
fn a_blob_that_cannot_be_read_keeps_no_reader_waiting() {
    let world = World::with_store_made_here();
    let uid = uid(&world, &world.create(&["Kept"]));
    put(&world, &path_of(&uid, "issue"), "no json");
    let held = std::fs::File::open(world.path("repo/.git/beads/lock")).unwrap();
    held.lock().unwrap();
    // A reader that waited for the lock would end with another code.
    world.git(&["config", "beads.lockTimeout", "1"]).ok();
    let said = world.bd(&["show", &uid]);
    assert!(
        said.code == 6 && said.all().contains("can't be read"),
        "{said:?}"
    );
}

#[test]
fn a_move_that_did_not_happen_is_taken_back() {
    let mut world = World::with_store_made_here();
    world.create(&["One"]);
    let lock = world.file(&ref_lock(&world), "");
    let _ = world.bd(&["create", "Never answered"]).fails(3);
    std::fs::remove_file(lock).unwrap();
    let before = tip(&world);
    reboot(&mut world);
    drop_index(&world);
    assert_eq!(titles(&world), ["One"]);
    assert_eq!(tip(&world), before);
}

#[test]
fn an_import_and_a_sync_survive_too() {
    let _files = files_refs_only();
    let mut world = World::with_store_made_here();
    let file = world.file("many.jsonl", lines(150));
    world.bd(&["import", &file]).ok();
    hub(&world);
    git(&world, &["clone", "--quiet", "../hub.git", "../other"]);
    world.bd_in("other", &["init"]).ok();
    world.bd_in("other", &["create", "From there"]).ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["create", "From here"]).ok();
    world.bd(&["sync"]).ok();
    let before = tip(&world);
    lose(&world, "gone");
    std::fs::remove_file(world.path("repo/.git/refs/beads/main")).unwrap();
    std::fs::write(world.path("repo/.git/refs/beads-remotes/origin/main"), "").unwrap();
    reboot(&mut world);
    assert_eq!(titles(&world).len(), 152);
    assert_eq!(tip(&world), before);
    world.bd(&["sync"]).ok();
    assert!(world.bd(&["status"]).ok().contains("origin"));
    sound(&world);
}

#[test]
fn a_small_fetch_of_the_users_own_is_made_durable() {
    let mut world = World::with_store_made_here();
    git(&world, &["config", "beads.trackFetch", "true"]);
    hub(&world);
    git(&world, &["clone", "--quiet", "../hub.git", "../other"]);
    world.bd_in("other", &["init"]).ok();
    world.bd_in("other", &["create", "From there"]).ok();
    world.bd_in("other", &["sync"]).ok();
    git(&world, &["fetch", "--quiet"]);
    assert_eq!(titles(&world), ["From there"]);
    lose(&world, "gone");
    reboot(&mut world);
    assert_eq!(titles(&world), ["From there"]);
    sound(&world);
}

#[test]
fn full_journals_become_packs() {
    let world = World::with_store_made_here();
    for n in 0..520 {
        world.create(&[&format!("Issue {n}")]);
    }
    quiet(&world);
    world.bd(&["hook", "fold"]).ok();
    assert!(
        !world.path("repo/.git/beads/journal-2").exists()
            && !world.path("repo/.git/beads/packed-1").exists()
    );
    assert!(
        objects(&world).len() < 2200,
        "of 520 changes: {}",
        objects(&world).len()
    );
    assert_eq!(titles(&world).len(), 520);
    sound(&world);
}

#[test]
fn a_copy_that_lacks_the_pack_of_a_journal_loses_nothing() {
    let world = World::with_store_made_here();
    let full = |number: usize| {
        world.create(&[&format!("Issue {number}")]);
        let aside = world.path(&format!("repo/.git/beads/journal-{number}"));
        std::fs::rename(world.path(JOURNAL), aside).unwrap();
        world.bd(&["hook", "fold"]).ok();
    };
    full(1);
    // As a copier leaves it that came by the packs before this one was made.
    let packs = std::fs::read_dir(world.path("repo/.git/objects/pack")).unwrap();
    for file in packs.map(|entry| entry.unwrap().path()) {
        std::fs::remove_file(file).unwrap();
    }
    full(2);
    assert!(!world.path("repo/.git/beads/packed-1").exists());
    drop_index(&world);
    assert_eq!(titles(&world).len(), 2);
    sound(&world);
}

#[test]
fn the_configuration_can_leave_durability_to_git() {
    let world = World::new();
    git(&world, &["config", "beads.durability", "git"]);
    world.bd(&["init"]).ok();
    world.create(&["x"]);
    assert!(!world.path(JOURNAL).exists());
    git(&world, &["config", "beads.durability", "sometimes"]);
    let said = world.bd(&["create", "y"]).fails(6);
    assert!(
        said.contains("beads.durability is `sometimes`; it can be `journal` or `git`"),
        "{said}"
    );
    assert_eq!(titles(&world), ["x"]);
}

#[test]
fn a_purge_leaves_nothing_in_the_journal() {
    let world = World::with_store_made_here();
    let id = world.create(&["The password is hunter2"]);
    let holds = |file: &str| {
        String::from_utf8_lossy(&std::fs::read(world.path(file)).unwrap()).contains("hunter2")
    };
    assert!(holds(JOURNAL));
    world.bd(&["purge", "--yes", &id]).ok();
    assert!(!holds(JOURNAL));
    assert!(
        !world.path("repo/.git/beads/journal-1").exists()
            && !world.path("repo/.git/beads/packed-1").exists()
    );
    sound(&world);
}

#[test]
fn nothing_of_ours_is_somebody_elses_by_a_link() {
    for name in ["journal", "lock"] {
        let world = World::with_store_made_here();
        world.create(&["Before"]);
        let target = world.file("secret", "theirs");
        std::fs::remove_file(world.path("repo/.git/beads").join(name)).unwrap();
        symlink(&target, world.path("repo/.git/beads").join(name)).unwrap();
        let said = world.bd(&["create", "x"]).fails(6);
        assert!(said.contains("is not a plain file"), "{said}");
        assert!(said.contains("hint: see what it is: ls -ld "), "{said}");
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "theirs");
        assert!(world.bd(&["list"]).ok().contains("Before"));
    }
    let world = World::new();
    std::fs::create_dir(world.path("elsewhere")).unwrap();
    symlink(world.path("elsewhere"), world.path("repo/.git/beads")).unwrap();
    let said = world.bd(&["init"]).fails(6);
    assert!(said.contains("is not a folder"), "{said}");
    assert_eq!(
        std::fs::read_dir(world.path("elsewhere")).unwrap().count(),
        0
    );
}

#[test]
fn the_journal_is_closed_to_others() {
    let world = World::with_store_made_here();
    let mode = std::fs::metadata(world.path(JOURNAL))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_damaged_journal_is_put_aside_and_never_in_the_way() {
    for (from, with) in [(0, "x"), (30, "zz"), (200, "damage"), (usize::MAX, "torn")] {
        let mut world = World::with_store_made_here();
        let id = world.create(&["One"]);
        let mut bytes = std::fs::read(world.path(JOURNAL)).unwrap();
        let from = from.min(bytes.len() - with.len());
        bytes[from..from + with.len()].copy_from_slice(with.as_bytes());
        std::fs::write(world.path(JOURNAL), bytes).unwrap();
        world.create(&["Two"]);
        let object = git(
            &world,
            &["rev-parse", &format!("{REF}:{}", path(&world, &id))],
        );
        assert!(loose(&world, &object).exists());
        reboot(&mut world);
        assert_eq!(titles(&world), ["One", "Two"]);
        world.create(&["Three"]);
        sound(&world);
    }
}
