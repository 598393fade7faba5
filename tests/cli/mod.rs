//! The command line, verb by verb.

mod create;
mod dep;
mod done;
mod first;
mod list;
mod look;
mod ready;
mod show;
mod state;
mod update;
mod work;
