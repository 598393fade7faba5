//! Earlier programs beside this one, in a store of today: they read it, and what they do not know is there as it was when
//! they have written and exchanged.
//!
//! `GIT_BEADS_MUSEUM` names a folder of programs that `.ci/older` has built; elsewhere the test is skipped and says so.

use std::path::PathBuf;

use serde_json::Value;

use super::museum::{blobs, exhibits, only_written};
use crate::support::clones::tip;
use crate::support::hand::{REF, git};
use crate::support::plumbing::sound_in;
use crate::support::{World, files_refs_only, skipped};

/// A world with a store of today in two clones and at their remote, and an earlier program that works in the second.
struct Beside {
    world: World,
    program: String,
}

impl Beside {
    fn new(program: &str) -> Self {
        let world = World::empty();
        git(&world, ".", &["init", "--quiet", "--bare", "hub.git"]);
        for clone in ["today", "earlier"] {
            git(&world, ".", &["clone", "--quiet", "hub.git", clone]);
        }
        exhibits().pop().unwrap().open(&world, "today");
        world.bd_in("today", &["sync"]).ok();
        let beside = Self {
            world,
            program: program.to_owned(),
        };
        beside.earlier(&["init"]);
        beside
    }

    /// Runs the earlier program in its clone.
    #[track_caller]
    fn earlier(&self, args: &[&str]) -> String {
        let mut command = self.world.command("earlier", &self.program, args);
        command.env("GIT_BEADS_AGENT", "");
        let output = self.world.run(command, None);
        assert_eq!(output.code, 0, "{} {args:?}: {output:?}", self.program);
        output.stdout
    }

    /// Returns the ids of a list of issues that the earlier program gives.
    #[track_caller]
    fn ids(&self, list: &[&str]) -> Vec<String> {
        let ids = self.earlier(&[list, &["-q", "-n", "0"]].concat());
        ids.lines().map(str::to_owned).collect()
    }

    /// Exchanges until both clones have the same.
    #[track_caller]
    fn exchange(&self) {
        for _ in 0..2 {
            self.earlier(&["sync"]);
            self.world.bd_in("today", &["sync"]).ok();
        }
        self.earlier(&["sync"]);
        assert_eq!(tip(&self.world, "earlier"), tip(&self.world, "today"));
    }

    /// Runs a verb of the earlier program that writes one register of an issue.
    #[track_caller]
    fn write(&self, args: &[&str], register: &str) {
        let before = blobs(&self.world, "earlier");
        self.earlier(args);
        let what = format!("{} {args:?}", self.program);
        only_written(&before, &blobs(&self.world, "earlier"), register, &what);
    }
}

/// Returns the programs.
fn programs() -> Vec<String> {
    let Some(folder) = std::env::var("GIT_BEADS_MUSEUM").ok() else {
        skipped("GIT_BEADS_MUSEUM names no folder of earlier programs (.ci/older makes them)");
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path().join("git-beads"));
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
        .iter()
        .map(|path| path.display().to_string())
        .collect()
}

#[test]
fn an_earlier_program_reads_and_keeps_what_it_does_not_know() {
    let _files = files_refs_only();
    for program in programs() {
        let beside = Beside::new(&program);
        let all = beside.ids(&["list", "--all"]);
        let today = beside
            .world
            .bd_in("today", &["list", "--all", "-q", "-n", "0"])
            .ok();
        assert_eq!(all.len(), today.lines().count(), "{program}");
        for id in &all {
            let shown: Value =
                serde_json::from_str(&beside.earlier(&["show", id, "--json"])).unwrap();
            let now = beside.world.bd_in("today", &["show", id, "--json"]).json();
            for field in [
                "id",
                "uid",
                "title",
                "status",
                "priority",
                "type",
                "description",
                "assignee",
            ] {
                assert_eq!(shown["issue"][field], now["issue"][field], "{program} {id}");
            }
        }
        for id in &all {
            beside.write(&["update", id, "--title", "By an earlier program"], "title");
            beside.write(&["label", id, "earlier"], "set:labels");
            beside.write(&["note", id, "--finding", "By an earlier program"], "");
        }
        beside.exchange();
        for id in &all {
            beside
                .world
                .bd_in("today", &["update", id, "-d", "By this program"])
                .ok();
        }
        // Both have written since.
        for id in beside.ids(&["list"]) {
            beside.write(&["update", &id, "-p", "4"], "priority");
        }
        let before = blobs(&beside.world, "today");
        beside.exchange();
        let after = blobs(&beside.world, "today");
        only_written(&before, &after, "priority", &program);
        for clone in ["earlier", "today"] {
            beside.world.bd_in(clone, &["doctor"]).ok();
        }
        sound_in(&beside.world, "today");
    }
}

/// As beside a server that has run since before an update: both take the lock of writers, keep the journal and the notes of
/// what the ref lacks, and have a cache each.
#[test]
fn an_earlier_program_works_in_the_same_clone() {
    let _files = files_refs_only();
    let titles = ["Of now 1", "Of then 1", "Of now 2", "Of then 2"];
    for program in programs() {
        let beside = Beside::new(&program);
        let world = &beside.world;
        let now = |args: &[&str]| world.bd_in("earlier", args);
        now(&["create", titles[0]]).ok();
        beside.earlier(&["create", titles[1]]);
        let known = tip(world, "earlier");
        now(&["sync"]).ok();
        now(&["create", titles[2]]).ok();
        beside.earlier(&["create", titles[3]]);
        let newest = tip(world, "earlier");
        let has_all = || {
            for list in [
                beside.earlier(&["list", "-n", "0"]),
                now(&["list", "-n", "0"]).ok(),
            ] {
                let missing = titles.iter().find(|title| !list.contains(**title));
                assert_eq!(missing, None, "{program}: {list}");
            }
        };
        has_all();
        // A fetch of the user's takes back what both have answered for; this program brings it back, whoever comes first.
        let by_force = [
            "fetch",
            "--quiet",
            "origin",
            "+refs/beads/main:refs/beads/main",
        ];
        for is_earlier_first in [false, true] {
            git(world, "earlier", &by_force);
            if is_earlier_first {
                beside.earlier(&["list"]);
            }
            now(&["list"]).ok();
            has_all();
        }
        // What a person takes back both name, and neither brings back before it is asked to.
        git(world, "earlier", &["update-ref", REF, &known]);
        now(&["list"]).ok();
        beside.earlier(&["create", "Of then, on top"]);
        now(&["create", "Of now, on top"]).ok();
        let said = now(&["status"]).stderr;
        assert!(said.contains("were set back"), "{program}: {said}");
        assert!(!now(&["list", "-n", "0"]).ok().contains(titles[3]));
        now(&["doctor", "--fix"]).ok();
        git(
            world,
            "earlier",
            &["merge-base", "--is-ancestor", &newest, REF],
        );
        has_all();
        beside.exchange();
        sound_in(world, "earlier");
    }
}
