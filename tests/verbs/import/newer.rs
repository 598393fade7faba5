//! A line that differs and is not newer is named, and taken where that is asked for.

use serde_json::{Value, json};

use super::{export, exported, import, line, show, tip, with};
use crate::support::World;

const DAY: &str = "2026-01-02T00:00:00Z";
const BEFORE: &str = "2026-01-01T12:00:00Z";

/// Pairs of what one file says and another of the same time.
const PAIRS: [(&str, &str); 7] = [
    (r#","status":"open""#, r#","status":"closed""#),
    (r#","priority":1"#, r#","priority":3"#),
    (r#","labels":["x"]"#, r#","labels":["y"]"#),
    (r#","assignee":"ann""#, ""),
    (r#","odd":[1]"#, r#","odd":[2]"#),
    (
        r#","dependencies":[{"depends_on_id":"bd-8","type":"blocks"}]"#,
        r#","dependencies":[{"depends_on_id":"bd-9","type":"blocks"}]"#,
    ),
    (r#","description":"a""#, r#","description":"b""#),
];

fn overwrite(world: &World, text: &str) -> Value {
    let file = world.file("import.jsonl", text);
    world.bd(&["import", &file, "--overwrite", "--json"]).json()
}

/// The same time and another content: one of the two orders is not taken, and says so.
#[test]
fn a_line_of_the_same_time_is_taken_or_named() {
    for (one, other) in PAIRS {
        let mut refused = 0;
        for (first, second) in [(one, other), (other, one)] {
            let (first, second) = (line("bd-1", DAY, first), line("bd-1", DAY, second));
            let world = with(&first);
            let report = import(&world, &second);
            if !report["not_newer"].is_null() {
                refused += 1;
                assert_eq!(report["not_newer"], json!(["bd-1"]), "{second}");
                assert_eq!(report["unchanged"], 0, "{second}");
                assert_eq!(overwrite(&world, &second)["updated"], 1, "{second}");
            }
            assert_eq!(
                exported(&world, "bd-1"),
                exported(&with(&second), "bd-1"),
                "{second}"
            );
            let before = tip(&world);
            let again = overwrite(&world, &second);
            assert_eq!(again["unchanged"], 1, "{again}");
            assert_eq!(again["not_newer"], Value::Null);
            assert_eq!(tip(&world), before, "{second}");
        }
        assert!(refused > 0, "{one} or {other} is older by its content");
    }
}

/// What was changed here stays, and is named; taken nevertheless, it is a conflict that is not lost.
#[test]
fn what_is_newer_here_is_named() {
    let file = line("bd-1", DAY, r#","labels":["x"],"description":"d""#) + &line("bd-2", DAY, "");
    let world = with(&file);
    world.bd(&["update", "bd-1", "--title", "mine"]).ok();
    world.bd(&["label", "bd-1", "y"]).ok();
    world.bd(&["rename", "bd-2", "cd-2"]).ok();
    let before = tip(&world);
    let report = import(&world, &file);
    assert_eq!(report["not_newer"], json!(["bd-1"]));
    assert_eq!(report["unchanged"], 1);
    assert_eq!(tip(&world), before);
    let text = world.bd(&["import", &world.file("again.jsonl", &file)]);
    assert!(text.stdout.contains("1 not newer"), "{}", text.stdout);
    assert!(text.stderr.contains("bd-1") && text.stderr.contains("--overwrite"));
    overwrite(&world, &file);
    let shown = show(&world, "bd-1");
    assert_eq!(shown["issue"]["title"], "bd-1");
    assert_eq!(
        shown["issue"]["labels"],
        json!(["x", "y"]),
        "nothing of ours goes"
    );
    assert_eq!(show(&world, "cd-2")["issue"]["id"], "cd-2");
    let conflicts = world.bd(&["conflicts", "--json"]).json();
    assert_eq!(conflicts["conflicts"][0]["value"], "mine");
    world.bd(&["undo"]).ok();
    assert_eq!(show(&world, "bd-1")["issue"]["title"], "mine");
}

/// A newer line of which a part is older than an edit here.
#[test]
fn what_is_left_of_a_newer_line_is_named() {
    let world = with(line("bd-1", BEFORE, ""));
    world.bd(&["update", "bd-1", "--title", "mine"]).ok();
    let report = import(&world, line("bd-1", DAY, r#","design":"new""#));
    assert_eq!(
        (&report["updated"], &report["not_newer"]),
        (&json!(1), &json!(["bd-1"]))
    );
    assert_eq!(exported(&world, "bd-1")["design"], "new");
    assert!(export(&world).contains("mine"));
    // Older, with nothing that differs but its time.
    let world = with(line("bd-1", DAY, ""));
    let report = import(&world, line("bd-1", BEFORE, ""));
    assert_eq!(
        (&report["unchanged"], &report["not_newer"]),
        (&json!(1), &Value::Null)
    );
}
