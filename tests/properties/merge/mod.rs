//! Clones that have both changed something.

mod aliases;
mod meeting;
mod older;
mod prefix;
mod probes;
mod rest;
mod topology;
mod versions;
