//! The part of an exchange that is about carry files: what others have committed beside their work is merged like a mailbox.
//!
//! Files are taken from the trees of branches, as they were last fetched, and of what the user names; never from what is
//! checked out, since to look at the branch of a stranger must change no issue. One that does not pass is left alone and named.

mod found;

use std::collections::HashSet;

use found::{FoundState, has};

use super::Exchange;
use super::places::{CarryPlace, by_branch, collect};
use crate::ops::shared::sync::{CarriedIssue, Collected, LeftAlone, NamedFile, Sync};
use crate::ops::{Command, ExitClass, Result};
use crate::store::carry::{
    CarriedChanges, CarriedState, CarryBlob, CarryFault, FOLDER, LARGEST_FILE, carried_in,
    is_named_well,
};
use crate::store::door::{Candidate, StateSource};
use crate::store::{Oid, Store};

/// So many new files of a branch are looked at by one exchange.
const MOST_FILES: usize = 64;
/// A file that changes more issues, or deletes more, waits for the word of a person.
const MOST_ISSUES: usize = 200;
const MOST_DELETED: usize = 20;
/// So many bytes of files are in memory at a time.
const MOST_BYTES: usize = 256 << 20;
/// In so many branches are folders fetched by one exchange that a filter has left out.
const MOST_FOLDERS: usize = 32;
/// The word for one that does.
const HELD: &str = "held";

/// The files that an exchange has looked at, and whether by a sound name.
type SeenFiles = HashSet<(Oid, bool)>;

/// A file, and where it is from.
struct CarryCandidate<'f> {
    from: String,
    bytes: &'f [u8],
    /// The command that takes over a large one, with one more option.
    option: Command,
    /// The tip of the remote, which comes in together with it.
    theirs: Option<Oid>,
}

/// A file whose changes are still to be merged.
pub(super) struct CarriedFile {
    /// The state that it brings.
    state: CarriedState,
    /// The file, where a branch has it.
    pub(super) blob: Option<Oid>,
    /// True if the user names it.
    pub(super) is_named: bool,
    pub(super) collected: Collected,
}

impl CarriedFile {
    pub(super) fn candidate(&self) -> Candidate {
        let source = StateSource::File(self.collected.from.clone());
        Candidate::carried(self.state.clone(), source)
    }

    /// Returns the number of operations that it has brought, where so many commits were news.
    pub(super) fn brought(&self, commits: usize) -> usize {
        self.state.joined().unwrap_or(commits)
    }

    pub(super) fn is_from(&self, place: &str, tip: Oid) -> bool {
        self.state.tip == tip && self.collected.from == place
    }
}

/// The outcome for a file.
enum FileOutcome {
    /// Its changes are here.
    Here,
    /// Its changes will be here after the next merge.
    Arrives(CarriedFile),
    /// It was left alone, or only looked at.
    Waits,
}

impl Exchange<'_> {
    /// Returns the carry files that are new in the branches of the remote, and those that the request names.
    pub(super) fn carried_files(&mut self, theirs: Option<Oid>) -> Result<Vec<CarriedFile>> {
        self.carried_bytes = 0;
        let mut files = Vec::new();
        let mut seen = SeenFiles::new();
        for place in &self.places()? {
            files.extend(self.collect_place(place, theirs, &mut seen)?);
        }
        let request = self.request;
        for file in &request.sources.files {
            if let FileOutcome::Arrives(file) = self.collect_named(file, theirs)? {
                files.push(file);
            }
        }
        Ok(files)
    }

    fn collect_place(
        &mut self,
        place: &CarryPlace,
        theirs: Option<Oid>,
        seen: &mut SeenFiles,
    ) -> Result<Vec<CarriedFile>> {
        let is_named = place.option.is_some();
        let mut arriving = Vec::new();
        if !is_named && self.notes.is_done_with(place.tip) || !self.store.is_commit(place.tip)? {
            return Ok(arriving);
        }
        let Some(files) = self.files_of(place)? else {
            return Ok(arriving);
        };
        self.fetch_texts(&files);
        let (mut waiting, mut looked) = (Vec::new(), 0);
        for file in files {
            if self.notes.is_done(file.oid) && !is_named {
                continue;
            }
            looked += 1;
            if looked > MOST_FILES && !is_named {
                waiting.push(file.oid);
                continue;
            }
            // The same file is in many branches; what is wrong with it is said once. A copy of it under a bad name stands for
            // no other.
            let named_before = self.synced.left.len();
            let outcome = match seen.insert((file.oid, is_named_well(&file.name))) {
                true => self.collect_blob(place, &file, theirs)?,
                false => FileOutcome::Waits,
            };
            if !is_named && self.synced.left.len() > named_before {
                self.name_once(named_before, file.oid);
            }
            match outcome {
                FileOutcome::Here => self.notes.done(file.oid),
                FileOutcome::Waits => waiting.push(file.oid),
                FileOutcome::Arrives(arrives) => {
                    // Until it is done.
                    waiting.push(file.oid);
                    arriving.push(CarriedFile {
                        blob: Some(file.oid),
                        is_named,
                        ..arrives
                    });
                }
            }
        }
        if looked > MOST_FILES && !is_named {
            let why = format!(
                "more than {MOST_FILES} new carry files; {} takes all",
                by_branch(&place.name)
            );
            self.leave_alone(&place.name, &why);
        }
        if !is_named {
            self.notes.looked_at(place.tip, &waiting);
        }
        Ok(arriving)
    }

    /// Returns the files in a tree, which are fetched where a filter has left out its folders; none where a later exchange
    /// does so.
    fn files_of(&mut self, place: &CarryPlace) -> Result<Option<Vec<CarryBlob>>> {
        match carried_in(self.store, place.tip) {
            Err(error) if error.is_unreadable() && self.may_lack_files() => {}
            files => return Ok(Some(files?)),
        }
        self.fetched_folders += 1;
        if self.fetched_folders > MOST_FOLDERS {
            return Ok(None);
        }
        let fetched = self
            .remotes()
            .fetch_folder(self.remote, place.tip, FOLDER, self.cancel);
        tracing::debug!(fetched = fetched.is_ok(), "fetched a folder of carry files");
        let files = carried_in(self.store, place.tip);
        Ok(fetched.is_ok().then_some(files).transpose()?)
    }

    /// Returns true if a filter may have left out files of others.
    fn may_lack_files(&self) -> bool {
        !self.remote.is_empty() && self.remotes().is_partial()
    }

    /// Fetches the files whose texts a filter has left out. Where that fails, each is left alone.
    fn fetch_texts(&self, files: &[CarryBlob]) {
        if !self.may_lack_files() {
            return;
        }
        let is_lacked = |file: &&CarryBlob| {
            let is_new = is_named_well(&file.name) && !self.notes.is_done(file.oid);
            is_new
                && file
                    .read(self.store)
                    .is_err_and(|error| error.is_unreadable())
        };
        let lacked = files.iter().filter(is_lacked).take(MOST_FILES);
        let lacked: Vec<Oid> = lacked.map(|file| file.oid).collect();
        if !lacked.is_empty() {
            let fetched = self
                .remotes()
                .fetch_objects(self.remote, &lacked, self.cancel);
            tracing::debug!(
                files = lacked.len(),
                fetched = fetched.is_ok(),
                "fetched carry files"
            );
        }
    }

    /// Takes back what was said of a file that was left alone, where an exchange before has said so: its branch may never go.
    /// One that waits for a person is named each time, and `collect` names all.
    pub(super) fn name_once(&mut self, named_before: usize, file: Oid) {
        let mut said = self.synced.left.iter().skip(named_before);
        let is_held = said.any(|left| left.code.as_deref() == Some(HELD));
        if is_held || self.request.all_mailboxes {
            return;
        }
        match self.notes.has_named(file) {
            true => self.synced.left.truncate(named_before),
            false if self.request.unattended => {}
            false => self.notes.name(file),
        }
    }

    /// Takes over a file of a branch.
    fn collect_blob(
        &mut self,
        place: &CarryPlace,
        file: &CarryBlob,
        theirs: Option<Oid>,
    ) -> Result<FileOutcome> {
        let from = format!("{}:{}", place.name, file.path().escape_default());
        if !is_named_well(&file.name) {
            self.leave_alone(&from, "a bad name");
            return Ok(FileOutcome::Waits);
        }
        let bytes = match text_of(self.store, file)? {
            Ok(bytes) => bytes,
            Err(why) => {
                self.leave_alone(&from, &why);
                return Ok(FileOutcome::Waits);
            }
        };
        let by_branch = || by_branch(&place.name);
        let found = CarryCandidate {
            from,
            bytes: &bytes,
            option: place.option.clone().unwrap_or_else(by_branch),
            theirs,
        };
        match self.collect_file(&found) {
            // One that can't be read holds up no other.
            Err(error) if error.class() == ExitClass::Io => {
                self.leave(&found, &error.message, None)
            }
            outcome => outcome,
        }
    }

    /// Takes over a file that the user names by its path.
    fn collect_named(&mut self, file: &NamedFile, theirs: Option<Oid>) -> Result<FileOutcome> {
        self.collect_file(&CarryCandidate {
            from: file.path.display().to_string(),
            bytes: &file.bytes,
            option: collect().flag("--file").path(&file.path),
            theirs,
        })
    }

    /// Collects a file: what it brings is looked at, and checked like what a remote has.
    fn collect_file(&mut self, found: &CarryCandidate<'_>) -> Result<FileOutcome> {
        let state = match self.state_of(found)? {
            FoundState::New(state) => state,
            FoundState::Here => return Ok(FileOutcome::Here),
            FoundState::Left(why) => {
                let code = (why == CarryFault::Edited).then_some("edited");
                return self.leave(found, &why.to_string(), code);
            }
        };
        // Also one that was undone here: the history has it, so it does not come back.
        if has(self.store, self.store.tip()?, state.tip)? {
            return Ok(FileOutcome::Here);
        }
        // What comes with the tip of the remote anyway waits for no one.
        if has(self.store, found.theirs, state.tip)? {
            return Ok(FileOutcome::Waits);
        }
        let known: Vec<Oid> = self.store.tip()?.into_iter().chain(found.theirs).collect();
        self.carried_bytes += state.size();
        if self.carried_bytes > MOST_BYTES {
            // The next exchange does it.
            return Ok(FileOutcome::Waits);
        }
        let changes = match state.changes(self.store, &known)? {
            Ok(changes) => changes,
            Err(why) => return self.leave(found, &why.to_string(), None),
        };
        if let Some(why) = too_large(found, &changes).filter(|_| !self.request.sources.large) {
            return self.leave(found, &why, Some(HELD));
        }
        let collected = collected(self.request, found, &changes);
        if self.request.dry_run {
            self.synced.collected.push(collected);
            return Ok(FileOutcome::Waits);
        }
        Ok(FileOutcome::Arrives(CarriedFile {
            state,
            blob: None,
            is_named: true,
            collected,
        }))
    }

    fn leave(
        &mut self,
        found: &CarryCandidate<'_>,
        why: &str,
        code: Option<&str>,
    ) -> Result<FileOutcome> {
        self.note_left(LeftAlone {
            from: found.from.clone(),
            why: why.to_owned(),
            code: code.map(str::to_owned),
        });
        Ok(FileOutcome::Waits)
    }
}

/// Returns the text of a file of a branch, or the reason why it can't be had.
fn text_of(store: &Store, file: &CarryBlob) -> Result<std::result::Result<Vec<u8>, String>> {
    match file.read(store) {
        Ok(Ok(bytes)) => Ok(Ok(bytes)),
        Ok(Err(size)) => Ok(Err(format!("{size} bytes; the limit is {LARGEST_FILE}"))),
        Err(error) if error.is_unreadable() => Ok(Err("its text is not here yet".to_owned())),
        Err(error) => Err(error.into()),
    }
}

/// Returns the reason why a file waits for the word of a person.
fn too_large(found: &CarryCandidate<'_>, changes: &CarriedChanges) -> Option<String> {
    let (issues, deleted) = (changes.issues.len(), changes.deleted);
    let is_large = issues > MOST_ISSUES || deleted > MOST_DELETED;
    let anyway = found.option.clone().flag("--large");
    is_large
        .then(|| format!("it changes {issues} issues and deletes {deleted}; {anyway} collects it"))
}

/// Returns what is said of a file that is collected.
fn collected(request: &Sync, found: &CarryCandidate<'_>, changes: &CarriedChanges) -> Collected {
    let mut shown = Vec::new();
    if request.dry_run && request.sources.are_named() {
        for issue in &changes.shown {
            shown.push(CarriedIssue {
                id: issue.id().to_owned(),
                status: issue.status().to_string(),
                title: issue.title().to_owned(),
            });
        }
    }
    Collected {
        from: found.from.clone(),
        changes: changes.operations,
        issues: changes.issues.len(),
        deleted: false,
        shown,
    }
}
