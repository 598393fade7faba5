//! `inbox`: what needs the caller: questions first.

mod needs;
mod repositories;

use serde_json::json;

use crate::support::samples::two as world;

#[test]
fn it_lists_what_the_caller_and_anybody_is_asked_oldest_first() {
    let world = world();
    assert!(world.bd(&["inbox"]).ok().starts_with("nothing needs you\n"));
    world
        .bd(&[
            "--agent",
            "c-1",
            "ask",
            "bd-b",
            "Keep the\nold format?",
            "--option",
            "yes",
        ])
        .ok();
    world.pass(240);
    world.bd(&["ask", "bd-a", "When?", "--to", "lea"]).ok();
    let agent = ["--agent", "c-2", "inbox"];
    insta::assert_snapshot!(world.bd(&agent).ok(), @r#"
    Needs you 1
    ? bd-b B: Keep the old format? (Ann/c-1, 4m)
        1 yes
    next: a person answers; git beads --agent c-2 note bd-b --finding "..." adds what you know
    "#);
    insta::assert_snapshot!(world.bd(&["inbox"]).ok(), @r#"
    Needs you 1
    ? bd-b B: Keep the old format? (Ann/c-1, 4m)
        1 yes
    next: git beads answer bd-b "..."
    "#);
    insta::assert_snapshot!(world.bd(&["inbox", "--all"]).ok(), @r#"
    Needs you 2
    ? bd-b B: Keep the old format? (Ann/c-1, 4m)
        1 yes
    ? bd-a A: When? (Ann to lea, now)
    next: git beads answer bd-b "..."
    "#);
    let asked = |args: &[&str]| {
        let answer = world.bd(&[args, &["inbox", "--json"]].concat()).json();
        let questions = answer["questions"].as_array().cloned().unwrap_or_default();
        let of = questions.iter().map(|question| question["issue"].clone());
        of.collect::<Vec<_>>()
    };
    assert_eq!(asked(&["--actor", "lea"]), ["bd-b", "bd-a"]);
    assert_eq!(
        asked(&["--actor", "lea", "--agent", "c-2"]),
        ["bd-b", "bd-a"]
    );
    world.bd(&["ask", "bd-a", "You?", "--to", "lea/c-2"]).ok();
    world.bd(&["ask", "bd-a", "Or you?", "--to", "c-2"]).ok();
    assert_eq!(asked(&["--actor", "lea"]).len(), 2);
    assert_eq!(asked(&["--actor", "lea", "--agent", "c-2"]).len(), 4);
    world.bd(&["answer", "bd-b", "1"]).ok();
    assert_eq!(
        asked(&["--actor", "bob"]),
        json!([]).as_array().unwrap().clone()
    );
}

#[test]
fn of_several_questions_of_an_issue_the_next_command_names_one() {
    let world = world();
    let first = world.bd(&["ask", "bd-a", "One?", "-q"]).ok();
    world.bd(&["ask", "bd-a", "Two?"]).ok();
    let listed = world.bd(&["inbox"]).ok();
    let next = format!("next: git beads answer bd-a {} \"...\"\n", first.trim());
    assert!(listed.ends_with(&next), "{listed}");
    let row = format!("\n? bd-a {} A: One? ", first.trim());
    assert!(listed.contains(&row), "{listed}");
    world.bd(&["answer", "bd-a", first.trim(), "yes"]).ok();
    let listed = world.bd(&["inbox"]).ok();
    assert!(
        listed.ends_with("next: git beads answer bd-a \"...\"\n"),
        "{listed}"
    );
}
