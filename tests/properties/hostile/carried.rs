//! Hostile contents under sound names: no danger to the rest. What nobody can read is in `hostile/blobs.rs`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::properties::faults::is_in_part;
use crate::support::clones;
use crate::support::clones::{create, sync, two_clones};
use crate::support::hand::{REF, commit, feed, git, object, put};
use crate::support::plumbing::path_of;
use crate::support::{Output, World};

const HUB: &str = "hub.git";
pub const AT: &str = "01M8000000000000000000000A";

/// What must work whatever is carried.
pub const VERBS: [&str; 14] = [
    "list --all",
    "list --all --json",
    "ready --json",
    "blocked --json",
    "blocked",
    "show ID",
    "search searchable --json",
    "status",
    "status --json",
    "conflicts --json",
    "conflicts",
    "log",
    "export",
    "note ID --finding text",
];

pub fn number(n: usize) -> String {
    let digit = |n: usize| char::from(b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"[n % 32]);
    format!(
        "01M7000000000000000000{}{}{}{}",
        digit(n / 32768),
        digit(n / 1024),
        digit(n / 32),
        digit(n)
    )
}

pub fn place(n: usize) -> String {
    path_of(&number(n), "issue")
}

/// The blob of a sound issue, changed.
pub fn issue(n: usize, change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut value = json!({
        "at": {"*": AT}, "by": {"*": "eve"}, "id": format!("evil-{n}"), "min_reader": 1, "priority": 2,
        "status": {"s": "open"}, "title": format!("title {n}"), "type": "task", "uid": number(n), "v": 1,
    });
    change(&mut value);
    format!("{value}\n").into_bytes()
}

pub fn spelled(n: usize, from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(issue(n, |_| {})).unwrap();
    assert!(text.contains(from));
    text.replace(from, to).into_bytes()
}

fn complaint(output: &Output, json: bool) -> Option<String> {
    let text = output.all();
    // In a pipe texts are shown as they are; JSON may hold whatever need not be escaped there.
    let raw = text.chars().find(|c| json && *c < ' ' && *c != '\n');
    let broken = json && serde_json::from_str::<Value>(&output.stdout).is_err();
    (output.code != 0 || raw.is_some() || broken || text.contains("panicked"))
        .then(|| format!("{raw:?} {output:?}").chars().take(700).collect())
}

/// What reaches a terminal raw, where there is one.
fn raw_on_terminal(world: &World, id: &str) -> Vec<String> {
    let mut all = Vec::new();
    for verb in [
        "list --all",
        "status",
        "conflicts",
        "log",
        "show ID evil-13 evil-8",
    ] {
        let line = format!(
            "git-beads --no-pager --color never {}",
            verb.replace("ID", id)
        );
        let words: Vec<&str> = line.split(' ').collect();
        let Some(output) = world.conversation("a", (50, 200), &words, &[]) else {
            return all;
        };
        if let Some(raw) = output
            .stdout
            .chars()
            .find(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
        {
            all.push(
                format!("`{verb}` sends {raw:?} to a terminal: {output:?}")
                    .chars()
                    .take(500)
                    .collect(),
            );
        }
    }
    all
}

/// What is wrong after the hub's state was taken over.
fn complaints(world: &World, id: &str) -> Vec<String> {
    let mut all = Vec::new();
    for verb in VERBS {
        let args: Vec<&str> = verb
            .split(' ')
            .map(|word| if word == "ID" { id } else { word })
            .collect();
        let mut limited = vec!["60", env!("CARGO_BIN_EXE_git-beads")];
        limited.extend(&args);
        let output = world.run(world.command("a", "timeout", &limited), None);
        all.extend(
            complaint(&output, args.contains(&"--json")).map(|what| format!("`{verb}`: {what}")),
        );
    }
    // An id that is none would forge a row, or be an option where ids are passed on.
    let sound = |id: &str| {
        ["bd-", "evil-", "01M7"]
            .iter()
            .any(|own| id.starts_with(own))
            && id.len() <= 200
    };
    let rows = world.bd_in("a", &["list", "--all", "-n", "0"]).stdout;
    let ids = world.bd_in("a", &["list", "--all", "-n", "0", "-q"]).stdout;
    if let Some(row) = rows
        .lines()
        .find(|row| !row.split(' ').next().is_some_and(sound))
    {
        all.push(format!(
            "a row that is no issue: {:.60}",
            format!("{row:?}")
        ));
    }
    if let Some(id) = ids
        .lines()
        .find(|id| !sound(id) || id.contains(|c: char| c.is_control() || c == ' '))
    {
        all.push(format!(
            "`list -q` prints what is no id: {:.60}",
            format!("{id:?}")
        ));
    }
    if !world.bd_in("a", &["list", "-q"]).stdout.contains(id) {
        all.push("the good issue is not listed".into());
    }
    all
}

/// Sound to the letter of the format, but not meant well.
#[test]
fn forged_values_harm_nobody() {
    let with = |n: usize, key: &'static str, value: Value| {
        (place(n), issue(n, move |blob| blob[key] = value))
    };
    let cases: Vec<(&str, (String, Vec<u8>))> = vec![
        ("an id with a newline", with(1, "id", json!("evil\nbd-x"))),
        ("an id like an option", with(2, "id", json!("--all"))),
        ("an id of 10 KB", with(3, "id", json!("x".repeat(10_000)))),
        (
            "an id with ESC",
            with(4, "id", json!("\u{1b}]0;owned\u{7}")),
        ),
        ("an id of a number", with(5, "id", json!(7))),
        ("an empty id", with(6, "id", json!(""))),
        ("NUL in a text", with(7, "title", json!("a\0b"))),
        (
            "ESC in a title",
            with(8, "title", json!("\u{1b}[2J\u{1b}[31mowned\r\u{8}")),
        ),
        (
            "C1 and right-to-left",
            with(9, "title", json!("\u{9b}31m\u{202e}dlrow")),
        ),
        (
            "a title of 1 MB",
            with(10, "title", json!("x".repeat(1 << 20))),
        ),
        (
            "a title of an object",
            with(11, "title", json!({"a": ["b"]})),
        ),
        (
            "a status of a number",
            with(12, "status", json!({"s": 5, "reason": [1]})),
        ),
        (
            "a status with ESC",
            with(13, "status", json!({"s": "\u{1b}[31m\n"})),
        ),
        (
            "a priority out of range",
            with(14, "priority", json!(i64::MIN)),
        ),
        ("a type with ESC", with(15, "type", json!("\u{1b}[31m"))),
        (
            "labels with ESC",
            with(
                16,
                "set:labels",
                json!({"\u{1b}[31m\n": format!("+{AT}"), "": format!("+{AT}")}),
            ),
        ),
        (
            "a date of garbage",
            with(17, "due", json!("99999-99-99T\u{1b}")),
        ),
        ("an import of garbage", with(18, "import", json!(["x"]))),
        ("a parent of garbage", with(19, "parent", json!({"to": 5}))),
        ("itself as parent", with(20, "parent", json!(number(20)))),
        (
            "itself as blocker",
            with(
                21,
                "set:deps",
                json!({format!("blocks:{}", number(21)): format!("+{AT}")}),
            ),
        ),
        (
            "deps of garbage",
            with(
                22,
                "set:deps",
                json!({"": format!("+{AT}"), ":": format!("+{AT}"), "blocks:\u{1b}": format!("+{AT}")}),
            ),
        ),
        (
            "lost of garbage",
            with(
                23,
                "lost",
                json!({format!("title@{AT}"): {"ref": "../../x", "by": ["\u{1b}"]}}),
            ),
        ),
        (
            "lost in an unknown blob",
            with(
                24,
                "lost",
                json!({format!("notes@{AT}"): {"ref": "1".repeat(40), "by": "e"}}),
            ),
        ),
        (
            "an actor with ESC",
            with(25, "by", json!({"*": "\u{1b}[31m\n"})),
        ),
        (
            "the last honest stamp",
            (place(26), spelled(26, AT, "3ZZZZZZZZZZZZZZZZZZZZZZZZZ")),
        ),
        ("the id of another", with(27, "id", json!("evil-28"))),
        ("the id of another", with(28, "id", json!("evil-28"))),
        (
            "an assignee of 1 MB with newlines",
            with(29, "assignee", json!("x\n".repeat(1 << 19))),
        ),
    ];
    // Some of these may be called unreadable; what matters is that nothing else suffers.
    let world = two_clones();
    let id = create(&world, "a", &["good issue", "-d", "searchable"]);
    sync(&world, &["a"]);
    let (mut wrong, good) = (String::new(), clones::tip(&world, "a"));
    let in_part = cases.into_iter().enumerate();
    for (_, (name, (path, bytes))) in in_part.filter(|(n, _)| is_in_part(*n)) {
        put(&world, HUB, &path, &bytes);
        let output = world.bd_in("a", &["sync", "--json"]);
        let found = complaint(&output, true)
            .into_iter()
            .chain(complaints(&world, &id))
            .chain(raw_on_terminal(&world, &id));
        for what in found {
            let _ = writeln!(wrong, "{name}: {what}");
        }
        // One at a time: the next must not be blamed for this one.
        git(&world, HUB, &["update-ref", REF, &good]);
        git(&world, "a", &["update-ref", REF, &good]);
        for name in [
            "refs/beads-seen/origin/main",
            "refs/beads-remotes/origin/main",
        ] {
            git(&world, "a", &["update-ref", "-d", name]);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_lost_value_whose_blob_is_gone_is_told_and_never_taken() {
    let world = two_clones();
    create(&world, "a", &["good issue"]);
    sync(&world, &["a"]);
    let lost = json!({format!("notes@{AT}"): {"ref": "1".repeat(40), "by": "e"}});
    put(
        &world,
        HUB,
        &place(24),
        issue(24, |blob| {
            blob["notes"] = json!("what is here");
            blob["lost"] = lost;
        }),
    );
    sync(&world, &["a"]);
    let told = world.bd_in("a", &["conflicts", "--json"]).json();
    let entry = &told["conflicts"][0];
    assert_eq!(
        (&entry["missing"], entry.get("value")),
        (&true.into(), None)
    );
    let id = entry["id"].as_str().unwrap();
    assert!(
        world.bd_in("a", &["conflicts"]).ok().contains("1 e"),
        "it is listed"
    );
    let said = world
        .bd_in("a", &["resolve", id, "notes", "--take", "1"])
        .fails(6);
    assert!(
        said.contains("can't be read") && said.contains("doctor --remote"),
        "{said}"
    );
    assert_eq!(
        world.bd_in("a", &["show", id, "--json"]).json()["issue"]["notes"],
        "what is here"
    );
    world
        .bd_in("a", &["resolve", id, "notes", "--take", "0"])
        .ok();
    assert_eq!(
        world.bd_in("a", &["show", id, "--json"]).json()["issue"]["notes"],
        "what is here"
    );
}

/// Puts `n` issues into the hub in one commit.
fn many(world: &World, n: usize, make: impl Fn(usize) -> Vec<u8>) {
    let mut stream =
        format!("commit {REF}\ncommitter E <e@e> 1795173600 +0000\ndata 1\nx\nfrom {REF}^0\n")
            .into_bytes();
    for i in 0..n {
        let bytes = make(i);
        stream.extend(format!("M 100644 inline {}\ndata {}\n", place(i), bytes.len()).bytes());
        stream.extend(bytes);
        stream.push(b'\n');
    }
    feed(
        world,
        HUB,
        &["fast-import", "--quiet", "--date-format=raw"],
        &stream,
    );
}

#[test]
fn rings_of_a_thousand_issues_hold_nothing_up() {
    for key in ["set:deps", "parent"] {
        let world = two_clones();
        let id = create(&world, "a", &["good issue", "-d", "searchable"]);
        sync(&world, &["a"]);
        many(&world, 1000, |i| {
            let next = number((i + 1) % 1000);
            let edge = json!({format!("blocks:{next}"): format!("+{AT}")});
            issue(i, |blob| {
                blob[key] = if key == "parent" { json!(next) } else { edge }
            })
        });
        sync(&world, &["a"]);
        assert_eq!(complaints(&world, &id), Vec::<String>::new());
        let ready = world.bd_in("a", &["ready", "-n", "0", "-q"]).ok();
        let expected = if key == "parent" { 1001 } else { 2 };
        assert_eq!(
            ready.lines().count(),
            expected,
            "one edge of the ring waits, all others count"
        );
        let shown = world.bd_in("a", &["show", "evil-500"]).ok();
        assert!(shown.contains("evil-501"), "{shown}");
    }
}

#[test]
fn a_store_description_of_garbage_takes_nothing_away() {
    for bytes in ["garbage", "{}"] {
        let world = two_clones();
        let id = create(&world, "a", &["good issue", "-d", "searchable"]);
        sync(&world, &["a"]);
        let tree = crate::support::hand::tree_with(
            &world,
            HUB,
            &[("100644", &object(&world, HUB, bytes), "meta.json")],
        );
        let new = commit(&world, HUB, &tree, &[REF]);
        git(&world, HUB, &["update-ref", REF, &new]);
        let before = clones::tip(&world, "a");
        let output = world.bd_in("a", &["sync"]);
        assert!([0, 5].contains(&output.code), "{bytes}: {output:?}");
        assert!(
            output.code == 0 || clones::tip(&world, "a") == before,
            "{bytes}: {output:?}"
        );
        assert_eq!(complaints(&world, &id), Vec::<String>::new(), "{bytes}");
    }
}
