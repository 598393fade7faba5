//! A claim that gave way, as it is said.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Issue, Party};
use crate::ops::{Result, View};

/// A claim that gave way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LostClaim {
    /// The issue.
    pub id: String,
    /// The one that had claimed it.
    pub claim: String,
    /// The one that has the issue, or ended it.
    pub by: String,
    /// `claimed`, `closed`, `blocked`, `deferred`, `deleted` or `changed`.
    pub how: String,
    /// `done`, `block`, `defer` or `stop`, where that is not applied either.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_applied: Option<String>,
    #[serde(skip)]
    pub(super) loser: Party,
}

impl LostClaim {
    /// Returns a claim that gave way to another one.
    pub(super) fn to(id: &str, loser: Party, by: &Party) -> Self {
        Self {
            id: id.to_owned(),
            claim: loser.to_string(),
            by: by.to_string(),
            how: "claimed".to_owned(),
            not_applied: None,
            loser,
        }
    }

    /// Returns the claims of an issue that are only here, as the one is that holds and to which they have lost: neither had come
    /// to the remote. Of an issue that no one works on what lost is an assignment, and stays a conflict.
    pub(super) fn of_unsent(view: &View<'_>, ours: &Issue, theirs: &Issue) -> Result<Vec<Self>> {
        let losers = ours.lost_claimants(theirs);
        let Some(by) = ours.holder().filter(|_| !losers.is_empty()) else {
            return Ok(Vec::new());
        };
        let id = view.id(ours.uid())?;
        let losers = losers.into_iter().filter(|loser| *loser != by);
        Ok(losers.map(|loser| Self::to(&id, loser, &by)).collect())
    }

    /// Says it to the one whose claim it was, or to another.
    pub(super) fn line(&self, remote: &str, is_own: bool) -> String {
        let (id, by, how) = (&self.id, &self.by, &self.how);
        let (claim, whose) = match is_own {
            true => ("your claim".to_owned(), "your"),
            false => (format!("the claim of {}", self.claim), "its"),
        };
        let lost = match &self.not_applied {
            None => format!("{claim} is released"),
            Some(verb) => format!("{claim} is released and its {verb} not applied"),
        };
        format!("{id}: {by} {how} it first (at {remote}); {lost}, {whose} notes are kept")
    }
}
