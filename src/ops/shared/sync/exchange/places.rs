//! The commits in whose trees an exchange looks for carry files.

use super::Exchange;
use crate::ops::shared::carry;
use crate::ops::{Command, Error, Result};
use crate::store::carry::tips_of;
use crate::store::{Oid, Store};

/// The key that says which files are taken over.
const KEY: &str = "beads.collect";

/// A commit in whose tree files are looked for.
pub(super) struct CarryPlace {
    pub(super) name: String,
    pub(super) tip: Oid,
    /// The command by which the user names it.
    pub(super) option: Option<Command>,
}

impl Exchange<'_> {
    /// Returns the commits to look at, those that the user names first.
    pub(super) fn places(&self) -> Result<Vec<CarryPlace>> {
        let mut places = self.named_places()?;
        let Some(landed) = policy(self.store)? else {
            return Ok(places);
        };
        // What only joins does so whenever a tracker opens: it has to cost nothing.
        if self.request.fetch && self.request.merge && !self.remote.is_empty() {
            let tips = tips_of(self.store, self.remote, landed)?.into_iter();
            places.extend(tips.map(|(name, tip)| place(&name, tip, None)));
        }
        Ok(places)
    }

    /// Returns the commits that the user names.
    fn named_places(&self) -> Result<Vec<CarryPlace>> {
        let mut places = Vec::new();
        let sources = &self.request.sources;
        if sources.head {
            let tip = carry::head(self.store).ok_or_else(|| {
                Error::not_found("HEAD has no commit").hinted(Command::line("git log"))
            })?;
            places.push(place("HEAD", tip, Some(collect().flag("--head"))));
        }
        for branch in &sources.branches {
            let named = [
                format!("refs/remotes/{}/{branch}", self.remote),
                branch.clone(),
            ];
            let tip = named
                .iter()
                .find_map(|name| self.store.user_branches().commit_named(name));
            let tip = tip.ok_or_else(|| {
                Error::not_found(format!("`{branch}` is no branch here"))
                    .hinted(Command::line("git branch --all"))
            })?;
            places.push(place(branch, tip, Some(by_branch(branch))));
        }
        Ok(places)
    }
}

/// Returns true if only the branch that work lands on is looked at; none where no branch is.
/// Errors: a value of `beads.collect` that is none.
fn policy(store: &Store) -> Result<Option<bool>> {
    let text = store.config(KEY).unwrap_or_default();
    match text.trim() {
        "" | "branches" => Ok(Some(false)),
        "landed" => Ok(Some(true)),
        "none" => Ok(None),
        _ => {
            let message = format!("{KEY} is `{text}`; it can be branches, landed or none");
            let hint = Command::line("git config").word(KEY).word("branches");
            Err(Error::invalid(message).hinted(hint))
        }
    }
}

pub(super) fn collect() -> Command {
    Command::of("collect")
}

/// Returns the command that collects from a branch.
pub(super) fn by_branch(name: &str) -> Command {
    collect().flag("--branch").word(name)
}

fn place(name: &str, tip: Oid, option: Option<Command>) -> CarryPlace {
    CarryPlace {
        name: name.to_owned(),
        tip,
        option,
    }
}
