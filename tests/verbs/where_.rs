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
