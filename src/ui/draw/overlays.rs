//! What lies over a screen: the keys and signs, or the saved queries.

use ratatui::layout::Rect;

use super::Drawing;
use super::paint::{PLAIN, Row, one_line};
use crate::text::style::{BOLD, DIM};
use crate::ui::state::{HelpLine, Overlay};

/// The keys and what they do, and where that begins.
const KEY_COLUMN: usize = 18;

impl Drawing<'_> {
    /// Draws the keys and signs below their title.
    pub(super) fn help(&mut self, area: Rect) -> Option<(u16, u16)> {
        let (top, seen, _) = self.state.help_seen();
        // Not in the place of all else.
        let has_title = area.height > 1;
        if has_title {
            Row::new(self.buffer, self.look, area.x, area.y, area.width)
                .text(" KEYS AND SIGNS", BOLD)
                .text("  what each does here", DIM);
        }
        let first = area.y + u16::from(has_title);
        let lines = self.state.help_lines();
        for (y, line) in (first..area.bottom()).zip(lines.iter().skip(top).take(seen)) {
            let mut row = Row::new(self.buffer, self.look, area.x, y, area.width);
            match line {
                HelpLine::Group(name) => _ = row.text(" ", PLAIN).text(name, BOLD),
                HelpLine::Key { keys, words, why } => {
                    row.text("   ", PLAIN)
                        .padded(keys, BOLD, KEY_COLUMN)
                        .text(" ", PLAIN)
                        .text(words, PLAIN);
                    if !why.is_empty() {
                        row.text(&format!(" ({})", one_line(why)), DIM);
                    }
                }
            }
        }
        Some((area.x, area.y))
    }

    pub(super) fn saved(&mut self, area: Rect) -> Option<(u16, u16)> {
        let Some(Overlay::Saved { queries, at }) = &self.state.overlay else {
            return None;
        };
        let top = (at + 1).saturating_sub(area.height.into());
        let mut place = None;
        for (y, (n, saved)) in (area.top()..area.bottom()).zip(queries.iter().enumerate().skip(top))
        {
            let mut row = Row::new(self.buffer, self.look, area.x, y, area.width);
            let (mark, style) = match n == *at {
                true => (">", PLAIN.invert()),
                false => (" ", PLAIN),
            };
            row.text(mark, BOLD).text(" @", style).padded(
                &one_line(&saved.name),
                style,
                KEY_COLUMN,
            );
            row.text(" ", style).text(&one_line(&saved.query), style);
            if n == *at {
                place = Some((area.x, y));
            }
        }
        place
    }
}
