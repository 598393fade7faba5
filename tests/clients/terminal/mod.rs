//! On a terminal: what is sent to it, colours, columns, pager.

mod colour;
mod columns;
mod hostile;
mod pager;
mod prose;
mod recent;
