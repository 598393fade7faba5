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

#[test]
fn the_options_of_every_verb_are_in_one_place() {
    let world = World::new();
    assert!(world.bd(&["help"]).ok().contains("--no-pager"));
    for verb in ["list", "settings", "where"] {
        let help = world.bd(&["help", verb]).ok();
        assert!(!help.contains("--no-pager"), "{help}");
        assert!(help.contains("Global options: git beads help\n"), "{help}");
        assert!(help.contains("Examples:\n") || verb != "list", "{help}");
    }
}
