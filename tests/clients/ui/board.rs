//! The board: cards are selected, and moved by keys.

use serde_json::Value;

use super::{start, world};
use crate::support::screen::Screen;
use crate::support::{World, binary};

fn show(world: &World, id: &str) -> Value {
    world.bd(&["show", id, "--json"]).json()["issue"].clone()
}

/// Starts it with the board, whose first card of what is ready is selected.
fn start_board(world: &World, size: (u16, u16)) -> Option<Screen> {
    let mut screen = start(world, size, &[])?;
    screen.until("NEEDS YOU 3");
    screen.keys("2");
    screen.until("Ready 2");
    Some(screen)
}

/// Returns the place in its line at which the card of an issue begins, if it is selected.
fn selected_at(frame: &str, id: &str) -> Option<usize> {
    let mut lines = frame.lines();
    let card = format!("> {id} ");
    lines.find_map(|line| Some(line[..line.find(&card)?].chars().count()))
}

#[test]
fn a_card_is_moved_by_one_key_and_its_selection_with_it() {
    let world = world();
    let Some(mut screen) = start_board(&world, (80, 24)) else {
        return;
    };
    let first = selected_at(&screen.contents(), "app-3f9k");
    assert_eq!(first, Some(0), "{}", screen.contents());
    screen.keys("L");
    screen.until("app-3f9k: in progress by Ann");
    assert_eq!(show(&world, "app-3f9k")["status"], "in_progress");
    let frame = screen.until_is("the card in the second column", |frame| {
        selected_at(frame, "app-3f9k") == Some(20)
    });
    assert!(frame.contains("Ready 1"), "{frame}");
    screen.keys("L");
    screen.until("app-3f9k blocked, because:");
    screen.keys("no key yet\r");
    screen.until("app-3f9k: blocked: no key yet");
    screen.until_is("the third column", |frame| {
        selected_at(frame, "app-3f9k") == Some(40)
    });
    screen.keys("u");
    screen.until("undone: app-3f9k: blocked");
    screen.until_is("the second column", |frame| {
        selected_at(frame, "app-3f9k") == Some(20)
    });
    screen.keys("H");
    screen.until("app-3f9k: open again");
    assert_eq!(show(&world, "app-3f9k")["status"], "open");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn a_card_is_closed_by_a_move_and_brought_back() {
    let world = world();
    let Some(mut screen) = start_board(&world, (80, 24)) else {
        return;
    };
    // To what is blocked: what is not blocked by a person is not unblocked.
    screen.keys("ll");
    screen.until_is("a blocked card", |frame| {
        frame
            .lines()
            .any(|line| line.get(40..).is_some_and(|it| it.starts_with('>')))
    });
    screen.keys("L");
    screen.until("because:");
    screen.keys("it is enough\r");
    let frame = screen.until(": closed: it is enough");
    let said = frame
        .lines()
        .find(|line| line.contains(": closed: "))
        .unwrap();
    let id = said.trim().split(':').next().unwrap().to_owned();
    screen.until_is("the last column", |frame| {
        selected_at(frame, &id) == Some(60)
    });
    assert_eq!(show(&world, &id)["status"], "closed");
    screen.keys("H");
    screen.until(&format!("reopen {id} because:"));
    screen.keys("\r");
    screen.until(&format!("{id}: open again"));
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn three_cards_get_a_priority_by_seven_keys() {
    let world = world();
    let ids = [1, 2, 3].map(|n| world.create(&[&format!("Card {n}"), "-p", "0"]));
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("2");
    screen.until("Ready 5");
    let log = |world: &World| {
        world
            .bd(&["log", "-q", "--limit", "0"])
            .ok()
            .lines()
            .count()
    };
    let before = log(&world);
    screen.keys(" j j p1");
    screen.until("priority 1");
    assert_eq!(log(&world), before + 1);
    for id in ids {
        assert_eq!(show(&world, &id)["priority"], 1, "{id}");
    }
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn the_card_stays_selected_whatever_another_process_changes() {
    let world = world();
    let Some(mut screen) = start_board(&world, (80, 24)) else {
        return;
    };
    world.create(&["Appears by itself", "-p", "0"]);
    let frame = screen.until("Appears by");
    assert_eq!(selected_at(&frame, "app-3f9k"), Some(0), "{frame}");
    // To another column.
    world
        .bd(&["--actor", "lea", "start", "app-3f9k", "-q"])
        .ok();
    let frame = screen.until_is("the second column", |frame| {
        selected_at(frame, "app-3f9k") == Some(20)
    });
    assert!(frame.contains("@lea"), "{frame}");
    screen.keys("\r");
    screen.until("History");
    screen.keys("\u{1b}");
    screen.until("In progress 3");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn a_query_narrows_the_board_and_the_issue_is_read_beside_it() {
    let world = world();
    let Some(mut screen) = start_board(&world, (120, 40)) else {
        return;
    };
    screen.keys("/label:support\r");
    let frame = screen.until_is("one issue", |frame| frame.contains(" 1 issue\n"));
    assert!(
        frame.contains("[2 Board]") && frame.contains("Ready 0"),
        "{frame}"
    );
    screen.keys("\r");
    let frame = screen.until("History");
    assert!(frame.contains("In progress 1"), "{frame}");
    screen.keys("q");
    screen.until_is("the whole board", |frame| !frame.contains("History"));
    screen.keys("/\u{15}labl:support\r");
    screen.until("is no key of a query");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn a_board_that_is_watched_is_this_one() {
    let world = world();
    let watch = [
        binary(),
        "board",
        "--watch",
        "-l",
        "api",
        "-w",
        "sort:title",
    ];
    let Some(mut screen) = world.screen("repo", (100, 30), &watch) else {
        return;
    };
    let frame = screen.until("app-3f9k");
    assert!(
        frame.contains("[2 Board]") && frame.contains("label:\"api\" sort:title"),
        "{frame}"
    );
    world.bd(&["create", "A new one", "-l", "api", "-q"]).ok();
    screen.until("A new one");
    // Its first screen is the board: back from another leads there, and back from there out.
    screen.keys("1");
    screen.until("[1 Inbox]");
    screen.keys("q");
    screen.until("[2 Board]");
    screen.keys("q");
    assert_eq!(screen.end().code, 0);
}
