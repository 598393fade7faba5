//! Data and rules without side effects: issues, the join of two states, readiness.
//!
//! Nothing here reads a file, a clock or the environment, so every rule can be stated as a law and
//! tested as one.

pub mod bd;
pub mod blob;
pub mod canonical_json;
pub(crate) mod claim;
pub(crate) mod claim_yield;
pub(crate) mod command;
pub mod context;
pub mod date;
pub(crate) mod date_form;
pub mod delta;
pub mod edge;
pub mod evidence;
pub mod field;
pub mod graph;
pub mod id;
pub mod issue;
pub mod join;
pub mod limits;
pub mod memory;
pub mod mention;
pub mod prefix;
pub(crate) mod prose;
pub(crate) mod query;
pub(crate) mod review;
pub(crate) mod sources;
pub mod stamp;
pub mod status;
pub mod status_change;
pub mod time;
pub mod undo;
pub(crate) mod visible;

pub(crate) use blob::{Blob, Writer};
pub(crate) use claim::{Party, Verdict, Wish};
pub(crate) use context::Context;
pub(crate) use date::Clock;
pub use edge::{Edge, Target};
pub(crate) use evidence::Evidence;
pub use field::Field;
pub(crate) use field::{FieldKind, FieldMap};
pub(crate) use id::IssueId;
pub use issue::Issue;
pub(crate) use issue::StatusRegister;
pub(crate) use memory::NewQuestion;
pub use memory::{Memory, MemoryKind};
pub use stamp::{Stamp, Uid};
pub use status::Status;
pub(crate) use status_change::{StatusChange, StatusChanges};
