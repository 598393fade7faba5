//! Files that a user has, made into records, one a line.
//!
//! The kind of a file is recognised by its content. Lines are read where they are; all else is copied to a
//! file of our own first: an array, UTF-16, the tables of a backup. A further kind is one more arm of `open_file`.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::backup;
use super::file::{FileContents, scan};
use super::lines::{Records, copied, unread};
use super::{ImportOptions, LineError, Unit, sources};
use crate::model::bd::OtherFile;
use crate::model::sources::SourceFile;
use crate::ops::shared::words::plain;
use crate::ops::{Command, Error, Hint, Result};
use crate::platform;

/// The bytes by which the kind of a file is recognised.
const HEAD: u64 = 1 << 16;

/// The names that bd has given its file of issues.
const ISSUE_FILES: [&str; 2] = ["issues.jsonl", "beads.jsonl"];

/// Beginnings of files that have no text.
const BINARY: [(&[u8], &str); 3] = [
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x1f\x8b", "compressed by gzip"),
    (b"PK\x03\x04", "a zip archive"),
];

/// The records of an import.
pub(crate) struct Input {
    /// The name of the file, for messages.
    pub(crate) name: String,
    pub(super) file: File,
    pub(super) contents: FileContents,
    /// Its issues, where it is of another tracker.
    pub(super) source: Option<SourceFile>,
}

impl Input {
    /// Opens a file or folder.
    /// Errors: it can't be read, or has nothing that can be imported: the message says what was found.
    pub(crate) fn open(path: &Path, options: &ImportOptions) -> Result<Self> {
        let name = path.file_name().unwrap_or(path.as_os_str());
        let name = name.to_string_lossy().into_owned();
        if !path.is_dir() {
            let file = File::open(path).map_err(|error| unreadable(path, &error))?;
            let is_file = file.metadata().is_ok_and(|meta| meta.is_file());
            // A pipe, as from `<(...)`: an import reads its file twice.
            let file = if is_file { file } else { spool(file)? };
            let is_table = path.file_name().is_some_and(|name| name == ISSUE_FILES[0]);
            let tables = path.parent().filter(|_| is_file && is_table);
            return Self::of(name, file, options, tables, Some(path));
        }
        let mut files = ISSUE_FILES.iter().map(|name| path.join(name));
        let Some(found) = files.find(|file| file.is_file()) else {
            return Err(no_issue_file(path));
        };
        let file = File::open(&found).map_err(|error| unreadable(&found, &error))?;
        Self::of(name, file, options, Some(path), Some(&found))
    }

    /// Reads standard input.
    /// Errors: as those of `open`.
    pub(crate) fn of_stream(input: impl Read, options: &ImportOptions) -> Result<Self> {
        Self::of("-".to_owned(), spool(input)?, options, None, None)
    }

    /// Returns the prefix that most of its ids have; none where they have none in common.
    pub(crate) fn common_prefix(&self) -> Option<String> {
        self.contents.common_prefix()
    }

    fn of(
        name: String,
        file: File,
        options: &ImportOptions,
        tables: Option<&Path>,
        path: Option<&Path>,
    ) -> Result<Self> {
        let mut records = open_file(&name, file)?;
        if let Some(source) = sources::recognise(&name, path, &mut records.file, options)? {
            return Self::of_source(name, records, source);
        }
        if let Some(folder) = tables.filter(|folder| backup::has_tables(folder)) {
            records = backup::join(folder, records)?;
        }
        let mut contents = scan(&mut records.file, records.unit)?;
        for error in records.errors {
            // That an element is cut off says more than that it is no JSON.
            contents
                .errors
                .retain(|known| known.place() != error.place());
            contents.errors.push(error);
        }
        if records.is_joined {
            contents.without_links = 0;
        }
        check(&name, &contents, path)?;
        Ok(Self {
            name,
            file: records.file,
            contents,
            source: None,
        })
    }

    /// Returns the input of another tracker.
    fn of_source(name: String, records: Records, source: SourceFile) -> Result<Self> {
        let unit = match source.is_table {
            true => Unit::Line,
            false => records.unit,
        };
        let faults = source.faults.iter();
        let faults = faults.map(|(at, why)| LineError::new(unit, *at, why.clone()));
        let contents = FileContents {
            unit,
            errors: records.errors.into_iter().chain(faults).collect(),
            ..FileContents::default()
        };
        if let (true, Some(fault)) = (source.issues.is_empty(), contents.errors.first()) {
            let (place, why, kind) = (fault.place(), &fault.message, source.kind);
            let message =
                format!("`{name}` has no issue of {kind} that can be imported: {place}: {why}");
            return Err(Error::invalid(message).hinted(importable()));
        }
        Ok(Self {
            name,
            file: records.file,
            contents,
            source: Some(source),
        })
    }
}

/// Recognises the kind of a file by how it begins.
fn open_file(name: &str, mut file: File) -> Result<Records> {
    let mut head = Vec::new();
    (&mut file)
        .take(HEAD)
        .read_to_end(&mut head)
        .map_err(|error| unread(&error))?;
    if let Some((_, what)) = BINARY.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(foreign(name, what));
    }
    if let Some(order) = byte_order(&head) {
        file = decode(name, &mut file, order)?;
        head.clear();
        (&mut file)
            .take(HEAD)
            .read_to_end(&mut head)
            .map_err(|error| unread(&error))?;
    }
    if head.contains(&0) {
        return Err(foreign(name, "a binary file"));
    }
    file.seek(SeekFrom::Start(0))
        .map_err(|error| unread(&error))?;
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    let text = text.trim_ascii_start();
    let first_line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    // An object that goes over several lines, or several of them.
    if !text.starts_with(b"[") && first_line.trim_ascii_end() != b"{" {
        return Ok(Records::lines(file));
    }
    let mut out = tempfile::tempfile().map_err(|error| copied(&error))?;
    let mut errors = Vec::new();
    if let Some(last) = split(BufReader::new(file), &mut out)? {
        let message = "the input ends here, before its array or object does";
        errors.push(LineError::new(Unit::Element, last, message.into()));
    }
    Ok(Records {
        unit: Unit::Element,
        errors,
        ..Records::lines(out)
    })
}

/// Copies an input into a file that can be read twice.
fn spool(mut input: impl Read) -> Result<File> {
    let mut file = tempfile::tempfile().map_err(|error| copied(&error))?;
    std::io::copy(&mut input, &mut file).map_err(|error| copied(&error))?;
    file.seek(SeekFrom::Start(0))
        .map_err(|error| copied(&error))?;
    Ok(file)
}

/// The two orders of UTF-16.
#[derive(Clone, Copy)]
enum ByteOrder {
    Little,
    Big,
}

/// Returns the order of a text in UTF-16, which begins with a mark or an ASCII character.
fn byte_order(head: &[u8]) -> Option<ByteOrder> {
    match head {
        [0xff, 0xfe, ..] | [b'{' | b'[', 0, ..] => Some(ByteOrder::Little),
        [0xfe, 0xff, ..] | [0, b'{' | b'[', ..] => Some(ByteOrder::Big),
        _ => None,
    }
}

/// Copies a text in UTF-16, as PowerShell 5 writes it, into a file in UTF-8.
fn decode(name: &str, file: &mut File, order: ByteOrder) -> Result<File> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))
        .map_err(|error| unread(&error))?;
    file.read_to_end(&mut bytes)
        .map_err(|error| unread(&error))?;
    let units = bytes.chunks_exact(2).map(|pair| match order {
        ByteOrder::Little => u16::from_le_bytes([pair[0], pair[1]]),
        ByteOrder::Big => u16::from_be_bytes([pair[0], pair[1]]),
    });
    let text = String::from_utf16(&Vec::from_iter(units));
    let text = text.map_err(|_| foreign(name, "neither UTF-8 nor whole UTF-16"))?;
    spool(text.as_bytes())
}

/// Writes each object of arrays, or of objects one after another, to a line of its own: so its number in the
/// lines is its number in the file, and a fault in one element is that of its line.
/// Returns the number of the last element where the input ends too early.
fn split(mut input: impl BufRead, out: &mut File) -> Result<Option<usize>> {
    let mut out = BufWriter::with_capacity(1 << 18, out);
    let mut elements = Elements::default();
    loop {
        let bytes = input.fill_buf().map_err(|error| unread(&error))?;
        if bytes.is_empty() {
            break;
        }
        for byte in bytes {
            elements
                .step(*byte, &mut out)
                .map_err(|error| copied(&error))?;
        }
        let length = bytes.len();
        input.consume(length);
    }
    let is_cut = elements.arrays > 0 || elements.is_inside();
    if elements.is_inside() {
        elements.end(&mut out).map_err(|error| copied(&error))?;
    }
    out.flush().map_err(|error| copied(&error))?;
    Ok(is_cut.then_some(elements.count))
}

/// The position of a reader of elements.
#[derive(Default)]
struct Elements {
    /// Elements begun so far.
    count: usize,
    /// Arrays around an element.
    arrays: usize,
    /// Braces within it.
    braces: usize,
    /// Within an element that is no object.
    in_scalar: bool,
    in_string: bool,
    is_escaped: bool,
}

impl Elements {
    fn is_inside(&self) -> bool {
        self.braces > 0 || self.in_scalar
    }

    fn step(&mut self, byte: u8, out: &mut impl Write) -> std::io::Result<()> {
        if self.in_string {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            // No string has a bare line end; as a tab it is refused with its element alone.
            return out.write_all(&[if byte == b'\n' { b'\t' } else { byte }]);
        }
        if self.in_scalar && matches!(byte, b',' | b']' | b'\n') {
            self.end(out)?;
        }
        if !self.is_inside() {
            match byte {
                b'[' => self.arrays += 1,
                b']' => self.arrays = self.arrays.saturating_sub(1),
                // With the bytes of a mark.
                b',' | b' ' | b'\t' | b'\r' | b'\n' | 0xef | 0xbb | 0xbf => {}
                _ => {
                    self.count += 1;
                    self.in_scalar = byte != b'{';
                }
            }
            if !self.in_scalar && byte != b'{' {
                return Ok(());
            }
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' if !self.in_scalar => self.braces += 1,
            b'}' if !self.in_scalar => self.braces -= 1,
            _ => {}
        }
        out.write_all(&[if byte == b'\n' { b' ' } else { byte }])?;
        if !self.is_inside() {
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut impl Write) -> std::io::Result<()> {
        (self.braces, self.in_scalar, self.in_string) = (0, false, false);
        out.write_all(b"\n")
    }
}

/// Refuses a file of which nothing can be taken because it is of another kind.
fn check(name: &str, contents: &FileContents, path: Option<&Path>) -> Result<()> {
    if !contents.issues.is_empty() || !contents.memory.is_empty() || contents.records == 0 {
        return Ok(());
    }
    if let Some((other, count)) = contents.others.first()
        && *count == contents.records
    {
        return Err(other_file(name, other, path));
    }
    if contents.no_json == contents.records {
        let message = format!(
            "`{name}` has no JSON record; it begins with `{}`",
            plain(&contents.begins_with)
        );
        return Err(Error::invalid(message).hinted(importable()));
    }
    Ok(())
}

/// The error for a file of bd that has no issues.
fn other_file(name: &str, other: &OtherFile, path: Option<&Path>) -> Error {
    let message = format!("`{name}` has {}, and no issue to import", other.what);
    let error = Error::invalid(message);
    let beside = path.filter(|_| other.is_of_bd).and_then(|path| {
        let folder = path.parent()?;
        // The rows of a backup belong together.
        if backup::is_table(path) && folder.join(ISSUE_FILES[0]).is_file() {
            return Some(folder.to_owned());
        }
        let folders = [Some(folder), folder.parent()];
        let files = folders
            .into_iter()
            .flatten()
            .flat_map(|folder| ISSUE_FILES.iter().map(move |name| folder.join(name)));
        files
            .into_iter()
            .find(|file| file.is_file() && file != path)
    });
    match beside {
        Some(beside) => error.hinted(import_of(&beside)),
        None => error.hinted(importable()),
    }
}

/// Returns the command that imports a file or folder, by a path without `..`.
fn import_of(path: &Path) -> Command {
    let whole = platform::canonicalize(path);
    Command::of("import").path(whole.as_deref().unwrap_or(path))
}

/// The error for a folder that has no file of issues, with the one below it that has.
fn no_issue_file(folder: &Path) -> Error {
    let whole = platform::canonicalize(folder);
    let folder = whole.as_deref().unwrap_or(folder);
    let message = format!(
        "{} is a folder without {}",
        folder.display(),
        ISSUE_FILES[0]
    );
    let error = Error::invalid(message);
    for below in [".beads", "backup", ".beads/backup"] {
        let below = folder.join(below);
        if ISSUE_FILES.iter().any(|name| below.join(name).is_file()) {
            return error.hinted(import_of(&below));
        }
    }
    error.hinted(importable())
}

fn foreign(name: &str, what: &str) -> Error {
    let error = Error::invalid(format!("`{name}` is {what}"));
    match what.contains("SQLite") {
        true => error.hinted(Hint::text(
            "write its issues with `bd export -o issues.jsonl`, and import that file",
        )),
        false => error.hinted(importable()),
    }
}

fn importable() -> Hint {
    Hint::text(
        "import the JSON of `gh issue list --json ...`, a CSV file (`git beads import FILE --map ...`), what `bd export`, `br` or `bd list --json` write, or a folder such as .beads/backup",
    )
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::not_found(format!("can't read {}: {error}", path.display())).hinted(Hint::text(
        "name a file that exists, or - for standard input",
    ))
}
