//! What other processes change appears, and what is selected stays.

use super::{start, world};

#[test]
fn a_change_of_another_process_appears_and_the_selection_stays() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.keys("3");
    screen.until("7 issues");
    screen.keys("j");
    let is_chosen = |frame: &str| {
        frame
            .lines()
            .any(|line| line.starts_with('>') && line.contains("app-q5zt"))
    };
    screen.until_is("the second row", is_chosen);
    // Above it.
    let id = world.create(&["Appears by itself", "-p", "0"]);
    let frame = screen.until("Appears by itself");
    assert!(is_chosen(&frame), "{frame}");
    // The selected one itself.
    world
        .bd(&["update", "app-q5zt", "--title", "Renamed elsewhere"])
        .ok();
    let frame = screen.until("Renamed elsewhere");
    assert!(is_chosen(&frame), "{frame}");
    world.bd(&["done", &id]).ok();
    screen.until_is("it goes", |frame| !frame.contains("Appears by itself"));
    // It leaves the view: the one in its place is selected, and nothing else has moved.
    world.bd(&["done", "app-q5zt", "--force"]).ok();
    screen.until_is("another row", |frame| {
        !frame.contains("Renamed elsewhere") && frame.lines().any(|line| line.starts_with('>'))
    });
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn the_issue_beside_the_rows_follows() {
    let world = world();
    let Some(mut screen) = start(&world, (120, 40), &[]) else {
        return;
    };
    screen.until("History");
    world
        .bd(&["note", "app-9hn2", "--decision", "the darker one it is"])
        .ok();
    screen.until("the darker one it is");
    screen.keys("q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn a_query_lists_and_a_fault_of_it_is_said() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.keys("/label:support\r");
    let frame = screen.until("1 issue");
    assert!(
        frame.contains("app-7c2d") && !frame.contains("app-m6r0"),
        "{frame}"
    );
    screen.keys("/\u{15}labl:support\r");
    screen.until("is no key of a query");
    // What was typed is there to be mended.
    screen.keys("/");
    screen.until("/labl:support");
    screen.keys("\u{1b}");
    screen.until_is("no field", |frame| !frame.contains("/labl"));
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn saved_queries_are_offered() {
    let world = world();
    world
        .git(&["config", "beads.query.Urgent", "priority:0"])
        .ok();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.keys("*");
    screen.until("priority:0");
    screen.keys("\r");
    let frame = screen.until("1 issue");
    assert!(
        frame.contains("priority:0") && frame.contains("app-7c2d"),
        "{frame}"
    );
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn the_change_of_a_commit_is_shown_and_no_program_of_the_configuration_runs() {
    let world = world();
    let program = world.executable("harm", "#!/bin/sh\ntouch \"$HOME/harm\"\n");
    world.file("repo/a.txt", "first line\n");
    world.file("repo/.gitattributes", "*.txt diff=harm\n");
    for (key, value) in [
        ("diff.harm.command", &*program),
        ("diff.harm.textconv", &*program),
        ("diff.external", &*program),
        ("core.pager", &*program),
    ] {
        world.git(&["config", key, value]).ok();
    }
    world.git(&["add", "-A"]).ok();
    world
        .git(&["commit", "-q", "-m", "Store counters\n\nCloses: app-x81m"])
        .ok();
    let Some(mut screen) = start(&world, (120, 40), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.keys("/is:landed\r");
    screen.until("1 issue");
    screen.until("Commits");
    screen.keys("v");
    let frame = screen.until("+first line");
    assert!(
        frame.contains("a.txt") && frame.contains("Store counters"),
        "{frame}"
    );
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
    assert!(!world.path("home/harm").exists());
}

#[test]
fn a_long_patch_is_cut_and_git_is_not_waited_for() {
    let world = world();
    world.file("repo/long.txt", "a line of a long file\n".repeat(40_000));
    world.git(&["add", "-A"]).ok();
    world
        .git(&["commit", "-q", "-m", "Long\n\nCloses: app-x81m"])
        .ok();
    let Some(mut screen) = start(&world, (120, 40), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.keys("/is:landed\r");
    screen.until("Commits");
    screen.keys("v");
    screen.until("+a line of a long file");
    screen.keys("G");
    screen.until("the rest of the patch is longer");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn what_others_did_is_named_since_the_last_look() {
    let world = world();
    world.bd(&["whats-new"]).ok();
    let finding = "the counter is per key";
    world
        .bd(&["--actor", "lea", "note", "app-3f9k", "--finding", finding])
        .ok();
    let Some(mut screen) = start(&world, (120, 40), &[]) else {
        return;
    };
    let frame = screen.until("SINCE YOU LOOKED 1");
    assert!(frame.contains("found: the counter"), "{frame}");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn a_commit_that_closes_an_issue_appears() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    let message = "Store counters\n\nCloses: app-x81m";
    world
        .git(&["commit", "-q", "--allow-empty", "-m", message])
        .ok();
    screen.until("v app-x81m");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}
