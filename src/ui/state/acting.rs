//! Acts on their way, and what is said of them. Nothing is drawn as done before it is.

use serde_json::{Value, json};

use super::prompt::{Prompt, Prompted};
use super::target::Target;
use super::{PanelKind, ScreenName, Selected, State};
use crate::desk::acts::{ActHow, SentAct};
use crate::desk::keys::Does;
use crate::model::Uid;
use crate::ops::act::Acted;
use crate::ui::asks::Ask;

/// Milliseconds after which it is said that an act is on its way.
const SLOW: u64 = 100;
/// Milliseconds after which the key of a choice is no beginning of a text.
const OFFERED: u64 = 400;
/// Milliseconds within which the rows follow an act.
const FOLLOWS: u64 = 2000;
/// An act on its way.
#[derive(Clone, Debug)]
pub(in crate::ui) struct Acting {
    repo: usize,
    how: ActHow,
    /// The issue that it is about, and its name; none of what takes back or brings back.
    of: Option<(Selected, String)>,
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
        let prompted = prompt.key(key);
        self.take_prompted(prompted);
        let is_offered = self.prompt.as_ref().is_some_and(Prompt::is_offered);
        self.offered_at = is_offered.then_some(self.up);
    }

    /// Takes the choice whose key was typed, as nothing has followed it: behind another letter it would be the beginning of a text.
    /// Returns false where there is none.
    pub(in crate::ui) fn take_offered(&mut self) -> bool {
        if self.offered_at.take().is_some()
            && let Some(prompt) = self.prompt.take()
        {
            let prompted = prompt.take_offered();
            self.take_prompted(prompted);
            return true;
        }
        false
    }

    /// Returns the milliseconds until that is so.
    pub(super) fn next_offered(&self) -> Option<u64> {
        Some((self.offered_at? + OFFERED).saturating_sub(self.up))
    }

    fn take_prompted(&mut self, prompted: Prompted) {
        match prompted {
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
        let name = act["act"].as_str().unwrap_or_default().to_owned();
        let sent = self.acts.act(target.repo, act);
        self.send_acting(sent, Some((target.issue(), name)), prompt);
    }

    fn send_acting(
        &mut self,
        sent: SentAct,
        of: Option<(Selected, String)>,
        prompt: Option<Prompt>,
    ) {
        self.acting.push_back(Acting {
            repo: sent.repo,
            how: sent.how.clone(),
            of,
            prompt: prompt.map(Box::new),
            since: self.up,
        });
        self.send(sent.repo, Some(Ask::Act(sent)));
    }

    /// Takes back what was done here last, or brings it back; once what is on its way is done.
    pub(super) fn send_back(&mut self, does: Does) {
        if self.acts.is_busy() {
            self.later.push_back(does);
            return;
        }
        let sent = match does {
            Does::Undo => self.acts.undo(),
            _ => self.acts.redo(),
        };
        match (sent, does) {
            (Some(sent), _) => self.send_acting(sent, None, None),
            (None, Does::Undo) => {
                "nothing to undo: here is undone what was done here".clone_into(&mut self.message);
            }
            (None, _) => "nothing to redo".clone_into(&mut self.message),
        }
    }

    fn send_next_back(&mut self) {
        if let Some(does) = self.later.pop_front() {
            self.send_back(does);
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
            match acting.of.filter(|_| acted.commit.is_some()) {
                // A new one, which is not about another.
                Some((issue, _)) if issue.uid == Uid::default() => {
                    let made = acted.heads.first().filter(|_| !self.panel.is_open);
                    let uid = made.map(|head| head.uid);
                    (self.made, self.made_at) = (uid.map(|uid| Selected { repo, uid }), self.up);
                }
                Some((issue, name)) => self.go_on_after(issue, &name),
                None => {}
            }
            self.send_next_back();
        }
    }

    /// Returns whether what comes now may be by an act that was done then.
    pub(super) fn is_fresh(&self, at: u64) -> bool {
        self.up.saturating_sub(at) < FOLLOWS
    }

    /// Selects the issue that the user has made, once it has a row; the list finds it among the rows that it asks for.
    pub(super) fn select_made(&mut self) {
        self.made = self.made.take().filter(|_| self.is_fresh(self.made_at));
        let Some(made) = self.made.take_if(|_| self.screen != ScreenName::List) else {
            return;
        };
        if !self.select_issue(&made) {
            self.made = Some(made);
            return;
        }
        // No key has moved there.
        self.slipped_at = Some(self.up);
        self.scroll_inbox();
    }

    /// Lets the user go on after an act of an issue that is done: where it takes the row away, the next one is in its place.
    fn go_on_after(&mut self, issue: Selected, name: &str) {
        if self.panel.pinned.as_ref() == Some(&issue) {
            let is_settled = matches!(name, "accept" | "reopen");
            if is_settled && self.panel.kind == PanelKind::Change {
                self.leave_panel();
            } else {
                let is_its_row = self.selected_in_rows().as_ref() == Some(&issue);
                self.panel.done_at = Some(self.up).filter(|_| is_its_row);
            }
        }
        self.acted_on = Some(issue);
    }

    /// Takes what the user has written in the editor.
    pub(super) fn take_written(&mut self, repo: usize, acted: &Acted) {
        self.is_writing = false;
        self.acts.begin();
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
        self.send_next_back();
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
