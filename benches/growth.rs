//! What many small changes leave behind, and what reads cost after them.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::kit::{self, World, median, millis, ratio, timed};

/// Changes, one after another.
const CHANGES: usize = 10_000;

/// Makes the changes twice, with a journal and without, each on so many issues.
pub(crate) fn measure(size: usize) {
    println!(
        "\n| {CHANGES} updates of {size} issues | before | after | ratio | target |\n|---|---|---|---|---|"
    );
    for durable in [true, false] {
        let (world, _) = World::with_issues(size);
        world.durable(durable);
        kit::done(&mut world.git(&["config", "beads.maintenance", "true"]));
        let (objects, cache) = (
            world.repo.join(".git/objects"),
            world.repo.join(".git/beads"),
        );
        let space = || [bytes_under(&objects), bytes_under(&cache)].map(|bytes| bytes as f64 / 1e6);
        let (before, reads) = (space(), reads(&world));
        let start = Instant::now();
        for round in 0..CHANGES {
            kit::done(&mut world.beads(&[
                "update",
                world.id(round),
                "--title",
                &format!("Title {round}"),
            ]));
        }
        let each = start.elapsed() / u32::try_from(CHANGES).unwrap();
        settle(&world);
        let how = if durable {
            "with a journal"
        } else {
            "durability=git"
        };
        println!("| {how}: one update | | {:.2} ms | | |", millis(each));
        let (after, files) = (space(), files_under(&objects));
        println!(
            "| objects | {:.1} MB | {:.1} MB in {files} files | | 30 MB |",
            before[0], after[0]
        );
        println!(
            "| journal and cache | {:.1} MB | {:.1} MB | | |",
            before[1], after[1]
        );
        for ((name, before), (_, after)) in reads.into_iter().zip(self::reads(&world)) {
            println!(
                "| {name} | {:.2} ms | {:.2} ms | {:.2} | 1.2 |",
                millis(before),
                millis(after),
                ratio(after, before)
            );
        }
    }
}

/// Waits for what is packed beside us.
fn settle(world: &World) {
    kit::done(&mut world.beads(&["hook", "fold"]));
    kit::done(&mut world.beads(&["hook", "tidy"]));
    for _ in 0..600 {
        let before = files_under(&world.repo.join(".git/objects"));
        std::thread::sleep(Duration::from_millis(500));
        if files_under(&world.repo.join(".git/objects")) == before {
            break;
        }
    }
}

fn reads(world: &World) -> Vec<(&'static str, Duration)> {
    let id = world.id(3).to_owned();
    let lines: [(&str, Vec<&str>); 4] = [
        ("ready", vec!["ready"]),
        ("list", vec!["list"]),
        ("show", vec!["show", &id]),
        ("log ID", vec!["log", &id]),
    ];
    let read = |args: &[&str]| {
        kit::done(&mut world.beads(args));
        median(
            (0..kit::rounds(40))
                .map(|_| timed(&mut world.beads(args)))
                .collect(),
        )
    };
    lines.map(|(name, args)| (name, read(&args))).to_vec()
}

/// Bytes of all files under a folder.
fn bytes_under(folder: &Path) -> u64 {
    walk(folder, &|meta| meta.len())
}

fn files_under(folder: &Path) -> u64 {
    walk(folder, &|_| 1)
}

fn walk(folder: &Path, of: &dyn Fn(&std::fs::Metadata) -> u64) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let each = entries.map(|entry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => walk(&entry.path(), of),
        Ok(meta) => of(&meta),
        Err(_) => 0,
    });
    each.sum()
}
