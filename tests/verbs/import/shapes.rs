//! What people have at hand: arrays, other encodings, folders, other files.

use serde_json::{Value, json};

use super::{export, exported, ids, import, line, records, show, tip, with};
use crate::support::World;

const DAY: &str = "2026-01-02T00:00:00Z";

/// Three records, of which one has all that an array could be split at.
fn some() -> String {
    let odd = r#","description":"a [{\"b\"}],\n\\","priority":1.50,"dependencies":[{"depends_on_id":"bd-1","type":"blocks"}]"#;
    line("bd-1", DAY, "") + &line("bd-2", DAY, odd) + &line("bd-3", DAY, r#","labels":["a b"]"#)
}

fn values(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// However the records are put, the same store comes of it.
#[test]
fn arrays_and_objects_over_several_lines_are_records() {
    let lines = some();
    let raw: Vec<&str> = lines.lines().collect();
    let wanted = export(&with(&lines));
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
    let all = values(&lines.replace("1.50", "3"));
    let indented: Vec<String> = all.iter().map(pretty).collect();
    for (shape, text) in [
        ("one line", format!("[{}]", raw.join(","))),
        ("a line each", format!("[\n{}\n]\n", raw.join(",\n"))),
        ("with a mark", format!("\u{feff}[{}]", raw.join(","))),
        ("pages", format!("[{}]\n[{},{}]", raw[0], raw[1], raw[2])),
        (
            "within",
            format!("[[{}],[],[{},{}]]", raw[0], raw[1], raw[2]),
        ),
    ] {
        assert_eq!(export(&with(text)), wanted, "{shape}");
    }
    let wanted = export(&with(lines.replace("1.50", "3")));
    for text in [
        pretty(&json!(all)),
        indented.join("\n"),
        indented.join("\r\n"),
    ] {
        assert_eq!(export(&with(&text)), wanted, "{text}");
    }
    let world = World::with_store();
    assert_eq!(import(&world, "[]\n")["created"], 0);
}

/// A bad element is named by its number, and the rest is taken.
#[test]
fn an_element_that_is_no_record_is_named() {
    let world = World::with_store();
    let good = line("bd-1", DAY, "");
    let text = format!(
        "[7,{good},\n\"x, ]\",{{\"id\":\"bd-2\"}},{{\"id\":\"a\nb\"}},{}",
        some()
    );
    let file = world.file("list.json", text);
    let answer = world.bd(&["import", &file, "--json"]);
    assert_eq!(answer.code, 1);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap();
    let elements: Vec<&Value> = (report["errors"].as_array().unwrap().iter())
        .map(|error| &error["element"])
        .collect();
    // The last one says that the array has no end.
    assert_eq!(elements, [1, 3, 4, 5, 8], "{report}");
    assert_eq!(ids(&world, &["list", "--all", "-q"]).len(), 3);
    let cut = world.file("cut.json", format!("[{good},{}", &good[..30]));
    let answer = world.bd(&["import", &cut]).fails(1);
    assert!(
        answer.contains("element 2: the input ends here"),
        "{answer}"
    );
}

#[test]
fn utf_16_is_read_in_both_orders() {
    let lines = line("bd-1", DAY, r#","description":"é 日本 🎉""#) + &line("bd-2", DAY, "");
    let wanted = export(&with(&lines));
    let bytes = |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        text.encode_utf16().flat_map(order).collect()
    };
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        for text in [
            &format!("\u{feff}{lines}"),
            &lines,
            &format!("[{}]", lines.trim().replace('\n', ",\r\n")),
        ] {
            assert_eq!(export(&with(bytes(text, order))), wanted);
        }
    }
}

/// A whole file of another kind is named by its content and changes nothing, nor does it begin a store.
#[test]
fn a_file_of_another_kind_is_named() {
    let world = World::new();
    for (text, what) in [
        (
            r#"{"id":"a","ts":"2026-01-01T00:00:00Z","by":"x","reason":"r"}"#,
            "deletions",
        ),
        (
            r#"{"id":"int-1","kind":"tool_call","created_at":"","actor":"x"}"#,
            "interactions",
        ),
        (
            r#"{"id":1,"issue_id":"a","event_type":"created","actor":"x"}"#,
            "events",
        ),
        (r#"{"prefix":"a-","path":"x"}"#, "routes"),
        ("{\n  \"database\": \"beads.db\"\n}", "metadata"),
        (
            r#"{"issue_id":"a","depends_on_id":"b","type":"blocks"}"#,
            "dependencies",
        ),
        (r#"[{"number":1,"title":"t","state":"OPEN"}]"#, "GitHub"),
        ("id,title\n1,x", "begins with `id,title`"),
        ("# Notes", "begins with `# Notes`"),
        ("SQLite format 3\0", "SQLite"),
        ("PK\x03\x04\0", "zip"),
    ] {
        let text = if text.contains('\0') {
            text.to_owned()
        } else {
            format!("{text}\n{text}\n")
        };
        let file = world.file("other", text);
        let error = world.bd(&["init", "--import", &file]).fails(1);
        assert!(
            error.contains(what) && error.contains("hint: "),
            "{what}: {error}"
        );
        assert_eq!(
            world.git(&["for-each-ref", "refs/beads"]).ok(),
            "",
            "{what}"
        );
    }
}

/// The tables of a backup: with their links, labels and comments, from the folder or its first file.
#[test]
fn a_backup_is_read_with_its_tables() {
    let row = |id: &str| {
        line(
            id,
            DAY,
            r#","closed_at":null,"labels":null,"status":"open""#,
        )
    };
    let tables = [
        ("issues.jsonl", row("bk-1") + &row("bk-2")),
        (
            "dependencies.jsonl",
            r#"{"issue_id":"bk-1","depends_on_id":"bk-2","type":"blocks","created_at":"2026-01-01T00:00:00Z","created_by":"x","metadata":"{}"}"#.into(),
        ),
        ("labels.jsonl", "{\"issue_id\":\"bk-1\",\"label\":\"area:x\"}\n{\"issue_id\":\"bk-9\",\"label\":\"y\"}\n".into()),
        (
            "comments.jsonl",
            r#"{"id":1,"issue_id":"bk-1","author":"x","text":"hello","created_at":"2026-01-01T00:00:00Z"}"#.into(),
        ),
    ];
    for way in [".beads/backup", ".beads/backup/issues.jsonl"] {
        let world = World::with_store();
        std::fs::create_dir_all(world.path("repo/.beads/backup")).unwrap();
        for (name, text) in &tables {
            world.file(&format!("repo/.beads/backup/{name}"), text);
        }
        let answer = world.bd(&["import", way, "--json"]);
        assert_eq!(answer.code, 1);
        let report: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(
            (&report["created"], &report["memory"]),
            (&json!(2), &json!(1))
        );
        assert_eq!(report["without_links"], Value::Null);
        let error = &report["errors"].as_array().unwrap()[..];
        assert_eq!(error.len(), 1);
        assert_eq!(
            (&error[0]["file"], &error[0]["line"]),
            (&json!("labels.jsonl"), &json!(2))
        );
        assert_eq!(ids(&world, &["ready", "-q"]), ["bk-2"]);
        let shown = show(&world, "bk-1");
        assert_eq!(shown["issue"]["labels"], json!(["area:x"]));
        assert_eq!(shown["memory"]["comments"][0]["text"], "hello");
        assert_eq!(
            exported(&world, "bk-1")["dependencies"][0]["created_by"],
            "x"
        );
        let before = tip(&world);
        world.bd(&["import", way]).fails(1);
        assert_eq!(tip(&world), before);
        let alone = world.bd(&["import", ".beads/backup/labels.jsonl"]).fails(1);
        assert!(alone.contains(".beads/backup\n"), "{alone}");
        let alone = world.bd_with(row("bk-1"), &["import", "-"]);
        assert!(
            alone.stderr.contains("warning: -: 1 issue may have links"),
            "{}",
            alone.stderr
        );
    }
    // A list that counts what it does not name.
    let world = World::with_store();
    let counts =
        line("bd-1", DAY, r#","dependency_count":2"#) + &line("bd-2", DAY, r#","labels":["x"]"#);
    assert_eq!(import(&world, counts)["without_links"], 1);
}

#[test]
fn a_folder_means_the_file_of_its_issues() {
    let world = World::with_store();
    let error = world.bd(&["import", "."]).fails(1);
    assert!(
        error.contains("folder") && error.contains("hint: "),
        "{error}"
    );
    std::fs::create_dir_all(world.path("repo/.beads")).unwrap();
    world.file("repo/.beads/issues.jsonl", some());
    let hint = world.bd(&["import", "."]).fails(1);
    assert!(hint.contains(".beads\n"), "{hint}");
    world.bd(&["import", ".beads"]).ok();
    assert_eq!(records(&export(&world)), records(&some()));
}
