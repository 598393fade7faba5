//! A clock that goes back, stands still, or lies in 1970, 2099 and beyond: what comes later wins, and nothing fails.

use std::collections::BTreeSet;

use crate::support::plumbing::sound;
use crate::support::{Output, World};

/// Milliseconds since 1970.
const TIMES: [(&str, &str); 7] = [
    ("now", "1795173600000"),
    ("an hour back", "1795170000000"),
    ("1970", "0"),
    ("2099", "4070908800000"),
    ("the end of time", "281474976710655"),
    ("beyond it", "18446744073709551615"),
    ("back again", "1795173600001"),
];

fn at(world: &World, millis: &str, args: &[&str]) -> Output {
    let mut command = world.command("repo", crate::support::binary(), args);
    command.env("GIT_BEADS_NOW", millis);
    world.run(command, None)
}

#[test]
fn whatever_the_clock_says_what_comes_later_wins() {
    let world = World::with_store_made_here();
    let id = world.create(&["First"]);
    for (name, millis) in TIMES {
        for n in 0..2 {
            let title = format!("{name} {n}");
            at(&world, millis, &["update", &id, "--title", &title]).ok();
            let shown = at(&world, millis, &["show", &id, "--json"]).json();
            assert_eq!(shown["issue"]["title"], title.as_str());
            at(&world, millis, &["note", &id, "--finding", &title]).ok();
            at(&world, millis, &["create", &title]).ok();
        }
    }
    let shown = world.bd(&["show", &id, "--json", "--memory", "100"]).json();
    let findings = shown["memory"]["findings"].as_array().unwrap();
    let findings: BTreeSet<&str> = findings
        .iter()
        .map(|entry| entry["text"].as_str().unwrap())
        .collect();
    let expected: Vec<String> = TIMES
        .iter()
        .flat_map(|(name, _)| [format!("{name} 0"), format!("{name} 1")])
        .collect();
    assert_eq!(findings, expected.iter().map(String::as_str).collect());
    assert_eq!(
        world.bd(&["list", "-q", "-n", "0"]).ok().lines().count(),
        1 + 2 * TIMES.len()
    );
    sound(&world);
    let said = world.bd(&["doctor"]);
    assert!(
        said.stdout.contains("days behind the newest change") || said.code == 0,
        "{said:?}"
    );
}
