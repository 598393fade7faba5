//! Sandboxes that bring their changes out on every way while others collect: every word arrives, and none of them twice.

use std::collections::BTreeMap;
use std::process::Command;

use super::hub_refs;
use crate::properties::faults::{Dice, seed};
use crate::support::clones::{bare_clones, create, script, sync};
use crate::support::events::killed_after;
use crate::support::older::write_snapshot;
use crate::support::{Output, World, binary, number};

/// The names of those who collect: the first two may delete, the third may not.
const COLLECTORS: [&str; 3] = ["lead-1", "lead-2", "lead-3"];

/// The way on which a sandbox sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// To a mailbox beside the branch of its session.
    Mailbox,
    /// By files in its branch: it has no remote, and the store of a set-up step.
    Carried,
    /// To the branch of another host that takes branches only.
    Branch,
    /// By files too, and it has begun from a snapshot.
    Snapshot,
}

impl Way {
    /// Returns the way of a sandbox: of ten, four each of the first two and one each of the others.
    fn of(number: usize) -> Self {
        match number % 10 {
            4 => Self::Branch,
            5 => Self::Snapshot,
            n if n % 2 == 0 => Self::Mailbox,
            _ => Self::Carried,
        }
    }

    fn is_by_files(self) -> bool {
        matches!(self, Self::Carried | Self::Snapshot)
    }
}

struct Simulation {
    world: World,
    dice: Dice,
    sandboxes: usize,
    /// For each sandbox an issue that it alone describes.
    own: Vec<String>,
    /// The words of notes, and the titles of new issues.
    words: BTreeMap<String, usize>,
    /// The descriptions that were written, each with its issue and the one that its writer saw before.
    written_over: BTreeMap<String, (String, String)>,
}

fn clone_of(number: usize) -> String {
    format!("s{number}")
}

fn branch_of(number: usize) -> String {
    match Way::of(number) {
        Way::Mailbox => format!("claude/work-{number}"),
        _ => format!("work-{number}"),
    }
}

impl Simulation {
    /// A store at a hub that takes the branches of sessions from everybody, and all else from collectors alone; at another one
    /// that takes branches only; and in a snapshot on the main branch.
    fn new(sandboxes: usize) -> Self {
        let world = bare_clones(&COLLECTORS);
        world.bd_in(COLLECTORS[0], &["init"]).ok();
        for n in 0..6 {
            create(&world, COLLECTORS[0], &[&format!("Issue {n}")]);
        }
        let own = (0..sandboxes).map(|n| create(&world, COLLECTORS[0], &[&format!("Of {n}")]));
        let own = own.collect();
        sync(&world, &COLLECTORS[..1]);
        write_snapshot(&world, COLLECTORS[0]);
        for args in [
            &["add", ".git-beads"][..],
            &["commit", "--quiet", "-m", "Keep a snapshot"],
            &["push", "--quiet", "origin", "main"],
        ] {
            world.git_in(COLLECTORS[0], args).ok();
        }
        world
            .git_in(".", &["clone", "--quiet", "--bare", "hub.git", "heads.git"])
            .ok();
        script(
            &world,
            "heads.git/hooks/update",
            "case $1 in refs/heads/*) ;; *) exit 1;; esac",
        );
        world
            .git_in(COLLECTORS[0], &["remote", "add", "heads", "../heads.git"])
            .ok();
        world
            .git_in(COLLECTORS[0], &["config", "beads.remote", "origin"])
            .ok();
        world
            .bd_in(COLLECTORS[0], &["sync", "--remote", "heads"])
            .ok();
        script(
            &world,
            "hub.git/hooks/update",
            "gone=$(printf '%040d' 0)\n\
             case $LEAD in lead-3) [ \"$3\" != \"$gone\" ]; exit;; lead-*) exit 0;; esac\n\
             case $1 in refs/heads/claude/*) [ \"$3\" != \"$gone\" ];; *) exit 1;; esac",
        );
        for lead in &COLLECTORS[1..] {
            world.bd_in(lead, &["init"]).ok();
        }
        let dice = Dice::new(seed("every_word_of_a_sandbox_arrives_once"));
        let simulation = Self {
            world,
            dice,
            sandboxes,
            own,
            words: BTreeMap::new(),
            written_over: BTreeMap::new(),
        };
        (0..sandboxes).for_each(|number| simulation.enter(number));
        simulation
    }

    /// Makes a sandbox.
    fn enter(&self, number: usize) {
        let (name, way) = (clone_of(number), Way::of(number));
        let hub = if way == Way::Branch {
            "heads.git"
        } else {
            "hub.git"
        };
        let git = |folder: &str, args: &[&str]| self.world.git_in(folder, args).ok();
        git(".", &["clone", "--quiet", hub, &name]);
        git(&name, &["checkout", "--quiet", "-b", &branch_of(number)]);
        if way == Way::Mailbox {
            self.world.bd_in(&name, &["init"]).ok();
        }
        if !way.is_by_files() {
            return;
        }
        if way == Way::Carried {
            let url = self.world.path(hub).display().to_string();
            self.world.bd_in(&name, &["init", "--from", &url]).ok();
        }
        git(&name, &["remote", "remove", "origin"]);
        git(&name, &["config", "beads.carry", "true"]);
    }

    /// Runs a command in a sandbox, each with an actor of its own, whose clock is up to two days from the right time.
    fn run_in(&self, number: usize, args: &[&str]) -> Output {
        let actor = format!("person-{number}");
        let all = [&["--actor", &actor], args].concat();
        let mut command = self.world.command(&clone_of(number), binary(), &all);
        let now = command
            .get_envs()
            .find(|(name, _)| *name == "GIT_BEADS_NOW");
        let now: i64 = now
            .and_then(|(_, value)| value?.to_str()?.parse().ok())
            .unwrap();
        let shift = (number as i64 % 5 - 2) * 86_400_000;
        command.env("GIT_BEADS_NOW", (now + shift).to_string());
        self.world.run(command, None)
    }

    /// Does something in a sandbox: notes a word that no other note has, or makes, changes, closes or undoes something.
    fn act(&mut self, number: usize, word: String) {
        let issues = self
            .run_in(number, &["list", "--all", "-n", "0", "-q"])
            .ok();
        let is_free = |id: &&str| !self.own.iter().any(|own| own == id);
        let issues: Vec<&str> = issues.lines().filter(is_free).collect();
        let id = issues[self.dice.roll(issues.len() as u64) as usize];
        let priority = self.dice.roll(5).to_string();
        match self.dice.roll(10) {
            8.. => {
                let own = self.own[number].clone();
                let id = if self.dice.roll(2) == 0 { id } else { &own };
                let shown = self.run_in(number, &["show", id, "--json"]).json();
                let seen = shown["issue"]["description"].as_str().unwrap_or_default();
                self.run_in(number, &["update", id, "-d", &word]).ok();
                self.written_over
                    .insert(word, (id.to_owned(), seen.to_owned()));
                return;
            }
            0 => _ = self.run_in(number, &["create", &word]).ok(),
            1 => {
                self.run_in(number, &["update", id, "-p", &priority]).ok();
                return;
            }
            2 => {
                self.run_in(number, &["label", id, &word]).ok();
                self.run_in(number, &["undo"]).ok();
                return;
            }
            // One that is closed already, or that another agent works on, stays so.
            3 => {
                _ = self.run_in(number, &["done", id, "-r", "done"]);
                return;
            }
            _ => _ = self.run_in(number, &["note", id, &word]).ok(),
        }
        self.words.insert(word, 0);
    }

    /// Sends what a sandbox has; what it has written into a file goes to the hub by the hands of its host.
    fn send(&self, number: usize) {
        let name = clone_of(number);
        let sent = self.run_in(number, &["sync"]);
        if !Way::of(number).is_by_files() {
            _ = sent.ok();
            return;
        }
        self.world
            .git_in(&name, &["add", "--all", ".git-beads"])
            .ok();
        let commit = ["commit", "--quiet", "-m", "work"];
        _ = self.world.git_in(&name, &commit);
        let refspec = format!("+refs/heads/{0}:refs/heads/{0}", branch_of(number));
        let fetch = ["fetch", "--quiet", &format!("../{name}"), &refspec];
        self.world.git_in("hub.git", &fetch).ok();
    }

    /// Exchanges as one who collects; killed after some lines of its log, if any are given.
    fn collect(&self, lead: &str, verb: &str, kill: Option<usize>) {
        self.world
            .git_in(lead, &["fetch", "--quiet", "--prune", "origin"])
            .ok();
        match kill {
            None => _ = self.world.run(self.as_lead(lead, &[verb]), None).ok(),
            Some(lines) => _ = killed_after(lines, self.as_lead(lead, &[verb])),
        }
        if lead == COLLECTORS[0] && kill.is_none() {
            for remote in ["heads", "origin"] {
                let command = self.as_lead(lead, &["sync", "--remote", remote]);
                self.world.run(command, None).ok();
            }
        }
    }

    /// Returns a command of one who collects, to whom the hub gives the rights of that name.
    fn as_lead(&self, lead: &str, args: &[&str]) -> Command {
        let mut command = self.world.command(lead, binary(), args);
        command.env("LEAD", lead);
        command
    }

    /// Brings the branch of a sandbox to the main branch, as hosts do it, and perhaps takes it back; or deletes it. It was
    /// collected before.
    fn land(&mut self, number: usize) {
        let branch = branch_of(number);
        let there = self
            .world
            .git_in("hub.git", &["rev-parse", "--verify", "-q", &branch]);
        if there.code != 0 {
            return;
        }
        self.collect(COLLECTORS[1], "sync", None);
        let git = |args: &[&str]| self.world.git_in("land", args);
        if !self.world.path("land").exists() {
            self.world
                .git_in(".", &["clone", "--quiet", "hub.git", "land"])
                .ok();
        }
        git(&[
            "fetch",
            "--quiet",
            "origin",
            "+refs/heads/*:refs/remotes/origin/*",
        ])
        .ok();
        git(&["reset", "--quiet", "--hard", "origin/main"]).ok();
        let remote = format!("origin/{branch}");
        match self.dice.roll(4) {
            0 => _ = git(&["merge", "--quiet", "--no-ff", "-m", "m", &remote]).ok(),
            1 => {
                git(&["merge", "--quiet", "--squash", &remote]).ok();
                _ = git(&["commit", "--quiet", "-m", "squashed"]);
            }
            2 => _ = git(&["cherry-pick", "--allow-empty", &format!("main..{remote}")]),
            _ => {
                let name = format!("refs/heads/{branch}");
                self.world
                    .git_in("hub.git", &["update-ref", "-d", &name])
                    .ok();
            }
        }
        _ = git(&["cherry-pick", "--abort"]);
        if self.dice.roll(3) == 0 {
            _ = git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
            _ = git(&["revert", "--abort"]);
        }
        let fetch = [
            "fetch",
            "--quiet",
            "../land",
            "+refs/heads/main:refs/heads/main",
        ];
        self.world.git_in("hub.git", &fetch).ok();
    }

    fn step(&mut self, step: usize) {
        let number = self.dice.roll(self.sandboxes as u64) as usize;
        self.act(number, format!("word-{step}-{number}"));
        if self.dice.roll(3) == 0 {
            self.send(number);
        }
        if self.dice.roll(8) == 0 {
            let lead = COLLECTORS[self.dice.roll(3) as usize];
            let verb = if self.dice.roll(2) == 0 {
                "sync"
            } else {
                "collect"
            };
            let kill = (self.dice.roll(3) == 0).then(|| self.dice.roll(60) as usize);
            self.collect(lead, verb, kill);
        }
        if self.dice.roll(12) == 0 && Way::of(number).is_by_files() {
            self.land(number);
        }
    }

    /// Lets all send, and all collect.
    fn round(&self) {
        (0..self.sandboxes).for_each(|number| self.send(number));
        for lead in COLLECTORS {
            self.collect(lead, "collect", None);
        }
        self.collect(COLLECTORS[0], "sync", None);
    }

    fn tip(&self, folder: &str) -> String {
        let args = ["rev-parse", "refs/beads/main"];
        self.world.git_in(folder, &args).ok()
    }

    /// Returns true if who wrote a description knew another one: saw it, or what was written with knowledge of it.
    fn knew(&self, written: &str, other: &str) -> bool {
        let mut known = written;
        while let Some((_, before)) = self.written_over.get(known) {
            if before == other {
                return true;
            }
            known = before;
        }
        false
    }

    /// Asserts that no conflict of a clone has a value that all others of the issue were written with knowledge of. What was
    /// written beside another value is in conflict with it also after that is written over.
    fn check_conflicts(&self, clone: &str) {
        let answer = self.world.bd_in(clone, &["conflicts", "--json"]).json();
        let all = answer["conflicts"].as_array().unwrap();
        for conflict in all.iter().filter(|it| it["field"] == "description") {
            let lost = conflict["value"].as_str().unwrap_or_default();
            let of_issue = self
                .written_over
                .iter()
                .filter(|(_, (id, _))| conflict["id"] == *id.as_str());
            let is_beside =
                |text: &String| text != lost && !self.knew(text, lost) && !self.knew(lost, text);
            let written: Vec<_> = of_issue.clone().collect();
            let texts = || of_issue.clone().map(|(text, _)| text);
            assert!(texts().any(is_beside), "{conflict} of {written:?}");
        }
    }

    /// Counts the words in what a clone has.
    fn count(&mut self, clone: &str) {
        let all = self.world.bd_in(clone, &["export"]).ok();
        for line in all.split('"') {
            if let Some(count) = self.words.get_mut(line) {
                *count += 1;
            }
        }
    }
}

#[test]
fn every_word_of_a_sandbox_arrives_once() {
    let sandboxes = number("GIT_BEADS_SANDBOXES").unwrap_or(6) as usize;
    let steps = number("GIT_BEADS_STEPS").unwrap_or(12) as usize;
    let mut simulation = Simulation::new(sandboxes);
    (0..sandboxes * steps).for_each(|step| simulation.step(step));
    simulation.round();
    simulation.round();
    // What only one that may not delete has seen is deleted by the next one.
    let refs = hub_refs(&simulation.world);
    let mut others = refs
        .iter()
        .filter(|name| !name.starts_with("refs/heads/work-"));
    assert_eq!(others.next().map(String::as_str), Some("refs/beads/main"));
    assert_eq!(others.collect::<Vec<_>>(), ["refs/heads/main"]);
    let before = simulation.tip("hub.git");
    for number in 0..sandboxes {
        _ = simulation.run_in(number, &["sync"]);
    }
    for _ in 0..2 {
        simulation.collect(COLLECTORS[1], "collect", None);
    }
    assert_eq!(
        simulation.tip("hub.git"),
        before,
        "a further collection moves nothing"
    );
    for number in (0..sandboxes).filter(|number| Way::of(*number) == Way::Mailbox) {
        assert_eq!(simulation.tip(&clone_of(number)), before, "{number}");
    }
    simulation.count(COLLECTORS[1]);
    let words = &simulation.words;
    assert!(words.values().all(|count| *count == 1), "{words:?}");
    simulation.check_conflicts(COLLECTORS[1]);
}
