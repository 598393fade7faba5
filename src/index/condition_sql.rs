//! The SQL of conditions.
//!
//! Every fact is true or false and never null, so that its negation is the other.

use rusqlite::types::Value;

use super::condition::{Condition, Fact, Pattern, Property, TimeColumn};
use super::memory::asked_names;
use super::order::column_of;
use super::schema::{finished_epic, nothing_open_below, signed};
use super::stored::text_bit;
use crate::model::edge;
use crate::model::review::REVIEW_LABEL;
use crate::model::status::IN_PROGRESS;

/// Issues that hold lost values which are not settled, in themselves or in their memory.
const CONFLICTED: &str = "issue.num IN (SELECT num FROM issue WHERE conflicts > 0 UNION
    SELECT i.num FROM memory m JOIN issue i ON i.uid = m.issue WHERE m.lost > 0)";

/// The condition that an issue has an edge of a kind to an issue, which the edge names by identity or by id.
const SOURCES: &str = "issue.num IN (SELECT source FROM edge WHERE kind = ? AND suspended = 0
    AND target IN (?, (SELECT id FROM issue WHERE uid = ?)))";

/// The condition that an issue neither waits for a person, nor asks another than one of two names.
const NOT_FOR_A_PERSON: &str = "issue.num NOT IN (SELECT waiting.issue FROM waiting)
    AND issue.uid NOT IN (SELECT memory.issue FROM memory INDEXED BY memory_asked
        WHERE asked IS NOT NULL AND asked NOT IN (?, ?))";

/// The condition that an issue waits for a person, or asks anyone but an agent: one of the lines that are given, or one at work.
// By the index of the few that are open: most entries of memory are no questions.
const ASKING: &str = "(issue.num IN (SELECT waiting.issue FROM waiting) OR issue.uid IN
    (SELECT memory.issue FROM memory INDEXED BY memory_asked WHERE asked IS NOT NULL
        AND instr(?, char(10) || asked || char(10)) = 0 AND NOT EXISTS (SELECT 1 FROM issue busy
            WHERE busy.status = 'in_progress' AND asked IN (busy.agent, busy.assignee || '/' || busy.agent))))";

/// The condition that an issue asks a question to anybody, or to one of three names.
const QUESTION: &str =
    "(issue.listed = 1 AND issue.uid IN (SELECT memory.issue FROM memory INDEXED BY memory_asked
    WHERE asked IS NOT NULL AND asked IN ('', ?, ?, ?)))";

/// The condition that an issue can't be started at a time, and waits for no other: by the indexes of the few that there are.
const HELD: &str = "issue.num IN (
    SELECT num FROM issue INDEXED BY issue_held WHERE listed = 1 AND ready <> 1 AND blocked = 0 UNION ALL
    SELECT num FROM issue INDEXED BY issue_defer WHERE ready = 1 AND defer IS NOT NULL AND defer > ?)";

impl Condition {
    /// Appends the SQL of the condition and its values.
    pub(super) fn write(&self, sql: &mut String, values: &mut Vec<Value>) {
        match self {
            Self::All(all) => joined(all, " AND ", "1", sql, values),
            Self::Any(any) => joined(any, " OR ", "0", sql, values),
            Self::Not(inner) => {
                sql.push_str("NOT ");
                joined(std::slice::from_ref(inner), "", "1", sql, values);
            }
            Self::Fact(fact) => fact.write(sql, values),
        }
    }
}

fn joined(
    parts: &[Condition],
    between: &str,
    none: &str,
    sql: &mut String,
    values: &mut Vec<Value>,
) {
    sql.push('(');
    for (i, part) in parts.iter().enumerate() {
        sql.push_str(if i == 0 { "" } else { between });
        part.write(sql, values);
    }
    sql.push_str(if parts.is_empty() { none } else { "" });
    sql.push(')');
}

impl Fact {
    /// Appends the SQL of the fact and its values.
    pub(super) fn write(&self, sql: &mut String, values: &mut Vec<Value>) {
        if let Some(condition) = self.without_value() {
            return sql.push_str(condition);
        }
        // Each mark has its value pushed in the order of the marks.
        let condition = match self {
            Self::Waiting(agents) => {
                let lines: String = agents.iter().map(|name| format!("{name}\n")).collect();
                values.push(format!("\n{lines}").into());
                ASKING
            }
            Self::Asks(party) => {
                values.extend(asked_names(Some(party)).map(Value::from));
                QUESTION
            }
            Self::ToReview(since) => {
                values.extend([REVIEW_LABEL.to_owned().into(), signed(*since).into()]);
                "((issue.listed = 1 AND issue.num IN (SELECT label.issue FROM label WHERE label.name = ?))
                OR (issue.review = 1 AND issue.closed >= ?))"
            }
            Self::Ready(now) => {
                values.push(signed(*now).into());
                "(issue.ready = 1 AND (issue.defer IS NULL OR issue.defer <= ?))"
            }
            Self::ReadyOrRollUp(now) => {
                values.push(signed(*now).into());
                "(issue.ready IN (1, 2) AND (issue.defer IS NULL OR issue.defer <= ?))"
            }
            Self::Held(now) => {
                values.push(signed(*now).into());
                HELD
            }
            Self::Deferred(now) => {
                values.push(signed(*now).into());
                "(issue.listed = 1 AND (issue.status = 'deferred' OR ifnull(issue.defer, 0) > ?))"
            }
            Self::Stale(since) => {
                values.push(signed(*since).into());
                "(issue.status = 'in_progress' AND issue.updated < ?)"
            }
            Self::Overdue(now) => {
                values.push(signed(*now).into());
                "(issue.listed = 1 AND issue.due IS NOT NULL AND issue.due < ?)"
            }
            Self::Priority(from, to) if from == to => {
                values.push(Value::from(*from));
                "issue.priority = ?"
            }
            Self::Priority(from, to) => {
                values.extend([Value::from(*from), Value::from(*to)]);
                "issue.priority BETWEEN ? AND ?"
            }
            Self::Has(property) => return property.write(sql, values),
            Self::Time(column, from, to) => return column.write(*from, *to, sql, values),
            Self::Row(nums) => return rows(nums, sql),
            Self::Group(by, value) => {
                values.push(value.clone().map_or(Value::Null, Value::from));
                return sql.push_str(&format!("CAST({} AS TEXT) IS ?", column_of(*by)));
            }
            Self::AnyLabel(labels) => {
                values.extend(labels.iter().cloned().map(Value::from));
                let marks = vec!["?"; labels.len()].join(",");
                sql.push_str(&format!(
                    "issue.num IN (SELECT label.issue FROM label WHERE label.name IN ({marks}))"
                ));
                return;
            }
            Self::HandedTo(party) => {
                let names = [party.agent.clone().unwrap_or_default(), party.to_string()];
                values.extend(names.map(Value::from));
                NOT_FOR_A_PERSON
            }
            // No arm of it needs more than one text.
            _ => self.text(values),
        };
        sql.push_str(condition);
    }

    /// Returns the condition of a fact that needs no value.
    fn without_value(&self) -> Option<&'static str> {
        Some(match self {
            Self::Open => "issue.listed = 1",
            Self::Done => "issue.done = 1",
            Self::Kept => "issue.deleted = 0",
            Self::Deleted => "issue.deleted = 1",
            Self::Blocked => "issue.blocked = 1",
            Self::Finished => concat!("(", finished_epic!(), " AND ", nothing_open_below!(), ")"),
            Self::ForAPerson => "issue.num IN (SELECT waiting.issue FROM waiting)",
            Self::Unassigned => "issue.assignee IS NULL",
            Self::Conflicted => CONFLICTED,
            _ => return None,
        })
    }

    /// Returns the condition of a fact that compares texts, or other issues.
    fn text(&self, values: &mut Vec<Value>) -> &'static str {
        match self {
            Self::Status(status) if status == IN_PROGRESS => "issue.status = 'in_progress'",
            Self::Status(status) => bound(values, status, "issue.status = ?"),
            Self::Kind(kind) => bound(values, kind, "issue.type = ? COLLATE NOCASE"),
            Self::Source(text) => bound(values, text, "instr(ifnull(issue.source, ''), ?) > 0"),
            Self::Actor(name) => bound(
                values,
                name,
                "issue.uid IN (SELECT oplog_issue.issue FROM oplog JOIN oplog_issue ON oplog_issue.seq = oplog.seq WHERE oplog.actor = ?)",
            ),
            Self::TitlePart(text) => bound(values, text, "instr(lower(issue.title), lower(?)) > 0"),
            Self::FreeFor(name) => bound(values, name, "(issue.assignee IS NULL OR issue.assignee IS ?)"),
            Self::Agent(name) => bound(
                values,
                name,
                "(issue.status = 'in_progress' AND issue.agent IS ?)",
            ),
            Self::Matches(expression) => bound(
                values,
                expression.as_str(),
                "issue.num IN (SELECT rowid FROM fts WHERE fts MATCH ? AND rowid > 0)",
            ),
            Self::Holder(party) => {
                values.extend([party.person.clone().into(), party.agent.clone().into()]);
                "(issue.status = 'in_progress' AND issue.assignee IS ? AND issue.agent IS ?)"
            }
            Self::Label(label) => label.bind(
                values,
                "EXISTS (SELECT 1 FROM label WHERE label.issue = issue.num AND label.name = ?)",
                "issue.num IN (SELECT label.issue FROM label WHERE label.name >= ? AND label.name < ?)",
            ),
            Self::Assignee(name) => name.bind(
                values,
                "issue.assignee IS ?",
                "(issue.assignee IS NOT NULL AND issue.assignee >= ? AND issue.assignee < ?)",
            ),
            Self::Author(name) => name.bind(
                values,
                "issue.creator IS ?",
                "(issue.creator IS NOT NULL AND issue.creator >= ? AND issue.creator < ?)",
            ),
            Self::IdBegins(id) => {
                bounds(values, id);
                "(issue.shown >= ? AND issue.shown < ?)"
            }
            _ => self.related(values),
        }
    }

    /// Returns the condition of a fact about another issue.
    fn related(&self, values: &mut Vec<Value>) -> &'static str {
        let (uid, times, condition) = match self {
            Self::Is(uid) => (uid, 1, "issue.uid = ?"),
            Self::Child(uid) => (uid, 2, bound(values, edge::PARENT_CHILD, SOURCES)),
            // Each level once, so that a circle ends.
            Self::Below(uid) => (
                uid,
                2,
                "(issue.num IN (WITH RECURSIVE below (num) AS (SELECT num FROM issue WHERE uid = ?
                UNION SELECT edge.source FROM below JOIN issue AS up ON up.num = below.num
                JOIN edge ON edge.target IN (up.uid, up.id) AND edge.kind = 'parent-child' AND edge.suspended = 0)
                SELECT num FROM below) AND issue.uid <> ?)",
            ),
            Self::WaitsFor(uid) => (uid, 2, bound(values, edge::BLOCKS, SOURCES)),
            Self::Blocks(uid) => (
                uid,
                2,
                "(issue.uid IN (SELECT target FROM edge JOIN issue AS other ON other.num = edge.source WHERE other.uid = ? AND kind = 'blocks' AND suspended = 0)
                OR issue.id IN (SELECT target FROM edge JOIN issue AS other ON other.num = edge.source WHERE other.uid = ? AND kind = 'blocks' AND suspended = 0))",
            ),
            _ => return "0",
        };
        values.extend((0..times).map(|_| Value::from(uid.to_bytes().to_vec())));
        condition
    }
}

/// Keeps the value of a condition with one mark.
fn bound(values: &mut Vec<Value>, value: &str, condition: &'static str) -> &'static str {
    values.push(value.to_owned().into());
    condition
}

/// Keeps the bounds of the texts that begin so.
fn bounds(values: &mut Vec<Value>, beginning: &str) {
    values.push(beginning.to_owned().into());
    values.push(format!("{beginning}\u{10ffff}").into());
}

impl Pattern {
    /// Keeps the values of the condition for the whole, or for the beginning.
    fn bind(
        &self,
        values: &mut Vec<Value>,
        whole: &'static str,
        beginning: &'static str,
    ) -> &'static str {
        if !self.is_beginning {
            return bound(values, &self.text, whole);
        }
        bounds(values, &self.text);
        beginning
    }
}

impl TimeColumn {
    fn write(self, from: Option<u64>, to: Option<u64>, sql: &mut String, values: &mut Vec<Value>) {
        let column = match self {
            Self::Created => "issue.created",
            Self::Updated => "issue.updated",
            Self::Closed => "issue.closed",
            Self::Due => "issue.due",
        };
        sql.push_str(&format!("({column} IS NOT NULL"));
        for (sign, bound) in [(">=", from), ("<", to)] {
            if let Some(bound) = bound {
                sql.push_str(&format!(" AND {column} {sign} ?"));
                values.push(signed(bound).into());
            }
        }
        sql.push(')');
    }
}

impl Property {
    fn write(self, sql: &mut String, values: &mut Vec<Value>) {
        sql.push_str(match self {
            Self::Assignee => "issue.assignee IS NOT NULL",
            Self::Label => "issue.labels <> '[]'",
            Self::Parent => "issue.parent IS NOT NULL",
            Self::Due => "issue.due IS NOT NULL",
            Self::Links => "(issue.dependencies > 0 OR issue.dependents > 0)",
            Self::Memory => {
                "EXISTS (SELECT 1 FROM memory WHERE memory.issue = issue.uid AND memory.hidden = 0)"
            }
            Self::Text(field) => {
                values.push(text_bit(field).into());
                "(issue.texts & ?) <> 0"
            }
        });
    }
}

/// Writes the condition for rows by their numbers, which are no text of users.
fn rows(nums: &[i64], sql: &mut String) {
    let nums: Vec<String> = nums.iter().map(i64::to_string).collect();
    match nums.is_empty() {
        // An empty list keeps SQLite from the indexes of what else is asked for.
        true => sql.push_str("issue.num = -1"),
        false => sql.push_str(&format!("issue.num IN ({})", nums.join(","))),
    }
}
