//! The command line, verb by verb.

mod first;
