//! `version`.

use crate::support::{World, binary};

#[test]
fn version_is_that_of_the_package() {
    let world = World::new();
    let version = format!("git-beads {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(world.bd(&["version"]).ok(), version);
    assert_eq!(world.bd(&["--version"]).ok(), version);
    assert_eq!(world.bd(&["-V"]).ok(), version);
}

#[test]
fn a_program_is_told_what_was_built() {
    let answer = World::new().bd(&["version", "--json"]).json();
    assert_eq!(answer["v"], 1);
    assert_eq!(answer["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(answer["format"], 1);
    if binary() == env!("CARGO_BIN_EXE_git-beads") {
        assert_eq!(answer["target"], env!("GIT_BEADS_TARGET"));
        assert_eq!(
            answer["features"].as_array().unwrap().len(),
            usize::from(cfg!(feature = "http"))
        );
        // A build for tests doesn't look for it: it would be made again after each commit.
        let commit = option_env!("GIT_BEADS_COMMIT").filter(|commit| !commit.is_empty());
        assert_eq!(answer["commit"].as_str(), commit);
    }
}
