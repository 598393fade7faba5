//! The one way in which a text comes into a frame: on one line, cut to its room, and with nothing that steers a terminal.

use anstyle::{AnsiColor, Color, Effects, Style};
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use ratatui::text::Span;
use unicode_width::UnicodeWidthStr;

use crate::model::visible::visible;
use crate::text::line::Line;
use crate::text::style::BOLD;
use crate::ui::Look;

pub(super) const PLAIN: Style = Style::new();

/// Returns the style of a cell.
fn drawn(style: Style, look: Look) -> ratatui::style::Style {
    const EFFECTS: [(Effects, Modifier); 6] = [
        (Effects::BOLD, Modifier::BOLD),
        (Effects::DIMMED, Modifier::DIM),
        (Effects::ITALIC, Modifier::ITALIC),
        (Effects::UNDERLINE, Modifier::UNDERLINED),
        (Effects::INVERT, Modifier::REVERSED),
        (Effects::STRIKETHROUGH, Modifier::CROSSED_OUT),
    ];
    let mut drawn = ratatui::style::Style::new();
    for (effect, modifier) in EFFECTS {
        if style.get_effects().contains(effect) {
            drawn = drawn.add_modifier(modifier);
        }
    }
    let colour = match style.get_fg_color() {
        Some(Color::Ansi(AnsiColor::Red)) => ratatui::style::Color::Red,
        Some(Color::Ansi(AnsiColor::Green)) => ratatui::style::Color::Green,
        Some(Color::Ansi(AnsiColor::Yellow)) => ratatui::style::Color::Yellow,
        Some(Color::Ansi(AnsiColor::Magenta)) => ratatui::style::Color::Magenta,
        Some(Color::Ansi(AnsiColor::Cyan)) => ratatui::style::Color::Cyan,
        _ => return drawn,
    };
    if look.is_coloured {
        drawn.fg(colour)
    } else {
        drawn
    }
}

/// Makes one line of another person's text, harmless.
pub(in crate::ui) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    visible(&words.join(" "))
}

/// Returns the columns of a text as it is drawn.
pub(super) fn columns(text: &str) -> usize {
    text.width()
}

/// A line of a frame that is written from left to right.
pub(super) struct Row<'b> {
    buffer: &'b mut Buffer,
    look: Look,
    x: u16,
    end: u16,
    y: u16,
}

impl<'b> Row<'b> {
    pub(super) fn new(buffer: &'b mut Buffer, look: Look, x: u16, y: u16, width: u16) -> Self {
        let end = (x + width).min(buffer.area.width);
        Self {
            buffer,
            look,
            x,
            end,
            y,
        }
    }

    /// Returns the column that is written next.
    pub(super) fn at(&self) -> u16 {
        self.x
    }

    /// Returns the columns that are left.
    pub(super) fn left(&self) -> usize {
        usize::from(self.end.saturating_sub(self.x))
    }

    /// Writes a text, cut to what is left.
    pub(super) fn text(&mut self, text: &str, style: Style) -> &mut Self {
        self.fit(text, style, usize::MAX)
    }

    /// Writes a text in so many columns at most.
    pub(super) fn fit(&mut self, text: &str, style: Style, most: usize) -> &mut Self {
        let room = self.left().min(most);
        let text = visible(text).replace(['\n', '\t'], " ");
        let is_cut = text.width() > room;
        let room = room - usize::from(is_cut && room > 0);
        let style = drawn(style, self.look);
        let span = Span::raw(&text);
        let mut used = 0;
        for cluster in span.styled_graphemes(ratatui::style::Style::new()) {
            let columns = cluster.symbol.width();
            if used + columns > room {
                break;
            }
            if columns > 0 {
                self.cell(cluster.symbol, columns, style);
                used += columns;
            }
        }
        if is_cut && self.left() > 0 {
            self.cell("…", 1, style);
        }
        self
    }

    /// Writes a text and spaces behind it, so many columns in all.
    pub(super) fn padded(&mut self, text: &str, style: Style, width: usize) -> &mut Self {
        let begin = self.x;
        self.fit(text, style, width);
        let used = usize::from(self.x - begin);
        let left = u16::try_from(width.saturating_sub(used)).unwrap_or(u16::MAX);
        self.x = self.x.saturating_add(left).min(self.end);
        self
    }

    /// Goes on so that a text of so many columns ends with the line.
    pub(super) fn right(&mut self, columns: usize) -> &mut Self {
        let columns = u16::try_from(columns).unwrap_or(u16::MAX);
        self.x = self.x.max(self.end.saturating_sub(columns));
        self
    }

    /// Takes away what is on the line, and how it was written.
    pub(super) fn clear(&mut self) {
        for x in self.x..self.end {
            if let Some(cell) = self.buffer.cell_mut((x, self.y)) {
                cell.reset();
            }
        }
    }

    /// Writes a key and what it does.
    pub(super) fn key(&mut self, key: &str, words: &str) {
        self.text(key, BOLD)
            .text(" ", PLAIN)
            .text(words, PLAIN)
            .text("  ", PLAIN);
    }

    /// Writes the spans of a line.
    pub(super) fn line(&mut self, line: &Line) {
        for span in line.spans() {
            self.text(span.text(), span.look().style);
        }
    }

    fn cell(&mut self, symbol: &str, columns: usize, style: ratatui::style::Style) {
        // The signs of our own that not every terminal has.
        let symbol = match symbol {
            "…" if !self.look.is_utf8 => "~",
            "─" if !self.look.is_utf8 => "-",
            "│" if !self.look.is_utf8 => "|",
            _ => symbol,
        };
        let Some(cell) = self.buffer.cell_mut((self.x, self.y)) else {
            return;
        };
        cell.set_symbol(symbol).set_style(style);
        self.x += u16::try_from(columns).unwrap_or(1);
    }
}
