//! Scenes: the data of a screen, whoever draws it.

pub(crate) mod inbox;
