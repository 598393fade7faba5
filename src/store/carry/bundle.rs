//! Bundles (git's `gitformat-bundle`): written by git's own packer, read into memory with limits on all that they declare.
//!
//! The pack names no object outside of it, so that nothing of the repository that reads it gets into an issue; one that does
//! is refused.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use gix::objs::Kind;
use gix::odb::pack::cache::DecodeEntry;
use gix::odb::pack::data::decode::entry::ResolvedBase;
use gix::odb::pack::data::decode::header::ResolvedBase as ResolvedHeader;
use gix::odb::pack::data::{self, File};

use super::{CarryFault, CarryFile, bad};
use crate::store::object::Object;
use crate::store::pack::feed;
use crate::store::{Commit, Oid, REF, Result, Store, explain};

/// So many bytes can the objects of one have in all, with those that each is made of, and so many a single one.
const MOST_BYTES: u64 = 128 << 20;
const LARGEST_OBJECT: usize = 32 << 20;
/// So many objects in a row can each be made of the one before; git makes 50.
const MOST_DELTAS: u32 = 250;
/// So many commits can one name that have to be here.
const MOST_BASES: usize = 1000;

/// Makes a bundle of some commits, of which the newest is the tip.
pub(super) fn make(
    store: &Store,
    tip: Oid,
    base: Option<Oid>,
    commits: &[Commit],
) -> Result<Vec<u8>> {
    let mut revisions = format!("{tip}\n");
    let mut header = match store.repo.object_hash() {
        gix::hash::Kind::Sha1 => "# v2 git bundle\n".to_owned(),
        other => format!("# v3 git bundle\n@object-format={other}\n"),
    };
    if let Some(base) = base {
        revisions.push_str(&format!("^{base}\n"));
    }
    for before in bases_of(commits) {
        header.push_str(&format!("-{before}\n"));
    }
    header.push_str(&format!("{tip} {REF}\n\n"));
    let mut command = store.git().command();
    // Of several threads each takes from what another has left, and the deltas are others each time.
    command.args([
        "pack-objects",
        "--revs",
        "--stdout",
        "--quiet",
        "--depth=50",
        "--threads=1",
    ]);
    let command = command.arg("--delta-base-offset");
    let packed = feed("pack-objects", command, revisions.as_bytes())?;
    let mut bundle = header.into_bytes();
    bundle.extend(packed);
    Ok(bundle)
}

/// Returns the parents of some commits that are none of these.
fn bases_of(commits: &[Commit]) -> Vec<Oid> {
    let own: HashSet<Oid> = commits.iter().map(|commit| commit.oid).collect();
    let mut bases: Vec<Oid> = commits.iter().flat_map(Commit::parents).collect();
    bases.retain(|base| !own.contains(base));
    bases.sort_unstable();
    bases.dedup();
    bases
}

/// The part of a bundle before its pack.
struct Header<'b> {
    /// The commits that a reader must have.
    bases: Vec<Oid>,
    tip: Oid,
    pack: &'b [u8],
}

/// Reads the header of a bundle; none where it is not one that we would write for such ids.
fn header<'b>(bundle: &'b [u8], format: gix::hash::Kind) -> Option<Header<'b>> {
    let (mut bases, mut tip, mut rest) = (Vec::new(), None, bundle);
    let id = |text: &str| Oid::parse(text).filter(|id| id.0.kind() == format);
    for number in 0.. {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(rest.get(..end)?).ok()?;
        rest = rest.get(end + 1..)?;
        if number == 0 {
            matches!(line, "# v2 git bundle" | "# v3 git bundle").then_some(())?;
        } else if line.is_empty() {
            break;
        } else if let Some(capability) = line.strip_prefix('@') {
            (capability == format!("object-format={format}")).then_some(())?;
        } else if let Some(base) = line.strip_prefix('-') {
            bases.push(id(base.split(' ').next()?)?);
        } else {
            let (oid, name) = line.split_once(' ')?;
            (name == REF && tip.is_none()).then_some(())?;
            tip = Some(id(oid)?);
        }
        (bases.len() <= MOST_BASES).then_some(())?;
    }
    let pack = rest;
    Some(Header {
        bases,
        tip: tip?,
        pack,
    })
}

impl CarryFile {
    /// Returns the commits that have to be here before it can be collected.
    pub(crate) fn bases(&self, store: &Store) -> Result<Vec<Oid>, CarryFault> {
        let header = header(&self.bundle, store.repo.object_hash()).ok_or_else(foreign)?;
        // What is shown to a reviewer is what is brought.
        match header.tip == self.tip {
            true => Ok(header.bases),
            false => Err(CarryFault::Edited),
        }
    }

    /// Returns true if its bundle is the one that was written: with its tip, and the sum at its end.
    pub(super) fn is_whole(&self) -> bool {
        let format = self.tip.0.kind();
        let header = header(&self.bundle, format);
        header.is_some_and(|it| it.tip == self.tip && check_sum(it.pack, format).is_ok())
    }
}

fn foreign() -> CarryFault {
    bad("it has no bundle for a repository with such ids")
}

/// Returns the objects of a file, each with its bytes.
pub(super) fn unpack(store: &Store, file: &CarryFile) -> Result<Arc<[Object]>, CarryFault> {
    let format = store.repo.object_hash();
    let pack = header(&file.bundle, format).ok_or_else(foreign)?.pack;
    check_sum(pack, format)?;
    let pack = File::from_data(pack, PathBuf::new(), format).map_err(|error| unread(&error))?;
    let pack = pack.with_alloc_limit_bytes(Some(LARGEST_OBJECT));
    let mut objects = PackedObjects::default();
    let (mut inflate, mut at) = (gix::zlib::Inflate::default(), data::header::SIZE as u64);
    for _ in 0..pack.num_objects() {
        at = objects.read(&pack, at, &mut inflate)?;
    }
    Ok(objects.list.into())
}

/// Refuses a pack that does not end with its sum.
fn check_sum(pack: &[u8], format: gix::hash::Kind) -> Result<(), CarryFault> {
    let end = pack.len().checked_sub(format.len_in_bytes());
    let (bytes, sum) = pack.split_at(end.ok_or(CarryFault::Edited)?);
    let mut hasher = gix::hash::hasher(format);
    hasher.update(bytes);
    match hasher.try_finalize() {
        Ok(id) if id.as_bytes() == sum => Ok(()),
        _ => Err(CarryFault::Edited),
    }
}

fn unread(error: &gix::Error) -> CarryFault {
    bad(format!("its bundle can't be read: {}", explain(error)))
}

/// The objects of a pack, as far as they were read.
#[derive(Default)]
struct PackedObjects {
    list: Vec<Object>,
    by_id: HashMap<gix::ObjectId, usize>,
    /// By where their bytes begin in the pack.
    by_bytes: HashMap<u64, usize>,
    /// The number of others that one is made of, and its place in the list, by where its entry begins.
    deltas: HashMap<u64, (u32, usize)>,
    /// The bytes that were declared.
    size: u64,
}

impl PackedObjects {
    /// Reads the object whose entry begins somewhere; returns where the next one begins.
    fn read(
        &mut self,
        pack: &File<&[u8]>,
        at: u64,
        inflate: &mut gix::zlib::Inflate,
    ) -> Result<u64, CarryFault> {
        let entry = pack.entry(at).map_err(|error| unread(&error))?;
        let (deltas, made_of) = self.made_of(&entry);
        if deltas > MOST_DELTAS {
            let message =
                format!("an object is made of over {MOST_DELTAS} others, or of none that is there");
            return Err(bad(message));
        }
        let declared = pack.decode_header(entry.clone(), inflate, &|id| Ok(self.header(id)));
        let declared = declared.map_err(|error| unread(&error))?.object_size;
        // Before anything is inflated: a small pack can hold a huge object.
        let declared = declared.max(entry.decompressed_size);
        self.size = self.size.saturating_add(declared).saturating_add(made_of);
        if self.size > MOST_BYTES {
            return Err(bad(format!("its objects have over {MOST_BYTES} bytes")));
        }
        let mut bytes = Vec::new();
        let read = pack.decode_entry(
            entry.clone(),
            &mut bytes,
            inflate,
            &|id, out| Ok(self.copy(id, out)),
            &mut ReadBefore(self),
        );
        let read = read.map_err(|error| unread(&error))?;
        bytes.truncate(usize::try_from(read.object_size).unwrap_or(bytes.len()));
        // It was read beside what it is made of.
        bytes.shrink_to_fit();
        let kind = read.kind;
        let id = gix::objs::compute_hash(pack.object_hash(), kind, &bytes);
        let id = id.map_err(|_| CarryFault::Edited)?;
        self.add(&entry, deltas, Object { id, kind, bytes });
        Ok(entry.data_offset + read.compressed_size as u64)
    }

    fn add(&mut self, entry: &data::Entry, deltas: u32, object: Object) {
        let next = self.list.len();
        self.by_id.insert(object.id, next);
        self.by_bytes.insert(entry.data_offset, next);
        self.deltas.insert(entry.pack_offset(), (deltas, next));
        self.list.push(object);
    }

    /// Returns the number of others that an object is made of, and the bytes of the first of these.
    fn made_of(&self, entry: &data::Entry) -> (u32, u64) {
        let size = |object: &Object| object.bytes.len() as u64;
        match entry.header {
            data::entry::Header::OfsDelta { base_distance } => {
                let base = entry.checked_base_pack_offset(base_distance);
                let before = base.and_then(|base| self.deltas.get(&base));
                // One that was not read before is no beginning of an entry.
                before.map_or((u32::MAX, 0), |(number, at)| {
                    (number + 1, self.list.get(*at).map_or(0, size))
                })
            }
            data::entry::Header::RefDelta { base_id } => (1, self.of(&base_id).map_or(0, size)),
            _ => (0, 0),
        }
    }

    fn of(&self, id: &gix::oid) -> Option<&Object> {
        self.list.get(*self.by_id.get(id)?)
    }

    fn header(&self, id: &gix::oid) -> Option<ResolvedHeader> {
        let (kind, num_deltas) = (self.of(id)?.kind, None);
        Some(ResolvedHeader::OutOfPack { kind, num_deltas })
    }

    fn copy(&self, id: &gix::oid, out: &mut Vec<u8>) -> Option<ResolvedBase> {
        let Object { kind, bytes, .. } = self.of(id)?;
        out.clone_from(bytes);
        let (kind, end) = (*kind, bytes.len());
        Some(ResolvedBase::OutOfPack { kind, end })
    }
}

/// What an object is made of was read before, so that no chain is followed twice.
struct ReadBefore<'u>(&'u PackedObjects);

impl DecodeEntry for ReadBefore<'_> {
    fn put(&mut self, _pack: u32, _offset: u64, _bytes: &[u8], _kind: Kind, _compressed: usize) {}

    fn get(&mut self, _pack: u32, offset: u64, out: &mut Vec<u8>) -> Option<(Kind, usize)> {
        let Object { kind, bytes, .. } = self.0.list.get(*self.0.by_bytes.get(&offset)?)?;
        out.clone_from(bytes);
        Some((*kind, bytes.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::repository::tests::scratch_store;

    /// Returns the pack of some objects without its sum, as git makes it: with deltas.
    fn packed(store: &Store) -> Vec<u8> {
        let mut objects = store.objects();
        let text = "a line that is long enough to be worth a delta\n".repeat(20);
        let ids: Vec<String> = (0..6)
            .map(|n| {
                objects
                    .add_blob(format!("{text}{n}").as_bytes())
                    .unwrap()
                    .to_string()
            })
            .collect();
        store.packs().write_objects(objects.as_slice()).unwrap();
        let mut command = store.git().command();
        command.args(["pack-objects", "--stdout", "--quiet", "--delta-base-offset"]);
        let pack = feed("pack-objects", &mut command, ids.join("\n").as_bytes()).unwrap();
        pack[..pack.len() - 20].to_vec()
    }

    /// Returns a file of a pack, whose sum fits.
    fn file(pack: &[u8]) -> CarryFile {
        let tip = Oid::parse("6f1c0b7ab1c14a3d4f6e0c1f4b9a8d7c6e5f4a3b").unwrap();
        let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
        hasher.update(pack);
        let sum = hasher.try_finalize().unwrap();
        let header = format!("# v2 git bundle\n{tip} {REF}\n\n");
        CarryFile {
            base: None,
            known: None,
            tip,
            operations: 1,
            subjects: Vec::new(),
            bundle: [header.as_bytes(), pack, sum.as_bytes()].concat(),
        }
    }

    #[test]
    fn a_pack_that_was_changed_anywhere_is_an_answer_and_no_end() {
        let (_folder, store) = scratch_store();
        let pack = packed(&store);
        let objects = unpack(&store, &file(&pack)).unwrap();
        assert_eq!(objects.len(), 6);
        for at in 0..pack.len() {
            for value in [
                0,
                1,
                0x7f,
                0x80,
                0xff,
                pack[at] ^ 1,
                pack[at] ^ 0x10,
                pack[at] ^ 0x60,
            ] {
                let mut changed = pack.clone();
                changed[at] = value;
                drop(unpack(&store, &file(&changed)));
                changed.truncate(at);
                drop(unpack(&store, &file(&changed)));
            }
        }
    }

    #[test]
    fn what_a_pack_declares_is_limited_before_it_is_read() {
        let (_folder, store) = scratch_store();
        // One blob that says it has 300 MiB, and one that is made of itself.
        let declared = [
            &b"PACK\0\0\0\x02\0\0\0\x01"[..],
            &[0xb0, 0x80, 0x80, 0xc0, 0x09],
            b"x",
        ]
        .concat();
        let circle = [&b"PACK\0\0\0\x02\0\0\0\x01"[..], &[0x61, 0x00], b"x"].concat();
        for pack in [declared, circle] {
            let fault = unpack(&store, &file(&pack)).unwrap_err();
            assert!(matches!(fault, CarryFault::Bad(_)), "{fault}");
        }
    }
}
