//! The command line, verb by verb.

mod create;
mod dep;
mod done;
mod drawings;
mod first;
mod graph;
mod list;
mod lookup;
mod misc;
mod ready;
mod session;
mod show;
mod split;
mod state;
mod stats;
mod turns;
mod update;
mod work;
mod writes;
