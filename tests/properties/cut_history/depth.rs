//! A history that the user wants cut: the first fetch brings its newest commits, and the rest comes when it is asked for, or
//! is needed.

use serde_json::json;

use super::{commits, hub, said};
use crate::support::World;
use crate::support::clones::create;

/// A hub with issues and code, its ids, how many commits its store has, and the arguments that clone its newest commit.
fn shallow(ways: &[&str]) -> (World, [String; 2], usize) {
    let (world, ids, whole) = hub();
    let commit = ["commit", "--quiet", "--allow-empty", "-m"];
    for message in ["first", "second"] {
        world.git(&[&commit[..], &[message]].concat()).ok();
    }
    world.git(&["push", "--quiet", "origin", "HEAD"]).ok();
    let url = format!("file://{}", world.path("hub.git").display());
    for clone in ways {
        let args = ["clone", "--quiet", "--depth=1", "--single-branch", &url];
        world.git_in(".", &[&args[..], &[clone]].concat()).ok();
    }
    (world, ids, whole)
}

/// The commits at which a clone is cut.
fn cuts(world: &World, clone: &str) -> Vec<String> {
    let file = world.path(clone).join(".git/shallow");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_first_fetch_brings_as_many_commits_as_are_wanted() {
    let (world, ids, whole) = shallow(&["asked", "configured", "all"]);
    let code = cuts(&world, "asked");
    assert_eq!(code.len(), 1);
    world.bd_in("asked", &["init", "--depth", "2"]).ok();
    let depth = ["config", "beads.depth", "2"];
    world.git_in("configured", &depth).ok();
    world.bd_in("configured", &["sync"]).ok();
    let again = world.bd_in("asked", &["init", "--depth", "5"]);
    assert!(
        again.stderr.contains("--depth changes nothing"),
        "{again:?}"
    );
    let noted = world.git_in("asked", &["config", "beads.depth"]).ok();
    assert_eq!(noted.trim(), "2");
    for clone in ["asked", "configured"] {
        assert_eq!(commits(&world, clone).len(), 2, "{clone}");
        assert!(cuts(&world, clone).contains(&code[0]), "{clone}");
        // It stays so.
        for args in [
            &["fetch"][..],
            &["sync"],
            &["pull"],
            &["fetch", "--dry-run"],
        ] {
            world.bd_in(clone, args).ok();
            assert_eq!(commits(&world, clone).len(), 2, "{clone} {args:?}");
        }
    }
    for clone in ["asked", "configured"] {
        world
            .bd_in(clone, &["note", &ids[0], "--finding", clone])
            .ok();
        let new = create(&world, clone, &[clone]);
        world.bd_in(clone, &["done", &new, "-r", "made"]).ok();
        world.bd_in(clone, &["sync"]).ok();
    }
    world.bd(&["sync"]).ok();
    world.bd_in("asked", &["sync"]).ok();
    world.bd_in("all", &["init"]).ok();
    assert!(commits(&world, "all").len() > whole + 6);
    let export = world.bd(&["export"]).ok();
    for clone in ["asked", "all"] {
        assert_eq!(world.bd_in(clone, &["export"]).ok(), export, "{clone}");
        let conflicts = world.bd_in(clone, &["conflicts", "--json"]).json();
        assert_eq!(conflicts["conflicts"], json!([]), "{clone}");
        let doctor = world.bd_in(clone, &["doctor"]);
        assert_eq!(doctor.code, 0, "{clone} {doctor:?}");
    }
}

#[test]
fn the_rest_of_a_history_comes_when_it_is_asked_for() {
    let (world, _, whole) = shallow(&["cut"]);
    let code = cuts(&world, "cut");
    world.bd_in("cut", &["init", "--depth", "1"]).ok();
    let log = world.bd_in("cut", &["log"]).ok();
    let hint = "history begins here: git beads fetch --unshallow";
    assert!(log.contains(hint), "{log}");
    let undo = world.bd_in("cut", &["undo"]);
    assert_eq!(undo.code, 3, "{undo:?}");
    assert!(
        undo.stderr.contains("git beads fetch --unshallow"),
        "{undo:?}"
    );
    world.bd_in("cut", &["fetch", "--unshallow"]).ok();
    assert_eq!(commits(&world, "cut").len(), whole);
    assert_eq!(cuts(&world, "cut"), code);
    let answer = world.bd_in("cut", &["log", "-n", "0", "--json"]).json();
    assert!(said(&answer).is_empty(), "{answer}");
    let undone = world.bd_in("cut", &["undo", "--actor", "Ann"]);
    assert_ne!(undone.code, 4, "{undone:?}");
    // A second time there is nothing to bring.
    world.bd_in("cut", &["fetch", "--unshallow"]).ok();
    assert_eq!(cuts(&world, "cut"), code);
}

#[test]
fn a_merge_brings_what_two_histories_have_in_common() {
    let (world, ids, _) = shallow(&["early", "cut"]);
    world.bd_in("early", &["init"]).ok();
    // From here on: later priorities at the hub, another one in `early` of which the hub hears last.
    world.bd_in("early", &["label", &ids[0], "early"]).ok();
    for priority in ["2", "3"] {
        world.bd(&["update", &ids[0], "-p", priority]).ok();
    }
    world.bd(&["sync"]).ok();
    world.bd_in("cut", &["init", "--depth", "1"]).ok();
    world.bd_in("cut", &["label", &ids[0], "cut"]).ok();
    let early = world.path("early").display().to_string();
    world
        .git_in("cut", &["remote", "add", "early", &early])
        .ok();
    // What is common is at origin alone, and that is away.
    let hub = world.path("hub.git");
    std::fs::rename(&hub, world.path("away.git")).unwrap();
    let pulled = world.bd_in("cut", &["pull", "--remote", "early"]);
    assert_eq!(pulled.code, 1, "{pulled:?}");
    assert!(pulled.stderr.contains("the history is cut"), "{pulled:?}");
    assert!(
        pulled
            .stderr
            .contains("git beads fetch --unshallow --remote NAME"),
        "{pulled:?}"
    );
    std::fs::rename(world.path("away.git"), &hub).unwrap();
    world.bd_in("cut", &["pull", "--remote", "early"]).ok();
    let conflicts = world.bd_in("cut", &["conflicts", "--json"]).json();
    assert_eq!(conflicts["conflicts"], json!([]), "{conflicts}");
    let issue = world.bd_in("cut", &["show", &ids[0], "--json"]).json();
    assert_eq!(issue["issue"]["priority"], 3, "{issue}");
    assert_eq!(issue["issue"]["labels"], json!(["cut", "early"]), "{issue}");
}

#[test]
fn a_depth_that_is_no_number_is_refused() {
    let (world, ..) = shallow(&["cut"]);
    assert_eq!(world.bd_in("cut", &["init", "--depth", "0"]).code, 2);
    for value in ["0", "deep"] {
        world.git_in("cut", &["config", "beads.depth", value]).ok();
        let refused = world.bd_in("cut", &["init"]);
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(
            refused.stderr.contains("git config beads.depth 1000"),
            "{refused:?}"
        );
    }
    let tip = world.git_in("cut", &["rev-parse", "--verify", "-q", "refs/beads/main"]);
    assert_ne!(tip.code, 0);
}

#[test]
fn a_remote_that_has_nothing_gets_the_whole_history() {
    let (world, _, whole) = shallow(&["cut"]);
    world.bd_in("cut", &["init", "--depth", "1"]).ok();
    create(&world, "cut", &["New"]);
    let init = ["init", "--quiet", "--bare", "second.git"];
    world.git_in(".", &init).ok();
    let second = world.path("second.git").display().to_string();
    world
        .git_in("cut", &["remote", "add", "second", &second])
        .ok();
    let hub = world.path("hub.git");
    std::fs::rename(&hub, world.path("away.git")).unwrap();
    let sent = world.bd_in("cut", &["sync", "--remote", "second"]);
    assert_eq!(sent.code, 1, "{sent:?}");
    assert!(
        sent.stderr.contains("takes the whole history only"),
        "{sent:?}"
    );
    std::fs::rename(world.path("away.git"), &hub).unwrap();
    world.bd_in("cut", &["sync", "--remote", "second"]).ok();
    assert_eq!(commits(&world, "second.git").len(), whole + 1);
}
