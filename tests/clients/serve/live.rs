//! The live page in a real headless Chromium.

use crate::clients::page::drive;
use crate::support::{World, binary, samples};

/// Runs a scenario of `live.mjs`, which starts servers in a world of two repositories by itself.
fn scenario(name: &str) {
    let world = samples::mixed();
    let ask = [
        "ask",
        "bd-open",
        "Which of the two?",
        "--option",
        "one",
        "--option",
        "two",
    ];
    let _ = world.bd(&ask);
    world.git_in(".", &["init", "-q", "other"]).ok();
    world.bd_in("other", &["init"]).ok();
    world.bd(&["label", "add", "bd-base", "later"]).ok();
    let elsewhere = ["create", "Something elsewhere", "-p", "0", "-l", "away"];
    world.bd_in("other", &elsewhere).ok();
    for folder in ["repo", "other"] {
        let path = world.path(folder).display().to_string();
        world
            .git(&["config", "--global", "--add", "beads.repository", &path])
            .ok();
    }
    served(&world, "live", "repo", name);
}

/// Runs a scenario of a script in a folder of a world.
pub(super) fn served(world: &World, script: &str, folder: &str, name: &str) {
    let folder = world.path(folder).display().to_string();
    drive(
        world,
        &format!("serve/{script}.mjs"),
        &[name, binary(), &folder],
    );
}

#[test]
fn what_others_change_appears_and_what_one_does_stays() {
    scenario("live");
}

#[test]
fn what_shows_the_same_stays_and_is_not_fetched_again() {
    scenario("patched");
}

#[test]
fn eight_tabs_have_one_stream() {
    scenario("tabs");
}

#[test]
fn of_many_what_was_unfolded_and_marked_stays() {
    scenario("many");
}

#[test]
fn a_server_that_has_gone_is_said_and_one_that_is_back_is_found() {
    scenario("gone");
}

#[test]
fn pages_of_other_sites_read_and_write_nothing() {
    scenario("attacks");
}

#[test]
fn all_repositories_are_in_one_inbox() {
    scenario("repositories");
}

#[test]
fn everybody_can_read_it() {
    scenario("access");
}
