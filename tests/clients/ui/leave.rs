//! However it ends, the terminal is as before.

use super::{editor, start, world};
use crate::support::events::until;
use crate::support::screen::Ended;

#[track_caller]
fn is_as_before(ended: &Ended) {
    assert!(ended.has_same_modes, "{ended:?}");
    assert!(ended.is_usual_screen, "{ended:?}");
    let sent = String::from_utf8_lossy(&ended.sent);
    // The cursor, the marks around pasted texts, the title, the mouse.
    for (on, off) in [
        ("\x1b[?25l", "\x1b[?25h"),
        ("\x1b[?2004h", "\x1b[?2004l"),
        ("\x1b[22;2t", "\x1b[23;2t"),
        ("\x1b[?1002h", "\x1b[?1002l"),
        ("\x1b[?1006h", "\x1b[?1006l"),
    ] {
        assert!(sent.rfind(off) > sent.rfind(on), "{off:?}: {sent:?}");
    }
}

#[test]
fn keys_end_it() {
    let world = world();
    for keys in ["q", "Q", "3qq", "\u{3}", "?\u{3}", "/x\u{3}\u{3}"] {
        let Some(mut screen) = start(&world, (80, 24), &[]) else {
            return;
        };
        screen.until("NEEDS YOU");
        screen.keys(keys);
        let ended = screen.end();
        assert_eq!(ended.code, 0, "{keys:?}");
        is_as_before(&ended);
    }
}

#[test]
fn signals_end_it() {
    let world = world();
    for signal in ["SIGTERM", "SIGHUP", "SIGINT"] {
        let Some(mut screen) = start(&world, (80, 24), &[]) else {
            return;
        };
        screen.until("NEEDS YOU");
        screen.signal(signal);
        let ended = screen.end();
        assert_eq!(ended.code, 0, "{signal}");
        is_as_before(&ended);
    }
}

#[test]
fn a_panic_is_read_on_the_usual_screen() {
    let mut world = world();
    world.set("PANIC_IN_UI", "1");
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.keys("j");
    let ended = screen.end();
    assert_ne!(ended.code, 0);
    is_as_before(&ended);
    assert!(ended.contents.contains("panicked"), "{ended:?}");
}

#[test]
fn a_terminal_that_has_gone_ends_it() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.hang_up();
    assert_eq!(screen.end().code, 0);
}

/// An editor that says so on the terminal, and waits for a line.
const WAITS: &str = "echo $$ >pid\necho it is open\nread line\necho \"$line\" >>\"$1\"\n";

#[test]
fn an_editor_is_interrupted_alone_and_ends_before_it() {
    let mut world = world();
    editor(&mut world, WAITS);
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.keys("e");
    screen.until("it is open");
    screen.keys("\u{3}");
    screen.until("the editor failed");
    screen.keys("e");
    screen.until("it is open");
    screen.signal("SIGTERM");
    screen.keys("\n");
    let ended = screen.end();
    assert_eq!(ended.code, 0);
    is_as_before(&ended);
}

#[test]
fn no_editor_outlives_its_terminal() {
    let mut world = world();
    editor(&mut world, WAITS);
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.keys("e");
    screen.until("it is open");
    screen.hang_up();
    assert_eq!(screen.end().code, 0);
    let pid = std::fs::read_to_string(world.path("repo/pid")).unwrap();
    until("the end of the editor", || {
        let look = world.command("repo", "kill", &["-0", pid.trim()]);
        world.run(look, None).code != 0
    });
}

#[test]
fn an_exchange_ends_with_it() {
    let world = world();
    let pid = world.path("home/pid");
    let script = format!("echo $$ >'{}'\nexec sleep 300\n", pid.display());
    let ssh = world.file("home/ssh", script);
    for (key, value) in [
        ("core.sshCommand", format!("sh '{ssh}'")),
        ("ssh.variant", "simple".to_owned()),
        ("remote.origin.url", "ssh://nowhere/repo".to_owned()),
        (
            "remote.origin.fetch",
            "+refs/heads/*:refs/remotes/origin/*".to_owned(),
        ),
    ] {
        world.git(&["config", key, &value]).ok();
    }
    for signal in ["SIGTERM", "SIGHUP"] {
        let _ = std::fs::remove_file(&pid);
        let Some(mut screen) = start(&world, (80, 24), &[]) else {
            return;
        };
        screen.until("NEEDS YOU");
        screen.keys("Z");
        until("the exchange", || {
            std::fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n'))
        });
        screen.signal(signal);
        let ended = screen.end();
        assert_eq!(ended.code, 0, "{signal}: {ended:?}");
        is_as_before(&ended);
        let pid = std::fs::read_to_string(&pid).unwrap();
        until("the end of the exchange", || {
            let look = world.command("repo", "kill", &["-0", pid.trim()]);
            world.run(look, None).code != 0
        });
    }
}
