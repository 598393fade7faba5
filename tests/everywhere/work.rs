//! One clone: the verbs of a day, and what is refused.

use std::thread;

use super::{Place, run};

#[test]
fn issues_are_created_worked_on_and_closed() {
    let place = Place::with_store();
    let [login, write] =
        ["Fix the login", "Write it down"].map(|title| place.create("repo", title));
    place.bd("repo", &["dep", "add", &write, &login]).ok();
    let ready = place.bd("repo", &["ready", "--json"]).json();
    assert_eq!(ready["issues"].as_array().unwrap().len(), 1);
    place.bd("repo", &["start", &login]).ok();
    place
        .bd("repo", &["note", &login, "--finding", "naïve ✓"])
        .ok();
    let shown = place.bd("repo", &["show", &login]).ok();
    assert!(shown.contains("naïve ✓"), "{shown}");
    place.bd("repo", &["done", &login, "-r", "found it"]).ok();
    let ready = place.bd("repo", &["ready", "-q"]).ok();
    assert_eq!(ready, write);
    assert_eq!(place.titles("repo"), ["Fix the login", "Write it down"]);
    let log = place.bd("repo", &["log"]).ok();
    assert!(log.contains("Ann"), "{log}");
    place.is_sound("repo");
}

#[test]
fn a_text_with_line_ends_of_any_system_is_kept() {
    let place = Place::with_store();
    let text = "one\r\ntwo\n\u{feff}three";
    let create = place.program("repo", &["create", "-q", "lines", "-F", "-"]);
    let id = run(create, text).ok();
    let shown = place.bd("repo", &["show", &id, "--json"]).json();
    assert_eq!(shown["issue"]["description"], text);
}

#[test]
fn what_is_wrong_is_refused_with_a_hint() {
    let place = Place::with_store();
    for (folder, args, code) in [
        ("repo", &["show", "bd-none"][..], 1),
        ("repo", &["no-such-verb"], 2),
        ("repo", &["update", "--no-such-option"], 2),
        ("home", &["list"], 128),
        ("repo", &["import", "no-such-file.jsonl"], 1),
    ] {
        let said = place.bd(folder, args).fails(code);
        assert!(
            said.contains("error: ") && said.contains("hint: "),
            "{said}"
        );
        assert!(!said.contains(r"\\?\"), "{said}");
    }
    let fresh = Place::new();
    fresh.bd("repo", &["list"]).fails(4);
    fresh.bd("repo", &["init"]).ok();
    assert_eq!(fresh.titles("repo").len(), 0);
}

/// Each prints a path: none that other programs can't read.
#[test]
fn paths_are_shown_as_other_programs_take_them() {
    let place = Place::new();
    for args in [
        &["init"][..],
        &["status"],
        &["doctor"],
        &["hooks", "status"],
    ] {
        let said = place.bd("repo", args);
        assert!(!said.stdout.contains(r"\\?\"), "{said:?}");
        said.ok();
    }
    let here = place.path("repo").display().to_string();
    place.bd(".", &["-C", &here, "create", "elsewhere"]).ok();
    place
        .git("repo", &["worktree", "add", "-q", "../other"])
        .ok();
    assert_eq!(place.titles("other"), ["elsewhere"]);
}

/// All at once: what one of them holds, the others wait for.
#[test]
fn many_writers_lose_nothing() {
    const EACH: usize = 5;
    let place = Place::with_store();
    thread::scope(|scope| {
        for writer in 0..4 {
            let place = &place;
            scope.spawn(move || {
                for n in 0..EACH {
                    place.create("repo", &format!("{writer} {n}"));
                    place.bd("repo", &["list"]).ok();
                }
            });
        }
    });
    assert_eq!(place.titles("repo").len(), 4 * EACH);
    place.is_sound("repo");
}
