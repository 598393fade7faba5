//! Whole processes against plain git and whichever peers there are, in turn, so that a busy machine slows all.
//!
//! See `benches/README.md` for the command. Figures are medians; what counts is the ratio.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench is no part of the program"
)]

#[cfg(unix)]
mod cockpit;
mod data;
mod filters;
mod growth;
mod kit;
#[cfg(unix)]
mod page;
mod peers;
mod refs;
mod sync;

use std::process::Command;
use std::time::Duration;

use kit::{World, median, millis, peak, ratio, timed};

/// What a command is held against.
#[derive(Clone, Copy)]
enum Base {
    /// `git rev-parse HEAD`.
    Parse,
    /// `git commit --allow-empty`.
    Commit,
    /// The same, and 4 KB made durable.
    Durable,
}

impl Base {
    const ALL: [Self; 3] = [Self::Parse, Self::Commit, Self::Durable];

    fn name(self) -> &'static str {
        [
            "git rev-parse HEAD",
            "git commit --allow-empty",
            "the same, and fdatasync of 4 KB",
        ][self as usize]
    }

    fn time(self, world: &World) -> Duration {
        match self {
            Self::Parse => timed(&mut world.git(&["rev-parse", "HEAD"])),
            Self::Commit => {
                timed(&mut world.git(&["commit", "-q", "--allow-empty", "-m", "bench"]))
            }
            Self::Durable => {
                let start = std::time::Instant::now();
                Self::Commit.time(world);
                append(world);
                start.elapsed()
            }
        }
    }
}

/// A command line that is timed, and what it may cost at 10,000 and at 100,000 issues.
struct Case {
    name: &'static str,
    base: Base,
    targets: [f64; 2],
    args: fn(&World, usize) -> Vec<String>,
}

macro_rules! line {
    ($($word:expr),*) => { |_, _| vec![$($word.to_string()),*] };
}

const READS: [Case; 9] = [
    Case {
        name: "ready",
        base: Base::Parse,
        targets: [1.5, 2.0],
        args: line!["ready"],
    },
    Case {
        name: "list",
        base: Base::Parse,
        targets: [1.5, 2.0],
        args: line!["list"],
    },
    Case {
        name: "show",
        base: Base::Parse,
        targets: [1.5, 2.0],
        args: |it, n| words(&["show", it.id(n)]),
    },
    Case {
        name: "status",
        base: Base::Parse,
        targets: [1.5, 2.0],
        args: line!["status"],
    },
    Case {
        name: "search",
        base: Base::Parse,
        targets: [2.5, 4.0],
        args: line!["search", "zanzibar", "-n", "20"],
    },
    Case {
        name: "list -l docs",
        base: Base::Parse,
        targets: [f64::NAN; 2],
        args: line!["list", "-l", "docs"],
    },
    Case {
        name: "blocked",
        base: Base::Parse,
        targets: [f64::NAN; 2],
        args: line!["blocked"],
    },
    Case {
        name: "prime",
        base: Base::Parse,
        targets: [2.0, 2.0],
        args: line!["prime"],
    },
    Case {
        name: "log ID",
        base: Base::Parse,
        targets: [f64::NAN; 2],
        args: |it, n| words(&["log", it.id(n)]),
    },
];

const fn writes(base: Base, targets: [f64; 2]) -> [Case; 4] {
    [
        Case {
            name: "create",
            base,
            targets,
            args: |_, n| words(&["create", &format!("Issue {n} of the bench")]),
        },
        Case {
            name: "update",
            base,
            targets,
            args: |it, _| words(&["update", it.fresh(), "--title", "Another"]),
        },
        Case {
            name: "note",
            base,
            targets,
            args: |it, _| words(&["note", it.fresh(), "--finding", "It was found"]),
        },
        Case {
            name: "done",
            base,
            targets,
            args: |it, _| words(&["done", it.fresh(), "-r", "It is done"]),
        },
    ]
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// What is measured alone, where it is asked for by name.
const PARTS: [&str; 5] = ["filters", "growth", "sync", "reftable", "cockpit"];

fn main() {
    println!("{}; medians of {} rounds", kit::machine(), kit::rounds(40));
    let asked: Vec<String> = std::env::args().skip(1).collect();
    // ext4 is slow to create files where many were removed: nothing is, as long as anything is measured.
    let mut kept = Vec::new();
    for size in kit::sizes(&[10_000]) {
        match asked
            .iter()
            .map(String::as_str)
            .find(|arg| PARTS.contains(arg))
        {
            Some("filters") => filters::measure(size),
            Some("growth") => growth::measure(size),
            Some("sync") => sync::measure(size),
            #[cfg(unix)]
            Some("cockpit") => cockpit::measure(size),
            Some(_) => refs::measure(size),
            None => kept.extend(measure(size)),
        }
    }
}

/// Measures one size; returns the repositories, to be removed later.
fn measure(size: usize) -> [World; 2] {
    let (world, file) = World::with_issues(size);
    println!(
        "\n## {size} issues, {:.1} MB of JSONL\n",
        std::fs::metadata(&file).unwrap().len() as f64 / 1e6
    );
    let empty = bulk(&world, &file);
    world.with_hub();
    kit::done(&mut world.beads(&["push"]));
    let which = usize::from(size > 10_000);
    println!("\n| command | time | against | ratio | target | memory |\n|---|---|---|---|---|---|");
    world.durable(false);
    compare(&world, &READS, which);
    compare(&world, &writes(Base::Commit, [0.75, 0.8]), which);
    world.durable(true);
    compare(&world, &writes(Base::Durable, [0.9, 0.9]), which);
    after_a_write(&world);
    peers::compare(&file, size);
    [world, empty]
}

/// Import, export and an index from nothing, each once; returns where it was imported.
fn bulk(world: &World, file: &std::path::Path) -> World {
    let empty = World::new();
    for (name, mut command) in [
        (
            "import",
            empty.beads(&["init", "--import", file.to_str().unwrap()]),
        ),
        (
            "export",
            world.beads(&[
                "export",
                world.folder.path().join("out.jsonl").to_str().unwrap(),
            ]),
        ),
    ] {
        // Imports can't be repeated: memory and time come of the same run.
        let start = std::time::Instant::now();
        let memory = peak(&command).map_or_else(|| "?".to_owned(), |mb| format!("{mb:.0} MB"));
        let time = start.elapsed();
        if memory == "?" {
            kit::done(&mut command);
        }
        println!("- {name}: {:.2} s, {memory}", time.as_secs_f64());
    }
    for entry in std::fs::read_dir(world.repo.join(".git/beads"))
        .unwrap()
        .flatten()
    {
        if entry.file_name().to_str().unwrap().starts_with("index-") {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
    println!(
        "- index from nothing, and a list: {:.2} s",
        timed(&mut world.beads(&["list"])).as_secs_f64()
    );
    println!(
        "- first search: {:.2} s",
        timed(&mut world.beads(&["search", "zanzibar"])).as_secs_f64()
    );
    empty
}

fn compare(world: &World, cases: &[Case], which: usize) {
    let command = |case: &Case, round: usize| -> Command {
        let args = (case.args)(world, round);
        world.beads(&args.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let rounds = kit::rounds(40);
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); cases.len()];
    let mut bases: [Vec<Duration>; 3] = Default::default();
    for case in cases {
        timed(&mut command(case, rounds));
    }
    for round in 0..rounds {
        for base in Base::ALL {
            if cases.iter().any(|case| case.base as usize == base as usize) {
                bases[base as usize].push(base.time(world));
            }
        }
        for (case, times) in cases.iter().zip(&mut times) {
            times.push(timed(&mut command(case, round)));
        }
    }
    let bases = bases.map(|times| {
        if times.is_empty() {
            Duration::ZERO
        } else {
            median(times)
        }
    });
    for base in Base::ALL
        .into_iter()
        .filter(|base| !bases[*base as usize].is_zero())
    {
        println!(
            "| {} | {:.2} ms | | 1 | | |",
            base.name(),
            millis(bases[base as usize])
        );
    }
    for (case, times) in cases.iter().zip(times) {
        let (time, base) = (median(times), bases[case.base as usize]);
        let target = if case.targets[which].is_nan() {
            String::new()
        } else {
            case.targets[which].to_string()
        };
        let memory =
            peak(&command(case, rounds + 1)).map_or_else(String::new, |mb| format!("{mb:.0} MB"));
        let row = (case.name, millis(time), case.base.name(), ratio(time, base));
        println!(
            "| {} | {:.2} ms | {} | {:.2} | {target} | {memory} |",
            row.0, row.1, row.2, row.3
        );
    }
}

/// A list right after a write against the one before it.
fn after_a_write(world: &World) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for round in 0..kit::rounds(40) {
        before.push(timed(&mut world.beads(&["list"])));
        kit::done(&mut world.beads(&[
            "update",
            world.id(round * 13),
            "-d",
            &format!("again {round}"),
        ]));
        after.push(timed(&mut world.beads(&["list"])));
    }
    let (before, after) = (median(before), median(after));
    println!(
        "| list after a write | {:.2} ms | the list before it | {:.2} | 1.3 | |",
        millis(after),
        ratio(after, before)
    );
}

/// What a journal costs at least.
fn append(world: &World) {
    use std::io::Write;
    let path = world.repo.join(".git/bench");
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .unwrap();
    file.write_all(&[7; 4096]).unwrap();
    file.sync_data().unwrap();
}
