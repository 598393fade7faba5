//! What was answered is there afterwards, and what is broken is named.

mod damage;
mod journal;
mod leftover;
mod recorded;
mod replay;
mod set_back;
