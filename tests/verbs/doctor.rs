//! `doctor`: what is wrong, and the command that helps.

mod damage;
mod surroundings;
