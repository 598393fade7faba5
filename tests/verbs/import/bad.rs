//! What is wrong with a file or its surroundings is said; the rest is taken.

use serde_json::{Value, json};

use super::{export, exported, ids, import, line, object, records, tip, with};
use crate::support::World;
use crate::support::plumbing::sound;

const DAY: &str = "2026-01-02T00:00:00Z";

/// Good lines around each kind of bad one, with the number and a word of the complaint.
#[test]
fn a_bad_line_is_named_and_the_rest_is_taken() {
    let cases: [(Vec<u8>, &str); 15] = [
        (b"{not json".to_vec(), "not JSON"),
        (b"{\"id\":\"x\",\"title\":\"\xff\"}".to_vec(), "not UTF-8"),
        (br#"{"title":"no id"}"#.to_vec(), "no `id`"),
        (br#"{"id":7,"title":"t"}"#.to_vec(), "no `id`"),
        (br#"{"id":"a b","title":"t"}"#.to_vec(), "not an id"),
        (br#"{"id":"-a","title":"t"}"#.to_vec(), "not an id"),
        (br#"{"id":"a/b","title":"t"}"#.to_vec(), "not an id"),
        (
            br#"{"id":"x","title":"t","title":"u"}"#.to_vec(),
            "duplicate key",
        ),
        (br#"[1]"#.to_vec(), "not a JSON object"),
        (br#"{"id":"x","title":"\ud800"}"#.to_vec(), "not JSON"),
        (br#"{"id":"x","title":"t"} {"id":"z"}"#.to_vec(), "not JSON"),
        (
            format!(
                r#"{{"id":"x","deep":{}1.5{}}}"#,
                "[".repeat(5000),
                "]".repeat(5000)
            )
            .into_bytes(),
            "not JSON",
        ),
        (
            format!(r#"{{"id":"{}","title":"t"}}"#, "x".repeat(201)).into_bytes(),
            "not an id",
        ),
        (
            format!(r#"{{"id":"x","title":"{}"}}"#, "t".repeat(501)).into_bytes(),
            "500",
        ),
        (
            format!(
                r#"{{"id":"y","title":"t","design":"{}"}}"#,
                "t".repeat(262_145)
            )
            .into_bytes(),
            "262144",
        ),
    ];
    let world = World::with_store();
    let mut text = Vec::new();
    for (i, (bad, _)) in cases.iter().enumerate() {
        text.extend(line(&format!("bd-{i}"), DAY, "").into_bytes());
        text.extend(bad);
        text.push(b'\n');
    }
    let file = world.file("bad.jsonl", &text);
    let answer = world.bd(&["import", &file, "--json"]);
    assert_eq!(answer.code, 1);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!(report["created"], cases.len());
    let errors = report["errors"].as_array().unwrap();
    assert_eq!(errors.len(), cases.len());
    for (i, (_, word)) in cases.iter().enumerate() {
        let number = 2 * i + 2;
        assert_eq!(errors[i]["line"], number);
        let message = errors[i]["message"].as_str().unwrap();
        assert!(message.contains(word), "line {number}: {message}");
        // Of many the first are named.
        assert_eq!(
            answer.stderr.contains(&format!("line {number}: ")),
            i < 10,
            "{}",
            answer.stderr
        );
    }
    assert!(answer.stderr.contains("hint: "), "{}", answer.stderr);
    assert_eq!(ids(&world, &["list", "-q", "-n", "0"]).len(), cases.len());
    assert_eq!(
        world
            .git(&["rev-list", "--count", "refs/beads/main"])
            .ok()
            .trim(),
        "2"
    );
    assert!(
        world.bd(&["import", &file]).fails(1).contains("line 2: "),
        "again the same complaint"
    );
}

#[test]
fn texts_at_the_limit_are_taken() {
    let title = "ä".repeat(500);
    let design = "d".repeat(262_144);
    let world = with(format!(
        r#"{{"id":"bd-1","title":"{title}","design":"{design}"}}"#
    ));
    assert_eq!(exported(&world, "bd-1")["design"], design);
    assert_eq!(exported(&world, "bd-1")["title"], title);
}

#[test]
fn an_overlong_comment_or_label_loses_nothing_silently() {
    let world = World::with_store();
    let label = "l".repeat(121);
    import(
        &world,
        format!(r#"{{"id":"bd-1","title":"t","labels":["ok","{label}"]}}"#),
    );
    assert_eq!(exported(&world, "bd-1")["labels"], json!(["ok", label]));
    let comment = format!(
        r#"{{"id":"bd-2","title":"t","comments":[{{"id":1,"author":"a","text":"{}","created_at":"{DAY}"}}]}}"#,
        "c".repeat(262_145)
    );
    let file = world.file("long.jsonl", comment);
    assert!(world.bd(&["import", &file]).fails(1).contains("line 1: "));
}

/// Names are limited too: an assignee to 250 characters, however it comes.
#[test]
fn no_register_passes_its_limit() {
    let world = World::with_store();
    let long = "n".repeat(300_000);
    for (key, more) in [
        ("close_reason", r#","status":"closed""#),
        ("delete_reason", r#","status":"tombstone""#),
        ("created_by", ""),
        ("assignee", ""),
    ] {
        let file = world.file(
            "long.jsonl",
            line("bd-1", DAY, &format!(r#"{more},"{key}":"{long}""#)),
        );
        assert_eq!(
            world.bd(&["import", &file]).code,
            1,
            "a {key} of 300,000 bytes was taken"
        );
    }
}

#[test]
fn files_of_every_shape_are_read() {
    let one = line("bd-1", DAY, "");
    let two = line("bd-2", DAY, "");
    for (what, text) in [
        ("BOM", format!("\u{feff}{one}{two}")),
        ("CRLF", format!("{one}{two}").replace('\n', "\r\n")),
        ("blank lines", format!("\n  \n{one}\n\t\n\r\n{two}\n\n")),
        ("no final newline", format!("{one}{}", two.trim_end())),
    ] {
        let world = with(&text);
        assert_eq!(ids(&world, &["list", "-q"]), ["bd-1", "bd-2"], "{what}");
        assert_eq!(
            records(&export(&world)),
            records(&format!("{one}{two}")),
            "{what}"
        );
    }
}

#[test]
fn line_numbers_count_blank_lines() {
    let world = World::with_store();
    let file = world.file(
        "x.jsonl",
        format!("\u{feff}\r\n\n{}oops\n", line("bd-1", DAY, "")),
    );
    assert!(world.bd(&["import", &file]).fails(1).contains("line 4: "));
}

#[test]
fn an_empty_file_changes_nothing() {
    let world = World::with_store();
    let before = tip(&world);
    for text in ["", "\n", "\u{feff}", "\u{feff}\n"] {
        let report = import(&world, text);
        assert_eq!(
            (&report["created"], &report["updated"]),
            (&json!(0), &json!(0)),
            "{text:?}"
        );
        assert_eq!(tip(&world), before, "{text:?}");
    }
}

#[test]
fn a_missing_file_makes_nothing() {
    let world = World::new();
    let stderr = world.bd(&["init", "--import", "nothing.jsonl"]).fails(1);
    assert!(
        stderr.contains("nothing.jsonl") && stderr.contains("hint: "),
        "{stderr}"
    );
    assert_eq!(world.git(&["for-each-ref"]).ok(), "");
    world.bd(&["init"]).ok();
    let before = tip(&world);
    let answer = world.bd(&["import", "nothing.jsonl", "--json"]);
    let error: Value = serde_json::from_str(&answer.stdout).unwrap();
    assert_eq!((answer.code, &error["kind"]), (1, &json!("error")));
    // A folder is no file either.
    assert_ne!(world.bd(&["import", "."]).code, 0);
    assert_eq!(tip(&world), before);
}

#[test]
fn standard_input_is_a_file_too() {
    let world = World::with_store();
    world.bd_with(line("bd-1", DAY, ""), &["import", "-"]).ok();
    assert_eq!(ids(&world, &["list", "-q"]), ["bd-1"]);
    let other = World::new();
    other
        .bd_with(line("bd-1", DAY, ""), &["init", "--import", "-"])
        .ok();
    assert_eq!(
        object(&world, "refs/beads/main:issues"),
        object(&other, "refs/beads/main:issues")
    );
}

#[test]
fn without_a_store_the_command_is_named() {
    let world = World::new();
    let file = world.file("repo/issues.jsonl", line("bd-1", DAY, ""));
    let stderr = world.bd(&["import", "issues.jsonl"]).fails(4);
    assert!(
        stderr.contains("hint: git beads init --import issues.jsonl"),
        "{stderr}"
    );
    assert_eq!(world.git(&["for-each-ref"]).ok(), "");
    world.bd(&["init", "--import", &file]).ok();
    assert_eq!(ids(&world, &["list", "-q"]), ["bd-1"]);
}

#[test]
fn the_report_has_the_shape_of_the_contract() {
    let world = World::with_store();
    let file = world.file(
        "x.jsonl",
        line("bd-1", DAY, "") + "{\"_type\":\"memory\",\"key\":\"k\",\"value\":\"v\"}\nx\n",
    );
    let answer = world.bd(&["import", &file, "--json"]);
    assert_eq!((answer.code, answer.stdout.lines().count()), (1, 1));
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    let head =
        ["v", "kind", "created", "updated", "unchanged", "memory"].map(|key| report[key].clone());
    assert_eq!(
        head,
        [
            json!(1),
            json!("report"),
            json!(1),
            json!(0),
            json!(0),
            json!(1)
        ]
    );
    let error = report["errors"][0].as_object().unwrap();
    assert_eq!(error.keys().collect::<Vec<_>>(), ["line", "message"]);
}

#[test]
fn the_same_memory_line_twice_is_one() {
    let note = "{\"_type\":\"memory\",\"key\":\"k\",\"value\":\"v\"}\n";
    let world = World::with_store();
    assert_eq!(import(&world, format!("{note}{note}"))["memory"], 1);
    assert_eq!(export(&world).lines().count(), 1);
}

#[test]
fn many_issues_make_a_pack_and_leave_no_ref() {
    let count = |world: &World, what: &str| {
        let text = world.git(&["count-objects", "-v"]).ok();
        let found = text.lines().find_map(|line| {
            line.strip_prefix(what)?
                .strip_prefix(": ")
                .map(str::to_owned)
        });
        found.unwrap().parse::<usize>().unwrap()
    };
    let text: String = (0..150)
        .map(|i| line(&format!("bd-{i}"), DAY, ""))
        .collect();
    let world = World::with_store();
    world
        .git(&["commit", "--quiet", "--allow-empty", "-m", "x"])
        .ok();
    let loose = count(&world, "count");
    import(&world, &text);
    assert_eq!(count(&world, "packs"), 1);
    assert_eq!(count(&world, "count"), loose);
    assert_eq!(
        world.git(&["for-each-ref", "--format=%(refname)"]).ok(),
        "refs/beads/main\nrefs/heads/main\n"
    );
    assert_eq!(
        world
            .git(&["rev-list", "--count", "refs/beads/main"])
            .ok()
            .trim(),
        "2"
    );
    assert_eq!(world.git(&["status", "--porcelain"]).ok(), "");
    sound(&world);
    let few = with(
        text.lines()
            .take(20)
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
    assert_eq!(count(&few, "packs"), 0);
}

/// The way of the bytes, loose or packed, does not show in the tree.
#[test]
fn a_file_in_parts_makes_the_tree_of_the_whole() {
    let text: String = (0..150)
        .map(|i| line(&format!("bd-{i}"), DAY, ""))
        .collect();
    let whole = with(&text);
    let parts = World::with_store();
    for part in text.lines().collect::<Vec<_>>().chunks(50) {
        import(&parts, part.join("\n"));
    }
    assert_eq!(
        object(&whole, "refs/beads/main:issues"),
        object(&parts, "refs/beads/main:issues")
    );
}

/// A record of another file of bd, and one without a title, are counted; the header is not.
#[test]
fn what_is_no_issue_makes_none() {
    let world = World::with_store();
    let others = [
        r#"{"id":"nt-1"}"#,
        r#"{"id":"nt-2","title":"  "}"#,
        r#"{"id":"d-1","ts":"2026-01-01T00:00:00Z","by":"ann","reason":"dup"}"#,
        r#"{"id":"int-1","kind":"field_change","created_at":"2026-01-01T00:00:00Z","actor":"ann","issue_id":"x"}"#,
        r#"{"_type":"hologram","id":"h-1","title":"t"}"#,
    ];
    let header = r#"{"_schema":"beads-jsonl/1"}"#;
    let file = world.file(
        "others.jsonl",
        format!("{header}\n{}{}\n", line("bd-1", DAY, ""), others.join("\n")),
    );
    let answer = world.bd(&["import", &file, "--json"]);
    assert_eq!(answer.code, 1);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    let lines = report["errors"].as_array().unwrap().iter();
    let lines: Vec<&Value> = lines.map(|error| &error["line"]).collect();
    assert_eq!(lines, [3, 4, 5, 6, 7]);
    assert_eq!(ids(&world, &["list", "--all", "-q"]), ["bd-1"]);
    let clean = format!("{header}\n\n{}", line("bd-2", DAY, ""));
    assert_eq!(import(&world, clean)["created"], 1);
}
