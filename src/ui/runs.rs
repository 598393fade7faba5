//! A verb that is run for what it prints.

/// The number of those that run beside what is shown, until the face ends.
pub(super) const BESIDE: u64 = 0;

/// A verb that is to be run, until its output is here.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// Another number for each, or `BESIDE`.
    pub(super) number: u64,
    pub(super) repo: usize,
    /// What follows `git beads`.
    pub(super) words: Vec<String>,
    pub(super) columns: u16,
}

/// What a verb has printed; of one beside, its first line.
pub(super) struct Ran {
    pub(super) number: u64,
    pub(super) lines: Vec<String>,
    /// The words that may be ids of issues.
    pub(super) words: Vec<String>,
}
