//! One file per verb: what is asked, what is answered, and one function between. Command line and MCP
//! server are adapters over these; nothing is done twice.

pub mod bd;
pub mod board;
pub mod branch;
pub mod compact;
pub mod complete;
pub mod conflicts;
pub mod create;
pub mod delete;
pub mod dep;
pub mod doctor;
pub mod done;
mod error;
pub mod export;
pub mod hook;
pub mod import;
pub mod init;
pub mod landed;
pub mod leave;
pub mod list;
pub mod log;
pub mod note;
mod past;
pub mod place;
pub mod plan;
pub mod purge;
pub mod rename;
pub mod session;
pub mod show;
pub mod split;
pub mod start;
pub mod state;
pub mod status;
pub mod sync;
pub mod task;
mod tracker;
mod tx;
pub mod update;
pub mod view;
pub mod watch;

pub use error::{Error, Kind, Result, quoted};
pub use tracker::{Tracker, View};
pub use tx::Tx;
