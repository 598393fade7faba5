//! Groups of options that several verbs take.

pub(super) mod at;
pub(super) mod duration;
pub(super) mod exchange;
pub(super) mod fields;
pub(super) mod filter;
pub(super) mod ids;
pub(super) mod link;
