//! Real clones in random topologies, with clocks that are off by up to a day.
//!
//! Clones of a hub, which is set back or emptied now and then, edit apart, exchange with it and with each
//! other, also criss-cross. In half of the topologies power cuts take moves of the ref, forced fetches drop what was not
//! sent, people set the ref back, and git prunes what no ref leads to. The oracle knows the commit of every write that was
//! acknowledged; which of two writes had seen the other is read off the history in the end. 8 topologies of 30 operations;
//! `GIT_BEADS_CASES=20000` asks for a five-hundredth of that, 40 topologies, of 60 operations with up to 8 clones.

mod faults;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use crate::properties::faults::plain_or;
use crate::support::clones;
use crate::support::plumbing::sound_in;
use crate::support::{Output, World, number};

const NOW: i64 = 1_795_173_600_000;
const DAY: i64 = 86_400_000;
const FIELDS: [(&str, &str); 6] = [
    ("title", "--title"),
    ("description", "-d"),
    ("design", "-D"),
    ("acceptance", "-A"),
    ("notes", "--notes"),
    ("assignee", "-a"),
];

/// An acknowledged write of a field.
struct Write {
    uid: String,
    field: &'static str,
    value: String,
    commit: String,
}

struct Clones {
    world: World,
    seed: u64,
    random: u64,
    now: i64,
    skews: Vec<i64>,
    /// The boot of the machine of each clone.
    boots: Vec<u32>,
    /// The state that a person has set the ref of a clone back from, until it is merged again.
    taken_back: Vec<Option<String>>,
    count: usize,
    writes: Vec<Write>,
    uids: BTreeSet<String>,
    /// Labels and notes, by issue: nobody takes them away.
    labels: Vec<(String, String)>,
    notes: Vec<(String, String)>,
    log: Vec<String>,
}

impl Clones {
    fn new(seed: u64, most: u64) -> Self {
        let world = World::empty();
        let mut clones = Self {
            world,
            seed,
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            now: NOW,
            skews: Vec::new(),
            boots: vec![0; most as usize + 1],
            taken_back: vec![None; most as usize + 1],
            count: 0,
            writes: Vec::new(),
            uids: BTreeSet::new(),
            labels: Vec::new(),
            notes: Vec::new(),
            log: Vec::new(),
        };
        let n = 2 + clones.below(most - 1) as usize;
        clones.git(".", &["init", "--quiet", "--bare", "hub.git"]);
        for i in 0..n {
            let skew = clones.below(2 * DAY as u64) as i64 - DAY;
            let exact = clones.below(4) == 0;
            clones.skews.push(if exact { 0 } else { skew });
            let name = format!("c{i}");
            clones.git(".", &["clone", "--quiet", "hub.git", &name]);
            for j in (0..n).filter(|j| *j != i) {
                clones.git(
                    &name,
                    &["remote", "add", &format!("c{j}"), &format!("../c{j}")],
                );
            }
            // The other clones are remotes that do not answer yet.
            let new: &[&str] = if i == 0 { &["--new"] } else { &[] };
            clones.bd(i, &[&["init"], new].concat()).ok();
            if i == 0 {
                clones.bd(0, &["sync"]).ok();
                clones.create(0);
                clones.create(0);
                clones.bd(0, &["sync"]).ok();
            }
        }
        clones
    }

    fn below(&mut self, n: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.random ^ (self.random >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    #[track_caller]
    fn git(&self, folder: &str, args: &[&str]) -> String {
        self.world.git_in(folder, args).ok().trim().to_owned()
    }

    /// Runs the program in a clone, by that clone's clock.
    fn bd(&mut self, clone: usize, args: &[&str]) -> Output {
        self.now += 1000;
        let now = self.now + self.skews.get(clone).copied().unwrap_or(0);
        let mut command =
            self.world
                .command(&format!("c{clone}"), env!("CARGO_BIN_EXE_git-beads"), args);
        command.env("GIT_BEADS_NOW", now.to_string());
        command.env("GIT_BEADS_BOOT", format!("c{clone}-{}", self.boots[clone]));
        self.log.push(format!(
            "c{clone} at {now}: {}",
            args.join(" ").chars().take(100).collect::<String>()
        ));
        self.world.run(command, None)
    }

    fn tip(&self, clone: usize) -> String {
        self.git(&format!("c{clone}"), &["rev-parse", "refs/beads/main"])
    }

    /// The identity behind an id in a clone; none where two issues claim it.
    fn uid(&mut self, clone: usize, id: &str) -> Option<String> {
        let shown = self.bd(clone, &["show", id, "--json"]).json();
        shown["issue"]["uid"].as_str().map(str::to_owned)
    }

    fn ids(&mut self, clone: usize) -> Vec<String> {
        self.bd(clone, &["list", "--all", "-n", "0", "-q"])
            .ok()
            .lines()
            .map(str::to_owned)
            .collect()
    }

    fn text(&mut self) -> String {
        self.count += 1;
        let long = if self.below(10) == 0 {
            " long".repeat(300)
        } else {
            String::new()
        };
        format!("value {}{long}", self.count)
    }

    fn create(&mut self, clone: usize) {
        let title = format!("issue {}", self.uids.len());
        let mut args = vec!["create", "-q", &title];
        let ids = self.ids(clone);
        let parent = ids.first().filter(|id| !id.contains('~'));
        let bare = parent.map(|id| id.split('.').next().unwrap_or_default().to_owned());
        if let Some(parent) = bare.as_ref().filter(|_| self.uids.len().is_multiple_of(2)) {
            args.extend(["--parent", parent]);
        }
        let output = self.bd(clone, &args);
        // Several issues may have the parent's id.
        if output.code == 3 {
            return;
        }
        let (id, commit) = (output.ok().trim().to_owned(), self.tip(clone));
        let uid = self
            .uid(clone, &id)
            .unwrap_or_else(|| panic!("a new id is free where it is made: {id}"));
        self.writes.push(Write {
            uid: uid.clone(),
            field: "title",
            value: title,
            commit,
        });
        self.uids.insert(uid);
    }

    fn edit(&mut self, clone: usize) {
        let ids = self.ids(clone);
        // Who went back to the beginning has none.
        if ids.is_empty() {
            return;
        }
        let id = ids[self.below(ids.len().min(4) as u64) as usize].clone();
        let other = ids[self.below(ids.len() as u64) as usize].clone();
        let Some(uid) = self.uid(clone, &id) else {
            let refused = self.bd(clone, &["update", &id, "-p", "1"]);
            assert_eq!(
                refused.code, 3,
                "an id of two issues is no name to write to: {refused:?}"
            );
            return;
        };
        let text = self.text();
        match self.below(12) {
            0 => {
                let label = format!("l{}", self.count);
                self.bd(clone, &["label", &id, &label]).ok();
                self.labels.push((uid, label));
            }
            1 | 2 => {
                self.bd(clone, &["note", &id, "--finding", &text]).ok();
                self.notes.push((uid, text));
            }
            3 => {
                let output = self.bd(clone, &["dep", "add", &id, "--on", &other]);
                assert!([0, 2, 3].contains(&output.code), "{output:?}");
            }
            4 => {
                let output = self.bd(clone, &[["done", "reopen"][self.count % 2], &id]);
                assert!([0, 2, 3].contains(&output.code), "{output:?}");
            }
            5 => {
                let priority = self.below(5).to_string();
                self.bd(clone, &["update", &id, "-p", &priority]).ok();
            }
            _ => {
                let (field, option) = FIELDS[self.below(FIELDS.len() as u64) as usize];
                let value = if matches!(field, "title" | "assignee") {
                    text.chars().take(12).collect()
                } else {
                    text
                };
                self.bd(clone, &["update", &id, option, &value]).ok();
                let commit = self.tip(clone);
                self.writes.push(Write {
                    uid,
                    field,
                    value,
                    commit,
                });
            }
        }
    }

    fn step(&mut self) {
        let n = self.skews.len() as u64;
        let one = self.below(n) as usize;
        let other = (one + 1 + self.below(n - 1) as usize) % n as usize;
        let (here, there) = (format!("c{one}"), format!("c{other}"));
        match self.below(20) {
            0..10 => self.edit(one),
            10 | 11 => self.create(one),
            12 | 13 => drop(self.bd(one, &["sync"]).ok()),
            14 | 15 => drop(self.bd(one, &["pull", "--remote", &there]).ok()),
            16 => drop(self.bd(one, &["sync", "--remote", &there]).ok()),
            17 | 18 => {
                // Both take over what the other had before.
                let before = self.tip(one);
                self.bd(one, &["pull", "--remote", &there]).ok();
                let after = self.tip(one);
                self.git(&here, &["update-ref", "refs/beads/main", &before]);
                self.bd(other, &["pull", "--remote", &here]).ok();
                self.git(&here, &["update-ref", "refs/beads/main", &after]);
            }
            _ => {
                let all = self.git("hub.git", &["rev-list", "refs/beads/main"]);
                let old = all
                    .lines()
                    .nth(self.below(6) as usize)
                    .unwrap_or_default()
                    .to_owned();
                self.log.push(format!("hub set back to {old}"));
                match old.as_str() {
                    "" => self.git("hub.git", &["update-ref", "-d", "refs/beads/main"]),
                    old => self.git("hub.git", &["update-ref", "refs/beads/main", old]),
                };
                self.bd(one, &["sync"]).ok();
            }
        }
    }

    /// Two rounds of syncs that do not overlap, after which all must have the same commit.
    fn settle(&mut self) -> String {
        (0..self.skews.len()).for_each(|clone| self.repair(clone));
        for clone in (0..self.skews.len()).chain(0..self.skews.len()) {
            self.bd(clone, &["sync"]).ok();
        }
        let tips: Vec<String> = (0..self.skews.len()).map(|clone| self.tip(clone)).collect();
        let tree = |tip: &String| self.git("hub.git", &["rev-parse", &format!("{tip}^{{tree}}")]);
        assert!(
            tips.iter().all(|tip| tree(tip) == tree(&tips[0])),
            "the trees differ: {tips:?}"
        );
        assert!(
            tips.iter().all(|tip| *tip == tips[0]),
            "the commits differ: {tips:?}"
        );
        for clone in 0..self.skews.len() {
            self.bd(clone, &["sync"]).ok();
            assert_eq!(
                self.tip(clone),
                tips[0],
                "a sync of equal clones made a commit"
            );
        }
        sound_in(&self.world, "hub.git");
        sound_in(&self.world, "c0");
        tips[0].clone()
    }

    /// Every commit of the history with all that it leads to.
    fn history(&self, tip: &str) -> HashMap<String, BTreeSet<String>> {
        let mut above: HashMap<String, BTreeSet<String>> = HashMap::new();
        for line in self
            .git(
                "c0",
                &["rev-list", "--reverse", "--topo-order", "--parents", tip],
            )
            .lines()
        {
            let mut oids = line.split(' ').map(str::to_owned);
            let own = oids.next().unwrap();
            let mut all = BTreeSet::from([own.clone()]);
            for parent in oids {
                all.extend(above[&parent].iter().cloned());
            }
            above.insert(own, all);
        }
        above
    }

    fn check(&mut self, tip: &str) {
        let n = self.skews.len();
        self.skews.iter_mut().for_each(|skew| *skew = 0);
        let mut views = BTreeSet::new();
        for clone in 0..n {
            let mut view = String::new();
            for args in [
                &["list", "--all", "-n", "0", "--json"][..],
                &["ready", "--json"],
                &["conflicts", "--json"],
            ] {
                view += &self.bd(clone, args).ok();
            }
            views.insert(view);
        }
        // What a store exports brings it nothing.
        let export = self.bd(0, &["export"]).ok();
        let file = self.world.file("export.jsonl", export);
        self.bd(0, &["import", &file]).ok();
        assert_eq!(
            self.tip(0),
            tip,
            "an import of its own export made a commit"
        );
        assert_eq!(
            views.len(),
            1,
            "clones with one commit show different things: {views:#?}"
        );
        let ids = self.ids(0);
        let mut args: Vec<&str> = vec!["show", "--json", "--memory", "1000"];
        args.extend(ids.iter().map(String::as_str));
        let shown = self.bd(0, &args).json();
        let shown: BTreeMap<&str, &Value> = shown["issues"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|issue| (issue["issue"]["uid"].as_str().unwrap(), issue))
            .collect();
        assert_eq!(
            shown.keys().copied().collect::<BTreeSet<_>>(),
            self.uids.iter().map(String::as_str).collect()
        );
        for (uid, label) in &self.labels {
            let labels = shown[uid.as_str()]["issue"]["labels"].as_array().unwrap();
            assert!(
                labels.contains(&label.as_str().into()),
                "the label {label} is gone: {labels:?}"
            );
        }
        for (uid, note) in &self.notes {
            let findings = shown[uid.as_str()]["memory"]["findings"]
                .as_array()
                .unwrap();
            assert!(
                findings.iter().any(|entry| entry["text"] == note.as_str()),
                "{note} is gone: {findings:?}"
            );
        }
        let conflicts = self.bd(0, &["conflicts", "--json"]).json();
        let conflicts = conflicts["conflicts"].as_array().unwrap();
        let above = self.history(tip);
        for write in &self.writes {
            let Write {
                uid,
                field,
                value,
                commit,
            } = write;
            assert!(
                above[tip].contains(commit),
                "the acknowledged commit {commit} is gone"
            );
            let issue = &shown[uid.as_str()]["issue"];
            let later = |other: &&Write| {
                (&other.uid, other.field) == (uid, *field)
                    && other.commit != *commit
                    && above[&other.commit].contains(commit)
            };
            let current = issue[*field] == value.as_str();
            if let Some(later) = self.writes.iter().find(later) {
                assert!(
                    !current,
                    "{field} of {uid}: {value} is back after {}",
                    later.value
                );
                continue;
            }
            let listed = |entry: &&Value| {
                entry["id"] == issue["id"]
                    && entry["field"] == *field
                    && entry["value"] == value.as_str()
            };
            let kept = conflicts.iter().find(listed);
            assert!(
                current != kept.is_some(),
                "{field} of {}: `{value}` is {}; current is {}",
                issue["id"],
                if current {
                    "current and in conflict with itself"
                } else {
                    "lost silently"
                },
                issue[*field]
            );
        }
    }
}

impl Drop for Clones {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "topology {}, {} clones:\n{}",
                self.seed,
                self.skews.len(),
                self.log.join("\n")
            );
        }
    }
}

/// Plays topologies; each must end well.
fn play(seeds: std::ops::Range<u64>, operations: u32, most: u64, has_faults: bool) {
    for seed in seeds {
        let mut clones = Clones::new(seed, most);
        for _ in 0..operations {
            clones.step();
            if has_faults && clones.below(4) == 0 {
                clones.fault();
            }
        }
        let tip = clones.settle();
        clones.check(&tip);
    }
}

/// Returns the first seed of all, and how many topologies the long run has.
fn long() -> (u64, Option<u64>) {
    let cases = number("GIT_BEADS_CASES");
    (
        number("GIT_BEADS_CASES_SEED").unwrap_or(0),
        cases.map(|cases| (cases / 500).max(2)),
    )
}

#[test]
fn real_clones_lose_nothing_in_any_topology() {
    let (first, cases) = long();
    match cases {
        None => play(first..first + plain_or(1, 4), 30, 5, false),
        Some(n) => play(first..first + n / 2, 60, 8, false),
    }
}

/// A clone had a merge of what all had, and kept it for itself.
#[test]
fn what_one_clone_alone_has_merged_reaches_all() {
    play(11_934_132..11_934_133, 30, 5, false);
}

#[test]
fn nor_do_they_by_power_cuts_forced_fetches_and_people_who_go_back() {
    let (first, cases) = long();
    match cases {
        None => play(first + 4..first + plain_or(5, 8), 30, 5, true),
        Some(n) => play(first + n / 2..first + n, 60, 8, true),
    }
}

/// The other claimant's row is made anew by every write; its alias must not be lost with that.
#[test]
fn an_alias_stays_when_its_issue_is_written() {
    let world = clones::two_clones();
    let epic = clones::create(&world, "a", &["epic"]);
    clones::sync(&world, &["a", "b"]);
    let id = clones::create(&world, "a", &["of a", "--parent", &epic]);
    assert_eq!(
        clones::create(&world, "b", &["of b", "--parent", &epic]),
        id
    );
    clones::sync(&world, &["a", "b", "a"]);
    let ids = || world.bd_in("a", &["list", "--parent", &epic, "-q"]).ok();
    let before = ids();
    let alias = before.lines().nth(1).unwrap().to_owned();
    world.bd_in("a", &["update", &alias, "-d", "text"]).ok();
    assert_eq!(ids(), before);
    world
        .bd_in("a", &["note", &alias, "--finding", "text"])
        .ok();
    assert_eq!(ids(), before);
}
