//! Git removes what nothing leads to, at once, while writers write.

use std::process::Stdio;

use super::fleet::Fleet;
use super::{plain_or, report, seed, soaking};
use crate::support::World;
use crate::support::plumbing::sound;

#[test]
fn collecting_garbage_beside_writers_takes_nothing() {
    let seed = seed("collecting_garbage");
    let (wanted, changes) = if soaking() {
        (200, u64::MAX)
    } else {
        (plain_or(8, 20), u64::MAX)
    };
    let world = World::with_store_made_here();
    let fleet = Fleet::new(&world, "repo", seed);
    let mut collect = world.command("repo", "git", &["gc", "--quiet", "--prune=now"]);
    let mut runs = 0;
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| fleet.work(4, changes, |_| None));
        while runs < wanted && !writing.is_finished() {
            // It may be refused a lock of git's own; that is for git to say.
            let done = collect.stdout(Stdio::null()).stderr(Stdio::null()).status();
            runs += usize::from(done.is_ok_and(|done| done.success()));
        }
        fleet.stop();
    });
    assert_eq!(fleet.failed(), Vec::<String>::new());
    sound(&world);
    fleet.all_kept(&world, "repo");
    let figures = format!(
        "{runs} runs, {} answered, lost 0, fsck errors 0",
        fleet.answered()
    );
    report(
        "`git gc --prune=now` beside 4 writers: lost / fsck errors",
        &figures,
    );
}

/// `git prune` by hand leaves no trace that a writer could see; what it took comes back when it is missed.
#[test]
fn pruning_by_hand_beside_writers_takes_nothing_for_good() {
    let seed = seed("pruning_by_hand");
    let wanted = if soaking() { 300 } else { plain_or(10, 30) };
    let world = World::with_store_made_here();
    let fleet = Fleet::new(&world, "repo", seed);
    let mut prune = world.command("repo", "git", &["prune", "--expire=now"]);
    let mut runs = 0;
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| fleet.work(4, u64::MAX, |_| None));
        while runs < wanted && !writing.is_finished() {
            let done = prune.stdout(Stdio::null()).stderr(Stdio::null()).status();
            runs += usize::from(done.is_ok_and(|done| done.success()));
        }
        fleet.stop();
    });
    assert_eq!(fleet.failed(), Vec::<String>::new());
    // By the clock that the writers had.
    let mut doctor = world.command("repo", crate::support::binary(), &["doctor", "--fix"]);
    doctor.env_remove("GIT_BEADS_NOW");
    world.run(doctor, None).ok();
    sound(&world);
    fleet.all_kept(&world, "repo");
    eprintln!(
        "{runs} runs of git prune beside {} writes: lost 0, fsck errors 0",
        fleet.answered()
    );
}
