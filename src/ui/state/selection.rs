//! Going to the row of an issue.

use super::inbox::InboxScreen;
use super::{InboxLine, LineKind, PanelKind, RowKey, ScreenName, Selected, State};

impl InboxScreen {
    /// Returns the first row of an issue.
    fn row_of(&self, issue: &Selected) -> Option<RowKey> {
        let is_row = |line: &&InboxLine| matches!(line.kind, LineKind::Issue(_));
        let mut keys = self.lines.iter().filter(is_row).flat_map(|line| &line.key);
        keys.find(|key| (key.repo, key.uid) == (issue.repo, issue.uid))
            .cloned()
    }
}

impl State {
    /// Selects the row of an issue; returns false where there is none here.
    pub(super) fn select_issue(&mut self, issue: &Selected) -> bool {
        let key = match self.screen {
            ScreenName::Inbox => self.inbox.row_of(issue),
            _ => Some(RowKey::of(issue.repo, issue.uid)),
        };
        key.is_some_and(|key| self.select_there(&key))
    }

    fn select_there(&mut self, key: &RowKey) -> bool {
        let (repo, uid) = (key.repo, key.uid);
        match self.screen {
            ScreenName::Inbox => self.select_in_inbox(key),
            ScreenName::List => self.select_in_list(repo, uid),
            ScreenName::Board => self.select_card(Some(Selected { repo, uid })),
            // Its lines are no rows.
            ScreenName::Graph | ScreenName::Log | ScreenName::Stats | ScreenName::Output => false,
        }
    }

    /// Selects the row that was drawn for an issue; returns false where there is none any more.
    pub(in crate::ui) fn select_row(&mut self, key: &RowKey) -> bool {
        if !self.select_there(key) {
            "what was there has moved meanwhile".clone_into(&mut self.message);
            return false;
        }
        self.slipped_at = None;
        if self.panel.is_open {
            self.panel.pinned = None;
            self.panel.kind = PanelKind::Issue;
            self.open_panel();
        }
        true
    }

    /// Brings the row of the issue that is open beside it, or leaves that where it has none.
    pub(super) fn show_selected(&mut self) {
        let Some(issue) = self.panel.pinned.clone() else {
            return;
        };
        let is_there = self.selected_in_rows().as_ref() == Some(&issue);
        if !is_there && !self.screen.has_output() && !self.select_issue(&issue) {
            self.leave_panel();
        }
    }
}
