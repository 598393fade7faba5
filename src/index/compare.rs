//! Comparison of a cache with the repository.

use rusqlite::types::Value;

use super::statements::Statements;
use super::{Index, Result, Row, aux_db};

/// Returns the number of issues, and whether a cache has for all of them what the repository says.
pub(crate) fn compared(kept: Index<'_>) -> Result<(usize, bool)> {
    // Of a copy: other processes may move the file on, and the state that its own stamp names is the one to compare with.
    let kept = kept.copied()?;
    let fresh = Index::private(kept.snapshot())?;
    let counters = "SELECT name, n, 0 FROM counter WHERE n > 0 ORDER BY name";
    let memory = "SELECT issue, count(*), max(stamp) FROM memory GROUP BY issue ORDER BY issue";
    let waiting =
        "SELECT uid, 0, 0 FROM issue WHERE num IN (SELECT issue FROM waiting) ORDER BY uid";
    let edges = "SELECT s.uid, e.kind || ' ' || quote(e.target), e.suspended FROM edge e
        JOIN issue s ON s.num = e.source ORDER BY 1, 2, 3";
    let broken = "SELECT path, why, 0 FROM broken ORDER BY path";
    let rows = rows(&fresh)?;
    let mut same = rows == self::rows(&kept)?;
    for sql in [counters, memory, waiting, edges, broken] {
        same = same && values(&fresh, sql)? == values(&kept, sql)?;
    }
    if aux_db::is_there(&kept.conn) {
        let operations = "SELECT o.commit_id, concat_ws('|', o.at, o.subject, o.actor, o.agent, o.context, o.undoes),
            (SELECT group_concat(hex(i.issue) ORDER BY i.issue) FROM oplog_issue i WHERE i.seq = o.seq)
            FROM oplog o ORDER BY 1";
        fresh.oplog().fill_oplog()?;
        kept.oplog().fill_oplog()?;
        same = same && values(&fresh, operations)? == values(&kept, operations)?;
    }
    Ok((rows.len(), same))
}

fn rows(index: &Index<'_>) -> Result<Vec<Row>> {
    let rows = index.all()?.into_iter();
    // Row numbers differ between caches of one state.
    Ok(rows.map(|row| Row { num: 0, ..row }).collect())
}

fn values(index: &Index<'_>, sql: &str) -> Result<Vec<[Value; 3]>> {
    Ok(index
        .conn
        .select(sql, [], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?)
}
