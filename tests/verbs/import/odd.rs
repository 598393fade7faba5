//! Odd cases that were seen in real files, small.

use serde_json::{Value, json};

use super::{export, exported, ids, import, line, records, show, with};
use crate::support::World;

const DAY: &str = "2026-01-02T00:00:00Z";

const MORE: &str = r#""created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z""#;

/// A record, and what `show --json` says of it.
struct Case(&'static str, &'static [(&'static str, &'static str)]);

const CASES: &[Case] = &[
    // Missing fields have their defaults; priority is left out where it was 0.
    Case(
        r#"{"id":"c-bare","title":"t"}"#,
        &[
            ("/priority", "0"),
            ("/status", "\"open\""),
            ("/type", "\"task\""),
        ],
    ),
    Case(
        r#"{"id":"c-priority","title":"t","priority":3}"#,
        &[("/priority", "3")],
    ),
    Case(
        r#"{"id":"c-empty","title":"t","description":"","labels":[],"dependencies":[],"comments":[]}"#,
        &[],
    ),
    Case(
        r#"{"id":"c-null","title":"t","metadata":null,"assignee":null,"labels":null,"due_at":null}"#,
        &[],
    ),
    Case(
        r#"{"id":"c-hash","title":"t","content_hash":"7acd","compacted_at_commit":"","compaction_level":0}"#,
        &[],
    ),
    // Words of other trackers.
    Case(
        r#"{"id":"c-done","title":"t","status":"done"}"#,
        &[("/status", "\"done\"")],
    ),
    Case(
        r#"{"id":"c-hooked","title":"t","status":"hooked"}"#,
        &[("/status", "\"hooked\"")],
    ),
    Case(
        r#"{"id":"c-pinned","title":"t","status":"pinned","pinned":true}"#,
        &[("/status", "\"pinned\"")],
    ),
    Case(
        r#"{"id":"c-type","title":"t","issue_type":"merge-request"}"#,
        &[("/type", "\"merge-request\"")],
    ),
    Case(
        r#"{"id":"c-words","title":"t","issue_type":"two words","status":"in review"}"#,
        &[("/status", "\"in review\"")],
    ),
    Case(
        r#"{"id":"c-p9","title":"t","priority":9}"#,
        &[("/priority", "4")],
    ),
    Case(
        r#"{"id":"c-phigh","title":"t","priority":"high"}"#,
        &[("/priority", "2")],
    ),
    Case(r#"{"id":"c-pnull","title":"t","priority":null}"#, &[]),
    // Endings.
    Case(
        r#"{"id":"c-closed","title":"t","status":"closed"}"#,
        &[("/status", "\"closed\"")],
    ),
    Case(
        r#"{"id":"c-closed2","title":"t","status":"closed","close_reason":"ok","closed_at":"2026-01-02T09:53:09.6-06:00"}"#,
        &[
            ("/reason", "\"ok\""),
            ("/closed_at", "\"2026-01-02T15:53:09.600Z\""),
        ],
    ),
    Case(
        r#"{"id":"c-reopened","title":"t","status":"open","close_reason":"once","closed_at":"2026-01-02T09:53:09Z"}"#,
        &[],
    ),
    Case(
        r#"{"id":"c-tomb","title":"t","status":"tombstone","deleted_at":"2026-01-16T17:13:46.009767484Z","deleted_by":"ubuntu","delete_reason":"Test cleanup","original_type":"task"}"#,
        &[
            ("/status", "\"tombstone\""),
            ("/reason", "\"Test cleanup\""),
        ],
    ),
    Case(
        r#"{"id":"c-tomb2","title":"t","status":"tombstone"}"#,
        &[("/status", "\"tombstone\"")],
    ),
    // Texts.
    Case(
        r#"{"id":"c-newline","title":"two\nlines"}"#,
        &[("/title", r#""two\nlines""#)],
    ),
    Case(
        r#"{"id":"c-space","title":"  kept  "}"#,
        &[("/title", "\"  kept  \"")],
    ),
    Case(
        r#"{"id":"c-esc","title":"t","notes":"\u001b[31mred\u001b[0m\u0007"}"#,
        &[("/notes", r#""\u001b[31mred\u001b[0m\u0007""#)],
    ),
    Case(r#"{"id":"c-nul","title":"t","notes":"a\u0000b"}"#, &[]),
    Case(
        r#"{"id":"c-go","title":"a \u003c b \u0026\u0026 c \u003e d"}"#,
        &[("/title", "\"a < b && c > d\"")],
    ),
    Case(
        r#"{"id":"c-hy","title":"Փորձ 🎉 \ud83d\ude80","description":"e\u0301 é"}"#,
        &[("/title", "\"Փորձ 🎉 🚀\"")],
    ),
    Case(r#"{"id":"c-bidi","title":"a\u202eb\u200b"}"#, &[]),
    // Times.
    Case(
        r#"{"id":"c-time","title":"t","created_at":"2025-10-16T17:49:54.066425123-07:00","updated_at":"2025-10-16T20:49:54.5+00:00"}"#,
        &[
            ("/created_at", "\"2025-10-17T00:49:54.066Z\""),
            ("/updated_at", "\"2025-10-16T20:49:54.500Z\""),
        ],
    ),
    Case(
        r#"{"id":"c-due","title":"t","due_at":"2026-12-01T00:00:00+02:00","defer_until":"2026-08-31T21:00:00Z"}"#,
        &[
            ("/due", "\"2026-11-30T22:00:00.000Z\""),
            ("/defer", "\"2026-08-31T21:00:00.000Z\""),
        ],
    ),
    Case(
        r#"{"id":"c-soon","title":"t","due_at":"soon","created_at":"yesterday","updated_at":""}"#,
        &[],
    ),
    Case(
        r#"{"id":"c-zero","title":"t","created_at":"0001-01-01T00:00:00Z","updated_at":"9999-12-31T23:59:59Z"}"#,
        &[],
    ),
    // Numbers and keys.
    Case(
        r#"{"id":"c-number","title":"t","timeout":1800000000000,"quality_score":0.75,"neg":-1.5e-3,"none":-0.0}"#,
        &[],
    ),
    Case(
        r#"{"id":"c-dollar","title":"t","$x":1,"$$":{"$number":"7"},"$absent":["title"],"$number":1.5}"#,
        &[],
    ),
    Case(
        r#"{"id":"c-ours","title":"t","at":{"*":1},"by":2,"uid":"x","lost":[],"set:labels":3,"v":9,"min_reader":99,"purged":true}"#,
        &[],
    ),
    Case(
        r#"{"id":"c-deep","title":"t","payload":{"a":[[[{"b":[null,true,""]}]]]},"waiters":["x"],"ephemeral":true}"#,
        &[],
    ),
    Case(
        r#"{"id":"c-shape","title":"t","owner":7,"labels":"x","dependencies":{},"comments":3,"status":false}"#,
        &[],
    ),
    Case(
        r#"{"id":"c-shape2","title":"t","labels":[1,null,"ok",""],"dependencies":[null,{"type":"blocks"}],"comments":[{"id":1}]}"#,
        &[("/labels", "[\"ok\"]")],
    ),
    // Labels.
    Case(
        r#"{"id":"c-labels","title":"t","labels":["b","a:b","c d","e,f","B"]}"#,
        &[("/labels", r#"["B","a:b","b","c d","e,f"]"#)],
    ),
    Case(
        r#"{"id":"c-labels2","title":"t","labels":["a","a"]}"#,
        &[("/labels", "[\"a\"]")],
    ),
    // Ids.
    Case(r#"{"id":"tea-rags-mcp-l640","title":"t"}"#, &[]),
    Case(r#"{"id":"beads_rust-07b.1","title":"t"}"#, &[]),
    Case(r#"{"id":"GH-12","title":"t"}"#, &[]),
    Case(
        r#"{"id":"frankenscipy-perf-fft-polymul-prealloc-coefficients-rw30o","title":"t"}"#,
        &[],
    ),
    Case(r#"{"id":"c.rob.api.caps","title":"t"}"#, &[]),
    Case(r#"{"id":"c-1.2.3.4.5","title":"t"}"#, &[]),
    Case(r#"{"id":"Ա-1","title":"t"}"#, &[]),
    // Derived keys and a computed parent beside its edge.
    Case(
        r#"{"_type":"issue","id":"c-child","title":"t","parent":"c-bare","dependencies":[{"issue_id":"c-child","depends_on_id":"c-bare","type":"parent-child","created_at":"2026-01-01T00:00:00Z","metadata":"{}","thread_id":""}],"dependency_count":9,"dependent_count":9,"comment_count":9}"#,
        &[("/parent", "\"c-bare\"")],
    ),
];

#[test]
fn every_odd_record_comes_back() {
    let text: String = CASES
        .iter()
        .map(|Case(line, _)| format!("{line}\n"))
        .collect();
    let world = World::with_store();
    let report = import(&world, &text);
    assert_eq!(report["created"], CASES.len(), "{report}");
    let (original, back) = (records(&text), records(&export(&world)));
    let mut wrong = Vec::new();
    for (id, record) in &original {
        if back.get(id) != Some(record) {
            wrong.push(format!(
                "{record}\n  became {}",
                back.get(id).unwrap_or(&Value::Null)
            ));
        }
    }
    for Case(line, expected) in CASES {
        let record: Value = serde_json::from_str(line).unwrap();
        let shown = show(&world, record["id"].as_str().unwrap());
        for (pointer, value) in *expected {
            let value: Value = serde_json::from_str(value).unwrap();
            let found = shown["issue"].pointer(pointer);
            if found != Some(&value) {
                wrong.push(format!("{line}\n  shows {pointer} as {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(import(&world, &text)["unchanged"], CASES.len());
}

/// Decoded equality can't tell 1.50 from 1.5, nor see a number that no float holds.
#[test]
fn numbers_and_times_come_back_to_the_letter() {
    let numbers = r#""big":123456789012345678901234567890,"float":1.50,"huge":1e400,"max":18446744073709551615,"zero":-0"#;
    let world = with(format!(r#"{{"id":"bd-1","title":"t",{MORE},{numbers}}}"#));
    let out = export(&world);
    for number in numbers.split(',') {
        assert!(
            out.contains(&format!(",{number}")),
            "{number} is not in {out}"
        );
    }
    for time in [
        "2026-01-16T07:21:09.280348123Z",
        "2025-10-16T17:49:54.066425-07:00",
        "2026-01-02T00:00:00.000Z",
        "2026-01-02T00:00:00Z",
        "2026-01-02T02:00:00+02:00",
    ] {
        let world = with(line("bd-1", time, ""));
        assert_eq!(exported(&world, "bd-1")["updated_at"], time);
    }
}

#[test]
fn a_parent_without_its_edge_adds_no_edge() {
    let text = line("bd-1", DAY, "") + &line("bd-2", DAY, r#","parent":"bd-1""#);
    let world = with(&text);
    assert_eq!(show(&world, "bd-2")["issue"]["parent"], "bd-1");
    assert_eq!(records(&export(&world)), records(&text));
}

#[test]
fn a_renamed_parent_is_exported_under_its_new_id() {
    let edge = r#","parent":"bd-1","dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1","type":"parent-child"}]"#;
    let world = with(line("bd-1", DAY, "") + &line("bd-2", DAY, edge));
    world.bd(&["rename", "bd-1", "bd-new"]).ok();
    let record = exported(&world, "bd-2");
    assert_eq!(record["dependencies"][0]["depends_on_id"], "bd-new");
    assert_ne!(
        record["parent"], "bd-1",
        "the old id names nothing any more"
    );
}

#[test]
fn a_tombstone_is_deleted_and_can_be_restored() {
    let tombstone = r#","status":"tombstone","issue_type":"bug","deleted_at":"2026-01-16T17:13:46Z","deleted_by":"x","delete_reason":"dup","original_type":"bug""#;
    let world = with(line("bd-1", DAY, tombstone));
    assert!(ids(&world, &["list", "--all", "-q"]).is_empty());
    assert_eq!(ids(&world, &["list", "--all", "--deleted", "-q"]), ["bd-1"]);
    assert!(ids(&world, &["ready", "-q"]).is_empty());
    world.bd(&["restore", "bd-1"]).ok();
    let record = exported(&world, "bd-1");
    assert_eq!(
        (&record["status"], &record["issue_type"]),
        (&json!("open"), &json!("bug"))
    );
    for key in ["deleted_at", "deleted_by", "delete_reason", "original_type"] {
        assert_eq!(record[key], Value::Null, "{key}");
    }
    assert_eq!(ids(&world, &["ready", "-q"]), ["bd-1"]);
}

#[test]
fn memory_lines_and_comments_come_back() {
    let text = line(
        "bd-1",
        DAY,
        r#","comments":[
        {"id":1,"issue_id":"bd-1","author":"ann","text":"plain","created_at":"2026-01-01T00:00:00.123456789+02:00"},
        {"id":"0199-uuid","issue_id":"bd-1","author":"bob","text":"FINDING: slow","created_at":"2026-01-01T00:00:01Z"},
        {"id":"x","issue_id":"bd-1","author":"bob","text":"KEY DECISION:  cache ","created_at":"2026-01-01T00:00:02Z","extra":1.5},
        {"id":2,"issue_id":"other","author":"","text":"","created_at":""},
        {"id":3,"author":"ann","text":"plain","created_at":"2026-01-01T00:00:00.123456789+02:00"}]"#,
    )
    .replace('\n', "")
        + r#"
{"_type":"memory","key":"k","value":"Փ\u003c"}
{"_type":"memory","key":"k","value":"another of the same key","more":[1.50]}
{"_type":"memory","value":"no key"}
"#;
    let world = World::with_store();
    assert_eq!(import(&world, &text)["memory"], 4 + 3);
    assert_eq!(records(&export(&world)), records(&text));
    let memory = &show(&world, "bd-1")["memory"];
    assert_eq!(memory["findings"][0]["text"], "slow");
    assert_eq!(memory["decisions"][0]["text"], "cache");
    assert_eq!(memory["decisions"][0]["by"], "bob");
    let said: Vec<&Value> = memory["comments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["text"])
        .collect();
    assert!(
        said.contains(&&json!("plain")) && said.len() == 2,
        "{said:?}"
    );
    // One more comment: the others keep their ids and times.
    world.bd(&["note", "bd-1", "--finding", "here"]).ok();
    let comments = exported(&world, "bd-1")["comments"].clone();
    for id in [json!(1), json!("0199-uuid"), json!("x"), json!(2)] {
        assert!(
            comments
                .as_array()
                .unwrap()
                .iter()
                .any(|comment| comment["id"] == id),
            "{id} in {comments}"
        );
    }
    assert!(comments.to_string().contains("FINDING: here"), "{comments}");
}

/// An odd entry that is no comment to us stays in the export when a comment is added.
#[test]
fn odd_comments_survive_an_edit() {
    let world = with(line(
        "bd-1",
        DAY,
        r#","comments":[{"id":1},{"id":2,"author":"a","text":"t","created_at":""}]"#,
    ));
    world.bd(&["note", "bd-1", "hello"]).ok();
    let comments = exported(&world, "bd-1")["comments"].clone();
    assert!(
        comments.as_array().unwrap().contains(&json!({"id": 1})),
        "{comments}"
    );
}

#[test]
fn of_duplicate_lines_the_newest_speaks_and_the_last_of_equals() {
    let at = |time: &str, title: &str| {
        format!(
            r#"{{"id":"bd-1","title":"{title}","created_at":"2026-01-01T00:00:00Z","updated_at":"{time}"}}"#
        ) + "\n"
    };
    for (text, wins) in [
        (
            at("2026-01-03T00:00:00Z", "new") + &at("2026-01-02T00:00:00Z", "old"),
            "new",
        ),
        // As an instant, not as a text.
        (
            at("2026-01-02T23:00:00-08:00", "new") + &at("2026-01-03T00:00:00Z", "old"),
            "new",
        ),
        (
            at("2026-01-02T00:00:00.000000001Z", "new") + &at("2026-01-02T00:00:00Z", "old"),
            "new",
        ),
        (
            at("2026-01-02T00:00:00Z", "first") + &at("2026-01-02T01:00:00+01:00", "last"),
            "last",
        ),
    ] {
        let world = World::with_store();
        let report = import(&world, &text);
        assert_eq!(
            (&report["created"], &report["duplicates"]),
            (&json!(1), &json!(1))
        );
        assert_eq!(exported(&world, "bd-1")["title"], wins, "{text}");
    }
}

#[test]
fn children_are_numbered_on() {
    let text = line("bd-a", DAY, r#","issue_type":"epic""#)
        + &line("bd-a.143", DAY, "")
        + &line("bd-a.7", DAY, r#","status":"tombstone""#)
        + &line("bd-a.rob.api.caps", DAY, "")
        + &line("bd-a.6a", DAY, "")
        + &line("bd-a.143.900", DAY, "")
        + &line("bd-a.200", DAY, r#","status":"tombstone""#);
    let world = with(text);
    assert_eq!(world.create(&["next", "--parent", "bd-a"]), "bd-a.201");
    assert_eq!(
        world.create(&["below", "--parent", "bd-a.143"]),
        "bd-a.143.901"
    );
    assert_eq!(
        world.create(&["below", "--parent", "bd-a.rob.api.caps"]),
        "bd-a.rob.api.caps.1"
    );
}
