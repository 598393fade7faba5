//! Writers beside what moves things around, and beside kills at random moments. What was answered is kept.

use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::fleet::Fleet;
use super::{plain_or, report, seed, soaking};
use crate::support::World;
use crate::support::plumbing::sound;

#[test]
fn maintenance_beside_writers_harms_nobody() {
    let seed = seed("maintenance_beside");
    let world = World::with_store_made_here();
    let fleet = Fleet::new(&world, "repo", seed);
    let (changes, rounds) = (plain_or(25, 75), AtomicUsize::new(0));
    let script =
        "git pack-refs --all; git repack -a -d -q; git gc --quiet; git prune --expire=1.hour.ago";
    let mut maintenance = world.command("repo", "sh", &["-c", script]);
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| fleet.work(2, changes, |_| None));
        while !writing.is_finished() {
            // It may be refused a lock of git's own; that is for git to say.
            let _ = maintenance
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            rounds.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert_eq!(
        (fleet.failed(), fleet.answered() as u64),
        (Vec::new(), 2 * changes)
    );
    fleet.all_kept(&world, "repo");
    sound(&world);
    eprintln!(
        "{} writes beside {} rounds of maintenance: lost 0",
        2 * changes,
        rounds.into_inner()
    );
}

#[test]
fn writers_killed_at_random_moments_lose_nothing_that_was_answered() {
    const WRITERS: u64 = 8;
    let seed = seed("writers_killed");
    let world = World::with_store_made_here();
    let fleet = Fleet::new(&world, "repo", seed);
    let (wanted, seconds) = match soaking() {
        true => (2000, 10),
        false => plain_or((30, 1), (100, 10)),
    };
    let start = Instant::now();
    std::thread::scope(|scope| {
        let kill = |dice: &mut super::Dice| {
            (dice.roll(2) == 0).then(|| Duration::from_micros(dice.roll(40_000)))
        };
        let fleet = &fleet;
        scope.spawn(move || fleet.work(WRITERS, u64::MAX, kill));
        while fleet.killed() < wanted || start.elapsed() < Duration::from_secs(seconds) {
            std::thread::sleep(Duration::from_millis(20));
        }
        fleet.stop();
    });
    assert_eq!(fleet.failed(), Vec::<String>::new());
    fleet.all_kept(&world, "repo");
    world.git(&["config", "beads.lockTimeout", "600"]).ok();
    let start = Instant::now();
    world.create(&["After all of it"]);
    assert!(
        start.elapsed() < Duration::from_secs(300),
        "nobody waits for the dead"
    );
    sound(&world);
    let figures = format!(
        "{} kills, {} answered, lost 0",
        fleet.killed(),
        fleet.answered()
    );
    report(
        "random kills of 8 writers: acknowledged writes lost",
        &figures,
    );
}
