//! The pane of what a verb prints.

use ratatui::layout::Rect;

use super::Drawing;
use super::paint::{PLAIN, Row, columns, one_line};
use super::rows::select;
use crate::model::visible::visible;
use crate::ops::shell_quote;
use crate::text::style::{CYAN, DIM};
use crate::ui::painted::{painted, plain};

impl Drawing<'_> {
    /// Says what is shown, of which repository, and which part of it is seen.
    pub(super) fn output_line(&mut self, y: u16) {
        let state = self.state;
        let output = &state.output;
        let words: Vec<_> = output.words.iter().map(|word| shell_quote(word)).collect();
        let mut title = words.join(" ");
        let name = state.repos[output.repo].name.as_str();
        if state.only_repo() != Some(name) {
            title = format!("{name}: {title}");
        }
        let lines = output.lines.len();
        let last = lines.min(output.top + state.body_height());
        let part = match lines {
            0 if output.is_running() => "running ".to_owned(),
            _ if last - output.top < lines => format!("{}-{last} of {lines} ", output.top + 1),
            _ => String::new(),
        };
        let mut row = self.row(y);
        let room = row.left().saturating_sub(columns(&part) + 2);
        row.text(" ", PLAIN).fit(&one_line(&title), CYAN, room);
        row.right(columns(&part)).text(&part, DIM);
    }

    /// Draws the lines; returns the place of the id that is selected, else that of the first line.
    pub(super) fn output(&mut self, area: Rect) -> Option<(u16, u16)> {
        let output = &self.state.output;
        // A column at either side.
        let (x, width) = (area.x + 1, area.width.saturating_sub(2));
        let mut place = (area.x, area.y);
        let lines = output.lines.iter().enumerate().skip(output.top);
        for (y, (n, line)) in (area.top()..area.bottom()).zip(lines) {
            let mut row = Row::new(self.buffer, self.look, x, y, width);
            for (style, text) in painted(line) {
                row.text(text, style);
            }
            let Some(at) = output.at.as_ref().filter(|at| at.line == n) else {
                continue;
            };
            let text = plain(line);
            let before = columns(&visible(text.get(..at.begin).unwrap_or_default()));
            let from = x.saturating_add(u16::try_from(before).unwrap_or(u16::MAX));
            let end = from.saturating_add(u16::try_from(columns(&at.id)).unwrap_or(u16::MAX));
            let end = end.min(x + width);
            let area = Rect::new(from, y, end.saturating_sub(from), 1);
            select(self.state, self.buffer, area);
            place = (from.min(end), y);
        }
        Some(place)
    }
}
