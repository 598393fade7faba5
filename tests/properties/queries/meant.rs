//! Queries as users of other programs write them: understood, or refused with what was probably meant.

use super::{found, store};
use crate::support::World;

/// Returns the query that the hint of a refusal offers.
#[track_caller]
fn offered(world: &World, query: &str) -> String {
    let answer = world.bd(&["list", "-w", query]);
    assert_eq!((answer.code, answer.stdout.as_str()), (1, ""), "{answer:?}");
    let hint = answer.stderr.split("hint: did you mean `").nth(1);
    let hint = hint.unwrap_or_else(|| panic!("{query}: {}", answer.stderr));
    hint.split("`?").next().unwrap().to_owned()
}

#[test]
fn a_query_of_another_language_is_refused_with_the_one_that_is_meant() {
    let world = store();
    for (query, meant) in [
        ("type:bug or type:task", "type:bug OR type:task"),
        (
            "a or b or type:bug and #ui",
            "a OR b OR type:bug AND label:ui",
        ),
        ("is:open and priority:<=1", "is:open AND priority:<=1"),
        ("not label:ui", "NOT label:ui"),
        ("!label:ui", "-label:ui"),
        ("!ui", "-ui"),
        (
            "(type:bug || type:task) && api",
            "(type:bug OR type:task) AND api",
        ),
        ("#ui", "label:ui"),
        ("@me", "assignee:me"),
        ("@bob", "assignee:bob"),
        ("@BO", "assignee:BO"),
        ("state:open", "is:open"),
        ("state:in_progress", "status:in_progress"),
        ("tag:ui -owner:bob", "label:ui -assignee:bob"),
        ("is:in-progress", "status:in_progress"),
        ("is:bug", "type:bug"),
        ("lable:ui stauts:open", "label:ui status:open"),
    ] {
        let offer = offered(&world, query);
        assert_eq!(offer, meant, "{query}");
        world.bd(&["list", "-w", &offer]).ok();
    }
    // In a sentence they are words.
    world.bd(&["list", "-w", "\"or\""]).ok();
    world.bd(&["search", "login or logout"]).ok();
    let refused = world.bd(&["search", "type:bug or type:task"]).fails(1);
    assert!(refused.contains("`type:bug OR type:task`"), "{refused}");
}

#[test]
fn a_status_that_is_none_and_that_the_language_knows_is_named() {
    let world = store();
    for args in [
        &["list", "-s", "ready"][..],
        &["list", "-w", "status:ready"],
    ] {
        let refused = world.bd(args).fails(1);
        assert!(
            refused.contains("hint: git beads list -w is:ready"),
            "{refused}"
        );
    }
}

#[test]
fn people_are_found_in_any_case_and_by_a_part_of_their_names() {
    let world = store();
    world.bd(&["assign", "login", "Nora Newcomer"]).ok();
    world.bd(&["assign", "sub", "Nora"]).ok();
    for (name, ids) in [
        ("newcomer", &["login"][..]),
        ("NORA N", &["login"]),
        ("nora", &["login", "sub"]),
        // A name that someone has is theirs alone.
        ("Nora", &["sub"]),
    ] {
        assert_eq!(found(&world, &["list", "-a", name]), ids, "{name}");
        if !name.contains(' ') {
            let query = format!("assignee:{name}");
            assert_eq!(found(&world, &["list", "-w", &query]), ids, "{name}");
        }
    }
    let to_the_letter = found(&world, &["list", "-w", "assignee:\"nora\""]);
    assert!(to_the_letter.is_empty(), "{to_the_letter:?}");
    world.bd(&["--agent", "bot2", "start", "upload"]).ok();
    assert_eq!(found(&world, &["list", "-a", "bot2"]), ["upload"]);
    assert_eq!(found(&world, &["list", "-w", "actor:AN id:sub"]), ["sub"]);
    let said = world.bd(&["list", "-a", "zoe"]);
    assert_eq!(said.code, 0, "{said:?}");
    for name in ["zoe", "Nora Newcomer", "bob", "lea"] {
        assert!(said.stderr.contains(name), "{said:?}");
    }
    let said = world.bd(&["list", "-w", "author:norra"]).stderr;
    assert!(said.contains("did you mean `Nora`?"), "{said}");
    // What is found is said nothing of.
    assert_eq!(world.bd(&["list", "-a", "nora"]).stderr, "");
}
