//! What a face without a screen asks of the state.

use super::inbox::{CHANGED, RowKey};
use super::list::Place;
use super::{LineKind, ScreenName, Selected, State};

/// A row that was printed: what is selected by its number is what was read.
#[derive(Clone, Debug)]
pub(in crate::ui) enum PlainRow {
    Inbox(RowKey),
    List(Selected),
}

impl State {
    /// Returns whether nothing is on its way, but from what has said nothing for long.
    pub(in crate::ui) fn is_settled(&self) -> bool {
        let is_waiting = |n: usize| self.repos[n].open_asks > 0 && !self.repos[n].is_silent;
        self.acting.is_empty() && !self.shown_repos().any(is_waiting)
    }

    /// Begins a line of keys: what was refused in the one before it says nothing of this one.
    pub(in crate::ui) fn begin_line(&mut self) {
        (self.refused_at, self.slipped_at) = (None, None);
    }

    /// Returns the row of each line of the body that is one.
    pub(in crate::ui) fn seen_rows(&self) -> Vec<Option<PlainRow>> {
        let lines = 0..self.body_height();
        let row = |n: usize| match self.screen {
            ScreenName::Inbox => {
                let line = self.inbox.lines.get(self.inbox.top + n)?;
                let is_row = matches!(line.kind, LineKind::Issue(_));
                line.key.clone().filter(|_| is_row).map(PlainRow::Inbox)
            }
            ScreenName::List => {
                let place = self.place(self.list.top + n)?;
                let (repo, uid) = (place.repo, self.head(place)?.uid);
                Some(PlainRow::List(Selected { repo, uid }))
            }
        };
        lines.map(row).collect()
    }

    /// Selects a row, where it is still there.
    pub(in crate::ui) fn select_row(&mut self, row: &PlainRow) -> bool {
        match (row, self.screen) {
            (PlainRow::Inbox(key), ScreenName::Inbox) => self.select_in_inbox(key),
            (PlainRow::List(issue), ScreenName::List) => {
                let rows = self.repos[issue.repo].rows.as_ref();
                let found = rows.and_then(|rows| {
                    let at = rows.heads.iter().position(|head| head.uid == issue.uid)?;
                    Some(rows.offset + at)
                });
                let Some(index) = found else { return false };
                let repo = issue.repo;
                (self.list.at, self.list.uid) = (Place { repo, index }, Some(issue.uid));
                true
            }
            _ => false,
        }
    }

    /// Returns what others have done since the user looked, in a line each.
    pub(in crate::ui) fn events(&self) -> Vec<String> {
        let lines = self.inbox.lines.iter();
        let lines = lines.filter(|line| line.key.as_ref().is_some_and(|key| key.part == CHANGED));
        let events = lines.filter_map(|line| match &line.kind {
            LineKind::Issue(row) => Some(format!("{} {} ({})", row.id, row.text, row.who)),
            _ => None,
        });
        events.collect()
    }
}
