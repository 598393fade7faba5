//! In a real terminal: tmux.

use std::cell::RefCell;

use super::{editor, world};
use crate::support::binary;
use crate::support::events::until;

#[test]
fn tmux_shows_the_frames_and_gets_its_screen_back() {
    let mut world = world();
    if !world.lend("tmux") {
        return;
    }
    let folder = world.path("").display().to_string();
    world.set("TMUX_TMPDIR", &folder);
    let tmux = |args: &[&str]| {
        let all = [&["-L", "beads", "-f", "/dev/null"], args].concat();
        world.run(world.command("repo", "tmux", &all), None)
    };
    tmux(&["new-session", "-d", "-x", "80", "-y", "24", "sh"]).ok();
    let shown = RefCell::new(String::new());
    let wait = |text: &str| {
        until(text, || {
            let screen = tmux(&["capture-pane", "-p"]).stdout;
            shown.replace(screen);
            shown.borrow().contains(text)
        });
    };
    let run = format!("echo before; {} ui; echo it has ended", binary());
    tmux(&["send-keys", &run, "Enter"]).ok();
    wait("NEEDS YOU");
    tmux(&["send-keys", "3"]).ok();
    wait("[3 List]");
    tmux(&["send-keys", "Enter"]).ok();
    wait("Uploads over 64 KB");
    for size in [("60", "15"), ("120", "40"), ("30", "8"), ("80", "24")] {
        tmux(&["resize-window", "-x", size.0, "-y", size.1]).ok();
    }
    wait("q back");
    tmux(&["send-keys", "Q"]).ok();
    wait("\nit has ended");
    assert!(shown.borrow().contains("before"), "{}", shown.borrow());
    tmux(&["kill-server"]).ok();
}

#[test]
fn an_editor_is_stopped_with_it_and_goes_on_with_it() {
    let mut world = world();
    if !world.lend("tmux") {
        return;
    }
    // As a key does that stops a job: all of its programs.
    editor(&mut world, "kill -TSTP 0\nprintf 'a comment\\n' >\"$1\"\n");
    let folder = world.path("").display().to_string();
    world.set("TMUX_TMPDIR", &folder);
    let tmux = |args: &[&str]| {
        let all = [&["-L", "beads-stop", "-f", "/dev/null"], args].concat();
        world.run(world.command("repo", "tmux", &all), None)
    };
    tmux(&["new-session", "-d", "-x", "80", "-y", "24", "sh"]).ok();
    let wait = |text: &str| {
        until(text, || tmux(&["capture-pane", "-p"]).stdout.contains(text));
    };
    let run = format!("echo before; {} ui", binary());
    tmux(&["send-keys", &run, "Enter"]).ok();
    wait("NEEDS YOU");
    tmux(&["send-keys", "C"]).ok();
    wait("Stopped");
    tmux(&["send-keys", "fg", "Enter"]).ok();
    wait(": noted");
    tmux(&["send-keys", "Q"]).ok();
    wait("before");
    tmux(&["kill-server"]).ok();
}
