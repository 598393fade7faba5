//! An exchange costs what has changed: one change among many, and many against many others.

use std::path::Path;
use std::time::Duration;

use crate::kit::{self, World, git, median, millis, quiet, ratio, timed};

/// Changes on each side of a merge.
const MANY: usize = 1000;

/// Exchanges through a bare repository, with so many issues.
pub(crate) fn measure(size: usize) {
    let (world, _) = World::with_issues(size);
    let (hub, other) = (world.with_hub(), world.folder.path().join("other"));
    let first = timed(&mut world.beads(&["sync"]));
    let joined = join(&hub, &other);
    println!(
        "\n| sync of {size} issues | time | against | ratio | target |\n|---|---|---|---|---|"
    );
    println!("| first push | {:.2} s | | | |", first.as_secs_f64());
    println!(
        "| a fresh clone joins and lists | {:.2} s | | | |",
        joined.as_secs_f64()
    );
    one_change(&world, &hub);
    many(&world, &other);
}

/// A second clone, with the issues and its first list.
fn join(hub: &Path, other: &Path) -> Duration {
    let folder = other.parent().unwrap();
    kit::done(&mut git(
        folder,
        &[
            "clone",
            "-q",
            hub.to_str().unwrap(),
            other.to_str().unwrap(),
        ],
    ));
    for (key, value) in [
        ("user.name", "other"),
        ("user.email", "other@localhost"),
        ("gc.auto", "0"),
    ] {
        kit::done(&mut git(other, &["config", key, value]));
    }
    timed(&mut quiet(other, kit::BINARY, &["init"]))
        + timed(&mut quiet(other, kit::BINARY, &["list"]))
}

/// One change, pushed by us, against a commit of the user's pushed by git, and against git pushing such a change.
fn one_change(world: &World, hub: &Path) {
    let (mut ours, mut same, mut theirs, mut sent) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let change = |round: usize, side: &str| {
        kit::done(&mut world.beads(&[
            "update",
            world.id(round),
            "--title",
            &format!("Title {round} {side}"),
        ]));
    };
    for round in 0..kit::rounds(40).min(20) {
        kit::done(&mut world.git(&["commit", "-q", "--allow-empty", "-m", "bench"]));
        theirs.push(timed(&mut world.git(&[
            "push",
            "-q",
            "origin",
            "HEAD:refs/heads/main",
        ])));
        change(round, "by git");
        same.push(timed(&mut world.git(&[
            "push",
            "-q",
            "origin",
            "refs/beads/main",
        ])));
        change(round, "by us");
        let before = hub_bytes(hub);
        ours.push(timed(&mut world.beads(&["push"])));
        sent.push(hub_bytes(hub) - before);
    }
    let (ours, same, theirs) = (median(ours), median(same), median(theirs));
    println!(
        "| push of one change | {:.1} ms | git push of one commit | {:.2} | 1.5 |",
        millis(ours),
        ratio(ours, theirs)
    );
    println!(
        "| the same | | git push of that ref, {:.1} ms | {:.2} | |",
        millis(same),
        ratio(ours, same)
    );
    sent.sort_unstable();
    println!(
        "| objects that it moves | {:.1} KB | | | 4 KB |",
        sent[sent.len() / 2] as f64 / 1e3
    );
}

/// Bytes of the objects of a bare repository, as they lie there.
fn hub_bytes(hub: &Path) -> u64 {
    let output = git(
        hub,
        &[
            "cat-file",
            "--batch-all-objects",
            "--batch-check=%(objectsize:disk)",
        ],
    )
    .stdout(std::process::Stdio::piped())
    .output()
    .unwrap();
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| line.parse::<u64>().ok())
        .sum()
}

/// A thousand changed issues against a thousand others.
fn many(world: &World, other: &Path) {
    let n = MANY.min(world.ids.len() / 2);
    let label = |label: &'static str, ids: &[String]| -> Vec<String> {
        let words = ["update", "--add-label", label].map(str::to_owned);
        words.into_iter().chain(ids.iter().cloned()).collect()
    };
    let run = |repo: &Path, words: &[String]| {
        kit::done(&mut quiet(
            repo,
            kit::BINARY,
            &words.iter().map(String::as_str).collect::<Vec<_>>(),
        ));
    };
    run(other, &label("theirs", &world.ids[..n]));
    kit::done(&mut quiet(other, kit::BINARY, &["pull"]));
    kit::done(&mut quiet(other, kit::BINARY, &["push"]));
    run(&world.repo, &label("ours", &world.ids[n..2 * n]));
    kit::done(&mut world.beads(&["fetch"]));
    let time = timed(&mut world.beads(&["pull"]));
    println!(
        "| merge of {n} and {n} changed issues | {:.2} s | | | 0.4 s |",
        time.as_secs_f64()
    );
}
