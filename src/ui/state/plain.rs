//! What a face without a screen asks of the state.

use super::inbox::CHANGED;
use super::{LineKind, State};

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
