//! The redo journal: what an answered write needs to be made again after a power cut.
//!
//! Git makes neither loose objects nor refs durable, and gix never does. Instead of a `fsync` for each of the
//! files of a write, its objects and the move of the ref are appended here in one piece, which one `fdatasync`
//! makes durable; replaying is in `replay.rs`. A record whose move did not happen is taken back by an abort.
//!
//! ```text
//! journal = "git-beads journal 1 <32 hex digits>\n" record*
//! record  = "\nbj1" length:u32 check:[u8; 16] body length:u32          (little endian)
//! body    = kind:u8 number:u32 place:text old:text new:text count:u32 (kind:u8 bytes:u32 [u8])*
//! text    = length:u8 [u8]
//! ```
//!
//! `check` begins SHA-256 of the digits and the body, so that no text of an issue can pose as a record where
//! reading has to go on after damage. The second length lets the last record be found from the end.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gix::objs::Kind;
use sha2::{Digest, Sha256};

use super::object::Object;
use super::private_file;
use super::{Oid, Permissions, Result, io};
use crate::env;
use crate::platform::{self, FileId, sync_folder};

/// The file that is written to; full ones are called `journal-<n>`, and `packed-<n>` once their objects lie in a
/// pack, until the next is packed.
pub(super) const NAME: &str = "journal";
const HEADER: &str = "git-beads journal 1 ";
const HEADER_LENGTH: usize = HEADER.len() + 33;
const START: &[u8; 4] = b"\nbj1";
/// Start, length and check before the body, and the length after it.
const FRAME: usize = 4 + 4 + 16 + 4;
/// A journal is full after so many records, or so many bytes.
const RECORDS: u32 = 256;
const BYTES: u64 = 64 << 20;

/// What a record says of the ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It is about to be moved.
    Move,
    /// The move before did not happen.
    Abort,
}

/// A record: the ref goes from `old` to `new`, by these objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) step: Step,
    /// How many records of this journal were written before.
    pub(super) number: u32,
    /// The boot of the machine, and the file: a copy of the repository is another place.
    pub(super) place: String,
    pub(super) old: Option<Oid>,
    pub(super) new: Option<Oid>,
    pub(super) objects: Vec<Object>,
}

/// All that is known of one journal.
#[derive(Debug, Default)]
pub struct Contents {
    pub(super) records: Vec<Record>,
    /// Places where something else than a record lies.
    pub(super) damage: usize,
    /// Whether the last record was written under this boot, in this file.
    pub(super) here: bool,
}

impl Contents {
    /// How many records were read, and in how many places there is something else.
    pub fn counts(&self) -> (usize, usize) {
        (self.records.len(), self.damage)
    }

    /// Where the ref was put last.
    pub(super) fn newest(&self) -> Option<Oid> {
        self.moves().filter_map(|record| record.new).last()
    }

    /// The moves that were not taken back, in order.
    pub(super) fn moves(&self) -> impl Iterator<Item = &Record> {
        let next = self.records.iter().skip(1).map(Some).chain([None]);
        self.records.iter().zip(next).filter_map(|(record, next)| {
            let aborted =
                next.is_some_and(|next| next.step == Step::Abort && next.new == record.new);
            (record.step == Step::Move && !aborted).then_some(record)
        })
    }
}

/// The open journal of a writer.
pub(super) struct Journal {
    file: File,
    secret: String,
    end: u64,
    /// The last record, without its objects; none in a journal whose end is damaged.
    pub(super) last: Option<Record>,
}

/// A record that was appended and is not durable yet.
pub(super) struct Appended {
    journal: Journal,
    before: u64,
    record: Record,
}

impl Journal {
    /// Opens the journal of a folder, if it has one that can be written to.
    pub(super) fn open(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(NAME);
        let Some(file) = private_file::existing(&path)? else {
            return Ok(None);
        };
        let fail = || io(format!("can't read {}", path.display()));
        let end = file.metadata().map_err(fail())?.len();
        let mut header = [0; HEADER_LENGTH];
        let read = platform::read_at(&file, &mut header, 0).map_err(fail())?;
        let Some(secret) = secret_of(&header[..read]) else {
            return Ok(Some(Self {
                file,
                secret: String::new(),
                end,
                last: None,
            }));
        };
        let mut journal = Self {
            file,
            secret,
            end,
            last: None,
        };
        journal.last = journal.read_last().map_err(fail())?;
        Ok(Some(journal))
    }

    /// Makes a new journal that begins with where the ref is now.
    pub(super) fn create(
        folder: &Path,
        tip: Option<Oid>,
        permissions: Permissions,
    ) -> Result<Self> {
        let path = folder.join(NAME);
        let fail = || io(format!("can't make {}", path.display()));
        let mut scratch = permissions
            .own_scratch("journal-new-", folder)
            .map_err(fail())?;
        let secret = format!(
            "{:032x}",
            env::random() ^ (u128::from(std::process::id()) << 96)
        );
        let place = place(scratch.as_file()).map_err(fail())?;
        let base = Record {
            step: Step::Move,
            number: 0,
            place,
            old: tip,
            new: tip,
            objects: Vec::new(),
        };
        let text = [
            format!("{HEADER}{secret}\n").into_bytes(),
            encode(&base, &secret),
        ]
        .concat();
        scratch
            .write_all(&text)
            .and_then(|()| scratch.as_file().sync_all())
            .map_err(fail())?;
        let file = scratch
            .persist(&path)
            .map_err(|error| fail()(error.error))?;
        sync_folder(folder).map_err(fail())?;
        folder
            .parent()
            .map_or(Ok(()), sync_folder)
            .map_err(fail())?;
        Ok(Self {
            file,
            secret,
            end: text.len() as u64,
            last: Some(base),
        })
    }

    /// Whether the next record belongs into another file.
    pub(super) fn is_full(&self) -> bool {
        self.end >= BYTES
            || self
                .last
                .as_ref()
                .is_none_or(|last| last.number + 1 >= RECORDS)
    }

    /// Where the ref was put last.
    pub(super) fn newest(&self) -> Option<Oid> {
        let last = self.last.as_ref()?;
        match last.step {
            Step::Move => last.new,
            Step::Abort => last.old,
        }
    }

    /// Whether the last record was written under this boot, in this file. A boot without a name may be another.
    pub(super) fn is_of_here(&self) -> bool {
        self.last
            .as_ref()
            .is_some_and(|last| is_here(&self.file, &last.place))
    }

    /// Whether the machine names no boot, and the journal ends in this file where the ref is: then no rename of the
    /// ref was lost.
    pub(super) fn is_of_nameless_boot_at(&self, tip: Option<Oid>) -> bool {
        let is_in_this_file =
            |last: &Record| place(&self.file).is_ok_and(|here| last.place == here);
        env::boot_id().is_empty()
            && self.newest() == tip
            && self.last.as_ref().is_some_and(is_in_this_file)
    }

    /// Puts the journal aside under the next number, for its objects to be packed.
    pub(super) fn put_aside(self, folder: &Path) -> Result<()> {
        let fail = || io("can't put the journal aside");
        self.file.sync_all().map_err(fail())?;
        let last = packed(folder)
            .into_iter()
            .chain(aside(folder))
            .map(|(number, _)| number)
            .max();
        let next = last.unwrap_or(0) + 1;
        fs::rename(folder.join(NAME), folder.join(format!("{NAME}-{next}"))).map_err(fail())
    }

    /// Takes back the last move, if the ref is still where it was before: its writer was killed.
    pub(super) fn take_back_unless_at(mut self, tip: Option<Oid>) {
        let Some(last) = self.last.clone() else {
            return;
        };
        if last.step == Step::Move && last.old == tip && last.new != tip {
            let abort = Record {
                step: Step::Abort,
                number: last.number + 1,
                objects: Vec::new(),
                ..last
            };
            // Without it the change may come back after a power cut, which is not wrong.
            let _ = self.write(&abort);
        }
    }

    /// Appends a move of the ref.
    pub(super) fn append(
        mut self,
        old: Option<Oid>,
        new: Oid,
        objects: Vec<Object>,
    ) -> Result<Appended> {
        let number = self.last.as_ref().map_or(0, |last| last.number + 1);
        let place = place(&self.file).map_err(io("can't look at the journal"))?;
        let record = Record {
            step: Step::Move,
            number,
            place,
            old,
            new: Some(new),
            objects,
        };
        let before = self.end;
        self.write(&record).map_err(io("can't write the journal"))?;
        Ok(Appended {
            journal: self,
            before,
            record,
        })
    }

    /// One write at the end; what did not get there whole is cut off again.
    fn write(&mut self, record: &Record) -> std::io::Result<()> {
        let bytes = encode(record, &self.secret);
        if let Err(error) = platform::write_all_at(&self.file, &bytes, self.end) {
            let _ = self.file.set_len(self.end);
            return Err(error);
        }
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn read_last(&self) -> std::io::Result<Option<Record>> {
        let mut length = [0; 4];
        let Some(at) = self.end.checked_sub(4) else {
            return Ok(None);
        };
        platform::read_exact_at(&self.file, &mut length, at)?;
        let length = FRAME as u64 + u64::from(u32::from_le_bytes(length));
        let Some(start) = self
            .end
            .checked_sub(length)
            .filter(|start| *start >= HEADER_LENGTH as u64)
        else {
            return Ok(None);
        };
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
        platform::read_exact_at(&self.file, &mut bytes, start)?;
        Ok(decode(&bytes, &self.secret).map(|(record, _)| Record {
            objects: Vec::new(),
            ..record
        }))
    }
}

impl Appended {
    /// Makes it durable, and all that others have appended before.
    pub(super) fn sync(&self) -> Result<()> {
        self.journal
            .file
            .sync_data()
            .map_err(io("can't make the journal durable"))
    }

    /// Takes it back: the move did not happen. Nobody has appended anything since.
    pub(super) fn abort(mut self) {
        let (number, objects) = (self.record.number + 1, Vec::new());
        let record = Record {
            step: Step::Abort,
            number,
            objects,
            ..self.record
        };
        if self.journal.write(&record).is_err() {
            // A full disk has room for less.
            let _ = self.journal.file.set_len(self.before);
        }
    }

    /// The objects that it holds.
    pub(super) fn objects(&self) -> &[Object] {
        &self.record.objects
    }
}

/// The journals that were put aside and wait to be packed, oldest first.
pub(super) fn aside(folder: &Path) -> Vec<(u64, PathBuf)> {
    numbered(folder, "journal-")
}

/// The journals whose objects lie in a pack, oldest first.
pub(super) fn packed(folder: &Path) -> Vec<(u64, PathBuf)> {
    numbered(folder, "packed-")
}

fn numbered(folder: &Path, prefix: &str) -> Vec<(u64, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let number = |name: &str| name.strip_prefix(prefix)?.parse().ok();
    let mut found: Vec<(u64, PathBuf)> = entries
        .filter_map(|entry| Some((number(entry.file_name().to_str()?)?, entry.path())))
        .collect();
    found.sort();
    found
}

/// All journals of a folder, oldest first, as one.
pub(super) fn all(folder: &Path) -> Result<Contents> {
    let full = packed(folder).into_iter().chain(aside(folder));
    let mut paths: Vec<PathBuf> = full.map(|(_, path)| path).collect();
    paths.push(folder.join(NAME));
    let mut whole = Contents::default();
    for path in paths {
        let Contents {
            records,
            damage,
            here,
        } = contents(&path)?;
        if !records.is_empty() {
            whole.here = here;
        }
        whole.records.extend(records);
        whole.damage += damage;
    }
    Ok(whole)
}

/// All records of a journal; one that is not there has none.
pub(super) fn contents(path: &Path) -> Result<Contents> {
    use std::io::Read;
    let Some(mut file) = private_file::existing(path)? else {
        return Ok(Contents::default());
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(io(format!("can't read {}", path.display())))?;
    let mut found = parse(&bytes);
    found.here = found
        .records
        .last()
        .is_some_and(|last| is_here(&file, &last.place));
    Ok(found)
}

/// Reads a journal. Damage is passed over and counted: reading goes on at the next whole record. A torn end is no
/// damage: a power cut leaves one of a change that was never answered.
pub fn parse(bytes: &[u8]) -> Contents {
    let Some(secret) = secret_of(bytes) else {
        return Contents {
            damage: 1,
            ..Contents::default()
        };
    };
    let mut found = Contents::default();
    let (mut at, mut passed) = (HEADER_LENGTH, 0);
    while at < bytes.len() {
        if let Some((record, length)) = decode(&bytes[at..], &secret) {
            found.records.push(record);
            found.damage += std::mem::take(&mut passed);
            at += length;
            continue;
        }
        passed += 1;
        let next = bytes[at + 1..]
            .windows(START.len())
            .position(|window| window == START);
        at = next.map_or(bytes.len(), |next| at + 1 + next);
    }
    found
}

/// Whether a place is this boot and file, for sure.
fn is_here(file: &File, recorded: &str) -> bool {
    !env::boot_id().is_empty() && place(file).is_ok_and(|here| recorded == here)
}

/// Where and when a journal is written: the boot of the machine, and the number of the file.
fn place(file: &File) -> std::io::Result<String> {
    let boot: String = env::boot_id().chars().take(100).collect();
    Ok(format!("{boot} {}", FileId::of(file)?.inode))
}

fn secret_of(bytes: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(bytes.get(..HEADER_LENGTH)?).ok()?;
    let secret = line.strip_prefix(HEADER)?.strip_suffix('\n')?;
    secret
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| secret.to_owned())
}

fn check(secret: &str, body: &[u8]) -> [u8; 16] {
    let digest = Sha256::new()
        .chain_update(secret)
        .chain_update(body)
        .finalize();
    std::array::from_fn(|i| digest[i])
}

fn encode(record: &Record, secret: &str) -> Vec<u8> {
    let mut body = vec![match record.step {
        Step::Move => b'm',
        Step::Abort => b'a',
    }];
    body.extend(record.number.to_le_bytes());
    let hex = |oid: Option<Oid>| oid.map(|oid| oid.to_string()).unwrap_or_default();
    for text in [record.place.clone(), hex(record.old), hex(record.new)] {
        let text = &text.as_bytes()[..text.len().min(255)];
        body.push(u8::try_from(text.len()).unwrap_or(u8::MAX));
        body.extend(text);
    }
    body.extend(size(record.objects.len()));
    for Object { kind, bytes, .. } in &record.objects {
        body.push(letter(*kind));
        body.extend(size(bytes.len()));
        body.extend(bytes);
    }
    let length = size(body.len());
    [
        START.as_slice(),
        &length,
        &check(secret, &body),
        &body,
        &length,
    ]
    .concat()
}

fn size(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

fn letter(kind: Kind) -> u8 {
    match kind {
        Kind::Blob => b'b',
        Kind::Tree => b't',
        Kind::Commit => b'c',
        Kind::Tag => b'g',
    }
}

/// The record that some bytes begin with, and how long it is.
fn decode(bytes: &[u8], secret: &str) -> Option<(Record, usize)> {
    let mut rest = bytes.strip_prefix(START)?;
    let length = take_size(&mut rest)?;
    let found = take(&mut rest, 16)?;
    let body = take(&mut rest, length)?;
    let whole = take_size(&mut rest)? == length && check(secret, body) == found;
    Some((whole.then(|| decode_body(body))??, FRAME + length))
}

fn decode_body(mut body: &[u8]) -> Option<Record> {
    let rest = &mut body;
    let step = match take(rest, 1)? {
        b"m" => Step::Move,
        b"a" => Step::Abort,
        _ => return None,
    };
    let number = u32::try_from(take_size(rest)?).ok()?;
    let place = take_text(rest)?.to_owned();
    let old = take_oid(rest)?;
    let new = take_oid(rest)?;
    let count = take_size(rest)?;
    let mut objects = Vec::new();
    for _ in 0..count {
        objects.push(take_object(rest, new)?);
    }
    rest.is_empty().then_some(Record {
        step,
        number,
        place,
        old,
        new,
        objects,
    })
}

/// An object; its id is made from its bytes, whatever else the journal says.
fn take_object(rest: &mut &[u8], new: Option<Oid>) -> Option<Object> {
    let kind = match take(rest, 1)? {
        b"b" => Kind::Blob,
        b"t" => Kind::Tree,
        b"c" => Kind::Commit,
        b"g" => Kind::Tag,
        _ => return None,
    };
    let length = take_size(rest)?;
    let bytes = take(rest, length)?.to_vec();
    let id = gix::objs::compute_hash(new?.0.kind(), kind, &bytes).ok()?;
    Some(Object { id, kind, bytes })
}

fn take<'b>(rest: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(taken)
}

fn take_size(rest: &mut &[u8]) -> Option<usize> {
    let bytes = take(rest, 4)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(bytes)).ok()
}

fn take_text<'b>(rest: &mut &'b [u8]) -> Option<&'b str> {
    let length = usize::from(*take(rest, 1)?.first()?);
    std::str::from_utf8(take(rest, length)?).ok()
}

/// An id, or none for an empty text.
fn take_oid(rest: &mut &[u8]) -> Option<Option<Oid>> {
    match take_text(rest)? {
        "" => Some(None),
        hex => Oid::parse(hex).map(Some),
    }
}

#[cfg(test)]
mod tests;
