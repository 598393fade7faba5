//! Frames as they have to be, at each size.

use super::{start, world};
use crate::docs::{root, settle};
use crate::support::tools;

const SIZES: [(u16, u16); 5] = [(24, 6), (40, 12), (80, 24), (120, 40), (200, 50)];

/// Compares a frame with the one that is kept, or writes it.
#[track_caller]
pub(super) fn compare(name: &str, (columns, rows): (u16, u16), frame: &str) {
    let file = format!("tests/fixtures/ui/{name}-{columns}x{rows}.txt");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    settle(&path, frame);
}

/// The last line of what the panel says of an issue, where it is seen.
fn has_panel(size: (u16, u16), frame: &str) -> bool {
    size.0 < 100 || frame.contains("History")
}

#[test]
fn the_inbox_is_drawn_at_each_size() {
    let world = world();
    for size in SIZES {
        let Some(mut screen) = start(&world, size, &[]) else {
            return;
        };
        let frame = screen.until_is("the inbox", |frame| {
            frame.contains("NEEDS YOU") && has_panel(size, frame)
        });
        compare("inbox", size, &frame);
        if size == (80, 24) {
            let page = include_str!("../../../docs/ui.md");
            let block = format!("```text\n{frame}```\n");
            assert!(
                page.contains(&block),
                "docs/ui.md shows another one: {frame}"
            );
        }
        assert!(screen.selected().unwrap().starts_with(">?"), "{frame}");
        screen.keys("q");
        assert_eq!(screen.end().code, 0);
    }
}

#[test]
fn the_picture_of_the_screen_is_a_frame() {
    let world = world();
    let (Some(mut screen), Some(python)) = (start(&world, (120, 30), &[]), tools::python()) else {
        return;
    };
    screen.until_is("the inbox", |frame| {
        frame.contains("NEEDS YOU") && has_panel((120, 30), frame)
    });
    let (make, to) = (root().join("docs/pictures/make"), world.path("home"));
    let args = [
        make.to_str().unwrap(),
        "screen",
        "--to",
        to.to_str().unwrap(),
    ];
    let make = world.command("home", python.to_str().unwrap(), &args);
    world.run(make, Some(screen.painted().as_bytes())).ok();
    let drawn = std::fs::read_to_string(to.join("screen.svg")).unwrap();
    settle(&root().join("docs/pictures/screen.svg"), &drawn);
    screen.keys("q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn the_list_is_drawn_at_each_size() {
    let world = world();
    for size in SIZES {
        let Some(mut screen) = start(&world, size, &[]) else {
            return;
        };
        screen.until("NEEDS YOU");
        screen.keys("3");
        let frame = screen.until_is("the list", |frame| {
            frame.contains("is:open") && frame.contains("7c2d") && has_panel(size, frame)
        });
        compare("list", size, &frame);
        screen.keys("G");
        screen.until_is("the last row", |frame| {
            let selected = frame.lines().find(|line| line.starts_with('>'));
            selected.is_some_and(|line| line.contains("app-m6r0"))
        });
        screen.keys("Q");
        assert_eq!(screen.end().code, 0);
    }
}

#[test]
fn the_board_is_drawn_at_each_size() {
    let world = world();
    for size in SIZES {
        let Some(mut screen) = start(&world, size, &[]) else {
            return;
        };
        screen.until("NEEDS YOU");
        screen.keys("2");
        let frame = screen.until_is("the board", |frame| {
            let has_panel = size.0 < 160 || frame.contains("import -: 8 created");
            // The last line of a frame comes last.
            let has_keys =
                size.0 < 60 || frame.contains("L move right") && frame.contains("q back");
            frame.contains("Ready 2") && frame.contains("3f9k") && has_panel && has_keys
        });
        compare("board", size, &frame);
        screen.keys("Q");
        assert_eq!(screen.end().code, 0);
    }
}

#[test]
fn an_issue_lies_over_the_rows_of_a_narrow_terminal() {
    let world = world();
    for size in [(40, 12), (80, 24)] {
        let Some(mut screen) = start(&world, size, &[]) else {
            return;
        };
        screen.until("NEEDS YOU");
        screen.keys("\r");
        let frame = screen.until("Login page flickers");
        compare("issue", size, &frame);
        screen.keys("\u{1b}");
        screen.until("NEEDS YOU");
        screen.keys("q");
        assert_eq!(screen.end().code, 0);
    }
}

#[test]
fn a_terminal_without_colours_or_utf_8_shows_the_same() {
    let mut world = world();
    world.set("NO_COLOR", "1");
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    let plain = screen.until("NEEDS YOU");
    assert!(!screen.is_coloured(), "{plain}");
    screen.keys("q");
    assert_eq!(screen.end().code, 0);
    let mut world = super::world();
    let mut screen = start(&world, (80, 24), &["--color", "always"]).unwrap();
    assert_eq!(screen.until("NEEDS YOU"), plain);
    assert!(screen.is_coloured(), "{plain}");
    screen.keys("q");
    assert_eq!(screen.end().code, 0);
    world.set("LC_ALL", "C");
    let mut screen = start(&world, (80, 24), &[]).unwrap();
    let ascii = screen.until("NEEDS YOU");
    assert!(ascii.is_ascii(), "{ascii}");
    assert_eq!(ascii, plain.replace('─', "-").replace('…', "~"));
    screen.keys("q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn another_size_is_another_frame_with_the_same_row() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 24), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.keys("jj");
    screen.until_is("the third row", |frame| {
        frame
            .lines()
            .any(|line| line.starts_with('>') && line.contains("app-b0w4"))
    });
    for size in [(40, 12), (120, 40), (10, 3), (1, 1), (80, 24)] {
        screen.resize(size.0, size.1);
        screen.until_is("the same row", |frame| {
            size.0 < 40
                || frame
                    .lines()
                    .any(|line| line.starts_with('>') && line.contains("b0w4"))
        });
    }
    screen.keys("q");
    assert_eq!(screen.end().code, 0);
}

#[test]
fn all_keys_are_listed() {
    let world = world();
    let Some(mut screen) = start(&world, (80, 90), &[]) else {
        return;
    };
    screen.until("NEEDS YOU");
    screen.keys("?");
    let keys = screen.until_is("the keys", |frame| {
        frame.contains("draw again") && frame.contains("Esc leave")
    });
    compare("keys", (80, 90), &keys);
    // Back, not out.
    screen.keys("q");
    screen.until("NEEDS YOU");
    screen.keys("q");
    assert_eq!(screen.end().code, 0);
}
