//! What lies over a screen: the keys and signs, or the saved queries.

use ratatui::layout::Rect;

use super::Drawing;
use super::paint::{PLAIN, Row, one_line};
use crate::desk::keys::{KEYS, shown};
use crate::text::style::{BOLD, DIM};
use crate::ui::state::Overlay;

/// The keys and what they do, and where that begins.
const KEY_COLUMN: usize = 18;

/// A line of the list of keys and signs.
struct HelpLine {
    keys: String,
    words: &'static str,
    why: String,
}

/// The signs before rows, and what they say.
const SIGNS: [(&str, &str); 9] = [
    ("sign ?", "asks a question"),
    ("sign !", "waits for a person"),
    ("sign %", "a field was changed by two at the same time"),
    ("sign +", "an agent has closed it, or it asks for a review"),
    ("sign v", "a commit closes it, and it is open"),
    ("sign ~", "its agent has left it, or nothing happens"),
    ("sign x", "blocked"),
    ("sign >", "selected"),
    ("sign *", "marked"),
];

impl Drawing<'_> {
    pub(super) fn help(&mut self, area: Rect, top: usize) -> Option<(u16, u16)> {
        let mut lines: Vec<HelpLine> = Vec::new();
        for line in KEYS {
            let keys: Vec<String> = line.keys.iter().map(|key| shown(key)).collect();
            let why = self.state.why_not_here(line.does);
            lines.push(HelpLine {
                keys: keys.join(", "),
                words: line.words(),
                why: why
                    .map(|why| format!(" ({})", one_line(&why)))
                    .unwrap_or_default(),
            });
        }
        for own in &self.state.own_keys {
            lines.push(HelpLine {
                keys: own.key.clone(),
                words: "your own",
                why: format!(" ({})", one_line(&own.line)),
            });
        }
        for (sign, words) in SIGNS {
            lines.push(HelpLine {
                keys: sign.to_owned(),
                words,
                why: String::new(),
            });
        }
        for (y, line) in (area.top()..area.bottom()).zip(lines.iter().skip(top)) {
            let mut row = Row::new(self.buffer, self.look, area.x, y, area.width);
            row.text("   ", PLAIN)
                .padded(&line.keys, BOLD, KEY_COLUMN)
                .text(" ", PLAIN)
                .text(line.words, PLAIN)
                .text(&line.why, DIM);
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
