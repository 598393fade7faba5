//! The text of a carry file, which anybody can have written or edited.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{CarryFault, ENDING, LARGEST_FILE, bad, too_large};
use crate::model::time;
use crate::store::Oid;

/// The beginning of the first line; the number of the version follows.
const FIRST: &str = "git-beads bundle ";
/// The newest version of the file that is read, and the one that is written.
const VERSION: u64 = 1;
/// So many operations are named.
const MOST_OPS: usize = 50;
/// So many characters does the name of one have.
const LONGEST_OP: usize = 200;
/// So many characters of the writer are in the name of a file.
const LONGEST_WRITER: usize = 24;
/// So many characters has a line of the bundle: whole groups of four.
const WIDTH: usize = 76;

/// A file, as far as it can be read without a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CarryFile {
    /// The commit that it was made on, which others have; none where it has the whole history.
    pub(crate) base: Option<Oid>,
    /// The newest commit in it that its writer knew a remote to have, where it has the whole history.
    pub(crate) known: Option<Oid>,
    /// The commit that it brings.
    pub(crate) tip: Oid,
    /// The number of operations that it is said to have.
    pub(crate) operations: usize,
    /// The first lines of these, the oldest first, as far as there is room.
    pub(crate) subjects: Vec<String>,
    /// The bundle, as git reads it.
    pub(super) bundle: Vec<u8>,
}

impl CarryFile {
    /// Returns true for a text that begins like a carry file.
    pub(crate) fn is_one(bytes: &[u8]) -> bool {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        bytes.trim_ascii_start().starts_with(FIRST.as_bytes())
    }

    /// Returns the name of the file: the time of its tip in milliseconds, who wrote it, and the beginning of its tip. A later
    /// one, where another file has that name, has a number.
    pub(crate) fn name(&self, at: u64, actor: &str, number: usize) -> String {
        let time = time::format(at);
        let time = time.split('.').next().unwrap_or_default();
        let time: String = time.chars().filter(char::is_ascii_alphanumeric).collect();
        let (time, tip) = (time.trim_end_matches('Z'), self.tip.to_string());
        let tip = tip.get(..8).unwrap_or_default();
        let number = match number {
            0 => String::new(),
            number => format!("-{}", number + 1),
        };
        format!("{time}Z-{}{number}-{tip}{ENDING}", writer(actor))
    }

    /// Returns the text of the file.
    pub(crate) fn encode(&self) -> String {
        let mut text = format!("{FIRST}{VERSION}\n");
        if let Some(base) = self.base {
            text.push_str(&format!("Base: {base}\n"));
        }
        if let Some(known) = self.known {
            text.push_str(&format!("Known: {known}\n"));
        }
        text.push_str(&format!("Tip: {}\nOps: {}\n", self.tip, self.operations));
        for subject in self.subjects.iter().take(MOST_OPS) {
            let words: Vec<&str> = subject.split_whitespace().collect();
            let line: String = words.join(" ").chars().take(LONGEST_OP).collect();
            text.push_str(&format!("  {line}\n"));
        }
        text.push('\n');
        for bytes in self.bundle.chunks(WIDTH / 4 * 3) {
            STANDARD.encode_string(bytes, &mut text);
            text.push('\n');
        }
        text
    }

    /// Reads a file. White space at the ends of lines, and the ends of lines themselves, do not matter.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, CarryFault> {
        let size = bytes.len() as u64;
        if size > LARGEST_FILE {
            return Err(too_large(size));
        }
        // What is not ASCII is shown alone: git may have committed it in another encoding.
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.trim_start_matches('\u{feff}').trim_start().lines();
        let first = lines.next().and_then(|line| line.strip_prefix(FIRST));
        let version = first.and_then(|version| version.trim().parse::<u64>().ok());
        match version {
            Some(VERSION) => {}
            Some(_) => return Err(CarryFault::Newer),
            None => return Err(bad("it is no carry file")),
        }
        let (mut base, mut known, mut tip) = (None, None, None);
        let (mut operations, mut subjects) = (0, Vec::new());
        for line in lines.by_ref() {
            let id = |text: &str| Oid::parse(text.trim()).ok_or(CarryFault::Edited);
            if line.trim().is_empty() {
                break;
            }
            if let Some(text) = line.strip_prefix("Base: ") {
                base = Some(id(text)?);
            } else if let Some(text) = line.strip_prefix("Known: ") {
                known = Some(id(text)?);
            } else if let Some(text) = line.strip_prefix("Tip: ") {
                tip = Some(id(text)?);
            } else if let Some(text) = line.strip_prefix("Ops: ") {
                operations = text.trim().parse().map_err(|_| CarryFault::Edited)?;
            } else if subjects.len() < MOST_OPS {
                subjects.push(line.trim().chars().take(LONGEST_OP).collect());
            }
        }
        let armour: String = lines.flat_map(str::split_whitespace).collect();
        let bundle = STANDARD.decode(armour).map_err(|_| CarryFault::Edited)?;
        Ok(Self {
            base,
            known,
            tip: tip.ok_or(CarryFault::Edited)?,
            operations,
            subjects,
            bundle,
        })
    }
}

/// Returns a name as the name of a file has it.
fn writer(actor: &str) -> String {
    let name: String = actor.chars().map(plain).take(LONGEST_WRITER).collect();
    match name.trim_matches('-') {
        "" => "someone".to_owned(),
        name => name.to_owned(),
    }
}

/// Returns a character as the name of a file has it.
fn plain(c: char) -> char {
    match c.to_ascii_lowercase() {
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> CarryFile {
        CarryFile {
            base: Oid::parse("19f311f9b1c14a3d4f6e0c1f4b9a8d7c6e5f4a3b"),
            known: None,
            tip: Oid::parse("6f1c0b7ab1c14a3d4f6e0c1f4b9a8d7c6e5f4a3b").unwrap(),
            operations: 1,
            subjects: vec!["start bd-a1b2: Fix\u{a0}auth".to_owned()],
            bundle: (0..=255).collect(),
        }
    }

    #[test]
    fn a_file_is_read_as_it_was_written_whatever_a_checkout_does_to_white_space() {
        let (file, text) = (file(), file().encode());
        let read = CarryFile {
            subjects: vec!["start bd-a1b2: Fix auth".to_owned()],
            ..file
        };
        let crlf = format!("\u{feff}\n{}", text.replace('\n', " \r\n"));
        for text in [&text, &crlf, &text.replace("==", "==\n\n")] {
            assert_eq!(CarryFile::parse(text.as_bytes()), Ok(read.clone()));
        }
        assert!(text.lines().all(|line| line.len() <= WIDTH));
        assert_eq!(
            read.name(1_795_349_730_000, "Ann / bot", 0),
            "20261122T121530Z-ann---bot-6f1c0b7a.bundle.txt"
        );
    }

    #[test]
    fn a_file_that_is_none_or_was_edited_is_named_so() {
        let text = file().encode();
        let parse = |text: &str| CarryFile::parse(text.as_bytes()).unwrap_err();
        assert_eq!(parse("{}\n"), bad("it is no carry file"));
        assert_eq!(parse("git-beads bundle 2\nx"), CarryFault::Newer);
        assert_eq!(
            parse(&text.replace("Tip: 6f", "Tip: x")),
            CarryFault::Edited
        );
        assert_eq!(parse(&text.replace("AAEC", "AA!C")), CarryFault::Edited);
    }
}
