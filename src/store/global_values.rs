//! The values of git's global configuration, which belongs to no repository.

use super::git::{checked, git, output};
use crate::env::Env;
use crate::store::Result;

/// A value of git's global configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GlobalValue {
    pub(crate) value: String,
    /// The file that has it.
    pub(crate) file: String,
}

/// Returns the values of a key of git's global configuration, in their order, with those of the files that it includes.
/// Errors: git can't be run, or can't read that configuration.
pub(crate) fn global_values(env: &Env, key: &str) -> Result<Vec<GlobalValue>> {
    let mut command = git(env);
    // Not in the repository around, whose configuration may be broken; `--global` would leave out one of two files.
    command.current_dir("/");
    let args = ["config", "--null", "--show-scope", "--show-origin"];
    command.args(args).args(["--get-all", key]);
    let output = output(&mut command)?;
    // It ends with 1 where there is none.
    if output.status.code() != Some(1) {
        checked("config", output.status.success(), &output.stderr)?;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let parts: Vec<&str> = text.split_terminator('\0').collect();
    let mut found = Vec::new();
    for part in parts.chunks_exact(3) {
        let [scope, origin, value] = part else {
            continue;
        };
        if let ("global", Some(file)) = (*scope, origin.strip_prefix("file:")) {
            found.push(GlobalValue {
                value: (*value).to_owned(),
                file: file.to_owned(),
            });
        }
    }
    Ok(found)
}
