//! Filters of issues, as they are asked for and as SQL.

use rusqlite::types::Value;

use super::condition::{Condition, FOR_A_PERSON, Fact, NOT_FOR_A_PERSON};
use super::order::{Order, group_columns};
use super::schema::{finished_epic, nothing_open_below, signed};
use crate::model::ask::Grouping;
use crate::model::status::IN_PROGRESS;
use crate::model::{Party, Uid};

/// Conditions that an issue must meet to be listed.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Any of these statuses; then `done` and `deleted` do not matter.
    pub statuses: Vec<String>,
    /// Any of these types.
    pub kinds: Vec<String>,
    /// Any of these priorities.
    pub priorities: Vec<i64>,
    /// All of these labels.
    pub labels: Vec<String>,
    /// Any of these labels.
    pub any_label: Vec<String>,
    /// Part of the title, in any case.
    pub title: Option<String>,
    /// This assignee; the inner `None` means unassigned.
    pub assignee: Option<Option<String>>,
    /// In progress by this person or agent.
    pub(crate) holder: Option<Party>,
    /// In progress by an agent of this name.
    pub(crate) agent: Option<String>,
    /// Direct children of this issue.
    pub parent: Option<Uid>,
    /// Changed at or after this time.
    pub since: Option<u64>,
    /// Not changed since this time.
    pub stale: Option<u64>,
    /// The ready queue at this time.
    pub ready: Option<u64>,
    /// Only issues that are blocked.
    pub blocked: bool,
    /// Epics whose children have all ended.
    pub finished: bool,
    /// Those that wait for a person.
    pub waiting: bool,
    /// Closed at or after this time.
    pub closed_since: Option<u64>,
    /// Closed issues are included.
    pub done: bool,
    /// Deleted issues are included.
    pub deleted: bool,
    /// Issues without an assignee, or with this one.
    pub free_for: Option<String>,
    /// Issues that can be handed to this agent: none that waits for a person, or asks anyone else.
    pub(crate) handed_to: Option<Party>,
    /// Those the search found, best first; it has left out deleted ones where no status is asked for.
    pub found: Option<Vec<i64>>,
    /// What a query says beyond the rest.
    pub(crate) conditions: Vec<Condition>,
    /// What the issues are put together by, before their order.
    pub(crate) group: Option<Grouping>,
}

/// The conditions of a filter in SQL, and their values.
#[derive(Default)]
pub(super) struct Sql {
    conditions: Vec<String>,
    pub(super) values: Vec<Value>,
}

impl Sql {
    fn any<T: Into<Value>>(&mut self, column: &str, values: impl IntoIterator<Item = T>) {
        let before = self.values.len();
        self.values.extend(values.into_iter().map(Into::into));
        let marks = vec!["?"; self.values.len() - before].join(",");
        // An empty list is no condition.
        if !marks.is_empty() {
            self.conditions.push(format!("{column} IN ({marks})"));
        }
    }

    fn push(&mut self, condition: &str, value: impl Into<Value>) {
        self.conditions.push(condition.to_owned());
        self.values.push(value.into());
    }

    pub(super) fn condition(&mut self, condition: &str) {
        self.conditions.push(condition.to_owned());
    }

    pub(super) fn build(filter: &Filter) -> Self {
        let mut sql = Self::default();
        sql.scope(filter);
        match filter.statuses.as_slice() {
            // To the letter: an index of those in progress is used for nothing else.
            [status] if status == IN_PROGRESS => sql.condition("issue.status = 'in_progress'"),
            statuses => sql.any("issue.status", statuses.iter().cloned()),
        }
        sql.any("issue.type COLLATE NOCASE", filter.kinds.iter().cloned());
        sql.any("issue.priority", filter.priorities.iter().copied());
        for label in &filter.labels {
            sql.fact(&Fact::Label(label.into()));
        }
        if !filter.any_label.is_empty() {
            let marks = vec!["?"; filter.any_label.len()].join(",");
            sql.condition(&format!(
                "issue.num IN (SELECT label.issue FROM label WHERE label.name IN ({marks}))"
            ));
            sql.values
                .extend(filter.any_label.iter().cloned().map(Value::from));
        }
        if let Some(part) = &filter.title {
            sql.push("instr(lower(issue.title), lower(?)) > 0", part.clone());
        }
        match &filter.assignee {
            Some(Some(name)) => sql.push("issue.assignee = ?", name.clone()),
            Some(None) => sql.condition("issue.assignee IS NULL"),
            None => {}
        }
        if let Some(actor) = &filter.free_for {
            sql.push(
                "(issue.assignee IS NULL OR issue.assignee = ?)",
                actor.clone(),
            );
        }
        if let Some(party) = &filter.handed_to {
            let names = [party.agent.clone().unwrap_or_default(), party.to_string()];
            sql.condition(NOT_FOR_A_PERSON);
            sql.values.extend(names.map(Value::from));
        }
        if let Some(parent) = filter.parent {
            sql.fact(&Fact::Child(parent));
        }
        if let Some(since) = filter.since {
            sql.push("issue.updated >= ?", signed(since));
        }
        if let Some(stale) = filter.stale {
            sql.push("issue.updated < ?", signed(stale));
        }
        if filter.waiting {
            sql.condition(FOR_A_PERSON);
        }
        if let Some(since) = filter.closed_since {
            sql.push("issue.done = 1 AND issue.closed >= ?", signed(since));
        }
        sql.tree(&filter.conditions);
        sql
    }

    /// Adds the conditions of a query, after those that have members of their own: these are the ones with indexes.
    fn tree(&mut self, conditions: &[Condition]) {
        for condition in conditions {
            let mut text = String::new();
            condition.write(&mut text, &mut self.values);
            self.conditions.push(text);
        }
    }

    fn fact(&mut self, fact: &Fact) {
        let mut text = String::new();
        fact.write(&mut text, &mut self.values);
        self.conditions.push(text);
    }

    fn scope(&mut self, filter: &Filter) {
        if let Some(now) = filter.ready {
            // An epic with children is in the queue only where it is asked for by type.
            let epics = filter
                .kinds
                .iter()
                .any(|kind| kind.eq_ignore_ascii_case("epic"));
            self.condition(if epics {
                "issue.ready IN (1, 2)"
            } else {
                "issue.ready = 1"
            });
            self.push("(issue.defer IS NULL OR issue.defer <= ?)", signed(now));
        } else if filter.blocked {
            self.condition("issue.blocked = 1");
        } else if filter.finished {
            self.condition(concat!(finished_epic!(), " AND ", nothing_open_below!()));
        } else if filter.statuses.is_empty() {
            match (filter.done, filter.deleted) {
                (false, false) => self.condition("issue.listed = 1"),
                (true, false) => self.condition("issue.deleted = 0"),
                (false, true) => self.condition("(issue.listed = 1 OR issue.deleted = 1)"),
                (true, true) => {}
            }
        }
        if let Some(holder) = &filter.holder {
            self.condition("issue.status = 'in_progress'");
            self.push("issue.assignee = ?", holder.person.clone());
            self.push("issue.agent IS ?", holder.agent.clone());
        }
        if let Some(agent) = &filter.agent {
            self.condition("issue.status = 'in_progress'");
            self.push("issue.agent = ?", agent.clone());
        }
        if let Some(found) = &filter.found {
            self.any("issue.num", found.iter().copied());
            // `any` skips an empty list, but a search without hits lets nothing through.
            if found.is_empty() {
                self.condition("0");
            }
        }
    }

    pub(super) fn clause(&self) -> String {
        if self.conditions.is_empty() {
            String::new()
        } else {
            format!(" WHERE {}", self.conditions.join(" AND "))
        }
    }

    /// Returns the query for the number of issues that the filter lets through.
    pub(super) fn total(&self, filter: &Filter) -> String {
        let index = filter.index(Order::Priority);
        format!("SELECT count(*) FROM issue{index}{}", self.clause())
    }
}

impl Filter {
    /// Returns the SQL of an order of what the filter lets through.
    pub(super) fn ordered(&self, order: Order) -> String {
        // Within a group the order is as ever.
        let clause = order.clause();
        let columns = clause.trim_start_matches(" ORDER BY ");
        match self.group {
            Some(group) => format!(" ORDER BY {}, {columns}", group_columns(group)),
            None => clause.to_owned(),
        }
    }

    /// Returns the filter that lets all through, ended and deleted ones too.
    pub fn everything() -> Self {
        Self {
            done: true,
            deleted: true,
            ..Self::default()
        }
    }

    /// Returns whether the filter has no condition except on whether issues have ended.
    fn is_plain(&self) -> bool {
        self.statuses.is_empty() && self.asks_only_status()
    }

    fn asks_only_status(&self) -> bool {
        self.kinds.is_empty()
            && self.priorities.is_empty()
            && self.labels.is_empty()
            && self.any_label.is_empty()
            && self.title.is_none()
            && self.assignee.is_none()
            && self.holder.is_none()
            && self.agent.is_none()
            && self.parent.is_none()
            && self.free_for.is_none()
            && self.handed_to.is_none()
            && self.since.is_none()
            && self.stale.is_none()
            && !self.waiting
            && !self.finished
            && self.closed_since.is_none()
            && self.conditions.is_empty()
    }

    /// Returns the index that has the rows of the filter in the wanted order, where there is one:
    /// SQLite would find it too, but take longer to weigh the others than to read a page from it.
    pub(super) fn index(&self, order: Order) -> &'static str {
        let one_status = self.asks_only_status()
            && self.found.is_none()
            && self.ready.is_none()
            && !self.blocked;
        match (order, self.counter()) {
            _ if self.finished => " INDEXED BY issue_finished",
            (Order::Priority, Some("ready")) => " INDEXED BY issue_ready",
            (Order::Priority, Some("blocked")) => " INDEXED BY issue_blocked",
            (Order::Priority, Some("listed")) => " INDEXED BY issue_listed",
            (Order::Priority, None) if one_status && self.statuses.len() == 1 => {
                " INDEXED BY issue_status"
            }
            _ => "",
        }
    }

    /// Returns whether all that a search has found is let through.
    pub(super) fn takes_all_found(&self) -> bool {
        self.is_plain() && self.ready.is_none() && !self.blocked && self.done
    }

    /// Returns the counter that has the total of an otherwise unfiltered list.
    pub(super) fn counter(&self) -> Option<&'static str> {
        if !self.is_plain() || self.found.is_some() {
            return None;
        }
        if self.ready.is_some() {
            return Some("ready");
        }
        if self.blocked {
            return Some("blocked");
        }
        match (self.done, self.deleted) {
            (false, false) => Some("listed"),
            (true, true) => Some("total"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::schema;
    use super::*;

    #[test]
    fn a_page_comes_from_its_index_in_order() {
        let conn = schema::tests::empty();
        let status = |name: &str| Filter {
            statuses: vec![name.to_owned()],
            ..Filter::default()
        };
        for filter in [
            Filter::default(),
            Filter {
                ready: Some(0),
                ..Filter::default()
            },
            Filter {
                blocked: true,
                ..Filter::default()
            },
            Filter {
                finished: true,
                ..Filter::default()
            },
            status("open"),
            status("in_progress"),
        ] {
            let index = filter.index(Order::Priority);
            let (clause, order) = (Sql::build(&filter).clause(), Order::Priority.clause());
            let sql = format!("SELECT title FROM issue{index}{clause}{order} LIMIT 50");
            let plan = schema::tests::plan(&conn, &sql);
            assert!(
                plan.contains(index.rsplit(' ').next().unwrap()) && !index.is_empty(),
                "{sql}: {plan}"
            );
            assert!(!plan.contains("TEMP B-TREE"), "{sql}: {plan}");
        }
    }
    #[test]
    fn a_label_of_an_issue_is_found_by_both() {
        let conn = schema::tests::empty();
        let filter = Filter {
            labels: vec!["docs".to_owned()],
            ..Filter::default()
        };
        let plan = schema::tests::plan(&conn, &Sql::build(&filter).total(&filter));
        assert!(plan.contains("(name=? AND issue=?)"), "{plan}");
    }

    #[test]
    fn a_total_comes_from_the_index_of_its_page() {
        let conn = schema::tests::empty();
        let filter = Filter {
            finished: true,
            ..Filter::default()
        };
        let plan = schema::tests::plan(&conn, &Sql::build(&filter).total(&filter));
        assert!(plan.contains("issue_finished"), "{plan}");
    }
}
