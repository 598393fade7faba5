//! What somebody sees who supervises: where things stand, the board, events, the past.

mod board;
mod past;
mod status;
mod watch;
