//! The parts that hot commands are made of, without the start of a process: merge, id lookup, refresh, tree write.
//!
//! `cargo bench --bench parts`

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a bench is no part of the program"
)]

mod data;

use std::process::{Command, Stdio};

use divan::Bencher;
use git_beads::index::Index;
use git_beads::model::blob::{Blob, Writer};
use git_beads::model::join::join;
use git_beads::model::{Field, Uid};
use git_beads::ops::Tracker;
use git_beads::ops::verbs::update::{self, Update};
use git_beads::store::{Intent, Location};
use serde_json::Value;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

fn main() {
    divan::main();
}

/// A store with issues, and the ids of those that are open.
struct World {
    folder: tempfile::TempDir,
    ids: Vec<String>,
}

impl World {
    fn new(size: usize) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("git-beads-bench-")
            .tempdir()
            .unwrap();
        let file = folder.path().join("issues.jsonl");
        let ids = data::write(&file, size);
        for (program, args) in [
            ("git", &["init", "-q", "."][..]),
            ("git", &["config", "gc.auto", "0"]),
            ("git", &["config", "beads.durability", "git"]),
            ("git", &["config", "user.name", "bench"]),
            (
                env!("CARGO_BIN_EXE_git-beads"),
                &["init", "--import", file.to_str().unwrap()],
            ),
        ] {
            let mut command = Command::new(program);
            command
                .args(args)
                .current_dir(folder.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            assert!(command.status().unwrap().success(), "{program} {args:?}");
        }
        Self { folder, ids }
    }

    fn tracker(&self) -> Tracker {
        git_beads::ops::open(
            &Location {
                env: git_beads::env::Env::of_process(),
                dir: self.folder.path().to_owned(),
                explicit: true,
            },
            Some("bench"),
            Intent::Write,
        )
        .unwrap()
    }
}

fn retitle(tracker: &Tracker, id: &str, round: usize) {
    let title = Some(format!("Title {round}"));
    update::update(
        tracker,
        &Update {
            ids: vec![id.to_owned()],
            fields: [(Field::Title, title)].into(),
            ..Update::default()
        },
    )
    .unwrap();
}

/// One id among many.
#[divan::bench(args = SIZES)]
fn lookup_of_an_id(bencher: Bencher, size: usize) {
    let world = World::new(size);
    let tracker = world.tracker();
    let index = Index::open(tracker.store()).unwrap();
    let mut round = 0;
    bencher.bench_local(|| {
        round += 7919;
        index
            .ids()
            .lookup(&world.ids[round % world.ids.len()], "bd")
            .unwrap()
    });
}

/// Opening the index where one issue has changed since: the ref goes back and forth between two states.
#[divan::bench(args = SIZES, sample_count = 50)]
fn refresh_of_one_change(bencher: Bencher, size: usize) {
    let world = World::new(size);
    let (reader, writer) = (world.tracker(), world.tracker());
    let before = reader.store().head().unwrap();
    retitle(&writer, &world.ids[world.ids.len() / 2], 0);
    let mut states = [before, reader.store().head().unwrap()].into_iter().cycle();
    bencher
        .with_inputs(|| {
            let state = states.next().unwrap().to_string();
            let mut command = Command::new("git");
            command
                .args(["update-ref", "refs/beads/main", &state])
                .current_dir(world.folder.path());
            assert!(command.status().unwrap().success());
        })
        .bench_local_values(|()| drop(Index::open(reader.store()).unwrap()));
}

/// One change of one issue, objects, trees, ref and index.
#[divan::bench(args = SIZES, sample_count = 50)]
fn write_of_one_change(bencher: Bencher, size: usize) {
    let world = World::new(size);
    let tracker = world.tracker();
    let mut round = 0;
    bencher.bench_local(|| {
        round += 1;
        retitle(&tracker, &world.ids[round * 7919 % world.ids.len()], round);
    });
}

/// Two states of an issue that were written at the same time, with so many labels each.
#[divan::bench(args = [10, 1_000])]
fn join_of_two_states(bencher: Bencher, labels: usize) {
    let writer = |n: u64| Writer {
        at: Uid::from_bytes((u128::from(n) << 80).to_be_bytes()),
        by: "bench".into(),
        millis: n,
    };
    let mut base = Blob::new(Some(writer(1).at), &writer(1));
    base.set(&writer(1), "title", Value::from("A title"));
    let side = |n: u64| {
        let mut blob = base.clone();
        blob.set(&writer(n), "title", Value::from(format!("Title {n}")));
        for label in 0..labels {
            blob.mark(&writer(n), "labels", &format!("{n}-{label}"), true);
        }
        blob
    };
    let (ours, theirs) = (side(2), side(3));
    bencher.bench(|| join(&ours, &theirs));
}
