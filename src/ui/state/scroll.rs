//! Which lines of the inbox are seen.

use super::{LineKind, State};

impl State {
    pub(super) fn scroll_inbox(&mut self) {
        let height = self.body_height();
        let inbox = &mut self.inbox;
        // What is said below a row is seen with it, and the heading above the first row.
        let last = (inbox.line + 1..inbox.lines.len())
            .take_while(|line| matches!(inbox.lines[*line].kind, LineKind::Below(_)))
            .last();
        let last = last.unwrap_or(inbox.line);
        let first = match (0..inbox.line).any(|line| inbox.is_row(line)) {
            true => inbox.line,
            false => 0,
        };
        // Behind the last row comes what can't be selected.
        let is_last = !(inbox.line + 1..inbox.lines.len()).any(|line| inbox.is_row(line));
        let last = if is_last {
            inbox.lines.len().saturating_sub(1)
        } else {
            last
        };
        let least = (last + 1).saturating_sub(height).min(inbox.line);
        let top = inbox.top.max(least).min(first.max(least)).min(inbox.line);
        let most = inbox.lines.len().saturating_sub(height).max(least);
        let top = top.min(most);
        // It begins with a row and not with what is said below one, with that row if it fits.
        let is_below = |line: &usize| matches!(inbox.lines[*line].kind, LineKind::Below(_));
        let mut row = top;
        while row > 0 && is_below(&row) {
            row -= 1;
        }
        let is_seen = last < row + height;
        let next = (top..inbox.line).find(|line| !is_below(line));
        inbox.top = if is_seen {
            row
        } else {
            next.unwrap_or(inbox.line)
        };
    }
}
