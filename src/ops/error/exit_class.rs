//! The exit codes of errors.

/// Classes of errors; each has one exit code and one family of codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitClass {
    /// Not found, or a bad value.
    Invalid,
    /// An unknown verb or option.
    Usage,
    /// The state of another is in the way.
    Conflict,
    /// No issues are kept here yet.
    NoStore,
    /// A remote failed; local state is safe.
    Remote,
    /// Disk, permissions, corruption.
    Io,
    /// Not a git repository.
    NotARepository,
}

impl ExitClass {
    /// The exit code of the contract.
    pub(crate) const fn exit_code(self) -> u8 {
        match self {
            Self::Invalid => 1,
            Self::Usage => 2,
            Self::Conflict => 3,
            Self::NoStore => 4,
            Self::Remote => 5,
            Self::Io => 6,
            Self::NotARepository => 128,
        }
    }
}
