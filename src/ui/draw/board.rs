//! The columns of the board, and their cards.

use anstyle::Style;
use ratatui::layout::Rect;

use super::Drawing;
use super::paint::{PLAIN, Row, columns, one_line};
use super::rows::{nothing, select, sign, sign_style, tail};
use crate::model::time;
use crate::text::line::{Line, line};
use crate::text::prose::wrapped;
use crate::text::style::{BOLD, CYAN, DIM, GREEN, RED, priority_style, status_style};
use crate::ui::state::{CardColumn, Hit, IssueCard, RowKey};

/// What is before the text of a card.
const INDENT: &str = "  ";

impl Drawing<'_> {
    /// Draws the columns that are seen; returns the place of the card that is selected.
    pub(super) fn board(&mut self, area: Rect) -> Option<(u16, u16)> {
        let (state, board) = (self.state, &self.state.board);
        if state.parts().is_tiny {
            self.card_head(area, board.selected_card()?, true);
            select(state, self.buffer, area);
            return Some((area.x, area.y));
        }
        let seen = state.columns_seen();
        let width = area.width / u16::try_from(seen).unwrap_or(1);
        let mut place = None;
        let shown = board.columns.iter().enumerate().skip(board.left).take(seen);
        for (x, (n, column)) in (area.x..).step_by(width.max(1).into()).zip(shown) {
            // With a gap behind it.
            let at = Rect::new(x, area.y, width.saturating_sub(1), area.height);
            self.column_head(at, n, column);
            self.add(at, Hit::Column(column.key.clone()));
            place = self.cards(at, n, column).or(place);
        }
        if board.total() == 0 {
            let mut repos = state.shown_repos();
            let is_asked = repos.all(|n| state.repos[n].board.is_some());
            let below = Rect::new(area.x, area.y + 1, area.width, 1);
            nothing(self, below, is_asked);
        }
        place
    }

    /// Draws what a column is called, or what a card that is let go over it does; and whether there are others beside it.
    fn column_head(&mut self, area: Rect, n: usize, column: &CardColumn) {
        let (state, board) = (self.state, &self.state.board);
        let is_over = state.pointer.over.as_ref() == Some(&column.key) && n != board.column;
        let is_last = n + 1 == board.left + state.columns_seen();
        let (text, style) = match board.way_to(&column.key) {
            Some(way) if is_over => (way.words.to_owned(), BOLD.invert()),
            None if is_over => ("not by an act".to_owned(), BOLD.invert()),
            _ => {
                let text = format!("{} {}", one_line(&column.title), column.total);
                (text, status_style(&column.key).bold())
            }
        };
        let before = if n == board.left && n > 0 {
            "< "
        } else {
            INDENT
        };
        let is_more = is_last && n + 1 < board.columns.len();
        let mut row = Row::new(self.buffer, self.look, area.x, area.y, area.width);
        row.text(before, BOLD);
        let room = row.left().saturating_sub(2);
        row.padded(&text, style, room);
        row.text(if is_more { " >" } else { "" }, BOLD);
    }

    /// Draws the cards of a column below its head, and how many come behind them.
    fn cards(&mut self, area: Rect, n: usize, column: &CardColumn) -> Option<(u16, u16)> {
        let state = self.state;
        let (height, seen) = (state.card_height(), state.cards_seen());
        let mut place = None;
        let shown = column.cards.iter().enumerate().skip(column.top).take(seen);
        let mut end = area.y + 1;
        for (y, (at, card)) in (end..area.bottom()).step_by(height).zip(shown) {
            end = y + u16::try_from(height).unwrap_or(0);
            // The last line of a high one is empty.
            let card_area = Rect::new(area.x, y, area.width, (area.bottom() - y).min(4));
            let is_selected = (n, at) == (state.board.column, state.board.card)
                && state.selected_in_rows() == state.selected();
            self.card(card_area, card, is_selected);
            self.add(card_area, Hit::Row(RowKey::of(card.of.repo, card.of.uid)));
            if is_selected {
                select(state, self.buffer, card_area);
                place = Some((area.x, y));
            }
        }
        let below = column.total.saturating_sub(column.top + seen);
        if below > 0 && end < area.bottom() {
            let mut row = Row::new(self.buffer, self.look, area.x, end, area.width);
            row.text(&format!("{INDENT}+{below} more"), DIM);
        }
        place
    }

    /// Draws a card: id, priority and age; two lines of its title; what else there is to say.
    fn card(&mut self, area: Rect, card: &IssueCard, is_selected: bool) {
        let state = self.state;
        let first = Rect { height: 1, ..area };
        self.card_head(first, card, is_selected);
        let width = usize::from(area.width).saturating_sub(INDENT.len());
        let title = line![one_line(&card.head.summary.title)];
        let title = wrapped(&self.look, "", &title, width.max(1));
        let text = |line: &Line| -> String {
            let text: String = line.spans().map(|span| span.text().to_owned()).collect();
            text.trim().to_owned()
        };
        // The second line is cut where there is more.
        let rest: Vec<String> = title.iter().skip(1).map(text).collect();
        let title = [title.first().map(text).unwrap_or_default(), rest.join(" ")];
        for (y, text) in (area.y + 1..area.bottom()).zip(title) {
            let mut row = Row::new(self.buffer, self.look, area.x, y, area.width);
            row.text(INDENT, PLAIN).text(&text, PLAIN);
        }
        if area.height > 3 {
            let mut row = Row::new(self.buffer, self.look, area.x, area.y + 3, area.width);
            row.text(INDENT, PLAIN);
            if state.only_repo().is_none() {
                let name = one_line(&state.repos[card.of.repo].name);
                row.text(&name, CYAN).text(" ", PLAIN);
            }
            for (text, style) in details(card, row.left()) {
                row.text(&text, style).text(" ", PLAIN);
            }
        }
    }

    /// Draws the first line of a card; it is the only one where there is no room for others.
    fn card_head(&mut self, area: Rect, card: &IssueCard, is_selected: bool) {
        let (state, summary) = (self.state, &card.head.summary);
        let is_marked = state.is_marked(card.of.repo, card.of.uid);
        let sign = match sign(&card.head) {
            _ if is_marked => '*',
            // Its column says that.
            'x' => ' ',
            sign => sign,
        };
        let priority = format!(" P{}", summary.priority);
        let age = summary.updated_at.map(|at| time::ago(at.0, state.now));
        let age = age.unwrap_or_default();
        let mut row = Row::new(self.buffer, self.look, area.x, area.y, area.width);
        row.text(if is_selected { ">" } else { " " }, BOLD)
            .text(&sign.to_string(), sign_style(sign));
        let room = row.left().saturating_sub(columns(&priority));
        row.fit(&short(&summary.id, room), BOLD, room)
            .text(&priority, priority_style(summary.priority));
        if row.left() > columns(&age) {
            row.right(columns(&age)).text(&age, DIM);
        }
    }
}

/// Returns an id without the prefix of its repository where there is no room for it whole.
fn short(id: &str, room: usize) -> String {
    let whole = one_line(id);
    match columns(&whole) > room {
        true => one_line(tail(id)),
        false => whole,
    }
}

/// Returns what else there is to say of a card.
fn details(card: &IssueCard, room: usize) -> Vec<(String, Style)> {
    let head = &card.head;
    let mut details = Vec::new();
    if let Some(blocker) = head.blockers.first() {
        let others = match head.blocker_count {
            0 | 1 => String::new(),
            n => format!(" +{}", n - 1),
        };
        let room = room.saturating_sub(others.len() + 3);
        details.push((format!("<- {}{others}", short(&blocker.id, room)), RED));
    }
    if let Some(holder) = head.summary.holder() {
        details.push((format!("@{}", one_line(&holder)), CYAN));
    }
    if head.children > 0 {
        let done = head.children - head.open_children;
        details.push((format!("{done}/{}", head.children), DIM));
    }
    if let Some([checked, all]) = head.criteria {
        details.push((format!("[{checked}/{all}]"), DIM));
    }
    if head.unblocks > 0 && head.summary.status != "closed" {
        details.push((format!("unblocks {}", head.unblocks), GREEN));
    }
    details
}
