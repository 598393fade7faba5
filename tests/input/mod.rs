//! What comes in and what is answered: JSON of every verb, refusals, configuration.

mod config;
mod dashes;
mod guesses;
mod json;
mod limits;
mod pipes;
mod refusals;
