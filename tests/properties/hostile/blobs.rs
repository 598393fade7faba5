//! Contents under sound names: carried byte for byte and named, or sound to the letter and harmless.

use serde_json::{Value, json};

use super::carried::{AT, issue, number, place, spelled};
use super::forge::{Build, at};
use super::{Case, MOST_MEMORY, Outcome, Scene, harmless, unreadable};
use crate::support::clones;
use crate::support::clones::create;
use crate::support::hand::{REF, git};

pub fn cases() -> Vec<Case> {
    garbage()
        .into_iter()
        .chain(forged())
        .chain(limits())
        .chain(odd())
        .chain(heavy())
        .collect()
}

/// No JSON as we read it.
fn garbage() -> Vec<Case> {
    let deep = format!(
        "{{\"v\":1,\"x\":{}{}}}",
        "[".repeat(200_000),
        "]".repeat(200_000)
    );
    let own = |name, n: usize, bytes: Vec<u8>| unreadable(name, place(n), bytes);
    let conflict = "<<<<<<< ours\n{\"v\":1}\n=======\n{\"v\":1}\n>>>>>>> theirs\n";
    vec![
        own("empty", 1, Vec::new()),
        own("deep JSON", 2, deep.into_bytes()),
        own(
            "duplicate keys",
            3,
            spelled(3, "\"v\":1", "\"v\":1,\"title\":\"again\""),
        ),
        own(
            "a big integer",
            4,
            spelled(4, "\"priority\":2", "\"priority\":99999999999999999999999"),
        ),
        own(
            "an integer past 64 bits",
            4,
            spelled(4, "\"priority\":2", "\"priority\":9223372036854775808"),
        ),
        own(
            "a float",
            5,
            spelled(5, "\"priority\":2", "\"priority\":2.5"),
        ),
        own(
            "an endless float",
            6,
            spelled(6, "\"priority\":2", "\"priority\":1e999"),
        ),
        own("NaN", 6, spelled(6, "\"priority\":2", "\"priority\":NaN")),
        own(
            "invalid UTF-8",
            7,
            issue(7, |_| {})
                .into_iter()
                .map(|b| if b == b't' { 0xff } else { b })
                .collect(),
        ),
        own("a lone surrogate", 8, spelled(8, "title 8", "\\ud800")),
        own("raw NUL", 9, spelled(9, "title 9", "a\0b")),
        own("an array", 10, b"[]".to_vec()),
        own(
            "a byte order mark",
            11,
            spelled(11, "{\"at\"", "\u{feff}{\"at\""),
        ),
        own("two objects", 12, spelled(12, "}\n", "}{}\n")),
        own("marks of a conflict", 12, conflict.into()),
        own(
            "a pointer of LFS",
            12,
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n".to_vec(),
        ),
    ]
}

/// Stamps, versions and identities that are none.
fn forged() -> Vec<Case> {
    let own = |name, n: usize, bytes: Vec<u8>| unreadable(name, place(n), bytes);
    let garbage = b"\x1b[31m".to_vec();
    vec![
        own(
            "a stamp of the year 9999",
            13,
            spelled(13, AT, "7ENP11YY00000000000000000A"),
        ),
        own(
            "the last stamp",
            14,
            spelled(14, AT, "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
        ),
        own(
            "a stamp too far",
            15,
            spelled(15, AT, "8ZZZZZZZZZZZZZZZZZZZZZZZZZ"),
        ),
        own(
            "a stamp in lower case",
            16,
            spelled(16, AT, &AT.to_lowercase()),
        ),
        own("a stamp too long", 16, spelled(16, AT, &format!("{AT}0"))),
        own(
            "a stamp of a letter that is none",
            16,
            spelled(16, AT, "01M8000000000000000000000I"),
        ),
        own("no version", 17, spelled(17, "\"v\":1", "\"w\":1")),
        own("a negative version", 18, spelled(18, "\"v\":1", "\"v\":-1")),
        own(
            "a version of text",
            19,
            spelled(19, "\"min_reader\":1", "\"min_reader\":\"\\u001b[31m\""),
        ),
        own(
            "a reader beyond all numbers",
            19,
            spelled(19, "\"min_reader\":1", "\"min_reader\":9223372036854775807"),
        ),
        own(
            "a reader of the far future",
            19,
            spelled(19, "\"min_reader\":1", "\"min_reader\":2147483647"),
        ),
        own(
            "a set that is none",
            20,
            issue(20, |blob| blob["set:labels"] = json!(["x"])),
        ),
        own(
            "a stamp of nothing",
            20,
            issue(20, |blob| blob["at"]["ghost"] = json!(AT)),
        ),
        own(
            "stamps that are none",
            21,
            issue(21, |blob| blob["at"] = json!([AT])),
        ),
        own("a uid of another path", 22, issue(23, |_| {})),
        unreadable(
            "the wrong shard",
            format!("issues/0/0/0/{}/issue.json", number(24)),
            issue(24, |_| {}),
        ),
        unreadable(
            "a file where shards are",
            "issues/0".replace('0', "x"),
            garbage.clone(),
        ),
        unreadable(
            "garbage as memory",
            place(1).replace("issue.json", &format!("{}.json", number(25))),
            garbage,
        ),
        unreadable(
            "a note of no issue",
            format!("memory/0/1/A/{}.json", number(26)),
            b"{}".to_vec(),
        ),
        unreadable(
            "a path below an issue",
            place(27).replace("issue.json", "deeper/x.json"),
            b"{}".to_vec(),
        ),
        unreadable(
            "a folder issue.json",
            place(28).replace("issue.json", "issue.json/x"),
            b"{}".to_vec(),
        ),
        unreadable("a ghost folder", "issues/_".to_owned(), b"{}".to_vec()),
    ]
}

/// Past a limit of the format.
fn limits() -> Vec<Case> {
    let over = |name, n: usize, key: &'static str, value: Value| {
        unreadable(name, place(n), issue(n, move |blob| blob[key] = value))
    };
    let nested = (0..101).fold(json!(0), |value, _| json!([value]));
    vec![
        over(
            "a title of 501 characters",
            30,
            "title",
            json!("x".repeat(501)),
        ),
        over(
            "a text of 256 KiB and a byte",
            30,
            "description",
            json!("x".repeat((256 << 10) + 1)),
        ),
        over(
            "a status of 51 characters",
            30,
            "status",
            json!({"s": "x".repeat(51)}),
        ),
        over("a type of 51 characters", 30, "type", json!("x".repeat(51))),
        over("an id of 10 KB", 30, "id", json!("x".repeat(10_000))),
        over(
            "an assignee of 1 MB with newlines",
            30,
            "assignee",
            json!("x\n".repeat(1 << 19)),
        ),
        over(
            "an actor of 10 KB",
            30,
            "by",
            json!({"*": "x".repeat(10_000)}),
        ),
        over(
            "a label of 121 characters",
            30,
            "set:labels",
            json!({"x".repeat(121): format!("+{AT}")}),
        ),
        over(
            "an edge of 10 KB",
            30,
            "set:deps",
            json!({format!("blocks:={}", "x".repeat(10_000)): format!("+{AT}")}),
        ),
        over("values in values", 30, "x", nested),
        over(
            "an import of 2 MB",
            30,
            "import",
            json!({"x": "x".repeat(2 << 20)}),
        ),
        over(
            "a lost value of 2 MB",
            30,
            "lost",
            json!({format!("title@{AT}"): {"v": "x".repeat(2 << 20)}}),
        ),
        over(
            "a time of 10 KB",
            30,
            "when",
            json!({"*": "x".repeat(10_000)}),
        ),
    ]
}

/// Sound to the letter of the format, but not meant well.
fn odd() -> Vec<Case> {
    let with = |name, key: &'static str, value: Value| {
        harmless(name, one(30, move |blob| blob[key] = value.clone()))
    };
    let ring = |key: &'static str, other: fn(&str) -> Value| -> Build {
        let member = |n: usize, next: usize| issue(n, |blob| blob[key] = other(&number(next)));
        let files = [(41, 42), (42, 43), (43, 41)];
        at(files
            .into_iter()
            .map(|(n, next)| ("100644", member(n, next), place(n)))
            .collect())
    };
    let waits = |uid: &str| json!({format!("blocks:{uid}"): format!("+{AT}")});
    vec![
        with("an id with a newline", "id", json!("evil\nbd-x")),
        with("an id like an option", "id", json!("--upload-pack=touch x")),
        with("an id with a space", "id", json!("a b")),
        with("an id with ESC", "id", json!("\u{1b}]0;owned\u{7}")),
        with("an id of a number", "id", json!(7)),
        with("NUL in a text", "title", json!("a\0b")),
        with(
            "ESC in a title",
            "title",
            json!("\u{1b}[2J\u{1b}[31mowned\r\u{8}"),
        ),
        with("a priority out of range", "priority", json!(i64::MIN)),
        with("an actor with ESC", "by", json!({"*": "\u{1b}[31m\n"})),
        with(
            "lost in a blob that is nowhere",
            "lost",
            json!({format!("notes@{AT}"): {"ref": "1".repeat(40), "by": "e"}}),
        ),
        with(
            "the last honest stamp",
            "at",
            json!({"*": "3ZZZZZZZZZZZZZZZZZZZZZZZZZ"}),
        ),
        with(
            "a mark of deletion",
            "deleted",
            json!({"reason": "\u{1b}[31m"}),
        ),
        with("a purge of what is not there", "purged", json!(AT)),
        harmless("a ring of blockers", ring("set:deps", waits)),
        harmless("a ring of parents", ring("parent", |uid| json!(uid))),
        harmless("two issues of one id and one stamp", {
            let twin = |n: usize| {
                (
                    "100644",
                    issue(n, |blob| blob["id"] = json!("evil-1")),
                    place(n),
                )
            };
            at(vec![twin(44), twin(45)])
        }),
    ]
}

fn one(n: usize, change: impl Fn(&mut Value) + Send + Sync + 'static) -> Build {
    Box::new(move |world| at(vec![("100644", issue(n, &change), place(n))])(world))
}

/// As much memory as a reader can be made to take.
fn heavy() -> Vec<Case> {
    let filled = |what: &str, room: usize| what.repeat(room / what.len());
    let raw = |text: String| {
        format!("{{\"v\":1,\"min_reader\":1,\"at\":{{\"*\":\"{AT}\"}},{text}}}\n").into_bytes()
    };
    let room = (8 << 20) - 200;
    let keys: String = (0..150_000).map(|n| format!("\"{n:x}\":0,")).collect();
    vec![
        unreadable(
            "8 MB of arrays",
            place(50),
            raw(format!("\"x\":[{}0]", filled("[],", room))),
        ),
        unreadable(
            "8 MB of arrays in arrays",
            place(50),
            raw(format!("\"x\":[{}0]", filled("[[[[[0]]]]],", room))),
        ),
        unreadable(
            "8 MB of objects",
            place(50),
            raw(format!("\"x\":[{}0]", filled("{\"\":0},", room))),
        ),
        unreadable(
            "8 MB of numbers",
            place(50),
            raw(format!("\"x\":[{}0]", filled("0,", room))),
        ),
        unreadable("150,000 keys", place(50), raw(format!("{keys}\"x\":0"))),
        unreadable(
            "8 MB of one text",
            place(50),
            raw(format!("\"x\":\"{}\"", filled("x", room))),
        ),
        unreadable(
            "8 MB of one key",
            place(50),
            raw(format!("\"{}\":0", filled("x", room))),
        ),
        harmless("100,000 labels", labelled(0, 100_000)),
        harmless(
            "4000 keys by an actor of 1000 bytes",
            one(51, |blob| {
                blob["by"] = json!({"*": "\u{1f4a5}".repeat(250)});
                (0..4000).for_each(|n| blob[format!("x-{n}")] = json!(n));
            }),
        ),
    ]
}

/// An issue with labels.
fn labelled(from: usize, to: usize) -> Build {
    one(52, move |blob| {
        let member = |n: usize| (format!("label {n}"), json!(format!("+{AT}")));
        blob["set:labels"] = Value::Object((from..to).map(member).collect());
    })
}

/// Both sides of a merge, and what they come from, as heavy as can be.
#[test]
fn a_heavy_merge_is_made_in_little_memory_or_refused() {
    let scene = Scene::new();
    let mut outcome = Outcome::default();
    let mut run = |args: &[&str], code: i32| {
        let output = scene.run(args, &mut outcome);
        assert_eq!(
            output.code,
            code,
            "{args:?}: {:.900}",
            format!("{output:?}")
        );
        output
    };
    scene.point(&labelled(0, 100_000)(&scene.world));
    let _ = run(&["sync", "--json"], 0);
    let _ = run(&["label", "add", "evil-52", "ours"], 0);
    let here = clones::tip(&scene.world, "a");
    scene.point(&labelled(1, 110_000)(&scene.world));
    let _ = run(&["sync", "--json"], 0);
    git(
        &scene.world,
        "a",
        &["merge-base", "--is-ancestor", &here, REF],
    );
    let _ = run(&["label", "add", "evil-52", "again"], 0);
    // The labels of both would be more than an issue can have.
    let before = clones::tip(&scene.world, "a");
    let beyond = labelled(110_000, 140_000);
    scene.point(&beyond(&scene.world));
    let said = run(&["sync", "--json"], 5).stdout;
    assert!(
        said.contains("the limit is 131072") && said.contains("issue.json"),
        "{said}"
    );
    assert_eq!(clones::tip(&scene.world, "a"), before);
    create(&scene.world, "a", &["all else goes on"]);
    assert!(outcome.peak < MOST_MEMORY, "{} KiB", outcome.peak);
    eprintln!("heavy merge: peak memory {} MB", outcome.peak >> 10);
    assert!(outcome.wrong.is_empty(), "{:?}", outcome.wrong);
}
