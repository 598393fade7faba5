//! Commits, tags and refs: what hides behind a sound tip, or is no commit at all.

use super::forge::{Build, at, entry, literally, raw_commit, raw_tree, root_with};
use super::{Case, HUB, harmless, refused};
use crate::support::World;
use crate::support::hand::{REF, commit, feed, git, object};

const WHO: &str = "author E <e> 1 +0000\ncommitter E <e> 1 +0000\n";

pub fn cases() -> Vec<Case> {
    tips()
        .into_iter()
        .chain(hidden())
        .chain(oddities())
        .chain(refs())
        .chain(stores())
        .collect()
}

fn tips() -> Vec<Case> {
    vec![
        refused(
            "a ref to a blob",
            "there is no commit",
            Box::new(|world| object(world, HUB, "{}")),
        ),
        refused(
            "a ref to a tree",
            "there is no commit",
            Box::new(|world| root_with(world, &[])),
        ),
        refused("a tag at the ref", "there is no commit", Box::new(tag)),
        refused(
            "a commit of garbage",
            "",
            Box::new(|world| literally(world, "commit", b"garbage")),
        ),
        refused(
            "a commit without its tree",
            "",
            Box::new(|world| raw_commit(world, &"3".repeat(40), &format!("{WHO}\nx\n"))),
        ),
        refused(
            "a commit of a blob",
            "",
            Box::new(|world| raw_commit(world, &object(world, HUB, "{}"), &format!("{WHO}\nx\n"))),
        ),
        refused(
            "a commit without its parent",
            "",
            Box::new(|world| {
                raw_commit(
                    world,
                    &fresh(world),
                    &format!("parent {}\n{WHO}\nx\n", "4".repeat(40)),
                )
            }),
        ),
        refused(
            "a commit of 2 MB",
            "the limit is 1048576",
            Box::new(|world| large(world, REF)),
        ),
    ]
}

fn tag(world: &World) -> String {
    git(
        world,
        HUB,
        &[
            "-c",
            "user.name=E",
            "-c",
            "user.email=e@e",
            "tag",
            "-f",
            "-a",
            "-m",
            "x",
            "odd",
            REF,
        ],
    );
    git(world, HUB, &["rev-parse", "refs/tags/odd"])
}

/// A sound tree that is new.
fn fresh(world: &World) -> String {
    root_with(world, &[("100644", b"x.txt", &object(world, HUB, "x"))])
}

fn large(world: &World, parent: &str) -> String {
    let parent = git(world, HUB, &["rev-parse", parent]);
    raw_commit(
        world,
        &fresh(world),
        &format!("parent {parent}\n{WHO}\n{}\n", "x".repeat(2 << 20)),
    )
}

/// A tip that looks sound, after a commit that does not: pushed on, it would be refused by every host that checks.
fn hidden() -> Vec<Case> {
    let behind = |make: Build| -> Build {
        Box::new(move |world| {
            let hidden = make(world);
            commit(world, HUB, &fresh(world), &[&hidden])
        })
    };
    let beside = |make: Build| -> Build {
        Box::new(move |world| {
            let hidden = make(world);
            commit(world, HUB, &fresh(world), &[REF, &hidden])
        })
    };
    vec![
        refused(".git behind", "a bad name", behind(entry("40000", ".git"))),
        refused(
            "a symlink behind",
            "neither a plain file nor a folder",
            behind(entry("120000", "x")),
        ),
        refused(
            "a large blob behind",
            "the limit is 8388608",
            behind(at(vec![("100644", vec![b'x'; 9 << 20], "x".to_owned())])),
        ),
        refused(
            "a large commit behind",
            "the limit is 1048576",
            behind(Box::new(|world| large(world, REF))),
        ),
        refused(
            "a symlink on a side line",
            "neither a plain file nor a folder",
            beside(entry("120000", "x")),
        ),
    ]
}

fn oddities() -> Vec<Case> {
    let commit = |header: &'static str| -> Build {
        Box::new(move |world| {
            let parent = git(world, HUB, &["rev-parse", REF]);
            raw_commit(world, &fresh(world), &format!("parent {parent}\n{header}"))
        })
    };
    vec![
        harmless(
            "a commit of the year 9999",
            commit("author E <e> 253402300799 +0000\ncommitter E <e> 253402300799 +0000\n\nx\n"),
        ),
        harmless(
            "a commit of the end of time",
            commit(
                "author E <e> 9223372036854775807 +0000\ncommitter E <e> 9223372036854775807 +0000\n\nx\n",
            ),
        ),
        harmless(
            "a commit of negative time and a name with ESC",
            commit(
                "author \u{1b}[31mE <e\u{7}> -99999999999 +9999\ncommitter \u{1b}[31mE <e\u{7}> -99999999999 +9999\n\n\
                 \u{1b}]0;x\u{7}\n\nIssues: ../..\nActor: \u{1b}[2J\n",
            ),
        ),
        harmless(
            "a commit without an author",
            commit("committer E <e> 1 +0000\n\nx\n"),
        ),
        harmless("a commit of no message", commit(WHO)),
        harmless(
            "a commit in another encoding",
            commit(
                "author \u{ff} <e> 1 +0000\ncommitter E <e> 1 +0000\nencoding latin-1\n\n\u{ff}\n",
            ),
        ),
        harmless("a commit that forges who did what", commit(FORGED)),
        harmless(
            "a hundred parents",
            Box::new(|world| {
                let tree = fresh(world);
                let parents: Vec<String> = (0..100)
                    .map(|n| raw_commit(world, &tree, &format!("{WHO}\n{n}\n")))
                    .collect();
                let parents: String = parents
                    .iter()
                    .map(|parent| format!("parent {parent}\n"))
                    .collect();
                raw_commit(
                    world,
                    &tree,
                    &format!(
                        "parent {}\n{parents}{WHO}\nx\n",
                        git(world, HUB, &["rev-parse", REF])
                    ),
                )
            }),
        ),
    ]
}

const FORGED: &str = "author E <e> 1 +0000\ncommitter E <e> 1 +0000\n\ndone bd-1\n\nIssues: 01ARZ3NDEKTSV4RRFFQ69G5FAV *\nActor: ann\nActor: bob\n";

/// The hub's own refs beside ours, and what lies at the place of ours.
fn refs() -> Vec<Case> {
    let beside = |names: &'static [&'static str]| -> Build {
        Box::new(move |world| {
            let evil = entry("120000", "x")(world);
            for name in names {
                let path = world.path("hub.git/refs/beads").join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, format!("{evil}\n")).unwrap();
            }
            git(world, HUB, &["rev-parse", REF])
        })
    };
    vec![
        harmless(
            "refs beside ours",
            beside(&["evil", "main2", "mainly/x", "x/main"]),
        ),
        harmless(
            "refs with odd names",
            beside(&[
                "--all",
                "a b",
                "a..b",
                "x.lock",
                "@{-1}",
                "\u{1b}[31m",
                "-x",
            ]),
        ),
        harmless(
            "a branch of code at the ref",
            Box::new(|world| {
                let tree = raw_tree(
                    world,
                    &[("100644", b"README", &object(world, HUB, "read me"))],
                );
                raw_commit(world, &tree, &format!("{WHO}\ncode\n"))
            }),
        ),
        harmless(
            "an orphan of our tree",
            Box::new(|world| raw_commit(world, &fresh(world), &format!("{WHO}\nalone\n"))),
        ),
        harmless(
            "the first commit again",
            Box::new(|world| git(world, HUB, &["rev-list", "--max-parents=0", REF])),
        ),
    ]
}

/// The description of the store itself.
fn stores() -> Vec<Case> {
    let meta = |bytes: &'static str| {
        at(vec![(
            "100644",
            bytes.as_bytes().to_vec(),
            "meta.json".to_owned(),
        )])
    };
    let without = |world: &World| {
        let issues = git(world, HUB, &["rev-parse", &format!("{REF}:issues")]);
        commit(
            world,
            HUB,
            &raw_tree(world, &[("40000", b"issues", &issues)]),
            &[REF],
        )
    };
    vec![
        refused(
            "a meta.json of garbage",
            "meta.json: not valid JSON",
            meta("garbage"),
        ),
        refused(
            "a meta.json without a version",
            "meta.json: `v` is missing",
            meta("{}"),
        ),
        refused(
            "an epoch beyond all numbers",
            "`epoch` is not a version",
            meta(
                "{\"v\":1,\"min_reader\":1,\"epoch\":9223372036854775807,\"at\":{\"*\":\"01M80000000000000000000000\"}}",
            ),
        ),
        refused(
            "a reader beyond all numbers",
            "`min_reader` is not a version",
            meta(
                "{\"v\":1,\"min_reader\":9223372036854775807,\"at\":{\"*\":\"01M80000000000000000000000\"}}",
            ),
        ),
        refused(
            "a prefix like an option",
            "the limit is 250",
            meta_of_long_actor(),
        ),
        refused(
            "a folder meta.json",
            "",
            at(vec![("100644", b"x".to_vec(), "meta.json/x".to_owned())]),
        ),
        harmless("no meta.json any more", Box::new(without)),
        harmless(
            "garbage at the end of the pack",
            Box::new(|world| {
                // What nothing leads to is not sent.
                feed(
                    world,
                    HUB,
                    &["hash-object", "-w", "--stdin"],
                    &vec![b'x'; 1 << 20],
                );
                git(world, HUB, &["rev-parse", REF])
            }),
        ),
    ]
}

fn meta_of_long_actor() -> Build {
    let text = format!(
        "{{\"v\":1,\"min_reader\":1,\"prefix\":\"--all\",\"at\":{{\"*\":\"01M80000000000000000000000\"}},\"by\":{{\"*\":\"{}\"}}}}",
        "x".repeat(251)
    );
    at(vec![("100644", text.into_bytes(), "meta.json".to_owned())])
}
