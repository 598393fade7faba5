//! The palette, and the pane of what a verb prints.

use super::golden::compare;
use super::{start, world};
use crate::support::events::until;
use crate::support::screen::Screen;
use crate::support::{World, binary};

/// Types a line into the palette, and takes the first choice once it is there.
#[track_caller]
fn choose(screen: &mut Screen, line: &str, choice: &str) {
    screen.keys(&format!(":{line}"));
    let chosen = format!(" >   {choice}");
    screen.until_is(choice, |frame| {
        frame.lines().any(|line| line.starts_with(&chosen))
    });
    screen.keys("\r");
}

#[test]
fn the_palette_finds_acts_issues_queries_and_repositories() {
    let world = world();
    world
        .git(&["config", "beads.query.docs", "label:docs"])
        .ok();
    world.git_in(".", &["init", "-q", "other"]).ok();
    world.bd_in("other", &["init"]).ok();
    world
        .bd_in("other", &["create", "Something elsewhere"])
        .ok();
    let path = world.path("other").display().to_string();
    world
        .git(&["config", "--global", "--add", "beads.repository", &path])
        .ok();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.keys(":");
    let frame = screen.until("open the issue (Enter)");
    compare("palette", (80, 24), &frame);
    screen.keys("\u{1b}");
    screen.until_is("no palette", |frame| {
        !frame.contains("open the issue (Enter)")
    });
    choose(&mut screen, "or remove", "add or remove a label (#)");
    screen.until("label app-9hn2:");
    screen.keys("\u{1b}");
    screen.until_is("no prompt", |frame| !frame.contains("label app-9hn2:"));
    choose(
        &mut screen,
        "store count",
        "app-x81m Store counters in Redis",
    );
    screen.until("by mara");
    // It is as open as any: keys are for it.
    screen.keys("p");
    screen.until("priority of app-x81m");
    screen.keys("\u{1b}\u{1b}");
    screen.until("NEEDS YOU");
    choose(&mut screen, "@docs", "query @docs: label:docs");
    screen.until(" label:docs");
    choose(&mut screen, "repository other", "repository other");
    screen.until("No issue matches");
    screen.keys("1");
    screen.until("Something elsewhere");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn a_verb_is_run_and_what_it_changes_is_followed() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &["--actor", "Cleo"]) else {
        return;
    };
    screen.until("NEEDS YOU");
    choose(&mut screen, "list -l docs", "run: list -l docs");
    let frame = screen.until("app-m6r0");
    assert!(!frame.contains("NEEDS YOU"), "{frame}");
    // An id of the output is an issue.
    screen.keys("\t");
    screen.until("Enter open  Tab next id");
    screen.keys("\r");
    screen.until("Move the docs to the new site\n");
    screen.until("History");
    screen.keys("\u{1b}");
    screen.until("list -l docs");
    screen.keys("\u{1b}");
    screen.until("NEEDS YOU");
    // In the name of who acts here.
    choose(
        &mut screen,
        "create \'Made by a line\' -p 0 -t bug",
        "run: create",
    );
    screen.until("Made by a line\n");
    screen.keys("\u{1b}");
    screen.until(" P0 Made by a line");
    let made = world.bd(&["list", "-w", "title:made", "--json"]).json();
    assert_eq!(made["issues"][0]["created_by"], "Cleo", "{made}");
    // A screen follows what others do.
    screen.keys("5");
    screen.until("[5 Log]");
    world
        .bd(&["note", "app-9hn2", "--finding", "by another process"])
        .ok();
    screen.until("a finding on app-9hn2 \"by another");
    screen.keys("6");
    let before = screen.until("opened, ");
    world.create(&["Counted"]);
    screen.until_is("another number", |frame| {
        frame.contains("opened, ") && frame.lines().nth(3) != before.lines().nth(3)
    });
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn what_others_did_and_who_does_it_is_a_key_away() {
    let world = world();
    world
        .bd_as("vahagn", &["note", "app-7c2d", "--finding", "64 KB"])
        .ok();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.keys("=");
    screen.until("changed in the last 7 days");
    screen.keys("\u{1b}");
    screen.until("NEEDS YOU");
    screen.keys("=");
    screen.until("nothing new since you last looked");
    screen.keys("\u{1b}");
    screen.until("NEEDS YOU");
    screen.keys("F");
    screen.until("no one works on");
    // What follows at once is left out.
    screen.keys("\u{1b}");
    screen.until_is("no message", |frame| !frame.contains("no one works on"));
    choose(&mut screen, "app-7c2d", "app-7c2d Uploads");
    screen.until("Uploads over 64 KB time out behind the proxy\n");
    screen.keys("F");
    screen.until("log --author=vahagn");
    screen.until("a finding on app-7c2d \"64 KB");
    screen.keys("T");
    screen.until("list --at DATE");
    screen.keys("\u{1b}");
    screen.until("NEEDS YOU");
    screen.keys(":edit app-7c2d\r");
    screen.until("`edit` needs a terminal of its own");
    screen.keys("\u{1b}");
    screen.until_is("no message", |frame| !frame.contains("of its own"));
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn the_screens_of_verbs_are_drawn() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.keys("4");
    screen.until("graph app-9hn2");
    // Of all where none is selected.
    screen.keys("4");
    let frame = screen.until("critical path");
    compare("graph", (80, 24), &frame);
    screen.keys("]");
    let frame = screen.until_is("the log", |frame| {
        frame.contains("[5 Log]") && frame.contains("init")
    });
    compare("log", (80, 24), &without_commits(&frame));
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
    let mut screen = start(&world, (120, 40), &[]).unwrap();
    screen.until("NEEDS YOU");
    screen.keys("[");
    let frame = screen.until("reopened: ");
    compare("stats", (120, 40), &frame);
    screen.keys("q");
    screen.until("NEEDS YOU");
    screen.keys("q");
    assert_eq!(screen.end().code, 0);
}

/// Returns a log without the ids of its commits, which another version of the program makes others.
fn without_commits(frame: &str) -> String {
    let mut lines = String::new();
    for line in frame.lines() {
        let begin = line.get(1..11).unwrap_or_default();
        let is_commit = begin.len() == 10 && begin.chars().all(|c| c.is_ascii_hexdigit());
        let line = if is_commit {
            line.replacen(begin, "0123456789", 1)
        } else {
            line.to_owned()
        };
        lines.push_str(&format!("{line}\n"));
    }
    lines
}

#[test]
fn what_a_verb_prints_steers_nothing() {
    const HOSTILE: &str = "a\u{1b}[31mb\u{1b}]0;stolen\u{7}c\u{9b}31md\u{202e}e\u{1b}[?1049lf";
    let mut world = World::with_store();
    world.set("TERM", "xterm-256color");
    let line = serde_json::json!({
        "id": "x-1", "title": HOSTILE, "description": HOSTILE, "labels": [HOSTILE], "assignee": HOSTILE, "status": "open",
    });
    world.bd_with(format!("{line}\n"), &["import", "-"]).ok();
    let words = [binary(), "ui"];
    let Some(mut screen) = world.screen("repo", (80, 24), &words) else {
        return;
    };
    screen.until("x-1");
    for verb in [
        "list",
        "show x-1",
        "graph --all",
        "people",
        "export",
        "log -p",
    ] {
        screen.keys(&format!(":{verb}\r"));
        screen.until_is(verb, |frame| {
            frame
                .lines()
                .nth(1)
                .is_some_and(|line| line.starts_with(&format!(" {verb}")))
                && frame
                    .lines()
                    .skip(3)
                    .any(|line| line.contains("\\u{1b}[3") || line.contains("\\u001b"))
        });
        screen.keys("\u{1b}");
        screen.until("1 Inbox]");
    }
    screen.keys("Q");
    let ended = screen.end();
    assert_eq!(ended.code, 0);
    let sent = String::from_utf8(ended.sent).unwrap();
    assert!(!sent.contains("\u{1b}]0;stolen"), "{sent:?}");
    assert_eq!(sent.matches("\u{1b}[?1049l").count(), 1, "{sent:?}");
    assert!(!sent.contains(['\u{9b}', '\u{202e}']), "{sent:?}");
}

#[test]
fn an_output_without_an_end_is_cut() {
    let mut world = World::with_store();
    world.set("TERM", "xterm-256color");
    let text = "a line of a text that is long\n".repeat(8_000);
    let mut lines = String::new();
    for n in 0..45 {
        let line = serde_json::json!({"id": format!("x-{n}"), "title": "long", "description": text, "status": "open"});
        lines.push_str(&format!("{line}\n"));
    }
    world.bd_with(lines, &["import", "-", "-q"]).ok();
    let words = [binary(), "ui"];
    let Some(mut screen) = world.screen("repo", (80, 24), &words) else {
        return;
    };
    screen.until("x-1");
    screen.keys(":export\r");
    screen.until("{\"");
    screen.keys("G");
    screen.until("more bytes were printed");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

/// Returns whether a process runs that has a word in its command line.
fn runs(word: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap();
    let lines = processes.filter_map(|process| {
        let process = process.unwrap().path();
        let state = std::fs::read_to_string(process.join("stat")).ok()?;
        let is_ended = state.contains(") Z ");
        let line = std::fs::read(process.join("cmdline")).ok()?;
        (!is_ended).then(|| String::from_utf8_lossy(&line).into_owned())
    });
    lines.into_iter().any(|line| line.contains(word))
}

#[test]
fn a_verb_that_never_ends_is_ended_with_its_pane() {
    let world = world();
    let pipe = world.path("never-written");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
    let name = pipe.display().to_string();
    for end in [
        "\u{1b}", "3", ":stats\r", "Q", "\u{3}", "SIGTERM", "hang up",
    ] {
        let Some(mut screen) = start(&world, (80, 24), &[]) else {
            return;
        };
        screen.until("NEEDS YOU");
        screen.keys(&format!(":import {name}\r"));
        screen.until("running");
        until("the verb", || runs(&name));
        match end {
            "SIGTERM" => screen.signal(end),
            "hang up" => screen.hang_up(),
            keys => screen.keys(keys),
        }
        until("its end", || !runs(&name));
        if ["\u{1b}", "3", ":stats\r"].contains(&end) {
            screen.keys("Q");
        }
        assert_eq!(screen.end().code, 0, "{end:?}");
    }
}
