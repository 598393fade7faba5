//! Scenes: the data of a screen, whoever draws it.

pub(crate) mod change;
pub(crate) mod inbox;
pub(crate) mod issue;
pub(crate) mod rows;
