//! The command line as such: words, ids, configuration, pipes.

mod config;
mod dashes;
mod dates;
mod first;
mod guesses;
mod lookup;
mod pipes;
mod shorthand;
