//! A good guest: the user's own branches and commits, hooks, agents, shells.

mod branches;
mod doctor;
mod landed;
mod uninstall;
