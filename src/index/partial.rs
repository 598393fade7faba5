//! Some issues at one state after another: the effect of an operation on the issues it touched.

use std::collections::{HashMap, HashSet};

use super::connection::in_memory;
use super::statements::Statements;
use super::{Index, Result, build, schema, unfiled};
use crate::model::Uid;
use crate::store::{Oid, Snapshot};

/// A cache in memory of the issues that were asked for, and of nothing else.
pub(crate) struct PartialIndex<'s> {
    index: Index<'s>,
    folders: HashMap<Uid, Oid>,
}

impl<'s> Index<'s> {
    /// Returns an excerpt that has no issues yet.
    pub(crate) fn partial(&self) -> Result<PartialIndex<'s>> {
        let conn = in_memory()?;
        schema::create_tables(&conn)?;
        schema::create_edge_indexes(&conn)?;
        schema::create_indexes(&conn)?;
        let index = unfiled(conn, self.snapshot);
        Ok(PartialIndex {
            index,
            folders: HashMap::new(),
        })
    }
}

impl<'s> PartialIndex<'s> {
    /// Brings issues to their state in a snapshot. The status of an epic that was closed with its
    /// last child depends on its children: those that it has in `present` are brought along.
    pub(crate) fn move_to(
        &mut self,
        snapshot: Snapshot<'s>,
        uids: &[Uid],
        present: &Index<'_>,
    ) -> Result<()> {
        self.index.snapshot = snapshot;
        let mut seen: HashSet<Uid> = HashSet::new();
        let mut wanted = uids.to_vec();
        while !wanted.is_empty() {
            // Parents may form a loop.
            wanted.retain(|uid| seen.insert(*uid));
            self.bring(&wanted)?;
            let mut parts = Vec::new();
            for uid in wanted {
                if self.is_closed_with_parts(uid)? {
                    parts.extend(present.children(uid)?.iter().map(|child| child.uid));
                }
            }
            wanted = parts;
        }
        Ok(())
    }

    pub(crate) fn index(&self) -> &Index<'s> {
        &self.index
    }

    fn is_closed_with_parts(&self, uid: Uid) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM issue WHERE uid = ?1 AND auto = 1)";
        Ok(self.index.conn.value(sql, [uid])?)
    }

    fn bring(&mut self, uids: &[Uid]) -> Result<()> {
        let Self { index, folders } = self;
        let mut steps = Vec::new();
        for uid in uids {
            let new = index.snapshot.issue_folder(*uid)?;
            steps.push((*uid, folders.get(uid).copied(), new));
        }
        let changes = index.conn.transaction()?;
        build::update_some(&changes, &index.snapshot, &steps)?;
        changes.commit()?;
        for (uid, _, new) in steps {
            match new {
                Some(new) => _ = folders.insert(uid, new),
                None => _ = folders.remove(&uid),
            }
        }
        Ok(())
    }
}
