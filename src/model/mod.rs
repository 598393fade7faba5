//! Data and rules without side effects: issues, the join of two states, readiness.
//!
//! Nothing here reads a file, a clock or the environment, so every rule can be stated as a law and
//! tested as one.

pub mod bd;
pub mod blob;
pub mod canonical_json;
pub mod context;
pub mod delta;
pub mod edge;
pub mod field;
pub mod graph;
pub mod id;
pub mod issue;
pub mod join;
pub mod limits;
pub mod memory;
pub mod mention;
pub mod prefix;
pub mod stamp;
pub mod status;
pub mod status_change;
pub mod time;
pub mod undo;

pub use blob::{Blob, Writer};
pub use context::Context;
pub use edge::{Edge, Target};
pub(crate) use field::FieldKind;
pub use field::{Field, FieldMap};
pub use id::IssueId;
pub use issue::{Issue, StatusRegister};
pub use memory::{Memory, MemoryKind};
pub use stamp::{Stamp, Uid};
pub use status::Status;
pub use status_change::{StatusChange, StatusChanges};
