//! `demo`: the repositories that a demonstration runs in.

use std::path::Path;

use crate::env::Env;
use crate::ops::Result;
use crate::store::git;

/// Makes a repository `project` with one commit, and its remote `hub.git`, in a folder.
pub(crate) fn repositories(env: &Env, folder: &Path) -> Result<()> {
    Ok(git::init_demo(env, folder)?)
}
