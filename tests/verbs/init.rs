//! `init`: issues are kept from now on.

use super::import::line;
use crate::support::World;

const DAY: &str = "2026-01-02T00:00:00Z";

#[test]
fn the_prefix_of_new_ids_is_chosen_at_init() {
    let world = World::new();
    world.bd(&["init", "--prefix", "web-app"]).ok();
    assert!(world.create(&["T"]).starts_with("web-app-"));
}

#[test]
fn init_names_a_file_and_leaves_it() {
    let world = World::new();
    world.file("repo/.beads/issues.jsonl", line("bd-1", DAY, ""));
    let out = world.bd(&["init"]).ok();
    assert!(
        out.contains("git beads import") && out.contains(".beads/issues.jsonl"),
        "{out}"
    );
    assert_eq!(
        world.bd(&["list", "--all", "--json"]).json()["total_count"],
        0
    );
    let other = World::new();
    other.file("repo/.beads/issues.jsonl", "");
    let found = other.bd(&["init", "--json"]).json()["found"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(found.ends_with(".beads/issues.jsonl"), "{found}");
}
