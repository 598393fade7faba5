//! Parts that several verbs need: none of these files is a verb, and none names one.

pub mod blockers;
pub mod claim;
pub mod close;
pub mod commit_links;
pub mod conflicts;
pub mod current_branch;
pub(crate) mod dependency;
pub(crate) mod discovered;
pub mod edit;
pub mod epic;
pub(crate) mod evidence;
pub mod field_diff;
pub mod fields;
pub(crate) mod ids;
pub mod issue_diff;
pub mod new_issue;
pub(crate) mod next_ready;
pub(crate) mod note;
pub mod operation;
pub mod presence;
pub mod query;
pub(crate) mod remote_state;
pub(crate) mod revision;
pub mod session;
pub mod sync;
pub(crate) mod words;
