//! Packs of our own, whose names begin with ours so that they can be distinguished from the user's.
//!
//! A file for each object is slow to make and to read where there are hundreds, as after a merge of many changes. Those
//! go in one stream (git's `gitformat-pack`) to `git index-pack`. It writes under the names it is given and leaves
//! there what it could not finish, so it works in our own folder, and what it has made moves from there.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gix::objs::Kind;
use gix::odb::pack::index;

use super::git::{checked, collect};
use super::object::{Object, failed};
use super::{Oid, Result, Store, io, loose, run};
use crate::files;
use crate::platform::{delete_file, rename_file, sync_folder};

/// The beginning of the names of our packs.
pub(super) const PREFIX: &str = "beads";
/// More objects than this become a pack.
const LOOSE: usize = 256;
/// The files of a pack; it counts from when it has the last one.
pub(super) const ENDINGS: [&str; 3] = ["pack", "rev", "idx"];

/// Returns true if objects are too many for a file each.
pub(super) fn are_many(objects: &[Object]) -> bool {
    objects.len() > LOOSE
}

/// Returns true if a pack is still there, by its path without an ending.
pub(super) fn is_there(pack: &Path) -> bool {
    pack.with_extension("pack").exists() && pack.with_extension("idx").exists()
}

/// Removes a pack, by its path without an ending. What stays costs only its space.
pub(super) fn remove(pack: &Path) {
    // The index first: without it no one looks for the pack.
    for ending in ENDINGS.iter().rev() {
        let _ = delete_file(&pack.with_extension(ending));
    }
}

/// The packs that we write.
#[derive(Clone, Copy)]
pub(crate) struct Packs<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the packs that we write.
    pub(crate) fn packs(&self) -> Packs<'_> {
        Packs { store: self }
    }
}

impl Packs<'_> {
    /// Writes objects that no ref leads to yet: few into files of their own, many into a pack.
    pub(super) fn write_objects(self, objects: &[Object]) -> Result<()> {
        match are_many(objects) {
            true => self.write_pack(objects).map(|_| ()),
            false => self.store.loose().write_all(objects),
        }
    }

    /// Writes objects into one pack; returns its path, without an ending.
    pub(super) fn write_pack(self, objects: &[Object]) -> Result<PathBuf> {
        // Git compares what it has already, and stumbles over a torn file.
        objects
            .iter()
            .filter(|object| self.store.loose().is_loose(object.id))
            .try_for_each(|object| self.store.loose().write_loose(object))?;
        let (stream, id) = stream(self.store.repo.object_hash(), objects)?;
        let pack = self.folder().join(format!("{PREFIX}-{id}"));
        let made = self.store.loose().with_scratch(|prefix, folder| {
            let scratch = self.store.permissions().scratch_folder(prefix, folder)?;
            let indexed = self.index_pack(&stream, &scratch.path().join("new.pack"));
            if indexed.is_ok() {
                self.move_pack(&scratch.path().join("new"), &pack)?;
            }
            Ok(indexed)
        });
        made.map_err(io("can't move a pack to its place"))??;
        self.sync_packs()?;
        Ok(pack)
    }

    fn index_pack(self, stream: &[u8], path: &Path) -> Result<()> {
        let mut command = self.store.git().command();
        command.args([
            "-c",
            "core.fsync=committed",
            "-c",
            "pack.writeReverseIndex=true",
            "index-pack",
            "--stdin",
        ]);
        feed("index-pack", command.arg(path), stream).map(|_| ())
    }

    fn move_pack(self, from: &Path, to: &Path) -> std::io::Result<()> {
        // The index comes last: git looks for packs by their indexes, and one without its pack is an error.
        for ending in ENDINGS {
            let made = from.with_extension(ending);
            let adjusted = self.store.permissions().adjust(&made);
            match adjusted.and_then(|()| rename_file(&made, &to.with_extension(ending))) {
                // Not every git makes a reverse index.
                Err(error) if ending != "rev" => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Packs the objects of a list, and makes the pack durable; returns its path, without an ending.
    pub(super) fn pack(self, options: &[&str], list: &str) -> Result<PathBuf> {
        let mut command = self.store.git().command();
        command
            .args(["-c", "core.fsync=committed", "pack-objects", "--quiet"])
            .args(options);
        let id = feed(
            "pack-objects",
            command.arg(self.folder().join(PREFIX)),
            list.as_bytes(),
        )?;
        let id = String::from_utf8_lossy(&id);
        let made = self.folder().join(format!("{PREFIX}-{}", id.trim()));
        for ending in ENDINGS {
            // Git has given it its mode; what the superuser packs becomes the owner's.
            let _ = self
                .store
                .permissions()
                .adjust(&made.with_extension(ending));
        }
        self.sync_packs()?;
        Ok(made)
    }

    /// Makes the names of new packs durable; git does so for what is in them.
    pub(super) fn sync_packs(self) -> Result<()> {
        sync_folder(&self.folder()).map_err(io("can't make a pack durable"))
    }

    /// Returns true if each object is in a pack of this repository, whoever made it.
    pub(super) fn hold(self, ids: &[Oid]) -> bool {
        let indexes = files::entries(self.folder()).map(|entry| entry.path());
        let indexes = indexes.filter(|path| path.extension().is_some_and(|ending| ending == "idx"));
        let mut left: Vec<Oid> = ids.to_vec();
        for path in indexes.filter(|path| is_there(path)) {
            if let Ok(index) = index::File::at(&path, self.store.repo.object_hash()) {
                left.retain(|id| index.lookup(id.0).is_none());
            }
        }
        left.is_empty()
    }

    fn folder(self) -> PathBuf {
        self.store.common_dir().join("objects/pack")
    }
}

/// Runs git on an input; returns what it writes.
pub(super) fn feed(name: &str, command: &mut Command, input: &[u8]) -> Result<Vec<u8>> {
    let piped = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut run = run::start(piped).map_err(io(format!("can't run git {name}")))?;
    // The whole input before any output: these commands say little before they have read it all.
    if let Some(mut stdin) = run.child.stdin.take() {
        // What can't be written there, git says.
        let _ = stdin.write_all(input);
    }
    let output = collect(run).map_err(io(format!("git {name}")))?;
    checked(name, output.status.success(), &output.stderr)?;
    Ok(output.stdout)
}

/// Returns a pack of version 2 without deltas, and the id that it ends with.
fn stream(hash: gix::hash::Kind, objects: &[Object]) -> Result<(Vec<u8>, gix::ObjectId)> {
    let mut out = b"PACK\0\0\0\x02".to_vec();
    out.extend(
        u32::try_from(objects.len())
            .unwrap_or(u32::MAX)
            .to_be_bytes(),
    );
    for Object { kind, bytes, .. } in objects {
        out.extend(entry_header(*kind, bytes.len()));
        out.extend(loose::zlib(bytes)?);
    }
    let mut hasher = gix::hash::hasher(hash);
    hasher.update(&out);
    let id = hasher
        .try_finalize()
        .map_err(|error| failed(super::explain(&error)))?;
    out.extend(id.as_bytes());
    Ok((out, id))
}

/// Kind and size: four bits of it, then seven a byte, the lowest first.
fn entry_header(kind: Kind, size: usize) -> Vec<u8> {
    let kind = match kind {
        Kind::Commit => 1,
        Kind::Tree => 2,
        Kind::Blob => 3,
        Kind::Tag => 4,
    };
    let byte =
        |bits: usize, more: bool| u8::try_from(bits).unwrap_or(0) | if more { 0x80 } else { 0 };
    let mut rest = size >> 4;
    let mut header = vec![kind << 4 | byte(size & 0x0f, rest > 0)];
    while rest > 0 {
        header.push(byte(rest & 0x7f, rest >> 7 > 0));
        rest >>= 7;
    }
    header
}

#[cfg(test)]
mod tests {
    use gix::objs::Kind;

    use super::entry_header;

    #[test]
    fn the_header_of_an_entry_is_that_of_the_format() {
        assert_eq!(entry_header(Kind::Commit, 0), [0x10]);
        assert_eq!(entry_header(Kind::Tree, 15), [0x2f]);
        assert_eq!(entry_header(Kind::Blob, 16), [0xb0, 0x01]);
        assert_eq!(entry_header(Kind::Blob, 16 * 128), [0xb0, 0x80, 0x01]);
    }
}
