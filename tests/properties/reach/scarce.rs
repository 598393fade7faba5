//! Carry files where something is scarce: room for files, own objects, or history.

use super::carried::{commit, lead_and_agent};
use super::{export, work};
use crate::support::clones::{create, noise, sync, tip};
use crate::support::{Output, World, binary};

/// Runs the program with a limit on the size of files, in blocks of 1,024 bytes.
fn limited(world: &World, clone: &str, blocks: usize, args: &[&str]) -> Output {
    let script = format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$@\"");
    let mut all = vec!["-c", &script, "-", binary()];
    all.extend(args);
    world.run(world.command(clone, "bash", &all), None)
}

/// The names in the folder of carry files.
fn names(world: &World, clone: &str) -> Vec<String> {
    let folder = world.path(clone).join(".git-beads/carry");
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

/// Brings the branch of an agent to the hub.
fn push(world: &World, clone: &str) {
    commit(world, clone);
    let hub = world.path("hub.git").display().to_string();
    world
        .git_in(clone, &["push", "--quiet", &hub, "HEAD:work"])
        .ok();
}

#[test]
fn without_room_a_carry_file_is_whole_or_as_it_was() {
    let (world, issues) = lead_and_agent();
    world.bd_in("b", &["carry"]).ok();
    let before = names(&world, "b");
    world.bd_in("b", &["note", &issues[0], &noise(20_000)]).ok();
    for blocks in [0, 1, 4, 16] {
        let said = limited(&world, "b", blocks, &["carry"]);
        assert_eq!(said.code, 6, "{blocks}: {said:?}");
        assert!(said.stderr.contains("File too large"), "{said:?}");
        assert!(said.stderr.contains("hint: "), "{said:?}");
        assert_eq!(names(&world, "b"), before, "{blocks}");
    }
    let said = limited(&world, "b", 16, &["sync"]);
    assert_eq!(said.code, 6, "{said:?}");
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(names(&world, "b").len(), 1);
    push(&world, "b");
    world.git_in("a", &["fetch", "--quiet"]).ok();
    sync(&world, &["a"]);
    assert_eq!(export(&world, "a"), export(&world, "b"));
}

#[test]
fn a_collector_without_room_takes_a_file_over_once_it_has_some() {
    let (world, issues) = lead_and_agent();
    world.bd_in("b", &["note", &issues[0], &noise(20_000)]).ok();
    world.bd_in("b", &["carry"]).ok();
    push(&world, "b");
    world.git_in("a", &["fetch", "--quiet"]).ok();
    let before = (tip(&world, "a"), tip(&world, "hub.git"));
    for blocks in [0, 1, 8] {
        for args in [&["sync"][..], &["collect", "--branch", "work"]] {
            let said = limited(&world, "a", blocks, args);
            // It is 5 where git itself could not write what it has fetched.
            assert!([5, 6].contains(&said.code), "{blocks} {args:?}: {said:?}");
            assert!(said.stderr.contains("hint: "), "{said:?}");
            assert_eq!((tip(&world, "a"), tip(&world, "hub.git")), before);
        }
        world.bd_in("a", &["doctor"]).ok();
    }
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(said.contains("5 changes collected from work:"), "{said}");
    assert_eq!(export(&world, "a"), export(&world, "b"));
    world.bd_in("a", &["doctor"]).ok();
}

/// The options of a clone, and those of its `init`.
const SCARCE: [(&[&str], &[&str]); 3] = [
    (&["--shared"], &["init"]),
    (
        &["--depth=1", "--no-single-branch"],
        &["init", "--depth", "1"],
    ),
    // The base of the file is where the history is cut.
    (
        &["--depth=1", "--no-single-branch"],
        &["init", "--depth", "3"],
    ),
];

/// Makes a clone that borrows objects or has a cut history.
fn scarce(world: &World, name: &str, (clone, init): (&[&str], &[&str])) {
    let hub = world.path("hub.git").display().to_string();
    let url = match clone.contains(&"--shared") {
        true => hub,
        false => format!("file://{hub}"),
    };
    let args = [&["clone", "--quiet"], clone, &[&url, name]].concat();
    world.git_in(".", &args).ok();
    world.bd_in(name, init).ok();
}

#[test]
fn clones_that_lack_a_part_carry_and_collect() {
    for (n, options) in SCARCE.into_iter().enumerate() {
        let (world, issues) = lead_and_agent();
        let (agent, lead) = (format!("agent-{n}"), format!("lead-{n}"));
        scarce(&world, &agent, options);
        world
            .git_in(&agent, &["checkout", "--quiet", "-b", "work"])
            .ok();
        // Two files: one whose base is the newest commit, one whose base the others have left behind.
        work(&world, &agent, &issues);
        let said = world.bd_in(&agent, &["carry", "--json"]).json();
        assert_eq!(said["changes"], 4, "{options:?}: {said}");
        push(&world, &agent);
        create(&world, "a", &["later"]);
        world.bd_in("a", &["note", &issues[0], "later"]).ok();
        world.bd_in("a", &["push"]).ok();
        scarce(&world, &lead, options);
        let said = world.bd_in(&lead, &["sync"]).ok();
        assert!(
            said.contains("4 changes collected from work:"),
            "{options:?}: {said}"
        );
        world.git_in("a", &["fetch", "--quiet"]).ok();
        sync(&world, &["a", &agent, &lead]);
        for clone in [&agent, &lead] {
            assert_eq!(export(&world, "a"), export(&world, clone), "{options:?}");
            world.bd_in(clone, &["doctor"]).ok();
        }
        let conflicts = world.bd_in(&lead, &["conflicts", "--json"]).json();
        assert_eq!(conflicts["conflicts"], serde_json::json!([]), "{options:?}");
    }
}
