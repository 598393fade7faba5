//! Writing one object.
//!
//! A write makes seven small objects. Setting up zlib for each costs a quarter of the whole command and
//! saves nothing on disk, where a file takes a block anyway, so small objects are stored: a valid zlib
//! stream of one uncompressed block, which git and gix read as any other and packs compress.

use std::io::Write;
use std::path::Path;

use gix::objs::{Kind, Write as _, WriteTo};

use super::{Oid, Result, Store, StoreError, explain, io};

/// Up to this many bytes, header included, an object is stored uncompressed: a block of a usual disk.
const SMALL: usize = 4000;

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
        let hex = id.to_string();
        let folder = self.common_dir().join("objects").join(&hex[..2]);
        let path = folder.join(&hex[2..]);
        match std::fs::metadata(&path) {
            // An empty file that a crash left in its place would count as the object for ever.
            Ok(meta) if meta.len() == 0 => std::fs::remove_file(&path).map_err(io("can't remove an empty object"))?,
            Ok(_) => return Ok(Oid(id)),
            Err(_) => {}
        }
        let header = gix::objs::encode::loose_header(kind, bytes.len() as u64);
        if header.len() + bytes.len() <= SMALL {
            store(&folder, &path, &[&header, bytes].concat()).map_err(io("can't write an object"))?;
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

/// Writes elsewhere and renames, so that nobody ever sees half an object. All begin in one folder: a file
/// system looks for a new file's place near its folder, which takes five times longer in seven of them.
fn store(folder: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(0o444);
    let objects = folder.parent().unwrap_or(folder);
    let mut file = tempfile::Builder::new().prefix("tmp_obj_").permissions(mode).tempfile_in(objects)?;
    file.write_all(&stored(bytes))?;
    if let Err(failed) = file.persist(path) {
        std::fs::create_dir_all(folder)?;
        failed.file.persist(path)?;
    }
    Ok(())
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
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(stored(b"a"), [0x78, 1, 1, 1, 0, 0xfe, 0xff, b'a', 0, 98, 0, 98]);
    }
}
