//! The command line, verb by verb.

mod create;
mod first;
mod list;
mod look;
mod ready;
mod show;
mod update;
mod work;
