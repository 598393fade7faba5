//! Acts on their way, and what is said of them. Nothing is drawn as done before it is.

use serde_json::{Value, json};

use super::State;
use super::prompt::{Prompt, Prompted};
use super::target::Target;
use crate::desk::acts::{ActHow, SentAct};
use crate::ops::act::Acted;
use crate::ui::asks::Ask;

/// Milliseconds after which it is said that an act is on its way.
const SLOW: u64 = 100;
/// An act on its way.
#[derive(Clone, Debug)]
pub(in crate::ui) struct Acting {
    repo: usize,
    how: ActHow,
    /// The prompt that it came from, which comes back where it fails: nothing that was typed is lost.
    prompt: Option<Box<Prompt>>,
    since: u64,
}

impl State {
    /// Takes a key while something is asked for.
    pub(super) fn answer_to_prompt(&mut self, key: &str) {
        let Some(prompt) = self.prompt.take() else {
            return;
        };
        match prompt.key(key) {
            Prompted::Open(prompt) => self.prompt = Some(prompt),
            Prompted::New(prompt) => {
                let word = prompt.typed.text().trim();
                self.message = format!("{word} is new here: Enter again takes it, Down chooses");
                self.prompt = Some(prompt);
            }
            Prompted::Left(prompt) => {
                self.message.clear();
                self.keep_draft(&prompt);
            }
            Prompted::Quit(prompt) => {
                self.prompt = Some(prompt);
                self.quit();
            }
            Prompted::Query(query) => self.run_query(query),
            Prompted::Copy(text) => self.copy(&text),
            Prompted::Go(go) => {
                self.message.clear();
                self.go_where(go);
            }
            Prompted::Act { act, prompt } => {
                self.message.clear();
                self.drop_draft(&prompt);
                if let Some(target) = prompt.target.clone() {
                    self.send_act(&target, act, Some(prompt));
                }
            }
        }
    }

    pub(super) fn send_act(&mut self, target: &Target, mut act: Value, prompt: Option<Prompt>) {
        let now = self
            .target()
            .filter(|now| (now.repo, now.uid) == (target.repo, target.uid));
        let seen = match target.seen.as_str() {
            "" => now.map(|now| now.seen),
            seen => Some(seen.to_owned()),
        };
        act["seen"] = json!(seen);
        let sent = self.acts.act(target.repo, act);
        self.send_acting(sent, prompt);
    }

    fn send_acting(&mut self, sent: SentAct, prompt: Option<Prompt>) {
        self.acting.push_back(Acting {
            repo: sent.repo,
            how: sent.how.clone(),
            prompt: prompt.map(Box::new),
            since: self.up,
        });
        self.send(sent.repo, Some(Ask::Act(sent)));
    }

    pub(super) fn undo(&mut self) {
        match self.acts.undo() {
            Some(sent) => self.send_acting(sent, None),
            None => {
                "nothing to undo: here is undone what was done here".clone_into(&mut self.message);
            }
        }
    }

    pub(super) fn redo(&mut self) {
        match self.acts.redo() {
            Some(sent) => self.send_acting(sent, None),
            None => "nothing to redo".clone_into(&mut self.message),
        }
    }

    fn next_acting(&mut self, repo: usize) -> Option<Acting> {
        self.has_asked_to_quit = false;
        let at = self.acting.iter().position(|acting| acting.repo == repo)?;
        self.acting.remove(at)
    }

    /// Takes what an act has come to.
    pub(super) fn take_acted(&mut self, repo: usize, acted: &Acted) {
        if let Some(acting) = self.next_acting(repo) {
            self.note_acted(repo, acted, &acting.how);
        }
    }

    /// Takes what the user has written in the editor.
    pub(super) fn take_written(&mut self, repo: usize, acted: &Acted) {
        self.is_writing = false;
        self.note_acted(repo, acted, &ActHow::Act);
        self.refresh_repo(repo);
    }

    fn note_acted(&mut self, repo: usize, acted: &Acted, how: &ActHow) {
        let said = self.acts.take_acted(repo, acted, how);
        if acted.commit.is_some() {
            self.marks.clear();
            self.acted_on = self.selected_in_rows();
        }
        self.message = self.named(repo, &said);
    }

    /// Takes that an act could not be done; what was typed comes back.
    pub(super) fn act_has_failed(&mut self, repo: usize, why: &str) {
        self.message = self.named(repo, why);
        let Some(acting) = self.next_acting(repo) else {
            return;
        };
        if let Some(more) = self.acts.has_failed(acting.how) {
            self.message.push_str(&format!("; {more}"));
        }
        let prompt = acting
            .prompt
            .filter(|prompt| !prompt.typed.text().is_empty());
        if let (None, Some(mut prompt)) = (&self.prompt, prompt) {
            // Its user has read why: what is drawn when it is sent again is what counts.
            if let Some(target) = &mut prompt.target {
                target.seen.clear();
            }
            self.message
                .push_str("; Enter sends it all the same, Esc leaves");
            self.prompt = Some(*prompt);
        }
    }

    /// Returns what there is to say while an act takes long.
    pub(in crate::ui) fn saving(&self) -> Option<&'static str> {
        let since = self.acting.front()?.since;
        match self.up.saturating_sub(since) {
            0..SLOW => None,
            SLOW..2_000 => Some("saving"),
            _ => Some("still saving: another process may have the lock, or the disk is slow"),
        }
    }

    /// Returns the milliseconds until that is something else.
    pub(super) fn next_saving(&self) -> Option<u64> {
        let waited = self.up.saturating_sub(self.acting.front()?.since);
        let next = [SLOW, 2_000].into_iter().find(|at| *at > waited)?;
        Some(next - waited)
    }
}
