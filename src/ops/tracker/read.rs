//! Reading: one function, from the index to the answer.

use std::time::{Duration, Instant};

use super::{Tracker, Unapplied, View};
use crate::index::{Index, is_current};
use crate::ops::{Command, Error, Result, Retry};
use crate::store::{Store, door};

/// Other processes can move the cache on so often before one of its own is made.
const READ_ATTEMPTS: usize = 8;
/// What took longer, as it waited for the lock of another process, is asked of a copy next.
const PATIENCE: Duration = Duration::from_millis(200);

impl Tracker {
    /// Answers from the newest state.
    ///
    /// A cache that turns out to be damaged on the way is made again, and the question asked again; so it is where another
    /// process has moved the cache on under the question, so that each answer is of one state.
    pub fn read<T>(&self, mut ask: impl FnMut(&View<'_>) -> Result<T>) -> Result<T> {
        let _span = tracing::debug_span!("read").entered();
        self.with_repair(|| read_once(self, false, &mut ask))
    }

    /// Answers from the newest state, or from one of the past.
    pub(crate) fn read_at<T>(
        &self,
        revision: Option<&str>,
        mut ask: impl FnMut(&View<'_>) -> Result<T>,
    ) -> Result<T> {
        self.read(|view| match revision {
            Some(revision) => ask(&view.past(revision)?),
            None => ask(view),
        })
    }

    /// Answers as [`Tracker::read_at`], from a copy of the cache: for an answer that is long, or can't be taken back.
    pub(crate) fn read_copy_at<T>(
        &self,
        revision: Option<&str>,
        mut ask: impl FnMut(&View<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut asked = |view: &View<'_>| match revision {
            Some(revision) => ask(&view.past(revision)?),
            None => ask(view),
        };
        self.with_repair(|| read_once(self, true, &mut asked))
    }

    /// The index at the newest state, for a question: no lock is held, so what the ref lacks since the last one can be
    /// brought back.
    fn index_to_read(&self) -> Result<Index<'_>> {
        let index = self.index()?;
        if index.is_in_memory()
            && let Some(store) = unapplied(self)
        {
            return Ok(Index::private(store.snapshot()?)?);
        }
        // `before` is the commit that the cache was made from: where the ref does not lead to it any more,
        // the ref was set back.
        let now = index.snapshot().commit();
        let notice = |before| self.store.set_back().notice_left_out(before, now);
        match index.before().and_then(notice) {
            // The merge has moved the ref, so the index that was just opened is behind it.
            Some(left) if self.regain(&[left]) => self.index(),
            _ => Ok(index),
        }
    }
}

/// Answers once; of a copy, or else of the file as long as no other process moves it on.
fn read_once<T>(
    tracker: &Tracker,
    mut of_copy: bool,
    ask: &mut impl FnMut(&View<'_>) -> Result<T>,
) -> Result<T> {
    let mut damaged = false;
    for attempt in 1..=READ_ATTEMPTS {
        let begun = Instant::now();
        let mut index = match damaged {
            true => Index::replaced(&tracker.store)?,
            false => tracker.index_to_read()?,
        };
        if of_copy {
            tracing::debug!(attempt, "asked of a copy of the index");
            index = match index.copied() {
                Ok(copy) => copy,
                Err(error) => {
                    damaged = !error.is_contended();
                    continue;
                }
            };
        }
        let view = View::new(tracker, index);
        let answer = ask(&view);
        let has_moved = !view.is_whole() && !is_current(&view.index);
        match answer.as_ref().map_err(Error::retry) {
            Err(Retry::RebuildIndex) => damaged = true,
            // Another process has moved the index on under the question: the same question on the newest state. A copy takes
            // as much memory as the file, so it is for what can't be answered under one lock.
            Err(Retry::Again) => {
                of_copy |= attempt + 1 == READ_ATTEMPTS || begun.elapsed() > PATIENCE;
            }
            _ if has_moved => of_copy = true,
            // Any other error says nothing against the index, so it is kept. Damage of the store is left to
            // `with_repair`, which runs this again.
            _ => {
                tracker.put_idle(view.index);
                return answer;
            }
        }
    }
    // Other processes keep moving the cache; an index in memory is moved by none.
    ask(&View::new(
        tracker,
        Index::private(tracker.store.snapshot()?)?,
    ))
}

/// Returns the repository at what the journal has since a power cut, where only its owner can apply that: no answer lacks what
/// was answered before.
fn unapplied(tracker: &Tracker) -> Option<&Store> {
    let store = &tracker.store;
    let ours = store.tip().ok()??;
    let looked = tracker.unapplied.get_or_init(|| {
        Some(Unapplied {
            beside: ours,
            store: door::unapplied(store)?,
        })
    });
    // The owner has applied it since, where the ref has moved.
    let found = looked.as_ref().filter(|found| found.beside == ours)?;
    let status = Command::line("git -C").path(&store.place());
    tracker.warn(format!(
        "answered from the journal, as the ref lags behind it since a power cut and this repository can't be written; as its owner: {}",
        status.flag("beads status")
    ));
    Some(&found.store)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::compared;
    use crate::model::Field;
    use crate::ops::verbs::create::{self, Create};
    use crate::ops::verbs::export::{self, Export};
    use crate::ops::verbs::init::{self, Init};
    use crate::ops::verbs::rename;
    use crate::ops::{Code, open};
    use crate::store::{Intent, Location, scratch_store};

    /// Returns two processes' trackers of one store, with the issues bd-a and bd-b, which depends on it.
    fn reader_and_writer() -> (tempfile::TempDir, Tracker, Tracker) {
        let (folder, _) = scratch_store();
        let location = Location {
            env: crate::env::Env::of_process(),
            dir: folder.path().to_owned(),
            explicit: true,
        };
        let [reader, writer] =
            [(); 2].map(|()| open(&location, Some("ann"), Intent::Write).unwrap());
        let request = Init {
            new: true,
            ..Init::default()
        };
        init::init(&writer, &request).unwrap();
        create(&writer, "bd-a", &[]);
        create(&writer, "bd-b", &["bd-a".to_owned()]);
        (folder, reader, writer)
    }

    fn create(tracker: &Tracker, id: &str, on: &[String]) {
        let request = Create {
            fields: [(Field::Title, Some("One".to_owned()))].into(),
            id: Some(id.to_owned()),
            on: on.to_owned(),
            ..Create::default()
        };
        create::create(tracker, &request).unwrap();
    }

    /// Reads what the index lists from the state that it is said to show; returns how many that is.
    fn issues(view: &View<'_>) -> Result<usize> {
        let rows = view.index.all()?;
        let blobs = view.snapshot().bulk_reader()?;
        for row in &rows {
            blobs
                .issue(row.uid)?
                .ok_or_else(|| Error::no_issue(&row.id))??;
        }
        Ok(rows.len())
    }

    #[test]
    fn an_answer_is_of_one_state_though_another_process_moves_the_index_on() {
        let (_folder, reader, writer) = reader_and_writer();
        let mut asked = 0;
        let mut count = |view: &View<'_>| {
            asked += 1;
            let before = view.index.all()?.len();
            if asked == 1 {
                create(&writer, "bd-c", &[]);
            }
            Ok([before, view.index.all()?.len()])
        };
        assert_eq!(reader.read(&mut count).unwrap(), [3, 3]);
        assert_eq!(reader.read(&mut count).unwrap(), [3, 3]);
        assert_eq!(
            asked, 3,
            "asked again where the index has moved, and only there"
        );
    }

    #[test]
    fn what_is_asked_under_one_lock_needs_no_copy() {
        let (_folder, reader, writer) = reader_and_writer();
        let mut asked = 0;
        let counted = reader.read(|view| {
            asked += 1;
            let count = view.last(|| issues(view))?;
            create(&writer, "bd-c", &[]);
            Ok(count)
        });
        assert_eq!(
            (counted.unwrap(), asked),
            (2, 1),
            "what moves after it does no harm"
        );
        let counted = reader.read(|view| {
            asked += 1;
            if asked == 2 {
                create(&writer, "bd-d", &[]);
            }
            assert!(!view.index.is_in_memory());
            view.last(|| issues(view))
        });
        assert_eq!((counted.unwrap(), asked), (4, 3), "it moved before it");
    }

    #[test]
    fn what_only_the_moved_index_knows_is_no_error() {
        let (_folder, reader, writer) = reader_and_writer();
        let mut asked = 0;
        let found = reader.read(|view| {
            asked += 1;
            if asked == 1 {
                create(&writer, "bd-c", &[]);
            }
            issues(view)
        });
        assert_eq!((found.unwrap(), asked), (3, 2));
        // An error that is none of the index comes once.
        let mut asked = 0;
        let missing = reader.read(|view| {
            asked += 1;
            view.find("bd-x")
        });
        assert!(missing.is_err_and(|error| error.is(Code::NotFound)));
        assert_eq!(asked, 1);
    }

    #[test]
    fn what_was_written_is_answered_though_the_index_has_moved() {
        let (_folder, first, second) = reader_and_writer();
        let asked = std::cell::Cell::new(0);
        let answer = |(), view: &View<'_>| {
            asked.set(asked.get() + 1);
            if asked.get() == 1 {
                create(&second, "bd-c", &[]);
            }
            issues(view)
        };
        assert_eq!(first.write(|_| Ok(()), answer).unwrap(), 3);
        assert_eq!(asked.get(), 2);
    }

    #[test]
    fn an_export_that_has_begun_stays_of_its_state() {
        let (_folder, reader, writer) = reader_and_writer();
        let (mut out, mut renamed) = (Vec::new(), false);
        let mut progress = |_, _| {
            if !std::mem::replace(&mut renamed, true) {
                rename::rename(&writer, "bd-a", "bd-z").unwrap();
            }
        };
        let request = Export::default();
        assert_eq!(
            export::export(&reader, &request, &mut out, &mut progress).unwrap(),
            2
        );
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("bd-a") && !text.contains("bd-z"), "{text}");
    }

    #[test]
    fn an_index_that_moves_on_is_compared_with_what_it_shows() {
        let (_folder, reader, writer) = reader_and_writer();
        let kept = Index::open(&reader.store).unwrap();
        create(&writer, "bd-c", &[]);
        assert_eq!(compared(kept).unwrap(), (3, true));
    }
}
