//! Thirty-two writers at once.

use std::time::Instant;

use super::fleet::Fleet;
use super::{plain_or, report, seed, soaking};
use crate::support::World;
use crate::support::plumbing::sound;

#[test]
fn thirty_two_writers_get_their_turn() {
    let seed = seed("thirty_two");
    let world = World::with_store_made_here();
    let fleet = Fleet::new(&world, "repo", seed);
    let changes = if soaking() { 100 } else { plain_or(3, 8) };
    let start = Instant::now();
    fleet.work(32, changes, |_| None);
    let took = start.elapsed();
    assert_eq!(fleet.failed(), Vec::<String>::new());
    assert_eq!(fleet.answered() as u64, 32 * changes);
    fleet.all_kept(&world, "repo");
    sound(&world);
    let (most, half) = fleet.latency();
    let figures = format!(
        "{} answered, lost 0; {:.0} per second; p99 {} ms (half within {} ms)",
        fleet.answered(),
        fleet.answered() as f64 / took.as_secs_f64(),
        most.as_millis(),
        half.as_millis()
    );
    report(
        "32 writers: lost / durable operations per second / p99",
        &figures,
    );
}
