//! Filters, order and pages of issues.

use clap::Args;

use super::at::AtOptions;
use crate::model::query::{Compared, Key, ParsedQuery, QueryWord};
use crate::ops::shared::query::options::TreeParts;
use crate::ops::shared::query::{self, Query};
use crate::ops::{Result, Tracker};

/// Rows of `list` and `board` where neither the command line nor the configuration says how many.
pub(in crate::cli) const LIST_LIMIT: usize = 50;

#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct FilterOptions {
    /// A query: `is:open -label:later`; @NAME is a saved one, and needs no -w
    #[arg(
        short = 'w',
        long = "where",
        value_name = "QUERY",
        allow_hyphen_values = true
    )]
    pub(in crate::cli) query: Vec<String>,
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
    /// Without this label
    #[arg(long, value_name = "LABEL")]
    pub(in crate::cli) not_label: Vec<String>,
    /// Without any label
    #[arg(long)]
    pub(in crate::cli) no_label: bool,
    /// Created by this person (`me`)
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) author: Option<String>,
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
    /// Due until a date (7d, 2026-12-01), overdue ones included
    #[arg(long, value_name = "DATE")]
    pub(in crate::cli) due: Option<String>,
    /// Open, and due before now
    #[arg(long)]
    pub(in crate::cli) overdue: bool,
    /// Waiting for a person: labelled `human`, or blocked for a reason
    #[arg(long)]
    pub(in crate::cli) waiting: bool,
    /// Sort by priority, oldest, created, updated, closed, due, id or title; `-asc` or `-desc` may follow
    #[arg(long, value_name = "ORDER")]
    pub(in crate::cli) sort: Option<String>,
    /// Reverse the order
    #[arg(long)]
    pub(in crate::cli) reverse: bool,
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
    /// Errors: A query that can't be read, or that asks for the past or for groups.
    pub(in crate::cli) fn query(&self, tracker: &Tracker, limit: usize) -> Result<Query> {
        let query = self.read(tracker, limit)?;
        query::check_no_groups(query.group.as_deref())?;
        match query.at {
            Some(_) => Err(query::no_past()),
            None => Ok(query),
        }
    }

    /// Returns the same query for a verb that shows the past, too.
    /// Errors: A query that can't be read.
    pub(in crate::cli) fn query_at(
        &self,
        tracker: &Tracker,
        limit: usize,
        at: &AtOptions,
    ) -> Result<Query> {
        let query = self.read(tracker, limit)?;
        Ok(Query {
            at: at.at.clone().or(query.at),
            ..query
        })
    }

    /// Returns what they ask for as one text in the query language, without the size of the page.
    /// Errors: A query that can't be read.
    pub(in crate::cli) fn text(&self, tracker: &Tracker) -> Result<String> {
        let query = self.read(tracker, 0)?;
        let word = |text: String| QueryWord {
            text,
            ..QueryWord::default()
        };
        let parsed = ParsedQuery {
            tree: query.tree,
            sort: query.sort.map(word),
            group: query.group.map(word),
            at: query.at.map(word),
        };
        Ok(parsed.to_string())
    }

    /// Returns the query of options and texts: all of them must hold. Of their orders the last counts.
    fn read(&self, tracker: &Tracker, limit: usize) -> Result<Query> {
        let mut trees = Vec::new();
        let (mut sort, mut group, mut at) = (None, None, None);
        for text in &self.query {
            let read = Query::asking(tracker, text)?;
            trees.push(read.tree);
            sort = read.sort.or(sort);
            group = read.group.or(group);
            at = read.at.or(at);
        }
        let mut parts = self.options()?;
        for tree in trees {
            parts.push(tree);
        }
        let limit = match (self.limit, limit) {
            (Some(limit), _) => limit,
            (None, LIST_LIMIT) => tracker.number("beads.listLimit", limit),
            (None, _) => limit,
        };
        Ok(Query {
            tree: parts.tree(),
            sort: self.sort.clone().or(sort),
            group,
            at,
            reverse: self.reverse,
            limit,
            offset: self.offset,
            ..Query::default()
        })
    }

    /// Returns what the options say.
    fn options(&self) -> Result<TreeParts> {
        let mut parts = TreeParts::default();
        parts.any("status", Key::Status, &self.status)?;
        parts.any("type", Key::Type, &self.kind)?;
        parts.any("priority", Key::Priority, &self.priority)?;
        parts.labels(&self.label)?;
        for label in &self.not_label {
            parts.not("not-label", Key::Label, label)?;
        }
        if let Some(name) = &self.assignee {
            parts.assignee(name);
        }
        if let Some(name) = &self.author {
            parts.value("author", Key::Author, name)?;
        }
        if let Some(id) = &self.parent {
            parts.parent(id)?;
        }
        if let Some(date) = &self.since {
            parts.updated(Compared::AtLeast, date);
        }
        if let Some(date) = &self.stale {
            parts.updated(Compared::Less, date);
        }
        if let Some(date) = &self.due {
            parts.value("due", Key::Due, date)?;
        }
        let fixed = [
            (self.no_label, Key::No, "label"),
            (self.mine, Key::Is, "mine"),
            (self.overdue, Key::Is, "overdue"),
            (self.waiting, Key::Is, "waiting"),
        ];
        for (_, key, word) in fixed.into_iter().filter(|(is_asked, ..)| *is_asked) {
            parts.fixed(key, word);
        }
        Ok(parts)
    }
}
