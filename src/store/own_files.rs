//! The one list of the files below `.git/beads`: the kind of each, and whether it can hold text of issues.
//!
//! `purge`, its dry run and `uninstall` go by this list alone: what the program begins to write there has a line
//! here, or is taken for a file of someone else, which both name and leave.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Result, Store, io};
use crate::platform;

/// The kind of a file below `.git/beads`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A lock, or the mark of the last maintenance.
    Lock,
    /// A journal: that of now, a full one, or one whose objects lie in a pack.
    Journal,
    /// A generation of the index, in any schema, with its second file and their journals.
    Index,
    /// A generation that is being built, or that a killed process has left so.
    IndexScratch,
    /// Another file that a killed process may have left unfinished.
    Scratch,
    /// A damaged journal that was set aside.
    Aside,
    /// A lock of git or a ref that was replaced: set aside, and an id at most.
    AsideRef,
    /// The ids of tips that the ref lacks, or of those that a person does not want back.
    LeftOut,
    /// The ids of commits that a purge has rewritten, and of those in their place.
    Rewritten,
    /// The names of packs that others replace.
    ReplacedPacks,
    /// What was learned of remotes and of files in branches: names, and ids.
    ReachNotes,
    /// The commits up to which people have seen the history: names, and ids.
    SeenMarks,
    /// The folder of what is known of agents, and of notices to them, which name issues by their ids.
    Agents,
    /// The contexts of calls that wrote nothing.
    Contexts,
    /// What a user has typed and not sent.
    Drafts,
    /// A name that is not in the list.
    Foreign,
}

/// The kind of each name; one that ends with a dash means all that begin so, and the first that fits counts.
const NAMES: [(&str, FileKind); 38] = [
    ("lock", FileKind::Lock),
    // Locks of earlier versions on file systems without `flock`.
    ("lock-holder", FileKind::Lock),
    ("lock-packer", FileKind::Lock),
    ("lock-breaker", FileKind::Lock),
    (super::journal_pack::PACKING, FileKind::Lock),
    ("tidy", FileKind::Lock),
    (super::incoming_ref::LOCK, FileKind::Lock),
    (super::exchange_lock::FILE, FileKind::Lock),
    ("left-out", FileKind::LeftOut),
    (super::set_back::FORGOTTEN, FileKind::LeftOut),
    (super::rewritten::FILE, FileKind::Rewritten),
    (super::replaced_packs::FILE, FileKind::ReplacedPacks),
    (super::replaced_packs::UNFINISHED, FileKind::Scratch),
    (super::agents::FOLDER, FileKind::Agents),
    (super::contexts::FILE, FileKind::Contexts),
    ("drafts-", FileKind::Drafts),
    (super::reach_notes::FILE.name, FileKind::ReachNotes),
    (super::reach_notes::FILE.unfinished, FileKind::Scratch),
    (super::carry::NOTES.name, FileKind::ReachNotes),
    (super::carry::NOTES.unfinished, FileKind::Scratch),
    (super::seen_marks::FILE.name, FileKind::SeenMarks),
    (super::seen_claims::NOTES.name, FileKind::SeenMarks),
    (super::seen_claims::NOTES.unfinished, FileKind::Scratch),
    (super::seen_marks::FILE.unfinished, FileKind::Scratch),
    // Values of refs, as earlier versions kept them.
    ("ref-cache", FileKind::Scratch),
    ("ref-cache-new-", FileKind::Scratch),
    ("journal", FileKind::Journal),
    ("journal-new-", FileKind::Scratch),
    ("journal-", FileKind::Journal),
    ("packed-", FileKind::Journal),
    ("index-new-", FileKind::IndexScratch),
    ("index-", FileKind::Index),
    (super::loose::UNFINISHED, FileKind::Scratch),
    ("aside-main.lock-", FileKind::AsideRef),
    ("aside-ref-", FileKind::AsideRef),
    ("aside-lock-holder-", FileKind::AsideRef),
    ("aside-reftable-", FileKind::AsideRef),
    ("aside-", FileKind::Aside),
];

impl FileKind {
    fn of(name: &str) -> Self {
        let fits = |pattern: &str| match pattern.ends_with('-') {
            true => name.starts_with(pattern),
            false => name == pattern,
        };
        let found = NAMES.iter().find(|(pattern, _)| fits(pattern));
        found.map_or(Self::Foreign, |(_, kind)| *kind)
    }

    /// Returns true if a file of this kind can hold text of issues, and is to be cleared by git-beads.
    pub(crate) fn holds_text(self) -> bool {
        !matches!(
            self,
            Self::Lock
                | Self::AsideRef
                | Self::LeftOut
                | Self::Rewritten
                | Self::ReplacedPacks
                | Self::ReachNotes
                | Self::SeenMarks
                | Self::Foreign
        )
    }

    /// Returns true if `uninstall` leaves it: for a person to look at, or of another program.
    pub(crate) fn is_left(self) -> bool {
        matches!(self, Self::Aside | Self::AsideRef | Self::Foreign)
    }
}

/// A file or folder below `.git/beads`.
#[derive(Clone, Debug)]
pub(crate) struct OwnFile {
    /// Its path.
    pub path: PathBuf,
    /// Its kind.
    pub kind: FileKind,
}

/// Returns what is in a folder of our own, by name; nothing where there is no such folder, and none behind a link.
pub(crate) fn files_in(folder: &Path) -> Result<Vec<OwnFile>> {
    if !fs::symlink_metadata(folder).is_ok_and(|meta| meta.is_dir()) {
        return Ok(Vec::new());
    }
    let fail = || io(format!("can't read {}", folder.display()));
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail())? {
        let entry = entry.map_err(fail())?;
        let kind = FileKind::of(&entry.file_name().to_string_lossy());
        found.push(OwnFile {
            path: entry.path(),
            kind,
        });
    }
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Removes a file, or a folder with all in it; one that is gone already is no error.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir());
    let removed = match is_folder {
        true => fs::remove_dir_all(path),
        false => platform::delete_file(path),
    };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(io(format!("can't remove {}", path.display()))(error))
        }
        _ => Ok(()),
    }
}

impl Store {
    /// Returns what is below `.git/beads`, by name.
    pub(crate) fn own_files(&self) -> Result<Vec<OwnFile>> {
        files_in(&self.folder())
    }

    /// Clears the text out of all that is not the index: packs the journal and begins a new one, and removes what
    /// killed writers have left, the damaged journals that were set aside, and the contexts of calls.
    pub(crate) fn clear_text(&self) -> Result<()> {
        self.journals().clear_journal()?;
        // Under the lock no object or journal is being written, so an unfinished one is abandoned.
        let lock = self.lock()?;
        super::rewritten::Rewritten::forget_moves(self, &lock)?;
        self.loose().sweep();
        for file in self.own_files()? {
            if matches!(
                file.kind,
                FileKind::Scratch | FileKind::Aside | FileKind::Contexts | FileKind::Drafts
            ) {
                remove(&file.path)?;
            }
        }
        // An answer to a question is text of an issue.
        super::notices::clear(self);
        platform::sync_folder(&self.folder()).map_err(io("can't make that durable"))
    }
}

#[cfg(test)]
mod tests {
    use super::FileKind;

    #[test]
    fn each_name_has_one_kind() {
        for (name, kind) in [
            ("lock", FileKind::Lock),
            ("lock-holder", FileKind::Lock),
            ("lock-breaker", FileKind::Lock),
            ("lock-of-mine", FileKind::Foreign),
            ("left-out", FileKind::LeftOut),
            ("exchange", FileKind::Lock),
            ("rewritten", FileKind::Rewritten),
            ("replaced-packs", FileKind::ReplacedPacks),
            ("replaced-new-x7", FileKind::Scratch),
            ("ref-cache", FileKind::Scratch),
            ("seen", FileKind::SeenMarks),
            ("seen-new-x7", FileKind::Scratch),
            ("agents", FileKind::Agents),
            ("contexts", FileKind::Contexts),
            ("drafts-1000", FileKind::Drafts),
            ("ref-cache-new-x7", FileKind::Scratch),
            ("aside-reftable-tables.list.lock-1795", FileKind::AsideRef),
            ("journal", FileKind::Journal),
            ("journal-7", FileKind::Journal),
            ("journal-new-x7", FileKind::Scratch),
            ("packed-7", FileKind::Journal),
            ("index-10-1.db", FileKind::Index),
            ("index-9-1.late.db-journal", FileKind::Index),
            ("index-new-x7", FileKind::IndexScratch),
            ("object-x7", FileKind::Scratch),
            ("aside-journal-1795", FileKind::Aside),
            ("aside-main.lock-1795", FileKind::AsideRef),
            ("aside-ref-1795", FileKind::AsideRef),
            ("aside-lock-holder-1795", FileKind::AsideRef),
            ("notes.txt", FileKind::Foreign),
        ] {
            assert_eq!(FileKind::of(name), kind, "{name}");
        }
    }
}
