//! The desk: all repositories of a user, as the inbox and the faces show them.

pub(crate) mod inbox;
mod registry;
mod stores;
