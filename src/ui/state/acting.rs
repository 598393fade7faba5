//! Acts on their way, and what is said of them. Nothing is drawn as done before it is.

use serde_json::{Value, json};

use super::State;
use super::prompt::{Prompt, Prompted};
use super::target::{Target, with_key};
use crate::desk::undo::{DeskAct, RepoCommit};
use crate::ops::act::{ActKind, Acted};
use crate::ui::asks::{ActAsk, Ask};

/// Milliseconds after which it is said that an act is on its way.
const SLOW: u64 = 100;
/// An act on its way.
#[derive(Clone, Debug)]
pub(in crate::ui) struct Acting {
    repo: usize,
    how: ActingHow,
    since: u64,
}

#[derive(Clone, Debug)]
enum ActingHow {
    /// With the prompt that it came from, which comes back where it fails: nothing that was typed is lost.
    Act(Option<Box<Prompt>>),
    /// With what it takes back or brings back.
    Undo(DeskAct),
    Redo(DeskAct),
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
        self.send_acting(target.repo, act, ActingHow::Act(prompt.map(Box::new)));
    }

    fn send_acting(&mut self, repo: usize, act: Value, how: ActingHow) {
        let since = self.up;
        self.acting.push_back(Acting { repo, how, since });
        let mine = self.undo.commits_of(&repo.to_string());
        self.send(repo, Some(Ask::Act(ActAsk { act, mine })));
    }

    pub(super) fn undo(&mut self) {
        let Some(act) = self.undo.take_done() else {
            "nothing to undo: here is undone what was done here".clone_into(&mut self.message);
            return;
        };
        self.send_back("undo", act, ActingHow::Undo);
    }

    pub(super) fn redo(&mut self) {
        let Some(act) = self.undo.take_undone() else {
            "nothing to redo".clone_into(&mut self.message);
            return;
        };
        self.send_back("redo", act, ActingHow::Redo);
    }

    fn send_back(&mut self, name: &str, act: DeskAct, how: impl Fn(DeskAct) -> ActingHow) {
        // Each act of this face is one commit in one repository.
        if let Some(RepoCommit { repo, commit }) = act.commits.first().cloned()
            && let Ok(repo) = repo.parse()
        {
            self.send_acting(repo, json!({"act": name, "commit": commit}), how(act));
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
        self.note_acted(repo, acted, &ActingHow::Act(None));
        self.refresh_repo(repo);
    }

    fn note_acted(&mut self, repo: usize, acted: &Acted, how: &ActingHow) {
        let commits = acted.commit.iter().map(|commit| RepoCommit {
            repo: repo.to_string(),
            commit: commit.clone(),
        });
        // Of what is taken back it is said what that was.
        let (mut said, of) = match how {
            ActingHow::Act(_) => (acted.said.clone(), acted.said.clone()),
            ActingHow::Undo(act) => (format!("undone: {}", act.said), act.said.clone()),
            ActingHow::Redo(act) => (format!("done again: {}", act.said), act.said.clone()),
        };
        let done = DeskAct {
            commits: commits.collect(),
            said: of,
        };
        if acted.commit.is_some() {
            self.marks.clear();
            self.acted_on = self.selected_in_rows();
            match how {
                ActingHow::Act(_) => self.undo.add(done),
                ActingHow::Undo(_) => self.undo.put_undone(done),
                ActingHow::Redo(_) => self.undo.put_done(done),
            }
        }
        for remark in &acted.remarks {
            said.push_str(&format!("; {remark}"));
        }
        // What was created is not what is selected: its start is no key away.
        let next = acted.next.as_ref();
        if let Some(next) = next.filter(|next| next.act != Some(ActKind::Start)) {
            said.push_str(&format!("; {}", with_key(next)));
        }
        self.message = self.named(repo, &said);
    }

    /// Takes that an act could not be done; what was typed comes back.
    pub(super) fn act_has_failed(&mut self, repo: usize, why: &str) {
        self.message = self.named(repo, why);
        let Some(acting) = self.next_acting(repo) else {
            return;
        };
        match acting.how {
            ActingHow::Act(prompt) => {
                let prompt = prompt.filter(|prompt| !prompt.typed.text().is_empty());
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
            // The second time it is left out, so that what was before it can be taken back.
            ActingHow::Undo(act) if self.stuck.as_ref() == Some(&act) => {
                self.stuck = None;
                self.message = format!(
                    "left as it is: {}; `u` goes on with what was before it",
                    act.said
                );
            }
            ActingHow::Undo(act) => {
                self.message.push_str("; `u` again leaves it as it is");
                self.stuck = Some(act.clone());
                self.undo.put_done(act);
            }
            ActingHow::Redo(act) => self.undo.put_undone(act),
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
