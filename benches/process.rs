//! Whole processes against plain git, in turn, so that a busy machine slows both.
//!
//! See `benches/README.md` for the command. Figures are medians; what counts is the ratio.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench is no part of the program"
)]

mod data;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const BINARY: &str = env!("CARGO_BIN_EXE_git-beads");

/// A command line that is timed: its name, the baseline it is held against, how often.
struct Case {
    name: &'static str,
    baseline: Baseline,
    target: f64,
    args: Box<dyn Fn(usize) -> Vec<String>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Baseline {
    RevParse,
    Commit,
}

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![10_000] } else { sizes };
    let rounds = std::env::var("ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(40);
    println!("binary: {BINARY} ({} KB)", std::fs::metadata(BINARY).unwrap().len() / 1024);
    for size in sizes {
        measure(size, rounds);
    }
}

fn measure(size: usize, rounds: usize) {
    let folder = tempfile::Builder::new().prefix("git-beads-bench-").tempdir().unwrap();
    let repo = folder.path().join("repo");
    let file = folder.path().join("issues.jsonl");
    let ids = data::write(&file, size);
    std::fs::create_dir(&repo).unwrap();
    for args in [
        vec!["init", "-q"],
        vec!["config", "user.name", "bench"],
        vec!["config", "user.email", "bench@localhost"],
        vec!["config", "beads.durability", "git"],
        vec!["config", "gc.auto", "0"],
        vec!["commit", "-q", "--allow-empty", "-m", "first"],
    ] {
        assert!(git(&repo, &args).status().unwrap().success());
    }
    println!("\n{size} issues, {} KB of JSONL", std::fs::metadata(&file).unwrap().len() / 1024);
    let (time, peak) = watched(&mut beads(&repo, &["init".into(), "--import".into(), file.display().to_string()]));
    println!("import                    {:>9.1} ms   peak {} MB", millis(time), peak / 1024);
    let (time, peak) = watched(&mut beads(&repo, &["export".into(), folder.path().join("out").display().to_string()]));
    println!("export                    {:>9.1} ms   peak {} MB", millis(time), peak / 1024);
    compare(&repo, &cases(&ids), rounds);
    after_a_write(&repo, rounds, &ids);
}

fn cases(ids: &[String]) -> Vec<Case> {
    let fixed = |args: &[&str]| -> Box<dyn Fn(usize) -> Vec<String>> {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        Box::new(move |_| args.clone())
    };
    let each = |build: fn(&str, usize) -> Vec<String>| -> Box<dyn Fn(usize) -> Vec<String>> {
        let ids = ids.to_vec();
        Box::new(move |round| build(&ids[(round * 7919) % ids.len()], round))
    };
    let case = |name, baseline, target, args| Case { name, baseline, target, args };
    vec![
        case("ready", Baseline::RevParse, 1.6, fixed(&["ready"])),
        case("list", Baseline::RevParse, 1.6, fixed(&["list"])),
        case("show", Baseline::RevParse, 1.6, each(|id, _| vec!["show".into(), id.into()])),
        case("status", Baseline::RevParse, 1.6, fixed(&["status"])),
        case("search", Baseline::RevParse, 2.5, fixed(&["search", "zanzibar", "-n", "20"])),
        case(
            "create",
            Baseline::Commit,
            1.0,
            each(|_, round| vec!["create".into(), format!("Issue {round} of the bench")]),
        ),
        case(
            "update",
            Baseline::Commit,
            1.0,
            each(|id, round| vec!["update".into(), id.into(), "--title".into(), format!("Title {round}")]),
        ),
        case(
            "note",
            Baseline::Commit,
            1.0,
            each(|id, round| vec!["note".into(), id.into(), "--finding".into(), format!("finding {round}")]),
        ),
        case(
            "done",
            Baseline::Commit,
            1.0,
            each(|id, round| vec!["done".into(), id.into(), "-r".into(), format!("done {round}")]),
        ),
    ]
}

fn compare(repo: &Path, cases: &[Case], rounds: usize) {
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); cases.len()];
    let (mut parse, mut commit) = (Vec::new(), Vec::new());
    for case in cases {
        timed(&mut beads(repo, &(case.args)(rounds)));
    }
    for round in 0..rounds {
        parse.push(timed(&mut git(repo, &["rev-parse", "HEAD"])));
        commit.push(timed(&mut git(repo, &["commit", "-q", "--allow-empty", "-m", "bench"])));
        for (case, times) in cases.iter().zip(&mut times) {
            times.push(timed(&mut beads(repo, &(case.args)(round))));
        }
    }
    let (parse, commit) = (median(parse), median(commit));
    println!("git rev-parse HEAD        {:>9.2} ms", millis(parse));
    println!("git commit --allow-empty  {:>9.2} ms", millis(commit));
    for (case, times) in cases.iter().zip(times) {
        let time = median(times);
        let base = if case.baseline == Baseline::RevParse { parse } else { commit };
        let against = if case.baseline == Baseline::RevParse { "rev-parse" } else { "commit" };
        let ratio = time.as_secs_f64() / base.as_secs_f64();
        println!("{:<25} {:>9.2} ms   {ratio:.2} x {against} (target {:.1})", case.name, millis(time), case.target);
    }
}

/// A list right after a write against the one before it.
fn after_a_write(repo: &Path, rounds: usize, ids: &[String]) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let list = ["list".to_owned()];
    for round in 0..rounds {
        before.push(timed(&mut beads(repo, &list)));
        let id = &ids[(round * 104_729) % ids.len()];
        timed(&mut beads(repo, &["update".into(), id.clone(), "-d".into(), format!("again {round}")]));
        after.push(timed(&mut beads(repo, &list)));
    }
    let ratio = median(after).as_secs_f64() / median(before).as_secs_f64();
    println!("list after a write                       {ratio:.2} x the one before (target 1.3)");
}

fn git(repo: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(repo).args(args);
    quiet(command)
}

fn beads(repo: &Path, args: &[String]) -> Command {
    let mut command = Command::new(PathBuf::from(BINARY));
    command.current_dir(repo).args(args);
    quiet(command)
}

fn quiet(mut command: Command) -> Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn timed(command: &mut Command) -> Duration {
    let start = Instant::now();
    let status = command.status().unwrap();
    let time = start.elapsed();
    assert!(status.success(), "{command:?}");
    time
}

/// Time and peak resident memory (KB) of a longer command.
fn watched(command: &mut Command) -> (Duration, u64) {
    let start = Instant::now();
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0);
        peak = peak.max(now);
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(child.wait().unwrap().success());
    (start.elapsed(), peak)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
