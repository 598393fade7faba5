//! The command line as such: words, ids, configuration, pipes.

mod config;
mod dashes;
mod dates;
mod editor;
mod first;
mod guess_table;
mod guesses;
mod lookup;
mod pipes;
mod shorthand;
mod templates;
mod unknown_names;
