//! A choice of issues in SQL. Its index and its counter follow from the facts that stand in the list of its condition.

use rusqlite::types::Value;

use super::condition::{Condition, Fact};
use super::order::Order;
use crate::model::Status;

/// The clause of a condition, its values, and what answers it faster than a look at each row.
pub(super) struct RowSql {
    /// Begins with `WHERE`, or is empty.
    pub(super) clause: String,
    pub(super) values: Vec<Value>,
    narrowed: Narrowed,
    is_in_progress: bool,
}

/// How far a condition narrows the issues, as far as an index or a counter knows that.
enum Narrowed {
    Everything,
    Open,
    Ready(u64),
    Blocked,
    Status,
    Finished,
    /// By something else, too.
    Further,
}

impl RowSql {
    pub(super) fn of(condition: &Condition) -> Self {
        let parts = needed(condition);
        let (mut texts, mut values) = (Vec::new(), Vec::new());
        for part in &parts {
            let mut text = String::new();
            part.write(&mut text, &mut values);
            texts.push(text);
        }
        Self {
            clause: match texts.is_empty() {
                true => String::new(),
                false => format!(" WHERE {}", texts.join(" AND ")),
            },
            values,
            narrowed: Narrowed::by(&parts),
            is_in_progress: parts.contains(&&Condition::in_progress()),
        }
    }

    /// Returns the index that has the rows in the wanted order, where there is one: SQLite would find it too, but take longer
    /// to weigh the others than to read a page from it.
    pub(super) fn index(&self, order: Order) -> &'static str {
        match (&self.narrowed, order) {
            (Narrowed::Finished, _) => " INDEXED BY issue_finished",
            (Narrowed::Open, Order::Priority) => " INDEXED BY issue_listed",
            (Narrowed::Ready(_), Order::Priority) => " INDEXED BY issue_ready",
            (Narrowed::Blocked, Order::Priority) => " INDEXED BY issue_blocked",
            (Narrowed::Status, Order::Priority) => " INDEXED BY issue_status",
            (_, Order::Updated | Order::UpdatedReversed) if self.is_in_progress => {
                " INDEXED BY issue_stale"
            }
            _ => "",
        }
    }

    /// Returns the counter that has the total, and for the ready queue the time at which it is read.
    pub(super) fn counter(&self) -> Option<(&'static str, Option<u64>)> {
        match self.narrowed {
            Narrowed::Everything => Some(("total", None)),
            Narrowed::Open => Some(("listed", None)),
            Narrowed::Ready(now) => Some(("ready", Some(now))),
            Narrowed::Blocked => Some(("blocked", None)),
            _ => None,
        }
    }

    /// Returns the statement for the number of issues that are let through.
    pub(super) fn total(&self) -> String {
        let index = self.index(Order::Priority);
        format!("SELECT count(*) FROM issue{index}{}", self.clause)
    }
}

impl Narrowed {
    fn by(parts: &[&Condition]) -> Self {
        if parts.contains(&&Condition::Fact(Fact::Finished)) {
            return Self::Finished;
        }
        match parts {
            [] => Self::Everything,
            [Condition::Fact(only)] => match only {
                Fact::Open => Self::Open,
                Fact::Ready(now) => Self::Ready(*now),
                Fact::Blocked => Self::Blocked,
                Fact::Status(_) => Self::Status,
                _ => Self::Further,
            },
            _ => Self::Further,
        }
    }
}

/// Returns the parts of a condition without those that another part includes.
fn needed(condition: &Condition) -> Vec<&Condition> {
    let mut parts = Vec::new();
    flatten(condition, &mut parts);
    let mut needed: Vec<&Condition> = Vec::new();
    for part in &parts {
        let is_included = match part {
            Condition::Fact(state @ (Fact::Open | Fact::Kept)) => {
                parts.iter().any(|other| includes(other, state))
            }
            _ => false,
        };
        if !is_included && !needed.contains(part) {
            needed.push(part);
        }
    }
    needed
}

fn flatten<'c>(condition: &'c Condition, parts: &mut Vec<&'c Condition>) {
    match condition {
        Condition::All(all) => all.iter().for_each(|one| flatten(one, parts)),
        one => parts.push(one),
    }
}

/// Returns whether all that a condition lets through is in a state: neither closed nor deleted, or not deleted.
fn includes(condition: &Condition, state: &Fact) -> bool {
    match condition {
        Condition::Any(any) => !any.is_empty() && any.iter().all(|one| includes(one, state)),
        Condition::Fact(fact) => match fact {
            Fact::Ready(_)
            | Fact::ReadyOrRollUp(_)
            | Fact::Blocked
            | Fact::Held(_)
            | Fact::Finished => true,
            Fact::Status(word) => match Status::new(word) {
                Status::Tombstone => false,
                status => *state == Fact::Kept || !status.is_done(),
            },
            Fact::Open => *state == Fact::Kept,
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::schema;
    use super::*;
    use crate::model::query::Grouping;

    fn status(name: &str) -> Condition {
        Fact::Status(name.to_owned()).into()
    }

    #[test]
    fn a_page_comes_from_its_index_in_order() {
        let conn = schema::tests::empty();
        let open = || Condition::from(Fact::Open);
        for condition in [
            open(),
            open().and(open()),
            open().ready(0),
            Condition::from(Fact::Kept).ready(0),
            open().and(Fact::Blocked),
            open().and(Fact::Finished),
            status("open"),
            open().and(status("in_progress")),
        ] {
            let chosen = RowSql::of(&condition);
            let (index, order) = (chosen.index(Order::Priority), Order::Priority.clause());
            let sql = format!(
                "SELECT title FROM issue{index}{}{order} LIMIT 50",
                chosen.clause
            );
            let plan = schema::tests::plan(&conn, &sql);
            assert!(
                plan.contains(index.rsplit(' ').next().unwrap()) && !index.is_empty(),
                "{sql}: {plan}"
            );
            assert!(!plan.contains("TEMP B-TREE"), "{sql}: {plan}");
            let plan = schema::tests::plan(&conn, &chosen.total());
            assert!(plan.contains(index.rsplit(' ').next().unwrap()), "{plan}");
        }
    }

    #[test]
    fn the_few_of_many_are_found_without_a_look_at_each() {
        let conn = schema::tests::empty();
        let ready = || Condition::from(Fact::Open).ready(0);
        let group = Fact::Group(Grouping::Status, Some("open".to_owned()));
        let few = [
            Fact::Waiting(Vec::new()),
            Fact::ToReview(0),
            Fact::Row(vec![]),
            Fact::Row(vec![1]),
        ];
        let few = Condition::Any(few.map(Condition::from).into());
        for (condition, found_by) in [
            (
                Condition::from(Fact::Held(0)).and(group),
                ["issue_held", "issue_defer"],
            ),
            (few.and(ready()), ["issue_closed", "PRIMARY KEY"]),
        ] {
            let plan = schema::tests::plan(&conn, &RowSql::of(&condition).total());
            for part in found_by {
                assert!(plan.contains(part), "{plan}");
            }
            let scans = plan
                .split("; ")
                .filter(|step| step.starts_with("SCAN issue"));
            assert!(
                scans.clone().all(|step| step.contains("issue_held")),
                "{plan}"
            );
        }
        for order in [Order::Updated, Order::UpdatedReversed] {
            let fresh = Condition::Not(Box::new(Fact::Stale(0).into()));
            let chosen = RowSql::of(&Condition::in_progress().and(fresh));
            let (index, clause) = (chosen.index(order), &chosen.clause);
            let sql = format!(
                "SELECT title FROM issue{index}{clause}{} LIMIT 50",
                order.clause()
            );
            let plan = schema::tests::plan(&conn, &sql);
            // In order but for those of the same millisecond.
            assert!(
                plan.contains("issue_stale") && !plan.contains("FOR ORDER BY"),
                "{plan}"
            );
        }
        // What is blocked and in no other column is counted from the index alone.
        let blocked = Condition::from(Fact::Blocked);
        let blocked = blocked.and(Condition::Not(Box::new(Condition::in_progress())));
        let plan = schema::tests::plan(&conn, &RowSql::of(&blocked).total());
        assert!(plan.contains("issue_blocked"), "{plan}");
    }

    #[test]
    fn a_further_condition_takes_index_and_counter_away() {
        let label = Fact::Label((&"docs".to_owned()).into());
        for condition in [
            Condition::from(Fact::Open).and(label.clone()),
            Condition::from(Fact::Open).ready(0).and(label.clone()),
            Condition::from(Fact::Kept),
            Fact::Kind("epic".to_owned()).into(),
            Condition::from(Fact::Kind("epic".to_owned())).ready(0),
        ] {
            let chosen = RowSql::of(&condition);
            assert_eq!(
                (chosen.index(Order::Priority), chosen.counter()),
                ("", None)
            );
        }
    }

    #[test]
    fn a_label_of_an_issue_is_found_by_both() {
        let conn = schema::tests::empty();
        let label = Fact::Label((&"docs".to_owned()).into());
        let chosen = RowSql::of(&Condition::from(Fact::Open).and(label));
        let plan = schema::tests::plan(&conn, &chosen.total());
        assert!(plan.contains("(name=? AND issue=?)"), "{plan}");
    }
}
