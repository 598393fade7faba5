//! Filters, order and pages of issues.

use clap::Args;

use super::at::AtOptions;
use crate::model::ask::{AskKey, AskQuery, AskTree};
use crate::ops::shared::ask;
use crate::ops::shared::query::Query;
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
        ask::check_no_groups(query.group.as_deref())?;
        match query.at {
            Some(_) => Err(ask::no_past()),
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

    /// Returns the query without a limit unless one was given, for answers that are whole by default.
    /// Errors: A query that can't be read, or that asks for the past.
    pub(in crate::cli) fn unlimited(&self, tracker: &Tracker) -> Result<Query> {
        self.query(tracker, 0)
    }

    fn read(&self, tracker: &Tracker, limit: usize) -> Result<Query> {
        let default = || match limit {
            LIST_LIMIT => tracker.number("beads.listLimit", limit),
            _ => limit,
        };
        let AskQuery {
            tree,
            sort,
            group,
            at,
        } = self.asked(tracker)?;
        Ok(Query {
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
            tree,
            at: at.map(|word| word.text),
            group: group.map(|word| word.text),
            sort: self.sort.clone().or(sort.map(|word| word.text)),
            reverse: self.reverse,
            limit: self.limit.unwrap_or_else(default),
            offset: self.offset,
            ..Query::default()
        })
    }

    /// Returns what the queries say, and the options that are short for a part of one.
    fn asked(&self, tracker: &Tracker) -> Result<AskQuery> {
        let mut whole = AskQuery::default();
        let mut trees = Vec::new();
        // Several queries must all hold; of their orders the last counts.
        for text in &self.query {
            let query = ask::read(tracker, text)?;
            trees.push(query.tree);
            whole.sort = query.sort.or(whole.sort);
            whole.group = query.group.or(whole.group);
            whole.at = query.at.or(whole.at);
        }
        let not = |tree| AskTree::Not(Box::new(tree));
        for label in &self.not_label {
            trees.push(not(ask::option("not-label", AskKey::Label, label)?));
        }
        if self.no_label {
            trees.push(ask::fixed(AskKey::No, "label"));
        }
        if let Some(author) = &self.author {
            trees.push(ask::option("author", AskKey::Author, author)?);
        }
        if let Some(due) = &self.due {
            trees.push(ask::option("due", AskKey::Due, due)?);
        }
        if self.overdue {
            trees.push(ask::fixed(AskKey::Is, "overdue"));
        }
        whole.tree = AskTree::all(trees);
        Ok(whole)
    }
}
