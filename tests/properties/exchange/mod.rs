//! Clones that exchange through a remote, with every kind of remote and configuration.

mod crowd;
mod injection;
mod joining;
mod locks;
mod packs;
mod parallel;
mod pushurl;
mod remotes;
mod rewound;
mod settings;
mod silent;
mod staged;
pub mod transports;
mod verbs;
mod yields;
