//! `ui`, on a terminal that a test looks at.

mod board;
mod editor;
mod golden;
mod hostile;
mod jobs;
mod leave;
mod live;
mod mouse;
mod palette;
mod plain;
mod repositories;
mod speed;
mod tmux;

use crate::support::screen::Screen;
use crate::support::{World, binary};

/// A world whose repository has the issues of the demonstration, of which some need a person.
pub(super) fn world() -> World {
    let mut world = World::with_store();
    world.set("TERM", "xterm-256color");
    let sample = include_str!("../../../src/cli/demo/sample.jsonl");
    world.bd_with(sample, &["import", "-", "-q"]).ok();
    world
        .bd(&["--actor", "vahagn", "start", "app-7c2d", "-q"])
        .ok();
    let finding = "the proxy buffers 64 KB, then waits";
    world.bd(&["note", "app-7c2d", "--finding", finding]).ok();
    let ask = [
        "ask",
        "app-9hn2",
        "Which of the two greys?",
        "--option",
        "#222",
        "--option",
        "#333",
    ];
    world.bd(&[&["--actor", "vahagn"][..], &ask].concat()).ok();
    world
        .bd(&["block", "app-q5zt", "-r", "which of the two licences?"])
        .ok();
    world
}

/// Makes the editor a script, or another one than before.
fn editor(world: &mut World, lines: &str) {
    let path = world.path("editor").display().to_string();
    std::fs::write(&path, lines).unwrap();
    world.set("GIT_EDITOR", &format!("sh '{path}'"));
}

/// Starts it on a terminal of so many columns and rows.
fn start(world: &World, size: (u16, u16), args: &[&str]) -> Option<Screen> {
    world.screen("repo", size, &[&[binary(), "ui"], args].concat())
}
