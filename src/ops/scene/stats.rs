//! The numbers of the charts: how many issues there are, week by week to today, and how far the epics are.

use schemars::JsonSchema;
use serde::Serialize;

use super::graph::Brief;
use crate::index::{Condition, Fact, Order};
use crate::model::time;
use crate::ops::shared::query::Query;
use crate::ops::verbs::stats::{CycleTime, Week, stats_in};
use crate::ops::{Result, Tracker, View};

/// What has been opened and closed, and what is left.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct StatsScene {
    pub at: String,
    pub opened: u64,
    pub closed: u64,
    pub open: u64,
    pub ready: u64,
    pub in_progress: u64,
    pub blocked: u64,
    /// The time that the closed ones took.
    pub cycle_time: Option<CycleTime>,
    /// Week by week, from the first issue to today.
    pub weeks: Vec<Week>,
    /// Open epics that have parts.
    pub epics: Vec<Brief>,
}

/// Returns the numbers of all issues.
pub(crate) fn stats(tracker: &Tracker) -> Result<StatsScene> {
    tracker.read(|view| {
        // What can fill the index comes first.
        let all = stats_in(view, &Query::default(), None)?;
        let count = |condition: Condition| view.index.count(&condition);
        Ok(StatsScene {
            at: time::format(view.now()),
            opened: all.opened,
            closed: all.closed,
            open: all.open,
            ready: count(Fact::Ready(view.now()).into())?,
            in_progress: count(Condition::in_progress())?,
            blocked: count(Fact::Blocked.into())?,
            cycle_time: all.cycle_time,
            weeks: all.weeks,
            epics: epics(view)?,
        })
    })
}

fn epics(view: &View<'_>) -> Result<Vec<Brief>> {
    let open = Condition::from(Fact::Open).and(Fact::Kind("epic".to_owned()));
    let rows = view.index.page(&open, Order::Priority, 0, 0)?.rows;
    let with_parts = rows.iter().filter(|row| row.children > 0);
    Ok(with_parts.map(|row| Brief::new(row, view.now())).collect())
}
