//! `settings`.

use crate::support::World;

#[test]
fn all_keys_and_variables_are_listed_with_what_they_do() {
    // Nothing of a repository is needed.
    let world = World::new();
    let text = world.bd_in(".", &["settings"]).ok();
    let lease = "  beads.lease\n      The time without activity, such as `30m`,";
    assert!(text.contains(lease), "{text}");
    assert!(text.contains("Variables:\n  GIT_BEADS_ACTOR\n"), "{text}");
    let names = world.bd_in(".", &["settings", "-q"]).ok();
    assert!(names.lines().any(|name| name == "beads.stale"), "{names}");
    let answer = world.bd_in(".", &["settings", "--json"]).json();
    let count = |key: &str| answer[key].as_array().unwrap().len();
    assert_eq!(
        count("settings") + count("variables"),
        names.lines().count()
    );
}
