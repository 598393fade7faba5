//! Eight clones push at the same time.

use std::process::{Child, Stdio};

use crate::properties::faults::plain_or;
use crate::support::World;
use crate::support::clones::{hub_tip, state, two_clones};
use crate::support::plumbing::sound_in;

const CLONES: usize = 8;

fn start(world: &World, clone: &str, args: &[&str]) -> Child {
    let mut command = world.command(clone, env!("CARGO_BIN_EXE_git-beads"), args);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs one command in every clone at once; what each printed, its messages and its exit code.
fn at_once(world: &World, clones: &[String], args: &[&str]) -> Vec<(i32, String, String)> {
    let running: Vec<Child> = clones
        .iter()
        .map(|clone| start(world, clone, args))
        .collect();
    let ended = running
        .into_iter()
        .map(|child| child.wait_with_output().unwrap());
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    ended
        .map(|output| {
            (
                output.status.code().unwrap_or(-1),
                text(output.stdout),
                text(output.stderr),
            )
        })
        .collect()
}

#[test]
fn eight_clones_that_push_at_once_lose_nothing() {
    let world = two_clones();
    let clones: Vec<String> = (0..CLONES).map(|n| format!("c{n}")).collect();
    for clone in &clones {
        world
            .git_in(".", &["clone", "--quiet", "hub.git", clone])
            .ok();
        world.bd_in(clone, &["init"]).ok();
    }
    let mut acknowledged = Vec::new();
    let rounds = plain_or(1, 5);
    for round in 0..rounds {
        for (code, stdout, stderr) in at_once(
            &world,
            &clones,
            &["create", "-q", &format!("round {round}")],
        ) {
            assert_eq!(code, 0, "{stderr}");
            acknowledged.push(stdout.trim().to_owned());
        }
        for (clone, (code, _, stderr)) in clones.iter().zip(at_once(&world, &clones, &["sync"])) {
            // Only the race itself may be lost, and the next sync has to win it.
            if code != 0 {
                assert!(
                    code == 5 && stderr.contains("kept changing"),
                    "{clone}: {code} {stderr}"
                );
                world.bd_in(clone, &["sync"]).ok();
            }
        }
    }
    for clone in &clones {
        world.bd_in(clone, &["sync"]).ok();
    }
    for clone in &clones {
        world.bd_in(clone, &["pull"]).ok();
        let (here, list) = state(&world, clone);
        assert_eq!(here, hub_tip(&world), "{clone}");
        let missing: Vec<&String> = acknowledged
            .iter()
            .filter(|id| !list.contains(id.as_str()))
            .collect();
        assert!(missing.is_empty(), "{clone} lacks {missing:?}");
        assert_eq!(list.lines().count(), CLONES * rounds);
        sound_in(&world, clone);
    }
}
