//! The panel: the issue that is selected, or the change of a commit that it names.

use super::{ScreenName, Selected, State};
use crate::ops::scene::change::Change;
use crate::ops::scene::issue::IssueScene;
use crate::ui::asks::Ask;

/// What the panel is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::ui) enum PanelKind {
    #[default]
    Issue,
    Change,
}

/// What the panel shows.
#[derive(Clone, Debug)]
pub(in crate::ui) enum Shown {
    Issue(Box<IssueScene>),
    Change(Box<Change>),
}

/// What is asked for a panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    issue: Selected,
    kind: PanelKind,
}

#[derive(Debug, Default)]
pub(in crate::ui) struct Panel {
    /// True if the keys are its own; where there is one pane, it lies over the rows.
    pub(in crate::ui) is_open: bool,
    pub(in crate::ui) kind: PanelKind,
    /// The issue that an open one is about.
    pub(super) pinned: Option<Selected>,
    /// When an act of the user on the issue that is open was done: it is left where that takes its row away.
    pub(super) done_at: Option<u64>,
    /// Lines above what is seen.
    pub(in crate::ui) top: usize,
    pub(in crate::ui) shown: Option<Shown>,
    /// Another number for each that is shown.
    pub(in crate::ui) version: u64,
    /// What it was asked for last; none once that has changed.
    asked: Option<Wanted>,
    /// The issue that it shows.
    of: Option<Wanted>,
}

impl Panel {
    /// Notes that the issues of a repository have changed.
    pub(super) fn forget(&mut self, repo: usize) {
        if self.asked.as_ref().is_some_and(|it| it.issue.repo == repo) {
            self.asked = None;
        }
    }

    /// Notes that there is nothing to show for a question.
    pub(super) fn has_failed(&mut self, repo: usize, ask: &Ask) {
        match ask {
            // The issue itself is there.
            Ask::Change(_) => {
                self.kind = PanelKind::Issue;
                (self.is_open, self.pinned) = (false, None);
            }
            _ if self.of.as_ref().is_none_or(|of| of.issue.repo == repo) => self.shown = None,
            _ => {}
        }
    }
}

impl State {
    /// Asks for what the panel has to show, where it is seen.
    pub(super) fn settle_panel(&mut self) {
        let is_seen = self.has_two_panes() || self.panel.is_open;
        let Some(issue) = self.selected().filter(|_| is_seen) else {
            if self.selected().is_none() {
                (self.panel.shown, self.panel.of, self.panel.asked) = (None, None, None);
                (self.panel.is_open, self.panel.pinned) = (false, None);
            }
            return;
        };
        if self.panel.of.as_ref().is_some_and(|of| of.issue != issue) && !self.panel.is_open {
            self.panel.kind = PanelKind::Issue;
        }
        let wanted = Wanted {
            issue,
            kind: self.panel.kind,
        };
        if self.panel.asked.as_ref() != Some(&wanted) {
            self.panel.asked = Some(wanted.clone());
            let ask = self.repos[wanted.issue.repo].panel_slot.want(wanted);
            self.ask_panel(ask);
        }
    }

    pub(super) fn ask_panel(&mut self, wanted: Option<Wanted>) {
        let Some(Wanted { issue, kind }) = wanted else {
            return;
        };
        let ask = match kind {
            PanelKind::Issue => Ask::Issue(issue.uid),
            PanelKind::Change => Ask::Change(issue.uid),
        };
        self.send(issue.repo, Some(ask));
    }

    pub(super) fn take_panel(&mut self, repo: usize, ask: &Ask, shown: Shown) {
        let next = self.repos[repo].panel_slot.done();
        self.ask_panel(next);
        let (uid, kind) = match ask {
            Ask::Change(uid) => (*uid, PanelKind::Change),
            Ask::Issue(uid) => (*uid, PanelKind::Issue),
            _ => return,
        };
        let of = Wanted {
            issue: Selected { repo, uid },
            kind,
        };
        // One that was left meanwhile is not shown at all: what is selected is what is drawn.
        if self.selected().as_ref() != Some(&of.issue) || kind != self.panel.kind {
            return;
        }
        if self.panel.of.as_ref() != Some(&of) {
            self.panel.top = 0;
        }
        (self.panel.of, self.panel.shown) = (Some(of), Some(shown));
        self.panel.version += 1;
    }

    pub(super) fn open_panel(&mut self) {
        self.stay();
        self.panel.pinned = self.selected();
        self.panel.is_open = self.panel.pinned.is_some();
    }

    /// Opens an issue, wherever its row is.
    pub(super) fn pin(&mut self, issue: Selected) {
        self.panel.pinned = Some(issue);
        self.panel.is_open = true;
    }

    pub(in crate::ui) fn close_panel(&mut self) {
        (self.panel.is_open, self.panel.pinned) = (false, None);
        self.panel.done_at = None;
        if !self.has_two_panes() {
            self.panel.kind = PanelKind::Issue;
            self.panel.top = 0;
        }
    }

    /// Goes back to the rows, beside which the issue itself is shown again.
    pub(super) fn leave_panel(&mut self) {
        self.close_panel();
        self.panel.kind = PanelKind::Issue;
    }

    /// Leaves the issue that is open where an act of the user has taken its row away.
    pub(super) fn settle_done(&mut self) {
        // What goes later has gone by others.
        let is_done = self.panel.done_at.is_some_and(|at| self.is_fresh(at));
        // The row in its place may be on its way.
        let is_known =
            self.screen != ScreenName::List || self.list.uid.is_some() || self.list_total() == 0;
        if is_done && is_known && self.selected_in_rows() != self.panel.pinned {
            self.leave_panel();
        }
    }

    pub(super) fn show_change(&mut self) {
        let is_change = self.panel.kind == PanelKind::Change;
        self.panel.kind = match is_change {
            true => PanelKind::Issue,
            false => PanelKind::Change,
        };
        self.open_panel();
    }

    /// Returns what the panel shows, where that is of the issue that is selected.
    pub(in crate::ui) fn panel_shown(&self) -> Option<&Shown> {
        let of = self.panel.of.as_ref()?;
        let is_of_it = Some(&of.issue) == self.selected().as_ref();
        self.panel.shown.as_ref().filter(|_| is_of_it)
    }
}
