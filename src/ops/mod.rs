//! Operations: each is written once, and the command line and the MCP server are adapters over it.
//!
//! [`verbs`] has one file per verb: a request, an answer, and one function between them. [`act`] has the same as values, which
//! a face sends that stays open. What several verbs need is in [`shared`]; the files at the root are what all of them stand on:
//! the tracker (a store with its index), the staged changes of one write, errors, and the shapes of answers.

pub mod act;
mod agent;
pub mod answer;
mod caller;
mod digest;
mod error;
mod held;
mod hint;
mod open;
pub mod scene;
pub mod shared;
mod tracker;
mod tx;
pub mod verbs;

pub(crate) use agent::{ActingAgent, Asked, check_own, short_hash};
pub(crate) use digest::digest;
pub use error::Code;
pub(crate) use error::{CODEX_SANDBOX, Error, ExitClass, Result, Retry};
pub(crate) use held::Held;
pub(crate) use hint::{Advice, Arg, Command, Hint, joined, shell_quote, shell_quote_path};
pub use open::open;
pub(crate) use open::{catch_up, reopen};
pub use tracker::Tracker;
pub(crate) use tracker::{ClaimPolicy, View, parse_lease};
pub(crate) use tx::Tx;

pub(crate) use crate::env::agent::ClientSession;
pub use crate::store::Intent;
pub(crate) use crate::store::notices::NoticeWatch;
pub(crate) use crate::store::{
    Cancel, GlobalValue, Located, Location, RefWatch, end_children, global_config, leave_signals,
};

use crate::env::Env;
use crate::store::Store;

/// Returns whether a repository is a submodule of another.
pub(crate) fn is_submodule(outer: &Located, inner: &Located) -> bool {
    inner.is_submodule_of(outer)
}

/// Returns the values of a key of git's global configuration, in their order.
pub(crate) fn global_values(env: &Env, keys: &[&str]) -> Result<Vec<GlobalValue>> {
    Ok(crate::store::global_values(env, keys)?)
}

/// Finds the repository that encloses a directory; an error where there is none.
pub(crate) fn locate(location: &Location) -> Result<Located> {
    Ok(Store::locate(location)?)
}
