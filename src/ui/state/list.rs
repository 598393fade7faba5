//! The list: the rows of a query, one repository after the other, of which only a window is here.

use super::{Repo, ScreenName, Selected, State};
use crate::model::Uid;
use crate::ops::scene::rows::{Rows, RowsRequest};
use crate::ui::asks::Ask;

/// Rows of a window, at least.
const WINDOW: usize = 200;

/// A row: the repository, and the place among its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::ui) struct Place {
    pub(in crate::ui) repo: usize,
    pub(in crate::ui) index: usize,
}

#[derive(Debug, Default)]
pub(in crate::ui) struct ListScreen {
    pub(in crate::ui) query: String,
    /// The row that is selected.
    pub(in crate::ui) at: Place,
    /// The issue in it; none while its window is on the way.
    pub(in crate::ui) uid: Option<Uid>,
    /// Rows above what is seen, of all repositories.
    pub(in crate::ui) top: usize,
    /// True once all repositories have said what they have, or the user has done anything here: until then the first row is
    /// selected.
    pub(super) has_begun: bool,
    /// The reason for which the query finds nothing.
    pub(in crate::ui) fault: Option<String>,
}

impl ListScreen {
    pub(super) fn begin_again(&mut self, repo: usize) {
        self.at = Place { repo, index: 0 };
        (self.uid, self.top, self.fault) = (None, 0, None);
        self.has_begun = false;
    }
}

fn total(repo: &Repo) -> usize {
    repo.rows.as_ref().map_or(0, |rows| rows.total)
}

impl State {
    /// Returns the number of all rows.
    pub(in crate::ui) fn list_total(&self) -> usize {
        self.shown_repos().map(|n| total(&self.repos[n])).sum()
    }

    /// Returns the row with a number, counted through all repositories.
    pub(in crate::ui) fn place(&self, number: usize) -> Option<Place> {
        let mut left = number;
        for repo in self.shown_repos() {
            let total = total(&self.repos[repo]);
            if left < total {
                return Some(Place { repo, index: left });
            }
            left -= total;
        }
        None
    }

    /// Returns the number of a row, counted through all repositories.
    pub(in crate::ui) fn number(&self, place: Place) -> usize {
        let before = self.shown_repos().take_while(|repo| *repo != place.repo);
        before.map(|n| total(&self.repos[n])).sum::<usize>() + place.index
    }

    /// Asks for the rows of a repository: those around a place, or those that are here.
    pub(super) fn ask_rows(&mut self, repo: usize, around: Option<usize>) {
        let known = self.repos[repo].rows.as_ref();
        // Around any row of a screen it holds all of that screen, however high that is.
        let count = WINDOW.max(2 * self.body_height());
        let offset = match around {
            Some(index) => index.saturating_sub(count / 2),
            None => known.map_or(0, |rows| rows.offset),
        };
        // A window that moves away must not be pulled back.
        let keep = self
            .list
            .uid
            .filter(|_| repo == self.list.at.repo && around.is_none() && self.list.has_begun);
        let made = self.made.as_ref().filter(|made| made.repo == repo);
        let made = made.map(|made| made.uid);
        let request = RowsRequest {
            query: self.list.query.clone(),
            offset,
            count,
            keep: made.or(keep),
        };
        let ask = self.repos[repo].rows_slot.want(request);
        self.send(repo, ask.map(Ask::Rows));
    }

    pub(super) fn take_rows(&mut self, repo: usize, request: &RowsRequest, rows: Rows) {
        if request.query != self.list.query {
            return;
        }
        // Of several repositories one may have no such label.
        let is_told = rows.total > 0 || self.list_total() == 0;
        if let Some(warning) = rows.warnings.first().filter(|_| is_told) {
            self.message = self.named(repo, warning);
        }
        let line = self.number(self.list.at).saturating_sub(self.list.top);
        let mut is_unknown = false;
        self.select_made_in_list(repo, request, &rows);
        let is_followed = repo == self.list.at.repo && self.list.has_begun;
        if let Some(uid) = self.list.uid.filter(|_| is_followed) {
            let index = self.list.at.index;
            let found = rows.heads.iter().position(|head| head.uid == uid);
            let is_inside = (rows.offset..rows.offset + rows.heads.len()).contains(&index);
            match found {
                Some(n) => self.list.at.index = rows.offset + n,
                // It has left the view: the row that is in its place now.
                None if request.keep == Some(uid) => {
                    self.list.uid = None;
                    self.slipped_at = Some(self.up);
                }
                // Selected after this was asked.
                None => is_unknown = is_inside,
            }
        }
        self.repos[repo].rows = Some(rows);
        // What is selected stays in its line of the screen, whatever came or went above it.
        self.list.top = self.number(self.list.at).saturating_sub(line);
        if is_unknown {
            self.ask_rows(repo, None);
        }
    }

    pub(super) fn go_in_list(&mut self, step: isize) {
        let last = self.list_total().saturating_sub(1);
        let number = self
            .number(self.list.at)
            .saturating_add_signed(step)
            .min(last);
        if let Some(place) = self.place(number) {
            self.list.at = place;
            self.list.uid = self.head(place).map(|head| head.uid);
            self.list.has_begun = true;
            self.slipped_at = None;
        }
    }

    /// Selects the row of an issue; returns false where it is there no more.
    pub(super) fn select_in_list(&mut self, repo: usize, uid: Uid) -> bool {
        let Some(rows) = &self.repos[repo].rows else {
            return false;
        };
        let Some(n) = rows.heads.iter().position(|head| head.uid == uid) else {
            return false;
        };
        let index = rows.offset + n;
        (self.list.at, self.list.uid) = (Place { repo, index }, Some(uid));
        self.list.has_begun = true;
        true
    }

    /// Selects the issue that the user has made, where it is among rows that were asked for with it.
    fn select_made_in_list(&mut self, repo: usize, request: &RowsRequest, rows: &Rows) {
        let is_it = |made: &mut Selected| made.repo == repo && request.keep == Some(made.uid);
        let Some(made) = self.made.take_if(is_it) else {
            return;
        };
        if let Some(n) = rows.heads.iter().position(|head| head.uid == made.uid) {
            let index = rows.offset + n;
            (self.list.at, self.list.uid) = (Place { repo, index }, Some(made.uid));
            (self.list.has_begun, self.slipped_at) = (true, Some(self.up));
        }
    }

    /// Selects the first row until all are here: repositories come in any order.
    fn begin_list(&mut self) {
        let Some(first) = self.place(0).filter(|_| !self.list.has_begun) else {
            return;
        };
        let was = self.list.uid;
        let uid = self.head(first).map(|head| head.uid);
        (self.list.at, self.list.uid) = (first, uid);
        if was.is_some() && was != uid {
            self.slipped_at = Some(self.up);
        }
        let is_whole = self
            .shown_repos()
            .all(|n| self.repos[n].has(self.repos[n].rows.as_ref()));
        self.list.has_begun = is_whole;
    }

    /// Brings the selection and the window in line with the rows that are here.
    pub(super) fn settle_list(&mut self) {
        if self.screen != ScreenName::List {
            return;
        }
        let first = self.shown_repos().next().unwrap_or(0);
        if !self.shown_repos().any(|repo| repo == self.list.at.repo) {
            self.list.begin_again(first);
        }
        let total = self.list_total();
        if total == 0 {
            (self.list.uid, self.list.top) = (None, 0);
            return;
        }
        self.begin_list();
        let number = self.number(self.list.at).min(total - 1);
        if let Some(place) = self.place(number)
            && place != self.list.at
        {
            self.list.at = place;
            self.list.uid = None;
        }
        let height = self.body_height();
        let top = self
            .list
            .top
            .min(number)
            .max((number + 1).saturating_sub(height));
        self.list.top = top.min(total.saturating_sub(height));
        if self.list.uid.is_none() {
            self.list.uid = self.head(self.list.at).map(|head| head.uid);
        }
        for number in [self.list.top, self.list.top + height - 1, number] {
            let Some(place) = self.place(number.min(total - 1)) else {
                continue;
            };
            let repo = &self.repos[place.repo];
            if self.head(place).is_none() && !repo.rows_slot.is_sent() {
                self.ask_rows(place.repo, Some(place.index));
            }
        }
    }
}
