//! Odd records, each through import and back.

use super::*;
use crate::model::stamp::Stamp;
use crate::model::{Issue, MemoryKind, Status};
use serde_json::json;

fn record(line: &str) -> ImportRecord {
    match parse_line(line).unwrap() {
        Some(ParsedLine::Issue(record)) => record,
        other => panic!("{other:?}"),
    }
}

fn through(line: &str) -> (Built, Map<String, Value>) {
    let record = record(line);
    let names = Names {
        id: &|uid| (uid == Stamp::new(9, 9)).then(|| "bd-9".to_owned()),
    };
    let resolve = |id: &str| (id == "bd-9").then(|| Stamp::new(9, 9));
    let built = build(&record, record.uid(), &resolve, &names).unwrap();
    let out = export(&built.issue, &built.memory, &names);
    (built, out)
}

fn comes_back(line: &str) -> Built {
    let (built, out) = through(line);
    let mut original = crate::model::canonical_json::parse_wide(line).unwrap();
    original
        .as_object_mut()
        .unwrap()
        .retain(|key, _| !DERIVED.contains(&key.as_str()));
    assert_eq!(Value::Object(out), original);
    built
}

#[test]
fn a_bare_record_gains_nothing() {
    let built = comes_back(r#"{"id":"bd-1","title":"t"}"#);
    assert_eq!(built.issue.priority(), 0);
    assert_eq!(built.issue.status(), Status::Open);
    assert_eq!(built.issue.kind(), "task");
}

#[test]
fn spelling_is_kept_to_the_letter() {
    comes_back(
        r#"{"id":"bd-1","title":"a\nb","description":"","labels":[],"assignee":null,"created_at":"2025-10-16T17:49:54.066425-07:00","updated_at":"2025-10-16T17:49:54.066425-07:00"}"#,
    );
    comes_back(
        r#"{"id":"bd-1","title":"t","labels":["b","a"],"metadata":null,"timeout":1800000000000,"x":1.50,"$y":{"$number":"z"}}"#,
    );
    comes_back(
        r#"{"id":"bd-1","title":"t","priority":9,"status":"done","issue_type":"merge-request","closed_by_session":"s"}"#,
    );
    comes_back(
        r#"{"id":"bd-1","title":"t","priority":"high","due_at":"2026-01-01T00:00:00+02:00","defer_until":"soon"}"#,
    );
}

#[test]
fn a_closed_record_keeps_reason_and_time() {
    let built = comes_back(
        r#"{"id":"bd-1","title":"t","status":"closed","close_reason":"ok","closed_at":"2026-01-02T09:53:09.6-06:00"}"#,
    );
    assert_eq!(built.issue.state().reason.as_deref(), Some("ok"));
    comes_back(r#"{"id":"bd-1","title":"t","status":"closed"}"#);
    comes_back(r#"{"id":"bd-1","title":"t","status":"open","close_reason":"was closed once"}"#);
}

#[test]
fn a_tombstone_is_a_deletion() {
    let built = comes_back(
        r#"{"id":"bd-1","title":"t","status":"tombstone","deleted_at":"2026-01-01T00:00:00Z","deleted_by":"x","delete_reason":"dup","original_type":"bug","close_reason":"r"}"#,
    );
    assert!(built.issue.is_deleted());
    assert_eq!(built.issue.state().status, Status::Open);
    comes_back(r#"{"id":"bd-1","title":"t","status":"tombstone"}"#);
}

#[test]
fn edges_keep_their_payload_and_parents_their_order() {
    let built = comes_back(
        r#"{"id":"bd-1","title":"t","dependencies":[
        {"issue_id":"bd-1","depends_on_id":"bd-9","type":"parent-child","created_at":"2","created_by":"x"},
        {"issue_id":"bd-1","depends_on_id":"bd-8","type":"parent-child","created_at":"1"},
        {"issue_id":"bd-1","depends_on_id":"bd-9","type":"blocks","metadata":"{}","thread_id":""},
        {"issue_id":"bd-1","depends_on_id":"bd-1","type":"related"},
        {"issue_id":"bd-0","depends_on_id":"external:proj:cap","type":"parent_child"}]}"#,
    );
    let (parent, _) = built.issue.parent().unwrap();
    assert_eq!(parent, crate::model::Target::Uid(Stamp::new(9, 9)));
    assert_eq!(built.issue.edges().len(), 4);
}

#[test]
fn odd_shapes_are_kept_aside() {
    comes_back(
        r#"{"id":"bd-1","title":"t","owner":7,"labels":"x","dependencies":[{"type":"blocks"},7],"comments":[{"id":1},{"id":2,"text":"a"}]}"#,
    );
}

#[test]
fn comments_are_findings_decisions_or_comments() {
    let built = comes_back(
        r#"{"id":"bd-1","title":"t","comments":[
        {"id":1,"issue_id":"bd-1","author":"a","text":"FINDING:  slow","created_at":"2026-01-01T00:00:00Z"},
        {"id":"u-2","issue_id":"bd-1","author":"a","text":"KEY DECISION: cache","created_at":"2026-01-01T00:00:01Z"},
        {"id":3,"issue_id":"bd-1","author":"","text":"hello","created_at":"2025-01-01T00:00:01Z"}]}"#,
    );
    let kinds: Vec<_> = built
        .memory
        .iter()
        .map(|entry| (entry.kind(), entry.text().to_owned()))
        .collect();
    assert_eq!(
        kinds,
        [
            (MemoryKind::Finding, "slow".into()),
            (MemoryKind::Decision, "cache".into()),
            (MemoryKind::Comment, "hello".into())
        ]
    );
}

#[test]
fn derived_keys_do_not_matter() {
    let a = record(r#"{"_type":"issue","id":"bd-1","title":"t","dependency_count":3}"#);
    let b = record(r#"{"id":"bd-1","title":"t"}"#);
    assert_eq!((a.stamp, a.uid()), (b.stamp, b.uid()));
}

#[test]
fn memory_lines_come_back() {
    let line = r#"{"_type":"memory","key":"k","value":"v","extra":[1]}"#;
    let Some(ParsedLine::Memory(memory)) = parse_line(line).unwrap() else {
        panic!()
    };
    assert_eq!(
        Value::Object(export_memory(&memory.build())),
        serde_json::from_str::<Value>(line).unwrap()
    );
}

#[test]
fn bad_lines_say_what_is_wrong() {
    for (line, message) in [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ("{}", "no `id`"),
        (r#"{"id":"a b","title":"t"}"#, "not an id"),
        (r#"{"id":"a","id":"b"}"#, "duplicate key"),
        (r#"{"id":"a"}"#, "no `title`"),
        (r#"{"id":"a","title":null}"#, "no `title`"),
        (r#"{"id":"a","title":" "}"#, "no `title`"),
        (r#"{"id":"a","title":7}"#, "no `title`"),
        (r#"{"_type":"hologram","id":"a","title":"t"}"#, "hologram"),
    ] {
        assert!(parse_line(line).unwrap_err().contains(message), "{line}");
    }
    for (line, what) in [
        (
            r#"{"id":"a","ts":"2026-01-01T00:00:00Z","by":"x","reason":"r"}"#,
            "bd's deletions",
        ),
        (
            r#"{"id":"int-1","kind":"tool_call","created_at":"","actor":"x"}"#,
            "bd's interactions",
        ),
        (
            r#"{"id":1,"issue_id":"a","event_type":"created"}"#,
            "bd's events",
        ),
        (r#"{"prefix":"a-","path":"x"}"#, "bd's routes"),
        (
            r#"{"database":"beads.db","jsonl_export":"issues.jsonl"}"#,
            "bd's metadata",
        ),
        (
            r#"{"number":1,"title":"t","id":"I_kw"}"#,
            "issues of GitHub",
        ),
    ] {
        let Ok(Some(ParsedLine::Other(other))) = parse_line(line) else {
            panic!("{line}")
        };
        assert_eq!(other.what, what);
    }
    // With a title it is an issue, and may have more.
    let event = r#"{"id":"a","title":"t","ts":"","by":"","kind":"","actor":""}"#;
    assert!(matches!(parse_line(event), Ok(Some(ParsedLine::Issue(_)))));
    for skipped in [
        "  ",
        r#"{"_schema":"beads-jsonl/1","exported_at":"2026-01-01T00:00:00Z"}"#,
    ] {
        assert!(parse_line(skipped).unwrap().is_none(), "{skipped}");
    }
    let deleted = r#"{"id":"a","status":"tombstone"}"#;
    assert!(parse_line(deleted).unwrap().is_some());
}

#[test]
fn an_edit_shows_and_the_rest_stays_as_imported() {
    let (mut built, _) = through(
        r#"{"id":"bd-1","title":"t","status":"closed","close_reason":"ok","closed_at":"2026-01-02T09:53:09-06:00","updated_at":"2026-01-02T09:53:09-06:00","x":1}"#,
    );
    let writer = crate::model::Writer {
        at: Stamp::new(1_900_000_000_000, 1),
        by: "ann".into(),
        millis: 1_900_000_000_000,
    };
    let issue: &mut Issue = &mut built.issue;
    issue.set_status(&writer, Status::Open);
    let names = Names { id: &|_| None };
    let out = Value::Object(export(issue, &[], &names));
    assert_eq!(out["status"], "open");
    assert_eq!(out["close_reason"], Value::Null);
    assert_eq!(out["closed_at"], Value::Null);
    assert_eq!(out["x"], 1);
    assert_eq!(out["updated_at"], json!("2030-03-17T17:46:40.000Z"));
}
