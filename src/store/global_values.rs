//! The values of git's global configuration, which belongs to no repository.

use super::git::{checked, git, output};
use crate::env::Env;
use crate::store::Result;

/// Returns the values of a key of git's global configuration, in their order, with those of the files that it includes.
/// Errors: git can't be run, or can't read that configuration.
pub(crate) fn global_values(env: &Env, key: &str) -> Result<Vec<String>> {
    let mut command = git(env);
    // Not in the repository around, whose configuration may be broken; `--global` would leave out one of two files.
    command.current_dir("/");
    command.args(["config", "--null", "--show-scope", "--get-all", key]);
    let output = output(&mut command)?;
    // It ends with 1 where there is none.
    if output.status.code() != Some(1) {
        checked("config", output.status.success(), &output.stderr)?;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let parts: Vec<&str> = text.split_terminator('\0').collect();
    let pairs = parts.chunks(2).filter(|pair| pair[0] == "global");
    Ok(pairs
        .filter_map(|pair| pair.get(1).map(|value| (*value).to_owned()))
        .collect())
}
