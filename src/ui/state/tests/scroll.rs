//! Which lines of the inbox are seen.

use super::super::{InboxLine, LineKind};
use super::*;

#[test]
fn the_inbox_begins_with_a_row_and_not_below_one() {
    let mut town = Town::new(false, [0, 4, 0]);
    town.settle();
    let line = town.state.inbox.lines.iter().find(|it| it.key.is_some());
    let row = line.unwrap().clone();
    let below = InboxLine {
        key: row.key.clone(),
        kind: LineKind::Below("more of it".to_owned()),
    };
    // Rows of one line to three, from wherever it was scrolled to.
    let lines = (0..40).flat_map(|n| {
        let row = std::iter::once(row.clone());
        row.chain(std::iter::repeat_n(below.clone(), n % 3))
    });
    town.state.inbox.lines = lines.collect();
    for height in [7, 9, 24] {
        town.state.resize((80, height));
        for line in 0..town.state.inbox.lines.len() {
            for top in 0..town.state.inbox.lines.len() {
                let inbox = &mut town.state.inbox;
                if !inbox.is_row(line) {
                    continue;
                }
                (inbox.line, inbox.top) = (line, top);
                town.state.scroll_inbox();
                let body = town.state.body_height();
                let inbox = &town.state.inbox;
                let seen = inbox.top..inbox.top + body;
                assert!(inbox.is_row(inbox.top), "{height} {line} {top}");
                assert!(seen.contains(&line), "{height} {line} {top}");
                let end = (line + 1..inbox.lines.len()).find(|n| inbox.is_row(*n));
                let end = end.unwrap_or(inbox.lines.len());
                assert!(end <= seen.end || inbox.top == line, "{height} {line}");
            }
        }
    }
}
