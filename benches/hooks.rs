//! What our hooks cost the user's own git, in turn with and without them.
//!
//! See `benches/README.md` for the command. Figures are medians; what counts is the ratio.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench is no part of the program"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const BINARY: &str = match option_env!("GIT_BEADS_PUBLISHED") {
    Some(published) => published,
    None => env!("CARGO_BIN_EXE_git-beads"),
};
const REFS: usize = 200;

/// A repository: its folder, and whether our hooks are in it.
struct Side {
    repo: PathBuf,
    hub: PathBuf,
}

/// A git command, what prepares it, and what it may cost.
struct Case {
    name: &'static str,
    prepare: fn(&Side),
    run: fn(&Side) -> Command,
    target: &'static str,
}

const CASES: [Case; 4] = [
    Case {
        name: "commit",
        prepare: |_| {},
        run: |side| {
            git(
                &side.repo,
                &["commit", "-q", "--allow-empty", "-m", "bench"],
            )
        },
        target: "1.0 x",
    },
    Case {
        name: "fetch of 200 refs",
        prepare: |side| {
            let names = run(git(
                &side.repo,
                &[
                    "for-each-ref",
                    "--format=delete %(refname)",
                    "refs/remotes/hub/",
                ],
            ));
            pipe(&side.repo, &["update-ref", "--stdin"], &names);
        },
        run: |side| {
            git(
                &side.repo,
                &[
                    "fetch",
                    "-q",
                    side.hub.to_str().unwrap(),
                    "+refs/heads/*:refs/remotes/hub/*",
                ],
            )
        },
        target: "1.0 x",
    },
    Case {
        name: "checkout",
        prepare: |_| {},
        run: |side| git(&side.repo, &["checkout", "-q", "-B", "topic", "main"]),
        target: "+ 3 ms",
    },
    Case {
        name: "merge",
        prepare: |side| {
            run(git(
                &side.repo,
                &["update-ref", "refs/heads/topic", "main~1"],
            ));
            run(git(
                &side.repo,
                &["symbolic-ref", "HEAD", "refs/heads/topic"],
            ));
        },
        run: |side| git(&side.repo, &["merge", "-q", "--ff-only", "main"]),
        target: "+ 3 ms",
    },
];

fn main() {
    let rounds = std::env::var("ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(40);
    println!(
        "{}, binary: {BINARY}",
        run(Command::new("git").arg("version")).trim()
    );
    let folder = tempfile::Builder::new()
        .prefix("git-beads-bench-")
        .tempdir()
        .unwrap();
    let (bare, hooked) = (side(folder.path(), "without"), side(folder.path(), "with"));
    run(beads(&hooked.repo, &["hooks", "install"]));
    for case in &CASES {
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..rounds {
            // Whoever is first in a round is last in the next.
            for i in [round % 2, (round + 1) % 2] {
                let side = [&bare, &hooked][i];
                (case.prepare)(side);
                times[i].push(timed(&mut (case.run)(side)));
                // What we start beside git ends before the next command is timed.
                std::thread::sleep(Duration::from_millis(15));
            }
        }
        let [without, with] = times.map(median);
        println!(
            "{:<20} {without:>8.2} ms without, {with:>8.2} ms with: {:.2} x, {:+.2} ms (target {})",
            case.name,
            with / without,
            with - without,
            case.target
        );
    }
}

fn side(folder: &Path, name: &str) -> Side {
    let side = Side {
        repo: folder.join(name),
        hub: folder.join(format!("{name}-hub.git")),
    };
    std::fs::create_dir(&side.repo).unwrap();
    for args in [
        vec!["init", "-q", "--initial-branch=main"],
        vec!["config", "user.name", "bench"],
        vec!["config", "user.email", "bench@localhost"],
        vec!["config", "gc.auto", "0"],
        vec!["config", "maintenance.auto", "false"],
        vec!["commit", "-q", "--allow-empty", "-m", "first"],
        vec!["commit", "-q", "--allow-empty", "-m", "second"],
    ] {
        run(git(&side.repo, &args));
    }
    run(git(
        &side.repo,
        &["clone", "-q", "--bare", ".", side.hub.to_str().unwrap()],
    ));
    let oid = run(git(&side.repo, &["rev-parse", "HEAD"]));
    let refs: String = (0..REFS)
        .map(|i| format!("create refs/heads/b{i} {oid}"))
        .collect();
    pipe(&side.hub, &["update-ref", "--stdin"], &refs);
    run(beads(&side.repo, &["init"]));
    for i in 0..50 {
        run(beads(&side.repo, &["create", &format!("Issue {i}")]));
    }
    side
}

fn git(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    let mut path = vec![Path::new(BINARY).parent().unwrap().to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    command
        .current_dir(folder)
        .args(args)
        .env("PATH", std::env::join_paths(path).unwrap())
        .env_remove("CI");
    command
}

fn beads(folder: &Path, args: &[&str]) -> Command {
    let mut command = git(folder, &["beads"]);
    command.args(args);
    command
}

fn run(mut command: impl std::borrow::BorrowMut<Command>) -> String {
    let output = command.borrow_mut().output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn pipe(folder: &Path, args: &[&str], input: &str) {
    use std::io::Write;
    let mut child = git(folder, args).stdin(Stdio::piped()).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
}

fn timed(command: &mut Command) -> f64 {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().unwrap();
    let time = start.elapsed();
    assert!(status.success(), "{command:?}");
    time.as_secs_f64() * 1000.0
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
