//! The values of git's global configuration, which belongs to no repository.

use super::git::{checked, git, output};
use crate::env::Env;
use crate::store::Result;

/// A value of git's global configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GlobalValue {
    pub(crate) key: String,
    pub(crate) value: String,
    /// The file that has it.
    pub(crate) file: String,
}

impl GlobalValue {
    /// Returns whether git reads it as a boolean that is false.
    pub(crate) fn is_false(&self) -> bool {
        let parsed = gix::config::Boolean::try_from(gix::bstr::BStr::new(&self.value));
        parsed.is_ok_and(|value| !value.0)
    }
}

/// Returns the values of some keys of git's global configuration, in their order, with those of the files that it includes.
/// Keys are in lower case, as git prints them.
/// Errors: git can't be run, or can't read that configuration.
pub(crate) fn global_values(env: &Env, keys: &[&str]) -> Result<Vec<GlobalValue>> {
    let mut command = git(env);
    // Not in the repository around, whose configuration may be broken; `--global` would leave out one of two files.
    command.current_dir("/");
    let args = ["config", "--null", "--show-scope", "--show-origin"];
    let pattern = format!("^({})$", keys.join("|").replace('.', r"\."));
    command.args(args).args(["--get-regexp", &pattern]);
    let output = output(&mut command)?;
    // It ends with 1 where there is none.
    if output.status.code() != Some(1) {
        checked("config", output.status.success(), &output.stderr)?;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let parts: Vec<&str> = text.split_terminator('\0').collect();
    let mut found = Vec::new();
    for part in parts.chunks_exact(3) {
        let [scope, origin, set] = part else {
            continue;
        };
        // A key without a value is one that is true.
        let (key, value) = set.split_once('\n').unwrap_or((set, "true"));
        if let ("global", Some(file)) = (*scope, origin.strip_prefix("file:")) {
            found.push(GlobalValue {
                key: key.to_owned(),
                value: value.to_owned(),
                file: file.to_owned(),
            });
        }
    }
    Ok(found)
}
