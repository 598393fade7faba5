//! What a key costs, in what can be counted.

use super::{start, world};

/// Begins a frame.
const FRAME: &str = "\u{1b}[?2026h";

#[test]
fn a_key_is_one_frame_of_what_differs() {
    let world = world();
    let Some(mut screen) = start(&world, (200, 50), &[]) else {
        return;
    };
    screen.until("History");
    screen.keys("3");
    screen.until_is("the list", |frame| {
        frame.contains("is:open") && frame.contains("History")
    });
    screen.keys("\r");
    screen.until_is("the panel", |frame| frame.contains("q back"));
    let before = screen.sent.len();
    screen.keys("?");
    screen.until("answer the question");
    let help = screen.sent.len();
    screen.keys("j");
    screen.until("j k more, 2-");
    let one = String::from_utf8_lossy(&screen.sent[help..]).into_owned();
    assert_eq!(one.matches(FRAME).count(), 1, "{one:?}");
    let whole = String::from_utf8_lossy(&screen.sent[..before])
        .matches(FRAME)
        .count();
    assert!(whole < 12, "{whole} frames for three keys");
    // Nothing differs, nothing is sent, but for where the cursor is.
    screen.keys("\u{1b}");
    screen.until_is("no list of keys", |frame| {
        !frame.contains("answer the question")
    });
    screen.keys("Q");
    assert_eq!(screen.end().code, 0);
}
