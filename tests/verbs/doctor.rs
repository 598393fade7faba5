//! `doctor`: what is wrong, and the command that helps.

mod surroundings;
