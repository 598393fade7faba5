//! Reading: one function, from the index to the answer.

use super::{Tracker, View};
use crate::index::Index;
use crate::ops::{Error, Result, Retry};

/// Other processes can move the cache on so often before one of its own is made.
const READ_ATTEMPTS: usize = 4;

impl Tracker {
    /// Answers from the newest state.
    ///
    /// A cache that turns out to be damaged on the way is made again, and the question asked again.
    pub fn read<T>(&self, mut ask: impl FnMut(&View<'_>) -> Result<T>) -> Result<T> {
        let _span = tracing::debug_span!("read").entered();
        self.with_repair(|| self.read_once(&mut ask))
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

    fn read_once<T>(&self, ask: &mut impl FnMut(&View<'_>) -> Result<T>) -> Result<T> {
        let mut damaged = false;
        for _ in 0..READ_ATTEMPTS {
            let view = View::new(
                self,
                if damaged {
                    Index::replaced(&self.store)?
                } else {
                    self.index_to_read()?
                },
            );
            let answer = ask(&view);
            match answer.as_ref().map_err(Error::retry) {
                // Another process has moved the index on under the question: the same question on the newest state.
                Err(Retry::Again) => {}
                Err(Retry::RebuildIndex) => damaged = true,
                // Any other error says nothing against the index, so it is kept. Damage of the store is left to
                // `with_repair`, which runs this again.
                _ => {
                    self.put_idle(view.index);
                    return answer;
                }
            }
        }
        // Other processes keep moving the cache; an index in memory is moved by none.
        ask(&View::new(self, Index::private(self.store.snapshot()?)?))
    }

    /// The index at the newest state, for a question: no lock is held, so what the ref lacks since the last one can be
    /// brought back.
    fn index_to_read(&self) -> Result<Index<'_>> {
        let index = self.index()?;
        // `before` is the commit that the cache was made from: where the ref does not lead to it any more,
        // the ref was set back.
        let now = index.snapshot().commit();
        // A history that can't be read shows nothing.
        let notice = |before| self.store.set_back().notice_left_out(before, now).ok()?;
        match index.before().and_then(notice) {
            // The merge has moved the ref, so the index that was just opened is behind it.
            Some(left) if self.regain(&[left]) => self.index(),
            _ => Ok(index),
        }
    }
}
