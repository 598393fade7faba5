//! Keys to which a user has given commands: `beads.uiKey.K` of git's global configuration, where no repository can set them.

use super::keys::{Found, find};
use crate::env::Env;
use crate::ops::{Result, global_values};

/// The settings, each with a letter behind it, which git reads without regard to case.
const KEY: &str = "beads.uiKey";

/// A command on a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnKey {
    pub(crate) key: String,
    /// The line for a shell.
    pub(crate) line: String,
}

/// The keys of a user, and what is wrong with others.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnKeys {
    pub(crate) keys: Vec<OwnKey>,
    pub(crate) faults: Vec<String>,
}

/// Reads them.
/// Errors: git can't be asked for its configuration.
pub(crate) fn own_keys(env: &Env) -> Result<OwnKeys> {
    let mut found = OwnKeys::default();
    for set in global_values(env, &[&format!("{KEY}.[^.]*")])? {
        let key = set.key.rsplit('.').next().unwrap_or_default().to_owned();
        let line = set.value.strip_prefix('!').unwrap_or_default().to_owned();
        let fault = if key.chars().count() != 1 {
            "an own key is one letter"
        } else if find(None, &key) != Found::Nothing {
            "this key is not free"
        } else if line.is_empty() {
            "a command begins with `!`"
        } else {
            // As in git, the last one counts.
            found.keys.retain(|own| own.key != key);
            found.keys.push(OwnKey { key, line });
            continue;
        };
        found.faults.push(format!("{}: {fault}", set.key));
    }
    Ok(found)
}
