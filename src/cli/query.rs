//! The filters of a command line as a query of the operations, with the limit that is configured.

use super::args::FilterArgs;
use crate::ops::Tracker;
use crate::ops::verbs::list::Query;

/// Rows of `list` and `board` where neither the command line nor the configuration says how many.
pub(super) const LIST_LIMIT: usize = 50;

/// Returns the query of the filters; `limit` is the number of rows where none is asked for.
pub(super) fn query(tracker: &Tracker, args: &FilterArgs, limit: usize) -> Query {
    let configured = || {
        tracker
            .store()
            .config("beads.listLimit")
            .and_then(|text| text.parse().ok())
    };
    let default = if limit == LIST_LIMIT {
        configured().unwrap_or(limit)
    } else {
        limit
    };
    Query {
        status: args.status.clone(),
        kind: args.kind.clone(),
        priority: args.priority.clone(),
        label: args.label.clone(),
        assignee: args.assignee.clone(),
        parent: args.parent.clone(),
        since: args.since.clone(),
        stale: args.stale.clone(),
        waiting: args.waiting,
        sort: args.sort.clone(),
        limit: args.limit.unwrap_or(default),
        offset: args.offset,
        ..Query::default()
    }
}
