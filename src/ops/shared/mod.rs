//! What several verbs need: none of these files is a verb, and none names one.

pub mod commit_links;
pub mod current_branch;
pub mod epic;
pub mod field_diff;
pub mod presence;
pub(crate) mod remote_state;
pub(crate) mod revision;
pub mod sync;
