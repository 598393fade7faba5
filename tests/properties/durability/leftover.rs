//! A lock that a killed writer of ours has left is removed; one of anybody else never is.

use std::fs::File;
use std::time::{Duration, SystemTime};

use crate::support::{World, files_refs_only};

const OID: &str = "0123456789012345678901234567890123456789";

/// A world whose last writer was killed while it moved the ref; the lock of the ref holds `text` and was
/// made `after` its note.
fn killed(text: &str, after: i64) -> (World, String) {
    let world = World::with_store_made_here();
    world.create(&["Before"]);
    world.file(
        "repo/.git/beads/lock",
        format!("{:<120}\n", format!("999999 1795173600000 moving {OID}")),
    );
    let lock = world.file("repo/.git/refs/beads/main.lock", text);
    let noted = SystemTime::now() - Duration::from_secs(3600);
    let made = if after < 0 {
        noted - Duration::from_secs(after.unsigned_abs())
    } else {
        noted + Duration::from_secs(after.unsigned_abs())
    };
    File::options()
        .write(true)
        .open(world.path("repo/.git/beads/lock"))
        .unwrap()
        .set_modified(noted)
        .unwrap();
    File::options()
        .write(true)
        .open(&lock)
        .unwrap()
        .set_modified(made)
        .unwrap();
    (world, lock)
}

#[test]
fn what_a_killed_writer_left_is_removed_at_once() {
    let _files = files_refs_only();
    for text in ["", OID, &format!("{OID}\n")] {
        let (world, lock) = killed(text, 0);
        world.create(&["After"]);
        assert!(!std::path::Path::new(&lock).exists());
        assert_eq!(world.bd(&["list", "-q"]).ok().lines().count(), 2);
    }
}

#[test]
fn a_lock_of_anybody_else_stays() {
    let _files = files_refs_only();
    let theirs = "9876543210987654321098765432109876543210\n";
    for (text, after) in [
        (theirs, 0),
        ("", -5),
        ("", 60),
        ("ref: refs/heads/main\n", 1),
    ] {
        let (world, lock) = killed(text, after);
        let said = world.bd(&["create", "x"]).fails(3);
        assert!(
            said.contains("another writer is busy here (refs/beads/main.lock"),
            "{said}"
        );
        assert_eq!(std::fs::read_to_string(&lock).unwrap(), text, "{after}");
        assert_eq!(
            world.bd(&["list", "-q"]).ok().lines().count(),
            1,
            "readers never wait"
        );
        // The note was taken back: a lock that appears now is nobody's but git's.
        assert!(world.bd(&["create", "x"]).fails(3).contains("busy"));
        assert!(std::path::Path::new(&lock).exists());
    }
}

#[test]
fn a_note_that_makes_no_sense_is_no_note() {
    let _files = files_refs_only();
    let notes = [
        "",
        "moving",
        "x y moving 12",
        "1 2 moving \u{fffd}",
        &"9".repeat(500),
        "\0\0\0",
    ];
    for note in notes {
        let world = World::with_store_made_here();
        world.file("repo/.git/beads/lock", note);
        world.create(&["Works"]);
        let lock = world.file("repo/.git/refs/beads/main.lock", "");
        world.file("repo/.git/beads/lock", note);
        assert!(
            world.bd(&["create", "x"]).fails(3).contains("busy"),
            "{note}"
        );
        assert!(std::path::Path::new(&lock).exists());
    }
}
