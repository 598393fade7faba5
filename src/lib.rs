//! git-beads: issues in the git repository they are about.

pub mod model;
