//! Files that a command line names.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use crate::env::Env;
use crate::files::AtomicFile;
use crate::ops::verbs::import::{ImportOptions, Input};
use crate::ops::{Code, Error, Hint, Result};

/// Replaces a file when all of it is written, so that what fails leaves the old one; what is no file is written to.
pub(super) fn put<T>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    let failed = |error: std::io::Error| {
        let message = format!("can't write {}: {}", path.display(), error.kind());
        Error::new(Code::Io, message).hinted(Hint::text(
            "name a file in a folder that exists and that you may write to",
        ))
    };
    // A pipe or a device can't be replaced by a new file.
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
        return write(&mut File::options().write(true).open(path).map_err(failed)?);
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    // Asked before, since a folder that does not exist is what people get wrong.
    std::fs::metadata(folder).map_err(failed)?;
    let mut new = AtomicFile::of(path, 0o666).map_err(failed)?;
    let mut out = BufWriter::new(new.file());
    let written = write(&mut out)?;
    out.flush().map_err(failed)?;
    drop(out);
    new.finish().map_err(failed)?;
    Ok(written)
}

/// Opens a file or folder to import; `-` is standard input.
pub(super) fn open_input(env: &Env, path: &Path, options: &ImportOptions) -> Result<Input> {
    match path.as_os_str() == "-" {
        true => Input::of_stream(env.input(), options),
        false => Input::open(path, options),
    }
}

/// Reads a text; `-` is standard input.
pub(super) fn read_text(env: &Env, path: &Path) -> Result<String> {
    String::from_utf8(read_bytes(env, path, u64::MAX)?).map_err(|_| {
        Error::invalid(format!("{} is not UTF-8", path.display()))
            .hinted(Hint::again("save it as UTF-8 and ", ""))
    })
}

/// Reads a file, and no more of it than shows that it is larger than `most` bytes; `-` is standard input.
pub(super) fn read_bytes(env: &Env, path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = most.saturating_add(1);
    let read = if path.as_os_str() == "-" {
        env.input().take(most).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|error| unreadable(path, &error))?;
    Ok(bytes)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::not_found(format!("can't read {}: {error}", path.display())).hinted(Hint::text(
        "name a file that exists, or - for standard input",
    ))
}
