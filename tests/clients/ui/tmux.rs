//! In a real terminal: tmux.

use std::cell::RefCell;

use super::world;
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
