//! Many waits beside each other, while other processes do what they wait for and some are killed: none misses it.
//!
//! 50 waits, 20 in a plain run; `GIT_BEADS_WAITS=1000` asks for as many as `.ci/slow waits` tries.

use super::faults::{plain_or, seed};
use crate::support::look::named;
use crate::support::{World, number};
use crate::verbs::wait::Waiting;

/// Waits at a time: each is a process.
const AT_ONCE: u64 = 10;

#[test]
fn no_event_is_missed() {
    let mut random = seed("no_event_is_missed") | 1;
    let mut below = |n: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) % n
    };
    let waits = number("GIT_BEADS_WAITS").unwrap_or(plain_or(20, 50));
    let (mut ended, mut killed) = (0, 0);
    for round in 0..waits.div_ceil(AT_ONCE) {
        let world = World::with_store();
        let mut running: Vec<(Waiting, String, &str)> = Vec::new();
        for n in 0..AT_ONCE.min(waits - round * AT_ONCE) {
            let id = format!("bd-w{n}");
            named(&world, &id, &[&format!("Waited for {n}")]);
            let state = ["closed", "ready", "answered", "changed"][below(4) as usize];
            match state {
                "ready" => drop(world.bd(&["defer", &id]).ok()),
                "answered" => drop(world.bd(&["ask", &id, "Which?"]).ok()),
                _ => {}
            }
            running.push((Waiting::new(&world, &[&id, "--until", state]), id, state));
        }
        // What happens to others wakes none of them for good.
        world.create(&["Another"]);
        for (mut waiting, id, state) in running {
            if below(5) == 0 {
                // One that is killed in the middle of a look leaves nothing that is in the way of the others.
                waiting.child.kill().unwrap();
                waiting.child.wait().unwrap();
                killed += 1;
                continue;
            }
            let event: &[&str] = match state {
                "closed" => &["done", &id],
                "ready" => &["update", &id, "-s", "open"],
                "answered" => &["answer", &id, "this"],
                _ => &["note", &id, "something"],
            };
            world.bd(event).ok();
            let answer = waiting.end();
            ended += 1;
            assert_eq!(answer["true"][0]["id"], id.as_str(), "{state}: {answer}");
        }
        assert_eq!(world.bd(&["doctor"]).code, 0);
    }
    eprintln!("{ended} waits ended, and {killed} were killed");
}
