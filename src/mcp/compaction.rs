//! Long lists as agents get them: a preview and the true total, as `beads-mcp` promises it.

use serde::Serialize;

use crate::env::Env;
use crate::ops::{Error, Hint, Result};

/// Bounds of lists: when one is compacted, and how much of it is shown then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compaction {
    /// Longer lists are compacted, unless a page was asked for.
    pub threshold: usize,
    pub preview: usize,
    pub room: usize,
}

impl Compaction {
    pub(crate) fn from_env(env: &Env, room: usize) -> Result<Self> {
        let threshold = number(env, "BEADS_MCP_COMPACTION_THRESHOLD", 20, usize::MAX)?;
        let default = 5.min(threshold);
        let preview = number(env, "BEADS_MCP_PREVIEW_COUNT", default, threshold)?;
        Ok(Self {
            threshold,
            preview,
            room,
        })
    }

    /// Returns the number of rows to read for a page, and whether a longer list is compacted.
    pub(crate) fn page(self, limit: Option<usize>, offset: usize) -> (usize, bool) {
        match limit {
            Some(limit) if limit <= self.threshold && limit > 0 => (limit, false),
            // Who asks for a later page has seen the preview.
            None if offset > 0 => (self.threshold, false),
            _ => (self.threshold, true),
        }
    }
}

fn number(env: &Env, name: &str, default: usize, most: usize) -> Result<usize> {
    let Some(text) = env.var(name) else {
        return Ok(default);
    };
    match text.trim().parse() {
        Ok(n) if (1..=most).contains(&n) => Ok(n),
        _ => {
            let bound = match most {
                usize::MAX => "1 or more".to_owned(),
                most => format!("1 to {most}, the threshold"),
            };
            let error = Error::invalid(format!("{name} must be {bound}, not `{text}`"));
            Err(error.hinted(Hint::text(format!("unset {name}"))))
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Compacted<T> {
    /// Always true; marks the answer as not the whole list.
    pub compacted: bool,
    pub total_count: u64,
    pub preview: Vec<T>,
    pub preview_count: usize,
    pub hint: String,
}

impl<T: Serialize> Compacted<T> {
    pub(crate) fn new(compaction: Compaction, rows: Vec<T>, total_count: u64, hint: &str) -> Self {
        Self::first(compaction.preview, rows, total_count, hint)
    }

    /// Shows as many of a page as there is room for, if that is not all of them.
    pub(crate) fn that_fits(
        compaction: Compaction,
        rows: Vec<T>,
        total_count: u64,
        hint: &str,
    ) -> Result<Self, Vec<T>> {
        let mut used = 0;
        let fits = rows.iter().take_while(|row| {
            // The comma counts too.
            used += serde_json::to_string(row).map_or(0, |text| text.len() + 1);
            used < compaction.room
        });
        match fits.count() {
            n if n == rows.len() => Err(rows),
            n => Ok(Self::first(n, rows, total_count, hint)),
        }
    }

    fn first(n: usize, mut rows: Vec<T>, total_count: u64, hint: &str) -> Self {
        rows.truncate(n);
        Self {
            compacted: true,
            total_count,
            preview_count: rows.len(),
            preview: rows,
            hint: hint.to_owned(),
        }
    }
}
