//! One page for a browser: issues, memory, history and dependencies in a file that needs nothing else.
//!
//! The page loads nothing and runs only its own script, whose hash its policy names. What people wrote
//! is in one block of JSON that has no `<`, and becomes text by the script, never markup.

mod data;
mod frame;

use std::io::Write;

pub(crate) use frame::{Shell, shell};

use crate::index::Row;
use crate::ops::Result;
use crate::ops::verbs::export::{ExportProgress, Source, write};

/// Writes the page of some issues. All that can fail late is read before the first byte is written.
pub(crate) fn write_page(
    source: &Source<'_, '_>,
    rows: &[Row],
    out: &mut dyn Write,
    progress: ExportProgress<'_>,
) -> Result<()> {
    let view = source.view;
    let around = data::PageContext::new(view, rows)?;
    let [before, after] = frame::halves();
    write(out, &before)?;
    write(out, &frame::embedded(&around.head(view)?))?;
    for (i, row) in rows.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        write(out, comma)?;
        write(out, &frame::embedded(&data::issue(source, row, &around)?))?;
        progress(i + 1, rows.len());
    }
    write(out, &frame::embedded(&around.tail()?))?;
    write(out, &after)
}
