//! The pager: on a terminal, as git would start it.

use crate::support::World;

/// A pager that shows that it ran.
const PAGER: &str = "sed s/^/PAGED:/";

fn world() -> World {
    let mut world = World::with_store();
    for title in ["One", "Two"] {
        world.create(&[title]);
    }
    world.set("TERM", "xterm-256color");
    world
}

/// Whether `list` ran through a pager on a terminal; none without a pty.
#[track_caller]
fn paged(world: &World, args: &[&str]) -> Option<bool> {
    let output = world.on_terminal(80, args)?;
    let text = output.ok();
    assert!(text.contains("One"), "{text}");
    Some(text.contains("PAGED:"))
}

#[track_caller]
fn is(seen: Option<bool>, wanted: bool) {
    assert!(seen.is_none_or(|seen| seen == wanted), "paged: {seen:?}");
}

#[test]
fn git_pager_is_started_for_long_answers() {
    let mut world = world();
    world.set("GIT_PAGER", PAGER);
    for args in [&["list"][..], &["search", "one"], &["log"]] {
        is(paged(&world, args), true);
    }
    let id = world
        .bd(&["list", "-q"])
        .ok()
        .lines()
        .next()
        .unwrap()
        .to_owned();
    is(paged(&world, &["show", &id]), true);
}

#[test]
fn no_pager_means_none() {
    let mut world = world();
    world.set("GIT_PAGER", PAGER);
    is(paged(&world, &["--no-pager", "list"]), false);
    is(paged(&world, &["list", "--no-pager"]), false);
    is(paged(&world, &["list", "--json"]), false);
    assert!(
        !world.bd(&["list"]).ok().contains("PAGED"),
        "a pipe has no pager"
    );
}

#[test]
fn git_no_pager_means_none() {
    let mut world = world();
    world.set("PAGER", PAGER);
    is(
        world
            .program_on_terminal(80, &["git", "--no-pager", "beads", "list"])
            .map(|o| o.ok().contains("PAGED")),
        false,
    );
}

#[test]
fn the_order_of_pagers_is_gits() {
    let mut world = world();
    world.set("PAGER", PAGER);
    is(paged(&world, &["list"]), true);
    world.git(&["config", "core.pager", "cat"]).ok();
    is(paged(&world, &["list"]), false);
    world.set("GIT_PAGER", PAGER);
    is(paged(&world, &["list"]), true);
    world.set("GIT_PAGER", "");
    is(paged(&world, &["list"]), false);
}

#[test]
fn pager_beads_is_heard() {
    let mut world = world();
    world.set("PAGER", PAGER);
    world.git(&["config", "pager.beads", "false"]).ok();
    is(paged(&world, &["list"]), false);
}

#[test]
fn a_pager_that_is_missing_hides_nothing() {
    let mut world = world();
    world.set("GIT_PAGER", "no-such-pager");
    let Some(output) = world.on_terminal(80, &["list"]) else {
        return;
    };
    assert!(!output.stdout.contains("panicked"), "{output:?}");
}

#[test]
fn where_no_pager_runs_the_answer_is_on_the_terminal() {
    let mut world = world();
    for pager in [
        "/nonexistent",
        "no-such-pager -x",
        "exit 126",
        "cat >&-; exit 127",
    ] {
        world.set("GIT_PAGER", pager);
        let Some(output) = world.on_terminal(80, &["list"]) else {
            return;
        };
        let text = output.ok();
        assert_eq!(text.matches("One").count(), 1, "{pager}: {text}");
        assert_eq!(text.matches("Two").count(), 1, "{pager}: {text}");
    }
}

#[test]
fn a_long_answer_is_whole_where_no_pager_runs() {
    let mut world = World::with_store();
    let lines: String = (0..3000)
        .map(|n| format!("Issue number {n} of many\n"))
        .collect();
    world.set("TERM", "xterm-256color");
    world.set("GIT_PAGER", "/nonexistent");
    let id = world.create(&["Long", "-d", &lines]);
    let Some(output) = world.on_terminal(80, &["show", &id]) else {
        return;
    };
    let text = output.ok();
    for n in [0, 1500, 2999] {
        let line = format!("Issue number {n} of many");
        assert_eq!(text.matches(&line).count(), 1, "{line}");
    }
}

#[test]
fn a_pager_that_leaves_early_is_no_error() {
    let mut world = world();
    world.set("GIT_PAGER", "head -1");
    let Some(output) = world.on_terminal(80, &["list"]) else {
        return;
    };
    assert_eq!(output.ok().lines().count(), 1);
}

#[test]
fn help_and_figures_are_paged() {
    let mut world = world();
    world.set("GIT_PAGER", PAGER);
    for args in [
        &["help"][..],
        &["help", "list"],
        &["list", "--help"],
        &["stats"],
    ] {
        let seen = world
            .on_terminal(80, args)
            .map(|output| output.ok().contains("PAGED:"));
        is(seen, true);
    }
    let seen = world.on_terminal(80, &["--no-pager", "help", "list"]);
    is(seen.map(|output| output.ok().contains("PAGED:")), false);
    let outside = world.on_terminal(80, &["-C", "..", "help"]);
    is(outside.map(|output| output.ok().contains("PAGED:")), true);
}
