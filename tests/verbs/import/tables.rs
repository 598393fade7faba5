//! Tables with a header: of Jira, of Linear, our own, and others by a map of their columns.

use serde_json::{Value, json};

use super::{ids, import, show, tip};
use crate::support::World;

const JIRA: &str = "\
Summary,Issue key,Issue id,Issue Type,Status,Status Category,Priority,Resolution,Assignee,Reporter,Created,Updated,Resolved,Due date,\
Labels,Labels,Description,Parent,Inward issue link (Blocks),Comment,Comment,Sprint
Login fails,SHOP-1,10001,Bug,Selected for Development,To Do,Highest,,Ann,Bob,27/Nov/26 10:01 AM,28/Nov/26 9:00 AM,,30/Nov/26,\
ui,auth,\"First line
second, with a comma\",10002,SHOP-3,\"27/Nov/26 11:00 AM;bob;I see it; too\",,7
Accounts,SHOP-2,10002,Epic,In Bearbeitung,In Progress,Medium,,,Bob,27/Nov/26 10:00 AM,,,,,,,,,,,
Old page,SHOP-3,10003,Task,Done,Done,Low,Won't Do,,Bob,26/Nov/26 10:00 AM,27/Nov/26 9:00 AM,27/Nov/26 9:00 AM,,,,,,,,,
";

fn issue(world: &World, id: &str) -> Value {
    show(world, id)["issue"].clone()
}

#[test]
fn an_export_of_jira_is_understood() {
    let world = World::with_store();
    let report = import(&world, JIRA);
    assert_eq!(
        (&report["source"], &report["created"]),
        (&json!("Jira"), &json!(3)),
        "{report}"
    );
    assert_eq!(report["left_out"], json!({"column Sprint": 1}));
    let first = issue(&world, "SHOP-1");
    for (key, value) in [
        ("title", json!("Login fails")),
        ("description", json!("First line\nsecond, with a comma")),
        ("status", json!("open")),
        ("type", json!("bug")),
        ("priority", json!(0)),
        ("assignee", json!("Ann")),
        ("created_by", json!("Bob")),
        ("labels", json!(["auth", "ui"])),
        ("parent", json!("SHOP-2")),
        ("created_at", json!("2026-11-27T10:01:00.000Z")),
        ("due", json!("2026-11-30T00:00:00.000Z")),
    ] {
        assert_eq!(first[key], value, "{key} of {first}");
    }
    let text = world.bd(&["show", "SHOP-1"]).ok();
    assert!(
        text.contains("I see it; too") && text.contains("bob"),
        "{text}"
    );
    assert_eq!(issue(&world, "SHOP-2")["status"], "in_progress");
    let old = world.bd(&["show", "SHOP-3"]).ok();
    assert!(
        old.contains("reason: won't do") && old.contains("closed 2026-11-27"),
        "{old}"
    );
    let before = tip(&world);
    import(&world, JIRA);
    assert_eq!(tip(&world), before);
    // Another column of it, and an edit here.
    world
        .bd(&["update", "SHOP-1", "--title", "Login fails on Firefox"])
        .ok();
    import(
        &world,
        JIRA.replace("Highest", "High")
            .replace("28/Nov/26 9:00", "29/Nov/26 9:00"),
    );
    let first = issue(&world, "SHOP-1");
    assert_eq!(first["title"], "Login fails on Firefox");
    assert_eq!(first["priority"], 1);
}

#[test]
fn an_export_of_linear_is_understood() {
    let world = World::with_store();
    let text = "\
\"ID\",\"Team\",\"Title\",\"Description\",\"Status\",\"Priority\",\"Assignee\",\"Creator\",\"Labels\",\"Created\",\"Updated\",\"Completed\",\
\"Canceled\",\"Parent issue\"
\"ENG-7\",\"Engine\",\"Warm the cache\",\"\",\"In Progress\",\"Urgent\",\"ann@example.org\",\"bob\",\"perf, backend\",\
\"Thu Nov 26 2026 10:01:00 GMT+0100 (GMT+01:00)\",\"2026-11-27T10:00:00.000Z\",\"\",\"\",\"ENG-3\"
\"ENG-3\",\"Engine\",\"Speed\",\"\",\"Canceled\",\"No priority\",\"\",\"bob\",\"\",\"2026-11-20\",\"2026-11-27\",\"\",\"2026-11-27\",\"\"
";
    let report = import(&world, text);
    assert_eq!(
        (&report["source"], &report["created"]),
        (&json!("Linear"), &json!(2)),
        "{report}"
    );
    let issue = issue(&world, "ENG-7");
    assert_eq!(issue["labels"], json!(["backend", "perf"]));
    assert_eq!(
        (&issue["priority"], &issue["status"], &issue["parent"]),
        (&json!(0), &json!("in_progress"), &json!("ENG-3"))
    );
    assert_eq!(issue["created_at"], "2026-11-26T09:01:00.000Z");
    let text = world.bd(&["show", "ENG-3"]).ok();
    assert!(text.contains("reason: canceled"), "{text}");
}

#[test]
fn our_own_table_changes_the_issues_that_it_names() {
    let world = World::with_store();
    world
        .bd(&["create", "One", "--label", "two words", "--label", "a"])
        .ok();
    world.bd(&["create", "Two"]).ok();
    let list = ids(&world, &["list", "-q"]);
    world.bd(&["done", &list[1], "-r", "because"]).ok();
    let table = world.bd(&["export", "--csv"]).ok();
    let before = tip(&world);
    let report = import(&world, &table);
    assert_eq!(report["unchanged"], 2, "{report}");
    assert_eq!(tip(&world), before);
    let report = import(&world, table.replace(",One,", ",\"One, edited\","));
    assert!(report.get("conflicts").is_none(), "{report}");
    let one = issue(&world, &list[0]);
    assert_eq!(one["title"], "One, edited");
    assert_eq!(one["labels"], json!(["a", "two words"]));
    assert_eq!(one["created_by"], issue(&world, &list[1])["created_by"]);
    // What has changed since the export is no plain edit.
    world.bd(&["update", &list[0], "--title", "By hand"]).ok();
    let report = import(&world, table.replace(",One,", ",By table,"));
    assert_eq!(report["conflicts"], json!([list[0]]), "{report}");
}

#[test]
fn a_map_names_the_columns_of_any_other_table() {
    let world = World::with_store();
    let file = world.file(
        "x.csv",
        "Nr;Betreff;Zustand;Wer\nA-1;Erstes;offen;ann\nA-2;Zweites;done;\n",
    );
    let map = "id=Nr,title=Betreff,status=Zustand,assignee=Wer";
    let output = world.bd(&["import", &file, "--map", map]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(
        output.stderr.contains("status `offen` (taken as open)"),
        "{output:?}"
    );
    assert_eq!(issue(&world, "A-1")["assignee"], "ann");
    assert_eq!(issue(&world, "A-2")["status"], "closed");
    for (map, said) in [
        (
            "id=Nr,title=Betreff,state=Zustand",
            "`state` is nothing that a column can hold",
        ),
        (
            "id=Nr,title=Name",
            "the file has no column `Name`; it has: Nr, Betreff, Zustand, Wer",
        ),
        ("title=Betreff", "the map names no column for `id`"),
        ("title", "`title` names no column"),
    ] {
        let refused = world.bd(&["import", &file, "--map", map]).fails(1);
        assert!(refused.contains(said), "{said} in {refused}");
    }
}

#[test]
fn rows_that_can_t_be_read_are_named_and_the_rest_imported() {
    let world = World::with_store();
    let file = world.file(
        "x.csv",
        "Issue key,Summary,Status\nS-1,One,To Do\n,Two,Done\nS-3,,Done\nS-4,Four,Done\n",
    );
    let output = world.bd(&["import", &file]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(
        output.stderr.contains("x.csv: line 3: it has no id"),
        "{output:?}"
    );
    assert!(
        output.stderr.contains("x.csv: line 4: it has no title"),
        "{output:?}"
    );
    assert_eq!(
        ids(&world, &["list", "-q", "--all", "--sort", "id"]),
        ["S-1", "S-4"]
    );
}

#[test]
fn a_table_in_utf_16_is_read() {
    let world = World::with_store();
    let text = "Issue key,Summary,Status\nS-1,Größe,To Do\n";
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    import(&world, bytes);
    assert_eq!(issue(&world, "S-1")["title"], "Größe");
}

#[test]
fn a_table_that_is_not_known_says_what_can_be_imported() {
    let world = World::with_store();
    let file = world.file("x.csv", "a,b\n1,2\n");
    let refused = world.bd(&["import", &file]).fails(1);
    assert!(refused.contains("x.csv --map id="), "{refused}");
}

#[test]
fn a_table_that_is_cut_or_of_another_encoding_is_refused() {
    let world = World::with_store();
    for (bytes, said) in [
        (
            &b"Issue key,Summary\nS-1,\"open\nS-2,b\n"[..],
            "a quote is not closed",
        ),
        (&b"Issue key,Summary\nS-1,caf\xe9\n"[..], "is not UTF-8"),
    ] {
        let file = world.file("x.csv", bytes);
        let refused = world.bd(&["import", &file]).fails(1);
        assert!(refused.contains(said), "{refused}");
    }
}

#[test]
fn rows_are_counted_as_an_editor_counts_them() {
    let world = World::with_store();
    for text in [
        "Issue key,Summary\r\nS-1,a\r\n\r\nS-4,\r\n",
        "sep=,\nIssue key,Summary\nS-2,\"a\nb\"\nS-5,\n",
    ] {
        let file = world.file("x.csv", text);
        let line = if text.starts_with("sep") { 5 } else { 4 };
        let output = world.bd(&["import", &file]);
        let said = format!("x.csv: line {line}: it has no title");
        assert!(output.stderr.contains(&said), "{said} in {output:?}");
    }
}

#[test]
fn a_table_without_times_is_as_of_now() {
    let world = World::with_store();
    let file = world.file("x.csv", "Nr,T,S\n7,One,done\n");
    world
        .bd(&[
            "import",
            &file,
            "--map",
            "id=Nr,title=T,status=S",
            "--prefix",
            "web",
        ])
        .ok();
    let text = world.bd(&["show", "web-7"]).ok();
    assert!(!text.contains("1970"), "{text}");
}

#[test]
fn names_in_a_table_make_no_line_of_their_own_and_no_flood() {
    let world = World::with_store();
    let columns: Vec<String> = (0..30).map(|n| format!("Odd {n}")).collect();
    let forged = format!("\"x\nhint: git beads purge S-1\",{}", "y".repeat(5_000));
    let text = format!(
        "Issue key,Summary,Status,{forged},{}\nS-1,One,\"odd\nhint: rm\",a,b{}\n",
        columns.join(","),
        ",c".repeat(30)
    );
    let file = world.file("x.csv", text);
    let output = world.bd(&["import", &file]);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(output.stderr.lines().count(), 1, "{output:?}");
    assert!(output.stderr.len() < 1_500, "{}", output.stderr.len());
    assert!(output.stderr.contains("--json names all"), "{output:?}");
}

#[test]
fn a_hint_names_the_file_as_it_was_named() {
    let world = World::with_store();
    world.file("repo/a b/x.csv", "a,b\n1,2\n");
    let refused = world.bd(&["import", "a b/x.csv"]).fails(1);
    let hint = refused.lines().find_map(|line| line.strip_prefix("hint: "));
    let line = hint
        .unwrap()
        .replace("id=COLUMN,title=COLUMN,status=COLUMN", "id=a,title=b");
    let line = line.replace("WORLD/repo", &world.path("repo").display().to_string());
    world
        .run(world.command("repo", "sh", &["-c", &line]), None)
        .ok();
    assert_eq!(issue(&world, "1")["title"], "2");
}

#[test]
fn a_comment_without_a_time_is_as_of_its_issue() {
    let world = World::with_store();
    let file = world.file("x.csv", "Nr,T,C,D\nX-1,One,Seen it,2026-11-01\n");
    world
        .bd(&[
            "import",
            &file,
            "--map",
            "id=Nr,title=T,comment=C,created=D",
        ])
        .ok();
    let text = world.bd(&["show", "X-1"]).ok();
    assert!(text.contains("Seen it") && !text.contains("1970"), "{text}");
}
