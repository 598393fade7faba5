//! Remotes that mean harm: what git itself would not write is built by hand in the remote.
//!
//! Either the whole fetch is refused (exit 5, our ref as it was) or what is odd is carried, named by
//! `status` where nobody can read it, and all else works. Never a panic, never raw control characters.

use super::hand::{REF, commit, feed, git, object, tree_with};
use super::{create, sync, tip, two_clones};
use crate::support::{Output, World};

const HUB: &str = "hub.git";

/// Makes something in the hub and returns the object to point its ref to.
type Build = Box<dyn Fn(&World) -> String>;

/// Runs the program in `a`; what does not end is killed.
fn bd(world: &World, args: &[&str]) -> Output {
    let mut all = vec!["30", env!("CARGO_BIN_EXE_git-beads")];
    all.extend(args);
    world.run(world.command("a", "timeout", &all), None)
}

/// What is wrong with an output whatever was asked: a crash, raw control characters, JSON that is none.
fn sane(output: &Output, json: bool) -> Result<(), String> {
    let text = output.all();
    if ![0, 1, 2, 3, 4, 5, 6].contains(&output.code) || text.contains("panicked") {
        return Err(format!("a crash: {output:?}"));
    }
    // Lists in a pipe are for programs and show texts as they are.
    let raw = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    if let Some(raw) = raw.filter(|_| json || output.code != 0) {
        return Err(format!("a raw {raw:?}: {output:?}"));
    }
    if json && serde_json::from_str::<serde_json::Value>(&output.stdout).is_err() {
        return Err(format!("not JSON: {output:?}"));
    }
    Ok(())
}

/// A tree object with exactly these entries, sound or not.
fn raw_tree(world: &World, entries: &[(&str, &[u8], &str)]) -> String {
    let mut bytes = Vec::new();
    for (mode, name, oid) in entries {
        bytes.extend_from_slice(mode.as_bytes());
        bytes.push(b' ');
        bytes.extend_from_slice(name);
        bytes.push(0);
        bytes.extend((0..20).map(|i| u8::from_str_radix(&oid[2 * i..2 * i + 2], 16).unwrap()));
    }
    literally(world, "tree", &bytes)
}

fn literally(world: &World, kind: &str, bytes: &[u8]) -> String {
    feed(world, HUB, &["hash-object", "-t", kind, "--literally", "-w", "--stdin"], bytes)
}

/// The sound root of the hub with more entries, in the order given.
fn root_with(world: &World, more: &[(&str, &[u8], &str)]) -> String {
    let issues = git(world, HUB, &["rev-parse", &format!("{REF}:issues")]);
    let meta = git(world, HUB, &["rev-parse", &format!("{REF}:meta.json")]);
    let mut entries: Vec<(&str, &[u8], &str)> = vec![("40000", b"issues", &issues), ("100644", b"meta.json", &meta)];
    entries.extend(more);
    entries.sort_by_key(|(_, name, _)| name.to_vec());
    raw_tree(world, &entries)
}

/// Points the hub's ref anywhere, also where `git update-ref` would not.
fn point(world: &World, oid: &str) {
    let _ = std::fs::remove_file(world.path("hub.git/packed-refs"));
    std::fs::create_dir_all(world.path("hub.git/refs/beads")).unwrap();
    std::fs::write(world.path("hub.git/refs/beads/main"), format!("{oid}\n")).unwrap();
}

fn world_with_issue() -> (World, String) {
    let world = two_clones();
    let id = create(&world, "a", &["good issue", "-d", "searchable"]);
    sync(&world, &["a"]);
    (world, id)
}

/// Tries each hostile tip; all must be refused as a whole.
fn all_refused(cases: Vec<(&str, Build)>) {
    let (world, id) = world_with_issue();
    let (mut wrong, sound) = (String::new(), tip(&world, "a"));
    for (name, build) in cases {
        let good = tip(&world, "a");
        point(&world, &sound);
        let target = build(&world);
        point(&world, &target);
        let begun = std::time::Instant::now();
        let (output, text) = (bd(&world, &["sync", "--json"]), bd(&world, &["sync"]));
        let mut say = |what: String| wrong.push_str(&format!("{name}: {what}\n"));
        for (output, json) in [(&output, true), (&text, false)] {
            sane(output, json).unwrap_or_else(&mut say);
            if output.code != 5 || output.all().trim().is_empty() {
                say(format!("not refused: {output:?}").chars().take(600).collect());
            }
        }
        if output.all().len() > 4000 {
            say(format!("an error of {} bytes", output.all().len()));
        }
        if begun.elapsed().as_secs() > 20 {
            say(format!("took {:?}", begun.elapsed()));
        }
        if tip(&world, "a") != good {
            say("our ref has moved".into());
            git(&world, "a", &["update-ref", REF, &good]);
        }
        let written = bd(&world, &["note", &id, "--finding", name]);
        if written.code != 0 || !bd(&world, &["list", "-q"]).stdout.contains(&id) {
            say(format!("local work suffers: {written:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A commit in the hub whose root has one more entry.
fn entry(mode: &'static str, name: impl Into<Vec<u8>>) -> Build {
    let name = name.into();
    Box::new(move |world| {
        let oid = match mode {
            "40000" => raw_tree(world, &[("100644", b"x.json", &object(world, HUB, "{}"))]),
            "160000" => git(world, HUB, &["rev-parse", REF]),
            _ => object(world, HUB, "../../secret"),
        };
        commit(world, HUB, &root_with(world, &[(mode, &name, &oid)]), &[REF])
    })
}

/// A commit in the hub with this as its root's further entry.
fn with(entry: impl Fn(&World) -> (&'static str, String) + 'static) -> Build {
    Box::new(move |world| {
        let (mode, oid) = entry(world);
        commit(world, HUB, &root_with(world, &[(mode, b"x", &oid)]), &[REF])
    })
}

/// Trees in trees: `wide` entries on each of `deep` levels, all the same.
fn bomb(wide: usize, deep: usize) -> Build {
    with(move |world| {
        let mut oid = object(world, HUB, "{}");
        for level in 0..deep {
            let names: Vec<String> = (0..wide).map(|i| format!("{i:04}")).collect();
            let mode = if level == 0 { "100644" } else { "40000" };
            let entries: Vec<(&str, &[u8], &str)> =
                names.iter().map(|name| (mode, name.as_bytes(), oid.as_str())).collect();
            oid = raw_tree(world, &entries);
        }
        ("40000", oid)
    })
}

#[test]
fn bad_names_refuse_the_whole_fetch() {
    all_refused(vec![
        ("dots", entry("40000", "..")),
        ("a dot", entry("40000", ".")),
        (".git", entry("40000", ".git")),
        (".GIT", entry("40000", ".GIT")),
        ("git~1", entry("40000", "git~1")),
        (".gitmodules", entry("100644", ".gitmodules")),
        ("a slash", entry("100644", "a/b")),
        ("a way out", entry("100644", "../../../etc/passwd")),
        ("a backslash", entry("100644", "a\\b")),
        ("a newline", entry("100644", "a\nb")),
        ("ESC", entry("100644", "a\u{1b}[31mb")),
        ("an option", entry("100644", "--upload-pack=x")),
        ("a dash", entry("40000", "-")),
        ("not UTF-8", entry("100644", b"\xff\xfe".to_vec())),
        ("invisible", entry("40000", ".g\u{200c}it")),
        ("right to left", entry("100644", "a\u{202e}b")),
        ("empty", entry("100644", "")),
        ("70 KB", entry("100644", "x".repeat(70_000))),
        ("a space", entry("100644", "a b")),
        ("meta.json twice", entry("100644", "meta.json")),
        ("issues as a file too", entry("100644", "issues")),
    ]);
}

#[test]
fn bad_modes_and_kinds_refuse_the_whole_fetch() {
    all_refused(vec![
        ("a symlink", entry("120000", "link")),
        ("a submodule", entry("160000", "sub")),
        ("an executable", entry("100755", "run.json")),
        ("a tree that calls itself a file", with(|world| ("100644", raw_tree(world, &[])))),
        ("a file that calls itself a tree", with(|world| ("40000", object(world, HUB, "{}")))),
        ("a commit that calls itself a file", with(|world| ("100644", git(world, HUB, &["rev-parse", REF])))),
        ("a tree cut short", with(|world| ("40000", literally(world, "tree", b"100644 cut\0short")))),
        ("a tree of garbage", with(|world| ("40000", literally(world, "tree", b"garbage")))),
        ("a mode of garbage", with(|world| ("40000", raw_tree(world, &[("99x644", b"x", &object(world, HUB, ""))])))),
        ("a missing blob", with(|_| ("100644", "1".repeat(40)))),
        ("a missing tree", with(|_| ("40000", "2".repeat(40)))),
        ("a ref to a blob", Box::new(|world| object(world, HUB, "{}"))),
        ("a ref to a tree", Box::new(|world| root_with(world, &[]))),
        ("a commit of garbage", Box::new(|world| literally(world, "commit", b"garbage"))),
        (
            "a commit without its tree",
            Box::new(|world| {
                let text = format!("tree {}\nauthor E <e> 1 +0000\ncommitter E <e> 1 +0000\n\nx\n", "3".repeat(40));
                literally(world, "commit", text.as_bytes())
            }),
        ),
        (
            "a commit of a blob",
            Box::new(|world| {
                let blob = object(world, HUB, "{}");
                literally(
                    world,
                    "commit",
                    format!("tree {blob}\nauthor E <e> 1 +0000\ncommitter E <e> 1 +0000\n\nx\n").as_bytes(),
                )
            }),
        ),
        (
            "a symlink for issues",
            Box::new(|world| {
                let tree = tree_with(world, HUB, &[("120000", &object(world, HUB, "/etc"), "issues")]);
                commit(world, HUB, &tree, &[REF])
            }),
        ),
    ]);
}

#[test]
fn bombs_refuse_the_whole_fetch_in_time() {
    all_refused(vec![
        ("10^10 paths", bomb(10, 10)),
        ("deep", bomb(1, 2000)),
        ("a blob of 100 MB", with(|world| ("100644", object(world, HUB, vec![0; 100_000_000])))),
    ]);
}

/// As deep as is allowed, and 200^6 paths in six small objects.
#[test]
fn a_wide_bomb_is_refused_in_time() {
    all_refused(vec![("200^6 paths", bomb(200, 6))]);
}

/// A tip that looks sound, after a commit that does not: pushed on, it would be refused by every host that checks.
#[test]
fn what_hides_in_the_history_is_refused_too() {
    let behind = |make: Build| -> Build {
        Box::new(move |world| {
            let hidden = make(world);
            commit(world, HUB, &root_with(world, &[("100644", b"x.txt", &object(world, HUB, "x"))]), &[&hidden])
        })
    };
    all_refused(vec![
        (".git behind", behind(entry("40000", ".git"))),
        ("a symlink behind", behind(entry("120000", "x"))),
    ]);
}

/// What may be either: refused, or taken without harm.
#[test]
fn oddities_do_no_harm() {
    let cases: Vec<(&str, Build)> = vec![
        ("mode 100664", entry("100664", "x.json")),
        ("mode 0100644", entry("0100644", "x.json")),
        (
            "unsorted",
            Box::new(|world| {
                let x = object(world, HUB, "{}");
                let sound = root_with(world, &[]);
                let (issues, meta) = (format!("{sound}:issues"), format!("{sound}:meta.json"));
                let (issues, meta) = (git(world, HUB, &["rev-parse", &issues]), git(world, HUB, &["rev-parse", &meta]));
                let entries: [(&str, &[u8], &str); 3] =
                    [("100644", b"zz.json", &x), ("100644", b"meta.json", &meta), ("40000", b"issues", &issues)];
                commit(world, HUB, &raw_tree(world, &entries), &[REF])
            }),
        ),
        (
            "a tag",
            Box::new(|world| {
                git(world, HUB, &["-c", "user.name=E", "-c", "user.email=e@e", "tag", "-a", "-m", "x", "odd", REF]);
                git(world, HUB, &["rev-parse", "refs/tags/odd"])
            }),
        ),
        (
            "a commit of the year 9999",
            Box::new(|world| {
                let tree = root_with(world, &[("100644", b"x.txt", &object(world, HUB, "x"))]);
                let at = "E <e> 253402300799 +0000";
                let text = format!("tree {tree}\nparent {}\nauthor {at}\ncommitter {at}\n\nx\n", tip(world, "a"));
                literally(world, "commit", text.as_bytes())
            }),
        ),
        (
            "a commit of negative time and a name with ESC",
            Box::new(|world| {
                let tree = root_with(world, &[("100644", b"x.txt", &object(world, HUB, "x"))]);
                let at = "\u{1b}[31mE <e\u{7}> -99999999999 +9999";
                let parent = git(world, HUB, &["rev-parse", REF]);
                let text = format!(
                    "tree {tree}\nparent {parent}\nauthor {at}\ncommitter {at}\n\n\u{1b}]0;x\u{7}\n\nIssues: ../..\n"
                );
                literally(world, "commit", text.as_bytes())
            }),
        ),
        ("an empty root", Box::new(|world| commit(world, HUB, &raw_tree(world, &[]), &[REF]))),
    ];
    let mut wrong = String::new();
    for (name, build) in cases {
        let (world, id) = world_with_issue();
        create(&world, "a", &["not sent yet"]);
        let good = tip(&world, "a");
        point(&world, &build(&world));
        let output = bd(&world, &["sync", "--json"]);
        let mut say = |what: String| wrong.push_str(&format!("{name}: {what}\n"));
        sane(&output, true).unwrap_or_else(&mut say);
        if ![0, 5].contains(&output.code) || (output.code == 5 && tip(&world, "a") != good) {
            say(format!("neither taken nor refused: {output:?}"));
        }
        for args in super::carried::VERBS {
            let args: Vec<&str> = args.split(' ').map(|word| if word == "ID" { id.as_str() } else { word }).collect();
            let output = bd(&world, &args);
            sane(&output, args.contains(&"--json")).unwrap_or_else(&mut say);
            if output.code != 0 {
                say(format!("{args:?}: {output:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
