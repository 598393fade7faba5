//! Texts as lines of a terminal, which the answers of verbs and the screens of `ui` share.

pub(crate) mod address;
pub(crate) mod line;
pub(crate) mod prose;
pub(crate) mod style;
pub(crate) mod value;
pub(crate) mod width;
pub(crate) mod words;
