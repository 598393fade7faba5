//! The lines of a file, which is read twice.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use super::{LineError, Unit};
use crate::ops::{Error, Result};

/// Longest line that is read.
pub(super) const LONGEST_LINE: u64 = 64 << 20;

/// The records of a file, not read yet.
pub(super) struct Records {
    pub(super) file: File,
    pub(super) unit: Unit,
    /// Faults that were found while it was copied.
    pub(super) errors: Vec<LineError>,
    /// True if links and labels were added from the files of its folder.
    pub(super) is_joined: bool,
}

impl Records {
    pub(super) fn lines(file: File) -> Self {
        Self {
            file,
            unit: Unit::Line,
            errors: Vec::new(),
            is_joined: false,
        }
    }
}

/// Reads the next line in the place of what the buffer holds, up to the limit; returns its length in bytes.
pub(super) fn read_line(reader: &mut impl BufRead, buffer: &mut Vec<u8>) -> Result<u64> {
    buffer.clear();
    let mut line = reader.take(LONGEST_LINE);
    let length = line.read_until(b'\n', buffer);
    length
        .map(|length| length as u64)
        .map_err(|error| unread(&error))
}

/// Calls `each` with number, offset and text of every line.
pub(super) fn lines(
    input: &mut File,
    mut each: impl FnMut(usize, u64, Result<&str, String>),
) -> Result<()> {
    input
        .seek(SeekFrom::Start(0))
        .map_err(|error| unread(&error))?;
    let mut reader = BufReader::with_capacity(1 << 18, input);
    let (mut buffer, mut offset) = (Vec::new(), 0);
    for number in 1.. {
        let length = read_line(&mut reader, &mut buffer)?;
        if length == 0 {
            break;
        }
        let bytes = if number == 1 {
            buffer.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&buffer)
        } else {
            &buffer
        };
        let text = std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"));
        each(number, offset, text);
        offset += length;
    }
    Ok(())
}

pub(super) fn unread(error: &std::io::Error) -> Error {
    Error::io("can't read the file", error)
}

pub(super) fn copied(error: &std::io::Error) -> Error {
    Error::io("can't copy the input", error)
}
