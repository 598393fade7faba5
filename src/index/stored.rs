//! The rows that follow from one blob: of an issue, or of an entry of its memory.

use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};

use super::Result;
use super::edges::outgoing;
use super::schema::{Labels, signed};
use super::statements::Statements;
use crate::model::edge::PARENT_CHILD;
use crate::model::prose::boxes;
use crate::model::review::HUMAN_LABEL;
use crate::model::sources::places_of;
use crate::model::{Field, Issue, Memory, Stamp, Status, Target, Uid};
use crate::store::Oid;

/// A column and its value.
pub(super) type ColumnValue = (&'static str, Value);

/// Returns the columns that follow from the blob of an issue alone, in the order of the table.
fn stored(issue: &Issue, blob: Oid) -> [ColumnValue; 29] {
    let state = issue.state();
    let text = |key: &str| issue.blob().text(key).map(str::to_owned);
    let time = |key: &str| {
        let text = issue.blob().text(key)?;
        crate::model::time::parse(text).map(signed)
    };
    let known = issue.aliases();
    let aliases = (!known.is_empty()).then(|| serde_json::to_string(&known).unwrap_or_default());
    let id = if issue.id().is_empty() {
        issue.uid().to_string()
    } else {
        issue.id().to_owned()
    };
    [
        ("id", id.clone().into()),
        ("tail", crate::model::id::tail(&id).to_owned().into()),
        ("title", issue.title().to_owned().into()),
        ("stored", state.status.as_str().to_owned().into()),
        ("auto", state.auto.into()),
        ("deleted", issue.is_deleted().into()),
        ("type", issue.kind().to_owned().into()),
        ("priority", issue.priority().into()),
        ("assignee", text("assignee").into()),
        (
            "labels",
            serde_json::to_string(&issue.labels())
                .unwrap_or_default()
                .into(),
        ),
        ("created", signed(issue.created()).into()),
        ("changed", signed(issue.updated()).into()),
        ("started", issue.started().map(signed).into()),
        ("closed", issue.closed().map(signed).into()),
        ("defer", time("defer").into()),
        ("key", text("key").into()),
        ("creator", issue.created_by().to_owned().into()),
        ("conflicts", (issue.conflicts().len() as i64).into()),
        ("closer", issue.closed_by().map(str::to_owned).into()),
        ("blob", blob.as_bytes().to_vec().into()),
        ("aliases", aliases.into()),
        ("agent", issue.holder().and_then(|it| it.agent).into()),
        ("purged", issue.is_purged().into()),
        ("due", time("due").into()),
        ("texts", texts(issue).into()),
        (
            "until_free",
            (state.until_free && !issue.is_deleted()).into(),
        ),
        ("source", places_of(issue).into()),
        ("review", issue.is_to_be_accepted().into()),
        ("criteria", criteria(issue).into()),
    ]
}

/// Returns the bits of the long texts that an issue has.
fn texts(issue: &Issue) -> i64 {
    let has = |field: &Field| !issue.text(field.key()).trim().is_empty();
    let bits = Field::long_texts().filter(has).map(text_bit);
    bits.fold(0, |all, bit| all | bit)
}

/// Returns the checked boxes of the acceptance and all of them.
fn criteria(issue: &Issue) -> Option<String> {
    let text = issue.text(Field::Acceptance.key());
    let [checked, all] = if text.is_empty() { [0, 0] } else { boxes(text) };
    (all > 0).then(|| format!("{checked} {all}"))
}

/// Returns the bit of a long text.
pub(super) fn text_bit(field: Field) -> i64 {
    1 << (field as i64)
}

/// Stores the contents of one blob; values that depend on other issues are derived later. Returns
/// the row's number.
pub(super) fn insert_issue(
    conn: &Connection,
    num: Option<i64>,
    issue: &Issue,
    blob: Oid,
) -> Result<i64> {
    let head: [Value; 2] = [num.into(), issue.uid().to_bytes().to_vec().into()];
    let stored = stored(issue, blob).map(|(_, value)| value);
    let values = head
        .into_iter()
        .chain(stored)
        .chain([is_done(issue).into()]);
    conn.change("INSERT INTO issue VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,NULL,?20,
         ?6,?32,0,0,0,0,0,0,?14,0,0,?3,NULL,?21,?22,?23,?24,?25,?26,?27,?28,?29,?30,?31)", params_from_iter(values))?;
    let num = conn.last_insert_rowid();
    put_labels(conn, num, &issue.labels())?;
    put_aliases(conn, num, issue)?;
    if waits_for_a_person(issue) {
        put_waiting(conn, num)?;
    }
    insert_edges(conn, num, edges(issue))?;
    Ok(num)
}

/// Stores a new blob of an issue whose last one could be read. Writes only what differs: SQLite
/// writes each index that has one of the columns it is given.
pub(super) fn update_issue(conn: &Connection, num: i64, issue: &Issue, blob: Oid) -> Result<()> {
    let new = stored(issue, blob);
    let sql = format!(
        "SELECT {} FROM issue WHERE num = ?1",
        new.each_ref().map(|(name, _)| *name).join(", ")
    );
    let read = |row: &rusqlite::Row<'_>| (0..new.len()).map(|i| row.get(i)).collect();
    let old: Vec<Value> = conn.prepare_cached(&sql)?.query_row([num], read)?;
    let id = new[0].1.clone();
    let mut changed = differing(new, &old);
    let is_new = |name: &str| changed.iter().any(|(changed, _)| *changed == name);
    // Before the row changes: the old labels are read from it.
    if is_new("labels") {
        drop_labels(conn, num)?;
        put_labels(conn, num, &issue.labels())?;
    }
    if is_new("aliases") {
        drop_aliases(conn, num)?;
        put_aliases(conn, num, issue)?;
    }
    if is_new("id") {
        // Without a suffix: the projection adds one where another issue has the id.
        changed.push(("shown", id));
    }
    set(conn, num, &changed)?;
    if waits_for_a_person(issue) {
        put_waiting(conn, num)?;
    } else {
        conn.change("DELETE FROM waiting WHERE issue = ?1", [num])?;
    }
    let known = outgoing(conn, num)?
        .into_iter()
        .map(|edge| (edge.kind, edge.target, edge.at));
    let edges = edges(issue);
    if !known.eq(edges.iter().cloned()) {
        conn.change("DELETE FROM edge WHERE source = ?1", [num])?;
        insert_edges(conn, num, edges)?;
    }
    Ok(())
}

/// Returns the columns whose value has changed.
pub(super) fn differing(
    now: impl IntoIterator<Item = ColumnValue>,
    before: &[Value],
) -> Vec<ColumnValue> {
    now.into_iter()
        .zip(before)
        .filter(|((_, now), before)| now != *before)
        .map(|(column, _)| column)
        .collect()
}

/// Updates columns of an issue.
pub(super) fn set(conn: &Connection, num: i64, columns: &[ColumnValue]) -> Result<()> {
    if columns.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = columns
        .iter()
        .enumerate()
        .map(|(i, (name, _))| format!("{name} = ?{}", i + 2))
        .collect();
    let sql = format!("UPDATE issue SET {} WHERE num = ?1", list.join(", "));
    let values = columns.iter().map(|(_, value)| value);
    conn.change(
        &sql,
        params_from_iter(std::iter::once(&Value::from(num)).chain(values)),
    )?;
    Ok(())
}

fn is_done(issue: &Issue) -> bool {
    issue.is_deleted() || issue.state().status.is_done()
}

/// Deletes the labels of an issue that its row names.
pub(super) fn drop_labels(conn: &Connection, num: i64) -> Result<()> {
    let sql = "SELECT labels FROM issue WHERE num = ?1";
    let Labels(labels) = conn.value(sql, [num])?;
    for label in labels {
        conn.change(
            "DELETE FROM label WHERE name = ?1 AND issue = ?2",
            params![label, num],
        )?;
    }
    Ok(())
}

fn put_labels(conn: &Connection, num: i64, labels: &[String]) -> Result<()> {
    for label in labels {
        conn.change(
            "INSERT OR IGNORE INTO label VALUES (?1, ?2)",
            params![label, num],
        )?;
    }
    Ok(())
}

/// Deletes the aliases of an issue that its row names.
pub(super) fn drop_aliases(conn: &Connection, num: i64) -> Result<()> {
    let sql = "SELECT aliases FROM issue WHERE num = ?1";
    let known: Option<String> = conn.value(sql, [num])?;
    let known = known.map(|known| serde_json::from_str::<Vec<String>>(&known));
    for id in known.into_iter().flatten().flatten() {
        conn.change(
            "DELETE FROM alias WHERE id = ?1 AND issue = ?2",
            params![id, num],
        )?;
    }
    Ok(())
}

fn put_aliases(conn: &Connection, num: i64, issue: &Issue) -> Result<()> {
    for id in issue.aliases() {
        conn.change(
            "INSERT OR IGNORE INTO alias VALUES (?1, ?2)",
            params![id, num],
        )?;
    }
    Ok(())
}

fn put_waiting(conn: &Connection, num: i64) -> Result<()> {
    conn.change("INSERT OR IGNORE INTO waiting VALUES (?1)", [num])?;
    Ok(())
}

/// Returns whether it has not ended and has the label `human`, or was blocked for a reason that no
/// dependency expresses.
fn waits_for_a_person(issue: &Issue) -> bool {
    let state = issue.state();
    let reason = state.reason.is_some_and(|reason| !reason.trim().is_empty());
    let needs_person = (state.status == Status::Blocked && reason)
        || issue.labels().iter().any(|label| label == HUMAN_LABEL);
    needs_person && !is_done(issue)
}

/// Returns the edges of an issue, to its parent first.
fn edges(issue: &Issue) -> Vec<(String, Target, Stamp)> {
    let stamp = issue.stamp_of("parent").unwrap_or_default();
    let parent = issue
        .parent()
        .map(|(target, _)| (PARENT_CHILD.to_owned(), target, stamp));
    parent
        .into_iter()
        .chain(
            issue
                .edges()
                .into_iter()
                .map(|edge| (edge.kind, edge.target, edge.at)),
        )
        .collect()
}

fn insert_edges(conn: &Connection, num: i64, edges: Vec<(String, Target, Stamp)>) -> Result<()> {
    for (kind, target, at) in edges {
        conn.change(
            "INSERT INTO edge VALUES (?1, ?2, ?3, ?4, 0)",
            params![num, kind, target, at],
        )?;
    }
    Ok(())
}

/// Stores a row for an unreadable blob, so that it is listed and its id is not given again.
pub(super) fn insert_unreadable(
    conn: &Connection,
    num: Option<i64>,
    uid: Uid,
    id: &str,
    why: &str,
) -> Result<i64> {
    let title = format!("(unreadable: {why})");
    let at = signed(uid.millis());
    conn.change("INSERT INTO issue VALUES (?1,?2,?3,?4,?5,'unreadable',0,0,'task',2,NULL,'[]',?6,?6,NULL,NULL,NULL,NULL,'',?7,0,
         'unreadable',0,0,0,0,0,0,0,?6,0,0,?3,NULL,NULL,NULL,NULL,NULL,0,NULL,0,0,NULL,0,NULL)", params![num, uid, id, crate::model::id::tail(id), title, at, why])?;
    Ok(conn.last_insert_rowid())
}

/// Stores the row of a memory entry.
pub(super) fn insert_memory(conn: &Connection, issue: Option<Uid>, entry: &Memory) -> Result<()> {
    let asked = entry
        .is_open_question()
        .then(|| entry.to().unwrap_or_default());
    // Replaced, as a redacted entry or one with a newer stamp has the same uid.
    conn.change(
        "INSERT OR REPLACE INTO memory VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            entry.uid(),
            issue,
            entry.kind().as_str(),
            // An answer is news of the issue, as a new entry is.
            signed(entry.answered().unwrap_or_else(|| entry.at())),
            entry.blob().newest(),
            entry.is_redacted(),
            asked,
            entry.lost_answers().len() as i64,
        ],
    )?;
    Ok(())
}
