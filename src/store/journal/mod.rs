//! The redo journal: what an answered write needs to be made again after a power cut.
//!
//! Git makes neither loose objects nor refs durable, and gix never does. Instead of a `fsync` for each of the
//! files of a write, its objects and the move of the ref are appended here in one piece, which one `fdatasync`
//! makes durable; replaying is in `replay.rs`. A record whose move did not happen is taken back by an abort.

mod record;
mod segments;

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use record::{FRAME, HEADER, HEADER_LENGTH, decode, encode, is_here, place, secret_of};
pub(super) use record::{Record, Step};
pub(crate) use segments::Contents;
pub use segments::parse;
pub(super) use segments::{NAME, all, aside, contents, packed};

use super::object::Object;
use super::private_file;
use super::{Oid, Permissions, Result, io};
use crate::env::Env;
use crate::platform::{self, sync_folder};

/// A journal is full after so many records, or so many bytes.
const RECORDS: u32 = 256;
const BYTES: u64 = 64 << 20;

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
            // Nothing can be appended to it. Without a last record it counts as full, and is put aside.
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
        env: &Env,
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
            env.random() ^ (u128::from(std::process::id()) << 96)
        );
        let place = place(env, scratch.as_file()).map_err(fail())?;
        // The first record moves the ref to where it is. So a journal always knows a tip, and reading its end finds
        // one.
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
        // Synced before it gets its name: a journal with a name is whole, even after a power cut.
        let file = platform::persist_file(scratch, &path).map_err(|error| fail()(error.error))?;
        // Then the name, and the folder in which it is: a synced record in a file that no folder names would be lost.
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

    /// Returns true if the next record belongs into another file.
    pub(super) fn is_full(&self) -> bool {
        self.end >= BYTES
            || self
                .last
                .as_ref()
                .is_none_or(|last| last.number + 1 >= RECORDS)
    }

    /// Returns the commit that the ref was put to last.
    pub(super) fn newest(&self) -> Option<Oid> {
        let last = self.last.as_ref()?;
        match last.step {
            Step::Move => last.new,
            Step::Abort => last.old,
        }
    }

    /// Returns true if the last record was written under this boot, in this file. A boot without a name may be another.
    pub(super) fn is_of_here(&self, env: &Env) -> bool {
        self.last
            .as_ref()
            .is_some_and(|last| is_here(env, &self.file, &last.place))
    }

    /// Returns true if the machine names no boot, and the journal ends in this file where the ref is: then no rename of
    /// the ref was lost.
    pub(super) fn is_of_nameless_boot_at(&self, env: &Env, tip: Option<Oid>) -> bool {
        let is_in_this_file =
            |last: &Record| place(env, &self.file).is_ok_and(|here| last.place == here);
        env.boot_id().is_empty()
            && self.newest() == tip
            && self.last.as_ref().is_some_and(is_in_this_file)
    }

    /// Puts the journal aside under the next number, for its objects to be packed.
    pub(super) fn put_aside(self, folder: &Path) -> Result<()> {
        let fail = || io("can't put the journal aside");
        // Later syncs reach the new journal alone, so this one is durable before it is renamed.
        self.file.sync_all().map_err(fail())?;
        // Both names count on: a number belongs to one journal until that is gone.
        let last = packed(folder)
            .into_iter()
            .chain(aside(folder))
            .map(|(number, _)| number)
            .max();
        let next = last.unwrap_or(0) + 1;
        let aside = folder.join(format!("{NAME}-{next}"));
        platform::rename_file(&folder.join(NAME), &aside).map_err(fail())
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
        env: &Env,
        old: Option<Oid>,
        new: Oid,
        objects: Vec<Object>,
    ) -> Result<Appended> {
        let number = self.last.as_ref().map_or(0, |last| last.number + 1);
        let place = place(env, &self.file).map_err(io("can't look at the journal"))?;
        let record = Record {
            step: Step::Move,
            number,
            place,
            old,
            new: Some(new),
            objects,
        };
        // Where to cut, should the record have to be taken back.
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
            // Half a record would be damage for the next reader.
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
            // The ref has moved: who is told that it failed must not do it again.
            .map_err(io(
                "the change is made, but a power cut may undo it: can't make the journal durable",
            ))
    }

    /// Takes it back: the move did not happen. No one has appended anything since.
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

    /// Puts a file in the place of the journal's that no system can make durable.
    #[cfg(test)]
    pub(super) fn cannot_be_synced(&mut self) {
        self.journal.file = platform::unsyncable_file();
    }

    /// Returns the objects that it holds.
    pub(super) fn objects(&self) -> &[Object] {
        &self.record.objects
    }
}

#[cfg(test)]
mod tests;
