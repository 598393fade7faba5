//! `import`: records of `bd` or `br`, joined onto what is here, in one commit.
//!
//! The file is read twice: once to learn which line of each id is the newest and what is in it at all,
//! once to build. So a file of any size is imported in little memory, and references between its
//! records are resolved in any order.

mod backup;
mod file;
mod input;
mod lines;
mod report;
mod sources;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::{BufReader, Seek, SeekFrom};

use crate::index::Index;
use crate::model::bd::{self, ImportRecord, Names, ParsedLine};
use crate::model::id::check_prefix;
use crate::model::join::{Side, import as join_record, is_same_shown, join};
use crate::model::limits::{MOST_MEMORY, ValueError};
use crate::model::{Blob, Issue, Memory, MemoryKind, StatusChanges, StatusRegister, Uid};
use crate::ops::{Error, Result, Tracker, View};
use crate::store::{Changes, Oid, TreePath};
use file::FileContents;
use lines::{read_line, unread};
use report::Unit;

pub(crate) use input::Input;
pub(crate) use report::{Imported, LineError};
pub(crate) use sources::{ColumnMap, column_map};

/// A path and the bytes to write there.
type SpooledFile = (TreePath, Vec<u8>);

/// The options of an import.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImportOptions {
    /// Takes what differs, though it is not newer.
    pub(crate) overwrite: bool,
    /// The columns of a table, by what they hold.
    pub(crate) columns: ColumnMap,
    /// The prefix of new ids, where they are numbers alone.
    pub(crate) prefix: Option<String>,
}

/// The progress of an import: records built, records in all.
pub(crate) type ImportProgress<'a> = &'a mut dyn FnMut(usize, usize);

/// Imports the records of an input.
///
/// Records that can't be read are left out and named; the rest is taken.
pub(crate) fn import(
    tracker: &Tracker,
    input: Input,
    options: &ImportOptions,
    progress: ImportProgress<'_>,
) -> Result<Imported> {
    if let Some(prefix) = &options.prefix {
        check_prefix(prefix).map_err(|error| Error::invalid(error.to_string()))?;
    }
    let Input {
        name,
        mut file,
        mut contents,
        source,
    } = input;
    let (imported, _) = tracker.write_blobs(|_, changes| {
        // Opened for each attempt: after a lost race the state is another one.
        let view = View::new(tracker, Index::open(tracker.store())?);
        let mut import = Import {
            view: &view,
            changes,
            contents: &mut contents,
            overwrite: options.overwrite,
            report: Imported::default(),
            touched: Vec::new(),
            turns: StatusChanges::default(),
            shared: HashMap::new(),
        };
        match &source {
            Some(source) => import.follow(source, options, progress)?,
            None => {
                import.identify()?;
                import.records(&mut file, progress)?;
                import.notes()?;
            }
        }
        let (report, touched, turns) = (import.report, import.touched, import.turns);
        let subject = format!(
            "import {name}: {} created, {} updated",
            report.created, report.updated
        );
        Ok((report, tracker.message(&subject, &touched, &turns)))
    })?;
    // So that the first list after it finds the index ready.
    drop(Index::open(tracker.store())?);
    let mut report = imported;
    report.duplicates = contents.duplicates;
    report.without_links = contents.without_links;
    if let Some(source) = source {
        report.source = Some(source.kind);
        report.left_out = source.left_out;
    }
    report.errors.append(&mut contents.errors);
    report
        .errors
        .sort_by_key(|error| (error.file.clone(), error.line, error.element));
    Ok(report)
}

struct Import<'a, 's> {
    view: &'a View<'s>,
    changes: &'a mut Changes<'s>,
    contents: &'a mut FileContents,
    overwrite: bool,
    report: Imported,
    touched: Vec<Uid>,
    turns: StatusChanges,
    /// Identities that several lines speak of, each under another id, with what came of them so far.
    shared: HashMap<Uid, Option<Blob>>,
}

impl Import<'_, '_> {
    /// An id that an issue has or was known by here keeps its identity.
    fn identify(&mut self) -> Result<()> {
        let mut seen = HashSet::new();
        for chosen in &mut self.contents.issues {
            let ids = self.view.index.ids();
            if let Some(known) = ids.meant_by_record(&chosen.id, chosen.created)? {
                chosen.uid = known;
            }
            // A second line speaks of the same issue, as after a rename: both are joined.
            if !seen.insert(chosen.uid) {
                self.shared.insert(chosen.uid, None);
            }
        }
        Ok(())
    }

    fn records(&mut self, input: &mut std::fs::File, progress: ImportProgress<'_>) -> Result<()> {
        let total = self.contents.issues.len();
        let mut reader = BufReader::with_capacity(1 << 18, input);
        let mut order: Vec<usize> = (0..total).collect();
        // In the order of the file: then most lines begin where the one before ended.
        order.sort_unstable_by_key(|at| self.contents.issues[*at].offset);
        let (mut buffer, mut position) = (Vec::new(), None);
        for (done, at) in order.into_iter().enumerate() {
            let (offset, line, uid) = (
                self.contents.issues[at].offset,
                self.contents.issues[at].line,
                self.contents.issues[at].uid,
            );
            if position != Some(offset) {
                reader
                    .seek(SeekFrom::Start(offset))
                    .map_err(|error| unread(&error))?;
            }
            position = Some(offset + read_line(&mut reader, &mut buffer)?);
            let text =
                String::from_utf8_lossy(buffer.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&buffer));
            // The first reading has parsed it; a file that changed in between gives no record.
            let Ok(Some(ParsedLine::Issue(record))) = bd::parse_line(&text) else {
                continue;
            };
            if let Err(message) = self.record(&record, uid)? {
                let error = LineError::new(self.contents.unit, line, message);
                self.report.errors.push(error);
            }
            progress(done + 1, total);
        }
        Ok(())
    }

    /// Joins one record; the inner error is the record's, the outer one the store's.
    fn record(&mut self, record: &ImportRecord, uid: Uid) -> Result<Result<(), String>> {
        let built = match self.build(record, uid) {
            Ok(built) => built,
            Err(message) => return Ok(Err(message)),
        };
        let found = self.view.snapshot().find(TreePath::Issue(uid))?;
        let oid = found
            .as_ref()
            .map(|(oid, _)| oid.to_string())
            .unwrap_or_default();
        let local = match self.local(uid, found) {
            Ok(local) => local,
            Err(message) => return Ok(Err(message)),
        };
        // A purge is for good: neither the text nor the memory of an older file comes back.
        if let Some(local) = &local
            && (local.purged.is_some() || self.is_exported_as(uid, local, record)?)
        {
            self.report.unchanged += 1;
            return Ok(Ok(()));
        }
        let mut joined = Cow::Borrowed(built.issue.blob());
        let mut is_newer = true;
        if let Some(local) = &local {
            match self.joined(record, local, &oid, &built, uid) {
                Ok((state, is_whole)) => (joined, is_newer) = (Cow::Owned(state), is_whole),
                Err(message) => return Ok(Err(message)),
            }
        }
        let unchanged = self.report.unchanged;
        let taken = self.take(uid, local.as_ref(), &joined, &built.memory)?;
        if taken.is_ok() && !is_newer {
            self.report.not_newer.push(record.id.as_str().to_owned());
            // One that is named is not counted here.
            self.report.unchanged = unchanged;
        }
        Ok(taken)
    }

    /// Takes over an issue as it is to be, with its memory; the inner error is the record's, which is left out whole.
    fn take(
        &mut self,
        uid: Uid,
        local: Option<&Blob>,
        joined: &Blob,
        memory: &[Memory],
    ) -> Result<Result<(), String>> {
        // Checked before anything is added.
        let entries = match self.entries(uid, memory, local.is_none())? {
            Ok(entries) => entries,
            Err(message) => return Ok(Err(message)),
        };
        let is_same = local == Some(joined);
        if !is_same {
            match joined.to_checked_bytes() {
                Ok(bytes) => self.put(uid, local, joined, bytes)?,
                Err(why) => return Ok(Err(why.to_string())),
            }
        }
        match local {
            None => self.report.created += 1,
            Some(_) if is_same => self.report.unchanged += 1,
            Some(_) => self.report.updated += 1,
        }
        for (path, bytes) in entries {
            self.changes.add(path, bytes)?;
            self.report.memory += 1;
            self.touched.push(uid);
        }
        Ok(Ok(()))
    }

    /// Joins a record with the state that is here; returns also whether all of it is taken.
    fn joined(
        &self,
        record: &ImportRecord,
        blob: &Blob,
        oid: &str,
        built: &bd::Built,
        uid: Uid,
    ) -> Result<(Blob, bool), String> {
        let local = Side { blob, oid };
        let taken = self.overwritten(record, local, uid)?;
        if self.overwrite {
            return Ok((taken, true));
        }
        let joined = join_record(local, built.issue.blob());
        let is_whole = is_same_shown(&joined, &taken);
        Ok((joined, is_whole))
    }

    /// Returns the state that all of a record gives, as if it had been written now.
    fn overwritten(
        &self,
        record: &ImportRecord,
        local: Side<'_>,
        uid: Uid,
    ) -> Result<Blob, String> {
        let mut record = record.clone();
        record.overwrite(local.blob.newest());
        let mut built = self.build(&record, uid)?;
        // A former id in the file is no wish to have it back.
        built.issue.blob_mut().registers.remove("id");
        Ok(join_record(local, built.issue.blob()))
    }

    /// Returns whether a record is what an export of this issue says now: then it brings nothing, and
    /// its empty values must not beat what another clone writes meanwhile.
    fn is_exported_as(&self, uid: Uid, local: &Blob, record: &ImportRecord) -> Result<bool> {
        let issue = Issue::from_blob(uid, local.clone());
        let (memory, _) = self.view.snapshot().memory(uid)?;
        let id = |target: Uid| self.view.index.ids().bare_id_of(target).ok().flatten();
        Ok(record.is_same_as(bd::export(&issue, &memory, &Names { id: &id })))
    }

    /// Returns the issue as this import leaves it so far; the error is that of the record.
    fn local(&self, uid: Uid, found: Option<(Oid, Vec<u8>)>) -> Result<Option<Blob>, String> {
        // An earlier line of this import is part of the state that the commit will have.
        if let Some(earlier) = self.shared.get(&uid).cloned().flatten() {
            return Ok(Some(earlier));
        }
        // One of a later version too: the join is the same in all versions, and keeps what it does not know.
        let local = found.map(|(_, bytes)| Blob::parse(&bytes)).transpose();
        local.map_err(|why| format!("the issue here can't be read: {why}"))
    }

    fn build(&self, record: &ImportRecord, uid: Uid) -> Result<bd::Built, String> {
        let (view, contents) = (self.view, &*self.contents);
        let known = |id: &str| contents.ids.get(id).map(|at| contents.issues[*at].uid);
        let resolve = |id: &str| known(id).or_else(|| view.index.ids().meant_by(id).ok().flatten());
        let named = |target: Uid| {
            if target == uid {
                Some(record.id.as_str().to_owned())
            } else {
                view.index.ids().bare_id_of(target).ok().flatten()
            }
        };
        let back: HashMap<Uid, &str> = record_targets(record, &resolve);
        let names = Names {
            id: &|target| {
                back.get(&target)
                    .map(|id| (*id).to_owned())
                    .or_else(|| named(target))
            },
        };
        bd::build(record, uid, &resolve, &names)
    }

    /// The entries of a record's memory that are not here; the inner error is one past a limit.
    fn entries(
        &self,
        uid: Uid,
        memory: &[Memory],
        is_new: bool,
    ) -> Result<Result<Vec<SpooledFile>, String>> {
        let (known, unreadable) = if is_new || memory.is_empty() {
            (Vec::new(), 0)
        } else {
            self.view.snapshot().memory(uid)?
        };
        let uids: HashSet<Uid> = known.iter().map(Memory::uid).collect();
        let texts: HashSet<_> = known.iter().map(said).collect();
        let new = memory
            .iter()
            // An entry of our own export has its identity; one of another program is known by what it says.
            .filter(|entry| !uids.contains(&entry.uid()) && !texts.contains(&said(entry)));
        let bytes = |entry: &Memory| {
            Ok((
                TreePath::Entry(uid, entry.uid()),
                entry.blob().to_checked_bytes()?,
            ))
        };
        let mut entries: Result<Vec<_>, ValueError> = new.map(bytes).collect();
        if let (Ok(entries), true) = (&mut entries, unreadable > 0) {
            // What can't be read stays as it is.
            let mut there = Vec::new();
            for (path, _) in entries.iter() {
                there.push(self.view.snapshot().find(*path)?.is_some());
            }
            let mut there = there.into_iter();
            entries.retain(|_| there.next() == Some(false));
        }
        let room = MOST_MEMORY.saturating_sub(known.len() + unreadable);
        Ok(match entries {
            Ok(entries) if entries.len() > room => {
                Err(format!("more than {MOST_MEMORY} entries of memory"))
            }
            entries => entries.map_err(|why| why.to_string()),
        })
    }

    fn put(&mut self, uid: Uid, before: Option<&Blob>, blob: &Blob, bytes: Vec<u8>) -> Result<()> {
        self.changes.add(TreePath::Issue(uid), bytes)?;
        self.touched.push(uid);
        match self.shared.get_mut(&uid) {
            // Several lines make this issue: only the last state would count, and it is not known yet.
            Some(earlier) => *earlier = Some(blob.clone()),
            None => self.turns.add(
                uid,
                before.map(StatusRegister::shown),
                StatusRegister::shown(blob),
            ),
        }
        Ok(())
    }

    fn notes(&mut self) -> Result<()> {
        let mut seen = HashSet::new();
        for note in self
            .contents
            .memory
            .iter()
            .filter(|note| seen.insert(note.uid()))
        {
            let path = TreePath::Note(note.uid());
            let local = match self.view.snapshot().find(path)? {
                Some((_, bytes)) => match Blob::parse(&bytes) {
                    Ok(local) => Some(local),
                    // What can't be read stays as it is.
                    Err(_) => continue,
                },
                None => None,
            };
            let joined = local
                .as_ref()
                .map_or_else(|| note.blob().clone(), |local| join(local, note.blob()));
            if local.as_ref() != Some(&joined) {
                self.changes.put(path, &joined)?;
                self.report.memory += 1;
            }
        }
        Ok(())
    }
}

/// The ids that a record names, by the identity they resolve to.
fn record_targets<'r>(
    record: &'r ImportRecord,
    resolve: &dyn Fn(&str) -> Option<Uid>,
) -> HashMap<Uid, &'r str> {
    record
        .references()
        .filter_map(|id| Some((resolve(id)?, id)))
        .collect()
}

/// Returns what makes an entry the same as another: what it says, by whom and when.
fn said(entry: &Memory) -> (MemoryKind, &str, &str, u64) {
    (entry.kind(), entry.text(), entry.by(), entry.at())
}
