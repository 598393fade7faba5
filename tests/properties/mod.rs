//! What holds whatever the verb: shapes of answers, refusals, limits, histories.

mod cut_history;
mod json;
mod limits;
mod past_states;
mod refusals;
mod undo;
mod writes;
