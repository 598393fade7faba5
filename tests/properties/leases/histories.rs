//! Random histories of claims that the remote decides: no one gets what another one has there, and what was answered is there.

use serde_json::Value;

use crate::properties::faults::{Dice, seed};
use crate::support::clones::{create, tip, two_clones};
use crate::support::plumbing::instead_of_git;
use crate::support::{Output, World, binary, number};

const CLONES: [&str; 3] = ["a", "b", "c"];

/// The issue as the remote has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AtHub {
    status: String,
    /// The person and the agent that work on it; empty where no one does.
    holder: String,
}

/// Three clones whose clocks differ, one issue that their agents start and end with the word of the remote, exchanges,
/// peers, a remote that is away, commands that are killed as they push, and what makes it unknown who has it, in random
/// order.
struct History {
    world: World,
    id: String,
    dice: Dice,
    skews: Vec<i64>,
    /// Which clones have ended the issue since all have heard of all.
    has_ended: [bool; 3],
    /// Something was done since then that takes an issue from whoever has it.
    is_disturbed: bool,
    log: Vec<String>,
}

impl History {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let world = two_clones();
        world
            .git_in(".", &["clone", "--quiet", "hub.git", "c"])
            .ok();
        world.bd_in("c", &["init"]).ok();
        let id = create(&world, "a", &["Wire cache"]);
        for clone in CLONES {
            world.bd_in(clone, &["sync"]).ok();
            for peer in CLONES.iter().filter(|peer| **peer != clone) {
                let url = world.path(peer).display().to_string();
                world.git_in(clone, &["remote", "add", peer, &url]).ok();
            }
            world
                .git_in(clone, &["config", "beads.claims", "strict"])
                .ok();
        }
        let skews = CLONES.map(|_| dice.roll(6) as i64 * 1000 - 1000).to_vec();
        Self {
            world,
            id,
            dice,
            skews,
            has_ended: [false; 3],
            is_disturbed: false,
            log: vec![format!("history {seed}")],
        }
    }

    fn run(&mut self, clone: usize, args: &[&str]) -> Output {
        self.run_as(clone, "agent", args)
    }

    /// Runs a command of one of the agents of a clone.
    fn run_as(&mut self, clone: usize, agent: &str, args: &[&str]) -> Output {
        let name = CLONES[clone];
        let (person, agent) = (person(clone), format!("{name}-{agent}"));
        let mut all = vec!["--json", "--actor", &person, "--agent", &agent];
        all.extend(args);
        let mut command = self.world.command(name, binary(), &all);
        let now = command.get_envs().find(|(key, _)| *key == "GIT_BEADS_NOW");
        let now: i64 = now.unwrap().1.unwrap().to_str().unwrap().parse().unwrap();
        command.env("GIT_BEADS_NOW", (now + self.skews[clone]).to_string());
        let output = self.world.run(command, None);
        let (code, said) = (output.code, output.stdout.trim());
        self.log.push(format!(
            "{name} {args:?}: {code} {said} {}",
            output.stderr.trim()
        ));
        output
    }

    fn at_hub(&self) -> AtHub {
        let shown = self.world.bd_in("hub.git", &["show", &self.id, "--json"]);
        let issue = &shown.json()["issue"];
        let status = issue["status"].as_str().unwrap().to_owned();
        let holder = match status.as_str() {
            "in_progress" => holder(issue),
            _ => String::new(),
        };
        AtHub { status, holder }
    }

    fn check(&self, is_so: bool, what: &str) {
        let log = self.log.join("\n");
        assert!(is_so, "{what}: {:?}\n{log}", self.at_hub());
    }

    fn start(&mut self, clone: usize, is_forced: bool, is_away: bool) {
        let id = self.id.clone();
        let args = ["start", &id, "--force"];
        let output = self.run(clone, &args[..2 + usize::from(is_forced)]);
        self.check([0, 1, 3, 5].contains(&output.code), "a code of a start");
        if is_away {
            self.check(output.code != 0, "granted without the remote");
        } else if output.code == 0 {
            let is_there = self.at_hub().holder == party(clone);
            self.check(is_there, "granted, and not at the remote");
            self.has_ended[clone] = false;
        }
    }

    /// Ends the issue, if it is this clone's as far as it knows.
    fn end(&mut self, clone: usize, args: &[&str], status: &str, is_away: bool) {
        let shown = self.run(clone, &["show", &self.id.clone()]).json();
        let issue = &shown["issue"];
        if issue["status"] != "in_progress" || holder(issue) != party(clone) {
            return;
        }
        let before = (!is_away).then(|| self.at_hub().holder);
        let output = self.run(clone, args);
        self.check([0, 3].contains(&output.code), "a code of an end");
        self.has_ended[clone] |= output.code == 0;
        let Some(before) = before.filter(|_| !self.is_disturbed) else {
            return;
        };
        let is_own = before == party(clone);
        if is_own {
            self.check(output.code == 0, "the holder is refused");
        }
        if output.code == 0 {
            let is_there = self.at_hub().status == status;
            self.check(is_there, "an end that is not at the remote");
        }
    }

    fn step(&mut self) {
        let clone = self.dice.roll(3) as usize;
        let id = self.id.clone();
        let hub = ["hub.git", "away.git"].map(|name| self.world.path(name));
        let before = self.at_hub();
        // As it was: where all hear of all in this step, nothing of it is left afterwards.
        let (had_ended, was_disturbed) = (self.has_ended, self.is_disturbed);
        let is_away = self.dice.roll(6) == 0;
        if is_away {
            std::fs::rename(&hub[0], &hub[1]).unwrap();
        }
        let mut is_forced = false;
        match self.dice.roll(15) {
            0..3 => self.start(clone, false, is_away),
            3 => {
                is_forced = true;
                self.start(clone, true, is_away);
            }
            4..6 => self.end(clone, &["done", &id, "-r", "ported"], "closed", is_away),
            6 => self.end(clone, &["stop", &id], "open", is_away),
            7 => drop(self.run(clone, &["create", "Makes the remote move"])),
            8 => {
                let peer = (clone + 1 + self.dice.roll(2) as usize) % 3;
                self.run(clone, &["pull", "--remote", CLONES[peer]]).ok();
            }
            9 => self.kill(clone),
            10 if !is_away => self.all_sync(),
            13.. => self.disturb(clone),
            _ => {
                let output = self.run(clone, &["sync"]);
                self.check([0, 5].contains(&output.code), "a code of a sync");
            }
        }
        if is_away {
            std::fs::rename(&hub[1], &hub[0]).unwrap();
        }
        let after = self.at_hub();
        let is_taken = !before.holder.is_empty() && before != after;
        let is_allowed = is_forced
            || was_disturbed
            || self.is_disturbed
            || before.holder == party(clone)
            || (0..3).any(|it| before.holder == party(it) && had_ended[it]);
        self.check(
            !is_taken || is_allowed,
            "taken from who has it at the remote",
        );
    }

    fn all_sync(&mut self) {
        for _ in 0..3 {
            for clone in 0..3 {
                let output = self.run(clone, &["sync"]);
                self.check(output.code == 0, "a code of a sync");
            }
        }
        let tips = CLONES.map(|clone| tip(&self.world, clone));
        self.check(tips.iter().all(|tip| *tip == tips[0]), "tips differ");
        (self.has_ended, self.is_disturbed) = ([false; 3], false);
    }

    /// Does what makes it unknown who has the issue: takes back what was done last, opens it again, starts it without the
    /// word of the remote, or lets a second agent of the clone work on it.
    fn disturb(&mut self, clone: usize) {
        let id = self.id.clone();
        let (agent, args): (_, &[&str]) = match self.dice.roll(6) {
            0 => ("agent", &["undo"]),
            1 => ("agent", &["reopen", &id]),
            2 => ("agent", &["start", &id, "--local"]),
            3 => ("second", &["start", &id]),
            4 => ("second", &["done", &id, "-r", "second"]),
            _ => ("second", &["stop", &id]),
        };
        let output = self.run_as(clone, agent, args);
        self.check([0, 1, 2, 3, 4, 5].contains(&output.code), "a code");
        self.is_disturbed = true;
    }

    /// Starts or ends the issue, and is killed before or after its push.
    fn kill(&mut self, clone: usize) {
        let run = ["", "\"$GIT\" \"$@\" >/dev/null 2>&1; "][self.dice.roll(2) as usize];
        let script = format!(
            "case \" $* \" in *' push '*) {run}kill -9 $PPID; exit 1;; esac; exec \"$GIT\" \"$@\""
        );
        instead_of_git(&self.world, &script);
        let id = self.id.clone();
        let args = [&["start", &id][..], &["done", &id, "-r", "killed"]];
        let is_end = self.dice.roll(2) as usize;
        drop(self.run(clone, args[is_end]));
        std::fs::remove_file(self.world.path("tools/git")).unwrap();
        self.has_ended[clone] |= is_end == 1;
    }
}

fn person(clone: usize) -> String {
    format!("{}-person", CLONES[clone])
}

/// The person and the agent of a clone. A second agent of it makes it unknown who has the issue.
fn party(clone: usize) -> String {
    format!("{}/{}-agent", person(clone), CLONES[clone])
}

/// Who works on an issue, as `show` says it.
fn holder(issue: &Value) -> String {
    let claim = issue["claim"]["by"].as_str().or(issue["assignee"].as_str());
    claim.unwrap_or_default().to_owned()
}

#[test]
fn no_one_gets_what_another_one_has_at_the_remote() {
    // 4 in each run of the tests, 20 where a change is checked, 600 in the slow part.
    let cases = number("GIT_BEADS_LEASES").unwrap_or(4);
    let first = seed("no_one_gets_what_another_one_has");
    for case in first..first + cases {
        let mut history = History::new(case);
        for _ in 0..25 {
            history.step();
        }
        history.all_sync();
    }
}
