//! What holds for every verb: shapes of answers, refusals, limits, histories, exchanges, faults.

mod acts;
mod claims;
mod commits;
mod concurrency;
mod cut_history;
mod durability;
pub mod exchange;
pub mod faults;
mod guest;
mod hostile;
mod index;
mod json;
mod leases;
mod limits;
mod logging;
mod merge;
mod past_states;
pub mod queries;
mod reach;
mod refusals;
mod repository;
mod undo;
mod waits;
mod writes;
