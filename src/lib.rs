//! git-beads: issues in the git repository they are about.

pub mod env;
pub mod index;
pub mod model;
pub mod store;
