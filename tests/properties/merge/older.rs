//! The program as it was before it wrote agents and claims, beside the new one: in other clones and in the same.
//!
//! `.ci/older` builds it from the history and `GIT_BEADS_OLDER` names it; elsewhere the test is skipped and says so.
//! 4 topologies, one in a plain run; `GIT_BEADS_CASES=20000` asks for a hundredth of that, 200.

use serde_json::Value;

use crate::properties::faults::plain_or;
use crate::support::clones::tip;
use crate::support::hand::{blob, uid};
use crate::support::plumbing::{path_of, sound_in};
use crate::support::{Output, World, binary, files_refs_only, number, skipped};

const AGENTS: [&str; 4] = ["", "c-1", "c-1.tests", "c-2"];
const PERSONS: [&str; 2] = ["ann", "bob"];

/// What both programs do to an issue.
const BOTH: [&[&str]; 20] = [
    &["start", "ID"],
    &["start", "ID"],
    &["update", "ID", "-s", "in_progress"],
    &["update", "ID", "-s", "open"],
    &["update", "ID", "-s", "blocked"],
    &["update", "ID", "-a", "bob"],
    &["update", "ID", "--title", "new title"],
    &["update", "ID", "-d", "text"],
    &["assign", "ID", "ann"],
    &["assign", "ID", ""],
    &["note", "ID", "--finding", "found"],
    &["note", "ID", "-s", "blocked"],
    &["label", "ID", "x"],
    &["done", "ID", "-r", "it works"],
    &["reopen", "ID"],
    &["block", "ID", "-r", "no access"],
    &["unblock", "ID"],
    &["defer", "ID"],
    &["undo"],
    &["ready", "--claim"],
];

/// What only the new one knows.
const NEWER: [&[&str]; 5] = [
    &["stop", "ID"],
    &["stop"],
    &["start", "ID", "--force"],
    &["done", "ID", "--force"],
    &["create", "made and started", "--start"],
];

struct Clones {
    world: World,
    older: String,
    random: u64,
    count: u64,
    log: Vec<String>,
}

impl Clones {
    fn new(older: &str, seed: u64) -> Self {
        let mut clones = Self {
            world: World::empty(),
            older: older.to_owned(),
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            count: 0,
            log: vec![format!("topology {seed}")],
        };
        clones.count = 2 + clones.below(3);
        let git = |args: &[&str]| drop(clones.world.git_in(".", args).ok());
        git(&["init", "--quiet", "--bare", "hub.git"]);
        for i in 0..clones.count {
            git(&["clone", "--quiet", "hub.git", &format!("c{i}")]);
        }
        let first = clones.below(2) == 0;
        let init: &[&str] = if first { &["init", "--new"] } else { &["init"] };
        clones.run("c0", first, init).ok();
        for title in ["one", "two", "three"] {
            clones.run("c0", !first, &["create", title]).ok();
        }
        clones.run("c0", first, &["sync"]).ok();
        for i in 1..clones.count {
            clones.run(&format!("c{i}"), i % 2 == 0, &["init"]).ok();
        }
        clones
    }

    fn below(&mut self, n: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) % n
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    /// Runs one of the two programs for a person, and the new one for an agent of theirs.
    fn run(&mut self, clone: &str, newer: bool, args: &[&str]) -> Output {
        let (person, agent) = (self.pick(&PERSONS), self.pick(&AGENTS));
        let program = if newer { binary() } else { &self.older };
        self.log.push(format!(
            "{clone} {} {person}/{agent} {args:?}",
            if newer { "newer" } else { "older" }
        ));
        let mut command = self.world.command(clone, program, args);
        command
            .env("GIT_BEADS_ACTOR", person)
            .env("GIT_BEADS_AGENT", agent);
        self.world.run(command, None)
    }

    /// Returns the registers of all issues of a clone, by id.
    fn issues(&self, clone: &str) -> Vec<(String, Value)> {
        let ids = self.world.bd_in(clone, &["list", "--all", "-q"]).ok();
        let read = |id: &str| {
            let path = path_of(&uid(&self.world, clone, id), "issue");
            let text = blob(&self.world, clone, &path);
            (id.to_owned(), serde_json::from_str(&text).unwrap())
        };
        ids.lines().map(read).collect()
    }

    fn step(&mut self) {
        let clone = format!("c{}", self.below(self.count));
        let newer = self.below(2) == 0;
        match self.below(10) {
            0 | 1 => drop(self.run(&clone, newer, &["sync"]).ok()),
            2 => drop(self.run(&clone, newer, &["create", "one more"]).ok()),
            _ => self.act(&clone, newer),
        }
    }

    fn act(&mut self, clone: &str, newer: bool) {
        let before = self.issues(clone);
        let last = before.len() as u64 - 1;
        let id = before[self.below(last + 1) as usize].0.clone();
        let verb = if newer && self.below(3) == 0 {
            self.pick(&NEWER)
        } else {
            self.pick(&BOTH)
        };
        let args: Vec<&str> = verb
            .iter()
            .map(|arg| if *arg == "ID" { &id } else { *arg })
            .collect();
        let output = self.run(clone, newer, &args);
        assert!([0, 1, 2, 3].contains(&output.code), "{output:?}");
        // An undo brings back all registers of the commit that it takes back, those it doesn't know as well.
        if !newer && args != ["undo"] {
            let after = self.issues(clone);
            for (id, issue) in &before {
                let (_, now) = after.iter().find(|(found, _)| found == id).unwrap();
                self.check_older_write(clone, id, issue, now);
            }
        }
    }

    /// What the older program does not know it leaves as it is; where it changed who works on an issue, no agent does.
    fn check_older_write(&self, clone: &str, id: &str, before: &Value, after: &Value) {
        let at = |issue: &Value, register: &str| issue["at"][register].clone();
        assert_eq!(after["claim"], before["claim"], "{id}");
        assert_eq!(at(after, "claim"), at(before, "claim"), "{id}");
        let shown = self.world.bd_in(clone, &["show", id]).ok();
        // Who closed it, and who wrote the entries below, was an agent.
        let head = shown.split(", created ").next().unwrap();
        if ["status", "assignee"]
            .iter()
            .any(|register| at(after, register) != at(before, register))
        {
            assert!(
                !head.contains("/c-"),
                "{id} has an agent after a write of the older program: {shown}\n{before}\n{after}"
            );
        }
    }

    /// Both programs sync in turn until all clones have the same commit; then none of them has anything to say.
    fn settle(&mut self) {
        for round in 0..3 {
            for i in 0..self.count {
                self.run(&format!("c{i}"), (i + round) % 2 == 0, &["sync"])
                    .ok();
            }
        }
        let head = tip(&self.world, "c0");
        for i in 0..self.count {
            let clone = format!("c{i}");
            for newer in [false, true] {
                self.run(&clone, newer, &["sync"]).ok();
                assert_eq!(tip(&self.world, &clone), head, "{clone}");
            }
        }
        sound_in(&self.world, "c0");
        for (id, issue) in self.issues("c0") {
            let claim = &issue["claim"];
            let known = claim.is_null()
                || claim.as_object().is_some_and(|claim| {
                    claim
                        .keys()
                        .all(|key| ["agent", "by_start", "kept", "from"].contains(&key.as_str()))
                });
            assert!(known, "{id}: {claim}");
        }
    }

    /// All clones show the same through either program, but for the agents that the older one does not know.
    fn check_views(&mut self) {
        for newer in [false, true] {
            let program = if newer { binary() } else { &self.older }.to_owned();
            let mut views = Vec::new();
            for i in 0..self.count {
                let args = ["list", "--all", "--json"];
                let mut command = self.world.command(&format!("c{i}"), &program, &args);
                command.env("GIT_BEADS_AGENT", "");
                views.push(self.world.run(command, None).json()["issues"].clone());
            }
            assert!(views.iter().all(|view| *view == views[0]), "{views:#?}");
        }
    }
}

impl Drop for Clones {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.log.join("\n"));
        }
    }
}

#[test]
fn the_program_before_agents_works_beside_this_one() {
    let Some(older) = std::env::var("GIT_BEADS_OLDER").ok() else {
        skipped("GIT_BEADS_OLDER names no program of before agents (.ci/older makes one)");
        return;
    };
    let _files = files_refs_only();
    let cases = number("GIT_BEADS_CASES").map_or(plain_or(1, 4), |cases| (cases / 100).max(4));
    let first = number("GIT_BEADS_CASES_SEED").unwrap_or(0);
    for seed in first..first + cases {
        let mut clones = Clones::new(&older, seed);
        for _ in 0..25 {
            clones.step();
        }
        clones.settle();
        clones.check_views();
    }
}
