//! Without a screen: numbered rows and lines of keys.

use super::{start, world};
use crate::support::World;

#[test]
fn a_pipe_is_answered_in_lines() {
    let world = world();
    let lines = "1 A 1\n2\n/ label:ui\n1 c so it is\n1 p 1\nq\n";
    let text = world.bd_with(lines, &["ui"]).ok();
    // What is selected by its number, what is asked for, and what it came to.
    for part in [
        "  1 >? app-9hn2 P2 Which of the two greys?",
        "1: #222 | 2: #333",
        "answered",
        "blocked",
        "1 issues: label:ui",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let issue = world.bd(&["show", "app-9hn2", "--json"]).json();
    assert_eq!(issue["issue"]["priority"], 1, "{text}");
    let said = issue.to_string();
    assert!(said.contains("#222") && said.contains("so it is"), "{said}");
}

#[test]
fn a_pipe_that_says_nothing_gets_the_inbox() {
    let world = World::with_store();
    let shown = world.bd_with("", &["ui"]).ok();
    assert!(shown.contains("Nothing needs you."), "{shown}");
    // No sequence steers what is no terminal.
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn what_verbs_print_is_printed() {
    let world = world();
    let shown = world
        .bd_with(":stats -t bug\n:graph\n=\n", &["ui", "--plain"])
        .ok();
    for part in ["cycle time", "critical path", "vahagn"] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    let shown = world.bd_with("1 e\n1 y\ny\n!\n", &["ui", "--plain"]).ok();
    assert!(shown.contains("this key is for a screen"), "{shown}");
}

#[test]
fn a_line_that_is_no_key_says_so_and_changes_nothing() {
    let world = world();
    let tip = || world.git(&["rev-parse", "refs/beads/main"]).ok();
    let before = tip();
    for (line, said) in [
        ("99", "no row 99"),
        ("answer", "no key: answer"),
        ("2 A", "app-q5zt"),
        ("1 R", "no field"),
        ("1 c", "comment on app-9hn2"),
        ("?", "list what a query finds"),
        ("/ nothing:here", "nothing"),
    ] {
        let shown = world.bd_with(format!("{line}\n"), &["ui", "--plain"]).ok();
        assert!(shown.contains(said), "{line}\n{shown}");
    }
    assert_eq!(tip(), before);
}

#[test]
fn what_others_do_is_a_line_and_numbers_keep_their_issues() {
    let mut world = world();
    world.set("TERM", "dumb");
    let Some(mut screen) = start(&world, (100, 50), &[]) else {
        return;
    };
    screen.until("NEXT");
    screen.until_is("the mark of a line", |frame| {
        frame.lines().any(|line| line == ">")
    });
    // The first row goes, and those behind it move up on a screen; here they keep their numbers.
    world.bd_as("lea", &["answer", "app-9hn2", "1", "-q"]).ok();
    screen.until("6 app-9hn2 Login page flickers in dark mode");
    screen.keys("1 p 0\r");
    screen.until("no row 1 any more");
    // The row that was selected has gone: no key is for the one in its place before that is said.
    screen.keys("p 0\r");
    screen.until("another row is selected now");
    screen.keys("2 p 0\r");
    screen.until("app-q5zt: priority 0");
    screen.keys("q\r");
    assert_eq!(screen.end().code, 0);
    let issue = world.bd(&["show", "app-q5zt", "--json"]).json();
    assert_eq!(issue["issue"]["priority"], 0);
}
