//! Several repositories at once.

use super::world;
use crate::support::{World, binary};

/// Adds a repository with an issue, and lists both and one that is gone.
fn three() -> World {
    let world = world();
    world.git_in(".", &["init", "-q", "other"]).ok();
    world.bd_in("other", &["init"]).ok();
    world
        .bd_in("other", &["create", "Something elsewhere", "-p", "1"])
        .ok();
    for folder in ["repo", "other", "gone"] {
        let path = world.path(folder).display().to_string();
        world
            .git(&["config", "--global", "--add", "beads.repository", &path])
            .ok();
    }
    world
}

#[test]
fn all_repositories_are_shown_and_one_that_is_gone_says_so() {
    let world = three();
    let words = [binary(), "ui", "--all"];
    let Some(mut screen) = world.screen("repo", (100, 30), &words) else {
        return;
    };
    let frame = screen.until_is("all", |frame| {
        frame.contains("NOT READ") && frame.contains("other")
    });
    assert!(
        frame.contains("all 3 repositories") && frame.contains("1 not read"),
        "{frame}"
    );
    assert!(frame.contains("no folder is there"), "{frame}");
    // The rows of the list, one repository after the other.
    screen.keys("3");
    // All of them: what follows goes to the last.
    let frame = screen.until("8 issues");
    assert!(frame.contains("7c2d"), "{frame}");
    screen.keys("G");
    screen.until_is("the last one", |frame| {
        frame
            .lines()
            .any(|line| line.starts_with('>') && line.contains("Something"))
    });
    // A change there appears, too.
    world
        .bd_in("other", &["create", "Another one", "-p", "2"])
        .ok();
    screen.until("Another one");
    screen.keys("0");
    let frame = screen.until_is("this one", |frame| !frame.contains("Something elsewhere"));
    assert!(!frame.contains("all 3"), "{frame}");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn outside_of_a_repository_all_are_shown() {
    let world = three();
    let words = [binary(), "ui"];
    let Some(mut screen) = world.screen("home", (80, 24), &words) else {
        return;
    };
    screen.until("all 3 repositories");
    screen.keys("q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn without_a_repository_it_says_how_one_is_listed() {
    let mut world = World::empty();
    world.set("TERM", "xterm-256color");
    let words = [binary(), "ui"];
    let Some(output) = world.conversation("home", (24, 80), &words, &[]) else {
        return;
    };
    assert_ne!(output.code, 0);
    assert!(output.stdout.contains("beads.repository"), "{output:?}");
}

#[test]
fn a_repository_without_issues_says_how_to_begin() {
    let mut world = World::new();
    world.set("TERM", "xterm-256color");
    let words = [binary(), "ui"];
    let Some(mut screen) = world.screen("repo", (100, 24), &words) else {
        return;
    };
    screen.until("init");
    screen.keys("q");
    assert_eq!(screen.end().code, 0);
    let refs = world.git(&["for-each-ref"]).ok();
    assert_eq!(refs, "", "nothing is written there");
}

#[test]
fn one_that_could_not_be_read_comes_back_when_something_moves() {
    let world = world();
    world.git_in(".", &["init", "-q", "other"]).ok();
    for folder in ["repo", "other"] {
        let path = world.path(folder).display().to_string();
        world
            .git(&["config", "--global", "--add", "beads.repository", &path])
            .ok();
    }
    let words = [binary(), "ui", "--all"];
    let Some(mut screen) = world.screen("repo", (100, 30), &words) else {
        return;
    };
    screen.until("NOT READ 1");
    world.bd_in("other", &["init"]).ok();
    world
        .bd_in("other", &["create", "It is there now", "-p", "0"])
        .ok();
    // At most once a second it is tried again, whenever there is a reason to look.
    for n in 0.. {
        world.create(&[&format!("Moves {n}")]);
        let moves = format!("{} ready", n + 2);
        let frame = screen.until_is("it moves", |frame| {
            frame.contains(&moves) || frame.contains("It is there now")
        });
        if frame.contains("It is there now") {
            break;
        }
    }
    screen.until_is("all read", |frame| !frame.contains("NOT READ"));
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn a_repository_that_was_removed_is_not_begun_again() {
    let world = three();
    let words = [binary(), "ui", "--all"];
    let Some(mut screen) = world.screen("repo", (100, 40), &words) else {
        return;
    };
    screen.until("Something elsewhere");
    screen.keys("/something\r");
    screen.until(" 1 issue\n");
    screen.keys("cis it there?");
    screen.until("is it there?");
    std::fs::remove_dir_all(world.path("other")).unwrap();
    screen.keys("\r");
    // What was typed is still there.
    // Wherever the line of the message is wrapped.
    let frame = screen.until_is("it is refused", |frame| {
        let words: Vec<&str> = frame.split_whitespace().collect();
        words
            .join(" ")
            .contains("Enter sends it all the same, Esc leaves")
    });
    assert!(frame.contains("is it there?"), "{frame}");
    assert!(!world.path("other").exists());
    screen.hang_up();
    screen.end();
}
