//! What lies over a screen: the keys, or the saved queries.

use super::State;
use crate::desk::keys::{Does, KEYS, shown};
use crate::ops::shared::query::SavedQuery;

/// The signs before rows, and what they say.
const SIGNS: [(&str, &str); 9] = [
    ("sign ?", "asks a question"),
    ("sign !", "waits for a person"),
    ("sign %", "a field was changed by two at the same time"),
    ("sign +", "an agent has closed it, or it asks for a review"),
    ("sign v", "a commit closes it, and it is open"),
    ("sign ~", "its agent has left it, or nothing happens"),
    ("sign x", "blocked"),
    ("sign >", "selected"),
    ("sign *", "marked"),
];
/// What the keys are put together by.
const GROUPS: [&str; 4] = ["MOVE", "LOOK", "CHANGE", "ALL ELSE"];

/// A line of the list of keys and signs.
pub(in crate::ui) enum HelpLine {
    Group(&'static str),
    Key {
        keys: String,
        words: &'static str,
        /// Why it does nothing here, or what a key of the user's own runs.
        why: String,
    },
}

/// Returns the group of a key.
fn group(does: Does) -> &'static str {
    use Does::*;
    match does {
        Down | Up | First | Last | HalfDown | HalfUp | Inbox | Board | List | Graph | Log
        | Stats | NextScreen | ScreenBefore | AllRepos | Open | Back | NextPane | PaneBefore
        | ToPanel | ToRows => GROUPS[0],
        Palette | News | Follow | Past | Query | Saved | Arrange | Narrow | Change | Copy
        | InBrowser => GROUPS[1],
        Mark | MarkRange | MarkAll | State | MoveLeft | MoveRight => GROUPS[2],
        _ if does.act().is_some() => GROUPS[2],
        _ => GROUPS[3],
    }
}

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
            (Some(Overlay::Help { .. }), _) => {
                let (top, seen, all) = self.help_seen();
                let top = top.saturating_add_signed(step).min(all - seen);
                self.overlay = Some(Overlay::Help { top });
            }
            (None, _) => {}
        }
        true
    }

    /// Returns the lines of the list of keys and signs above what is seen, those that are seen, and all of them.
    pub(in crate::ui) fn help_seen(&self) -> (usize, usize, usize) {
        let Some(Overlay::Help { top }) = self.overlay else {
            return (0, 0, 0);
        };
        let all = self.help_lines().len();
        // Below its title.
        let seen = self.body_height().saturating_sub(1).clamp(1, all);
        (top.min(all - seen), seen, all)
    }

    /// Returns the lines of the list of keys and signs.
    pub(in crate::ui) fn help_lines(&self) -> Vec<HelpLine> {
        let mut lines = Vec::new();
        for name in GROUPS {
            lines.push(HelpLine::Group(name));
            for line in KEYS.iter().filter(|line| group(line.does) == name) {
                let keys: Vec<String> = line.keys.iter().map(|key| shown(key)).collect();
                lines.push(HelpLine::Key {
                    keys: keys.join(", "),
                    words: line.words(),
                    why: self.why_not_here(line.does).unwrap_or_default(),
                });
            }
        }
        for own in &self.own_keys {
            lines.push(HelpLine::Key {
                keys: own.key.clone(),
                words: "your own",
                why: own.line.clone(),
            });
        }
        lines.push(HelpLine::Group("SIGNS"));
        for (sign, words) in SIGNS {
            lines.push(HelpLine::Key {
                keys: sign.to_owned(),
                words,
                why: String::new(),
            });
        }
        lines
    }
}
