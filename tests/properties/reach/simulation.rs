//! Sandboxes that send to mailboxes while others collect: every word arrives, and none of them twice.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use super::hub_refs;
use crate::properties::faults::{Dice, seed};
use crate::support::clones::{bare_clones, create, script, sync};
use crate::support::{Output, World, binary, number};

/// The names of those who collect: the first two may delete, the third may not.
const COLLECTORS: [&str; 3] = ["lead-1", "lead-2", "lead-3"];

/// A store at a hub that takes the branches of sessions from everybody, and all else from collectors alone.
fn world(sandboxes: usize) -> World {
    let names: Vec<String> = (0..sandboxes).map(|n| format!("s{n}")).collect();
    let clones: Vec<&str> = COLLECTORS
        .into_iter()
        .chain(names.iter().map(String::as_str))
        .collect();
    let world = bare_clones(&clones);
    world.bd_in(COLLECTORS[0], &["init"]).ok();
    for n in 0..6 {
        create(&world, COLLECTORS[0], &[&format!("Issue {n}")]);
    }
    sync(&world, &COLLECTORS[..1]);
    script(
        &world,
        "hub.git/hooks/update",
        "gone=$(printf '%040d' 0)\n\
         case $LEAD in lead-3) [ \"$3\" != \"$gone\" ]; exit;; lead-*) exit 0;; esac\n\
         case $1 in refs/heads/claude/*) [ \"$3\" != \"$gone\" ];; *) exit 1;; esac",
    );
    for clone in &clones[1..] {
        if let Some(number) = clone.strip_prefix('s') {
            let branch = format!("claude/work-{number}");
            world
                .git_in(clone, &["checkout", "--quiet", "-b", &branch])
                .ok();
        }
        world.bd_in(clone, &["init"]).ok();
    }
    world
}

/// Exchanges as one who collects; killed after some milliseconds, if any are given.
fn collect(world: &World, lead: &str, verb: &str, kill: Option<u64>) {
    let mut command = world.command(lead, binary(), &[verb]);
    command.env("LEAD", lead);
    match kill {
        None => _ = world.run(command, None).ok(),
        Some(millis) => {
            let mut child = command
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(millis));
            let _ = child.kill();
            child.wait().unwrap();
        }
    }
}

/// Runs a command in a sandbox, whose clock is up to two days from the right time.
fn run_in(world: &World, clone: &str, args: &[&str]) -> Output {
    let number: i64 = clone.trim_start_matches('s').parse().unwrap();
    let mut command = world.command(clone, binary(), args);
    let now = command
        .get_envs()
        .find(|(name, _)| *name == "GIT_BEADS_NOW");
    let now: i64 = now
        .and_then(|(_, value)| value?.to_str()?.parse().ok())
        .unwrap();
    let shift = (number % 5 - 2) * 86_400_000;
    command.env("GIT_BEADS_NOW", (now + shift).to_string());
    world.run(command, None)
}

/// Does something in a sandbox: notes a word that no other note has, or makes, changes or closes an issue.
fn act(world: &World, clone: &str, word: &str, dice: &mut Dice) -> bool {
    let issues = world.bd_in(clone, &["list", "--all", "-q"]).ok();
    let issues: Vec<&str> = issues.lines().collect();
    let id = issues[dice.roll(issues.len() as u64) as usize];
    let priority = dice.roll(5).to_string();
    match dice.roll(6) {
        0 => _ = run_in(world, clone, &["create", &format!("New {word}")]).ok(),
        1 => _ = run_in(world, clone, &["update", id, "-p", &priority]).ok(),
        2 => _ = run_in(world, clone, &["label", id, word]).ok(),
        _ => {
            run_in(world, clone, &["note", id, word]).ok();
            return true;
        }
    }
    false
}

#[test]
fn every_word_of_a_sandbox_arrives_once() {
    let dice = &mut Dice::new(seed("every_word_of_a_sandbox_arrives_once"));
    let sandboxes = number("GIT_BEADS_SANDBOXES").unwrap_or(6) as usize;
    let steps = number("GIT_BEADS_STEPS").unwrap_or(12) as usize;
    let world = world(sandboxes);
    let mut words = BTreeMap::new();
    for step in 0..sandboxes * steps {
        let sandbox = dice.roll(sandboxes as u64) as usize;
        let (clone, word) = (format!("s{sandbox}"), format!("word-{step}-{sandbox}"));
        if act(&world, &clone, &word, dice) {
            words.insert(word, 0);
        }
        if dice.roll(3) == 0 {
            world.bd_in(&clone, &["sync"]).ok();
        }
        if dice.roll(8) == 0 {
            let lead = COLLECTORS[dice.roll(3) as usize];
            let verb = if dice.roll(2) == 0 { "sync" } else { "collect" };
            let kill = (dice.roll(3) == 0).then(|| dice.roll(250));
            collect(&world, lead, verb, kill);
        }
    }
    let names: Vec<String> = (0..sandboxes).map(|n| format!("s{n}")).collect();
    for _ in 0..2 {
        for name in &names {
            world.bd_in(name, &["sync"]).ok();
        }
        for lead in COLLECTORS {
            collect(&world, lead, "collect", None);
        }
        collect(&world, COLLECTORS[0], "sync", None);
    }
    // What only one that may not delete has seen is deleted by the next one.
    assert_eq!(hub_refs(&world), ["refs/beads/main", "refs/heads/main"]);
    let tip = |clone: &str| world.git_in(clone, &["rev-parse", "refs/beads/main"]).ok();
    let before = tip("hub.git");
    for name in &names {
        world.bd_in(name, &["sync"]).ok();
    }
    collect(&world, COLLECTORS[1], "collect", None);
    collect(&world, COLLECTORS[1], "collect", None);
    assert_eq!(tip("hub.git"), before, "a further collection moves nothing");
    for name in &names {
        assert_eq!(tip(name), before, "{name}");
    }
    let all = world.bd_in(COLLECTORS[1], &["export"]).ok();
    for line in all.split('"') {
        if let Some(count) = words.get_mut(line) {
            *count += 1;
        }
    }
    assert!(words.values().all(|count| *count == 1), "{words:?}");
    assert_eq!(world.bd_in(COLLECTORS[1], &["conflicts", "--json"]).code, 0);
}
