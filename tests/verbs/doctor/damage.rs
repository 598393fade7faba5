//! `doctor`: it names what is wrong with the next command, mends what it can, and removes nothing.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use crate::support::plumbing::{
    REF, blob, drop_index, forget, git, hub, loose, path, put, ref_lock, sound, tip,
};
use crate::support::{World, files_refs_only};

fn with_issues() -> (World, String) {
    let world = World::with_store();
    let id = world.create(&["First"]);
    world.bd(&["note", &id, "--finding", "It holds"]).ok();
    world.create(&["Second"]);
    (world, id)
}

/// Doctor finds this, says the remedy, mends it when asked to, and is content afterwards.
#[track_caller]
fn found_and_fixed(world: &World, code: &str, message: &str) {
    let found = world.bd(&["doctor"]);
    assert_eq!(found.code, 1, "{found:?}");
    assert!(
        found.stdout.contains(&format!("{code}: ")) && found.stdout.contains(message),
        "{found:?}"
    );
    assert!(found.stdout.contains("git beads doctor --fix"), "{found:?}");
    let mended = world.bd(&["doctor", "--fix"]);
    assert!(mended.stdout.contains("  fixed"), "{mended:?}");
    assert_eq!(mended.code, 0, "{mended:?}");
    assert!(world.bd(&["doctor"]).ok().contains("no problems"));
    assert!(world.bd(&["list"]).ok().contains("First"));
    world.create(&["Works on"]);
    sound(world);
}

#[test]
fn a_sound_store_has_nothing_wrong() {
    let (world, _) = with_issues();
    insta::assert_snapshot!(world.bd(&["doctor"]).ok(), @"4 commits, 27 objects, 2 issues: no problems");
    insta::assert_snapshot!(world.bd(&["fsck", "--json"]).ok(), @r#"{"v":1,"kind":"report","next":"continue","commits":4,"objects":27,"issues":2}"#);
    let _ = World::new().bd(&["doctor"]).fails(4);
}

#[test]
fn missing_and_damaged_objects_come_back_from_the_journal() {
    for damage in [None, Some(""), Some("torn")] {
        let (world, id) = with_issues();
        // One of the present state, and one of the history alone.
        let now = git(
            &world,
            &["rev-parse", &format!("{REF}:{}", path(&world, &id))],
        );
        let then = git(&world, &["rev-parse", &format!("{REF}~1^{{tree}}")]);
        for object in [&now, &then] {
            let file = loose(&world, object);
            std::fs::remove_file(&file).unwrap();
            damage
                .into_iter()
                .for_each(|text| std::fs::write(&file, text).unwrap());
        }
        found_and_fixed(&world, "object", &then);
    }
}

#[test]
fn a_ref_that_is_gone_comes_back() {
    let (world, _) = with_issues();
    let before = tip(&world);
    git(&world, &["update-ref", "-d", REF]);
    found_and_fixed(&world, "ref", "it is gone; the journal remembers");
    assert_eq!(git(&world, &["rev-parse", &format!("{REF}~1")]), before);
}

#[test]
fn without_a_journal_it_comes_back_from_the_reflog() {
    let _files = files_refs_only();
    let (world, _) = with_issues();
    let before = tip(&world);
    forget(&world);
    std::fs::write(world.path("repo/.git/refs/beads/main"), "garbage").unwrap();
    found_and_fixed(&world, "ref", "can't be read");
    assert_eq!(git(&world, &["rev-parse", &format!("{REF}~1")]), before);
}

#[test]
fn a_name_in_another_encoding_does_not_hide_the_reflog() {
    let _pinned = files_refs_only();
    let (world, _) = with_issues();
    let before = tip(&world);
    forget(&world);
    let path = world.path("repo/.git/logs/refs/beads/main");
    let mut log = Vec::new();
    for byte in std::fs::read(&path).unwrap() {
        // The end of a name, in Latin-1.
        if byte == b'<' {
            log.extend(b"\xe9 ");
        }
        log.push(byte);
    }
    std::fs::write(&path, log).unwrap();
    std::fs::write(world.path("repo/.git/refs/beads/main"), "garbage").unwrap();
    found_and_fixed(&world, "ref", "can't be read");
    assert_eq!(git(&world, &["rev-parse", &format!("{REF}~1")]), before);
}

#[test]
fn without_both_it_comes_back_from_what_a_remote_had() {
    let _files = files_refs_only();
    let (world, _) = with_issues();
    hub(&world);
    forget(&world);
    std::fs::remove_dir_all(world.path("repo/.git/logs/refs/beads")).unwrap();
    std::fs::write(world.path("repo/.git/refs/beads/main"), "").unwrap();
    found_and_fixed(&world, "ref", "can't be read");
}

#[test]
fn where_nothing_knows_a_whole_state_it_says_where_to_ask() {
    let _files = files_refs_only();
    let (world, _) = with_issues();
    forget(&world);
    std::fs::remove_dir_all(world.path("repo/.git/logs/refs/beads")).unwrap();
    std::fs::write(world.path("repo/.git/refs/beads/main"), "garbage").unwrap();
    let said = world.bd(&["doctor", "--fix"]);
    assert!(
        said.stdout.contains("no complete state is in the journal"),
        "{said:?}"
    );
    assert!(
        said.stdout
            .contains("git fetch --refetch --no-filter REMOTE"),
        "{said:?}"
    );
    let _ = said.fails(1);
    assert_eq!(
        std::fs::read_to_string(world.path("repo/.git/refs/beads/main")).unwrap(),
        "garbage"
    );
}

#[test]
fn what_the_journal_lacks_a_remote_may_have() {
    let (world, id) = with_issues();
    hub(&world);
    forget(&world);
    let object = git(
        &world,
        &["rev-parse", &format!("{REF}:{}", path(&world, &id))],
    );
    std::fs::remove_file(loose(&world, &object)).unwrap();
    let said = world.bd(&["doctor", "--fix"]);
    assert!(
        said.stdout.contains(&object) && said.stdout.contains("git beads doctor --fix --remote"),
        "{said:?}"
    );
    assert!(
        world
            .bd(&["doctor", "--fix", "--remote"])
            .ok()
            .contains("all fixed")
    );
    sound(&world);
    assert!(
        world
            .bd(&["doctor", "--remote"])
            .ok()
            .contains("no problems")
    );
}

#[test]
fn a_remote_that_does_not_answer_is_a_finding() {
    let (world, _) = with_issues();
    git(&world, &["remote", "add", "nowhere", "../nowhere.git"]);
    assert!(!world.bd(&["doctor"]).stdout.contains("remote: nowhere"));
    let said = world.bd(&["doctor", "--remote"]);
    assert!(said.stdout.contains("remote: nowhere: "), "{said:?}");
    let _ = said.fails(1);
}

#[test]
fn only_an_old_lock_of_the_ref_is_moved_aside() {
    let (world, _) = with_issues();
    let lock = world.file(&ref_lock(&world), "theirs\n");
    for args in [&["doctor"][..], &["doctor", "--fix"]] {
        let said = world.bd(args);
        assert!(said.stdout.contains(".lock has been there for"), "{said:?}");
        let _ = said.fails(1);
    }
    assert_eq!(std::fs::read_to_string(&lock).unwrap(), "theirs\n");
    let made = SystemTime::now() - Duration::from_secs(601);
    std::fs::File::options()
        .write(true)
        .open(&lock)
        .unwrap()
        .set_modified(made)
        .unwrap();
    found_and_fixed(&world, "lock", "over ten minutes old");
    let kept = std::fs::read_dir(world.path("repo/.git/beads"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let kept: Vec<_> = kept
        .filter(|path| path.display().to_string().contains(".lock-"))
        .collect();
    assert_eq!(std::fs::read_to_string(&kept[0]).unwrap(), "theirs\n");
}

/// Flips a bit within the second of several records, which begins where the length of the first one says; returns what
/// the journal holds then.
fn damage_journal(world: &World) -> Vec<u8> {
    let journal = world.path("repo/.git/beads/journal");
    let mut bytes = std::fs::read(&journal).unwrap();
    let second = bytes
        .windows(4)
        .enumerate()
        .filter(|(_, start)| start == b"\nbj1")
        .nth(1)
        .unwrap()
        .0;
    bytes[second + 40] ^= 1;
    std::fs::write(&journal, &bytes).unwrap();
    bytes
}

#[test]
fn a_damaged_journal_is_replaced_and_kept() {
    let (world, _) = with_issues();
    let bytes = damage_journal(&world);
    found_and_fixed(&world, "journal", "can't be read in 1 places");
    let kept = std::fs::read_dir(world.path("repo/.git/beads"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let kept: Vec<_> = kept
        .filter(|path| path.display().to_string().contains("aside-journal"))
        .collect();
    assert_eq!(std::fs::read(&kept[0]).unwrap(), bytes);
}

#[test]
fn a_damaged_journal_that_somebody_packs_is_not_called_mended() {
    let (world, _) = with_issues();
    damage_journal(&world);
    // As a process that packs journals holds it.
    let journal = std::fs::File::open(world.path("repo/.git/beads/journal")).unwrap();
    journal.lock().unwrap();
    let said = world.bd(&["doctor", "--fix"]);
    assert!(
        said.stdout.contains("another process is packing it"),
        "{said:?}"
    );
    assert_eq!(said.code, 1, "{said:?}");
    // Not by closing it: a child that another test has just forked holds what it has not closed yet.
    journal.unlock().unwrap();
    let said = world.bd(&["doctor", "--fix"]).ok();
    assert!(said.contains("all fixed"), "{said}");
    world.bd(&["doctor"]).ok();
}

#[test]
fn files_of_ours_that_others_can_read_are_closed() {
    let (world, _) = with_issues();
    for (name, mode) in [("", 0o755), ("/lock", 0o644), ("/journal", 0o666)] {
        let path = world.path(&format!("repo/.git/beads{name}"));
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }
    found_and_fixed(&world, "files", "others can read or write");
    let mode = |name: &str| {
        std::fs::metadata(world.path(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode("repo/.git/beads"), 0o700);
    assert_eq!(mode("repo/.git/beads/journal"), 0o600);
}

#[test]
fn a_broken_ref_of_a_remote_is_moved_aside() {
    let _files = files_refs_only();
    let (world, _) = with_issues();
    hub(&world);
    std::fs::write(world.path("repo/.git/refs/beads-remotes/origin/main"), "").unwrap();
    found_and_fixed(&world, "ref", "refs/beads-remotes/origin/main");
    world.bd(&["sync"]).ok();
}

#[test]
fn a_blob_that_nobody_can_read_is_named_with_its_last_good_version() {
    let (world, id) = with_issues();
    let place = path(&world, &id);
    let (good, text) = (tip(&world), blob(&world, &place));
    put(&world, &place, "no json");
    drop_index(&world);
    for args in [&["doctor"][..], &["doctor", "--fix"]] {
        let said = world.bd(args);
        assert!(
            said.stdout.contains(&format!("unreadable: {place}")),
            "{said:?}"
        );
        assert!(
            said.stdout.contains(&format!("git show {good}:{place}")),
            "{said:?}"
        );
        let _ = said.fails(1);
    }
    assert_eq!(
        git(&world, &["show", &format!("{good}:{place}")]),
        text.trim_end()
    );
}

#[test]
fn looking_changes_nothing() {
    let (world, id) = with_issues();
    let object = git(
        &world,
        &["rev-parse", &format!("{REF}:{}", path(&world, &id))],
    );
    std::fs::remove_file(loose(&world, &object)).unwrap();
    std::fs::set_permissions(
        world.path("repo/.git/beads/lock"),
        PermissionsExt::from_mode(0o644),
    )
    .unwrap();
    let list = |world: &World| {
        let find = [
            "-c",
            "find .git -type f ! -name 'index-*' -printf '%p %m %T@ %s\\n' | sort",
        ];
        world.run(world.command("repo", "sh", &find), None).ok()
    };
    let before = list(&world);
    let _ = world.bd(&["doctor"]).fails(1);
    assert_eq!(list(&world), before);
}
