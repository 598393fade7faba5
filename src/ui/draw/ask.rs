//! What the user is asked for, and what was said last.

use ratatui::layout::Rect;

use super::Drawing;
use super::paint::{PLAIN, columns, one_line};
use crate::text::line::line;
use crate::text::prose::wrapped;
use crate::text::style::{BOLD, YELLOW};
use crate::text::width::fit;
use crate::ui::state::{Hit, Prompt};

/// Lines of a message.
const MOST_MESSAGE: usize = 4;
/// Rows of a terminal on which a message has one line.
const LOW: u16 = 12;
/// Choices that are seen at once.
const MOST_CHOICES: usize = 10;

impl Drawing<'_> {
    /// Draws what is being typed behind a title; returns the place of the cursor.
    pub(super) fn typed(&mut self, y: u16, title: &str, prompt: &Prompt) -> Option<(u16, u16)> {
        let width = usize::from(self.buffer.area.width);
        // What is typed has the half of the line at least.
        let title = fit(title, width / 2);
        let (before, behind) = prompt.typed.parts();
        // With a sign at the end, so that spaces beside the cursor stay.
        let before = one_line(&format!("|{before}|"));
        let before = before.trim_matches('|');
        let behind = one_line(&format!("{behind}|"));
        // The end of a long one is seen: that is where it is typed.
        let room = width.saturating_sub(columns(&title) + 2).max(1);
        let (mut begin, mut used) = (before.len(), 0);
        for (at, letter) in before.char_indices().rev() {
            used += columns(letter.encode_utf8(&mut [0; 4]));
            if used > room {
                break;
            }
            begin = at;
        }
        let shown = &before[begin..];
        let mut row = self.row(y);
        row.text(&title, BOLD).text(shown, PLAIN);
        let x = columns(&title) + columns(shown);
        row.text(behind.trim_end_matches('|'), PLAIN);
        let x = u16::try_from(x.min(width.saturating_sub(1))).unwrap_or(0);
        Some((x, y))
    }

    /// Draws what is asked for, on the line of messages, and the choices over the end of the body.
    pub(super) fn prompt(&mut self, prompt: &Prompt, body: Rect, y: u16) -> Option<(u16, u16)> {
        let title = match prompt.is_palette() {
            true => " :".to_owned(),
            false => format!(" {}: ", one_line(&prompt.title)),
        };
        let cursor = self.typed(y, &title, prompt);
        let choices = prompt.shown();
        let room = usize::from(body.height).min(MOST_CHOICES);
        let at = prompt.at.unwrap_or(0);
        let first = (at + 1).saturating_sub(room);
        let shown: Vec<_> = choices.into_iter().skip(first).take(room).collect();
        let top = body.bottom() - u16::try_from(shown.len()).unwrap_or(0);
        // What went wrong stays beside what was typed.
        if !self.state.message.is_empty() && top > 0 {
            self.message(top - 1);
        }
        for (y, (n, choice)) in (top..).zip(shown.iter().enumerate()) {
            let is_chosen = prompt.at == Some(first + n);
            let style = if is_chosen { PLAIN.invert() } else { PLAIN };
            self.row(y).clear();
            let key = choice.key.map(String::from).unwrap_or_default();
            let mut row = self.row(y);
            let mark = if is_chosen { " > " } else { "   " };
            row.text(mark, BOLD).padded(&key, BOLD, 2);
            row.text(&one_line(&choice.words), style);
            self.add(
                Rect::new(body.x, y, body.width, 1),
                Hit::Choice(choice.words.clone()),
            );
        }
        cursor
    }

    /// Draws what was said last, whole, with its last line on a row.
    pub(super) fn message(&mut self, y: u16) {
        let saving = self.state.saving().unwrap_or_default();
        let message = match self.state.message.as_str() {
            "" => saving.to_owned(),
            message => one_line(message),
        };
        let width = usize::from(self.buffer.area.width).saturating_sub(2).max(1);
        let line = line![message];
        let mut lines = wrapped(&self.look, " ", &line, width);
        // On a low terminal the rows are needed more.
        let is_low = self.buffer.area.height < LOW;
        let most = if is_low { 1 } else { MOST_MESSAGE };
        lines.truncate(most.min(usize::from(y) + 1));
        let first = y + 1 - u16::try_from(lines.len()).unwrap_or(0);
        for (y, line) in (first..).zip(&lines) {
            self.row(y).clear();
            let mut row = self.row(y);
            for span in line.spans() {
                row.text(span.text(), YELLOW);
            }
        }
    }
}
