//! Writing one object.
//!
//! A write makes eight small objects. Setting up zlib for each costs a quarter of the whole command and
//! saves nothing on disk, where a file takes a block anyway, so small objects are stored: a valid zlib
//! stream of one uncompressed block, which git and gix read as any other and packs compress.

use std::io::Write;
use std::path::{Path, PathBuf};

use gix::zlib::Compression;
use gix::zlib::stream::deflate;

use super::object::Object;
use super::{Oid, Result, Store, io};
use crate::{files, platform};

/// Up to this many bytes, header included, an object is stored uncompressed: a block of a usual disk.
pub(super) const SMALL: usize = 4000;

/// The beginning of the name of an unfinished object.
pub(super) const UNFINISHED: &str = "object-";
/// The same of one that begins among the objects, where ours is another file system.
const UNFINISHED_APART: &str = "beads-object-";
/// The number of times that objects which vanish again are written again as files.
const ROUNDS: usize = 8;

/// The objects that lie in files of their own.
#[derive(Clone, Copy)]
pub(crate) struct LooseObjects<'s> {
    pub(super) store: &'s Store,
}

impl Store {
    /// Returns the objects that lie in files of their own.
    pub(crate) fn loose(&self) -> LooseObjects<'_> {
        LooseObjects { store: self }
    }
}

impl LooseObjects<'_> {
    /// Writes objects.
    pub(super) fn write_all(self, objects: &[Object]) -> Result<()> {
        objects
            .iter()
            .try_for_each(|object| self.write_loose(object))
    }

    /// Returns whether all of these objects are there.
    pub(super) fn has_all(self, objects: &[Object]) -> bool {
        !objects.iter().any(|object| self.is_gone(object))
    }

    /// Writes objects once more, where they have gone.
    ///
    /// Until the ref is moved nothing leads to new objects, and a `git gc --prune=now` at the same time removes them.
    pub(super) fn rewrite_missing_of(self, objects: &[Object]) -> Result<()> {
        self.rewrite_missing_in(objects, ROUNDS)
    }

    /// Writes what has gone as files, so many times, and then all into a pack.
    fn rewrite_missing_in(self, objects: &[Object], rounds: usize) -> Result<()> {
        for _ in 0..rounds {
            let gone: Vec<&Object> = objects
                .iter()
                .filter(|object| self.is_gone(object))
                .collect();
            if gone.is_empty() {
                return Ok(());
            }
            gone.into_iter()
                .try_for_each(|object| self.write_loose(object))?;
        }
        // A `git prune` that is started again and again removes files, and never packs.
        self.store.packs().write_pack(objects).map(drop)
    }

    /// Returns true if the repository lacks an object.
    pub(super) fn is_gone(self, object: &Object) -> bool {
        !self.is_loose(object.id) && !self.store.repo.has_object(object.id)
    }

    /// Returns true if an object has a file of its own.
    pub(super) fn is_loose(self, id: gix::ObjectId) -> bool {
        self.loose_path(id).1.exists()
    }

    /// Removes files of objects that lie in a pack as well.
    pub(super) fn drop_loose(self, ids: &[Oid]) {
        for id in ids {
            // What stays costs only its space.
            let _ = platform::delete_file(&self.loose_path(id.0).1);
        }
    }

    /// Writes an object in the place of one that is damaged, or missing.
    pub(super) fn replace(self, object: &Object) -> Result<()> {
        let (folder, path) = self.loose_path(object.id);
        let header = gix::objs::encode::loose_header(object.kind, object.bytes.len() as u64);
        let bytes = [&header[..], &object.bytes].concat();
        self.store(&folder, &path, &zlib(&bytes)?)
            .map_err(io("can't write an object"))
    }

    fn objects_folder(self) -> PathBuf {
        self.store.common_dir().join("objects")
    }

    /// Removes what a writer that was killed has left unfinished. Only the holder of the lock may.
    pub(super) fn sweep(self) {
        sweep(&self.store.folder(), UNFINISHED);
        sweep(&self.objects_folder(), UNFINISHED_APART);
    }

    /// Returns the folder and the file of a loose object.
    fn loose_path(self, id: gix::ObjectId) -> (PathBuf, PathBuf) {
        let hex = id.to_string();
        let folder = self.objects_folder().join(&hex[..2]);
        let path = folder.join(&hex[2..]);
        (folder, path)
    }

    /// Does something with what was begun in the folder for scratch files; again, where its place turns out to be
    /// mounted separately from the objects.
    ///
    /// Only the rename itself says so: mounts of one device, too, keep it from going through.
    pub(super) fn with_scratch<T>(
        self,
        make: impl Fn(&str, &Path) -> std::io::Result<T>,
    ) -> std::io::Result<T> {
        if !self.store.apart.get() {
            match make(UNFINISHED, &self.store.folder()) {
                Err(error) if error.kind() == std::io::ErrorKind::CrossesDevices => {
                    self.store.apart.set(true);
                }
                made => return made,
            }
        }
        make(UNFINISHED_APART, &self.objects_folder())
    }

    /// Writes elsewhere and renames, so that no one ever sees half an object. All begin in our own folder: a file
    /// system looks for a new file's place near its folder, which takes five times longer in seven of them, and
    /// git removes unfinished objects of its own.
    fn store(self, folder: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        let permissions = self.store.permissions();
        self.with_scratch(|prefix, scratch| {
            // Read-only from the start, as git makes its objects: after the rename no mode has to be changed.
            let mut file = permissions.scratch(prefix, scratch, 0o444)?;
            file.write_all(bytes)?;
            for _ in 0..ROUNDS {
                match platform::persist_file(file, path) {
                    Ok(_) => return Ok(()),
                    Err(failed) if failed.error.kind() == std::io::ErrorKind::NotFound => {
                        // It was never there, or git has just removed it as empty.
                        permissions.folders(folder)?;
                        file = failed.file;
                    }
                    Err(failed) => return Err(failed.error),
                }
            }
            Err(std::io::ErrorKind::NotFound.into())
        })
    }

    pub(super) fn write_loose(self, object: &Object) -> Result<()> {
        let id = object.id;
        if self.is_loose(id) {
            // A crash can leave an empty or a torn file in its place, which would count as the object for ever.
            return if self.store.repo.find_object(id).is_ok() {
                Ok(())
            } else {
                self.replace(object)
            };
        }
        self.replace(object)
    }
}

fn sweep(scratch: &Path, prefix: &str) {
    let entries = files::entries(scratch);
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix)) {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        // What stays costs only its space.
        let _ = if is_folder {
            std::fs::remove_dir_all(entry.path())
        } else {
            platform::delete_file(&entry.path())
        };
    }
}

/// Returns a zlib stream; small objects are stored, as they are in a file of their own.
pub(super) fn zlib(bytes: &[u8]) -> Result<Vec<u8>> {
    if bytes.len() <= SMALL {
        return Ok(stored(bytes));
    }
    let mut deflate = deflate::Write::new(Vec::new(), Compression::BEST_SPEED);
    let done = deflate.write_all(bytes).and_then(|()| deflate.flush());
    done.map_err(io("can't compress an object"))?;
    Ok(deflate.into_inner())
}

/// Returns a zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4).
pub(super) fn stored(bytes: &[u8]) -> Vec<u8> {
    // Deflate with a window of 32 KiB, no dictionary, lowest level.
    let mut out = vec![0x78, 0x01];
    let mut blocks = bytes.chunks(usize::from(u16::MAX)).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
        out.push(u8::from(blocks.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    out.extend(adler32(bytes).to_be_bytes());
    out
}

fn adler32(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1u32, 0u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    (b << 16) | a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::repository::tests::scratch_store;

    #[test]
    fn what_goes_before_the_ref_is_moved_is_written_again() {
        let (_folder, store) = scratch_store();
        let mut objects = store.objects();
        let small = objects.add_blob(b"small").unwrap();
        let large = objects.add_blob(&vec![b'x'; 20 * SMALL]).unwrap();
        assert_eq!(objects.add_blob(b"small").unwrap(), small);
        let objects = objects.into_vec();
        assert_eq!(objects.len(), 2);
        store.loose().write_all(&objects).unwrap();
        for damage in [None, Some(""), Some("torn")] {
            for oid in [small, large] {
                let path = store.loose().loose_path(oid.0).1;
                std::fs::remove_file(&path).unwrap();
                damage
                    .into_iter()
                    .for_each(|text| std::fs::write(&path, text).unwrap());
            }
            let again = if damage.is_none() {
                store.loose().rewrite_missing_of(&objects)
            } else {
                store.loose().write_all(&objects)
            };
            again.unwrap();
            assert_eq!(store.repo.find_blob(small.0).unwrap().data, b"small");
            assert_eq!(
                store.repo.find_blob(large.0).unwrap().data.len(),
                20 * SMALL
            );
        }
    }

    #[test]
    fn what_is_removed_again_and_again_goes_into_a_pack() {
        let (_folder, store) = scratch_store();
        let mut objects = store.objects();
        let oid = objects.add_blob(b"small").unwrap();
        let objects = objects.into_vec();
        store.loose().rewrite_missing_in(&objects, 0).unwrap();
        assert!(!store.loose().is_loose(oid.0));
        assert_eq!(store.repo.find_blob(oid.0).unwrap().data, b"small");
    }

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(
            stored(b"a"),
            [0x78, 1, 1, 1, 0, 0xfe, 0xff, b'a', 0, 98, 0, 98]
        );
    }
}
