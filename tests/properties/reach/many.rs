//! Many carry files and mailboxes at once: they are merged as one, so that fifty cost little more than one.

use crate::properties::faults::plain_or;
use crate::support::World;
use crate::support::clones::{create, failed, script, sync, tip, two_clones};

const AGENTS: usize = 5;

/// Lets agents work on an issue in clones of their own and leave a file each in a branch of the hub.
fn carried_by_many(world: &World, id: &str) {
    for n in 0..AGENTS {
        let clone = format!("agent-{n}");
        let git = |args: &[&str]| world.git_in(&clone, args).ok();
        world
            .git_in(".", &["clone", "--quiet", "hub.git", &clone])
            .ok();
        world.bd_in(&clone, &["init"]).ok();
        world
            .bd_in(&clone, &["note", id, &format!("word-{n}")])
            .ok();
        create(world, &clone, &[&format!("issue-{n}")]);
        git(&["checkout", "--quiet", "-b", &clone]);
        world.bd_in(&clone, &["carry"]).ok();
        git(&["add", ".git-beads"]);
        git(&["commit", "--quiet", "-m", "work"]);
        git(&["push", "--quiet", "origin", &clone]);
    }
}

/// Returns the packs of a clone that are ours, and how often its ref was moved.
fn written(world: &World, clone: &str) -> (usize, usize) {
    let packs = std::fs::read_dir(world.path(&format!("{clone}/.git/objects/pack"))).unwrap();
    let packs = packs.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        let name = name.to_str().unwrap();
        name.starts_with("beads-") && name.ends_with(".pack")
    });
    let moves = world.git_in(clone, &["reflog", "show", "refs/beads/main"]);
    (packs.count(), moves.stdout.lines().count())
}

/// Asserts that every word and every issue of the agents is in a clone.
#[track_caller]
fn assert_all_arrived(world: &World, clone: &str, id: &str) {
    let shown = world.bd_in(clone, &["show", id, "--json"]).ok();
    let listed = world.bd_in(clone, &["list", "--json"]).ok();
    for n in 0..AGENTS {
        assert_eq!(shown.matches(&format!("word-{n}")).count(), 1, "{shown}");
        assert_eq!(listed.matches(&format!("issue-{n}")).count(), 1, "{listed}");
    }
}

/// Commits what a clone carries and lets the lead `a` take it over.
fn deliver(world: &World, clone: &str) {
    let git = |clone: &str, args: &[&str]| world.git_in(clone, args).ok();
    world.bd_in(clone, &["carry"]).ok();
    git(clone, &["add", ".git-beads"]);
    git(clone, &["commit", "--quiet", "-m", "work"]);
    git(
        clone,
        &["push", "--quiet", "origin", "HEAD:refs/heads/work"],
    );
    git("a", &["fetch", "--quiet"]);
    world.bd_in("a", &["sync"]).ok();
}

#[test]
fn what_others_do_after_a_file_arrived_is_no_conflict_for_its_writer() {
    let world = two_clones();
    let id = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    world.bd_in("b", &["update", &id, "--title", "of b"]).ok();
    deliver(&world, "b");
    world.bd_in("a", &["update", &id, "--title", "of a"]).ok();
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        let said = world.bd_in(clone, &["conflicts", "--json"]).json();
        assert_eq!(said["conflicts"], serde_json::json!([]), "{clone}");
        let shown = world.bd_in(clone, &["show", &id, "--json"]).json();
        assert_eq!(shown["issue"]["title"], "of a", "{clone}");
    }
    // What the writer did not know of stays one.
    world
        .bd_in("b", &["update", &id, "--title", "b again"])
        .ok();
    deliver(&world, "b");
    world.bd_in("b", &["update", &id, "--title", "b more"]).ok();
    world
        .bd_in("a", &["update", &id, "--title", "a again"])
        .ok();
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        let said = world.bd_in(clone, &["conflicts", "--json"]).json();
        let values = said["conflicts"].to_string();
        assert!(values.contains("b more"), "{clone}: {values}");
        assert!(!values.contains("b again"), "{clone}: {values}");
    }
}

#[test]
fn what_a_file_has_brought_is_not_waiting_any_more() {
    let world = two_clones();
    let id = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    world.bd_in("b", &["note", &id, "a first note"]).ok();
    world.bd_in("b", &["update", &id, "--title", "y"]).ok();
    deliver(&world, "b");
    script(&world, "hub.git/hooks/update", "exit 1");
    // Nothing is refused where nothing is left to send.
    let said = world.bd_in("b", &["sync"]).ok();
    assert_eq!(said, "origin: 0 changes sent, 0 changes received\n");
    let status = world.bd_in("b", &["status", "--json"]).json();
    assert_eq!(status["remotes"][0]["ahead"], 0, "{status}");
    let found = world.bd_in("b", &["doctor", "--json"]).json();
    assert_eq!(found.get("findings"), None, "{found}");
    // What comes after it is, and is counted alone.
    world.bd_in("b", &["note", &id, "a second note"]).ok();
    failed(world.bd_in("b", &["sync", "--json"]), 5);
    let said = world.bd_in("b", &["carry", "--json"]).json();
    assert_eq!(said["changes"], 1, "{said}");
}

#[test]
fn a_writer_whose_claim_gave_way_does_not_yield_again() {
    let world = two_clones();
    let id = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    world.bd_in("a", &["start", &id]).ok();
    world.bd_in("a", &["sync"]).ok();
    world.bd_in("b", &["--actor", "ben", "start", &id]).ok();
    deliver(&world, "b");
    world.bd_in("a", &["done", &id, "-r", "fixed"]).ok();
    world.bd_in("b", &["--actor", "ben", "fetch"]).ok();
    world.bd_in("b", &["--actor", "ben", "pull"]).ok();
    let said = world.bd_in("b", &["carry"]).fails(1);
    assert!(said.contains("others have all that is here"), "{said}");
    sync(&world, &["a", "b", "a"]);
    for clone in ["a", "b"] {
        let shown = world.bd_in(clone, &["show", &id, "--json"]).json();
        assert_eq!(shown["issue"]["status"], "closed", "{clone}");
        let said = world.bd_in(clone, &["conflicts", "--json"]).json();
        assert_eq!(said["conflicts"], serde_json::json!([]), "{clone}");
    }
}

#[test]
fn carry_files_of_many_branches_are_merged_at_once() {
    let world = two_clones();
    let id = create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    carried_by_many(&world, &id);
    world
        .git_in("a", &["config", "core.logAllRefUpdates", "always"])
        .ok();
    world.git_in("a", &["fetch", "--quiet"]).ok();
    let before = written(&world, "a");
    let said = world.bd_in("a", &["pull", "--json"]).json();
    assert_eq!(
        said["collected"].as_array().unwrap().len(),
        AGENTS,
        "{said}"
    );
    assert_eq!(
        written(&world, "a"),
        (before.0 + 1, before.1 + 1),
        "one pack, and one move of the ref"
    );
    assert_all_arrived(&world, "a", &id);
    // What it has made lasts, and is complete for git too.
    world
        .git_in("a", &["fsck", "--strict", "--no-dangling"])
        .ok();
    let merged = tip(&world, "a");
    world.bd_in("a", &["pull"]).ok();
    assert_eq!(tip(&world, "a"), merged, "nothing is left to merge");
    // Who takes the files one by one has the same issues.
    for n in 0..AGENTS {
        let branch = format!("agent-{n}");
        world
            .git_in("b", &["fetch", "--quiet", "origin", &branch])
            .ok();
        world
            .bd_in("b", &["collect", "--branch", "FETCH_HEAD"])
            .ok();
    }
    assert_all_arrived(&world, "b", &id);
    sync(&world, &["a", "b", "a"]);
    assert_eq!(super::export(&world, "a"), super::export(&world, "b"));
}

#[test]
fn a_claim_that_lost_to_another_in_one_collection_is_said_to_its_holder() {
    let world = two_clones();
    let id = create(&world, "a", &["x"]);
    sync(&world, &["a", "b"]);
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "c"])
        .ok();
    world.bd_in("c", &["init"]).ok();
    for (clone, name) in [("b", "ben"), ("c", "cleo")] {
        world.bd_in(clone, &["--actor", name, "start", &id]).ok();
        world.bd_in(clone, &["--actor", name, "carry"]).ok();
        let git = |args: &[&str]| world.git_in(clone, args).ok();
        git(&["add", ".git-beads"]);
        git(&["commit", "--quiet", "-m", "work"]);
        git(&["push", "--quiet", "origin", &format!("HEAD:{name}")]);
    }
    world.git_in("a", &["fetch", "--quiet"]).ok();
    let said = world.bd_in("a", &["sync"]).ok();
    let shown = world.bd_in("a", &["show", &id, "--json"]).json();
    let holder = shown["issue"]["assignee"].as_str().unwrap().to_owned();
    let (clone, loser) = match holder.as_str() {
        "ben" => ("c", "cleo"),
        "cleo" => ("b", "ben"),
        other => panic!("{other}: {said}"),
    };
    let lost =
        format!("{id}: {holder} claimed it first (at origin); the claim of {loser} is released");
    assert!(said.contains(&lost), "{said}");
    let said = world.bd_in(clone, &["--actor", loser, "sync"]).ok();
    let lost = format!("{id}: {holder} claimed it first (at origin); your claim is released");
    assert!(said.contains(&lost), "{said}");
    sync(&world, &["a", "b", "c", "a"]);
    for clone in ["a", "b", "c"] {
        let said = world.bd_in(clone, &["conflicts", "--json"]).json();
        assert_eq!(said["conflicts"], serde_json::json!([]), "{clone}");
        let shown = world.bd_in(clone, &["show", &id, "--json"]).json();
        assert_eq!(shown["issue"]["assignee"], *holder, "{clone}");
    }
}

#[test]
fn a_writer_whose_clock_is_slow_is_in_no_conflict_with_itself() {
    // More than are compared one by one, but in a plain run.
    let others = plain_or(20, 260);
    let mut world = two_clones();
    let [id, other] = ["One", "Two"].map(|title| create(&world, "a", &[title]));
    sync(&world, &["a"]);
    for clone in ["slow", "busy"] {
        world
            .git_in(".", &["clone", "--quiet", "hub.git", clone])
            .ok();
        world.bd_in(clone, &["init"]).ok();
    }
    let change = |world: &World, text: &str| {
        world.bd_in("slow", &["update", &id, "-d", text]).ok();
        let said = world.bd_in("slow", &["carry", "--json"]).json();
        let file = said["carry"]["file"].as_str().or(said["file"].as_str());
        let path = world.path(&format!("slow/{}", file.unwrap()));
        for args in [
            &["add", ".git-beads"][..],
            &["commit", "--quiet", "-m", "w"],
        ] {
            world.git_in("slow", args).ok();
        }
        let path = path.display().to_string();
        world.bd_in("a", &["collect", "--file", &path]).ok();
    };
    change(&world, "first");
    // What others have carried since is newer by their clocks.
    world.set("GIT_BEADS_NOW", "1796383200000");
    let mut collect = vec!["collect".to_owned()];
    for n in 0..others {
        let priority = (n % 5).to_string();
        world
            .bd_in("busy", &["update", &other, "-p", &priority])
            .ok();
        let text = world.bd_in("busy", &["carry", "--stdout"]).ok();
        let file = world.file(&format!("{n}.jsonl"), text);
        collect.extend(["--file".to_owned(), file]);
    }
    let collect: Vec<&str> = collect.iter().map(String::as_str).collect();
    world.bd_in("a", &collect).ok();
    world.set("GIT_BEADS_NOW", "1795180000000");
    change(&world, "second");
    let shown = world.bd_in("a", &["show", &id]).ok();
    assert!(shown.contains("second"), "{shown}");
    let conflicts = world.bd_in("a", &["conflicts", "--json"]).json();
    let fields = conflicts["conflicts"].as_array().unwrap().iter();
    let own: Vec<_> = fields.filter(|it| it["id"] == *id.as_str()).collect();
    assert!(own.is_empty(), "{own:?}");
}
