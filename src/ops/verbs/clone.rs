//! `clone`: a repository with its issues, as git clones it.

use std::path::{Path, PathBuf, is_separator};

use crate::env::Env;
use crate::ops::{Code, Command, Error, Result};
use crate::store::{StoreError, git};

/// The repository to clone, and the folder for it.
#[derive(Clone, Debug)]
pub(crate) struct Clone {
    /// Its URL or path.
    pub(crate) url: String,
    /// The folder, below the current one; by default the last part of the URL.
    pub(crate) folder: Option<String>,
}

/// Clones with git and returns the folder.
pub(crate) fn clone(env: &Env, here: &Path, request: &Clone) -> Result<PathBuf> {
    if let Err(error) = git::clone(env, &request.url, request.folder.as_deref(), here) {
        if matches!(error, StoreError::Remote { .. }) {
            return Err(error.into());
        }
        let message = match error {
            // What git said was shown as it came.
            StoreError::Git { .. } => "git clone failed (see above)".to_owned(),
            other => format!("git clone failed: {other}"),
        };
        let ask = Command::line("git ls-remote").word(&request.url);
        return Err(Error::new(Code::Remote, message).hinted(ask));
    }
    let folder = request.folder.as_deref();
    Ok(here.join(folder.unwrap_or_else(|| name(&request.url))))
}

/// Returns the folder that git chooses for a URL.
fn name(url: &str) -> &str {
    // As git does: the folder of `a/b/.git` is `b`, and that of `host:b.git` too.
    let url = url.trim_end_matches(is_separator).trim_end_matches("/.git");
    let last = url
        .rsplit(|c| is_separator(c) || c == ':')
        .next()
        .unwrap_or(url);
    let last = last.strip_suffix(".bundle").unwrap_or(last);
    last.strip_suffix(".git").unwrap_or(last)
}
