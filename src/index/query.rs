//! Questions to the cache: pages of rows, ids, neighbours, totals.

use std::collections::HashSet;

use rusqlite::params_from_iter;

use super::filter::{Filter, Order, Sql};
use super::rows::Row;
use super::statements::Statements;
use super::{Index, Result};
use crate::model::Uid;

/// A page of rows, and the number of all matches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    pub rows: Vec<Row>,
    pub total: u64,
}

/// Returns the SQL for the part of an answer that a page shows.
fn window(limit: usize, offset: usize) -> String {
    match (limit, offset) {
        (0, 0) => String::new(),
        // SQLite takes an offset only after a limit.
        (0, offset) => format!(" LIMIT -1 OFFSET {offset}"),
        (limit, offset) => format!(" LIMIT {limit} OFFSET {offset}"),
    }
}

impl Index<'_> {
    /// Returns a page of the issues that a filter lets through; `limit` 0 means all of them.
    pub(crate) fn page(
        &self,
        filter: &Filter,
        order: Order,
        limit: usize,
        offset: usize,
    ) -> Result<Page> {
        if order == Order::Rank {
            return self.ranked(filter, limit, offset);
        }
        let sql = Sql::build(filter);
        let whole = limit == 0 && offset == 0;
        let clause = format!(
            "{}{}{}{}",
            filter.index(order),
            sql.clause(),
            order.clause(),
            window(limit, offset)
        );
        let rows = self.rows(&clause, &sql.values)?;
        let total = match filter.counter() {
            Some(name) => {
                self.counter(name)? + filter.ready.map_or(Ok(0), |now| self.returned(now))?
            }
            None if whole || (offset == 0 && rows.len() < limit) => rows.len() as u64,
            None => self.total(&sql)?,
        };
        Ok(Page { rows, total })
    }

    /// Returns a page of the issues that a filter lets through, without their total; `limit` 0
    /// means all of them.
    pub(crate) fn first(
        &self,
        filter: &Filter,
        order: Order,
        limit: usize,
        offset: usize,
    ) -> Result<Vec<Row>> {
        let sql = Sql::build(filter);
        let (index, clause, order, window) = (
            filter.index(order),
            sql.clause(),
            order.clause(),
            window(limit, offset),
        );
        let text = format!("SELECT issue.num FROM issue{index}{clause}{order}{window}");
        let mut statement = self.conn.prepare_cached(&text)?;
        let nums = statement.query_map(params_from_iter(&sql.values), |row| row.get(0))?;
        self.numbered(nums)
    }

    /// Returns a page in the order of a search: only its own rows are read.
    fn ranked(&self, filter: &Filter, limit: usize, offset: usize) -> Result<Page> {
        let mut found = filter.found.clone().unwrap_or_default();
        if !filter.takes_all_found() {
            let sql = Sql::build(filter);
            let text = format!("SELECT issue.num FROM issue{}", sql.clause());
            let values = params_from_iter(&sql.values);
            let let_through: HashSet<i64> = self.conn.column(&text, values)?;
            found.retain(|num| let_through.contains(num));
        }
        let limit = if limit == 0 { usize::MAX } else { limit };
        let shown = found.iter().skip(offset).take(limit).map(|num| Ok(*num));
        Ok(Page {
            rows: self.numbered(shown)?,
            total: found.len() as u64,
        })
    }

    /// Returns the issues that a filter lets through and that hold lost values which are not
    /// settled.
    pub fn conflicted(&self, filter: &Filter) -> Result<Vec<Uid>> {
        let mut sql = Sql::build(filter);
        sql.condition("issue.conflicts > 0");
        let text = format!("SELECT uid FROM issue{} ORDER BY shown", sql.clause());
        Ok(self.conn.column(&text, params_from_iter(&sql.values))?)
    }

    /// Returns the paths whose contents can't be shown, with the reason.
    pub fn broken(&self) -> Result<Vec<(String, String)>> {
        Ok(self
            .conn
            .select("SELECT path, why FROM broken ORDER BY path", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?)
    }
}
