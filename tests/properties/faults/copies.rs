//! A repository is copied while it is being written: the copy opens, and holds what was answered before.

use super::fleet::Fleet;
use super::{plain_or, report, seed, soaking};
use crate::support::World;

#[test]
fn a_copy_of_a_live_repository_opens_and_goes_on() {
    let seed = seed("a_copy_of_a_live");
    let world = World::with_store_made_here();
    let fleet = Fleet::new(&world, "repo", seed);
    let wanted = if soaking() { 60 } else { plain_or(3, 8) };
    let copy = |n: usize| {
        let target = format!("copy{n}");
        // A file that vanishes while it is copied is the copier's to complain about.
        let _ = world.run(world.command(".", "cp", &["-a", "repo", &target]), None);
        target
    };
    let mut before = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| fleet.work(3, u64::MAX, |_| None));
        for n in 0..wanted {
            let answered = fleet.words();
            before.push((copy(n), answered));
        }
        fleet.stop();
    });
    for (folder, answered) in &before {
        let export = world.bd_in(folder, &["export"]).ok();
        let lost: Vec<&String> = answered
            .iter()
            .filter(|word| !export.contains(word.as_str()))
            .collect();
        assert!(lost.is_empty(), "{folder}: {lost:?}");
        world.bd_in(folder, &["create", "In the copy"]).ok();
        world.bd_in(folder, &["doctor"]).ok();
    }
    // What the copies and the original went on to do comes together.
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .ok();
    for folder in before
        .iter()
        .map(|(folder, _)| folder.as_str())
        .chain(["repo"])
        .chain(["repo"])
    {
        let _ = world.git_in(folder, &["remote", "add", "origin", "../hub.git"]);
        world.bd_in(folder, &["sync"]).ok();
    }
    fleet.all_kept(&world, "repo");
    let export = world.bd(&["export"]).ok();
    assert_eq!(export.matches("\"title\":\"In the copy\"").count(), wanted);
    report(
        "copies of a live repository: lost",
        &format!("{wanted} copies, {} answered, lost 0", fleet.answered()),
    );
}
