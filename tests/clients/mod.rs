//! What starts the program or shows what it says: agents, hooks of git, shells, terminals, browsers.

mod agents;
mod command_line;
pub mod hooks;
pub mod mcp;
mod packages;
mod page;
mod serve;
mod sessions;
mod shell;
mod terminal;
mod ui;
