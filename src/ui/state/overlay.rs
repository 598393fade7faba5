//! What lies over a screen: the keys, or the saved queries.

use super::State;
use crate::desk::keys::{Does, KEYS};
use crate::ops::shared::query::SavedQuery;

/// Lines behind the keys, which say what the signs are.
const SIGN_LINES: usize = 9;

/// What lies over the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ui) enum Overlay {
    Help { top: usize },
    Saved { queries: Vec<SavedQuery>, at: usize },
}

impl State {
    /// Takes a key while something lies over the screen; returns false for one that is none of its own.
    pub(super) fn act_on_overlay(&mut self, does: Does) -> bool {
        let step: isize = match does {
            Does::Down => 1,
            Does::Up => -1,
            Does::HalfDown => 8,
            Does::HalfUp => -8,
            Does::First => isize::MIN / 2,
            Does::Last => isize::MAX / 2,
            Does::QuitNow | Does::Suspend | Does::Redraw => return false,
            _ => 0,
        };
        match (&mut self.overlay, does) {
            (Some(Overlay::Saved { queries, at }), Does::Open) => {
                // Not by its name, which other repositories need not know.
                let query = queries.get(*at).map(|saved| saved.query.clone());
                self.overlay = None;
                self.run_query(query.unwrap_or_default());
            }
            (_, Does::Back | Does::Quit | Does::Help | Does::Open | Does::Saved) => {
                self.overlay = None;
            }
            (Some(Overlay::Saved { queries, at }), _) => {
                *at = at.saturating_add_signed(step).min(queries.len() - 1);
            }
            (Some(Overlay::Help { top }), _) => {
                let most = KEYS.len() + self.own_keys.len() + SIGN_LINES - 1;
                *top = top.saturating_add_signed(step).min(most);
            }
            (None, _) => {}
        }
        true
    }
}
