//! Acts: from a key to what it asks for, or sends.

use serde_json::{Value, json};

use super::prompt::{Choice, Prompt, Then};
use super::target::Target;
use super::{ScreenName, Shown, State};
use crate::desk::keys::{Does, option_key};
use crate::model::review::HUMAN_LABEL;
use crate::model::{Uid, status};
use crate::ops::scene::inbox::{Need, NeedReason};
use crate::ops::scene::words::Words;
use crate::text::value::value_text;
use crate::ui::asks::{Ask, Written};

/// What priorities mean.
const PRIORITIES: [&str; 5] = ["critical", "high", "medium", "low", "some day"];
/// Milliseconds for which a row that came by itself takes no act.
pub(super) const SLIP: u64 = 500;

impl State {
    /// Begins what a key asks for.
    pub(super) fn begin_act(&mut self, does: Does) {
        match does {
            Does::Undo | Does::Redo => return self.send_back(does),
            Does::New => return self.new_issue(),
            _ => {}
        }
        let Some(target) = self.seen_target() else {
            return;
        };
        if matches!(does, Does::MoveLeft | Does::MoveRight) {
            return self.move_aside(target, does);
        }
        let count = self.count(&target);
        let why = does.act().filter(|_| count == 1);
        if let Some(why) = why.and_then(|act| self.why_not(&target, act)) {
            return self.refuse(format!("{}: {why}", target.id));
        }
        if count > 1 && !is_for_several(does) {
            return self.refuse(format!(
                "one issue at a time: Esc takes the {count} marks off"
            ));
        }
        let ids = json!(self.ids(&target));
        let one = json!(target.id);
        let of = self.about(&target);
        let about = |what: &str| format!("{what} {of}");
        let prompt = match does {
            Does::Answer => self.answer_prompt(&target),
            Does::Resolve => self.resolve_prompt(&target),
            Does::Accept => {
                return self.send_act(&target, json!({"act": "accept", "ids": ids}), None);
            }
            Does::Delete => {
                return self.send_act(&target, json!({"act": "delete", "ids": ids}), None);
            }
            Does::ToMe => {
                let act = json!({"act": "update", "ids": ids, "assignee": "me"});
                return self.send_act(&target, act, None);
            }
            Does::Edit => return self.write(&target, Written::Fields),
            Does::CommentInEditor => return self.write(&target, Written::Comment),
            Does::SplitInEditor => return self.write(&target, Written::Parts),
            Does::Link => Some(self.link_menu(&target)),
            Does::Copy => Some(self.copy_menu(&target)),
            Does::Narrow => self.narrow_menu(&target),
            Does::SendBack => Some(self.reopen_prompt(&target)),
            Does::Done => Some(self.done_prompt(&target)),
            Does::Comment => {
                let act = json!({"act": "note", "id": one});
                Some(Prompt::text(about("comment on"), act, "comment").listed())
            }
            Does::Title => {
                let act = json!({"act": "update", "ids": ids});
                let title = self.title_of(&target);
                Some(Prompt::text(about("title of"), act, "title").with_text(&title))
            }
            Does::Priority => Some(priority_menu(about("priority of"), &ids)),
            Does::State => Some(self.state_menu(&target)),
            Does::Child => {
                let act = json!({"act": "create", "parent": one});
                Some(Prompt::text(about("new part of"), act, "title"))
            }
            Does::Assign | Does::Labels | Does::Kind => {
                self.wanted_words = Some(does);
                self.send(target.repo, Some(Ask::Words));
                Some(self.words_prompt(does, &target, &Words::default()))
            }
            _ => None,
        };
        self.prompt = prompt.map(|prompt| prompt.of(target));
    }

    /// Returns the issue that is selected; none, and says why, where there is none or its user can't have seen it.
    pub(super) fn seen_target(&mut self) -> Option<Target> {
        let target = self.target();
        let slipped_at = self.slipped_at;
        let has_slipped = slipped_at.is_some_and(|at| self.up.saturating_sub(at) < SLIP);
        match &target {
            None if self.selected().is_some() => {
                self.refuse("open the issue first: Enter".to_owned());
            }
            None => self.refuse("no issue is selected".to_owned()),
            Some(Target { id, .. }) if has_slipped => self.refuse(format!(
                "{id} has just taken the place of another: the key again is for it"
            )),
            Some(_) => {
                self.stay();
                return target;
            }
        }
        None
    }

    /// Returns whether a key is worth naming for what is selected.
    pub(in crate::ui) fn is_fitting(&self, does: Does) -> bool {
        let Some(target) = self.target() else {
            return match does {
                Does::Open => self.selected().is_some(),
                Does::NextPane => self.screen.has_output(),
                Does::Undo => self.acts.has_done(),
                Does::New | Does::Query | Does::Saved | Does::Palette => true,
                _ => false,
            };
        };
        let has = |reason| self.need(&target, reason).is_some();
        let status = self
            .head_of(&target)
            .map(|head| head.summary.status.as_str());
        let is_closed = status == Some("closed") || has(NeedReason::Review);
        match does {
            Does::Answer => self.question(&target).is_some() || has(NeedReason::Person),
            Does::Resolve => has(NeedReason::Conflict),
            Does::Accept => has(NeedReason::Review),
            Does::SendBack => is_closed,
            Does::Done | Does::State => !is_closed,
            Does::Change => is_closed || has(NeedReason::Landed) || self.shows_commits(),
            Does::Undo => self.acts.has_done(),
            Does::MoveLeft | Does::MoveRight => self.screen == ScreenName::Board,
            Does::NextPane => self.screen.has_output() && !self.panel.is_open,
            Does::Open => !self.panel.is_open,
            _ => true,
        }
    }

    fn shows_commits(&self) -> bool {
        match self.panel_shown() {
            Some(Shown::Issue(issue)) => !issue.issue.commits.is_empty(),
            Some(Shown::Change(_)) => true,
            None => false,
        }
    }

    fn answer_prompt(&mut self, target: &Target) -> Option<Prompt> {
        let Some(open) = self.question(target) else {
            if let Some(need) = self.need(target, NeedReason::Person) {
                return Some(person_prompt(target, need));
            }
            self.refuse(format!("{} asks you nothing", target.id));
            return None;
        };
        let question = &open.question;
        let act = json!({"act": "answer", "id": target.id, "entry": question.entry.id});
        let choices = (1..)
            .zip(&question.options)
            .map(|(n, option): (u32, _)| Choice {
                key: option_key(&question.options, n),
                words: option.clone(),
                then: Then::Text(option.clone()),
            });
        let choices = choices.collect();
        let prompt = Prompt::text(format!("answer {}", target.id), act, "text");
        let asked = question.entry.text.clone();
        self.message = asked;
        Some(prompt.with_choices(choices))
    }

    fn resolve_prompt(&mut self, target: &Target) -> Option<Prompt> {
        let Some(entry) = self
            .need(target, NeedReason::Conflict)
            .and_then(|need| need.conflict.as_ref())
        else {
            self.refuse(format!(
                "{}: no field was changed by two at the same time",
                target.id
            ));
            return None;
        };
        let act =
            |n: usize| json!({"act": "resolve", "id": target.id, "field": entry.field, "take": n});
        let text = |value: &Value| value_text(&entry.field, value, str::to_owned);
        let mut choices = vec![Choice {
            key: Some('0'),
            words: format!("{} ({})", text(&entry.current), entry.current_by),
            then: Then::Act(act(0)),
        }];
        if !entry.missing {
            choices.push(Choice {
                key: u32::try_from(entry.n)
                    .ok()
                    .and_then(|n| char::from_digit(n, 10)),
                words: format!("{} ({})", text(&entry.value), entry.by),
                then: Then::Act(act(entry.n)),
            });
        }
        Some(Prompt::menu(
            format!("{} of {}", entry.field, target.id),
            choices,
        ))
    }

    fn reopen_prompt(&self, target: &Target) -> Prompt {
        let act = json!({"act": "reopen", "ids": self.ids(target)});
        let title = format!("reopen {} because", self.about(target));
        Prompt::text(title, act, "reason").can_be_empty()
    }

    fn done_prompt(&self, target: &Target) -> Prompt {
        // Of several each would have its own.
        let landed = self
            .need(target, NeedReason::Landed)
            .filter(|_| self.count(target) == 1);
        let commit = landed.and_then(|need| need.commit.clone());
        let act = json!({"act": "done", "ids": self.ids(target), "commit": commit});
        let subject = landed
            .and_then(|need| need.subject.clone())
            .unwrap_or_default();
        let prompt = Prompt::text(
            format!("close {} because", self.about(target)),
            act,
            "reason",
        );
        prompt.with_text(&subject).can_be_empty()
    }

    pub(super) fn state_menu(&self, target: &Target) -> Prompt {
        let ids = json!(self.ids(target));
        let of = self.about(target);
        let text = |what: &str, act: &str, member| {
            let title = format!("{of} {what}");
            let prompt = Prompt::text(title, json!({"act": act, "ids": ids}), member);
            Then::Prompt(Box::new(prompt.can_be_empty().of(target.clone())))
        };
        let rows = [
            (
                's',
                "start",
                Then::Act(json!({"act": "start", "id": target.id})),
            ),
            ('o', "open: let go, unblock", self.open_act(target)),
            (
                'b',
                "blocked, with a reason",
                text("blocked, because", "block", "reason"),
            ),
            (
                'd',
                "deferred, until a date",
                text("deferred until (3d, fri, 2027-01-31)", "defer", "until"),
            ),
            (
                'x',
                "done, with a reason",
                Then::Prompt(Box::new(self.done_prompt(target).of(target.clone()))),
            ),
            (
                'r',
                "reopen, with a reason",
                Then::Prompt(Box::new(self.reopen_prompt(target).of(target.clone()))),
            ),
        ];
        // Work is begun on one issue.
        let rows = rows.into_iter().skip(usize::from(self.count(target) > 1));
        let choices = rows.map(|(key, words, then)| Choice {
            key: Some(key),
            words: words.to_owned(),
            then,
        });
        Prompt::menu(format!("state of {of}"), choices.collect())
    }

    /// Returns what makes an issue one that can be started: letting it go, or taking the block away.
    fn open_act(&self, target: &Target) -> Then {
        let status = self
            .head_of(target)
            .map(|head| head.summary.status.as_str());
        let act = match status {
            Some("blocked" | "deferred") => "unblock",
            Some(status::IN_PROGRESS) => "stop",
            _ if self.need(target, NeedReason::Person).is_some() => "unblock",
            _ => "stop",
        };
        Then::Act(json!({"act": act, "ids": self.ids(target)}))
    }

    fn new_issue(&mut self) {
        let Some(repo) = self.meant_repo() else {
            let why = "a new issue needs a repository: select one of its issues, or begin in it";
            return self.refuse(why.to_owned());
        };
        let title = format!("new issue in {}", self.repos[repo].name);
        let prompt = Prompt::text(title, json!({"act": "create"}), "title");
        let seen = String::new();
        self.prompt = Some(prompt.of(Target {
            repo,
            uid: Uid::default(),
            id: String::new(),
            seen,
        }));
    }

    /// Returns the repository that a key is about which is about no issue: the one that is shown alone, else that of the row.
    pub(super) fn meant_repo(&self) -> Option<usize> {
        let selected = self.selected().map(|selected| selected.repo);
        let own = self.here.filter(|_| !self.is_all);
        own.or(selected).or(self.here)
    }

    /// Takes the words of a repository: the choices of the prompt that waits for them.
    pub(super) fn take_words(&mut self, repo: usize, words: &Words) {
        let Some(does) = self.wanted_words.take() else {
            return;
        };
        let Some(mut prompt) = self.prompt.take() else {
            return;
        };
        if let Some(target) = prompt.target.clone().filter(|target| target.repo == repo) {
            let full = self.words_prompt(does, &target, words);
            if full.title == prompt.title {
                prompt.choices = full.choices;
            }
        }
        self.prompt = Some(prompt);
    }

    /// Returns the prompt of a picker, with the words of the repository as its choices.
    fn words_prompt(&self, does: Does, target: &Target, words: &Words) -> Prompt {
        let ids = json!(self.ids(target));
        let of = self.about(target);
        let update = json!({"act": "update", "ids": ids});
        let text = |names: &[String]| -> Vec<Choice> {
            let choices = names.iter().map(|name| Choice {
                key: None,
                words: name.clone(),
                then: Then::Text(name.clone()),
            });
            choices.collect()
        };
        match does {
            Does::Assign => {
                let prompt = Prompt::text(format!("assign {of} to"), update, "assignee");
                prompt.can_be_empty().with_words(text(&words.people))
            }
            Does::Kind => {
                Prompt::text(format!("type of {of}"), update, "type").with_words(text(&words.types))
            }
            _ => {
                let own = self
                    .head_of(target)
                    .map(|head| head.summary.labels.clone())
                    .unwrap_or_default();
                let mut choices: Vec<Choice> = own
                    .iter()
                    .map(|label| Choice {
                        key: None,
                        words: format!("- {label}"),
                        then: Then::Act(json!({"act": "label", "ids": ids, "rm": [label]})),
                    })
                    .collect();
                let others = words
                    .labels
                    .iter()
                    .filter(|label| !own.contains(label))
                    .cloned();
                choices.extend(text(&others.collect::<Vec<_>>()));
                let act = json!({"act": "label", "ids": ids});
                Prompt::text(format!("label {of}"), act, "labels")
                    .listed()
                    .with_words(choices)
            }
        }
    }
}

/// Returns what an issue that waits for a person is answered by: a comment, with which it waits no more.
fn person_prompt(target: &Target, need: &Need) -> Prompt {
    let status = need.blocked_for.is_some().then_some("open");
    let act = json!({"act": "note", "id": target.id, "status": status, "rm": [HUMAN_LABEL]});
    Prompt::text(format!("answer {}", target.id), act, "comment").listed()
}

/// Returns whether an act on several issues is one.
fn is_for_several(does: Does) -> bool {
    matches!(
        does,
        Does::Accept
            | Does::SendBack
            | Does::Done
            | Does::State
            | Does::Priority
            | Does::Assign
            | Does::Labels
            | Does::Kind
            | Does::ToMe
            | Does::Delete
    )
}

fn priority_menu(title: String, ids: &Value) -> Prompt {
    let choices = (0..=4u8).map(|n| Choice {
        key: Some(char::from(b'0' + n)),
        words: PRIORITIES[usize::from(n)].to_owned(),
        then: Then::Act(json!({"act": "update", "ids": ids, "priority": n.to_string()})),
    });
    Prompt::menu(title, choices.collect())
}
