//! The part of an exchange that is about carry files: what others have committed beside their work is merged like a mailbox.
//!
//! Files are taken from the trees of branches, as they were last fetched, and of what the user names; never from what is
//! checked out, since to look at the branch of a stranger must change no issue. One that does not pass is left alone and named.

use std::collections::HashSet;

use super::Exchange;
use super::arrivals::{Admission, Arrival, FileOutcome};
use super::base::base_of_file;
use crate::ops::shared::carry;
use crate::ops::shared::sync::{CarriedIssue, Collected, LeftAlone, NamedFile, Sync};
use crate::ops::{Command, Error, Result};
use crate::store::carry::{
    CarryBlob, CarryFault, CarryFile, CarryNotes, FOLDER, LARGEST_FILE, carried_in, is_named_well,
    tips_of,
};
use crate::store::{Destination, Oid, Store, StoreError};

/// The key that says which files are taken over.
const KEY: &str = "beads.collect";
/// So many new files of a branch are looked at by one exchange.
const MOST_FILES: usize = 64;
/// A file that changes more issues, or deletes more, waits for the word of a person.
const MOST_ISSUES: usize = 200;
const MOST_DELETED: usize = 20;
/// In so many branches are folders fetched by one exchange that a filter has left out.
const MOST_FOLDERS: usize = 32;
/// The word for one that does.
const HELD: &str = "held";

/// The files that an exchange has looked at, and whether by a sound name.
type SeenFiles = HashSet<(Oid, bool)>;

/// A commit in whose tree files are looked for.
struct CarryPlace {
    name: String,
    tip: Oid,
    /// The command by which the user names it.
    option: Option<Command>,
}

/// A file, and where it is from.
struct CarryCandidate<'f> {
    from: String,
    bytes: &'f [u8],
    /// The command that takes over a large one, with one more option.
    option: Command,
    may_be_large: bool,
}

impl Exchange<'_> {
    /// Merges the carry files that are new in the branches of the remote, and those that the request names.
    pub(in crate::ops::shared::sync) fn collect_carried(&mut self) -> Result<()> {
        let places = self.places()?;
        let mut notes = CarryNotes::of(self.store);
        let known = notes.clone();
        let mut seen = SeenFiles::new();
        for place in &places {
            self.collect_place(place, &mut notes, &mut seen)?;
        }
        let request = self.request;
        for file in &request.sources.files {
            if let FileOutcome::Arrives(arrival) = self.collect_named(file)? {
                self.arrivals.push(arrival);
            }
        }
        self.merge_arrivals(&mut notes)?;
        if !self.request.dry_run {
            notes.forget_gone(self.store)?;
            if notes != known {
                notes.keep(self.store);
            }
        }
        Ok(())
    }

    /// Returns the commits to look at, those that the user names first.
    fn places(&self) -> Result<Vec<CarryPlace>> {
        let mut places = self.named_places()?;
        let Some(landed) = policy(self.store)? else {
            return Ok(places);
        };
        // What only joins does so whenever a tracker opens: it has to cost nothing.
        if self.request.fetch && self.request.merge && !self.remote.is_empty() {
            let tips = tips_of(self.store, self.remote, landed)?.into_iter();
            places.extend(tips.map(|(name, tip)| place(&name, tip, None)));
        }
        Ok(places)
    }

    /// Returns the commits that the user names.
    fn named_places(&self) -> Result<Vec<CarryPlace>> {
        let mut places = Vec::new();
        let sources = &self.request.sources;
        if sources.head {
            let tip = carry::head(self.store).ok_or_else(|| {
                Error::not_found("HEAD has no commit").hinted(Command::line("git log"))
            })?;
            places.push(place("HEAD", tip, Some(collect().flag("--head"))));
        }
        for branch in &sources.branches {
            let named = [
                format!("refs/remotes/{}/{branch}", self.remote),
                branch.clone(),
            ];
            let tip = named
                .iter()
                .find_map(|name| self.store.user_branches().commit_named(name));
            let tip = tip.ok_or_else(|| {
                Error::not_found(format!("`{branch}` is no branch here"))
                    .hinted(Command::line("git branch --all"))
            })?;
            places.push(place(branch, tip, Some(by_branch(branch))));
        }
        Ok(places)
    }

    fn collect_place(
        &mut self,
        place: &CarryPlace,
        notes: &mut CarryNotes,
        seen: &mut SeenFiles,
    ) -> Result<()> {
        let is_named = place.option.is_some();
        if !is_named && notes.is_done_with(place.tip) || !self.store.is_commit(place.tip)? {
            return Ok(());
        }
        let Some(files) = self.files_of(place)? else {
            return Ok(());
        };
        self.fetch_texts(&files, notes);
        let (mut waiting, mut looked) = (Vec::new(), 0);
        for file in files {
            if notes.is_done(file.oid) && !is_named {
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
                true => self.collect_blob(place, &file)?,
                false => FileOutcome::Waits,
            };
            if !is_named && self.synced.left.len() > named_before {
                self.name_once(named_before, file.oid, notes);
            }
            match outcome {
                FileOutcome::Here => notes.done(file.oid),
                FileOutcome::Waits => waiting.push(file.oid),
                FileOutcome::Arrives(arrival) => {
                    // Until it is done.
                    waiting.push(file.oid);
                    let blob = Some(file.oid);
                    self.arrivals.push(Arrival { blob, ..arrival });
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
            notes.looked_at(place.tip, &waiting);
        }
        Ok(())
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
    fn fetch_texts(&self, files: &[CarryBlob], notes: &CarryNotes) {
        if !self.may_lack_files() {
            return;
        }
        let is_lacked = |file: &&CarryBlob| {
            let is_new = is_named_well(&file.name) && !notes.is_done(file.oid);
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
    fn name_once(&mut self, named_before: usize, file: Oid, notes: &mut CarryNotes) {
        let mut said = self.synced.left.iter().skip(named_before);
        let is_held = said.any(|left| left.code.as_deref() == Some(HELD));
        if is_held || self.request.all_mailboxes {
            return;
        }
        match notes.has_named(file) {
            true => self.synced.left.truncate(named_before),
            false if self.request.unattended => {}
            false => notes.name(file),
        }
    }

    /// Takes over a file of a branch.
    fn collect_blob(&mut self, place: &CarryPlace, file: &CarryBlob) -> Result<FileOutcome> {
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
        self.collect_file(&CarryCandidate {
            from,
            bytes: &bytes,
            option: place.option.clone().unwrap_or_else(by_branch),
            may_be_large: self.request.sources.large,
        })
    }

    /// Takes over a file that the user names by its path.
    fn collect_named(&mut self, file: &NamedFile) -> Result<FileOutcome> {
        self.collect_file(&CarryCandidate {
            from: file.path.display().to_string(),
            bytes: &file.bytes,
            option: collect().flag("--file").path(&file.path),
            may_be_large: self.request.sources.large,
        })
    }

    /// Takes over a file: the commit of it is rebuilt, and checked like one of a remote.
    fn collect_file(&mut self, found: &CarryCandidate<'_>) -> Result<FileOutcome> {
        let file = match CarryFile::parse(found.bytes) {
            Ok(file) => file,
            Err(fault) => {
                let code = (fault == CarryFault::Edited).then_some("edited");
                return self.leave(found, &fault.to_string(), code);
            }
        };
        if is_own(self.store, &file)? {
            return Ok(FileOutcome::Here);
        }
        let base = match base_of(self, &file)? {
            Ok(base) => base,
            Err(why) => return self.leave(found, why, None),
        };
        let rebuilt = match file.rebuild(self.store, base) {
            Ok(rebuilt) => rebuilt,
            Err(StoreError::Limit(why)) => return self.leave(found, &why.to_string(), None),
            Err(error) => return Err(error.into()),
        };
        // Also one that was undone here: the history has it, so it does not come back.
        if has(self.store, rebuilt.tip)? {
            return Ok(FileOutcome::Here);
        }
        if let Some(why) = too_large(self.store, found, (&file, base))? {
            return self.leave(found, &why, Some(HELD));
        }
        let collected = collected(self.request, found, &file);
        if self.request.dry_run {
            self.synced.collected.push(collected);
            return Ok(FileOutcome::Waits);
        }
        let tip = rebuilt.write()?;
        let is_collected = self.route.to == Destination::Store;
        let admission = self.admit_from(&collected.from, (tip, false), is_collected)?;
        Ok(match admission {
            Admission::Passes(admitted) => FileOutcome::Arrives(Arrival {
                admitted,
                blob: None,
                collected,
            }),
            Admission::Here => FileOutcome::Here,
            Admission::Refused => FileOutcome::Waits,
        })
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

/// Returns true if only the branch that work lands on is looked at; none where no branch is.
/// Errors: a value of `beads.collect` that is none.
fn policy(store: &Store) -> Result<Option<bool>> {
    let text = store.config(KEY).unwrap_or_default();
    match text.trim() {
        "" | "branches" => Ok(Some(false)),
        "landed" => Ok(Some(true)),
        "none" => Ok(None),
        _ => {
            let message = format!("{KEY} is `{text}`; it can be branches, landed or none");
            let hint = Command::line("git config").word(KEY).word("branches");
            Err(Error::invalid(message).hinted(hint))
        }
    }
}

/// Returns true if a commit is part of our history.
fn has(store: &Store, tip: Oid) -> Result<bool> {
    let is_here = store.is_commit(tip)?;
    match store.tip()? {
        Some(ours) if is_here => Ok(store.merging().contains(ours, tip)?),
        _ => Ok(false),
    }
}

/// Returns the reason why a file waits for the word of a person.
fn too_large(
    store: &Store,
    found: &CarryCandidate<'_>,
    (file, base): (&CarryFile, Oid),
) -> Result<Option<String>> {
    let (issues, deleted) = (file.issues().len(), file.deletions(store, base)?.len());
    let is_large = issues > MOST_ISSUES || deleted > MOST_DELETED;
    let anyway = found.option.clone().flag("--large");
    Ok((is_large && !found.may_be_large)
        .then(|| format!("it changes {issues} issues and deletes {deleted}; {anyway} collects it")))
}

/// Returns true for a file that this clone has written of what its history still has.
fn is_own(store: &Store, file: &CarryFile) -> Result<bool> {
    match store.tip()? {
        Some(tip) if CarryNotes::of(store).has_written(&file.header.sum) => {
            Ok(file.is_part_of(store.snapshot_at(tip)?)?)
        }
        _ => Ok(false),
    }
}

/// Returns what is said of a file that is taken over.
fn collected(request: &Sync, found: &CarryCandidate<'_>, file: &CarryFile) -> Collected {
    let mut shown = Vec::new();
    if request.dry_run && request.sources.are_named() {
        for issue in file.shown_issues() {
            shown.push(CarriedIssue {
                id: issue.id().to_owned(),
                status: issue.status().to_string(),
                title: issue.title().to_owned(),
            });
        }
    }
    Collected {
        from: found.from.clone(),
        changes: file.header.changes,
        issues: file.issues().len(),
        deleted: false,
        shown,
    }
}

/// Returns the commit here that a file builds on, or the reason why it is not about our issues, or can't be taken over yet.
fn base_of(
    exchange: &Exchange<'_>,
    file: &CarryFile,
) -> Result<std::result::Result<Oid, &'static str>> {
    let (store, remote) = (exchange.store, exchange.remote);
    let known = match store.tip()? {
        Some(ours) => Some(ours),
        None if remote.is_empty() => None,
        None => store.remotes().remote_tip(remote)?,
    };
    let Some(known) = known else {
        return Ok(Err("no issue store here"));
    };
    let meta = store.snapshot_at(known)?.meta()?;
    let stores = &file.header.stores;
    if !meta
        .live("stores")
        .any(|(id, _)| stores.iter().any(|it| it == id))
    {
        return Ok(Err("it belongs to another store"));
    }
    let Some(base) = base_of_file(exchange, file)? else {
        return Ok(Err("its base has not arrived"));
    };
    let is_kin = !store.merging().merge_bases(known, base)?.is_empty();
    Ok(match is_kin {
        true => Ok(base),
        false => Err("its base is no commit of these issues"),
    })
}

fn collect() -> Command {
    Command::of("collect")
}

/// Returns the command that collects from a branch.
fn by_branch(name: &str) -> Command {
    collect().flag("--branch").word(name)
}

fn place(name: &str, tip: Oid, option: Option<Command>) -> CarryPlace {
    CarryPlace {
        name: name.to_owned(),
        tip,
        option,
    }
}
