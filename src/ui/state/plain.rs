//! What a face without a screen asks of the state.

use super::inbox::RowKey;
use super::{LineKind, State};

impl State {
    /// Returns whether nothing is on its way, but from what has said nothing for long.
    pub(in crate::ui) fn is_settled(&self) -> bool {
        let is_waiting = |n: usize| self.repos[n].open_asks > 0 && !self.repos[n].is_silent;
        let is_running = self.run().is_some() || self.next_run().is_some();
        self.acting.is_empty() && !is_running && !self.shown_repos().any(is_waiting)
    }

    /// Begins a line of keys: what was refused in the one before it says nothing of this one.
    pub(in crate::ui) fn begin_line(&mut self) {
        (self.refused_at, self.slipped_at) = (None, None);
    }

    /// Puts a text in the place of what is typed.
    pub(in crate::ui) fn retype(&mut self, text: &str) {
        if let Some(prompt) = &mut self.prompt {
            prompt.retype(text);
        }
        self.settle();
    }

    /// Returns the rows of the inbox, and what each says without its age.
    pub(in crate::ui) fn row_texts(&self) -> Vec<(RowKey, String)> {
        let mut texts = Vec::new();
        for line in &self.inbox.lines {
            if let (Some(key), LineKind::Issue(row)) = (&line.key, &line.kind) {
                let text = format!("{} {} {} ({})", row.sign, row.id, row.text, row.who);
                texts.push((key.clone(), text));
            }
        }
        texts
    }
}
