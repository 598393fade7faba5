//! `help`, of all verbs and of each.

use crate::support::World;

#[test]
fn help_names_every_verb_and_explains_each() {
    let world = World::new();
    let all = world.bd(&["help"]).ok();
    assert_eq!(world.bd(&["--help"]).ok(), all);
    for verb in [
        "create",
        "list",
        "ready",
        "dep",
        "split",
        "done",
        "where",
        "completion",
    ] {
        assert!(all.contains(&format!("\n  {verb} ")), "{verb}");
        let help = world.bd(&["help", verb]).ok();
        assert!(help.contains("Usage: git beads "), "{verb}: {help}");
    }
}
