//! The desk: all repositories of a user, as the inbox and the faces show them.

pub(crate) mod acts;
pub(crate) mod drafts;
pub(crate) mod feed;
pub(crate) mod inbox;
pub(crate) mod keys;
pub(crate) mod looks;
pub(crate) mod own_keys;
pub(crate) mod places;
pub(crate) mod recent;
mod registry;
mod stores;
pub(crate) mod undo;

use std::path::{Path, PathBuf};

/// Returns the work tree that a repository was made with, whichever of its work trees `top` is; `top` where it has none such.
fn main_tree(common: &Path, top: &Path) -> PathBuf {
    let parent = common.parent().filter(|_| common.ends_with(".git"));
    parent.unwrap_or(top).to_owned()
}
