//! Which repository, on which file system, shared by whom, and what is left in it.

mod discovery;
mod file_size;
mod maintenance;
mod mounts;
mod namespace;
mod noflock;
mod project;
mod readers;
mod reftable;
mod replace;
mod shared;
mod submodule;
mod waiting;
