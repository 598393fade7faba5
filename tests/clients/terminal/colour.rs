//! Colours: on a terminal and not in a pipe, unless somebody says otherwise.

use crate::support::{Output, World};

fn world() -> World {
    let mut world = World::with_store();
    world.create(&["Urgent", "-p", "0"]);
    world.set("TERM", "xterm-256color");
    world
}

fn coloured(output: &Output) -> bool {
    output.stdout.contains("\u{1b}[")
}

/// Whether `list` is coloured on a terminal; none without a pty.
fn on_terminal(world: &World, args: &[&str]) -> Option<bool> {
    let output = world.on_terminal(80, &[&["--no-pager", "list"], args].concat())?;
    assert!(output.stdout.contains("Urgent"), "{output:?}");
    Some(coloured(&output))
}

/// The same through git, which hands on its configuration.
fn through_git(world: &World, config: &str) -> Option<bool> {
    world
        .program_on_terminal(80, &["git", "-c", config, "beads", "--no-pager", "list"])
        .map(|output| coloured(&output))
}

fn in_pipe(world: &World, args: &[&str]) -> bool {
    coloured(&world.bd(&[&["list"], args].concat()))
}

/// Holds where there is a terminal to look at.
#[track_caller]
fn is(seen: Option<bool>, wanted: bool) {
    assert!(seen.is_none_or(|seen| seen == wanted), "coloured: {seen:?}");
}

#[test]
fn a_terminal_gets_colours_and_a_pipe_none() {
    let world = world();
    is(on_terminal(&world, &[]), true);
    assert!(!in_pipe(&world, &[]));
}

#[test]
fn every_sequence_of_ours_reaches_the_terminal() {
    let world = world();
    let Some(output) = world.on_terminal(80, &["--no-pager", "list"]) else {
        return;
    };
    assert!(
        output.stdout.contains("\u{1b}[1m\u{1b}[31mP0"),
        "the most urgent are bold and red: {output:?}"
    );
}

#[test]
fn the_option_decides() {
    let mut world = world();
    world.set("NO_COLOR", "1");
    assert!(in_pipe(&world, &["--color", "always"]));
    assert!(!in_pipe(&world, &["--color", "auto"]));
    is(on_terminal(&world, &["--color", "always"]), true);
    is(on_terminal(&world, &["--color", "never"]), false);
}

#[test]
fn no_color_is_heard() {
    let mut world = world();
    world.set("NO_COLOR", "1");
    is(on_terminal(&world, &[]), false);
}

#[test]
fn an_empty_no_color_says_nothing() {
    let mut world = world();
    world.set("NO_COLOR", "");
    is(on_terminal(&world, &[]), true);
}

#[test]
fn clicolor_force_is_heard() {
    let mut world = world();
    world.set("CLICOLOR_FORCE", "1");
    assert!(in_pipe(&world, &[]));
    assert!(!in_pipe(&world, &["--color", "never"]));
    let mut world = self::world();
    world.set("CLICOLOR_FORCE", "0");
    assert!(!in_pipe(&world, &[]));
}

#[test]
fn a_dumb_terminal_gets_none() {
    let mut world = world();
    world.set("TERM", "dumb");
    is(on_terminal(&world, &[]), false);
    is(on_terminal(&world, &["--color", "always"]), true);
}

#[test]
fn the_configuration_is_heard() {
    let world = world();
    assert!(coloured(&world.git(&[
        "-c",
        "color.beads=always",
        "beads",
        "list"
    ])));
    assert!(coloured(&world.git(&[
        "-c",
        "color.ui=always",
        "beads",
        "list"
    ])));
    assert!(!coloured(&world.git(&[
        "-c",
        "color.ui=true",
        "beads",
        "list"
    ])));
    for config in [
        "color.beads=never",
        "color.beads=false",
        "color.ui=never",
        "color.ui=false",
    ] {
        is(through_git(&world, config), false);
    }
    is(through_git(&world, "color.ui=auto"), true);
}

#[test]
fn color_beads_is_nearer_than_color_ui() {
    let world = world();
    world.git(&["config", "color.ui", "always"]).ok();
    assert!(!coloured(&world.git(&[
        "-c",
        "color.beads=never",
        "beads",
        "list"
    ])));
    assert!(coloured(&world.git(&[
        "-c",
        "color.beads=always",
        "-c",
        "color.ui=never",
        "beads",
        "list"
    ])));
}

#[test]
fn json_and_ids_are_never_coloured() {
    let world = world();
    assert!(!in_pipe(&world, &["--color", "always", "--json"]));
    assert!(!in_pipe(&world, &["--color", "always", "-q"]));
}

#[test]
fn help_obeys_too() {
    let mut world = world();
    assert!(!coloured(&world.bd(&["--help"])));
    world.set("NO_COLOR", "1");
    is(
        world
            .on_terminal(80, &["--help"])
            .map(|output| coloured(&output)),
        false,
    );
    is(
        world
            .on_terminal(80, &["help", "list", "--color", "never"])
            .map(|output| coloured(&output)),
        false,
    );
}

#[test]
fn a_colour_that_is_bold_too_arrives() {
    let Some(shown) = world().on_terminal(80, &["--no-pager", "list"]) else {
        return;
    };
    assert!(
        shown.stdout.contains("\u{1b}[1m\u{1b}[31mP0\u{1b}[0m"),
        "{shown:?}"
    );
}
