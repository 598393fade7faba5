//! The jobs of a day, each with as many keys as it may take, beside the words that are typed.

use serde_json::Value;

use super::{start, world};
use crate::support::clones::{create, sync, two_clones};
use crate::support::screen::Screen;
use crate::support::{World, binary};

fn show(world: &World, id: &str) -> Value {
    world.bd(&["show", id, "--json"]).json()["issue"].clone()
}

/// Selects the row of the inbox that has a text.
#[track_caller]
fn select(screen: &mut Screen, text: &str) {
    screen.keys("gg");
    screen.until_is("the first row", |frame| {
        let first = frame.lines().nth(3);
        first.is_some_and(|line| line.starts_with('>'))
    });
    for _ in 0..30 {
        if screen.selected().is_some_and(|row| row.contains(text)) {
            return;
        }
        let before = screen.selected();
        screen.keys("j");
        screen.until_moved(before.as_deref());
    }
    panic!("no row has {text}: {}", screen.contents());
}

#[test]
fn a_question_is_answered_by_two_keys_and_taken_back_by_one() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("A1");
    screen.until("app-9hn2: answered: #222");
    let questions = |world: &World| world.bd(&["inbox", "-q"]).ok();
    assert_eq!(questions(&world), "");
    screen.keys("u");
    screen.until("undone: app-9hn2: answered: #222");
    assert_ne!(questions(&world), "");
    screen.keys("U");
    screen.until("done again: app-9hn2: answered: #222");
    assert_eq!(questions(&world), "");
    screen.keys("u");
    screen.until("undone: ");
    screen.until_is("the question", |frame| {
        frame.contains("> app-9hn2") || frame.contains("? app-9hn2")
    });
    select(&mut screen, "? app-9hn2");
    screen.keys("A");
    screen.until("answer app-9hn2:");
    // In words; what begins like an option is one.
    screen.keys("the darker one\r");
    screen.until("answered: the darker one");
    let answers = world.bd(&["show", "app-9hn2", "--json"]).stdout;
    assert!(answers.contains("the darker one"), "{answers}");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn what_an_agent_has_closed_is_accepted_or_sent_back() {
    let world = world();
    for id in ["app-3f9k", "app-x81m"] {
        world
            .bd(&[
                "--agent", "c-1", "done", id, "-r", "it works", "--force", "-q",
            ])
            .ok();
    }
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 5");
    select(&mut screen, "+ app-3f9k");
    screen.keys("Y");
    screen.until("app-3f9k: accepted");
    screen.until("NEEDS YOU 4");
    select(&mut screen, "+ app-x81m");
    screen.keys("X");
    screen.until("reopen app-x81m because:");
    screen.keys("no test\r");
    screen.until("app-x81m: open again: no test");
    assert_eq!(show(&world, "app-x81m")["status"], "open");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn what_has_landed_is_closed_with_the_subject_of_its_commit() {
    let world = world();
    let message = "Store counters\n\nCloses: app-x81m";
    world
        .git(&["commit", "-q", "--allow-empty", "-m", message])
        .ok();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 4");
    select(&mut screen, "v app-x81m");
    screen.keys("x");
    screen.until("close app-x81m because: Store counters");
    screen.keys("\r");
    screen.until("app-x81m: closed: Store counters");
    let issue = show(&world, "app-x81m");
    assert_eq!(issue["status"], "closed", "{issue}");
    assert!(issue["evidence"]["commit"].is_string(), "{issue}");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn states_priorities_people_labels_and_titles_are_changed() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    // A claim that is stale is let go.
    select(&mut screen, "~ app-b0w4");
    screen.keys("so");
    screen.until("app-b0w4: open again");
    screen.keys("3");
    screen.until("7 issues");
    screen.keys("p1");
    screen.until("app-7c2d: priority 1");
    screen.keys("r");
    screen.until("title of app-7c2d: Uploads over");
    screen.keys("\u{15}Uploads time out\r");
    screen.until("app-7c2d: title Uploads time out");
    screen.keys("a");
    screen.until("assign app-7c2d to:");
    screen.until_is("the people", |frame| {
        frame.lines().any(|line| line.trim() == "vahagn")
    });
    screen.keys("lea\r");
    screen.until("lea is new here");
    screen.keys("\r");
    screen.until("app-7c2d: assignee lea");
    screen.keys("#");
    screen.until("label app-7c2d:");
    // The first choice: a label that it has.
    screen.keys("\u{1b}[B\r");
    screen.until("app-7c2d: labels -");
    screen.keys("t");
    screen.until("type of app-7c2d:");
    screen.keys("chore\r");
    screen.until("app-7c2d: type chore");
    screen.keys("c");
    screen.until("comment on app-7c2d:");
    screen.keys("seen again today\r");
    screen.until("app-7c2d: commented: ");
    let issue = show(&world, "app-7c2d");
    assert_eq!(
        (&issue["title"], &issue["assignee"], &issue["type"]),
        (&"Uploads time out".into(), &"lea".into(), &"chore".into()),
        "{issue}"
    );
    assert_eq!(issue["labels"].as_array().map(Vec::len), Some(1), "{issue}");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn what_waits_for_a_person_is_answered_by_a_comment_in_one_commit() {
    let world = world();
    world
        .bd(&["update", "app-q5zt", "--add-label", "human"])
        .ok();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    select(&mut screen, "! app-q5zt");
    let before = world
        .bd(&["log", "-q", "--limit", "0"])
        .ok()
        .lines()
        .count();
    screen.keys("A");
    screen.until("answer app-q5zt:");
    screen.keys("the MIT one\r");
    screen.until("app-q5zt: answered: the MIT one; open again");
    let issue = show(&world, "app-q5zt");
    assert_eq!(issue["status"], "open", "{issue}");
    assert!(!issue["labels"].to_string().contains("human"), "{issue}");
    let after = world
        .bd(&["log", "-q", "--limit", "0"])
        .ok()
        .lines()
        .count();
    assert_eq!(after, before + 1);
    screen.keys("u");
    screen.until("undone: app-q5zt: answered: the MIT one");
    assert_eq!(show(&world, "app-q5zt")["status"], "blocked");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn an_issue_is_created_and_a_part_of_another() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("n");
    screen.until("new issue in repo:");
    screen.keys("Made on the screen\r");
    screen.until("created: Made on the screen");
    screen.until_is("the row of the new issue", |frame| {
        let selected = frame.lines().find(|line| line.starts_with('>'));
        selected.is_some_and(|line| line.contains("Made on the screen"))
    });
    select(&mut screen, "? app-9hn2");
    screen.keys("N");
    screen.until("new part of app-9hn2:");
    screen.keys("A part of it\r");
    screen.until("created: A part of it");
    let all = world
        .bd(&["list", "--json", "-w", "made OR part"])
        .json()
        .to_string();
    assert!(
        all.contains("Made on the screen") && all.contains("A part of it"),
        "{all}"
    );
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn what_another_changed_meanwhile_is_refused_and_what_was_typed_stays() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("3");
    screen.until("7 issues");
    screen.keys("r");
    screen.until("title of app-7c2d:");
    screen.keys("\u{15}Mine");
    screen.until("app-7c2d: Mine");
    let theirs = ["--actor", "lea", "update", "app-7c2d", "--title", "Theirs"];
    world.bd(&theirs).ok();
    screen.until(" Theirs");
    screen.keys("\r");
    // Both values are named, and what was typed is there.
    let frame = screen.until("Enter sends it all the same");
    assert!(frame.contains("Theirs"), "{frame}");
    assert_eq!(show(&world, "app-7c2d")["title"], "Theirs");
    screen.keys("\r");
    screen.until("app-7c2d: title Mine");
    assert_eq!(show(&world, "app-7c2d")["title"], "Mine");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn what_is_not_possible_is_said_with_the_key_that_helps() {
    let world = world();
    world.bd(&["done", "app-3f9k", "--force", "-q"]).ok();
    let Some(mut screen) = start(&world, (120, 30), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("/is:closed\r");
    screen.until("2 issues");
    screen.until("History");
    screen.keys("x");
    screen.until("closed: `X` reopens");
    screen.hang_up();
    assert_eq!(screen.end().code, 0);
    let mut screen = start(&world, (120, 30), &[]).unwrap();
    screen.until("NEEDS YOU 3");
    screen.keys("/is:closed\r");
    screen.until("2 issues");
    screen.until("History");
    screen.keys("A");
    screen.until("asks nothing: `c` comments");
    screen.hang_up();
    assert_eq!(screen.end().code, 0);
}

#[test]
fn a_conflict_is_settled_by_two_keys() {
    let mut world = two_clones();
    world.set("TERM", "xterm-256color");
    let id = create(&world, "a", &["Shared"]);
    sync(&world, &["a", "b"]);
    for (clone, priority) in [("a", "0"), ("b", "4")] {
        world.bd_in(clone, &["update", &id, "-p", priority]).ok();
    }
    sync(&world, &["a", "b", "a"]);
    let words = [binary(), "ui"];
    let Some(mut screen) = world.screen("a", (80, 24), &words) else {
        return;
    };
    let frame = screen.until("priority: 0 ");
    assert!(frame.contains("R resolve"), "{frame}");
    screen.keys("R");
    screen.until(&format!("priority of {id}:"));
    screen.keys("1");
    screen.until(&format!("{id}: priority settled"));
    let conflicts = world.bd_in("a", &["conflicts", "-q"]).ok();
    assert_eq!(conflicts, "");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn several_issues_are_marked_changed_and_taken_back_as_one() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("3");
    screen.until("7 issues");
    let commits = |world: &World| {
        world
            .bd(&["log", "-q", "--limit", "0"])
            .ok()
            .lines()
            .count()
    };
    let before = commits(&world);
    // Seven keys for the priority of three.
    screen.keys(" j j p2");
    screen.until("app-3f9k: priority 2");
    assert_eq!(commits(&world), before + 1);
    for id in ["app-7c2d", "app-q5zt", "app-3f9k"] {
        assert_eq!(show(&world, id)["priority"], 2, "{id}");
    }
    screen.keys("u");
    screen.until("undone: ");
    assert_eq!(show(&world, "app-7c2d")["priority"], 0);
    screen.keys("\u{1}");
    screen.until("7 issues are marked");
    screen.keys("c");
    screen.until("one issue at a time");
    screen.keys("\u{1b}");
    screen.until_is("no marks", |frame| !frame.contains('*'));
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn of_two_questions_of_an_issue_the_one_in_the_row_is_answered() {
    let world = world();
    let ask = [
        "ask",
        "app-9hn2",
        "How many retries?",
        "--option",
        "3",
        "--option",
        "10",
    ];
    world.bd(&ask).ok();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 4");
    select(&mut screen, "How many retries?");
    // The options are numbers themselves: no digit is a key.
    screen.keys("A3\r");
    screen.until("app-9hn2: answered: 3");
    let asked = world.bd(&["inbox"]).ok();
    assert!(asked.contains("Which of the two greys?"), "{asked}");
    assert!(!asked.contains("How many retries?"), "{asked}");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn a_word_that_is_new_is_taken_once_that_was_said() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("a");
    screen.until_is("the people", |frame| {
        frame.lines().any(|line| line.trim() == "vahagn")
    });
    screen.keys("vah\r");
    screen.until("vah is new here");
    // The choice that has it.
    screen.keys("\u{1b}[B\r");
    screen.until("app-9hn2: assignee vahagn");
    screen.keys("a");
    screen.until_is("the people", |frame| {
        frame.lines().any(|line| line.trim() == "vahagn")
    });
    screen.keys("zoe\r");
    screen.until("zoe is new here");
    screen.keys("\r");
    screen.until("app-9hn2: assignee zoe");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn links_are_added_and_removed() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("3");
    screen.until("7 issues");
    screen.keys("d");
    screen.until("w waits for");
    screen.keys("w");
    screen.until("app-7c2d waits for:");
    // By words of its title, of which one issue has them.
    screen.until("app-b0w4 Document the error codes");
    screen.keys("error codes\r");
    screen.until("app-7c2d: waits for app-b0w4");
    assert_eq!(show(&world, "app-7c2d")["status"], "in_progress");
    let links = |world: &World| show(world, "app-7c2d")["dependencies"].to_string();
    assert!(links(&world).contains("app-b0w4"), "{}", links(&world));
    screen.keys("dx");
    screen.until("app-7c2d no longer waits for:");
    screen.until("blocks app-b0w4");
    screen.keys("b0w4\r");
    screen.until("app-7c2d: no longer waits for app-b0w4");
    assert!(!links(&world).contains("app-b0w4"), "{}", links(&world));
    // By its id; what blocks is on the other side.
    screen.keys("dbapp-b0w4\r");
    screen.until("app-b0w4: waits for app-7c2d");
    screen.keys("dpapp-b0w4\r");
    screen.until("app-7c2d: parent app-b0w4");
    assert_eq!(show(&world, "app-7c2d")["parent"], "app-b0w4");
    screen.keys("dp\r");
    screen.until("app-7c2d: no parent");
    screen.keys("drapp-q5zt\r");
    screen.until("app-7c2d: related app-q5zt");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn what_is_deleted_comes_back_and_what_is_mine_is_so_by_one_key() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("3");
    screen.until("7 issues");
    screen.keys("D");
    screen.until("`u` brings it back");
    screen.until("6 issues");
    screen.keys("u");
    screen.until("undone: app-7c2d: deleted");
    screen.until("7 issues");
    screen.keys("gg");
    screen.until(">  app-7c2d");
    screen.keys("i");
    screen.until("app-7c2d: assignee me");
    let mine = world.bd(&["list", "-w", "assignee:me", "-q"]).ok();
    assert_ne!(mine, "");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn a_row_narrows_the_list_and_is_copied() {
    let world = world();
    world
        .bd(&["update", "app-7c2d", "--add-label", "two words"])
        .ok();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("3");
    screen.until("7 issues");
    screen.keys("f");
    let frame = screen.until("label:\"two words\"");
    let line = frame.lines().find(|line| line.contains("two words"));
    let key = line.unwrap().trim().chars().next().unwrap();
    screen.keys(&key.to_string());
    screen.until("  1 issue");
    screen.keys("fp");
    screen.until_is("the row of the new query", |frame| {
        frame.contains("label:\"two words\" priority:0") && frame.contains(">  app-7c2d")
    });
    for (key, text) in [
        ('y', "app-7c2d"),
        ('s', "git beads start app-7c2d"),
        ('c', "Closes: app-7c2d"),
        ('b', "app-7c2d-uploads-over-64-kb-time-out-behind"),
    ] {
        screen.keys("y");
        screen.until("copy of app-7c2d");
        screen.keys(&key.to_string());
        screen.until(&format!("copied: {text}"));
    }
    screen.keys("Q");
    let ended = screen.end();
    let sent = String::from_utf8_lossy(&ended.sent);
    // "app-7c2d" in base64.
    assert!(sent.contains("\u{1b}]52;c;YXBwLTdjMmQ=\u{7}"), "{sent:?}");
}

#[test]
fn an_exchange_says_what_it_has_come_to_and_where_it_fails() {
    let mut world = two_clones();
    world.set("TERM", "xterm-256color");
    let id = create(&world, "a", &["Shared"]);
    let words = [binary(), "ui"];
    let Some(mut screen) = world.screen("a", (80, 24), &words) else {
        return;
    };
    screen.until(&id);
    screen.keys("Z");
    screen.until(" sent, 0 received");
    let all = world.bd_in("b", &["sync"]).ok();
    assert!(all.contains("received"), "{all}");
    world
        .git_in("a", &["remote", "set-url", "origin", "/nowhere"])
        .ok();
    screen.keys("Z");
    screen.until("not sent: ");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}
