//! `stats`: what was opened and closed, how long it took, and how much came back.

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::{Makers, Row, StatusChanged};
use crate::model::{Status, time};
use crate::ops::answer::{Answer, AnswerKind};
use crate::ops::shared::query::{Query, condition, order};
use crate::ops::shared::words::bad_date;
use crate::ops::{Result, Tracker, View};

const WEEK: u64 = 7 * time::DAY;

/// Figures of a period.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Stats {
    /// When the period begins, where one was asked for; it ends now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Issues created in the period.
    pub opened: u64,
    /// Issues closed in the period that are closed still.
    pub closed: u64,
    /// Issues that have not ended.
    pub open: u64,
    /// Issues opened again in the period, as far as operations of this store say.
    pub reopened: u64,
    /// Of a hundred issues that were closed in the period, how many were opened again.
    pub reopen_percent: f64,
    /// How long the closed ones took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle_time: Option<CycleTime>,
    /// Week by week, the first one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weeks: Vec<Week>,
    /// Who created them, and who closed them; most closed first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actors: Vec<Share>,
    /// By label, likewise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Share>,
    /// The commits before which the history is cut: what was started and reopened earlier is not counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
}

impl Answer for Stats {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}

/// How long issues took: from when work on them first began, where that is known, else from their creation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct CycleTime {
    /// How many issues.
    pub count: usize,
    /// Of how many the beginning of work is known.
    pub from_start: usize,
    /// Half of them took no longer.
    pub median_seconds: u64,
    /// Nine of ten took no longer.
    pub p90_seconds: u64,
}

/// A week, from Monday (UTC).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Week {
    /// Its Monday.
    pub week: String,
    /// Issues created in it.
    pub opened: u64,
    /// Issues closed in it.
    pub closed: u64,
    /// Issues created until its end, from the beginning of the store.
    pub total_opened: u64,
    /// Issues closed until its end.
    pub total_closed: u64,
}

/// The share of an actor or a label.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Share {
    /// The actor, or the label.
    pub name: String,
    /// Issues created in the period.
    pub opened: u64,
    /// Issues closed in the period.
    pub closed: u64,
    /// How long the closed ones took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle_time: Option<CycleTime>,
}

/// The part of an issue that the figures need.
struct Life {
    opened: u64,
    opener: String,
    closed: Option<u64>,
    closer: String,
    started: Option<u64>,
    reopened: bool,
    labels: Vec<String>,
}

impl Life {
    /// The time it took, in seconds, and true where the beginning of the work is known.
    fn took(&self) -> Option<(u64, bool)> {
        let closed = self.closed?;
        // Clocks of two clones can put the start behind the end.
        let started = self.started.filter(|started| *started <= closed);
        Some((
            closed.saturating_sub(started.unwrap_or(self.opened)) / 1000,
            started.is_some(),
        ))
    }
}

/// Counts the issues that a query lets through, in the period that begins with a date.
pub(crate) fn stats(tracker: &Tracker, query: &Query, since: Option<&str>) -> Result<Stats> {
    tracker.read(|view| stats_in(view, query, since))
}

/// Counts them in a view.
pub(crate) fn stats_in(view: &View<'_>, query: &Query, since: Option<&str>) -> Result<Stats> {
    let now = view.now();
    let date = |text: &str| view.clock().past(text).ok_or_else(|| bad_date(text));
    let since = since.map(date).transpose()?;
    let since = since.map(|period| period.start);
    let query = Query {
        // Totals at the beginning of the period need the issues before it too.
        all: true,
        ..query.clone()
    };
    let rows = view
        .index
        .page(
            &condition(view, &query)?,
            order(&query)?,
            query.limit,
            query.offset,
        )?
        .rows;
    let open = rows.iter().filter(|row| !row.status.is_done()).count() as u64;
    let lives = lives(
        rows,
        view.index.makers()?,
        view.index.oplog().status_changes()?,
        since.unwrap_or(0),
        now,
    );
    Ok(Stats {
        open,
        cut: view.cuts()?,
        ..figures(&lives, since, now)
    })
}

fn lives(
    rows: Vec<Row>,
    mut makers: HashMap<i64, Makers>,
    turned: Vec<StatusChanged>,
    since: u64,
    now: u64,
) -> Vec<Life> {
    let started = begun(&turned);
    let mut reopened = HashSet::new();
    for StatusChanged { issue, turn, at } in turned {
        if turn.is_reopening() && at >= since {
            reopened.insert(issue);
        }
    }
    let life = |row: Row| {
        let Makers { opened, closed } = makers.remove(&row.num).unwrap_or_default();
        let opener = opened.unwrap_or_else(|| "unknown".to_owned());
        let closer = closed.or(row.assignee);
        Life {
            // A clock that was ahead must not make weeks that have not come.
            opened: row.created.min(now),
            closed: row.closed.map(|at| at.min(now)),
            closer: closer.unwrap_or_else(|| opener.clone()),
            opener,
            started: started
                .get(&row.num)
                .copied()
                .into_iter()
                .chain(row.started)
                .min(),
            reopened: reopened.contains(&row.num),
            labels: row.labels,
        }
    };
    rows.into_iter().map(life).collect()
}

/// Returns when work on issues first began, as far as the changes of their status say.
pub(crate) fn begun(turned: &[StatusChanged]) -> HashMap<i64, u64> {
    let mut begun = HashMap::new();
    for change in turned
        .iter()
        .filter(|change| change.turn.to == Status::InProgress)
    {
        begun.entry(change.issue).or_insert(change.at);
    }
    begun
}

fn figures(lives: &[Life], since: Option<u64>, now: u64) -> Stats {
    let from = since.unwrap_or(0);
    let closed: Vec<&Life> = lives
        .iter()
        .filter(|life| life.closed.is_some_and(|at| at >= from))
        .collect();
    let opened: Vec<&Life> = lives.iter().filter(|life| life.opened >= from).collect();
    let reopened = lives.iter().filter(|life| life.reopened).count();
    // What was reopened and is open now had ended as well.
    let ended = closed.len()
        + lives
            .iter()
            .filter(|life| life.reopened && life.closed.is_none())
            .count();
    let by = |names: fn(&Life, bool) -> Vec<&str>| shares(&opened, &closed, names);
    Stats {
        since: since.map(time::format),
        opened: opened.len() as u64,
        closed: closed.len() as u64,
        open: 0,
        reopened: reopened as u64,
        reopen_percent: (reopened * 1000 / ended.max(1)) as f64 / 10.0,
        cycle_time: cycle_time(&closed),
        weeks: weeks(lives, since, now),
        actors: by(|life, closing| vec![if closing { &life.closer } else { &life.opener }]),
        labels: by(|life, _| life.labels.iter().map(String::as_str).collect()),
        cut: Vec::new(),
    }
}

fn cycle_time(closed: &[&Life]) -> Option<CycleTime> {
    let mut took: Vec<(u64, bool)> = closed.iter().filter_map(|life| life.took()).collect();
    took.sort_unstable();
    // The nearest rank: a time that an issue took.
    let rank = |percent: usize| {
        took.get((took.len() * percent).div_ceil(100).saturating_sub(1))
            .map(|(time, _)| *time)
    };
    Some(CycleTime {
        count: took.len(),
        from_start: took.iter().filter(|(_, known)| *known).count(),
        median_seconds: rank(50)?,
        p90_seconds: rank(90)?,
    })
}

fn weeks(lives: &[Life], since: Option<u64>, now: u64) -> Vec<Week> {
    let first = lives
        .iter()
        .map(|life| life.opened.min(life.closed.unwrap_or(now)))
        .min();
    let Some(begin) = since.or(first).map(|at| time::week(at.min(now))) else {
        return Vec::new();
    };
    let mut counts: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for life in lives {
        counts.entry(time::week(life.opened)).or_default().0 += 1;
        if let Some(closed) = life.closed {
            counts.entry(time::week(closed)).or_default().1 += 1;
        }
    }
    let before = counts.range(..begin).map(|(_, count)| *count);
    let (mut total_opened, mut total_closed) =
        before.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    let mut weeks = Vec::new();
    let mut monday = begin;
    while monday <= now {
        let next = time::week(monday + WEEK);
        let (opened, closed) = counts.get(&monday).copied().unwrap_or_default();
        total_opened += opened;
        total_closed += closed;
        weeks.push(Week {
            week: time::day(monday),
            opened,
            closed,
            total_opened,
            total_closed,
        });
        monday = next;
    }
    weeks
}

fn shares(opened: &[&Life], closed: &[&Life], names: fn(&Life, bool) -> Vec<&str>) -> Vec<Share> {
    let mut found: BTreeMap<&str, (u64, Vec<&Life>)> = BTreeMap::new();
    for life in opened {
        names(life, false)
            .into_iter()
            .for_each(|name| found.entry(name).or_default().0 += 1);
    }
    for life in closed {
        names(life, true)
            .into_iter()
            .for_each(|name| found.entry(name).or_default().1.push(life));
    }
    let share = |(name, (opened, closed)): (&str, (u64, Vec<&Life>))| Share {
        name: name.to_owned(),
        opened,
        closed: closed.len() as u64,
        cycle_time: cycle_time(&closed),
    };
    let mut shares: Vec<Share> = found.into_iter().map(share).collect();
    shares.sort_by_key(|share| {
        (
            std::cmp::Reverse(share.closed),
            std::cmp::Reverse(share.opened),
        )
    });
    shares
}
