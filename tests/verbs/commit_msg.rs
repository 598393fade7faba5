//! `commit-msg`: the line that links a commit to an issue.

use crate::support::samples::one;

#[test]
fn the_line_is_a_trailer_that_git_reads() {
    let world = one();
    let line = world.bd(&["commit-msg", "bd-a"]).ok();
    assert_eq!(line, "Bead: bd-a\n");
    assert_eq!(
        world.bd(&["commit-msg", "bd-a", "--closes"]).ok(),
        "Closes: bd-a\n"
    );
    let message = format!("Fix it\n\n{line}");
    world
        .git(&["commit", "--quiet", "--allow-empty", "-m", &message])
        .ok();
    let format = "--format=%(trailers:key=Bead,valueonly)";
    assert_eq!(world.git(&["log", "-1", format]).ok().trim(), "bd-a");
    let shown = world.bd(&["show", "bd-a"]).ok();
    assert!(shown.contains("Fix it"), "{shown}");
}

#[test]
fn its_answer_has_the_issue_and_the_trailer() {
    let world = one();
    let answer = world.bd(&["commit-msg", "bd-a", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["id"], &answer["trailer"]),
        (&"report".into(), &"bd-a".into(), &"Bead: bd-a".into())
    );
}

#[test]
fn a_branch_about_no_issue_and_an_unknown_id_are_refused() {
    let world = one();
    let error = world.bd(&["commit-msg"]).fails(2);
    assert!(error.contains("hint: git beads commit-msg ID"), "{error}");
    let error = world.bd(&["commit-msg", "bd-zz"]).fails(1);
    assert!(error.contains("bd-zz not found"), "{error}");
}
