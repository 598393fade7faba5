//! What a verb answers within the process of the tests is what it answers as a process of its own.

use crate::support::day::{day, has_each_verb_but, morning, verbs};
use crate::support::{Output, World, binary};

/// Runs the program in a folder, as a process of its own.
fn process(world: &World, folder: &str, args: &[&str]) -> Output {
    world.run(world.command(folder, binary(), args), None)
}

#[test]
fn each_verb_answers_alike_as_a_process_of_its_own() {
    let (within, beside) = (morning(), morning());
    let answers = day(&within, |args| within.bd(args));
    let said = day(&beside, |args| process(&beside, "repo", args));
    for (answer, said) in answers.iter().zip(&said) {
        assert_eq!(answer, said);
    }
    // Tried below; in their own tests, which start processes; and where a repository begins.
    has_each_verb_but(&[
        "clone",
        "completion",
        "demo",
        "edit",
        "import",
        "init",
        "man",
        "mcp",
        "queries",
        "redact",
        "resolve",
        "schema",
        "settings",
        "setup",
        "split",
        "version",
        // On a terminal, and until it is ended.
        "ui",
        "serve",
        "watch",
    ]);
}

#[test]
fn what_has_no_place_in_a_day_answers_alike_too() {
    let world = || {
        let world = morning();
        world.bd(&["init"]).ok();
        let epic = world.create(&["Epic", "-t", "epic"]);
        world.bd(&["note", &epic, "--finding", "Wrong"]).ok();
        world.bd(&["sync"]).ok();
        world.file("home/some.jsonl", "{\"id\":\"x-1\",\"title\":\"Some\"}\n");
        world.file("home/plan.txt", "One\nTwo\n");
        (world, epic)
    };
    let ((within, epic), (beside, _)) = (world(), world());
    let finding = within.bd(&["show", &epic, "--json"]).json();
    let finding = finding["issue"]["memory"]["findings"][0]["id"].to_string();
    let finding = finding.trim_matches('"');
    process(&beside, "repo", &["show", &epic, "--json"]).ok();
    for args in [
        &["redact", &epic, finding][..],
        &["split", &epic, "../home/plan.txt"],
        &["import", "../home/some.jsonl"],
        &["resolve", &epic],
        &["setup", "claude"],
        &["completion", "bash"],
        &["schema"],
        &["queries"],
        &["settings"],
        &["version"],
        &["man", "../pages"],
        &["clone", "../hub.git", "../other"],
        &["help", "create"],
        &["list", "-C", "../other"],
    ] {
        let answer = within.bd(args);
        assert_eq!(
            answer.all(),
            process(&beside, "repo", args).all(),
            "{args:?}"
        );
    }
}

#[test]
fn each_verb_refuses_alike_with_its_hint_and_exit_code() {
    let (within, beside) = (World::with_store(), World::with_store());
    for verb in verbs() {
        let args = [&verb, "--no-such-option"];
        let (refused, said) = (within.bd(&args), process(&beside, "repo", &args));
        assert_eq!(refused.all(), said.all(), "{args:?}");
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.stderr.contains("\nhint: git beads "), "{said:?}");
    }
}
