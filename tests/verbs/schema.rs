//! `schema`: the JSON Schema of answers.

use crate::support::World;

#[test]
fn schema_knows_every_verb_that_answers() {
    let world = World::new();
    let all = world.bd(&["schema"]).json();
    for verb in [
        "create", "list", "ready", "show", "done", "status", "log", "where", "split", "note",
        "redact",
    ] {
        let one = world.bd(&["schema", verb]).json();
        assert!(
            one.is_object() && one.to_string().contains("properties"),
            "{verb}: {one}"
        );
        assert!(all.to_string().contains(verb), "{verb}");
    }
    assert!(
        world
            .bd(&["schema", "lsit"])
            .fails(1)
            .contains("hint: git beads schema")
    );
}

#[test]
fn schema_takes_aliases() {
    let world = World::new();
    for (alias, verb) in [
        ("ls", "list"),
        ("claim", "start"),
        ("close", "done"),
        ("decompose", "split"),
    ] {
        assert_eq!(
            world.bd(&["schema", alias]).ok(),
            world.bd(&["schema", verb]).ok(),
            "{alias}"
        );
    }
}
