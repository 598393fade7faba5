//! Random histories of claims that the remote keeps: each is granted once, and what its holder ended stays so.

use super::claims;
use crate::properties::faults::{Dice, seed};
use crate::support::clones::{create, tip, two_clones};
use crate::support::plumbing::instead_of_git;
use crate::support::{Output, World, binary, number};

const CLONES: [&str; 3] = ["a", "b", "c"];

/// Three clones whose clocks differ, one issue that their agents start and end with the word of the remote, exchanges,
/// peers, a remote that is away, commands that are killed as they push, and what makes it unknown who has it, in random
/// order.
struct History {
    world: World,
    id: String,
    dice: Dice,
    skews: Vec<i64>,
    /// The clone that was granted the issue last, and the number of that claim; none where a command was killed since.
    holder: Option<(usize, u64)>,
    /// The largest number that was granted.
    last: u64,
    /// What the holder has made of it at last; none while it works on it, or where that is not known.
    ended: Option<&'static str>,
    /// True where the remote has heard of that.
    is_heard: bool,
    /// Which clones have started it without the word of the remote, and not with it since.
    is_local: [bool; 3],
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
            holder: None,
            last: 0,
            ended: None,
            is_heard: false,
            is_local: [false; 3],
            log: vec![format!("history {seed}")],
        }
    }

    fn run(&mut self, clone: usize, args: &[&str]) -> Output {
        self.run_as(clone, "agent", args)
    }

    /// Runs a command of one of the agents of a clone.
    fn run_as(&mut self, clone: usize, agent: &str, args: &[&str]) -> Output {
        let name = CLONES[clone];
        let (person, agent) = (format!("{name}-person"), format!("{name}-{agent}"));
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

    fn check(&self, is_so: bool, what: &str) {
        let log = self.log.join("\n");
        assert!(is_so, "{what}: {:?} {:?}\n{log}", self.holder, self.ended);
    }

    /// Starts the issue, and checks that it was to be had.
    fn start(&mut self, clone: usize, is_forced: bool) {
        let id = self.id.clone();
        let args = ["start", &id, "--force"];
        let output = self.run(clone, &args[..2 + usize::from(is_forced)]);
        self.check([0, 1, 3, 5].contains(&output.code), "a code of a start");
        if output.code != 0 {
            return;
        }
        let was_local = std::mem::take(&mut self.is_local[clone]);
        let answer = output.json();
        let fence = answer["claim"]["fence"].as_u64().unwrap();
        if !answer["already_in_progress"].is_null() {
            let is_known = self.holder.is_some();
            let is_own = self.holder == Some((clone, fence)) && self.ended.is_none();
            // A claim in this clone alone holds where others have given the issue back meanwhile.
            let is_given_back = self.ended == Some("open") && self.is_heard;
            let is_kept = was_local && is_given_back && fence > self.last;
            self.check(
                is_own || is_kept || !is_known,
                "confirmed though it is another's",
            );
            (self.holder, self.last) = (Some((clone, fence)), fence.max(self.last));
            self.ended = self.ended.filter(|_| !is_kept);
            return;
        }
        self.check(fence > self.last, "a number that was granted before");
        let is_over = self.ended == Some("closed") && self.is_heard;
        self.check(!is_over, "an end that was not heard of");
        let is_free = self.holder.is_none() || (self.ended.is_some() && self.is_heard);
        let is_own = self.holder.is_some_and(|(holder, _)| holder == clone);
        self.check(is_forced || is_free || is_own, "granted twice");
        (self.holder, self.last, self.ended) = (Some((clone, fence)), fence, None);
    }

    /// Ends the issue, if it is this clone's as far as it knows.
    fn end(&mut self, clone: usize, args: &[&str], status: &'static str) {
        let shown = self.run(clone, &["show", &self.id.clone()]).json();
        let person = format!("{}-person", CLONES[clone]);
        let issue = &shown["issue"];
        if issue["status"] != "in_progress" || issue["assignee"] != *person {
            return;
        }
        let output = self.run(clone, args);
        let Some((holder, _)) = self.holder else {
            return;
        };
        self.check([0, 3, 5].contains(&output.code), "a code of an end");
        if holder != clone && self.is_local[clone] {
            // It stands or gives way at the next exchange.
            (self.holder, self.ended) = (None, None);
            return;
        }
        match (holder == clone && self.ended.is_none(), output.code) {
            (true, 0 | 5) => (self.ended, self.is_heard) = (Some(status), output.code == 0),
            (true, _) => self.check(false, "the holder is refused"),
            (false, 0) => self.check(false, "one that was replaced ends it"),
            (false, _) => {}
        }
    }

    fn sync(&mut self, clone: usize) {
        let output = self.run(clone, &["sync"]);
        self.check([0, 5].contains(&output.code), "a code of a sync");
        let is_own = self.holder.is_some_and(|(holder, _)| holder == clone);
        self.is_heard |= is_own && output.code == 0;
    }

    fn step(&mut self) {
        let clone = self.dice.roll(3) as usize;
        let id = self.id.clone();
        let hub = ["hub.git", "away.git"].map(|name| self.world.path(name));
        let is_away = self.dice.roll(6) == 0;
        if is_away {
            std::fs::rename(&hub[0], &hub[1]).unwrap();
        }
        match self.dice.roll(14) {
            0..3 => self.start(clone, false),
            3 => self.start(clone, true),
            4..6 => self.end(clone, &["done", &id, "-r", "ported"], "closed"),
            6 => self.end(clone, &["stop", &id], "open"),
            7 => drop(self.run(clone, &["create", "Makes the remote move"])),
            8 => {
                let peer = (clone + 1 + self.dice.roll(2) as usize) % 3;
                self.run(clone, &["pull", "--remote", CLONES[peer]]).ok();
            }
            9 if self.dice.roll(3) == 0 => self.kill(clone),
            12.. => self.disturb(clone),
            _ => self.sync(clone),
        }
        if is_away {
            std::fs::rename(&hub[1], &hub[0]).unwrap();
        }
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
        self.is_local[clone] |= args.contains(&"--local") && output.code == 0;
        (self.holder, self.ended) = (None, None);
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
        let args = args[self.dice.roll(2) as usize];
        drop(self.run(clone, args));
        std::fs::remove_file(self.world.path("tools/git")).unwrap();
        (self.holder, self.ended) = (None, None);
    }
}

#[test]
fn each_claim_is_granted_once_and_what_its_holder_ended_stays_so() {
    // 4 in each run of the tests, 40 where a change is checked, 600 in the slow part.
    let cases = number("GIT_BEADS_LEASES").unwrap_or(4);
    let first = seed("each_claim_is_granted_once");
    // And one in which a clone that had not heard of a claim wrote one later than that.
    for case in (first..first + cases).chain([4_266_603]) {
        let mut history = History::new(case);
        for _ in 0..25 {
            history.step();
        }
        for _ in 0..3 {
            (0..3).for_each(|clone| history.sync(clone));
        }
        let tips = CLONES.map(|clone| tip(&history.world, clone));
        history.check(tips.iter().all(|tip| *tip == tips[0]), "tips differ");
        // A claim in one clone alone holds where the issue was given back.
        let is_kept = history.ended == Some("open") && history.is_local.contains(&true);
        if let Some(status) = history.ended.filter(|_| !is_kept) {
            let id = history.id.clone();
            let shown = history.run(0, &["show", &id]).json();
            history.check(shown["issue"]["status"] == status, "an end is lost");
            history.check(claims(&history.world).is_empty(), "a claim is left");
        }
    }
}
