//! The lock of the whole stack: that of a killed writer goes, that of another program is waited for and named.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::with_store;
use crate::support::World;
use crate::support::plumbing::{git, sound, tip};

#[test]
fn a_lock_of_somebody_else_is_waited_for_and_named() {
    let Some((world, _pinned)) = with_store() else {
        return;
    };
    git(&world, &["config", "reftable.lockTimeout", "50"]);
    let before = tip(&world);
    let lock = world.file("repo/.git/reftable/tables.list.lock", "");
    let said = world.bd(&["create", "One"]);
    assert!(
        said.code != 0 && said.stderr.contains("tables.list.lock"),
        "{said:?}"
    );
    assert_eq!(tip(&world), before);
    let said = world.bd(&["doctor"]);
    assert!(
        said.stdout.contains("tables.list.lock has been there for"),
        "{said:?}"
    );
    std::fs::remove_file(lock).unwrap();
    world.create(&["One"]);
    assert_eq!(world.bd(&["list", "-q"]).ok().lines().count(), 1);
}

/// A lock of the stack beside the note of a writer that was killed over a move; it was made so many seconds after the
/// note.
fn killed_writer(world: &World, seconds: i64) -> PathBuf {
    let note = format!("999999 1795173600000 moving {}", "01".repeat(20));
    let note = world.file("repo/.git/beads/lock", format!("{note:<120}\n"));
    let lock = world.file("repo/.git/reftable/tables.list.lock", "");
    let noted = SystemTime::now() - Duration::from_secs(3600);
    let offset = Duration::from_secs(seconds.unsigned_abs());
    let made = if seconds < 0 {
        noted - offset
    } else {
        noted + offset
    };
    for (path, time) in [(&note, noted), (&lock, made)] {
        let file = std::fs::File::options().write(true).open(path);
        file.unwrap().set_modified(time).unwrap();
    }
    PathBuf::from(lock)
}

#[test]
fn a_lock_that_a_killed_writer_left_is_removed_and_no_other() {
    let Some((world, _pinned)) = with_store() else {
        return;
    };
    git(&world, &["config", "reftable.lockTimeout", "50"]);
    for seconds in [0, 3] {
        let lock = killed_writer(&world, seconds);
        world.create(&["One"]);
        assert!(!lock.exists(), "{seconds}");
    }
    for seconds in [-5, 60] {
        let lock = killed_writer(&world, seconds);
        let said = world.bd(&["create", "x"]).fails(3);
        assert!(said.contains("tables.list.lock"), "{said}");
        assert!(lock.exists(), "{seconds}");
    }
    let lock = killed_writer(&world, 0);
    let held = std::fs::File::open(&lock).unwrap();
    world.bd(&["create", "x"]).fails(3);
    assert!(lock.exists());
    drop(held);
    std::fs::remove_file(lock).unwrap();
    world.create(&["Two"]);
    sound(&world);
}
