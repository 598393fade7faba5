//! Why the ref lacks a tip: by the operations of both, and by what the reflog says of the ref's moves.

use std::cell::OnceCell;

use crate::store::known::Known;
use crate::store::reach::{Kinship, Reach};
use crate::store::refs::LogEntry;
use crate::store::{Oid, Store};

/// So many entries of the reflog are looked at: a person who goes back does so from a state of today.
const ENTRIES: usize = 64;

/// Why the ref lacks a tip that was answered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It has all operations of it.
    Contained,
    /// A power cut took the move of the ref.
    Crash,
    /// A fetch moved the ref away.
    Fetch,
    /// A person moved the ref away, or deleted it.
    Person,
    /// They share no commit: the history was rewritten, or the tip is of another repository.
    Rewritten,
    /// Parts of it are gone.
    Gone,
    /// No one has it any more; or a journal alone, and nothing of it is in the history: that was removed on purpose.
    Removed,
}

/// The ref, and how it came to be where it is.
pub(in crate::store) struct RefOrigin<'a> {
    store: &'a Store,
    reach: &'a Reach<'a>,
    ours: Oid,
    /// True where the journals were written under another boot, or elsewhere: a move that they have may not be on the disk.
    is_elsewhere: bool,
    /// The newest moves, the newest first: read once, so that nothing which follows from it changes it.
    moves: OnceCell<Vec<LogEntry>>,
}

/// Explains why the ref lacks a tip, with what the journals hold of it where that is needed.
pub(crate) fn explain(store: &Store, tip: Oid) -> Why {
    let Ok(Some(ours)) = store.tip() else {
        return Why::Person;
    };
    // What can't be read is no reason to forget it.
    let is_here = store.is_commit(tip).unwrap_or(true);
    if is_here {
        let why = RefOrigin::of(store, &Reach::new(store), ours).noticed(tip);
        if why != Why::Gone {
            return why;
        }
    }
    let contents = store.set_back().every_journal().unwrap_or_default();
    let Ok(overlaid) = store.overlaid(Known::of(&contents).objects()) else {
        return Why::Gone;
    };
    let reach = Reach::new(&overlaid);
    match RefOrigin::of(store, &reach, ours).noticed(tip) {
        Why::Rewritten if !is_here => Why::Removed,
        Why::Gone if !reach.is_readable(tip) => Why::Removed,
        why => why,
    }
}

impl<'a> RefOrigin<'a> {
    pub(in crate::store) fn of(store: &'a Store, reach: &'a Reach<'a>, ours: Oid) -> Self {
        Self {
            store,
            reach,
            ours,
            is_elsewhere: false,
            moves: OnceCell::new(),
        }
    }

    /// Returns the same for journals that were written under another boot or elsewhere, where that is so.
    pub(in crate::store) fn elsewhere(self, is_elsewhere: bool) -> Self {
        Self {
            is_elsewhere,
            ..self
        }
    }

    fn moves(&self) -> &[LogEntry] {
        self.moves
            .get_or_init(|| self.store.refs().log_entries(ENTRIES))
    }

    /// Returns why the ref lacks a tip.
    pub(in crate::store) fn why(&self, tip: Oid) -> Why {
        if self.is_elsewhere && self.is_crash(tip) {
            return Why::Crash;
        }
        if self.reach.has_operations_of(self.ours, tip) {
            return Why::Contained;
        }
        match self.reach.kinship(tip, self.ours) {
            Kinship::Apart => Why::Rewritten,
            Kinship::Broken => Why::Gone,
            Kinship::Shared if self.is_dropped_by_fetch(tip) => Why::Fetch,
            Kinship::Shared => Why::Person,
        }
    }

    /// Returns the same for a tip that is noticed on the way: a ref whose own history has a hole proves nothing there, and
    /// `doctor` looks at all of it.
    fn noticed(&self, tip: Oid) -> Why {
        let why = self.why(tip);
        if why == Why::Contained || self.store.ancestry().distance(self.ours, tip).is_ok() {
            return why;
        }
        let mut history = self.reach.history(self.ours).into_iter();
        match history.all(|commit| self.reach.is_readable(commit)) {
            true => why,
            false => Why::Contained,
        }
    }

    /// Returns true if a power cut took the move of the ref to a tip: it has all that the ref has, and is whole, and no one
    /// went back from it, by the reflog or by what a command has noticed. A ref can go forward to a tip with the same
    /// operations, too.
    fn is_crash(&self, tip: Oid) -> bool {
        let went_back = self.moves().first().is_some_and(|last| {
            (last.old, last.new) == (Some(tip), Some(self.ours)) && !is_of_fetch(last)
        }) || self.store.set_back().has_noticed(tip);
        tip != self.ours
            && self.reach.has_operations_of(tip, self.ours)
            && self.reach.is_whole(tip, Some(self.ours))
            && !went_back
    }

    /// Returns true if the newest move that took the tip from the ref was that of a fetch. Where there is no reflog, the ref is
    /// where a remote was.
    fn is_dropped_by_fetch(&self, tip: Oid) -> bool {
        let taken_by = self
            .moves()
            .iter()
            .find(|entry| match (entry.old, entry.new) {
                (Some(old), Some(new)) => {
                    // Our own moves take nothing away, but for a person who asks for an older state.
                    !entry.is_ours()
                        && self.reach.has_operations_of(old, tip)
                        && !self.reach.has_operations_of(new, tip)
                }
                _ => false,
            });
        if let Some(entry) = taken_by {
            return is_of_fetch(entry);
        }
        // A reflog that has the last move has this one too, further back: then a person may have gone back, and it is for
        // them to say.
        if self
            .moves()
            .first()
            .is_some_and(|last| last.new == Some(self.ours))
        {
            return false;
        }
        let remotes = self.store.remotes();
        let mut names = remotes.names().into_iter();
        names.any(|remote| {
            let tracked = remotes.tracked(&remote);
            tracked.is_ok_and(|theirs| theirs == Some(self.ours))
        })
    }
}

/// Returns true for a move that a fetch has made.
fn is_of_fetch(entry: &LogEntry) -> bool {
    entry.why.starts_with("fetch") || entry.why.starts_with("pull")
}
