//! Names, modes, kinds, order, depth and sizes: one bad entry refuses the whole fetch.

use super::forge::{Build, at, bomb, deep, entry, literally, raw_tree, root_with, wide, with};
use super::{Case, HUB, harmless, refused};
use crate::support::World;
use crate::support::hand::{REF, commit, git, object, tree_with};

pub fn cases() -> Vec<Case> {
    names()
        .into_iter()
        .chain(modes())
        .chain(kinds())
        .chain(order())
        .chain(bombs())
        .collect()
}

fn names() -> Vec<Case> {
    let bad = |name: &'static str, entry: Build| refused(name, "a bad name", entry);
    vec![
        bad("dots", entry("40000", "..")),
        bad("a dot", entry("40000", ".")),
        bad(".git", entry("40000", ".git")),
        bad(".GIT", entry("40000", ".GIT")),
        bad("git~1", entry("40000", "git~1")),
        bad(".gitmodules", entry("100644", ".gitmodules")),
        bad("a backslash", entry("100644", "a\\b")),
        bad("a newline", entry("100644", "a\nb")),
        bad("ESC", entry("100644", "a\u{1b}[31mb")),
        bad("an option", entry("100644", "--upload-pack=x")),
        bad("a dash", entry("40000", "-")),
        bad("not UTF-8", entry("100644", b"\xff\xfe".to_vec())),
        bad("invisible", entry("40000", ".g\u{200c}it")),
        bad("right to left", entry("100644", "a\u{202e}b")),
        bad("a space", entry("100644", "a b")),
        bad("a colon", entry("100644", "c:x")),
        bad("201 bytes", entry("100644", "x".repeat(201))),
        bad("70 KB", entry("100644", "x".repeat(70_000))),
        // The sending git refuses some of these, or we do; either way with exit 5.
        refused("a slash", "", entry("100644", "a/b")),
        refused("a way out", "", entry("100644", "../../../etc/passwd")),
        refused("empty", "", entry("100644", "")),
        refused(
            "meta.json twice",
            "meta.json: twice in one folder",
            entry("100644", "meta.json"),
        ),
        refused(
            "issues as a file too",
            "issues: twice in one folder",
            entry("100644", "issues"),
        ),
        bad(
            "an odd name below",
            at(vec![("100644", b"{}".to_vec(), "issues/0/a b".to_owned())]),
        ),
        harmless("200 bytes", entry("100644", "x".repeat(200))),
        harmless("CON", entry("100644", "CON")),
    ]
}

fn modes() -> Vec<Case> {
    let bad = |name: &'static str, mode: &'static str| {
        refused(name, "neither a plain file nor a folder", entry(mode, "x"))
    };
    vec![
        bad("a symlink", "120000"),
        bad("a submodule", "160000"),
        bad("an executable", "100755"),
        bad("mode 100664", "100664"),
        bad("mode 100600", "100600"),
        refused(
            "mode 0100644",
            "a tree that git would write otherwise",
            entry("0100644", "x.json"),
        ),
        refused(
            "mode 500644, which is 100644 modulo 2^16",
            "a tree that git would write otherwise",
            entry("500644", "x"),
        ),
        refused(
            "mode 040000",
            "a tree that git would write otherwise",
            entry("040000", "x"),
        ),
        refused("a mode of garbage", "", entry("99x644", "x")),
        refused(
            "a file becomes a symlink",
            "neither a plain file nor a folder",
            same_object("120000"),
        ),
        refused(
            "a file becomes executable",
            "neither a plain file nor a folder",
            same_object("100755"),
        ),
        refused("a file becomes a folder", "", same_object("40000")),
        refused(
            "a symlink for issues",
            "neither a plain file nor a folder",
            Box::new(|world| {
                let tree = tree_with(
                    world,
                    HUB,
                    &[("120000", &object(world, HUB, "/etc"), "issues")],
                );
                commit(world, HUB, &tree, &[REF])
            }),
        ),
    ]
}

/// The hub's tree with the object of `meta.json` under another mode.
fn same_object(mode: &'static str) -> Build {
    Box::new(move |world| {
        let issues = git(world, HUB, &["rev-parse", &format!("{REF}:issues")]);
        let meta = git(world, HUB, &["rev-parse", &format!("{REF}:meta.json")]);
        let tree = raw_tree(
            world,
            &[("40000", b"issues", &issues), (mode, b"meta.json", &meta)],
        );
        commit(world, HUB, &tree, &[REF])
    })
}

fn kinds() -> Vec<Case> {
    vec![
        refused(
            "a tree that calls itself a file",
            "",
            with(|world| ("100644", raw_tree(world, &[]))),
        ),
        refused(
            "a file that calls itself a tree",
            "",
            with(|world| ("40000", object(world, HUB, "{}"))),
        ),
        refused(
            "a commit that calls itself a file",
            "",
            with(|world| ("100644", git(world, HUB, &["rev-parse", REF]))),
        ),
        refused(
            "a tree cut short",
            "",
            with(|world| ("40000", literally(world, "tree", b"100644 cut\0short"))),
        ),
        refused(
            "a tree of garbage",
            "",
            with(|world| ("40000", literally(world, "tree", b"garbage"))),
        ),
        refused("a missing blob", "", with(|_| ("100644", "1".repeat(40)))),
        refused("a missing tree", "", with(|_| ("40000", "2".repeat(40)))),
    ]
}

fn order() -> Vec<Case> {
    let turned = |world: &World| {
        let x = object(world, HUB, "{}");
        let part = |name: &str| git(world, HUB, &["rev-parse", &format!("{REF}:{name}")]);
        let (issues, meta) = (part("issues"), part("meta.json"));
        let entries: [(&str, &[u8], &str); 3] = [
            ("100644", b"zz.json", &x),
            ("100644", b"meta.json", &meta),
            ("40000", b"issues", &issues),
        ];
        commit(world, HUB, &raw_tree(world, &entries), &[REF])
    };
    let folder_first = |world: &World| {
        let (x, folder) = (
            object(world, HUB, "{}"),
            raw_tree(world, &[("100644", b"x", &object(world, HUB, "x"))]),
        );
        let inner = raw_tree(
            world,
            &[("40000", b"n", &folder), ("100644", b"n.json", &x)],
        );
        commit(
            world,
            HUB,
            &root_with(world, &[("40000", b"x", &inner)]),
            &[REF],
        )
    };
    vec![
        refused("unsorted", "out of order", Box::new(turned)),
        refused(
            "a folder sorted as a file",
            "out of order",
            Box::new(folder_first),
        ),
        refused(
            "an empty folder",
            "an empty folder",
            with(|world| ("40000", raw_tree(world, &[]))),
        ),
        harmless(
            "an empty root",
            Box::new(|world| commit(world, HUB, &raw_tree(world, &[]), &[REF])),
        ),
    ]
}

fn bombs() -> Vec<Case> {
    let blob = |size: usize| with(move |world| ("100644", object(world, HUB, vec![b'x'; size])));
    vec![
        refused("10^10 paths", "deeper than 7 folders", bomb(10, 10)),
        refused(
            "200^6 paths",
            "the same folders again and again",
            bomb(200, 6),
        ),
        refused("1000 folders deep", "deeper than 7 folders", deep(1000)),
        refused("5000 folders deep", "", deep(5000)),
        refused("a folder of 10 MB", "the limit is 4194304", wide(300_000)),
        harmless("a folder of 4 MB", wide(125_000)),
        refused(
            "a blob of 100 MB",
            "100000000 bytes; the limit is 8388608",
            blob(100_000_000),
        ),
        refused(
            "a blob a byte too large",
            "8388609 bytes; the limit is 8388608",
            blob((8 << 20) + 1),
        ),
        harmless("a blob as large as can be", blob(8 << 20)),
    ]
}
