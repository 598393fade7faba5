//! `export`: a file whole or not at all, JSONL and CSV.

mod files;

use serde_json::Value;

use super::import::{export, line, with};

const DAY: &str = "2026-01-02T00:00:00Z";

#[test]
fn an_export_replaces_a_file_whole_or_not_at_all() {
    let world = with(line("bd-1", DAY, ""));
    let file = world.file("repo/out/issues.jsonl", "old");
    world.bd(&["export", &file]).ok();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), export(&world));
    let left: Vec<_> = std::fs::read_dir(world.path("repo/out")).unwrap().collect();
    assert_eq!(left.len(), 1, "no scratch file stays");
    assert_eq!(world.bd(&["export", "none/issues.jsonl"]).code, 6);
    // A ref that can't be read: the old file stays.
    let before = std::fs::read_to_string(&file).unwrap();
    let blob = crate::support::plumbing::object(&world, "no commit");
    crate::support::plumbing::git(&world, &["update-ref", "refs/beads/main", &blob]);
    assert_ne!(world.bd(&["export", &file]).code, 0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    assert_eq!(
        std::fs::read_dir(world.path("repo/out")).unwrap().count(),
        1
    );
}

#[test]
fn csv_is_quoted_and_holds_no_formula() {
    let record = |id: &str, title: &str, more: &str| {
        let title = Value::from(title);
        format!(
            r#"{{"id":"{id}","title":{title},"created_at":"{DAY}","updated_at":"{DAY}"{more}}}"#
        ) + "\n"
    };
    let world = with(
        record("bd-1", "a \"b\", c", "")
            + &record("bd-2", "=1+1", r#","assignee":"@x","labels":["+l"]"#)
            + &record("bd-3", "two\nlines", "")
            + &record("bd-4", "-1,\"", ""),
    );
    let csv = world.bd(&["export", "--csv"]).ok();
    let head =
        "id,title,status,priority,type,assignee,parent,labels,created_at,updated_at,closed_at\n";
    assert!(csv.starts_with(head), "{csv}");
    for row in [
        "bd-1,\"a \"\"b\"\", c\",open,0,task,,,,2026-01-02T00:00:00.000Z,",
        "bd-2,'=1+1,open,0,task,'@x,,'+l,",
        "bd-3,\"two\nlines\",open,",
        "bd-4,\"'-1,\"\"\",open,",
    ] {
        assert!(csv.contains(row), "{row}\nis not in\n{csv}");
    }
}
