//! The issue that a key is about, and what is known of it here.

use super::{ScreenName, Selected, Shown, State};
use crate::desk::acts::with_key;
use crate::desk::keys::Does;
use crate::model::Uid;
use crate::ops::act::ActKind;
use crate::ops::scene::inbox::{Need, NeedReason, OpenQuestion};
use crate::ops::scene::rows::Head;

/// The issue that an act is about.
#[derive(Clone, Debug)]
pub(in crate::ui) struct Target {
    pub(super) repo: usize,
    pub(super) uid: Uid,
    pub(super) id: String,
    /// The state that it was drawn from.
    pub(super) seen: String,
}

impl Target {
    pub(super) fn issue(&self) -> Selected {
        let (repo, uid) = (self.repo, self.uid);
        Selected { repo, uid }
    }
}

impl State {
    pub(super) fn question(&self, target: &Target) -> Option<&OpenQuestion> {
        let inbox = self.repos[target.repo].inbox.as_deref()?;
        let of_it = |open: &&OpenQuestion| open.uid == Some(target.uid);
        let mut questions = inbox.questions.iter().filter(of_it);
        // Of several the one in the row.
        let in_row = |open: &&OpenQuestion| self.inbox.is_question(&open.question.entry.id);
        questions.clone().find(in_row).or_else(|| questions.next())
    }

    /// Returns the issue that is selected, as it was drawn.
    pub(super) fn target(&self) -> Option<Target> {
        let Selected { repo, uid } = self.selected()?;
        let panel = match self.panel_shown() {
            Some(Shown::Issue(issue)) => Some((&issue.issue.summary.id, &issue.seen)),
            _ => None,
        };
        let inbox = self.repos[repo].inbox.as_deref();
        let is_of_row = self.selected_in_rows() == self.selected();
        let row = self
            .inbox
            .selected_row()
            .filter(|_| is_of_row)
            .map(|row| &row.id);
        let row = row.zip(inbox.map(|inbox| &inbox.seen));
        let head = self.head(self.list.at);
        let head = head
            .filter(|head| head.uid == uid)
            .map(|head| &head.summary.id);
        let head = head.zip(self.repos[repo].rows.as_ref().map(|rows| &rows.seen));
        let drawn = match self.screen {
            ScreenName::Inbox => row,
            ScreenName::Board => self.board_target(uid),
            ScreenName::List => head,
            // A word is no picture of an issue: that is seen once it is open.
            _ => None,
        };
        let (id, seen) = panel.or(drawn)?;
        Some(Target {
            repo,
            uid,
            id: id.clone(),
            seen: seen.clone(),
        })
    }

    /// Returns the id of the card that is selected, where it is that of an issue, and the state that it was drawn from.
    fn board_target(&self, uid: Uid) -> Option<(&String, &String)> {
        let card = self.board.selected_card().filter(|it| it.of.uid == uid)?;
        let board = self.repos[card.of.repo].board.as_ref()?;
        Some((&card.head.summary.id, &board.seen))
    }

    /// Returns what a row shows of an issue, where such a row is here.
    pub(super) fn head_of(&self, target: &Target) -> Option<&Head> {
        if let Some(Shown::Issue(issue)) = self.panel_shown()
            && let Some(head) = issue.head.as_ref().filter(|head| head.uid == target.uid)
        {
            return Some(head);
        }
        if self.screen == ScreenName::Board {
            let issue = target.issue();
            let card = self.board.cards().find(|card| card.of == issue);
            return card.map(|card| &card.head);
        }
        let rows = self.repos[target.repo].rows.as_ref()?;
        rows.heads.iter().find(|head| head.uid == target.uid)
    }

    /// Returns why a key can't do anything for what is selected, as far as that is known.
    pub(in crate::ui) fn why_not_here(&self, does: Does) -> Option<String> {
        let target = self.target()?;
        self.why_not(&target, does.act()?)
    }

    pub(super) fn why_not(&self, target: &Target, kind: ActKind) -> Option<String> {
        // What waits for a person is answered too.
        if kind == ActKind::Answer && self.need(target, NeedReason::Person).is_some() {
            return None;
        }
        let head = self.head_of(target)?;
        let why = kind.can(head, &self.actor).err()?;
        Some(with_key(&why))
    }

    pub(super) fn title_of(&self, target: &Target) -> String {
        let head = self.head_of(target).map(|head| head.summary.title.clone());
        let row = self.inbox.selected_row().map(|row| row.title.clone());
        head.or(row).unwrap_or_default()
    }

    pub(super) fn need(&self, target: &Target, reason: NeedReason) -> Option<&Need> {
        let inbox = self.repos[target.repo].inbox.as_deref()?;
        let mut needs = inbox.needs.iter();
        let is_it = |need: &&Need| need.uid == Some(target.uid) && need.reason == reason;
        // Of several conflicts the one in the row.
        let in_row = |need: &&Need| is_it(need) && self.inbox.is_selected(need);
        needs.clone().find(in_row).or_else(|| needs.find(is_it))
    }
}
