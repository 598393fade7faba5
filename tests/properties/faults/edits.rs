//! Somebody edits the journal and the lock, or removes files of the index: answers stay right.

use std::path::PathBuf;

use super::{Dice, plain_or, report, seed};
use crate::support::World;
use crate::support::plumbing::{quiet, sound};

/// The files of our folder.
fn files(world: &World) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(world.path("repo/.git/beads")).unwrap();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    found
}

/// One edit at random of one file at random; says what it was.
fn edit(world: &World, dice: &mut Dice) -> String {
    // A packer in the background renames the journal.
    quiet(world);
    let files = files(world);
    let path = &files[usize::try_from(dice.roll(files.len() as u64)).unwrap()];
    let mut bytes = std::fs::read(path).unwrap();
    let length = bytes.len() as u64;
    let at = usize::try_from(dice.roll(length.max(1))).unwrap();
    let end = bytes
        .len()
        .min(at + usize::try_from(dice.roll(5000)).unwrap());
    // An edit of the index is for `doctor` to find.
    let is_index = path.extension().is_some_and(|ending| ending == "db");
    let what = match dice.roll(7) {
        _ if is_index => {
            std::fs::remove_file(path).unwrap();
            return format!("{}: removed", path.display());
        }
        0 if !bytes.is_empty() => {
            bytes[at] ^= 1 << dice.roll(8);
            "a bit flipped"
        }
        1 => {
            bytes.truncate(at);
            "cut short"
        }
        2 => {
            bytes[at.min(end)..end].fill(0);
            "zeros"
        }
        3 => {
            let part = bytes[at.min(end)..end].to_vec();
            bytes.extend(part);
            "a part twice"
        }
        4 => {
            bytes.drain(at.min(end)..end);
            "a part gone"
        }
        5 => {
            let noise: Vec<u8> = (0..end - at.min(end))
                .map(|_| u8::try_from(dice.roll(256)).unwrap())
                .collect();
            bytes[at.min(end)..end].copy_from_slice(&noise);
            "noise"
        }
        _ => {
            std::fs::remove_file(path).unwrap();
            return format!("{}: removed", path.display());
        }
    };
    std::fs::write(path, bytes).unwrap();
    format!("{}: {what} at {at}", path.display())
}

/// Answers of several verbs, and what every issue is.
fn answers(world: &World) -> Vec<String> {
    let questions: [&[&str]; 4] = [
        &["list", "--all", "--deleted", "--json", "-n", "0"],
        &["ready", "--json", "-n", "0"],
        &["search", "alpha", "-q", "-n", "0"],
        &["export"],
    ];
    questions.iter().map(|args| world.bd(args).ok()).collect()
}

#[test]
fn random_edits_of_journal_and_lock_change_no_answer() {
    let seed = seed("random_edits");
    let mut dice = Dice::new(seed);
    let mut world = World::with_store_made_here();
    let file = world.file("many.jsonl", crate::support::plumbing::lines(120));
    world.bd(&["import", &file]).ok();
    let epic = world.create(&["Epic alpha", "-t", "epic"]);
    let child = world.create(&["Child alpha", "--parent", &epic]);
    let mut expected = answers(&world);
    let edits = plain_or(25, 100);
    for n in 0..edits {
        let what = edit(&world, &mut dice);
        if n % 10 == 9 {
            world.set("GIT_BEADS_BOOT", &format!("boot {n}"));
        }
        assert_eq!(answers(&world), expected, "{n} {what}");
        if n % 4 == 3 {
            let what = edit(&world, &mut dice);
            world
                .bd(&["note", &child, "--finding", &format!("number {n}")])
                .ok();
            let title = format!("alpha {n}");
            world.bd(&["update", &epic, "--title", &title]).ok();
            expected = answers(&world);
            assert!(
                expected[0].contains(&title) && expected[3].contains(&format!("number {n}")),
                "{n} {what}"
            );
        }
    }
    sound(&world);
    report(
        "100 random edits of journal and lock: wrong answers",
        &format!(
            "{edits} edits, {} of them before writes, wrong 0",
            edits / 4
        ),
    );
}
