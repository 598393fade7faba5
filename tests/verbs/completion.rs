//! `completion`: the scripts; `clients/shell` tries them in real shells.

use crate::support::World;

#[test]
fn completions_need_no_repository() {
    let world = World::empty();
    for args in [
        &["completion", "fish"][..],
        &["schema"],
        &["version"],
        &["help"],
        &["--version"],
    ] {
        assert!(!world.bd_in("home", args).ok().is_empty());
    }
}

#[test]
fn each_shell_has_a_script_and_no_other_word_does() {
    let world = World::empty();
    for shell in ["bash", "zsh", "fish"] {
        let script = world.bd_in("home", &["completion", shell]).ok();
        assert!(script.contains("git-beads __complete"), "{shell}: {script}");
    }
    let error = world.bd_in("home", &["completion", "cmd"]).fails(2);
    assert!(error.contains("hint: git beads help completion"), "{error}");
}
