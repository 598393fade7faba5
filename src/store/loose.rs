//! Writing one object.
//!
//! A write makes seven small objects. Setting up zlib for each costs a quarter of the whole command and
//! saves nothing on disk, where a file takes a block anyway, so small objects are stored: a valid zlib
//! stream of one uncompressed block, which git and gix read as any other and packs compress.

use std::io::Write;
use std::path::{Path, PathBuf};

use gix::objs::{Kind, Write as _, WriteTo};

use super::{Oid, Result, Store, StoreError, explain, io};

/// Up to this many bytes, header included, an object is stored uncompressed: a block of a usual disk.
const SMALL: usize = 4000;

/// How the name of an unfinished object begins.
const UNFINISHED: &str = "object-";
/// How often objects that go again are written again.
const ROUNDS: usize = 8;

/// An object that was written, kept until the ref leads to it.
pub(super) struct Written {
    id: gix::ObjectId,
    kind: Kind,
    bytes: Vec<u8>,
}

impl Store {
    pub(super) fn write_blob(&self, bytes: &[u8]) -> Result<Oid> {
        self.write_bytes(Kind::Blob, bytes)
    }

    pub(super) fn write_commit(&self, commit: &gix::objs::Commit) -> Result<Oid> {
        self.write_object(commit)
    }

    pub(super) fn write_object(&self, object: &impl WriteTo) -> Result<Oid> {
        let mut bytes = Vec::new();
        object.write_to(&mut bytes).map_err(|error| failed(error.to_string()))?;
        self.write_bytes(object.kind(), &bytes)
    }

    fn write_bytes(&self, kind: Kind, bytes: &[u8]) -> Result<Oid> {
        let id =
            gix::objs::compute_hash(self.repo.object_hash(), kind, bytes).map_err(|error| failed(explain(&error)))?;
        self.written.borrow_mut().push(Written { id, kind, bytes: bytes.to_vec() });
        self.write_loose(id, kind, bytes)
    }

    /// Writes what was written since the last time once more, where it has gone.
    ///
    /// Until the ref is moved nothing leads to new objects, and a `git gc --prune=now` beside us removes them.
    ///
    /// # Errors
    /// An object that can't be written.
    pub(super) fn secure(&self) -> Result<()> {
        let written = self.written.take();
        for _ in 0..ROUNDS {
            let gone =
                |written: &&Written| !self.loose_path(written.id).1.exists() && !self.repo.has_object(written.id);
            let gone: Vec<&Written> = written.iter().filter(gone).collect();
            if gone.is_empty() {
                return Ok(());
            }
            for Written { id, kind, bytes } in gone {
                self.write_loose(*id, *kind, bytes)?;
            }
        }
        Err(failed("it is removed again and again".to_owned()))
    }

    /// The folder and the file of a loose object.
    fn loose_path(&self, id: gix::ObjectId) -> (PathBuf, PathBuf) {
        let hex = id.to_string();
        let folder = self.common_dir().join("objects").join(&hex[..2]);
        let path = folder.join(&hex[2..]);
        (folder, path)
    }

    fn write_loose(&self, id: gix::ObjectId, kind: Kind, bytes: &[u8]) -> Result<Oid> {
        let (folder, path) = self.loose_path(id);
        match std::fs::metadata(&path) {
            // An empty file that a crash left in its place would count as the object for ever.
            Ok(meta) if meta.len() == 0 => std::fs::remove_file(&path).map_err(io("can't remove an empty object"))?,
            Ok(_) => return Ok(Oid(id)),
            Err(_) => {}
        }
        let header = gix::objs::encode::loose_header(kind, bytes.len() as u64);
        if header.len() + bytes.len() <= SMALL {
            let scratch = self.folder();
            store(&scratch, &folder, &path, &[&header, bytes].concat()).map_err(io("can't write an object"))?;
        } else {
            let written = self.repo.objects.write_buf(kind, bytes);
            written.map_err(|error| failed(explain(&error)))?;
        }
        Ok(Oid(id))
    }
}

fn failed(why: String) -> StoreError {
    StoreError::Write { what: "can't write an object".into(), why }
}

/// Writes elsewhere and renames, so that nobody ever sees half an object. All begin in our own folder: a file
/// system looks for a new file's place near its folder, which takes five times longer in seven of them, and
/// git removes unfinished objects of its own.
fn store(scratch: &Path, folder: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(0o444);
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).permissions(mode).tempfile_in(scratch)?;
    file.write_all(&stored(bytes))?;
    for _ in 0..ROUNDS {
        match file.persist(path) {
            Ok(_) => return Ok(()),
            Err(failed) if failed.error.kind() == std::io::ErrorKind::NotFound => {
                // It was never there, or git has just removed it as empty.
                std::fs::create_dir_all(folder)?;
                file = failed.file;
            }
            Err(failed) => return Err(failed.error),
        }
    }
    Err(std::io::ErrorKind::NotFound.into())
}

/// Removes what a writer that was killed has left unfinished. Only the holder of the lock may.
pub(super) fn sweep(scratch: &Path) {
    let entries = std::fs::read_dir(scratch).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(UNFINISHED)) {
        // What stays costs only its space.
        let _ = std::fs::remove_file(entry.path());
    }
}

/// A zlib stream (RFC 1950) of one stored block (RFC 1951, 3.2.4).
fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    let mut out = vec![0x78, 0x01, 0x01];
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(bytes);
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

    #[test]
    fn what_goes_before_the_ref_is_moved_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        gix::init(folder.path()).unwrap();
        let location = crate::store::Location { dir: folder.path().to_owned(), explicit: true };
        let store = Store::discover(&location).unwrap();
        std::fs::create_dir_all(store.folder()).unwrap();
        let small = store.write_blob(b"small").unwrap();
        let large = store.write_blob(&vec![b'x'; 2 * SMALL]).unwrap();
        for oid in [small, large] {
            std::fs::remove_file(store.loose_path(oid.0).1).unwrap();
        }
        store.secure().unwrap();
        assert_eq!(store.repo.find_blob(small.0).unwrap().data, b"small");
        assert_eq!(store.repo.find_blob(large.0).unwrap().data.len(), 2 * SMALL);
        // What was secured is no longer kept.
        std::fs::remove_file(store.loose_path(small.0).1).unwrap();
        store.secure().unwrap();
        assert!(!store.loose_path(small.0).1.exists());
    }

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(stored(b"a"), [0x78, 1, 1, 1, 0, 0xfe, 0xff, b'a', 0, 98, 0, 98]);
    }
}
