//! On a terminal: what is sent to it, colours, columns, pager and editor.

mod colour;
mod columns;
mod hostile;
mod programs;
