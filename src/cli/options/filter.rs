//! Filters, order and pages of issues.

use clap::Args;

use crate::ops::Tracker;
use crate::ops::shared::query::Query;

/// Rows of `list` and `board` where neither the command line nor the configuration says how many.
pub(in crate::cli) const LIST_LIMIT: usize = 50;

#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct FilterOptions {
    /// Status, or several separated by commas
    #[arg(short, long)]
    pub(in crate::cli) status: Vec<String>,
    /// Type, or several separated by commas
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(in crate::cli) kind: Vec<String>,
    /// Priority, or several separated by commas
    #[arg(short, long)]
    pub(in crate::cli) priority: Vec<String>,
    /// Filter by label (must have all)
    #[arg(short, long)]
    pub(in crate::cli) label: Vec<String>,
    /// Assignee (`me`, `none`)
    #[arg(short, long)]
    pub(in crate::cli) assignee: Option<String>,
    /// In progress by you (by this agent, if you act as one)
    #[arg(long)]
    pub(in crate::cli) mine: bool,
    /// Children of this issue
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) parent: Option<String>,
    /// Changed since a date (2026-11-20, 3d, 2w)
    #[arg(long, value_name = "DATE")]
    pub(in crate::cli) since: Option<String>,
    /// Not changed for this long (3d, 2w) or since a date
    #[arg(long, value_name = "DATE")]
    pub(in crate::cli) stale: Option<String>,
    /// Waiting for a person: labelled `human`, or blocked for a reason
    #[arg(long)]
    pub(in crate::cli) waiting: bool,
    /// Sort by priority, created, updated, id or title
    #[arg(long, value_name = "ORDER")]
    pub(in crate::cli) sort: Option<String>,
    /// Show at most N (0 means all)
    #[arg(short = 'n', long, value_name = "N")]
    pub(in crate::cli) limit: Option<usize>,
    /// Skip the first N
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(in crate::cli) offset: usize,
    /// Exit with 1 if nothing matches
    #[arg(long)]
    pub(in crate::cli) exit_code: bool,
}

impl FilterOptions {
    /// Returns the query of these options; `limit` is the number of rows where none is asked for and, for
    /// [`LIST_LIMIT`], none is configured.
    pub(in crate::cli) fn query(&self, tracker: &Tracker, limit: usize) -> Query {
        let default = || match limit {
            LIST_LIMIT => tracker.number("beads.listLimit", limit),
            _ => limit,
        };
        Query {
            status: self.status.clone(),
            kind: self.kind.clone(),
            priority: self.priority.clone(),
            label: self.label.clone(),
            assignee: self.assignee.clone(),
            mine: self.mine,
            parent: self.parent.clone(),
            since: self.since.clone(),
            stale: self.stale.clone(),
            waiting: self.waiting,
            sort: self.sort.clone(),
            limit: self.limit.unwrap_or_else(default),
            offset: self.offset,
            ..Query::default()
        }
    }

    /// Returns the query without a limit unless one was given, for answers that are whole by default.
    pub(in crate::cli) fn unlimited(&self, tracker: &Tracker) -> Query {
        self.query(tracker, 0)
    }
}
