//! `init`: issues are kept from now on.

use super::import::line;
use crate::support::World;

const DAY: &str = "2026-01-02T00:00:00Z";

#[test]
fn the_prefix_of_new_ids_is_chosen_at_init() {
    let world = World::new();
    world.bd(&["init", "--prefix", "web-app"]).ok();
    assert!(world.create(&["T"]).starts_with("web-app-"));
}

#[test]
fn init_names_a_file_and_leaves_it() {
    let world = World::new();
    world.file("repo/.beads/issues.jsonl", line("bd-1", DAY, ""));
    let out = world.bd(&["init"]).ok();
    assert!(
        out.contains("git beads import") && out.contains(".beads/issues.jsonl"),
        "{out}"
    );
    assert_eq!(
        world.bd(&["list", "--all", "--json"]).json()["total_count"],
        0
    );
    let other = World::new();
    other.file("repo/.beads/issues.jsonl", "");
    let found = other.bd(&["init", "--json"]).json()["found"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(found.ends_with(".beads/issues.jsonl"), "{found}");
}

#[test]
fn it_answers_with_the_prefix_and_says_when_issues_are_kept_already() {
    let world = World::new();
    let answer = world.bd(&["init", "--prefix", "app", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["prefix"]),
        (&"report".into(), &"app".into())
    );
    let again = world.bd(&["init", "--json"]).json();
    assert_eq!(again["existing"], true);
}

#[test]
fn it_needs_a_repository_and_a_prefix_that_is_one() {
    let error = World::empty().bd_in("home", &["init"]).fails(128);
    assert!(error.contains("hint: "), "{error}");
    let world = World::new();
    let error = world.bd(&["init", "--prefix", "a b"]).fails(1);
    assert!(error.contains("is not a prefix"), "{error}");
    assert!(error.contains("hint: "), "{error}");
}

#[test]
fn a_terminal_is_told_once_how_to_get_manual_pages_that_are_missing() {
    const HINT: &str = "`git beads man` writes the manual pages that `git beads --help` shows";
    let world = World::new();
    let pages = world.path("home/.local/share/man");
    let read = |world: &World, args: &[&str]| {
        let shown = world.on_terminal(120, args).map(|output| output.ok());
        shown.map(|text| text.contains(HINT))
    };
    // Neither a pipe nor a caller that reads ids or JSON is told.
    assert!(!world.bd(&["init"]).ok().contains("man"));
    for other in ["-q", "--json"] {
        let Some(told) = read(&world, &["init", other]) else {
            return;
        };
        assert!(!told, "{other}");
    }
    // With pages there is nothing to say, and the line is still due once they are gone.
    world.bd(&["man", pages.to_str().unwrap()]).ok();
    assert_eq!(read(&world, &["init"]), Some(false));
    world.bd(&["man", "--remove", pages.to_str().unwrap()]).ok();
    assert_eq!(read(&world, &["init"]), Some(true));
    assert_eq!(read(&world, &["init"]), Some(false));
}
