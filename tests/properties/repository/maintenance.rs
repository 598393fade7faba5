//! What many writes leave behind stays small, and what is the user's own stays as it is.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::World;
use crate::support::clones::{create, noise, sync, two_clones};
use crate::support::events::until;
use crate::support::plumbing::{REF, git, quiet, sound, sound_in, tip};

const PACKS: &str = "repo/.git/objects/pack";
const NOTE: &str = "repo/.git/beads/replaced-packs";

/// The packs whose names begin like this, without the ending.
fn packs(world: &World, prefix: &str) -> Vec<PathBuf> {
    packs_in(world, PACKS, prefix)
}

fn packs_in(world: &World, folder: &str, prefix: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(world.path(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut packs: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "pack"))
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with(prefix)
        })
        .map(|path| path.with_extension(""))
        .collect();
    packs.sort();
    packs
}

fn is_there(pack: &Path) -> bool {
    pack.with_extension("pack").exists() && pack.with_extension("idx").exists()
}

fn name(pack: &Path) -> String {
    pack.file_name().unwrap().to_str().unwrap().to_owned()
}

fn piped(world: &World, script: &str) {
    let mut command = world.command("repo", "sh", &["-c", script]);
    assert!(
        command.stdout(Stdio::null()).status().unwrap().success(),
        "{script}"
    );
}

/// As a full journal does: what came since `before` lies in a pack of its own.
fn packed_since(world: &World, before: &str) {
    piped(
        world,
        &format!(
            "git rev-list --objects {REF} ^{before} | git pack-objects -q .git/objects/pack/beads"
        ),
    );
}

/// A pack of the user's own, and `n` of ours.
fn with_packs(n: usize) -> World {
    let world = World::with_store();
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "The user's"],
    );
    git(&world, &["repack", "--quiet"]);
    for i in 0..n {
        let before = tip(&world);
        world.create(&[&format!("Issue {i}")]);
        packed_since(&world, &before);
    }
    git(&world, &["prune-packed"]);
    assert_eq!(
        (packs(&world, "pack-").len(), packs(&world, "beads-").len()),
        (1, n)
    );
    world
}

/// Merges packs, and once more when those that were replaced may go.
fn merge(world: &World) {
    world.bd(&["hook", "fold"]).ok();
    world.pass(61);
    world.bd(&["hook", "fold"]).ok();
}

fn titles(world: &World) -> usize {
    world.bd(&["list", "--json", "-n", "0"]).json()["issues"]
        .as_array()
        .unwrap()
        .len()
}

#[test]
fn many_small_packs_of_ours_become_one() {
    let world = with_packs(12);
    let theirs = packs(&world, "pack-");
    let kept = packs(&world, "beads-").pop().unwrap();
    std::fs::write(kept.with_extension("keep"), "").unwrap();
    merge(&world);
    assert_eq!(packs(&world, "beads-").len(), 2);
    assert!(kept.with_extension("pack").exists());
    assert_eq!(packs(&world, "pack-"), theirs);
    assert_eq!(titles(&world), 12);
    sound(&world);
    merge(&world);
    assert_eq!(packs(&world, "beads-").len(), 2);
}

#[test]
fn packs_that_were_merged_stay_for_a_git_that_has_listed_them() {
    let world = with_packs(9);
    let old = packs(&world, "beads-");
    world.bd(&["hook", "fold"]).ok();
    assert!(old.iter().all(|pack| is_there(pack)));
    assert_eq!(packs(&world, "beads-").len(), 10);
    // They count no more, and are not merged again.
    world.bd(&["hook", "fold"]).ok();
    assert_eq!(packs(&world, "beads-").len(), 10);
    world.pass(61);
    world.bd(&["hook", "fold"]).ok();
    assert!(!old.iter().any(|pack| is_there(pack)));
    assert_eq!(packs(&world, "beads-").len(), 1);
    assert!(!world.path(NOTE).exists());
    assert_eq!(titles(&world), 9);
    sound(&world);
}

#[test]
fn no_pack_goes_whose_objects_no_pack_of_ours_has() {
    let world = with_packs(9);
    world.bd(&["hook", "fold"]).ok();
    let note = std::fs::read_to_string(world.path(NOTE)).unwrap();
    git(&world, &["gc", "--quiet"]);
    let theirs = packs(&world, "").pop().unwrap();
    let (theirs, gone) = (name(&theirs), note.split(['\n', ' ']).nth(2).unwrap());
    let lines = [
        format!("0 {theirs} {gone}\n"),
        format!("0 {theirs} {theirs}\n"),
        format!("0 ../../../{theirs} {theirs}\n"),
        format!("0 {theirs}"),
    ];
    world.file(NOTE, note + &lines.concat());
    merge(&world);
    assert_eq!((packs(&world, "").len(), titles(&world)), (1, 9));
    sound(&world);
}

#[test]
fn a_pack_that_a_fetch_brought_keeps_both_names_for_a_while() {
    let world = two_clones();
    let folder = "b/.git/objects/pack";
    let names = |prefix: &str| {
        packs_in(&world, folder, prefix)
            .iter()
            .map(|pack| name(pack))
            .collect()
    };
    let before: Vec<String> = names("pack-");
    create(&world, "a", &["One"]);
    sync(&world, &["a", "b"]);
    let (theirs, ours): (Vec<String>, Vec<String>) = (names("pack-"), names("beads-"));
    assert_eq!(theirs.len(), before.len() + 1, "{theirs:?}");
    assert!(
        ours.iter()
            .any(|ours| theirs.contains(&ours.replace("beads-", "pack-")))
    );
    world.pass(61);
    create(&world, "a", &["Two"]);
    sync(&world, &["a", "b"]);
    let after: Vec<String> = names("pack-");
    assert_eq!(after.len(), before.len() + 1, "the second alone: {after:?}");
    assert_ne!(after, theirs);
    sound_in(&world, "b");
}

#[test]
fn a_few_packs_are_left_alone() {
    let world = with_packs(8);
    let before = packs(&world, "beads-");
    world.bd(&["hook", "fold"]).ok();
    assert_eq!(packs(&world, "beads-"), before);
}

#[test]
fn who_switched_maintenance_off_is_left_alone() {
    let world = with_packs(9);
    for (key, value) in [
        ("gc.auto", "0"),
        ("maintenance.auto", "false"),
        ("beads.maintenance", "false"),
    ] {
        git(&world, &["config", key, value]);
        world.bd(&["hook", "fold"]).ok();
        assert_eq!(packs(&world, "beads-").len(), 9, "{key}");
        git(&world, &["config", "--unset", key]);
    }
    git(&world, &["config", "gc.auto", "0"]);
    git(&world, &["config", "beads.maintenance", "true"]);
    merge(&world);
    assert_eq!(packs(&world, "beads-").len(), 1);
}

#[test]
fn what_an_index_of_packs_names_stays() {
    let world = with_packs(10);
    git(&world, &["multi-pack-index", "write"]);
    world.bd(&["hook", "fold"]).ok();
    assert_eq!(packs(&world, "beads-").len(), 10);
    sound(&world);
}

#[test]
fn gits_own_gc_takes_our_packs_over() {
    let world = with_packs(3);
    git(&world, &["gc", "--quiet"]);
    assert_eq!(
        (packs(&world, "pack-").len(), packs(&world, "beads-").len()),
        (1, 0)
    );
    assert_eq!(titles(&world), 3);
    sound(&world);
}

#[test]
fn loose_objects_are_packed_beside_the_user() {
    let world = with_packs(0);
    git(&world, &["config", "beads.durability", "git"]);
    piped(
        &world,
        "mkdir ../many && i=0; while [ $i -lt 9000 ]; do i=$((i + 1)); echo $i >../many/$i; done; ls ../many/* | git hash-object -w --stdin-paths",
    );
    let loose = || std::fs::read_dir(world.path("repo/.git/objects/17")).map_or(0, Iterator::count);
    assert!(loose() >= 27, "{}", loose());
    let theirs = packs(&world, "pack-");
    world.create(&["Written beside them"]);
    quiet(&world);
    assert!(loose() < 27, "{}", loose());
    assert_eq!(packs(&world, "pack-"), theirs);
    assert_eq!(titles(&world), 1);
}

#[test]
fn a_small_pack_that_came_early_hinders_no_merging() {
    let world = with_packs(1);
    for i in 0..16 {
        let before = tip(&world);
        world.create(&[&format!("Large {i}"), "-d", &noise(20_000)]);
        packed_since(&world, &before);
        git(&world, &["prune-packed"]);
        merge(&world);
        let ours = packs(&world, "beads-").len();
        assert!(ours <= 8, "{ours} packs after {i}");
    }
    assert_eq!((packs(&world, "pack-").len(), titles(&world)), (1, 17));
    sound(&world);
}

#[test]
fn fetches_of_ours_do_not_leave_a_pack_each() {
    let world = two_clones();
    let folder = "b/.git/objects/pack";
    world.git_in("b", &["repack", "--quiet"]).ok();
    let theirs = packs_in(&world, folder, "pack-");
    for i in 0..12 {
        create(&world, "a", &[&format!("Issue {i}")]);
        sync(&world, &["a", "b"]);
    }
    let go = || {
        world.pass(61);
        create(&world, "a", &["The last"]);
        sync(&world, &["a", "b"]);
    };
    go();
    // The one that was just brought has both names.
    assert_eq!(packs_in(&world, folder, "pack-").len(), theirs.len() + 1);
    let ours = || packs_in(&world, folder, "beads-").len();
    assert!(ours() > 0);
    until("few packs of ours", || {
        // Unless one that a fetch has started is at it.
        world.bd_in("b", &["hook", "tidy"]).ok();
        world.pass(61);
        ours() <= 8
    });
    sound_in(&world, "b");
    assert_eq!(
        world
            .bd_in("b", &["list", "-q", "-n", "0"])
            .ok()
            .lines()
            .count(),
        13
    );
}
