//! Labels and types that no issue has, where a list is empty for them.

use crate::support::World;

#[test]
fn an_empty_list_says_which_label_or_type_is_meant() {
    let world = World::with_store();
    let warned = |args: &[&str]| {
        let output = world.bd(args);
        assert_eq!(output.code, 0, "{output:?}");
        output.stderr
    };
    assert_eq!(
        warned(&["list", "-l", "bug"]),
        "warning: no label `bug`: no issue has a label (git beads labels)\n"
    );
    world.create(&["A", "-l", "frontend,UI", "-t", "bug"]);
    world.create(&["B", "-l", "api"]);
    for (args, said) in [
        (
            &["list", "-l", "ui"][..],
            "no label `ui`; did you mean `UI`? (git beads labels)",
        ),
        (
            &["list", "-l", "api,frontnd"],
            "no label `frontnd`; did you mean `frontend`? (git beads labels)",
        ),
        (
            &["ready", "-l", "xyz"],
            "no label `xyz`: UI, api, frontend (git beads labels)",
        ),
        (
            &["blocked", "-l", "xyz"],
            "no label `xyz`: UI, api, frontend (git beads labels)",
        ),
        (
            &["list", "-w", "label:API"],
            "no label `API`; did you mean `api`? (git beads labels)",
        ),
        (
            &["search", "A label:API"],
            "no label `API`; did you mean `api`? (git beads labels)",
        ),
        (
            &["list", "-t", "bugs"],
            "no type `bugs`; did you mean `bug`? (git beads types)",
        ),
        (
            &["list", "-w", "type:bugz"],
            "no type `bugz`; did you mean `bug`? (git beads types)",
        ),
    ] {
        assert_eq!(warned(args), format!("warning: {said}\n"), "{args:?}");
    }
    for args in [
        // There are such issues, but none that is all of this.
        &["list", "-l", "api", "-t", "bug"][..],
        &["list", "-l", "api,UI"],
        // What is known and not used, negated, or the beginning of a name.
        &["list", "-t", "chore"],
        &["list", "-w", "-label:xyz type:epic"],
        &["list", "-w", "label:xyz*"],
        // Something is found.
        &["list", "-w", "label:api,xyz"],
        &["list", "--not-label", "xyz"],
    ] {
        assert_eq!(warned(args), "", "{args:?}");
    }
    let hidden = format!("list -l {}", "x".repeat(200));
    let args: Vec<&str> = hidden.split(' ').collect();
    assert!(warned(&args).len() < 200);
}

#[test]
fn a_query_that_was_searched_for_as_words_is_offered() {
    let world = World::with_store();
    let labels = ["-l", "milestone:2.0"];
    world.create(&["Upload", labels[0], labels[1]]);
    let found = world.bd(&["search", "milestone:2.0"]);
    let offer = "git beads list -w label:milestone:2.0";
    assert!(found.stderr.contains(offer), "{found:?}");
    let refused = world.bd(&["list", "-w", "milestone = \"2.0\""]);
    assert!(
        refused.stderr.contains("`label:\"milestone:2.0\"`"),
        "{refused:?}"
    );
    for query in ["label:milestone:2.0", "label:\"milestone:2.0\""] {
        let listed = world.bd(&["list", "-w", query]).ok();
        assert!(listed.contains("Upload"), "{listed}");
    }
    // Words that look like a key of nothing, and words that are found.
    for words in ["error:broken", "Upload"] {
        assert_eq!(world.bd(&["search", words]).stderr, "", "{words}");
    }
    // The kind of things that `gh` searches for.
    let found = world.bd(&["search", "issues", "Upload"]);
    assert!(found.stdout.contains("Upload"), "{found:?}");
}
