//! Clones come to rest: an exchange that brings no operation to either side makes no commit.

use std::collections::BTreeSet;

use crate::properties::faults::plain_or;
use crate::support::World;
use crate::support::clones;

/// Numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// Clones `c0`, `c1`, ... that all know the bare remotes `r0`, `r1`, ....
struct Fleet {
    world: World,
    clones: Vec<String>,
    remotes: Vec<String>,
    count: usize,
}

impl Fleet {
    fn new(clones: usize, remotes: usize) -> Self {
        let name = |letter: char| move |n: usize| format!("{letter}{n}");
        let fleet = Self {
            world: World::empty(),
            clones: (0..clones).map(name('c')).collect(),
            remotes: (0..remotes).map(name('r')).collect(),
            count: 0,
        };
        for remote in &fleet.remotes {
            fleet.git(".", &["init", "--quiet", "--bare", remote]);
        }
        for clone in &fleet.clones {
            fleet.git(".", &["init", "--quiet", clone]);
            fleet.git(clone, &["commit", "--quiet", "--allow-empty", "-m", "1"]);
            for remote in &fleet.remotes {
                fleet.git(clone, &["remote", "add", remote, &format!("../{remote}")]);
            }
            fleet.git(clone, &["config", "beads.remote", "r0"]);
            fleet.world.bd_in(clone, &["init"]).ok();
            fleet.sync(clone, "r0");
        }
        fleet
    }

    fn git(&self, folder: &str, args: &[&str]) -> String {
        self.world.git_in(folder, args).ok().trim().to_owned()
    }

    fn sync(&self, clone: &str, remote: &str) -> String {
        let args = ["sync", "--remote", remote];
        self.world.bd_in(clone, &args).ok().trim().to_owned()
    }

    fn create(&mut self, clone: &str) -> String {
        self.count += 1;
        let title = format!("issue {}", self.count);
        clones::create(&self.world, clone, &[&title])
    }

    /// A round of syncs of all clones with all remotes; returns what the last one said.
    fn round(&self) -> String {
        let mut said = String::new();
        for clone in &self.clones {
            for remote in &self.remotes {
                said = self.sync(clone, remote);
            }
        }
        said
    }

    fn tips(&self) -> Vec<String> {
        let all = self.clones.iter().chain(&self.remotes);
        all.map(|one| self.git(one, &["rev-parse", "refs/beads/main"]))
            .collect()
    }

    fn trees(&self) -> BTreeSet<String> {
        let all = self.clones.iter().chain(&self.remotes);
        all.map(|one| self.git(one, &["rev-parse", "refs/beads/main^{tree}"]))
            .collect()
    }

    /// All objects of all, reachable or not.
    fn objects(&self) -> BTreeSet<String> {
        let args = ["cat-file", "--batch-all-objects", "--batch-check"];
        let all = self.clones.iter().chain(&self.remotes);
        all.flat_map(|one| {
            let objects = self.git(one, &args);
            objects.lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
    }

    /// Two rounds after which all hold the same, and two more in which nothing is made.
    #[track_caller]
    fn comes_to_rest(&self, what: &str) {
        self.round();
        self.round();
        assert_eq!(self.trees().len(), 1, "{what}: the trees differ");
        let objects = self.objects();
        for _ in 0..2 {
            let said = self.round();
            assert!(
                said.contains("0 changes sent, 0 changes received"),
                "{what}: {said}"
            );
        }
        let made = &self.objects() - &objects;
        assert!(made.is_empty(), "{what}: made at rest: {made:?}");
        assert_eq!(self.trees().len(), 1, "{what}: the trees differ at rest");
        let tips = self.tips();
        self.round();
        assert_eq!(self.tips(), tips, "{what}: a ref moved at rest");
        let shown: BTreeSet<String> = (self.clones.iter())
            .map(|clone| self.world.bd_in(clone, &["export"]).ok())
            .collect();
        assert_eq!(shown.len(), 1, "{what}: {shown:#?}");
    }
}

#[test]
fn three_clones_of_two_remotes_come_to_rest() {
    let mut fleet = Fleet::new(3, 2);
    fleet.sync("c0", "r1");
    fleet.create("c1");
    fleet.sync("c1", "r1");
    fleet.create("c2");
    fleet.sync("c2", "r0");
    fleet.create("c0");
    fleet.create("c1");
    fleet.comes_to_rest("in turn");
}

/// `GIT_BEADS_CASES` asks for more.
#[test]
fn random_histories_come_to_rest_over_any_number_of_remotes() {
    let cases = std::env::var("GIT_BEADS_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .map_or(plain_or(2, 4), |cases: u64| (cases / 500).max(4));
    for seed in 0..cases {
        let (mut dice, remotes) = (Dice(seed), 1 + seed as usize % 4);
        let mut fleet = Fleet::new(3, remotes);
        let id = fleet.create("c0");
        fleet.sync("c0", "r0");
        for step in 0..14 {
            let clone = format!("c{}", dice.below(3));
            let remote = format!("r{}", dice.below(remotes));
            match dice.below(8) {
                0..2 => drop(fleet.create(&clone)),
                2 => {
                    let title = format!("title {step}");
                    drop(
                        fleet
                            .world
                            .bd_in(&clone, &["update", &id, "--title", &title]),
                    );
                }
                3 => drop(
                    fleet
                        .world
                        .bd_in(&clone, &["pull", "--remote", &remote])
                        .ok(),
                ),
                _ => drop(fleet.sync(&clone, &remote)),
            }
        }
        fleet.comes_to_rest(&format!("seed {seed}, {remotes} remotes"));
    }
}

/// `a` has joined x and y; `b` has joined y, x and one more. So `a` takes what `b` has, and its own merge is no longer
/// part of anything.
fn one_takes_the_other() -> (World, [String; 3]) {
    let world = clones::two_clones();
    for (clone, other) in [("a", "b"), ("b", "a"), ("b", "c")] {
        let url = format!("../{other}");
        world.git_in(clone, &["remote", "add", other, &url]).ok();
    }
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "c"])
        .ok();
    world.bd_in("c", &["init"]).ok();
    world.git_in("c", &["remote", "add", "a", "../a"]).ok();
    let pull = |clone: &str, other: &str| {
        world.bd_in(clone, &["pull", "--remote", other]).ok();
    };
    let x = clones::create(&world, "a", &["x"]);
    pull("c", "a");
    let y = clones::create(&world, "b", &["y"]);
    pull("a", "b");
    let merge = clones::tip(&world, "a");
    let z = clones::create(&world, "b", &["z"]);
    pull("b", "c");
    let theirs = clones::tip(&world, "b");
    world.bd_in("a", &["log"]).ok();
    world.bd_in("a", &["status"]).ok();
    pull("a", "b");
    assert_eq!(clones::tip(&world, "a"), theirs, "no merge of merges");
    let args = ["merge-base", "--is-ancestor", &merge, &theirs];
    assert_eq!(world.git_in("a", &args).code, 1);
    (world, [x, y, z])
}

#[test]
fn a_tip_with_all_our_operations_is_taken_though_it_does_not_descend() {
    let (world, [x, y, z]) = one_takes_the_other();
    // The log was filled at the merge that is gone: each operation is there once, and that merge is not.
    let log = world.bd_in("a", &["log", "--json"]).json();
    let commits: Vec<&str> = log["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["commit"].as_str().unwrap())
        .collect();
    let history = world.git_in("a", &["rev-list", "refs/beads/main"]).ok();
    let expected: BTreeSet<&str> = history.lines().collect();
    assert_eq!(commits.len(), expected.len(), "{log:#}");
    assert_eq!(commits.into_iter().collect::<BTreeSet<_>>(), expected);
    for id in [&x, &y, &z] {
        let blamed = world.bd_in("a", &["blame", id]).ok();
        assert_eq!(blamed, world.bd_in("b", &["blame", id]).ok());
        assert!(blamed.contains("title"), "{blamed}");
    }
    // What waits to be sent is counted in operations: three, and none once they are there.
    let ahead = |clone: &str| {
        let status = world.bd_in(clone, &["status", "--json"]).json();
        let remotes = status["remotes"].as_array().unwrap();
        let hub = remotes.iter().find(|one| one["remote"] == "origin");
        (
            hub.unwrap()["ahead"].clone(),
            hub.unwrap()["behind"].clone(),
        )
    };
    assert_eq!(ahead("a"), (3.into(), 0.into()));
    clones::create(&world, "a", &["more"]);
    assert_eq!(ahead("a"), (4.into(), 0.into()));
    let sent = world.bd_in("a", &["sync", "--json"]).json();
    assert_eq!((&sent["sent"], &sent["received"]), (&4.into(), &0.into()));
    assert_eq!(ahead("a"), (0.into(), 0.into()));
    let again = world.bd_in("a", &["sync", "--json"]).json();
    assert_eq!((&again["sent"], &again["received"]), (&0.into(), &0.into()));
    world.bd_in("a", &["doctor"]).ok();
}

#[test]
fn what_was_done_before_a_taken_tip_can_be_undone() {
    let (world, [x, ..]) = one_takes_the_other();
    world.bd_in("a", &["update", &x, "--title", "changed"]).ok();
    world.bd_in("a", &["undo"]).ok();
    let shown = world.bd_in("a", &["show", &x, "--json"]).json();
    assert_eq!(shown["issue"]["title"], "x");
    let log = world.bd_in("a", &["log", &x, "--json"]).json();
    let made = log["operations"].as_array().unwrap().last().unwrap();
    let commit = made["commit"].as_str().unwrap().to_owned();
    world.bd_in("a", &["undo", "--force", &commit]).ok();
    let shown = world.bd_in("a", &["show", &x, "--json"]);
    assert_eq!(shown.json()["issue"]["status"], "tombstone");
}

#[test]
fn the_journal_follows_a_taken_tip() {
    let (mut world, _) = one_takes_the_other();
    let (tip, list) = clones::state(&world, "a");
    world
        .git_in("a", &["reflog", "expire", "--expire=now", "--all"])
        .ok();
    world.git_in("a", &["gc", "--quiet", "--prune=now"]).ok();
    world.set("GIT_BEADS_BOOT", "another");
    assert_eq!(clones::state(&world, "a"), (tip.clone(), list.clone()));
    let found = world.bd_in("a", &["doctor"]).stdout;
    assert!(found.contains("origin lacks 3 changes"), "{found}");
    assert!(found.contains("3 issues: no problems"), "{found}");
    let id = clones::create(&world, "a", &["after"]);
    assert_eq!(
        clones::state(&world, "a").1.lines().count(),
        list.lines().count() + 1
    );
    world.bd_in("a", &["undo"]).ok();
    assert!(!world.bd_in("a", &["list", "-q"]).ok().contains(&id));
    let args = ["rev-list", "--count", &format!("{tip}..refs/beads/main")];
    assert_eq!(world.git_in("a", &args).ok().trim(), "2");
}

/// A merge by other means may hold every operation and other values: those count like an operation.
#[test]
fn a_merge_that_drops_values_is_answered_once() {
    let world = clones::two_clones();
    let id = clones::create(&world, "a", &["before"]);
    world.bd_in("a", &["update", &id, "--title", "after"]).ok();
    clones::sync(&world, &["a", "b"]);
    let tip = clones::tip(&world, "b");
    let args = ["commit-tree", "-p", &tip, "-p", "refs/beads/main~1"];
    let dropped = ["-m", "merge", "refs/beads/main~1^{tree}"];
    let merge = world.git_in("a", &[&args[..], &dropped].concat()).ok();
    let refspec = format!("{}:refs/beads/main", merge.trim());
    world
        .git_in("a", &["push", "--quiet", "origin", &refspec])
        .ok();
    clones::sync(&world, &["b", "a"]);
    let rest = clones::hub_tip(&world);
    assert_ne!(rest, merge.trim());
    clones::sync(&world, &["a", "b", "a", "b"]);
    for clone in ["a", "b", "hub.git"] {
        assert_eq!(clones::tip(&world, clone), rest, "{clone}");
    }
    let shown = world.bd_in("a", &["show", &id, "--json"]).json();
    assert_eq!(shown["issue"]["title"], "after");
}
