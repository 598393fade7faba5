//! The store, seen from outside: what git and the file system show of what the program does.

mod commits;
mod concurrency;
pub mod damage;
mod discovery;
mod doctor;
mod export;
mod fixture;
mod guest;
mod journal;
mod leftover;
mod mounts;
mod namespace;
mod newer;
mod noflock;
pub mod plumbing;
mod purge;
pub mod refusals;
mod replay;
mod shared;
mod tidy;
