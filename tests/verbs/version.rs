//! `version`.

use crate::support::World;

#[test]
fn version_is_that_of_the_package() {
    let world = World::new();
    let version = format!("git-beads {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(world.bd(&["version"]).ok(), version);
    assert_eq!(world.bd(&["--version"]).ok(), version);
    assert_eq!(world.bd(&["-V"]).ok(), version);
}

#[test]
fn json_is_json_for_version_too() {
    let answer = World::new().bd(&["version", "--json"]).json();
    assert_eq!(answer["v"], 1);
}
