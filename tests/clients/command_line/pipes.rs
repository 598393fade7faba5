//! A reader that goes away is no error: no panic, no message.

use std::fmt::Write as _;
use std::process::Command;

use crate::support::samples::mixed;
use crate::support::{Output, World};

fn world() -> World {
    let world = World::with_store();
    let mut lines = String::new();
    for n in 0..300 {
        let _ = writeln!(
            lines,
            "{{\"id\":\"x-{n}\",\"title\":\"{}\"}}",
            "a long title ".repeat(30)
        );
    }
    world.bd_with(lines, &["import", "-"]).ok();
    world
}

fn shell(world: &World, script: &str) -> Output {
    world.run(world.command("repo", "sh", &["-c", script]), None)
}

#[track_caller]
fn silent(script: &str) {
    let output = shell(
        &world(),
        &format!("{{ {script}; echo \"exit $?\" >&2; }} | head -1"),
    );
    assert_eq!(output.stderr, "exit 0\n", "{output:?}");
    assert_eq!(output.stdout.lines().count(), 1);
}

#[test]
fn list_stops_quietly() {
    silent("git-beads list -n 0");
}

#[test]
fn json_stops_quietly() {
    silent("git-beads list -n 0 --json=pretty");
}

#[test]
fn export_stops_quietly() {
    silent("git-beads export");
}

#[test]
fn csv_stops_quietly() {
    silent("git-beads export --csv");
}

#[test]
fn show_stops_quietly() {
    silent("git-beads show $(git-beads list -n 0 -q)");
}

#[test]
fn schema_stops_quietly() {
    silent("git-beads schema");
}

#[test]
fn an_export_to_a_full_disk_is_an_error() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let stderr = shell(&world(), "git-beads export > /dev/full").fails(6);
    assert!(
        stderr.starts_with("error: ") && stderr.contains("hint: "),
        "{stderr}"
    );
    let stderr = shell(&world(), "git-beads list -n 0 > /dev/full").fails(6);
    assert!(stderr.starts_with("error: "), "{stderr}");
}

#[test]
fn a_reader_that_leaves_early_does_no_harm() {
    let world = mixed();
    let script = "git-beads list | head -1; exit ${PIPESTATUS[0]}";
    let command: Command = world.command("repo", "bash", &["-c", script]);
    let output = world.run(command, None);
    assert!(!output.stderr.contains("panic"), "{output:?}");
}
