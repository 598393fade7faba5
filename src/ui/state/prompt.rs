//! What is asked for before something is done: a line that is typed, one of some choices, or either.

use serde_json::{Value, json};

use super::Selected;
use super::target::Target;
use super::typed::Typed;
use crate::desk::drafts::TextDraft;
use crate::desk::keys::Does;

/// A question to the user, on the line above the keys.
#[derive(Clone, Debug)]
pub(in crate::ui) struct Prompt {
    /// What it asks for, as "comment on app-7c2d".
    pub(in crate::ui) title: String,
    pub(in crate::ui) typed: Typed,
    /// The text that it has begun with.
    begun: String,
    /// False where one of the choices is all there is.
    pub(in crate::ui) takes_text: bool,
    pub(in crate::ui) choices: Vec<Choice>,
    /// The choice that Enter takes, of those that are shown; none for what was typed.
    pub(in crate::ui) at: Option<usize>,
    /// True where the choices are the words of a repository, and another one is new there.
    takes_word: bool,
    /// The links that its choices come from, once they are there.
    pub(super) offer: Option<Offer>,
    /// The new word of which that was said.
    said_new: Option<String>,
    pub(super) what: PromptFor,
    pub(super) target: Option<Target>,
    /// The choice whose key was typed just now.
    offered: Option<Then>,
}

/// What a prompt offers of the links of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// The issues that it can be linked with.
    Others,
    /// The links that it has.
    Links,
}

/// A choice.
#[derive(Clone, Debug)]
pub(in crate::ui) struct Choice {
    /// The key that takes it at once, where nothing was typed.
    pub(in crate::ui) key: Option<char>,
    pub(in crate::ui) words: String,
    pub(super) then: Then,
}

/// What a choice does.
#[derive(Clone, Debug)]
pub(super) enum Then {
    /// It is as if it had been typed.
    Text(String),
    Act(Value),
    /// Something else is asked for.
    Prompt(Box<Prompt>),
    /// A query is run.
    Query(String),
    /// A text is copied.
    Copy(String),
    Go(Go),
}

/// Where the palette leads.
#[derive(Clone, Debug)]
pub(super) enum Go {
    /// As the key does.
    Key(Does),
    Run(String),
    Repo(usize),
    Query(String),
    Issue(Selected),
}

/// What is done with the text.
#[derive(Clone, Debug)]
pub(super) enum PromptFor {
    Query,
    /// It finds choices, of which one is taken.
    Palette,
    /// An act, and the member that the text becomes.
    Act {
        act: Value,
        member: &'static str,
        is_list: bool,
        can_be_empty: bool,
    },
    /// Only a choice does something.
    Choice,
}

/// What a key has come to.
#[derive(Debug)]
pub(super) enum Prompted {
    /// It is still asked.
    Open(Prompt),
    Left(Prompt),
    /// It is still asked, as the word that was typed is new in the repository.
    New(Prompt),
    Query(String),
    Copy(String),
    Go(Go),
    /// An act, and the prompt that comes back where it can't be done.
    Act {
        act: Value,
        prompt: Prompt,
    },
}

impl Prompt {
    /// Returns a prompt of a query, in which another word is typed behind what is there.
    pub(super) fn query(text: &str) -> Self {
        let begun = match text {
            "" => String::new(),
            text => format!("{text} "),
        };
        Self {
            title: String::new(),
            typed: Typed::new(&begun),
            begun,
            takes_text: true,
            choices: Vec::new(),
            at: None,
            takes_word: false,
            offer: None,
            said_new: None,
            what: PromptFor::Query,
            target: None,
            offered: None,
        }
    }

    /// Returns a prompt whose choices follow what is typed.
    pub(super) fn palette() -> Self {
        let what = PromptFor::Palette;
        Self {
            what,
            ..Self::query("")
        }
    }

    /// Returns a prompt for a member of an act.
    pub(super) fn text(title: String, act: Value, member: &'static str) -> Self {
        Self {
            title,
            what: PromptFor::Act {
                act,
                member,
                is_list: false,
                can_be_empty: false,
            },
            ..Self::query("")
        }
    }

    /// Returns a prompt that one of some keys answers.
    pub(super) fn menu(title: String, choices: Vec<Choice>) -> Self {
        Self {
            title,
            takes_text: false,
            choices,
            what: PromptFor::Choice,
            ..Self::query("")
        }
    }

    pub(super) fn can_be_empty(mut self) -> Self {
        if let PromptFor::Act { can_be_empty, .. } = &mut self.what {
            *can_be_empty = true;
        }
        self
    }

    pub(super) fn with_choices(self, choices: Vec<Choice>) -> Self {
        Self { choices, ..self }
    }

    /// Offers the words of a repository.
    pub(super) fn with_words(self, choices: Vec<Choice>) -> Self {
        Self {
            choices,
            takes_word: true,
            ..self
        }
    }

    /// Offers links, or what can be linked.
    pub(super) fn offering(self, offer: Offer) -> Self {
        let offer = Some(offer);
        Self { offer, ..self }
    }

    pub(super) fn with_text(self, text: &str) -> Self {
        let typed = Typed::new(text);
        let begun = text.to_owned();
        Self {
            typed,
            begun,
            ..self
        }
    }

    /// Returns whether something was typed.
    pub(super) fn is_changed(&self) -> bool {
        self.typed.text() != self.begun
    }

    /// Returns what was typed, to be kept; none where it is no text of an issue.
    pub(super) fn draft(&self) -> Option<TextDraft> {
        let is_text = matches!(self.what, PromptFor::Act { .. }) && !self.takes_word;
        let target = self
            .target
            .as_ref()
            .filter(|_| is_text && self.offer.is_none())?;
        Some(TextDraft {
            uid: target.uid.to_string(),
            prompt: self.title.clone(),
            text: self.typed.text().to_owned(),
        })
    }

    pub(in crate::ui) fn is_query(&self) -> bool {
        matches!(self.what, PromptFor::Query)
    }

    pub(in crate::ui) fn is_palette(&self) -> bool {
        matches!(self.what, PromptFor::Palette)
    }

    /// Returns the choices that have what was typed.
    pub(in crate::ui) fn shown(&self) -> Vec<&Choice> {
        // What is about to be taken by its number, or was typed before, does not search among them.
        if self.is_palette() || self.is_offered() || self.typed.is_old() {
            return self.choices.iter().collect();
        }
        let typed = self.typed.text().trim().to_lowercase();
        let choices = self.choices.iter();
        choices
            .filter(|choice| choice.words.to_lowercase().contains(&typed))
            .collect()
    }

    /// Takes a key.
    pub(super) fn key(mut self, key: &str) -> Prompted {
        // Among the choices that are drawn, which may be others once nothing is offered.
        let chosen = self
            .at
            .and_then(|at| self.shown().get(at).map(|it| it.then.clone()));
        self.offered = None;
        let count = self.shown().len();
        match key {
            "esc" | "ctrl-c" => return Prompted::Left(self),
            "down" | "tab" if count > 0 => {
                self.at = Some(self.at.map_or(0, |at| (at + 1).min(count - 1)));
            }
            "up" | "backtab" if count > 0 => self.at = self.at.and_then(|at| at.checked_sub(1)),
            "enter" => match chosen.or_else(|| {
                let only = self.only_offered()?;
                self.shown().get(only).map(|it| it.then.clone())
            }) {
                Some(then) => return self.take(then),
                None if self.takes_text => {
                    let typed = self.typed.text().trim().to_owned();
                    if let Some(then) = self.meant() {
                        return self.take(then);
                    }
                    if self.is_new(&typed) && self.said_new.as_ref() != Some(&typed) {
                        self.said_new = Some(typed);
                        return Prompted::New(self);
                    }
                    return self.submit();
                }
                None => {}
            },
            _ => {
                let is_first = self.typed.text().is_empty() || self.typed.is_old();
                let taken = self.choices.iter().find(|choice| {
                    let key_of = choice.key.map(String::from);
                    is_first && key_of.as_deref() == Some(key)
                });
                if let Some(choice) = taken {
                    let then = choice.then.clone();
                    if !self.takes_text {
                        return self.take(then);
                    }
                    self.offered = Some(then);
                }
                if self.takes_text {
                    self.typed.edit(key);
                    self.at = None;
                }
            }
        }
        Prompted::Open(self)
    }

    pub(super) fn is_offered(&self) -> bool {
        self.offered.is_some()
    }

    /// Takes the choice whose key was typed.
    pub(super) fn take_offered(mut self) -> Prompted {
        match self.offered.take() {
            Some(then) => self.take(then),
            None => Prompted::Open(self),
        }
    }

    /// Returns the place of the only issue that has what was typed, where issues are offered.
    fn only_offered(&self) -> Option<usize> {
        let is_typed = !self.typed.text().trim().is_empty();
        let is_only = self.offer.is_some() && is_typed && self.shown().len() == 1;
        is_only.then_some(0)
    }

    /// Returns whether a word of the repository was asked for, and this is none yet.
    fn is_new(&self, typed: &str) -> bool {
        let is_it = |choice: &Choice| choice.words.trim_start_matches("- ") == typed;
        let is_known = self.choices.is_empty() || self.choices.iter().any(is_it);
        self.takes_word && !typed.is_empty() && !is_known
    }

    /// Returns the choice that was typed out.
    fn meant(&self) -> Option<Then> {
        let typed = self.typed.text().trim().to_lowercase();
        let mut choices = self.choices.iter();
        let choice = choices.find(|choice| choice.words.to_lowercase() == typed)?;
        Some(choice.then.clone())
    }

    /// Types a text in the place of what was typed, as one that is meant even where it is new.
    pub(super) fn retype(&mut self, text: &str) {
        self.typed = Typed::new("");
        self.paste(text);
        self.said_new = Some(self.typed.text().trim().to_owned());
    }

    pub(super) fn paste(&mut self, text: &str) {
        if self.takes_text {
            self.typed.insert(text);
            self.at = None;
        }
    }

    fn take(self, then: Then) -> Prompted {
        match then {
            Then::Text(text) => self.with_text(&text).submit(),
            Then::Act(act) => Prompted::Act { act, prompt: self },
            Then::Prompt(prompt) => Prompted::Open(*prompt),
            Then::Query(query) => Prompted::Query(query),
            Then::Copy(text) => Prompted::Copy(text),
            Then::Go(go) => Prompted::Go(go),
        }
    }

    fn submit(self) -> Prompted {
        let text = self.typed.text().trim().to_owned();
        match &self.what {
            PromptFor::Query => Prompted::Query(text),
            PromptFor::Act {
                act,
                member,
                is_list,
                can_be_empty,
            } => {
                if text.is_empty() && !can_be_empty {
                    return Prompted::Open(self);
                }
                let mut act = act.clone();
                act[*member] = match is_list {
                    true => json!([text]),
                    false => json!(text),
                };
                Prompted::Act { act, prompt: self }
            }
            PromptFor::Choice | PromptFor::Palette => Prompted::Open(self),
        }
    }

    /// Says which issue it is about.
    pub(super) fn of(self, target: Target) -> Self {
        let target = Some(target);
        Self { target, ..self }
    }

    /// Makes the text a list of one.
    pub(super) fn listed(mut self) -> Self {
        if let PromptFor::Act { is_list, .. } = &mut self.what {
            *is_list = true;
        }
        self
    }
}
