//! Many workers in several clones that take the next issue with the word of the remote: each issue is worked on once.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use serde_json::Value;

use super::claims;
use crate::properties::exchange::transports;
use crate::properties::faults::{Dice, seed};
use crate::support::clones::two_clones;
use crate::support::events::killed_after;
use crate::support::{World, binary, number};

/// At the end of what is said of an issue that was not to be ended by who was granted it.
const REFUSED: &str = "refused";

/// Returns how many clones there are: 4, and 16 in the slow part.
fn clone_count() -> usize {
    number("GIT_BEADS_CLONES").unwrap_or(4) as usize
}

/// A hub with issues, and clones of a URL that claim with the word of the remote.
fn clones(world: &World, url: &str, issues: u64) {
    for _ in 0..issues {
        crate::support::clones::create(world, "a", &["T"]);
    }
    world.bd_in("a", &["sync"]).ok();
    for n in 0..clone_count() {
        let name = format!("c{n}");
        world.git_in(".", &["clone", "--quiet", url, &name]).ok();
        world.bd_in(&name, &["init"]).ok();
        world
            .git_in(&name, &["config", "beads.claims", "strict"])
            .ok();
    }
}

/// The commands of a worker; each has a seed of its own.
struct Worker {
    folder: PathBuf,
    surroundings: Vec<(OsString, OsString)>,
    agent: String,
    /// The clock of a command, by its number; that of the world where there is none.
    clock: Option<fn(u64) -> String>,
    count: u64,
    /// What the last command has said beside its answer.
    remarks: String,
}

impl Worker {
    fn new(world: &World, number: usize) -> Self {
        let folder = format!("c{}", number % clone_count());
        let command = world.command(&folder, binary(), &[]);
        let set = |(name, value): (&OsStr, Option<&OsStr>)| Some((name.into(), value?.into()));
        Self {
            folder: world.path(&folder),
            surroundings: command.get_envs().filter_map(set).collect(),
            agent: format!("w-{number}"),
            clock: None,
            count: 0,
            remarks: String::new(),
        }
    }

    /// Moves its clock by some milliseconds.
    fn shift(&mut self, millis: i64) {
        let now = self
            .surroundings
            .iter_mut()
            .find(|(name, _)| name == "GIT_BEADS_NOW");
        let (_, now) = now.unwrap();
        let right: i64 = now.to_str().unwrap().parse().unwrap();
        *now = (right + millis).to_string().into();
    }

    /// Runs a command; returns its exit code, and its answer or error.
    fn run(&mut self, args: &[&str]) -> (i32, Value) {
        let output = self.command(args).output().unwrap();
        let said = match output.status.success() {
            true => &output.stdout,
            false => &output.stderr,
        };
        let text = String::from_utf8_lossy(said).into_owned();
        self.remarks = String::from_utf8_lossy(&output.stderr).into_owned();
        let answer = serde_json::from_str(text.lines().next().unwrap_or_default());
        (
            output.status.code().unwrap(),
            answer.unwrap_or(Value::String(text)),
        )
    }

    /// Takes the next issue and ends it; returns its id and what was said. None where nothing is ready.
    fn do_next(&mut self) -> Option<(String, String)> {
        loop {
            let (code, answer) = self.run(&["ready", "--claim"]);
            match code {
                0 => {
                    let id = answer["issue"]["id"].as_str().unwrap().to_owned();
                    let said = format!("{}: {answer} {}", self.agent, self.remarks);
                    let (code, answer) = self.run(&["done", &id, "-r", "ended"]);
                    let said = format!("{said}\n{code}: {answer} {}", self.remarks);
                    // 5: others sent all the time; the syncs at the end give it back.
                    let end = if [0, 5].contains(&code) { "" } else { REFUSED };
                    return Some((id, said + end));
                }
                1 | 2 => return None,
                // Others were faster.
                3 | 5 => {}
                _ => panic!("{answer}"),
            }
        }
    }

    fn command(&mut self, args: &[&str]) -> Command {
        self.count += 1;
        let seed = format!("{} {}", self.agent, self.count);
        let mut command = Command::new(binary());
        command
            .args(["--json", "--actor", "ann", "--agent", &self.agent])
            .args(args)
            .current_dir(&self.folder)
            .env_clear()
            .envs(self.surroundings.iter().cloned())
            .env("GIT_BEADS_SEED", seed);
        if let Some(clock) = self.clock {
            command.env("GIT_BEADS_NOW", clock(self.count));
        }
        command
    }
}

#[test]
fn each_issue_is_claimed_once_over_a_path() {
    let world = two_clones();
    claimed_once(&world, "hub.git");
}

#[test]
fn each_issue_is_claimed_once_over_git_daemon() {
    let world = two_clones();
    if let Some((_server, url)) = transports::daemon(&world) {
        claimed_once(&world, &format!("{url}/hub.git"));
    }
}

#[test]
fn each_issue_is_claimed_once_over_http() {
    let world = two_clones();
    world
        .git_in("hub.git", &["config", "http.receivepack", "true"])
        .ok();
    if let Some((_server, url)) = transports::http(&world) {
        claimed_once(&world, &format!("{url}/hub.git"));
    }
}

fn claimed_once(world: &World, url: &str) {
    // 12 in each run of the tests, 70 where a change is checked, 700 in the slow part, for each transport.
    let issues = number("GIT_BEADS_CLAIMS").unwrap_or(12);
    seed("each_issue_is_claimed_once");
    clones(world, url, issues);
    // Who has worked on an issue, and what was said to each.
    let done = Mutex::new(BTreeMap::<String, Vec<String>>::new());
    std::thread::scope(|scope| {
        let workers = number("GIT_BEADS_WORKERS").unwrap_or(2) as usize;
        for worker in 0..clone_count() * workers {
            let mut worker = Worker::new(world, worker);
            let done = &done;
            scope.spawn(move || {
                while let Some((id, said)) = worker.do_next() {
                    done.lock().unwrap().entry(id).or_default().push(said);
                }
            });
        }
    });
    let done = done.into_inner().unwrap();
    let is_wrong = |by: &[String]| by.len() != 1 || by[0].ends_with(REFUSED);
    if let Some((id, by)) = done.iter().find(|(_, by)| is_wrong(by)) {
        panic!("{id} {by:#?}\n{}", histories(world, id));
    }
    for _ in 0..2 {
        for n in 0..clone_count() {
            world.bd_in(&format!("c{n}"), &["sync"]).ok();
        }
    }
    assert_eq!(done.len() as u64, issues);
    let left = world
        .git_in(
            "hub.git",
            &["for-each-ref", "refs/beads/claims", "--format=%(contents)"],
        )
        .ok();
    assert_eq!(left, "");
    world.bd_in("a", &["sync"]).ok();
    let open = world.bd_in("a", &["list", "-q"]).ok();
    if let Some(id) = open.lines().next() {
        panic!("{id} is open: {:#?}\n{}", done[id], histories(world, id));
    }
}

/// The history of an issue in each clone, as it is without an exchange.
fn histories(world: &World, id: &str) -> String {
    let log = |n| {
        let name = format!("c{n}");
        let log = world.bd_in(&name, &["log", id, "-n", "60"]).all();
        format!("{name}:\n{log}")
    };
    (0..clone_count()).map(log).collect()
}

/// The clocks of four clones, in milliseconds from the right time.
const CLOCKS: [i64; 4] = [0, -10_800_000, 432_000_000, 7_000];
/// The same from the real time, by the number of a command: one clock jumps, and one runs fast.
const MOVING_CLOCKS: [fn(u64) -> String; 4] = [
    |_| "-10800000".to_owned(),
    |_| "+432000000".to_owned(),
    |n| format!("{}3600000", if n % 2 == 0 { '-' } else { '+' }),
    |n| format!("+{}", n * 60_000),
];

#[test]
fn what_a_worker_leaves_that_is_killed_another_one_ends() {
    work_with_kills(|worker, number| worker.shift(CLOCKS[number % CLOCKS.len()]));
}

#[test]
fn what_a_worker_leaves_is_ended_once_also_where_clocks_run_differently() {
    work_with_kills(|worker, number| {
        worker.clock = Some(MOVING_CLOCKS[number % MOVING_CLOCKS.len()]);
    });
}

/// So often a worker looks in vain: leases of ten minutes have long been over by then.
const MOST_LOOKS: usize = 500;

/// Lets workers take issues under a short lease and end them; many are killed, and some never come back. `prepare` sets the
/// clock of the worker of a number.
fn work_with_kills(prepare: impl Fn(&mut Worker, usize)) {
    // 8 in each run of the tests, 40 where a change is checked, 200 in the slow part.
    let issues = number("GIT_BEADS_KILLED").unwrap_or(8);
    let mut dice = Dice::new(seed("what_a_worker_leaves"));
    let world = two_clones();
    clones(&world, "hub.git", issues);
    let ended = Mutex::new(BTreeMap::<String, Vec<String>>::new());
    std::thread::scope(|scope| {
        for number in 0..clone_count() {
            let mut worker = Worker::new(&world, number);
            // Each clone has a clock of its own.
            prepare(&mut worker, number);
            let (ended, seed, uptime) = (&ended, dice.roll(1 << 30), world.uptime());
            scope.spawn(move || {
                let mut dice = Dice::new(seed);
                let (mut idle, is_all) = (0, || ended.lock().unwrap().len() as u64 == issues);
                while !is_all() && idle < MOST_LOOKS {
                    let claim = ["ready", "--claim", "--lease", "10m"];
                    if dice.roll(4) == 0 {
                        // Killed in the middle: it is another worker that comes next.
                        killed_after(dice.roll(40) as usize, worker.command(&claim));
                        worker.agent.push('x');
                        continue;
                    }
                    let (code, answer) = worker.run(&claim);
                    if code != 0 {
                        // It looks again after a minute, and so ends the leases of those that never come back.
                        uptime.pass(1);
                        idle += 1;
                        continue;
                    }
                    idle = 0;
                    let id = answer["issue"]["id"].as_str().unwrap().to_owned();
                    if dice.roll(3) == 0 {
                        // It never comes back.
                        worker.agent.push('y');
                        continue;
                    }
                    let (code, answer) = worker.run(&["done", &id, "-r", "ended"]);
                    assert!([0, 3, 5].contains(&code), "{id}: {answer}");
                    // 5: it has ended in its clone, and the remote may have it or not.
                    let by = (code == 0).then(|| worker.agent.clone());
                    if code != 3 {
                        ended.lock().unwrap().entry(id).or_default().extend(by);
                    }
                }
            });
        }
    });
    let ended = ended.into_inner().unwrap();
    let twice: Vec<_> = ended.iter().filter(|(_, by)| by.len() > 1).collect();
    if let Some((id, _)) = twice.first() {
        panic!("{twice:?}\n{}", histories(&world, id));
    }
    let is_all = ended.len() as u64 == issues;
    assert!(is_all, "{ended:?}\n{:?}", claims(&world));
}
