//! `doctor`: looks at everything the store consists of, and repairs what can be repaired without guessing.
//!
//! Nothing is ever removed: what is replaced is kept next to the journal. It repairs from the journal, the reflog,
//! what remotes had, and, if it may ask them, from remotes.

mod history;
mod left;
mod reach;
mod surroundings;

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Index, compared};
use crate::model::time;
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::older_claims;
use crate::ops::{Code, Command, Error, Hint, Result, Tracker};
use crate::store::door::Lack;
use crate::store::{Oid, Push, Store, StoreError, look_twice};
use reach::mailboxes_among;
use surroundings::sync_with;

/// The measures to take.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Doctor {
    /// Repairs it.
    pub fix: bool,
    /// Asks the remote too.
    pub remote: bool,
    /// Puts an older state in the place of the newest recorded one, where that is not whole.
    pub older: bool,
    /// Forgets what the ref lacks.
    pub forget: bool,
}

/// What was looked at, and what was found.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Diagnosis {
    /// Commits of the history that were read.
    pub commits: usize,
    /// Objects that were read and compared with their ids.
    pub objects: usize,
    /// Issues of the index that were compared with the repository.
    pub issues: usize,
    /// What is not as it should be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// What is unusual, and no fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Something that is not as it should be.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Finding {
    /// A stable word for programs: `ref`, `object`, `journal`, ...
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// The exact next command, or what to change.
    pub remedy: String,
    /// Whether it was mended.
    pub fixed: bool,
}

impl Answer for Diagnosis {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

impl Diagnosis {
    /// Returns true if nothing was found, or all of it was repaired.
    pub(crate) fn is_well(&self) -> bool {
        self.findings.iter().all(|finding| finding.fixed)
    }
}

/// Looks at everything.
pub(crate) fn doctor(tracker: &Tracker, request: Doctor) -> Result<Diagnosis> {
    let mut visit = Visit {
        tracker,
        store: tracker.store(),
        request,
        found: Diagnosis::default(),
    };
    visit.files();
    visit.foreign_files();
    visit.read_only();
    visit.locks();
    visit.journal();
    // Without a readable ref all that follows would only repeat that.
    let Some(tip) = visit.reference()? else {
        return Ok(visit.found);
    };
    let tip = visit.objects(tip);
    // After the objects: what is to be merged must be readable.
    let tip = visit.left_out(tip);
    if visit
        .found
        .findings
        .iter()
        .all(|finding| finding.fixed || finding.code != "object")
    {
        visit.index();
        visit.unreadable();
        visit.clock();
    }
    visit.remotes(tip);
    visit.surroundings();
    visit.reach();
    Ok(visit.found)
}

struct Visit<'a> {
    tracker: &'a Tracker,
    store: &'a Store,
    request: Doctor,
    found: Diagnosis,
}

/// The finding of files that another user has left.
const FOREIGN: &str = "owner";
/// The remedy of all that `--fix` repairs.
const FIX: &str = "git beads doctor --fix";

impl Visit<'_> {
    fn find(
        &mut self,
        code: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
        fixed: bool,
    ) {
        let (message, remedy) = (message.into(), remedy.into());
        self.found.findings.push(Finding {
            code: code.to_owned(),
            message,
            remedy,
            fixed,
        });
    }

    /// A finding about what could not be done.
    fn failed(&mut self, code: &str, error: &Error) {
        let remedy = error.hint().unwrap_or_default();
        self.find(code, error.message.clone(), remedy, false);
    }

    /// Returns whether files of another user were found: what can't be opened for that is named already.
    fn has_foreign_files(&self) -> bool {
        let mut findings = self.found.findings.iter();
        findings.any(|finding| finding.code == FOREIGN)
    }

    /// Returns what was looked for. A failure is a finding, but for damage, which `report` names.
    fn found_or_failed<T>(&mut self, code: &str, found: Result<Vec<T>>) -> Vec<T> {
        found.unwrap_or_else(|error| {
            let is_named = error.is(Code::Io) && self.has_foreign_files();
            if !error.is(Code::Damaged) && !is_named {
                self.failed(code, &error);
            }
            Vec::new()
        })
    }

    /// A finding with a repair, which is tried where that was asked for.
    fn fix(
        &mut self,
        code: &str,
        message: impl Into<String>,
        repair: impl FnOnce(&Store) -> Result<()>,
    ) {
        let done = if self.request.fix {
            Some(repair(self.store))
        } else {
            None
        };
        match done {
            None => self.find(code, message, FIX, false),
            Some(Ok(())) => self.find(code, message, FIX, true),
            Some(Err(error)) => {
                let remedy = error.hint().unwrap_or_else(|| FIX.to_owned());
                let message = message.into();
                let both = format!("{message}; {error}");
                self.find(
                    code,
                    // A repair can fail with the very fault that it was to repair.
                    if error.message == message {
                        message
                    } else {
                        both
                    },
                    remedy,
                    false,
                );
            }
        }
    }

    fn files(&mut self) {
        let open: Vec<String> = self
            .store
            .fsck()
            .open_files()
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        if !open.is_empty() {
            let message = format!(
                "others can read or write, or it is a link: {}",
                open.join(", ")
            );
            self.fix("files", message, |store| {
                store.fsck().close_files()?;
                // Modes are set, but a link is never followed or replaced: it stays a finding.
                match store.fsck().open_files().first() {
                    None => Ok(()),
                    Some(link) => Err(Error::invalid(format!("{} is a link", link.display()))
                        .hinted(Hint::run(
                            "check what it is: ",
                            Command::line("ls -l").path(link),
                        ))),
                }
            });
        }
    }

    fn journal(&mut self) {
        match self.store.fsck().journal_damage() {
            Ok(damage) if damage > 0 => {
                let message = format!("the journal can't be read in {damage} places");
                self.fix("journal", message, |store| {
                    Ok(store.fsck().renew_journal()?)
                });
            }
            Ok(_) => {}
            Err(_) if self.has_foreign_files() => {}
            Err(error) => {
                let error = Error::from(error);
                let look = Command::line("ls -l").path(&self.store.folder());
                self.find(
                    "journal",
                    error.message,
                    format!("check what is in its place: {look}"),
                    false,
                );
            }
        }
    }

    /// Compares the index with a new one in memory.
    fn index(&mut self) {
        match look_twice(|| Index::open(self.store).and_then(compared)) {
            Ok((issues, same)) => {
                self.found.issues = issues;
                if !same {
                    self.fix(
                        "index",
                        "the index does not say what the repository says",
                        |store| {
                            Index::replaced(store)?;
                            Ok(())
                        },
                    );
                }
            }
            Err(error) => self.find("index", Error::from(error).message, FIX, false),
        }
    }

    /// Names blobs that are carried though they can't be read, and where they could be read last.
    fn unreadable(&mut self) {
        let broken = self.tracker.read(|view| {
            let mut broken = Vec::new();
            for (path, why) in view.index.broken()? {
                let last = view.snapshot().last_readable(&path)?;
                broken.push((path, why, last));
            }
            Ok(broken)
        });
        for (path, why, last) in self.found_or_failed("unreadable", broken) {
            let remedy = match last {
                Some(commit) => {
                    let show = Command::line("git show").word(format!("{commit}:{path}"));
                    format!("the newest version that can be read: {show}")
                }
                None => "a newer git-beads may have written it: update it from its own repository"
                    .to_owned(),
            };
            self.find("unreadable", format!("{path}: {why}"), remedy, false);
        }
    }

    fn clock(&mut self) {
        // An unreadable tip is a finding of its own already.
        let Ok(newest) = self.store.snapshot().and_then(|snapshot| snapshot.time()) else {
            return;
        };
        let now = self.tracker.now();
        if newest > now.saturating_add(time::DAY) {
            let days = (newest - now) / time::DAY;
            let message = format!("the clock is {days} days behind the newest change");
            self.find("clock", message, "check it: date", false);
        }
    }

    fn remotes(&mut self, tip: Oid) {
        let broken = self.store.fsck().broken_remote_refs();
        if !broken.is_empty() {
            let message = format!("git fails at unreadable objects: {}", broken.join(", "));
            self.fix("ref", message, |store| {
                store.fsck().set_broken_remote_refs_aside()?;
                Ok(())
            });
        }
        if self.store.remotes().is_mirror() {
            self.failed("mirror", &Error::mirror());
        }
        if !self.request.remote {
            return;
        }
        for remote in self.store.remotes().names() {
            let branches = self.branches_at(&remote);
            let mailboxes = mailboxes_among(&branches);
            let asked = self
                .store
                .remotes()
                .fetch_with(&remote, &mailboxes, self.tracker.cancel())
                .and_then(|fetched| {
                    // Where no filter is, the fetch has checked it.
                    if let Some(theirs) = fetched.tip.filter(|_| self.store.remotes().is_partial())
                    {
                        self.check_parts(&remote, theirs, tip)?;
                    }
                    self.store
                        .remotes()
                        .try_push(&remote, tip, self.tracker.cancel())
                });
            match asked {
                Ok(Push::Done(_) | Push::Same) => {}
                Ok(Push::Behind) => {
                    let message = format!("{remote} has changes that are not here");
                    self.find("remote", message, sync_with(&remote).to_string(), false);
                }
                Err(error) => self.failed("remote", &error.into()),
            }
            self.older_claims_at(&remote);
            self.waiting_at(&remote, &branches);
        }
    }

    /// Names the claims that older clones hold at a remote by refs of their own, and writes them into the main ref.
    fn older_claims_at(&mut self, remote: &str) {
        let (remotes, tracker) = (self.store.remotes(), self.tracker);
        let claims = remotes.older_claims(remote, tracker.cancel());
        // A remote that does not answer is named already.
        let claims = claims.unwrap_or_default();
        if claims.is_empty() {
            return;
        }
        let named: Vec<String> = claims
            .iter()
            .map(|it| older_claims::line(tracker, it))
            .collect();
        let message = format!(
            "clones with an older git-beads hold claims at {remote} that only they see: {}",
            named.join("; ")
        );
        self.fix("claims", message, |_| {
            older_claims::take_into_main(tracker, remote)
        });
        if let Some(last) = self
            .found
            .findings
            .last_mut()
            .filter(|last| !last.fixed && last.remedy == FIX)
        {
            let fix = Command::of("doctor").flag("--remote").flag("--fix");
            last.remedy = format!("update git-beads in every clone, then: {fix}");
        }
    }

    /// Checks what a remote has, once what a filter has left out is here.
    fn check_parts(&self, remote: &str, theirs: Oid, tip: Oid) -> Result<(), StoreError> {
        let incoming = self.store.incoming();
        match incoming.validate(theirs, Some(tip)) {
            Err(error) if error.is_unreadable() => {
                let (remotes, cancel) = (self.store.remotes(), self.tracker.cancel());
                remotes.bring_missing(remote, theirs, Lack::Parts, cancel)?;
                incoming.validate(theirs, Some(tip))
            }
            checked => checked,
        }
    }
}
