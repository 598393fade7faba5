//! The law of `undo`, on random operations: after it the export is that of before, but for `updated_at`, and so are the
//! conflicts; an issue that was created is deleted. What took it back can be taken back in turn, and the last operations one
//! after the other.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::properties::faults::plain_or;
use crate::support::history::two_clones;
use crate::support::{World, data, number};

/// Numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// All records by id, without the time of the last change, and what lost.
fn export(world: &World) -> BTreeMap<String, Value> {
    let text = world.bd(&["export"]).ok();
    let mut records = BTreeMap::new();
    for line in text.lines() {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record.as_object_mut().unwrap().remove("updated_at");
        let id = record["id"]
            .as_str()
            .or(record["key"].as_str())
            .unwrap()
            .to_owned();
        records.insert(id, record);
    }
    for conflict in world.bd(&["conflicts", "--json"]).json()["conflicts"]
        .as_array()
        .unwrap()
    {
        let id = format!("{} {} {}", conflict["id"], conflict["field"], conflict["n"]);
        records.insert(id, conflict.clone());
    }
    records
}

/// Two people write the same issues in two clones, over and over.
fn collide(world: &World, dice: &mut Dice) {
    let clones = [("repo", "mia"), ("other", "noa")];
    let exchange = || ["repo", "other", "repo"].map(|clone| world.bd_in(clone, &["sync"]).ok());
    exchange();
    for round in 0..2 {
        for (clone, actor) in clones {
            for id in ["odd-1", "odd-2", "odd-3"] {
                let text = format!("{actor} {round}");
                let long = text.repeat(dice.below(2) * 300 + 1);
                let (number, other) = (
                    dice.below(5).to_string(),
                    dice.pick(&["odd-1", "odd-4", ""]),
                );
                let status = dice.pick(&["open", "blocked", "in_progress"]);
                let fields = [
                    "--title", &text, "-d", &long, "--notes", &long, "-p", &number, "-a", actor,
                    "-s", status,
                ];
                // Refused where it would close a cycle.
                for args in [&fields[..], &["--parent", other]] {
                    drop(world.bd_in(clone, &[&["--actor", actor, "update", id], args].concat()));
                }
            }
        }
        exchange();
    }
}

fn tip(world: &World) -> String {
    world
        .git(&["rev-parse", "refs/beads/main"])
        .ok()
        .trim()
        .to_owned()
}

/// Drops what was created since, which must be deleted, and how many depend on others because of it.
fn without_new(
    mut now: BTreeMap<String, Value>,
    then: &BTreeMap<String, Value>,
) -> BTreeMap<String, Value> {
    now.retain(|id, record| {
        assert!(
            then.contains_key(id) || record["status"] == "tombstone",
            "{id} is still there"
        );
        then.contains_key(id)
    });
    now
}

#[track_caller]
fn same(what: &str, now: &BTreeMap<String, Value>, then: &BTreeMap<String, Value>) {
    for (id, record) in then {
        assert_eq!(now.get(id), Some(record), "{what}: {id}");
    }
    assert_eq!(now.len(), then.len(), "{what}");
}

/// Some records of each of the real files, and some that are odd in all that an export gives back to the letter.
fn records() -> String {
    let mut text = String::new();
    for file in data()
        .into_iter()
        .flat_map(|folder| folder.read_dir().unwrap())
    {
        let lines = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let step = (lines.lines().count() / 4).max(1);
        lines
            .lines()
            .step_by(step)
            .filter(|line| line.len() < 20_000)
            .for_each(|line| text.push_str(&format!("{line}\n")));
    }
    for odd in [
        json!({"id": "odd-1", "title": "a", "status": "closed", "priority": 1, "issue_type": "bug", "description": "", "design": null,
            "created_at": "2025-01-01T10:00:00.123456789+02:00", "updated_at": "2025-01-02T10:00:00.5-07:00", "created_by": "zoe",
            "closed_at": "2025-01-02T10:00:00.123456+02:00", "close_reason": "", "closed_by_session": "s", "labels": ["b", "a"],
            "x_unknown": {"n": 1.5}, "due_at": "2025-03-01T00:00:00+01:00"}),
        json!({"id": "odd-2", "title": "b", "status": "open", "issue_type": "task", "created_at": "2025-01-01T00:00:00Z",
            "dependencies": [{"issue_id": "odd-2", "depends_on_id": "odd-1", "type": "blocks"},
                {"issue_id": "odd-2", "depends_on_id": "odd-3", "type": "parent-child"},
                {"issue_id": "odd-2", "depends_on_id": "external:x:y", "type": "related", "created_at": "2025-01-01T00:00:00.000001Z"}],
            "comments": [{"id": 7, "issue_id": "odd-2", "author": "yan", "text": "FINDING: so", "created_at": "2025-01-01T00:00:00Z"}]}),
        json!({"id": "odd-3", "title": "c", "status": "open", "issue_type": "epic", "updated_at": "2025-01-01T00:00:00Z"}),
        json!({"id": "odd-4", "title": "d", "status": "tombstone", "deleted_at": "2025-01-01T00:00:00.000009Z", "deleted_by": "xu"}),
    ] {
        text.push_str(&format!("{odd}\n"));
    }
    text
}

/// The same ids again, later and otherwise.
fn newer(dice: &mut Dice, ids: &[&str]) -> String {
    let mut text = String::new();
    for _ in 0..3 {
        // None is closed: an import writes without an index, and what waited for nothing else is opened by the change after it,
        // here by an undo, which then does more than to bring back what was there.
        let status = dice.pick(&["open", "in_progress"]);
        let record = json!({"id": dice.pick(ids), "title": format!("newer {}", dice.below(100)), "status": status,
            "labels": [dice.pick(&["a", "q"])], "issue_type": "task", "priority": dice.below(5), "created_at": "2025-01-01T00:00:00Z",
            "updated_at": format!("2027-01-01T00:00:{:02}Z", dice.below(60)),
            "comments": [{"id": 1, "author": "wes", "text": format!("said {}", dice.below(3)), "created_at": "2025-01-01T00:00:00Z"}]});
        text.push_str(&format!("{record}\n"));
    }
    text
}

/// Does one thing; whether it is allowed does not matter.
fn act(world: &World, dice: &mut Dice, n: usize, ids: &[&str]) {
    let (id, other) = (dice.pick(ids), dice.pick(ids));
    let text = format!("text {n}\nsecond line");
    let number = n.to_string();
    let word = dice.pick(&["a", "b", "q"]);
    let entry = || {
        let memory = world.bd(&["show", id, "--json"]).json()["memory"].clone();
        let kinds = memory.as_object().cloned().unwrap_or_default();
        kinds
            .values()
            .filter_map(Value::as_array)
            .flatten()
            .find_map(|it| it["id"].as_str().map(str::to_owned))
    };
    let new = format!("new-{n}");
    let args: Vec<&str> = match dice.below(32) {
        0 => vec![
            "create",
            &text[..6],
            "-t",
            "bug",
            "-l",
            word,
            "--parent",
            id,
        ],
        1 => vec!["create", &text[..6], "--on", id, "-d", &text],
        2 => vec!["create", &text[..6], "--start"],
        3 => vec!["update", id, "--title", &text[..6], "-d", &text],
        4 => vec!["update", id, "-d", "", "-a", "", "--due", ""],
        5 => vec!["update", id, other, "-p", &number[..1], "-t", "chore"],
        6 => vec!["update", id, "--parent", other],
        7 => vec![
            "update",
            id,
            "--parent",
            "",
            "--due",
            "2027-01-01",
            "--notes",
            &text,
        ],
        8 => vec!["label", id, word],
        9 => vec!["label", id, "--rm", word],
        10 => vec![
            "note",
            id,
            "--finding",
            &text,
            "--decision",
            "so",
            "a comment",
        ],
        11 => vec!["done", id, "-r", &text[..6]],
        12 => vec!["done", id, other],
        13 => vec!["reopen", id, "-r", "again"],
        14 => vec!["block", id, "-r", "waits"],
        15 => vec!["unblock", id],
        16 => vec!["defer", id, "--until", "2027-01-01"],
        17 => vec!["delete", id, "-r", "no"],
        18 => vec!["restore", id],
        19 => vec!["rename", id, &new],
        20 => vec!["dep", "add", id, "--on", other],
        21 => vec!["dep", "rm", id, "--on", other],
        22 => vec!["start", id, "--force"],
        23 => vec!["assign", id, "bob"],
        24 => {
            let Some(entry) = entry() else { return };
            return drop(world.bd(&["redact", id, &entry]));
        }
        25..29 => return resolve(world, dice, &text),
        _ => {
            let file = world.file("newer.jsonl", newer(dice, ids));
            return drop(world.bd(&["import", &file]));
        }
    };
    drop(world.bd(&args));
}

/// Settles one of the conflicts.
fn resolve(world: &World, dice: &mut Dice, text: &str) {
    let conflicts = world.bd(&["conflicts", "--json"]).json()["conflicts"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    if conflicts.is_empty() {
        return;
    }
    let conflict = &conflicts[dice.below(conflicts.len())];
    let (id, field) = (
        conflict["id"].as_str().unwrap(),
        conflict["field"].as_str().unwrap(),
    );
    let take = (conflict["n"].as_u64().unwrap() * dice.below(2) as u64).to_string();
    let how = if dice.below(3) == 0 {
        ["--value", &text[..6]]
    } else {
        ["--take", &take]
    };
    drop(world.bd(&[&["resolve", id, field], &how[..]].concat()));
}

fn run(seed: u64, steps: usize) {
    let mut dice = Dice(seed);
    let world = two_clones();
    let file = world.file("first.jsonl", records());
    drop(world.bd_as("importer", &["import", &file]));
    collide(&world, &mut dice);
    let first = export(&world);
    // How many conflicts there are is up to the seed.
    assert!(
        first.values().any(|record| record["field"].is_string()),
        "seed {seed}: {first:?}"
    );
    let (mut before, mut written) = (first.clone(), 0);
    for n in 10..10 + steps {
        let ids: Vec<&str> = before
            .keys()
            .map(String::as_str)
            .filter(|id| before[*id]["_type"] == "issue")
            .collect();
        // Few, so that one comes upon another.
        let few: Vec<&str> = (0..8)
            .map(|_| ids[dice.below(ids.len())])
            .chain(["odd-1", "odd-2", "odd-3", "odd-4"])
            .collect();
        let few: Vec<&str> = few.into_iter().filter(|id| ids.contains(id)).collect();
        let old = tip(&world);
        act(&world, &mut dice, n, &few);
        if tip(&world) == old {
            continue;
        }
        written += 1;
        let operation = tip(&world);
        let subject = world
            .git(&["log", "-1", "--format=%s", "refs/beads/main"])
            .ok();
        let after = export(&world);
        let text = world.bd(&["undo", &operation]).ok();
        assert!(!text.contains("left alone"), "seed {seed}: {subject}{text}");
        same(
            &format!("seed {seed}, undo of {subject}"),
            &without_new(export(&world), &before),
            &before,
        );
        world.bd(&["undo", &tip(&world)]).ok();
        same(
            &format!("seed {seed}, redo of {subject}"),
            &export(&world),
            &after,
        );
        before = after;
    }
    // Of operations by chance many are refused: nine of thirty were seen to write.
    assert!(written > steps / 6, "seed {seed}: {written}");
    while world.bd(&["undo"]).code == 0 {}
    same(
        &format!("seed {seed}, undo of all"),
        &without_new(export(&world), &first),
        &first,
    );
    // Old claims of the files are no damage.
    world.bd(&["sync"]).ok();
    assert!(["", "stale\n"].contains(&world.bd(&["doctor", "-q"]).stdout.as_str()));
}

/// `GIT_BEADS_CASES` says how many; each is some thirty operations, fewer in a plain run.
#[test]
fn undo_brings_back_what_was_there() {
    let cases = number("GIT_BEADS_CASES").unwrap_or(plain_or(1, 2));
    let first = number("GIT_BEADS_CASES_SEED").unwrap_or(1);
    (first..first + cases).for_each(|seed| run(seed, plain_or(15, 30)));
}
