//! The board: columns of cards, in each those of one repository after the other.

use super::target::Target;
use super::{ScreenName, Selected, State};
use crate::desk::keys::Does;
use crate::ops::act::{ActKind, Way};
use crate::ops::scene::board::{Board, BoardRequest, rank};
use crate::ops::scene::rows::Head;
use crate::ui::asks::Ask;

/// Cards of a column, of a repository; a query narrows what is longer.
const CARDS: usize = 200;
/// Columns of characters that a column has at least.
const NARROWEST: u16 = 20;
/// Lines of the body from which on there is an empty one between cards.
const ROOMY: usize = 30;

#[derive(Debug, Default)]
pub(in crate::ui) struct BoardScreen {
    /// True where its columns are no states, between which a card moves.
    pub(super) is_grouped: bool,
    pub(in crate::ui) columns: Vec<CardColumn>,
    pub(super) selected: Option<Selected>,
    /// The place of what is selected.
    pub(in crate::ui) column: usize,
    pub(in crate::ui) card: usize,
    /// Columns to the left of what is seen.
    pub(in crate::ui) left: usize,
    /// True once all repositories have said what they have, or the user has done anything here: until then the first card
    /// is selected.
    pub(super) has_begun: bool,
}

/// A column of cards.
#[derive(Debug)]
pub(in crate::ui) struct CardColumn {
    pub(in crate::ui) key: String,
    pub(in crate::ui) title: String,
    /// Number of its issues.
    pub(in crate::ui) total: usize,
    /// The first of them.
    pub(in crate::ui) cards: Vec<IssueCard>,
    /// Cards above what is seen.
    pub(in crate::ui) top: usize,
}

#[derive(Debug)]
pub(in crate::ui) struct IssueCard {
    pub(in crate::ui) of: Selected,
    pub(in crate::ui) head: Head,
}

/// Returns the key of an act in the menu of states; none of acceptance, which is not in it.
fn menu_key(act: ActKind) -> Option<&'static str> {
    Some(match act {
        ActKind::Reopen => "r",
        ActKind::Stop | ActKind::Unblock => "o",
        ActKind::Start => "s",
        ActKind::Block => "b",
        ActKind::Done => "x",
        _ => return None,
    })
}

impl BoardScreen {
    /// Returns the number of all issues on it.
    pub(in crate::ui) fn total(&self) -> usize {
        self.columns.iter().map(|column| column.total).sum()
    }

    pub(super) fn cards(&self) -> impl Iterator<Item = &IssueCard> {
        self.columns.iter().flat_map(|column| &column.cards)
    }

    /// Returns the card that is selected.
    pub(in crate::ui) fn selected_card(&self) -> Option<&IssueCard> {
        self.columns.get(self.column)?.cards.get(self.card)
    }

    /// Returns how the card that is selected moves to a column.
    pub(in crate::ui) fn way_to(&self, key: &str) -> Option<Way> {
        let from = &self.columns.get(self.column)?.key;
        Way::between(from, key).filter(|_| !self.is_grouped)
    }

    fn place_of(&self, issue: &Selected) -> Option<(usize, usize)> {
        for (n, column) in self.columns.iter().enumerate() {
            if let Some(card) = column.cards.iter().position(|card| card.of == *issue) {
                return Some((n, card));
            }
        }
        None
    }

    /// Returns the place nearest to that of the card that was selected; the first, until all are here.
    fn place_near(&self) -> Option<(usize, usize)> {
        let has_cards = |n: &usize| !self.columns[*n].cards.is_empty();
        let here = Some(self.column).filter(|n| *n < self.columns.len() && has_cards(n));
        let here = here.filter(|_| self.has_begun);
        let column = here.or_else(|| (0..self.columns.len()).find(has_cards))?;
        let last = self.columns[column].cards.len() - 1;
        let card = if here.is_some() { self.card } else { 0 };
        Some((column, card.min(last)))
    }
}

impl State {
    /// Makes the board of a query the first screen.
    pub(in crate::ui) fn begin_with_board(&mut self, query: &str) {
        (self.screen, self.first) = (ScreenName::Board, ScreenName::Board);
        query.clone_into(&mut self.list.query);
        self.refresh();
    }

    pub(super) fn ask_board(&mut self, repo: usize) {
        let request = BoardRequest {
            query: self.list.query.clone(),
            most: CARDS,
        };
        let ask = self.repos[repo].board_slot.want(request);
        self.send(repo, ask.map(Ask::Board));
    }

    pub(super) fn take_board(&mut self, repo: usize, request: &BoardRequest, board: Board) {
        if request.query != self.list.query {
            return;
        }
        if let Some(warning) = board.warnings.first() {
            self.message = self.named(repo, warning);
        }
        self.repos[repo].board = Some(board);
        self.build_board();
    }

    /// Makes the columns again, of what the repositories say.
    pub(super) fn build_board(&mut self) {
        let before = std::mem::take(&mut self.board.columns);
        let mut columns: Vec<CardColumn> = Vec::new();
        let mut is_grouped = false;
        for repo in self.shown_repos() {
            let board = self.repos[repo].board.as_ref();
            is_grouped |= board.is_some_and(|board| board.group.is_some());
            for column in self.repos[repo].board.iter().flat_map(|it| &it.columns) {
                let at = columns.iter().position(|it| it.key == column.key);
                let at = at.unwrap_or_else(|| {
                    let was = before.iter().find(|it| it.key == column.key);
                    columns.push(CardColumn {
                        key: column.key.clone(),
                        title: column.title.clone(),
                        total: 0,
                        cards: Vec::new(),
                        top: was.map_or(0, |it| it.top),
                    });
                    columns.len() - 1
                });
                columns[at].total += usize::try_from(column.total).unwrap_or(usize::MAX);
                columns[at].cards.extend(column.heads.iter().map(|head| {
                    let (uid, head) = (head.uid, head.clone());
                    let of = Selected { repo, uid };
                    IssueCard { of, head }
                }));
            }
        }
        match is_grouped {
            // What has no value is last, as in each of them.
            true => columns.sort_by_key(|it| (it.key.is_empty(), it.key.clone())),
            false => columns.sort_by_key(|column| rank(&column.key)),
        }
        (self.board.columns, self.board.is_grouped) = (columns, is_grouped);
    }

    /// Returns the columns that are seen at once.
    pub(in crate::ui) fn columns_seen(&self) -> usize {
        let room = match self.size.0 {
            0..60 => 1,
            _ => self.rows_width() / NARROWEST,
        };
        usize::from(room).min(self.board.columns.len().max(1))
    }

    /// Returns the lines of a card.
    pub(in crate::ui) fn card_height(&self) -> usize {
        4 + usize::from(self.body_height() >= ROOMY)
    }

    /// Returns the cards of a column that are seen at once; its head and the count of others have a line each.
    pub(in crate::ui) fn cards_seen(&self) -> usize {
        (self.body_height().saturating_sub(2) / self.card_height()).max(1)
    }

    /// Brings the selection and what is seen in line with the cards that are here.
    pub(super) fn settle_board(&mut self) {
        if self.screen != ScreenName::Board {
            return;
        }
        let known = self.board.selected.as_ref();
        let known = known.and_then(|issue| self.board.place_of(issue));
        let known = known.filter(|_| self.board.has_begun);
        let was = self.board.selected.take();
        let (seen, cards_seen) = (self.columns_seen(), self.cards_seen());
        let is_whole = self
            .shown_repos()
            .all(|n| self.repos[n].has(self.repos[n].board.as_ref()));
        let board = &mut self.board;
        let place = known.or_else(|| board.place_near());
        (board.column, board.card) = place.unwrap_or_default();
        board.selected = board.selected_card().map(|card| card.of.clone());
        board.has_begun |= is_whole && board.selected.is_some();
        if was.is_some() && was != board.selected {
            self.slipped_at = Some(self.up);
        }
        let most = board.columns.len().saturating_sub(seen);
        let least = (board.column + 1).saturating_sub(seen);
        board.left = board.left.min(board.column).max(least).min(most);
        for (n, column) in board.columns.iter_mut().enumerate() {
            if n == board.column {
                let least = (board.card + 1).saturating_sub(cards_seen);
                column.top = column.top.min(board.card).max(least);
            }
            column.top = column
                .top
                .min(column.cards.len().saturating_sub(cards_seen));
        }
    }

    /// Selects the card of an issue; returns false where there is none any more.
    pub(super) fn select_card(&mut self, issue: Option<Selected>) -> bool {
        let place = issue.as_ref().and_then(|it| self.board.place_of(it));
        if place.is_some() {
            (self.board.selected, self.board.has_begun) = (issue, true);
            self.slipped_at = None;
        }
        place.is_some()
    }

    /// Goes up and down in the column.
    pub(super) fn go_on_board(&mut self, step: isize) {
        let board = &self.board;
        if let Some(column) = board.columns.get(board.column) {
            let last = column.cards.len().saturating_sub(1);
            let card = board.card.saturating_add_signed(step).min(last);
            let of = column.cards.get(card).map(|card| card.of.clone());
            self.select_card(of);
        }
    }

    /// Goes to the next column with cards on a side, to the card on the same height.
    pub(super) fn go_aside(&mut self, is_right: bool) {
        let board = &self.board;
        let is_full = |n: &usize| !board.columns[*n].cards.is_empty();
        let next = match is_right {
            true => (board.column + 1..board.columns.len()).find(is_full),
            false => (0..board.column).rev().find(is_full),
        };
        let Some(next) = next.map(|n| &board.columns[n]) else {
            return;
        };
        let line = board.card.saturating_sub(board.columns[board.column].top);
        let card = (next.top + line).min(next.cards.len() - 1);
        self.select_card(Some(next.cards[card].of.clone()));
    }

    /// Moves the card that is selected by a key: to the next column on that side to which an act leads.
    pub(super) fn move_aside(&mut self, target: Target, does: Does) {
        if self.screen != ScreenName::Board {
            return self.refuse("`H` and `L` move a card of the board: `2`".to_owned());
        }
        if self.board.is_grouped {
            return self.refuse_in_groups(&target);
        }
        if self.selected_in_rows() != self.selected() {
            return self.refuse(format!("{}: it is on the board no more", target.id));
        }
        let keys = self.board.columns.iter().map(|column| column.key.clone());
        let keys: Vec<String> = keys.collect();
        let at = self.board.column;
        let is_way = |key: &&String| self.board.way_to(key).is_some();
        let to = match does {
            Does::MoveRight => keys.iter().skip(at + 1).find(is_way),
            _ => keys.iter().take(at).rev().find(is_way),
        };
        match to {
            Some(key) => self.move_card(target, key),
            None => self.refuse(format!("{}: no act leads further to that side", target.id)),
        }
    }

    fn refuse_in_groups(&mut self, target: &Target) {
        let id = &target.id;
        self.refuse(format!(
            "{id}: cards move between states, and these columns are groups"
        ));
    }

    /// Moves the card that is selected to a column: what the menu of states does, with the same questions.
    pub(super) fn move_card(&mut self, target: Target, to: &str) {
        if self.board.is_grouped {
            return self.refuse_in_groups(&target);
        }
        let Some(way) = self.board.way_to(to) else {
            return self.refuse(format!("{}: no act leads there", target.id));
        };
        let why = self.why_not(&target, way.act);
        if let Some(why) = why.filter(|_| self.count(&target) == 1) {
            return self.refuse(format!("{}: {why}", target.id));
        }
        let Some(key) = menu_key(way.act) else {
            return self.begin_act(Does::Accept);
        };
        let menu = self.state_menu(&target);
        let mut keys = menu.choices.iter().filter_map(|choice| choice.key);
        if !keys.any(|of| key.starts_with(of)) {
            return self.refuse("work is begun on one issue: Esc takes the marks off".to_owned());
        }
        self.prompt = Some(menu.of(target));
        self.answer_to_prompt(key);
    }
}
