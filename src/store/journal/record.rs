//! The bytes of a record, and where one was written.
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

use std::fs::File;

use gix::objs::Kind;
use sha2::{Digest, Sha256};

use super::super::Oid;
use super::super::object::Object;
use crate::env::Env;
use crate::platform::FileId;

pub(super) const HEADER: &str = "git-beads journal 1 ";
pub(super) const HEADER_LENGTH: usize = HEADER.len() + 33;
pub(super) const START: &[u8; 4] = b"\nbj1";
/// Start, length and check before the body, and the length after it.
pub(super) const FRAME: usize = 4 + 4 + 16 + 4;

/// The statement of a record about the ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Step {
    /// It is about to be moved.
    Move,
    /// The move before did not happen.
    Abort,
}

/// A record: the ref goes from `old` to `new`, by these objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct Record {
    pub(in crate::store) step: Step,
    /// The number of records of this journal that were written before.
    pub(in crate::store) number: u32,
    /// The boot of the machine, and the file: a copy of the repository is another place.
    pub(in crate::store) place: String,
    pub(in crate::store) old: Option<Oid>,
    pub(in crate::store) new: Option<Oid>,
    pub(in crate::store) objects: Vec<Object>,
}

/// Returns true if a place is this boot and file, for sure.
pub(super) fn is_here(env: &Env, file: &File, recorded: &str) -> bool {
    !env.boot_id().is_empty() && place(env, file).is_ok_and(|here| recorded == here)
}

/// Returns the origin of a record: the boot of the machine, and the number of the file.
pub(super) fn place(env: &Env, file: &File) -> std::io::Result<String> {
    let boot: String = env.boot_id().chars().take(100).collect();
    Ok(format!("{boot} {}", FileId::of(file)?.inode))
}

pub(super) fn secret_of(bytes: &[u8]) -> Option<String> {
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

pub(super) fn encode(record: &Record, secret: &str) -> Vec<u8> {
    let mut body = vec![match record.step {
        Step::Move => b'm',
        Step::Abort => b'a',
    }];
    body.extend(record.number.to_le_bytes());
    let hex = |oid: Option<Oid>| oid.map(|oid| oid.to_string()).unwrap_or_default();
    for text in [record.place.clone(), hex(record.old), hex(record.new)] {
        // One byte holds the length; ids and origins are shorter.
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

/// Returns the record that some bytes begin with, and how long it is.
pub(super) fn decode(bytes: &[u8], secret: &str) -> Option<(Record, usize)> {
    let mut rest = bytes.strip_prefix(START)?;
    let length = take_size(&mut rest)?;
    let found = take(&mut rest, 16)?;
    let body = take(&mut rest, length)?;
    // Both lengths and the checksum: a torn record fails one of them, and text of an issue can't have the checksum.
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

/// Reads an object; its id is made from its bytes, no matter what else the journal says.
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

/// Reads an id, or none for an empty text.
fn take_oid(rest: &mut &[u8]) -> Option<Option<Oid>> {
    match take_text(rest)? {
        "" => Some(None),
        hex => Oid::parse(hex).map(Some),
    }
}
