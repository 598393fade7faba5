//! The command line as such: words, ids, configuration, pipes.

mod config;
mod dashes;
mod first;
mod guesses;
mod lookup;
mod pipes;
mod shorthand;
