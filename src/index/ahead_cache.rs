//! The tips of remotes that are part of the state, and the number of operations it is ahead of
//! them.
//!
//! Computing it takes a walk over all commits since, which grows with every change that is not
//! pushed, and `create` and `status` need it each time. So the stamp remembers it and counts the
//! commits that follow: `steps` goes up with each, and a tip is stored with the number to add to
//! that. A state that does not follow the one before by exactly one commit, as after a merge,
//! remembers nothing (`update`).

use std::time::Duration;

use super::connection::PATIENCE;
use super::{Index, Result};
use crate::store::Oid;

impl Index<'_> {
    /// Returns the number of operations that this state is ahead of a tip known to be part of it.
    pub(crate) fn ahead_of(&self, tip: Oid) -> Result<Option<usize>> {
        let (merged, steps) = self.cached_tips()?;
        let found = merged.iter().find(|(known, _)| *known == tip);
        Ok(found.and_then(|(_, base)| usize::try_from(base + steps).ok()))
    }

    /// Remembers that a tip is part of this state, in place of those that no remote has any more.
    ///
    /// # Errors
    /// A cache that can't be written, or that another process has moved on (`Stale`): the note is lost.
    pub(crate) fn note_merged(&self, tip: Oid, ahead: usize, remotes: &[Oid]) -> Result<()> {
        let ahead = i64::try_from(ahead).unwrap_or(0);
        // The note is only a shortcut, so it is not worth waiting for the lock.
        self.conn.busy_timeout(Duration::ZERO)?;
        let noted = self.write_if_current(|| {
            let (mut merged, steps) = self.cached_tips()?;
            merged.retain(|(known, _)| *known != tip && remotes.contains(known));
            // Relative to `steps`, which goes up with each commit that follows.
            merged.push((tip, ahead - steps));
            let text = merged
                .iter()
                .map(|(tip, base)| format!("{tip} {base}\n"))
                .collect::<String>();
            self.conn.execute("UPDATE stamp SET merged = ?1", [text])?;
            Ok(())
        });
        self.conn.busy_timeout(PATIENCE)?;
        noted
    }

    fn cached_tips(&self) -> Result<(Vec<(Oid, i64)>, i64)> {
        let sql = "SELECT merged, steps FROM stamp";
        let read = |row: &rusqlite::Row<'_>| {
            Ok((
                row.get::<_, Option<String>>(0)?.unwrap_or_default(),
                row.get(1)?,
            ))
        };
        let (text, steps) = self.conn.prepare_cached(sql)?.query_row([], read)?;
        let tip = |line: &str| {
            let (tip, base) = line.split_once(' ')?;
            Some((Oid::parse(tip)?, base.parse().ok()?))
        };
        Ok((text.lines().filter_map(tip).collect(), steps))
    }
}
