//! Many workers in several clones that take the next issue with the word of the remote: each issue is worked on once.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::Value;

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

/// Minutes that pass for all workers.
type Minutes = AtomicI64;

/// How far a clock is from the right one at the command of a number, in milliseconds.
type Clock = fn(i64) -> i64;

/// The commands of a worker; each has a seed of its own.
struct Worker<'w> {
    folder: PathBuf,
    surroundings: Vec<(OsString, OsString)>,
    agent: String,
    clock: Clock,
    minutes: &'w Minutes,
    count: i64,
    /// What the last command has said beside its answer.
    remarks: String,
}

impl<'w> Worker<'w> {
    fn new(world: &World, number: usize, minutes: &'w Minutes) -> Self {
        let folder = format!("c{}", number % clone_count());
        let command = world.command(&folder, binary(), &[]);
        let set = |(name, value): (&OsStr, Option<&OsStr>)| Some((name.into(), value?.into()));
        Self {
            folder: world.path(&folder),
            surroundings: command.get_envs().filter_map(set).collect(),
            agent: format!("w-{number}"),
            clock: |_| 0,
            minutes,
            count: 0,
            remarks: String::new(),
        }
    }

    /// Returns the time of its next command, in milliseconds.
    fn now(&self) -> i64 {
        let mut surroundings = self.surroundings.iter();
        let (_, now) = surroundings
            .find(|(name, _)| name == "GIT_BEADS_NOW")
            .unwrap();
        let start: i64 = now.to_str().unwrap().parse().unwrap();
        let passed = self.minutes.load(Ordering::Relaxed) * 60_000;
        start + passed + (self.clock)(self.count)
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
                    let end = if code == 0 { "" } else { REFUSED };
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
            .env("GIT_BEADS_SEED", seed)
            .env("GIT_BEADS_NOW", self.now().to_string());
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
    let minutes = Minutes::new(0);
    std::thread::scope(|scope| {
        let workers = number("GIT_BEADS_WORKERS").unwrap_or(2) as usize;
        for worker in 0..clone_count() * workers {
            let mut worker = Worker::new(world, worker, &minutes);
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

/// The clocks of four clones: two are wrong by hours and days.
const CLOCKS: [Clock; 4] = [|_| 0, |_| -10_800_000, |_| 432_000_000, |_| 7_000];
/// The same, where one jumps and one runs fast.
const MOVING_CLOCKS: [Clock; 4] = [
    |_| -10_800_000,
    |_| 432_000_000,
    |n| if n % 2 == 0 { -1_800_000 } else { 1_800_000 },
    |n| n * 60_000,
];

#[test]
fn what_a_worker_leaves_that_is_killed_another_one_ends() {
    work_with_kills(&CLOCKS);
}

#[test]
fn what_a_worker_leaves_is_ended_once_also_where_clocks_run_differently() {
    work_with_kills(&MOVING_CLOCKS);
}

/// So often a worker looks in vain, with ten minutes in between: leases of an hour have long been over by then.
const MOST_LOOKS: usize = 200;

/// Lets workers take issues under a lease and end them; many are killed, and some never come back.
fn work_with_kills(clocks: &[Clock]) {
    // 8 in each run of the tests, 20 where a change is checked, 200 in the slow part.
    let issues = number("GIT_BEADS_KILLED").unwrap_or(8);
    let mut dice = Dice::new(seed("what_a_worker_leaves"));
    let world = two_clones();
    clones(&world, "hub.git", issues);
    let ended = Mutex::new(BTreeMap::<String, Vec<String>>::new());
    let minutes = Minutes::new(0);
    std::thread::scope(|scope| {
        for number in 0..clone_count() {
            let mut worker = Worker::new(&world, number, &minutes);
            worker.clock = clocks[number % clocks.len()];
            let (ended, minutes, seed) = (&ended, &minutes, dice.roll(1 << 30));
            scope.spawn(move || {
                let mut dice = Dice::new(seed);
                let (mut idle, is_all) = (0, || ended.lock().unwrap().len() as u64 == issues);
                while !is_all() && idle < MOST_LOOKS {
                    let claim = ["ready", "--claim", "--lease", "60m"];
                    if dice.roll(4) == 0 {
                        // Killed in the middle: it is another worker that comes next.
                        killed_after(dice.roll(40) as usize, worker.command(&claim));
                        worker.agent.push('x');
                        continue;
                    }
                    let (code, answer) = worker.run(&claim);
                    if code != 0 {
                        minutes.fetch_add(10, Ordering::Relaxed);
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
                    assert!([0, 3].contains(&code), "{id}: {answer}");
                    if code == 0 {
                        let agent = worker.agent.clone();
                        ended.lock().unwrap().entry(id).or_default().push(agent);
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
    assert_eq!(ended.len() as u64, issues, "{ended:?}");
}
