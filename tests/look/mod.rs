//! What somebody sees who supervises: where things stand, the board, events, the past.

mod past;
mod status;
