//! What the fuzz targets share. A target is one file in `targets`; the laws it holds the program to are there.

pub mod bytes;
pub mod scratch;
pub mod store;
