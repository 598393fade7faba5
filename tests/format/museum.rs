//! The museum: stores that the programs of earlier days have written with all verbs that they had, one for each state of
//! the bytes on disk since claims, and what these programs answered of them. `.ci/museum COMMIT` writes one; none is made
//! again, and this program and every later one reads them all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::clones::{sync, tip};
use crate::support::hand::{REF, feed, git};
use crate::support::plumbing::sound_in;
use crate::support::{Output, World};

/// Of a store all programs were asked the same.
struct Answer {
    question: Vec<String>,
    given: Value,
}

/// A store of the museum.
pub(super) struct Exhibit {
    /// The day and the commit of the program that wrote it.
    pub(super) name: String,
    commits: Vec<u8>,
    tip: Value,
    answers: Vec<Answer>,
}

/// Members of answers that are not about the store: what to do next, whose the claim of the caller is, and what a clone
/// has heard of its remote.
const OTHERWISE: [&str; 6] = [
    "--json.next",
    ".claim.mine",
    ".claim.remote",
    ".claim.fence",
    ".claim.lease",
    ".lease.activity",
];

/// Returns all of them, the oldest first.
pub(super) fn exhibits() -> Vec<Exhibit> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/format/museum");
    let files = fs::read_dir(folder).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let mut stores: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "store"))
        .collect();
    stores.sort();
    assert!(stores.len() > 3);
    stores.iter().map(|path| exhibit(path)).collect()
}

fn exhibit(path: &Path) -> Exhibit {
    let text = fs::read_to_string(path.with_extension("answers")).unwrap();
    let mut answers: Vec<Answer> = text
        .lines()
        .map(|line| {
            let (question, given) = line.split_once('\t').unwrap();
            Answer {
                question: question.split(' ').map(str::to_owned).collect(),
                given: serde_json::from_str(given).unwrap(),
            }
        })
        .collect();
    Exhibit {
        name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
        commits: fs::read(path).unwrap(),
        tip: answers.pop().unwrap().given,
        answers,
    }
}

impl Exhibit {
    /// Puts the store into a repository, weeks after it was written.
    pub(super) fn open(&self, world: &World, folder: &str) {
        world.pass(30 * 86_400);
        let import = world.command(folder, "git", &["fast-import", "--quiet"]);
        world.run(import, Some(&self.commits)).ok();
        assert_eq!(tip(world, folder), self.tip, "{}", self.name);
    }
}

fn opened(exhibit: &Exhibit) -> World {
    let world = World::new();
    exhibit.open(&world, "repo");
    world
}

/// Runs the program, and names the store if it fails.
#[track_caller]
fn ran(exhibit: &Exhibit, output: Output) -> String {
    assert_eq!(output.code, 0, "{}: {output:?}", exhibit.name);
    output.stdout
}

/// Collects what an answer lacks of an earlier one, or says in another way. It may say more.
fn compare(then: &Value, now: &Value, at: &str, found: &mut Vec<String>) {
    if OTHERWISE.iter().any(|end| at.ends_with(end)) {
        return;
    }
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            for (key, value) in then {
                let now = now.get(key).unwrap_or(&Value::Null);
                compare(value, now, &format!("{at}.{key}"), found);
            }
        }
        (Value::Array(then), Value::Array(now)) if then.len() == now.len() => {
            for (n, (then, other)) in then.iter().zip(now).enumerate() {
                // Operations that were made apart have no order.
                let same = now.iter().find(|now| now["commit"] == then["commit"]);
                let now = same.filter(|_| then["commit"].is_string());
                compare(then, now.unwrap_or(other), &format!("{at}[{n}]"), found);
            }
        }
        _ if then != now => found.push(format!("{at}: {then}, and now {now}")),
        _ => {}
    }
}

#[test]
fn a_store_of_any_age_is_read_as_its_own_program_read_it() {
    for exhibit in exhibits() {
        let world = opened(&exhibit);
        let mut found = Vec::new();
        assert!(exhibit.answers.len() > 20, "{}", exhibit.name);
        for answer in &exhibit.answers {
            let question: Vec<&str> = answer.question.iter().map(String::as_str).collect();
            let now = ran(&exhibit, world.bd(&question));
            let now = serde_json::from_str(&now).unwrap();
            compare(&answer.given, &now, &question.join(" "), &mut found);
        }
        assert!(found.is_empty(), "{}: {found:#?}", exhibit.name);
        ran(&exhibit, world.bd(&["doctor"]));
        sound_in(&world, "repo");
    }
}

/// Returns the ids of all issues that are there.
fn ids(world: &World, folder: &str) -> Vec<String> {
    let ids = world
        .bd_in(folder, &["list", "--all", "-q", "-n", "0"])
        .ok();
    ids.lines().map(str::to_owned).collect()
}

/// Returns all blobs of a store, by their paths: each is a line.
pub(super) fn blobs(world: &World, folder: &str) -> BTreeMap<String, Value> {
    let paths = git(world, folder, &["ls-tree", "-r", "--name-only", REF]);
    let objects: String = paths
        .lines()
        .map(|path| format!("{REF}:{path}\n"))
        .collect();
    let texts = feed(world, folder, &["cat-file", "--batch"], objects.as_bytes());
    let texts = texts.lines().filter(|line| line.starts_with('{'));
    let values = texts.map(|text| serde_json::from_str(text).unwrap());
    let blobs: BTreeMap<_, _> = paths.lines().map(str::to_owned).zip(values).collect();
    assert_eq!(blobs.len(), paths.lines().count());
    blobs
}

/// Returns a blob without one of its registers, and without what is said of that.
pub(super) fn without(blob: &Value, register: &str) -> Value {
    let mut rest = blob.clone();
    let members = rest.as_object_mut().unwrap();
    members.remove(register);
    for key in ["at", "by", "when", "lost"] {
        let Some(Value::Object(of_registers)) = members.get_mut(key) else {
            continue;
        };
        let lost = format!("{register}@");
        of_registers.retain(|name, _| name != register && !name.starts_with(&lost));
        if of_registers.is_empty() {
            members.remove(key);
        }
    }
    rest
}

/// Asserts that of the blobs that were there only one register was written.
#[track_caller]
pub(super) fn only_written(
    before: &BTreeMap<String, Value>,
    after: &BTreeMap<String, Value>,
    register: &str,
    what: &str,
) {
    for (path, blob) in before {
        let (then, now) = (without(blob, register), without(&after[path], register));
        assert_eq!(now, then, "{what}: {path}");
    }
}

#[test]
fn a_store_of_any_age_is_written_on_and_keeps_the_rest() {
    for exhibit in exhibits() {
        let world = opened(&exhibit);
        // A merge is none of its lines, and counts.
        let log = world.bd(&["log", "--oneline", "-n", "9"]).ok();
        let mut last = log.split(' ').next().unwrap().to_owned();
        // The last operation of its own program, and then that undo.
        for _ in 0..2 {
            let before = tip(&world, "repo");
            ran(&exhibit, world.bd(&["undo", &last]));
            last = tip(&world, "repo");
            assert_ne!(last, before, "{}", exhibit.name);
        }
        for id in ids(&world, "repo") {
            for (args, register) in [
                (
                    &["update", &id, "--title", "By a later program"][..],
                    "title",
                ),
                (&["label", &id, "later"], "set:labels"),
                (&["note", &id, "--finding", "By a later program"], ""),
            ] {
                let before = blobs(&world, "repo");
                ran(&exhibit, world.bd(args));
                let what = format!("{} {args:?}", exhibit.name);
                only_written(&before, &blobs(&world, "repo"), register, &what);
            }
        }
        let id = world.create(&["A new one"]);
        ran(&exhibit, world.bd(&["done", &id, "-r", "done"]));
        ran(&exhibit, world.bd(&["doctor"]));
        sound_in(&world, "repo");
    }
}

/// Returns the issues of a clone by their ids, as a list has them.
fn rows(world: &World, folder: &str) -> BTreeMap<String, Value> {
    let args = ["list", "--all", "--deleted", "--json", "-n", "0"];
    let list = world.bd_in(folder, &args).json();
    let rows = list["issues"].as_array().unwrap().iter();
    let named = |row: &Value| (row["id"].as_str().unwrap().to_owned(), row.clone());
    rows.map(named).collect()
}

#[test]
fn stores_of_two_ages_become_one() {
    let exhibits = exhibits();
    for (n, older) in exhibits.iter().enumerate() {
        let newer = &exhibits[(n + 1) % exhibits.len()];
        let world = World::empty();
        git(&world, ".", &["init", "--quiet", "--bare", "hub.git"]);
        for (clone, exhibit) in [("a", older), ("b", newer)] {
            git(&world, ".", &["clone", "--quiet", "hub.git", clone]);
            exhibit.open(&world, clone);
        }
        let (a, b) = (rows(&world, "a"), rows(&world, "b"));
        sync(&world, &["a"]);
        ran(newer, world.bd_in("b", &["sync", "--adopt"]));
        sync(&world, &["a", "b"]);
        assert_eq!(tip(&world, "a"), tip(&world, "b"), "{}", older.name);
        let both = rows(&world, "a");
        for (own, other) in [(&a, &b), (&b, &a)] {
            for (id, row) in own {
                // The imported ones are in both: the same file was read twice.
                if !other.contains_key(id) {
                    assert_eq!(&both[id], row, "{} and {}", older.name, newer.name);
                }
            }
        }
        assert!(a.keys().chain(b.keys()).all(|id| both.contains_key(id)));
        assert!(a.keys().any(|id| b.contains_key(id)), "{}", older.name);
        ran(older, world.bd_in("a", &["doctor"]));
        sound_in(&world, "a");
    }
}

/// The names that format.md has in the first column of its tables of a section, and its sets.
fn documented() -> BTreeSet<String> {
    let document = super::document();
    let parts = document.split("\n### ");
    let of_blobs = parts.filter(|part| {
        let heads = ["The store", "An issue", "Memory"];
        heads.iter().any(|head| part.starts_with(head))
    });
    let mut names = BTreeSet::new();
    for part in of_blobs {
        let part = part.split("\n## ").next().unwrap();
        names.extend(super::named(part));
    }
    let sets = document
        .lines()
        .filter_map(|line| line.strip_prefix("`set:"));
    names.extend(sets.map(|rest| format!("set:{}", rest.split('`').next().unwrap())));
    names
}

/// Parts of values and of messages that a program writes, and that the tables of the format do not name.
const PARTS: [&str; 22] = [
    "\"agent\":",
    "\"by_start\":",
    "\"from\":",
    "\"kept\":",
    "\"lease\":",
    "\"ref\":",
    "\"fence\":",
    "\"until_free\":",
    "\"evidence\":",
    "\"lost\":",
    "\"purged\":",
    "\"when\":",
    "\nActor: ",
    "\nAgent: ",
    "\nIssues: ",
    "\nStatus: ",
    "\nGoal: ",
    "\nConstraints: ",
    "\nYield: ",
    "\nUndoes: ",
    "\nSnapshot-Of: ",
    "\nmerge ",
];

/// A register that is new has no store in the museum: then it is time for one more, by `.ci/museum`.
#[test]
fn all_that_a_program_writes_is_in_the_museum() {
    let mut written = BTreeSet::new();
    let mut text = String::new();
    for exhibit in exhibits() {
        let world = opened(&exhibit);
        for blob in blobs(&world, "repo").values() {
            written.extend(blob.as_object().unwrap().keys().cloned());
        }
        text.push_str(&String::from_utf8_lossy(&exhibit.commits));
    }
    let missing: Vec<_> = documented()
        .into_iter()
        .filter(|name| !written.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    let missing: Vec<_> = PARTS
        .into_iter()
        .filter(|part| !text.contains(part))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
