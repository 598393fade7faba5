//! Claims with the word of the remote: two clones never have the same issue, whatever comes in between.

mod beside;
mod crowd;
mod ends;
mod histories;
mod hosts;
mod older;
mod silent;
mod starts;

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
