//! The issues that are marked: an act on several is one commit, and is undone as one.

use super::target::Target;
use super::{LineKind, ScreenName, Selected, State};
use crate::desk::keys::Does;

impl State {
    /// Marks issues, or takes the mark off one.
    pub(super) fn mark(&mut self, does: Does) {
        let rows = self.rows_in_order();
        let Some(selected) = self.selected() else {
            return;
        };
        self.stay();
        let at = |of: &Selected| rows.iter().position(|row| row == of);
        let chosen: Vec<Selected> = match does {
            Does::MarkAll => rows
                .iter()
                .filter(|row| row.repo == selected.repo)
                .cloned()
                .collect(),
            Does::MarkRange => {
                let last = self.marks.last().and_then(at);
                let (Some(from), Some(to)) = (last, at(&selected)) else {
                    "a range goes from the last mark to here: Space marks"
                        .clone_into(&mut self.message);
                    return;
                };
                rows[from.min(to)..=from.max(to)].to_vec()
            }
            _ if self.marks.contains(&selected) => {
                self.marks.retain(|mark| *mark != selected);
                return;
            }
            _ => vec![selected],
        };
        for issue in chosen {
            // One commit is of one repository.
            if self.marks.iter().any(|mark| mark.repo != issue.repo) {
                "the marks are in another repository: Esc takes them off"
                    .clone_into(&mut self.message);
                return;
            }
            if !self.marks.contains(&issue) {
                self.marks.push(issue);
            }
        }
        self.message = match self.marks.len() {
            1 => "1 issue is marked".to_owned(),
            n => format!("{n} issues are marked"),
        };
    }

    /// Returns the issues on the screen, each once, from the top down.
    fn rows_in_order(&self) -> Vec<Selected> {
        let mut rows: Vec<Selected> = Vec::new();
        match self.screen {
            ScreenName::Inbox => {
                for line in &self.inbox.lines {
                    if let (LineKind::Issue(_), Some(key)) = (&line.kind, &line.key) {
                        let (repo, uid) = (key.repo, key.uid);
                        let row = Selected { repo, uid };
                        if !rows.contains(&row) {
                            rows.push(row);
                        }
                    }
                }
            }
            // Of one column: what is done there is of another kind.
            ScreenName::Board => {
                let column = self.board.columns.get(self.board.column);
                let cards = column.iter().flat_map(|column| &column.cards);
                rows.extend(cards.map(|card| card.of.clone()));
            }
            ScreenName::Graph | ScreenName::Log | ScreenName::Stats | ScreenName::Output => {}
            ScreenName::List => {
                for repo in self.shown_repos() {
                    let heads = self.repos[repo].rows.iter().flat_map(|rows| &rows.heads);
                    rows.extend(heads.map(|head| Selected {
                        repo,
                        uid: head.uid,
                    }));
                }
            }
        }
        rows
    }

    /// Returns whether an issue is marked.
    pub(in crate::ui) fn is_marked(&self, repo: usize, uid: crate::model::Uid) -> bool {
        self.marks.contains(&Selected { repo, uid })
    }

    /// Returns the number of the issues that an act is about: the marks, where its target is one of them.
    pub(super) fn count(&self, target: &Target) -> usize {
        match self.is_marked(target.repo, target.uid) {
            true => self.marks.len(),
            false => 1,
        }
    }

    /// Returns the ids of the issues that an act is about.
    pub(super) fn ids(&self, target: &Target) -> Vec<String> {
        match self.count(target) {
            1 => vec![target.id.clone()],
            // By their identity, which no other issue gets.
            _ => self.marks.iter().map(|mark| mark.uid.to_string()).collect(),
        }
    }

    /// Returns what an act is about, in words.
    pub(super) fn about(&self, target: &Target) -> String {
        match self.count(target) {
            1 => target.id.clone(),
            n => format!("{n} issues"),
        }
    }
}
