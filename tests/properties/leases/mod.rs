//! Claims with the word of the remote: two clones never have the same issue, whatever comes in between.

mod beside;
mod crowd;
mod ends;
mod histories;
mod hosts;
mod interrupted;
mod losses;
mod records;
mod regained;
mod starts;
mod takeovers;

use serde_json::Value;

use crate::support::clones::{create, two_clones};
use crate::support::{Output, World, binary};

/// Two clones and an issue that both have; claims are asked for at the remote.
fn two(policy: &str) -> (World, String) {
    let world = two_clones();
    let id = create(&world, "a", &["Wire cache"]);
    for clone in ["a", "b"] {
        world.bd_in(clone, &["sync"]).ok();
        world
            .git_in(clone, &["config", "beads.claims", policy])
            .ok();
    }
    (world, id)
}

/// Runs a command as the agent of a clone.
fn run(world: &World, clone: &str, args: &[&str]) -> Output {
    let (person, agent) = (format!("{clone}-person"), format!("{clone}-agent"));
    let mut all = vec!["--actor", &person, "--agent", &agent];
    all.extend(args);
    world.bd_in(clone, &all)
}

fn started(output: &Output) -> Value {
    assert_eq!(output.code, 0, "{output:?}");
    serde_json::from_str(output.stdout.trim()).unwrap()
}

/// The refs of claims at the hub.
fn claims(world: &World) -> Vec<String> {
    let refs = world
        .git_in(
            "hub.git",
            &["for-each-ref", "--format=%(refname)", "refs/beads/claims"],
        )
        .ok();
    refs.lines().map(str::to_owned).collect()
}

/// The object of the only claim at the hub.
fn claim(world: &World) -> Value {
    let text = world
        .git_in(
            "hub.git",
            &["for-each-ref", "--format=%(contents)", "refs/beads/claims"],
        )
        .ok();
    serde_json::from_str(text.trim()).unwrap()
}

fn status(world: &World, clone: &str, id: &str) -> String {
    let shown = world.bd_in(clone, &["show", id, "--json"]).json();
    shown["issue"]["status"].as_str().unwrap().to_owned()
}

/// How often git talked to the remote for a command.
pub fn talks(world: &World, clone: &str, args: &[&str]) -> Vec<String> {
    let log = world.path("talks");
    let _ = std::fs::remove_file(&log);
    let (person, agent) = (format!("{clone}-person"), format!("{clone}-agent"));
    let mut all = vec!["--actor", &person, "--agent", &agent];
    all.extend(args);
    let mut command = world.command(clone, binary(), &all);
    command.env("GIT_TRACE", &log);
    world.run(command, None).ok();
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    let verb = |line: &str| {
        let (_, built_in) = line.split_once("trace: built-in: git ")?;
        let name = built_in.split(' ').next()?;
        ["push", "fetch", "ls-remote"]
            .contains(&name)
            .then(|| name.to_owned())
    };
    text.lines().filter_map(verb).collect()
}

/// The blob of an issue in a clone.
fn blob_in(world: &World, clone: &str, id: &str) -> Value {
    let uid = world.bd_in(clone, &["show", id, "--json"]).json()["issue"]["uid"].clone();
    let files = world
        .git_in(clone, &["ls-tree", "-r", "--name-only", "refs/beads/main"])
        .ok();
    let name = files
        .lines()
        .find(|name| name.contains(uid.as_str().unwrap()))
        .unwrap();
    let text = world
        .git_in(clone, &["show", &format!("refs/beads/main:{name}")])
        .ok();
    serde_json::from_str(&text).unwrap()
}
