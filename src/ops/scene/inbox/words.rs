//! What the rows of an inbox say and how many there are; each face puts the words in places of its own.

use serde_json::Value;

use super::row::NeedReason;
use super::{Inbox, Need};
use crate::ops::answer::shortened;
use crate::ops::shared::active::Active;
use crate::ops::shared::conflicts::Entry;

/// Characters of a value.
const MOST_VALUE: usize = 60;

impl NeedReason {
    /// Returns the sign in front of a row.
    pub(crate) const fn sign(self) -> char {
        match self {
            Self::Person => '!',
            Self::Conflict => '%',
            Self::Review => '+',
            Self::Landed => 'v',
            Self::Stale => '~',
        }
    }
}

impl Inbox {
    /// Returns how many needs there are of a reason, shown or not.
    pub(crate) fn count(&self, reason: NeedReason) -> usize {
        let shown = self.needs.iter().filter(|need| need.reason == reason);
        let counted = self.needs_counts.get(&reason).map(|n| *n as usize);
        counted.unwrap_or_else(|| shown.count())
    }

    /// Returns how much needs the caller.
    pub(crate) fn count_of_needs(&self) -> usize {
        let counts = NeedReason::ALL.into_iter().map(|reason| self.count(reason));
        self.questions.len() + counts.sum::<usize>()
    }

    /// Returns how much of it blocks others.
    pub(crate) fn blocking(&self) -> usize {
        self.questions.len() + self.count(NeedReason::Person)
    }
}

impl Need {
    /// Returns the digits that name its commit.
    pub(crate) fn short_commit(&self) -> String {
        const DIGITS: usize = 10;
        let commit = self.commit.as_deref().unwrap_or_default();
        commit.chars().take(DIGITS).collect()
    }
}

impl Entry {
    /// Returns both values of a field that was changed by two, each behind the number that chooses it.
    pub(crate) fn both(&self, text: impl Fn(&Value) -> String) -> String {
        let value = |value: &Value, by: &str| {
            let text = text(value);
            let text = shortened(&text, MOST_VALUE).unwrap_or(text);
            format!("{text} ({by})")
        };
        let lost = match self.missing {
            true => "a value that can't be read here".to_owned(),
            false => value(&self.value, &self.by),
        };
        let current = value(&self.current, &self.current_by);
        format!("{}: 0 {current}, {} {lost}", self.field, self.n)
    }
}

impl Active {
    /// Returns who works on it, and how it is known that they have left it.
    pub(crate) fn holder_and_remarks(&self) -> String {
        let mut words: Vec<String> = self.summary.holder().into_iter().collect();
        if let Some(claim) = &self.summary.claim {
            words.extend(claim.remarks("idle "));
        }
        if self.lease_over {
            words.push("lease over".to_owned());
        }
        if self.stale {
            words.push("stale".to_owned());
        }
        words.join(", ")
    }
}
