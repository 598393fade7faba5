//! What is refused, by layer: an error, a hint, and nothing is changed.

mod command_line;
mod mcp;
mod store;
