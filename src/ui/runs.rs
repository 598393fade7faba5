//! A verb that is run for what it prints.

/// A verb that is to be run, until its output is here.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// Another number for each.
    pub(super) number: u64,
    pub(super) repo: usize,
    /// What follows `git beads`.
    pub(super) words: Vec<String>,
    pub(super) columns: u16,
}

/// What a verb has printed.
pub(super) struct Ran {
    pub(super) number: u64,
    pub(super) lines: Vec<String>,
    /// The words that may be ids of issues.
    pub(super) words: Vec<String>,
}
