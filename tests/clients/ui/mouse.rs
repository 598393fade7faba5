//! The mouse: clicks, drags and the wheel.

use super::{start, world};
use crate::support::screen::Screen;

/// Returns what a terminal sends for a button where a text begins.
#[track_caller]
fn at(screen: &Screen, button: u8, text: &str, end: char) -> String {
    let frame = screen.contents();
    let place = (1..).zip(frame.lines()).find_map(|(y, line)| {
        let before = &line[..line.find(text)?];
        Some((before.chars().count() + 1, y))
    });
    let (x, y) = place.unwrap_or_else(|| panic!("no {text}: {frame}"));
    format!("\u{1b}[<{button};{x};{y}{end}")
}

fn click(screen: &mut Screen, text: &str) {
    let (press, release) = (at(screen, 0, text, 'M'), at(screen, 0, text, 'm'));
    screen.keys(&(press + &release));
}

#[test]
fn clicks_select_open_and_type_keys() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    click(&mut screen, "app-b0w4");
    screen.until(">~ app-b0w4");
    click(&mut screen, " 3 List");
    screen.until("[3 List]");
    screen.until("7 issues");
    click(&mut screen, "app-m6r0");
    screen.until_is("the row", |frame| {
        frame
            .lines()
            .any(|line| line.starts_with('>') && line.contains("app-m6r0"))
    });
    // The menu of the right button, and a choice of it.
    let right = at(&screen, 2, "app-3f9k", 'M');
    screen.keys(&right);
    screen.until("state of app-3f9k:");
    click(&mut screen, "start");
    screen.until("app-3f9k: in progress by Ann");
    // A line of the wheel is a row.
    let down = at(&screen, 65, "app-q5zt", 'M');
    let before = screen.selected();
    screen.keys(&down);
    screen.until_moved(before.as_deref());
    click(&mut screen, "app-7c2d");
    click(&mut screen, "app-7c2d");
    screen.until("Three customers");
    click(&mut screen, "back");
    screen.until("7 issues");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn a_card_is_dragged_and_the_head_says_what_that_does() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    screen.keys("2");
    screen.until("Ready 2");
    for (head, words) in [("Blocked", "block, asks why"), ("In progress", "  start ")] {
        let press = at(&screen, 0, "app-3f9k", 'M');
        let (drag, release) = (at(&screen, 32, head, 'M'), at(&screen, 0, head, 'm'));
        screen.keys(&(press + &drag));
        screen.until(words);
        if head == "Blocked" {
            screen.keys("\u{1b}");
            screen.until("Blocked ");
        }
        screen.keys(&release);
    }
    screen.until("app-3f9k: in progress by Ann");
    let issue = world.bd(&["show", "app-3f9k", "--json"]).json();
    assert_eq!(issue["issue"]["status"], "in_progress");
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn a_key_leaves_the_mouse_to_the_terminal_and_takes_it_again() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU 3");
    let count =
        |screen: &Screen, what: &str| String::from_utf8_lossy(&screen.sent).matches(what).count();
    assert_eq!(count(&screen, "\u{1b}[?1002h"), 1);
    screen.keys("m");
    screen.until("the mouse selects text now");
    screen.keys("m");
    screen.until("is this window's again");
    screen.keys("q");
    let ended = screen.end();
    let sent = String::from_utf8_lossy(&ended.sent);
    let count = |what: &str| sent.matches(what).count();
    assert_eq!((count("\u{1b}[?1002h"), count("\u{1b}[?1002l")), (2, 2));
}
