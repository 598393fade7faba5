//! Other programs on its terminal: the editor, a shell.

use serde_json::Value;

use super::{editor, start, world};
use crate::support::events::until;
use crate::support::{World, binary};

fn show(world: &World, id: &str) -> Value {
    world.bd(&["show", id, "--json"]).json()["issue"].clone()
}

/// Replaces a text in the file of the editor, which has the terminal.
fn replaces(old: &str, new: &str) -> String {
    format!(
        "test -t 0 && test -t 1 && test -t 2 || exit 9\n\
         sed 's/{old}/{new}/' \"$1\" >\"$1.new\" && cat \"$1.new\" >\"$1\" && rm \"$1.new\"\n"
    )
}

#[test]
fn all_fields_are_edited_in_one_commit_and_taken_back_by_one_key() {
    let mut world = world();
    editor(&mut world, &replaces("^Uploads over", "Uploads above"));
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("3");
    screen.until("7 issues");
    screen.keys("e");
    screen.until("app-7c2d: edited");
    screen.until("  Uploads above");
    screen.keys("u");
    screen.until("undone: app-7c2d: edited");
    screen.until("  Uploads over");
    // Nothing saved is nothing changed.
    editor(&mut world, "");
    screen.keys("e");
    screen.until("app-7c2d: nothing to change");
    editor(&mut world, ": >\"$1\"\n");
    screen.keys("je");
    screen.until("app-q5zt: nothing to change");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn an_editor_that_fails_changes_nothing_and_what_another_has_changed_is_kept() {
    let mut world = world();
    editor(&mut world, "exit 3\n");
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("3");
    screen.until("7 issues");
    screen.keys("e");
    screen.until("the editor failed; nothing was changed");
    editor(&mut world, "kill -9 $$\n");
    screen.keys("je");
    screen.until(">x app-q5zt");
    screen.until("the editor failed; nothing was changed");
    let theirs = format!(
        "{} --actor lea update app-7c2d --title Theirs -q\n",
        binary()
    );
    editor(&mut world, &(theirs + &replaces("^Uploads over", "Mine")));
    screen.keys("ke");
    // Both values, and the place of the text.
    let frame = screen.until("text is in /");
    assert!(frame.contains("Theirs"), "{frame}");
    assert_eq!(show(&world, "app-7c2d")["title"], "Theirs");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn comments_and_parts_are_written_in_the_editor() {
    let mut world = world();
    editor(&mut world, "printf 'one\\n\\ntwo\\n' >\"$1\"\n");
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("3");
    screen.until("7 issues");
    screen.keys("C");
    screen.until("app-7c2d: noted");
    let shown = world.bd(&["show", "app-7c2d", "--json"]).stdout;
    assert!(shown.contains("one\\n\\ntwo"), "{shown}");
    editor(
        &mut world,
        "printf -- '- The first\\n- The second\\n' >\"$1\"\n",
    );
    screen.keys("P");
    screen.until("app-7c2d: split into parts");
    let parts = world.bd(&["list", "-w", "parent:app-7c2d", "-q"]).ok();
    assert_eq!(parts.lines().count(), 2, "{parts}");
    screen.keys("u");
    screen.until("undone: app-7c2d: split into parts");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn a_shell_has_the_terminal_and_the_id() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("3");
    screen.until("7 issues");
    screen.keys("!");
    screen.until_is("the usual screen", |frame| !frame.contains("7 issues"));
    screen.keys("echo \"id: $BEADS_ID\"\n");
    screen.until("id: app-7c2d");
    // It is the shell's to be interrupted.
    screen.keys("\u{3}");
    // Until then it drops what is typed.
    screen.until_is("another prompt", |frame| {
        let rest = frame.split_once("^C").map(|(_, rest)| rest);
        rest.is_some_and(|rest| !rest.trim().is_empty())
    });
    screen.keys("exit\n");
    screen.until("7 issues");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn the_screen_is_shown_in_the_browser() {
    let mut world = world();
    let run = world.path("run");
    std::fs::create_dir(&run).unwrap();
    world.set("XDG_RUNTIME_DIR", run.to_str().unwrap());
    let browser = world.path("page").display().to_string();
    for (key, value) in [
        ("web.browser", "test"),
        (
            "browser.test.cmd",
            &format!("cp -T --remove-destination $1 {browser}; : "),
        ),
    ] {
        world.git(&["config", "--global", key, value]).ok();
    }
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("/is:open\r");
    screen.until_is("the list", |frame| {
        frame.contains("[3 List]") && frame.contains("app-7c2d")
    });
    screen.keys("\r");
    screen.until("the proxy buffers 64 KB");
    screen.keys("o");
    screen.until("shown in your browser");
    let leads = "/repo/list?q=is%3Aopen&amp;issue=app-7c2d\"";
    until("the browser has it", || {
        std::fs::read_to_string(&browser).is_ok_and(|page| page.contains(leads))
    });
    let left = || std::fs::read_dir(run.join("git-beads/serve")).unwrap();
    let keys = || {
        let files = left().map(|entry| std::fs::read_to_string(entry.unwrap().path()));
        files
            .filter(|text| text.as_ref().is_ok_and(|it| it.contains("\"key\"")))
            .count()
    };
    assert_eq!(keys(), 1);
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
    assert_eq!(keys(), 0, "it has ended with the screen");
}

#[test]
fn own_keys_run_commands_of_the_user_alone() {
    let world = world();
    let set = |scope: &str, key: &str, line: &str| {
        let key = format!("beads.uiKey.{key}");
        world.git(&["config", scope, &key, line]).ok();
    };
    let line = "!echo ran $BEADS_ID $BEADS_BRANCH; test $BEADS_ID = app-7c2d";
    set("--global", "b", line);
    set("--global", "w", "!echo $BEADS_AGENT");
    set("--global", "x", "!echo never");
    // Others write that of a repository.
    set("--local", "z", "!echo never");
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("beads.uiKey.x: this key is not free");
    screen.keys("b");
    // It has failed, and is read until Enter.
    screen.until("Enter goes back");
    let shown = screen.contents();
    assert!(
        shown.contains("ran app-9hn2 app-9hn2-login-page"),
        "{shown}"
    );
    screen.keys("\n");
    screen.until("NEEDS YOU 3");
    screen.keys("w");
    screen.until("w: no $BEADS_AGENT of app-9hn2 is known here");
    screen.keys("\u{1b}");
    screen.until_is("no message", |frame| !frame.contains("is known here"));
    screen.keys("z3");
    screen.until("7 issues");
    screen.keys("b");
    screen.until_is("the usual screen", |frame| {
        frame.contains("ran app-7c2d") || frame.contains("7 issues")
    });
    screen.keys("?G");
    screen.until_is("the help", |frame| frame.contains("sign *"));
    screen.keys("kkkkkkkkkkk");
    screen.until("your own (echo ran");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn what_was_typed_and_not_sent_is_there_again() {
    let world = world();
    let typed = |screen: &mut crate::support::screen::Screen| {
        screen.until("NEEDS YOU 3");
        screen.keys("c");
        screen.until("comment on app-9hn2: seen it too");
    };
    let mut begin = start(&world, (80, 24), &[]);
    let Some(screen) = &mut begin else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("c");
    screen.until("comment on app-9hn2:");
    screen.keys("seen it");
    screen.until("comment on app-9hn2: seen it");
    screen.keys("\u{1b}");
    screen.until_is("no prompt", |frame| !frame.contains("comment on"));
    screen.keys("c");
    screen.until("what you typed before is here again");
    // A key that moves in it keeps it; a letter would begin another text.
    screen.keys("\u{1b}[C");
    screen.keys(" too");
    screen.until("comment on app-9hn2: seen it too");
    screen.keys("\u{3}\u{3}");
    assert_eq!(begin.unwrap().end().code, 0);
    let folder = world.path("repo/.git/beads");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap());
    let mut files =
        files.filter(|entry| entry.file_name().to_string_lossy().starts_with("drafts-"));
    let file = files.next().unwrap();
    let mode = std::os::unix::fs::PermissionsExt::mode(&file.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    for signal in ["SIGTERM", "SIGHUP", ""] {
        let mut screen = start(&world, (80, 24), &[]).unwrap();
        typed(&mut screen);
        match signal {
            "" => screen.hang_up(),
            signal => screen.signal(signal),
        }
        assert_eq!(screen.end().code, 0, "{signal}");
    }
    let mut screen = start(&world, (80, 24), &[]).unwrap();
    typed(&mut screen);
    screen.keys("\r");
    screen.until("app-9hn2: commented: ");
    screen.keys("c");
    screen.until("comment on app-9hn2:");
    screen.keys("Q");
    screen.until("comment on app-9hn2: Q");
    screen.keys("\u{3}\u{3}");
    assert_eq!(screen.end().code, 0);
    let kept = std::fs::read_to_string(file.path()).unwrap();
    assert_eq!(kept, "");
}
