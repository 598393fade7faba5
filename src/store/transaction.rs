//! Writing: lock, read the tip, build in memory, journal, write, compare and swap, make durable.
//!
//! The lock keeps our own writers apart, the compare-and-swap is what makes the result correct: git
//! and other programs do not take our lock. After a lost swap the whole operation runs again on the
//! new tip, so whatever it checked still holds.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use gix::refs::transaction::{LogChange, PreviousValue, RefEdit};
use gix::refs::{FullName, Target};

use super::journal::{Appended, Journal, Written};
use super::pack::{are_many, is_there};
use super::write_lock::Lock;
use super::{Draft, Merge, Oid, REF, Result, Snapshot, Store, StoreError, explain};
use crate::env;

const ATTEMPTS: usize = 16;
/// How long a writer stays with a `git gc` that runs beside it.
const PATIENCE: Duration = Duration::from_millis(250);

/// A move of the ref that was made.
enum Moved {
    /// With a record that holds its objects and is not durable yet, and with the pack that has them too, if one has.
    Journalled(Box<Appended>, Option<PathBuf>),
    /// Durability is left to git.
    Plain(Vec<Written>),
}

impl Moved {
    fn objects(&self) -> &[Written] {
        match self {
            Self::Journalled(appended, _) => appended.objects(),
            Self::Plain(objects) => objects,
        }
    }
}

/// What an operation drafts on a state, and says of it.
type Drafting<'r, 's, E> =
    dyn FnMut(Option<Snapshot<'s>>, &mut Draft<'s>) -> Result<Message, E> + 'r;

/// What the commit of an operation says.
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// One line: `create bd-a1b2: Fix auth`.
    pub subject: String,
    /// Key and value pairs of the last paragraph.
    pub trailers: Vec<(String, String)>,
}

impl Message {
    fn render(&self) -> String {
        let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text = line(&self.subject);
        text.push('\n');
        for (i, (key, value)) in self.trailers.iter().enumerate() {
            if i == 0 {
                text.push('\n');
            }
            text.push_str(&format!("{key}: {}\n", line(value)));
        }
        text
    }
}

impl Store {
    /// Runs an operation on the newest state and commits what it drafts; returns the new tip.
    ///
    /// An empty draft commits nothing. `run` may be called again and must not keep anything between
    /// calls.
    ///
    /// # Errors
    /// What `run` fails with; [`StoreError::Busy`], [`StoreError::LostRace`], or a failed write, in
    /// which case nothing has changed.
    pub fn transact<'s, T, E: From<StoreError>>(
        &'s self,
        run: impl FnMut(Option<Snapshot<'s>>, &mut Draft<'s>) -> Result<(T, Message), E>,
    ) -> Result<(T, Option<Oid>), E> {
        self.transact_then(run, || ())
    }

    /// Like [`Store::transact`], and calls `moved` once the ref is moved, before others may write.
    ///
    /// # Errors
    /// As [`Store::transact`].
    pub fn transact_then<'s, T, E: From<StoreError>>(
        &'s self,
        mut run: impl FnMut(Option<Snapshot<'s>>, &mut Draft<'s>) -> Result<(T, Message), E>,
        mut moved: impl FnMut(),
    ) -> Result<(T, Option<Oid>), E> {
        let mut value = None;
        let mut keep =
            |snapshot: Option<Snapshot<'s>>, draft: &mut Draft<'s>| -> Result<Message, E> {
                let (made, message) = run(snapshot, draft)?;
                value = Some(made);
                Ok(message)
            };
        let tip = self.commit_draft(&mut keep, &mut moved)?;
        match value {
            Some(value) => Ok((value, tip)),
            None => unreachable!("nothing is committed that has not run"),
        }
    }

    /// The same for any operation: it is compiled once.
    fn commit_draft<'s, E: From<StoreError>>(
        &'s self,
        run: &mut Drafting<'_, 's, E>,
        moved: &mut dyn FnMut(),
    ) -> Result<Option<Oid>, E> {
        let lock = self.open_to_write()?;
        for _ in 0..ATTEMPTS {
            let tip = self.tip()?;
            let snapshot = tip.map(|tip| Snapshot::at(self, tip)).transpose()?;
            let mut draft = Draft::new(self);
            self.written.take();
            let message = run(snapshot, &mut draft)?;
            if draft.is_empty() {
                return Ok(tip);
            }
            let parent = snapshot.map(|snapshot| (snapshot.commit(), snapshot.tree()));
            let new = draft.write(parent, &self.commit_of(&message))?;
            if let Some(made) = self.move_ref(&lock, tip, new)? {
                self.finish(lock, &made, moved)?;
                return Ok(Some(new));
            }
        }
        Err(StoreError::LostRace.into())
    }

    /// Joins another tip onto ours and moves the ref; returns the tip before and after.
    ///
    /// # Errors
    /// As [`Store::transact`].
    pub fn join(&self, theirs: Oid) -> Result<(Option<Oid>, Oid)> {
        let lock = self.open_to_write()?;
        for _ in 0..ATTEMPTS {
            let ours = self.tip()?;
            self.written.take();
            let new = match ours {
                None => theirs,
                Some(ours) => match self.merge(ours, theirs)? {
                    Merge::Nothing => return Ok((Some(ours), ours)),
                    Merge::Forward(tip) | Merge::Commit(tip) => tip,
                },
            };
            self.pack_loose_news(theirs, ours)?;
            if let Some(made) = self.move_ref(&lock, ours, new)? {
                self.finish(lock, &made, &mut || ())?;
                return Ok((ours, new));
            }
        }
        Err(StoreError::LostRace)
    }

    /// Takes the lock, on a state that holds all that was ever answered here.
    fn open_to_write(&self) -> Result<Lock> {
        let lock = self.lock()?;
        self.settle(&lock)?;
        let tip = self.tip()?;
        if lock.inherited
            && let Some(journal) = Journal::open(&self.folder())?
        {
            journal.take_back_unless_at(tip);
        }
        match tip {
            None => match self.absence() {
                StoreError::NoStore(_) => Ok(lock),
                gone => Err(gone),
            },
            Some(_) => Ok(lock),
        }
    }

    /// Journals the move, writes the objects and moves the ref; none if somebody else moved it first.
    fn move_ref(&self, lock: &Lock, old: Option<Oid>, new: Oid) -> Result<Option<Moved>> {
        let objects = self.written.take();
        let mut moved = match self.journal(old)? {
            Some(journal) => Moved::Journalled(Box::new(journal.append(old, new, objects)?), None),
            None => Moved::Plain(objects),
        };
        let done = self
            .write_objects(&mut moved)
            .and_then(|()| self.swap(lock, old, new));
        if done.as_ref().is_ok_and(|done| *done) {
            return Ok(Some(moved));
        }
        if let Moved::Journalled(appended, _) = moved {
            appended.abort();
        }
        done.map(|_| None)
    }

    /// Writes the objects of a move: few into files of their own. Many go into a pack where there is a journal, which
    /// makes few packs of many when it is full.
    fn write_objects(&self, moved: &mut Moved) -> Result<()> {
        match moved {
            Moved::Journalled(appended, pack) if are_many(appended.objects()) => {
                *pack = Some(self.write_pack(appended.objects())?);
                Ok(())
            }
            _ => self.write_all(moved.objects()),
        }
    }

    /// Looks that what was written is still there, and writes it once more where it has gone.
    fn secure_move(&self, moved: &Moved) -> Result<()> {
        match moved {
            Moved::Journalled(_, Some(pack)) if is_there(pack) => Ok(()),
            // An index that was read before would still have them.
            Moved::Journalled(appended, Some(_)) => self.write_all(appended.objects()),
            _ => self.secure(moved.objects()),
        }
    }

    /// The journal to append to, unless the configuration leaves durability to git.
    fn journal(&self, tip: Option<Oid>) -> Result<Option<Journal>> {
        match self.config("beads.durability").as_deref() {
            Some("git") => return Ok(None),
            None | Some("journal") => {}
            Some(other) => {
                let message =
                    format!("beads.durability is `{other}`; it can be `journal` or `git`");
                return Err(StoreError::Refused(message));
            }
        }
        let journal = match Journal::open(&self.folder())? {
            None => Journal::create(&self.folder(), tip)?,
            Some(journal) if journal.is_full() => self.rotate()?,
            Some(journal) => journal,
        };
        Ok(Some(journal))
    }

    /// Looks that what was written is still there, lets others in, and makes it durable.
    ///
    /// The journal is made durable outside of the lock: whoever does so does it for all that came before.
    fn finish(&self, lock: Lock, made: &Moved, moved: &mut dyn FnMut()) -> Result<()> {
        self.secure_move(made)?;
        moved();
        let collecting = self.is_collecting();
        if collecting {
            lock.distrust();
        }
        drop(lock);
        match made {
            Moved::Journalled(appended, _) => appended.sync()?,
            // What a journal holds is packed when it is full.
            Moved::Plain(_) => self.tidy_if_due(),
        }
        if collecting {
            self.outlast(made)
        } else {
            Ok(())
        }
    }

    /// Whether a `git gc` runs here.
    pub(super) fn is_collecting(&self) -> bool {
        let Ok(text) = std::fs::read_to_string(self.common_dir().join("gc.pid")) else {
            return false;
        };
        let process = text
            .split_whitespace()
            .next()
            .unwrap_or_default()
            .parse::<u32>();
        let proc = std::path::Path::new("/proc");
        process.is_ok_and(|process| !proc.is_dir() || proc.join(process.to_string()).exists())
    }

    /// Stays with a `git gc` that may have looked before the ref was moved; a long one is left to the next writer.
    fn outlast(&self, made: &Moved) -> Result<()> {
        let start = Instant::now();
        while self.is_collecting() && start.elapsed() < PATIENCE {
            sleep(Duration::from_millis(5));
        }
        self.secure_move(made)
    }

    fn commit_of(&self, message: &Message) -> gix::objs::Commit {
        gix::objs::Commit {
            tree: self.repo.empty_tree().id,
            parents: Default::default(),
            author: self.signature("AUTHOR"),
            committer: self.signature("COMMITTER"),
            encoding: None,
            message: message.render().into(),
            extra_headers: Vec::new(),
        }
    }

    /// Git's identity, else a placeholder: a missing one never fails a write.
    pub(super) fn signature(&self, role: &str) -> gix::actor::Signature {
        let clean = |text: String| text.replace(['<', '>', '\n'], "").trim().to_owned();
        let (name, email) = match self.who(role) {
            (Some(name), email) => (clean(name), email.map(clean).unwrap_or_default()),
            (None, _) => ("git-beads".to_owned(), "git-beads@localhost".to_owned()),
        };
        let seconds = i64::try_from(env::now() / 1000).unwrap_or(0);
        gix::actor::Signature {
            name: name.into(),
            email: email.into(),
            time: gix::date::Time { seconds, offset: 0 },
        }
    }

    /// Whether git knows who the user is.
    pub fn has_identity(&self) -> bool {
        self.user_name().is_some()
    }

    /// Moves the ref from `old` to `new`; false if somebody else moved it first.
    pub(super) fn swap(&self, lock: &Lock, old: Option<Oid>, new: Oid) -> Result<bool> {
        let expected = old.map_or(PreviousValue::MustNotExist, |old| {
            PreviousValue::MustExistAndMatch(Target::Object(old.0))
        });
        let name =
            FullName::try_from(REF).map_err(|error| StoreError::Refused(error.to_string()))?;
        let committer = self.signature("COMMITTER");
        let mut buffer = gix::date::parse::TimeBuf::default();
        // Git itself keeps no reflog of refs outside of branches and remotes, unless one is there.
        let log = LogChange {
            message: "git-beads".into(),
            force_create_reflog: true,
            ..LogChange::default()
        };
        let edit = RefEdit::update_with_log(name, new.0, expected, log);
        lock.moving(new);
        let moved = self
            .repo
            .edit_references_as(Some(edit), Some(committer.to_ref(&mut buffer)));
        lock.moved();
        match moved {
            Ok(_) => Ok(true),
            Err(_) if self.tip()? != old => Ok(false),
            // Git packs its refs beside us: the reference was seen in the moment between two places.
            Err(error) if explain(&error).contains("Expected reference content") => Ok(false),
            Err(error) if self.common_dir().join(format!("{REF}.lock")).exists() => {
                Err(StoreError::Busy(format!("{REF}.lock: {}", explain(&error))))
            }
            Err(error) => Err(StoreError::Write {
                what: format!("can't move {REF}"),
                why: explain(&error),
            }),
        }
    }
}
