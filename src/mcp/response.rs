//! Answers to a client: one text of compact JSON, harmless and of bounded size.
//!
//! Texts of issues are written by others. Characters that are invisible or reverse the direction of
//! text are left out, so that an answer holds nothing that a person would not see in the issue.

use serde::Serialize;
use serde_json::Map;

use super::sanitize::harmless;
use super::truncate::{LONGEST, cut, cut_list, cut_rows, is_list_of_rows};
use crate::ops::answer::{Failure, envelope, shortened};

/// Largest number of characters of a message or hint: either may repeat what a caller sent.
const LONGEST_MESSAGE: usize = 2_000;

/// An answer, which may be an error.
#[derive(Clone, Debug, Default)]
pub(super) struct Response {
    /// Compact JSON, or plain text.
    pub(super) text: String,
    pub(super) plain: bool,
    pub(super) failed: bool,
    /// Warnings beside an answer that is no object, in which they have no place.
    pub(super) warnings: Vec<String>,
    /// The repository of such an answer, where it has to be said.
    pub(super) repo: Option<String>,
}

impl Response {
    pub(super) fn new(answer: &impl Serialize) -> Self {
        Self {
            text: fit(harmless(answer), LONGEST),
            ..Self::default()
        }
    }

    pub(super) fn takes_members(&self) -> bool {
        !self.plain && self.text.ends_with('}')
    }

    /// Returns the same answer with the warnings for the user: within it where it is an object.
    pub(super) fn warned(self, warnings: Vec<String>) -> Self {
        match self.takes_members() {
            true => self.with("warnings", &warnings),
            false => Self { warnings, ..self },
        }
    }

    /// Returns the same answer, an object, with the notices to the agent.
    pub(super) fn noticed(self, notices: &[String]) -> Self {
        self.with("notices", notices)
    }

    /// Returns the same answer, an object, with the issues that are open again since nothing holds them up any more.
    pub(super) fn unblocked(self, ids: &[String]) -> Self {
        self.with("unblocked", ids)
    }

    /// Returns the same answer with the repository that it is about, where that is to be said.
    pub(super) fn about(self, repo: Option<String>) -> Self {
        match &repo {
            Some(repo) if self.takes_members() => self.with_member("repo", repo),
            _ => Self { repo, ..self },
        }
    }

    fn with(self, name: &str, texts: &[String]) -> Self {
        match texts {
            [] => self,
            texts => self.with_member(name, &texts),
        }
    }

    /// Adds a member to an object: after the cut, so that none of it is lost with that.
    fn with_member(self, name: &str, value: &impl Serialize) -> Self {
        let Some(open) = self.text.strip_suffix('}') else {
            return self;
        };
        let comma = if open.ends_with('{') { "" } else { "," };
        let text = format!("{open}{comma}\"{name}\":{}}}", harmless(value));
        Self { text, ..self }
    }

    /// Returns its texts: the answer, and what is no part of it.
    pub(super) fn into_texts(self) -> Vec<String> {
        let (mut texts, mut beside) = (vec![self.text], Map::new());
        if !self.warnings.is_empty() {
            beside.insert("warnings".into(), self.warnings.into());
        }
        if let Some(repo) = self.repo {
            beside.insert("repo".into(), repo.into());
        }
        if !beside.is_empty() {
            texts.push(harmless(&beside));
        }
        texts
    }

    /// Returns a text of bounded size, which is harmless already.
    pub(super) fn plain(text: String) -> Self {
        Self {
            text,
            plain: true,
            ..Self::default()
        }
    }

    /// Returns the answer as JSON, for an answer that holds it.
    pub(super) fn into_json(self) -> String {
        match self.plain {
            true => harmless(&self.text),
            false => self.text,
        }
    }

    pub(super) fn error(mut failure: Failure) -> Self {
        for text in [Some(&mut failure.message), failure.hint.as_mut()]
            .into_iter()
            .flatten()
        {
            if let Some(short) = shortened(text, LONGEST_MESSAGE) {
                *text = short;
            }
        }
        Self {
            text: harmless(&envelope(failure)),
            failed: true,
            ..Self::default()
        }
    }

    pub(super) fn failed(self, failed: bool) -> Self {
        Self { failed, ..self }
    }
}

/// Returns an answer as it is, or cut to so many characters.
pub(super) fn fit(text: String, limit: usize) -> String {
    // The limit is in characters; bytes are looked at first because they need no counting.
    if text.len() <= limit || text.chars().count() <= limit {
        return text;
    }
    if is_list_of_rows(&text, limit) {
        return cut_list(&text, limit).unwrap_or(text);
    }
    let text = cut_rows(&text, limit)
        .unwrap_or_else(|| cut(serde_json::from_str(&text).unwrap_or_default(), limit));
    // A list of many rows can be too long though all that is in them was cut.
    match text.chars().count() > limit {
        true => cut_list(&text, limit).unwrap_or(text),
        false => text,
    }
}
