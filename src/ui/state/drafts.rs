//! What was typed and not sent: it is there again when the same is asked for.

use super::State;
use super::prompt::Prompt;
use super::typed::Typed;
use crate::desk::drafts::TextDraft;
use crate::ui::asks::Ask;

/// Letters that are not worth keeping.
const FEW: usize = 3;

const AGAIN: &str =
    "what you typed before is here again: a letter begins another text, Right keeps it";

impl State {
    /// Fills a prompt that was just opened with what was typed there before.
    pub(super) fn offer_draft(&mut self) {
        let Some(prompt) = &mut self.prompt else {
            return;
        };
        let (Some(target), Some(draft)) = (&prompt.target, prompt.draft()) else {
            return;
        };
        let repo = target.repo;
        let Some(known) = &self.repos[repo].drafts else {
            self.repos[repo].drafts = Some(Vec::new());
            return self.send(repo, Some(Ask::Drafts));
        };
        let known = known.iter().find(|known| known.is_for_same(&draft));
        if let Some(known) = known.filter(|_| !prompt.is_changed()) {
            prompt.typed = Typed::old(&known.text);
            // What is asked stays above it.
            self.message = match self.message.as_str() {
                "" => AGAIN.to_owned(),
                asked => format!("{asked} ({AGAIN})"),
            };
        }
    }

    /// Takes what was kept of a repository; what was typed since is newer.
    pub(super) fn take_drafts(&mut self, repo: usize, mut drafts: Vec<TextDraft>) {
        let known = self.repos[repo].drafts.get_or_insert_default();
        drafts.retain(|old| !known.iter().any(|known| known.is_for_same(old)));
        known.extend(drafts);
        self.offer_draft();
    }

    /// Keeps what was typed in a prompt that is left.
    pub(super) fn keep_draft(&mut self, prompt: &Prompt) {
        let (Some(target), Some(mut draft)) = (&prompt.target, prompt.draft()) else {
            return;
        };
        if !prompt.is_changed() || draft.text.chars().count() <= FEW {
            draft.text.clear();
        }
        self.put_draft(target.repo, draft);
    }

    /// Forgets what was typed in a prompt, as it is sent.
    pub(super) fn drop_draft(&mut self, prompt: &Prompt) {
        if let (Some(target), Some(mut draft)) = (&prompt.target, prompt.draft()) {
            draft.text.clear();
            self.put_draft(target.repo, draft);
        }
    }

    fn put_draft(&mut self, repo: usize, draft: TextDraft) {
        let known = self.repos[repo].drafts.get_or_insert_default();
        let old = known.iter().position(|known| known.is_for_same(&draft));
        let old = old.map(|at| known.remove(at));
        let is_new = old.as_ref().map_or("", |old| &old.text) != draft.text;
        if !draft.text.is_empty() {
            known.push(draft.clone());
        }
        if is_new {
            self.keeping += 1;
            self.send(repo, Some(Ask::Keep(draft)));
        }
    }

    /// Keeps what is being typed at the end.
    pub(in crate::ui) fn keep_open_prompt(&mut self) {
        if let Some(prompt) = self.prompt.take() {
            self.keep_draft(&prompt);
        }
    }
}
