//! The value of a ref, in any format.

use super::super::Oid;

/// The value of a ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum RefValue {
    /// An object.
    Id(Oid),
    /// The name of another ref.
    Symbolic(String),
}
