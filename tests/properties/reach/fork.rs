//! Contributors with a fork: the host of the project takes no push of theirs, so their changes of issues travel in the branch
//! that they propose, and count once that has landed.

use std::collections::BTreeMap;
use std::path::Path;

use super::{export, forget_requests, refs_of, requests, rules, served, work};
use crate::properties::exchange::transports::Server;
use crate::support::World;
use crate::support::clones::{create, failed, sync, tip};

/// Runs git in a clone.
#[track_caller]
fn git(world: &World, clone: &str, args: &[&str]) -> String {
    world.git_in(clone, args).ok()
}

/// The remotes of a contributor: the one of the project, and the one of the fork.
#[derive(Clone, Copy, Debug)]
struct Remotes {
    project: &'static str,
    fork: &'static str,
}

const LAYOUTS: [Remotes; 2] = [
    Remotes {
        project: "origin",
        fork: "fork",
    },
    Remotes {
        project: "upstream",
        fork: "origin",
    },
];

/// A project whose lead has two issues and welcomes carry files, and the clone of a contributor, who can only read it and has a
/// fork; none where a tool is missing.
fn project(remotes: Remotes) -> Option<(World, Server, Vec<String>)> {
    let (world, server, url) = served()?;
    git(&world, ".", &["clone", "--quiet", "hub.git", "lead"]);
    world.bd_in("lead", &["init"]).ok();
    let issues: Vec<String> = ["x", "y"]
        .map(|title| create(&world, "lead", &[title]))
        .into();
    world.file("lead/.git-beads/README.md", "Carry files are welcome.\n");
    land(&world, "lead");
    sync(&world, &["lead"]);
    git(
        &world,
        ".",
        &["clone", "--quiet", "--bare", "hub.git", "fork.git"],
    );
    git(&world, ".", &["init", "--quiet", "-b", "main", "guest"]);
    git(&world, "guest", &["remote", "add", remotes.project, &url]);
    let fork = world.path("fork.git").display().to_string();
    git(&world, "guest", &["remote", "add", remotes.fork, &fork]);
    if remotes.project != "origin" {
        git(
            &world,
            "guest",
            &["config", "beads.remote", remotes.project],
        );
    }
    git(&world, "guest", &["pull", "--quiet", remotes.fork, "main"]);
    world.bd_in("guest", &["init"]).ok();
    git(&world, "guest", &["checkout", "--quiet", "-b", "fix"]);
    rules(&world, "readonly");
    Some((world, server, issues))
}

/// Commits what is in the folder of carry files, and pushes the main branch to the project.
fn land(world: &World, clone: &str) {
    git(world, clone, &["add", ".git-beads"]);
    git(world, clone, &["commit", "--quiet", "-m", "work"]);
    git(world, clone, &["push", "--quiet", "origin", "main"]);
}

/// Commits the carry file of the contributor, and pushes the branch to the fork.
fn propose(world: &World, remotes: Remotes) {
    git(world, "guest", &["add", ".git-beads"]);
    git(world, "guest", &["commit", "--quiet", "-m", "work"]);
    git(world, "guest", &["push", "--quiet", remotes.fork, "fix"]);
}

/// The requests of a sync, and its answer.
fn counted(world: &World, clone: &str) -> (usize, serde_json::Value) {
    forget_requests(world);
    let said = world.bd_in(clone, &["sync", "--json"]).json();
    (requests(world).len(), said)
}

/// All files of a folder, with what they hold.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => drop(found.insert(path.display().to_string(), std::fs::read(&path).unwrap())),
        }
    }
    found
}

/// The names of the files that differ.
fn changed(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names = before.keys().chain(after.keys());
    let differs = |name: &&String| before.get(*name) != after.get(*name);
    names.filter(differs).cloned().collect()
}

#[test]
fn changes_from_a_fork_count_once_its_branch_has_landed() {
    for remotes in LAYOUTS {
        let Some((world, _server, issues)) = project(remotes) else {
            return;
        };
        let (idle, _) = counted(&world, "guest");
        work(&world, "guest", &issues);
        let (asked, said) = counted(&world, "guest");
        assert_eq!(said["delivery"], "carried", "{remotes:?}: {said}");
        assert_eq!(said["carry"]["changes"], 4, "{remotes:?}: {said}");
        assert_eq!(asked, idle + 1, "{remotes:?}");
        // A remote that has refused everything is only asked what it has.
        assert_eq!(counted(&world, "guest").0, idle, "{remotes:?}");
        propose(&world, remotes);
        let before = (tip(&world, "lead"), refs_of(&world, "hub.git"));
        sync(&world, &["lead"]);
        let proposed = "fix:refs/heads/proposed";
        git(
            &world,
            "lead",
            &["fetch", "--quiet", "../fork.git", proposed],
        );
        git(&world, "lead", &["checkout", "--quiet", "proposed"]);
        sync(&world, &["lead"]);
        assert_eq!(
            before,
            (tip(&world, "lead"), refs_of(&world, "hub.git")),
            "{remotes:?}"
        );
        looks_without_a_trace(&world);
        git(&world, "lead", &["checkout", "--quiet", "main"]);
        git(
            &world,
            "lead",
            &["merge", "--quiet", "--squash", "proposed"],
        );
        land(&world, "lead");
        let said = world.bd_in("lead", &["pull"]).ok();
        assert!(said.contains("4 changes collected from main:"), "{said}");
        sync(&world, &["lead"]);
        // The contributor hears of it, and has nothing left to carry.
        let (_, said) = counted(&world, "guest");
        assert_eq!(said.get("carry"), None, "{remotes:?}: {said}");
        assert_eq!(export(&world, "lead"), export(&world, "guest"));
        world.bd_in("lead", &["doctor"]).ok();
    }
}

/// Asserts that the lead is shown what a branch brings, and that nothing is written by that.
fn looks_without_a_trace(world: &World) {
    let collect = ["collect", "--head", "--dry-run"];
    // What any command leaves is there before.
    world.bd_in("lead", &["list"]).ok();
    let before = files(&world.path("lead"));
    let refs = world.git_in("lead", &["for-each-ref"]).ok();
    let said = world.bd_in("lead", &collect).ok();
    assert!(said.contains("4 changes collected from HEAD:"), "{said}");
    assert!(said.contains(" closed y\n"), "{said}");
    assert_eq!(world.git_in("lead", &["for-each-ref"]).ok(), refs);
    let changed = changed(&before, &files(&world.path("lead")));
    // Git notes what it was asked to fetch, and the lock says who had it last. A reftable is written for refs that are gone, too.
    let is_of_git = |name: &String| {
        name.ends_with("/.git/FETCH_HEAD")
            || name.ends_with("/.git/beads/lock")
            || name.contains("/.git/reftable/")
    };
    let own: Vec<&String> = changed.iter().filter(|name| !is_of_git(name)).collect();
    assert!(own.is_empty(), "{own:?}");
}

#[test]
fn what_only_the_fork_has_is_carried_to_the_project() {
    let remotes = LAYOUTS[1];
    let Some((world, _server, issues)) = project(remotes) else {
        return;
    };
    work(&world, "guest", &issues);
    // The fork takes all, and no one of the project looks there.
    world
        .bd_in("guest", &["sync", "--remote", remotes.fork])
        .ok();
    let said = world.bd_in("guest", &["sync", "--json"]).json();
    assert_eq!(said["carry"]["changes"], 4, "{said}");
    propose(&world, remotes);
    git(&world, "lead", &["pull", "--quiet", "../fork.git", "fix"]);
    git(&world, "lead", &["push", "--quiet", "origin", "main"]);
    sync(&world, &["lead"]);
    assert_eq!(export(&world, "lead"), export(&world, "guest"));
}

#[test]
fn a_setting_says_which_branches_are_looked_at() {
    let remotes = LAYOUTS[0];
    let Some((world, _server, issues)) = project(remotes) else {
        return;
    };
    work(&world, "guest", &issues);
    sync(&world, &["guest"]);
    propose(&world, remotes);
    // The branch is brought into the project: it has not landed yet.
    git(&world, "guest", &["push", "--quiet", "../hub.git", "fix"]);
    let before = tip(&world, "lead");
    git(&world, "lead", &["config", "beads.collect", "landed"]);
    git(&world, "lead", &["fetch", "--quiet"]);
    sync(&world, &["lead"]);
    assert_eq!(before, tip(&world, "lead"));
    git(&world, "lead", &["merge", "--quiet", "origin/fix"]);
    git(&world, "lead", &["push", "--quiet", "origin", "main"]);
    git(&world, "lead", &["config", "beads.collect", "none"]);
    sync(&world, &["lead"]);
    assert_eq!(before, tip(&world, "lead"));
    for wrong in ["maybe", "Landed", "branches,none"] {
        git(&world, "lead", &["config", "beads.collect", wrong]);
        for args in [&["sync", "--json"][..], &["pull", "--json"]] {
            let error = failed(world.bd_in("lead", args), 1);
            assert_eq!(error["code"], "invalid", "{error}");
            assert_eq!(error["hint"], "git config beads.collect branches");
        }
        assert_eq!(before, tip(&world, "lead"));
    }
    git(&world, "lead", &["config", "beads.collect", "landed"]);
    let said = world.bd_in("lead", &["sync"]).ok();
    assert!(said.contains("4 changes collected from main:"), "{said}");
    assert_eq!(export(&world, "lead"), export(&world, "guest"));
}
