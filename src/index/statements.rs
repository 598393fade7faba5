//! Statements in one call: each is prepared once for a connection, and its rows are read to the end.

use rusqlite::types::FromSql;
use rusqlite::{CachedStatement, Connection, OptionalExtension as _, Params, Result, Row};

/// What a connection does with the text of a statement.
pub(super) trait Statements {
    /// Returns a statement, which is logged without its values.
    fn prepared(&self, sql: &str) -> Result<CachedStatement<'_>>;

    /// Returns what `read` makes of each row.
    fn select<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<C>;

    /// Returns what `read` makes of the first row; none where there is no row.
    fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>>;

    /// Returns the first column of the first row. No row is an error, of which `optional()` makes a `None`.
    fn value<T: FromSql>(&self, sql: &str, params: impl Params) -> Result<T>;

    /// Runs a statement that changes rows; returns how many it changed.
    fn change(&self, sql: &str, params: impl Params) -> Result<usize>;

    /// Returns the first column of each row.
    fn column<T: FromSql, C: FromIterator<T>>(&self, sql: &str, params: impl Params) -> Result<C> {
        self.select(sql, params, |row| row.get(0))
    }
}

impl Statements for Connection {
    fn prepared(&self, sql: &str) -> Result<CachedStatement<'_>> {
        tracing::trace!(sql, "statement");
        self.prepare_cached(sql)
    }

    fn select<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<C> {
        self.prepared(sql)?.query_map(params, read)?.collect()
    }

    fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.prepared(sql)?.query_row(params, read).optional()
    }

    fn value<T: FromSql>(&self, sql: &str, params: impl Params) -> Result<T> {
        self.prepared(sql)?.query_row(params, |row| row.get(0))
    }

    fn change(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.prepared(sql)?.execute(params)
    }
}
