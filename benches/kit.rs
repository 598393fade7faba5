//! What the benches share: a repository with issues, timing in turn, tables.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::data;

/// The program under test.
pub(crate) const BINARY: &str = match option_env!("GIT_BEADS_PUBLISHED") {
    Some(published) => published,
    None => env!("CARGO_BIN_EXE_git-beads"),
};

/// A repository in a folder of its own, without any maintenance that would run beside a measurement.
pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) repo: PathBuf,
    /// The ids of issues that are open.
    pub(crate) ids: Vec<String>,
    asked: std::cell::Cell<usize>,
}

impl World {
    /// An empty repository with one commit.
    pub(crate) fn new() -> Self {
        Self::with_init(&["init", "-q", "-b", "main"])
    }

    fn with_init(init: &[&str]) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("git-beads-bench-")
            .tempdir()
            .unwrap();
        let repo = folder.path().join("repo");
        std::fs::create_dir(&repo).unwrap();
        for args in [
            init,
            &["config", "user.name", "bench"],
            &["config", "user.email", "bench@localhost"],
            &["config", "gc.auto", "0"],
            &["commit", "-q", "--allow-empty", "-m", "first"],
        ] {
            done(&mut git(&repo, args));
        }
        Self {
            folder,
            repo,
            ids: Vec::new(),
            asked: std::cell::Cell::new(0),
        }
    }

    /// The same with so many issues; also their file.
    pub(crate) fn with_issues(size: usize) -> (Self, PathBuf) {
        Self::new().filled(size)
    }

    /// The same where refs are a reftable.
    pub(crate) fn in_reftable(size: usize) -> Self {
        let init = ["init", "-q", "-b", "main", "--ref-format=reftable"];
        Self::with_init(&init).filled(size).0
    }

    fn filled(mut self, size: usize) -> (Self, PathBuf) {
        let world = &mut self;
        let file = world.folder.path().join("issues.jsonl");
        world.ids = data::write(&file, size);
        done(&mut world.beads(&["init", "--import", file.to_str().unwrap()]));
        (self, file)
    }

    /// Gives it a bare remote, which has its commit; returns where that lies.
    pub(crate) fn with_hub(&self) -> PathBuf {
        let hub = self.folder.path().join("hub");
        done(&mut git(
            self.folder.path(),
            &["init", "-q", "--bare", hub.to_str().unwrap()],
        ));
        done(&mut self.git(&["remote", "add", "origin", hub.to_str().unwrap()]));
        done(&mut self.git(&["push", "-q", "origin", "HEAD:refs/heads/main"]));
        hub
    }

    pub(crate) fn git(&self, args: &[&str]) -> Command {
        git(&self.repo, args)
    }

    pub(crate) fn beads(&self, args: &[&str]) -> Command {
        quiet(&self.repo, BINARY, args)
    }

    /// Whether writes keep a journal.
    pub(crate) fn durable(&self, yes: bool) {
        done(&mut self.git(&[
            "config",
            "beads.durability",
            if yes { "journal" } else { "git" },
        ]));
    }

    /// An open issue that nobody has asked for before: what is written to it changes it.
    pub(crate) fn fresh(&self) -> &str {
        let n = self.asked.get() + 1;
        self.asked.set(n);
        &self.ids[(n * 7 + self.ids.len() / 2) % self.ids.len()]
    }

    /// An open issue, another one each time.
    pub(crate) fn id(&self, round: usize) -> &str {
        &self.ids[(round * 7919) % self.ids.len()]
    }
}

pub(crate) fn git(repo: &Path, args: &[&str]) -> Command {
    quiet(repo, "git", args)
}

/// A command that says nothing.
pub(crate) fn quiet(folder: &Path, program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).args(args);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// How long a command takes, which has to succeed.
pub(crate) fn timed(command: &mut Command) -> Duration {
    attempted(command).unwrap_or_else(|| panic!("{command:?}"))
}

/// How long a command takes; none if it fails.
pub(crate) fn attempted(command: &mut Command) -> Option<Duration> {
    let start = Instant::now();
    let status = command.status().unwrap();
    let time = start.elapsed();
    status.success().then_some(time)
}

/// The same where nobody asks how long.
pub(crate) fn done(command: &mut Command) {
    timed(command);
}

/// The most memory that a command holds, in megabytes, by GNU time; none where that is not installed.
pub(crate) fn peak(command: &Command) -> Option<f64> {
    let mut under = Command::new("/usr/bin/time");
    under
        .args(["-f", "%M"])
        .arg(command.get_program())
        .args(command.get_args());
    under
        .current_dir(command.get_current_dir()?)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let said = under.output().ok()?.stderr;
    let kilobytes: f64 = String::from_utf8_lossy(&said)
        .lines()
        .last()?
        .parse()
        .ok()?;
    Some(kilobytes / 1024.0)
}

pub(crate) fn share(mut times: Vec<Duration>, part: f64) -> Duration {
    times.sort_unstable();
    times[((times.len() - 1) as f64 * part) as usize]
}

pub(crate) fn median(times: Vec<Duration>) -> Duration {
    share(times, 0.5)
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

pub(crate) fn ratio(time: Duration, base: Duration) -> f64 {
    time.as_secs_f64() / base.as_secs_f64()
}

/// The numbers of the command line, else these.
pub(crate) fn sizes(default: &[usize]) -> Vec<usize> {
    let given: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.parse().ok())
        .collect();
    if given.is_empty() {
        default.to_vec()
    } else {
        given
    }
}

/// `ROUNDS`, else so many.
pub(crate) fn rounds(default: usize) -> usize {
    std::env::var("ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// Machine and versions, for the head of a report.
pub(crate) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let version = Command::new("git")
        .arg("--version")
        .output()
        .unwrap()
        .stdout;
    let size = std::fs::metadata(BINARY).unwrap().len() as f64 / 1e6;
    format!(
        "{cores} cores, {}, binary of {size:.2} MB",
        String::from_utf8_lossy(&version).trim()
    )
}

/// Prints a line of a table of times.
pub(crate) fn row(what: &str, times: &[Duration], most: &str) {
    let (half, rare) = (median(times.to_vec()), share(times.to_vec(), 0.99));
    let (half, rare) = (millis(half), millis(rare));
    println!("| {what} | {half:.1} | {rare:.1} | {most} |");
}

/// Returns a number of a status file.
fn field(file: &Path, name: &str) -> u64 {
    let text = std::fs::read_to_string(file).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.unwrap().split_whitespace().next();
    number.unwrap().parse().unwrap()
}

/// The most memory that a process has held until now, in megabytes.
pub(crate) fn most_memory(process: u32) -> f64 {
    let status = format!("/proc/{process}/status");
    field(Path::new(&status), "VmHWM:") as f64 / 1024.0
}

/// Ticks of the processor and times that a thread was woken, since a process began.
fn cost(process: u32) -> (u64, u64) {
    let folder = format!("/proc/{process}");
    let stat = std::fs::read_to_string(format!("{folder}/stat")).unwrap();
    let after = stat.rsplit_once(')').unwrap().1;
    let numbers: Vec<&str> = after.split_whitespace().collect();
    let ticks = numbers[11].parse::<u64>().unwrap() + numbers[12].parse::<u64>().unwrap();
    let mut wakes = 0;
    for task in std::fs::read_dir(format!("{folder}/task")).unwrap() {
        let status = task.unwrap().path().join("status");
        wakes += field(&status, "voluntary_ctxt_switches:");
    }
    (ticks, wakes)
}

/// Prints what a process costs in a minute.
pub(crate) fn idle(process: u32, what: &str) {
    // What was under way is over.
    std::thread::sleep(Duration::from_secs(2));
    let (ticks, wakes) = cost(process);
    std::thread::sleep(Duration::from_secs(60));
    let after = cost(process);
    let (ticks, wakes) = (after.0 - ticks, after.1 - wakes);
    println!("\n{what}: {ticks} ticks of the processor, {wakes} wakes of all threads");
}
