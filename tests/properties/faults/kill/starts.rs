//! A start that is killed: who tries again has the issue, or gets it.

use super::layouts::CHANGES;
use super::{calls_in, can_trace};
use crate::support::World;
use crate::support::plumbing::sound;

/// Points at which a start is killed, spread over what it does.
const POINTS: usize = 12;

#[test]
fn a_start_that_is_killed_is_made_or_can_be_tried_again() {
    let world = World::with_store_made_here();
    if !can_trace(&world) {
        return;
    }
    let start = |id: &str| ["--agent", "c-1", "start", id, "--json"].map(str::to_owned);
    let run = |args: &[String]| world.bd(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let args = start(&world.create(&["Counted"]));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let only = format!("trace={CHANGES}");
    let counts = calls_in(&world, "repo", &["-f", "-e", &only], &args);
    let all: Vec<(String, usize)> = counts
        .into_iter()
        .flat_map(|(name, count)| (1..=count).map(move |n| (name.clone(), n)))
        .collect();
    assert!(all.len() > POINTS, "{all:?}");
    let (mut made, mut tried) = (0, 0);
    for point in 0..POINTS {
        let (name, n) = &all[point * all.len() / POINTS];
        let args = start(&world.create(&["Killed"]));
        let trace = format!("trace={name}");
        let inject = format!("inject={name}:signal=SIGKILL:when={n}");
        let mut strace = vec!["-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
        strace.push(crate::support::binary());
        strace.extend(args.iter().map(String::as_str));
        let killed = world.run(world.command("repo", "strace", &strace), None);
        let again = run(&args);
        assert_eq!(again.code, 0, "{name} {n}: {killed:?} {again:?}");
        let answer = again.json();
        assert_eq!(
            answer["issue"]["status"], "in_progress",
            "{name} {n}: {answer}"
        );
        match answer["already_in_progress"]["by"].as_str() {
            Some(by) => {
                assert!(by.ends_with("/c-1"), "{name} {n}: {answer}");
                made += 1;
            }
            None => tried += 1,
        }
    }
    assert!(made > 0 && tried > 0, "made {made}, tried again {tried}");
    sound(&world);
}
