//! `where`: which repository, ref and index answer.

use crate::support::World;
use crate::support::samples::mixed as world;

#[test]
fn where_says_what_answers_here() {
    let world = world();
    std::fs::create_dir_all(world.path("repo/deep/down")).unwrap();
    let place = world.bd_in("repo/deep/down", &["where", "--json"]).json();
    for (field, value) in [
        ("repo", "WORLD/repo"),
        ("common_dir", "WORLD/repo/.git"),
        ("index", "WORLD/repo/.git/beads"),
        ("actor", "Ann"),
        ("prefix", "bd"),
    ] {
        assert_eq!(place[field], value, "{field} of {place}");
    }
    assert!(place.to_string().contains("refs/beads/main"));
    let head = world.git(&["rev-parse", "refs/beads/main"]).ok();
    assert_eq!(place["commit"], head.trim());
}

#[test]
fn where_answers_also_without_a_store() {
    let world = World::new();
    let text = world.bd(&["where"]).ok();
    assert!(text.contains("commit: none yet (git beads init)"), "{text}");
    assert!(
        World::empty()
            .bd_in("home", &["where"])
            .fails(128)
            .contains("not a git repository")
    );
}

#[test]
fn where_names_remotes() {
    let world = world();
    world
        .git(&["remote", "add", "origin", "https://example.org/x.git"])
        .ok();
    assert!(world.bd(&["where"]).ok().contains("remotes: origin"));
}

#[test]
fn where_says_where_the_store_was_found() {
    let world = crate::support::clones::two_clones();
    let clone = |name: &str, args: &[&str]| {
        let all = [&["clone", "--quiet"], args, &["hub.git", name]].concat();
        world.git_in(".", &all).ok();
    };
    let found = |name: &str| world.bd_in(name, &["where", "--json"]).json()["found_at"].clone();
    // At the usual ref of a remote, or begun here: there is nothing to say.
    for name in ["a", "b"] {
        assert_eq!(found(name), serde_json::Value::Null, "{name}");
    }
    clone("fetched", &[]);
    let fetch = ["fetch", "--quiet", "origin"];
    let refs = "+refs/beads/*:refs/beads-remotes/origin/*";
    world
        .git_in("fetched", &[&fetch[..], &[refs]].concat())
        .ok();
    assert_eq!(found("fetched"), serde_json::Value::Null, "not yet");
    world.bd_in("fetched", &["list"]).ok();
    assert_eq!(found("fetched"), "refs/beads-remotes/origin/main");
    let rename = ["branch", "beads", "refs/beads/main"];
    world.git_in("hub.git", &rename).ok();
    let delete = ["update-ref", "-d", "refs/beads/main"];
    world.git_in("hub.git", &delete).ok();
    for (name, first) in [("cloned", "list"), ("begun", "init")] {
        clone(name, &[]);
        world.bd_in(name, &[first]).ok();
        assert_eq!(found(name), "refs/remotes/origin/beads", "{name}");
    }
    clone("single", &["--single-branch"]);
    world.bd_in("single", &["init"]).ok();
    assert_eq!(found("single"), "origin beads");
    let text = world.bd_in("single", &["where"]).ok();
    assert!(text.contains("\nstore found: origin beads\n"), "{text}");
}
