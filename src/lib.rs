//! git-beads: issues in the git repository they are about.
//!
//! ```text
#![doc = include_str!("../docs/layers.txt")]
//! ```
//!
//! [`model`] is pure: what an issue is and how two states of it join. [`store`] is the repository and
//! the only place that names gix. [`index`] is a cache that may be deleted at any time. [`ops`] has one
//! file per verb. [`cli`] is clap and answers, `ui` a terminal that stays open, [`mcp`] serves agents, [`hooks`] are git's, [`setup`] configures
//! agents, `page` is what a browser shows, `serve` what it gets from a server of this machine. [`files`] writes files of others, [`mod@env`] is what a command sees of process,
//! user and machine, and [`platform`] knows the operating system.

pub mod cli;
mod desk;
pub mod env;
pub mod files;
pub mod hooks;
pub mod index;
pub mod mcp;
pub mod model;
pub mod ops;
mod page;
pub mod platform;
mod serve;
pub mod setup;
pub mod store;
mod text;
pub mod ui;
