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
