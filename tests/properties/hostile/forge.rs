//! What git would not write itself, built by hand in the hub.

use super::HUB;
use crate::support::World;
use crate::support::hand::{REF, commit, feed, git, object, tree_with};

/// Makes something in the hub and returns the object to point its ref to.
pub type Build = Box<dyn Fn(&World) -> String + Send + Sync>;

/// A tree object with exactly these entries, sound or not.
pub fn raw_tree(world: &World, entries: &[(&str, &[u8], &str)]) -> String {
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

/// An object of these bytes, whatever they are.
pub fn literally(world: &World, kind: &str, bytes: &[u8]) -> String {
    feed(
        world,
        HUB,
        &["hash-object", "-t", kind, "--literally", "-w", "--stdin"],
        bytes,
    )
}

/// The sound root of the hub with more entries, in the order of their names.
pub fn root_with(world: &World, more: &[(&str, &[u8], &str)]) -> String {
    let issues = git(world, HUB, &["rev-parse", &format!("{REF}:issues")]);
    let meta = git(world, HUB, &["rev-parse", &format!("{REF}:meta.json")]);
    let mut entries: Vec<(&str, &[u8], &str)> = vec![
        ("40000", b"issues", &issues),
        ("100644", b"meta.json", &meta),
    ];
    entries.extend(more);
    entries.sort_by_key(|(_, name, _)| name.to_vec());
    raw_tree(world, &entries)
}

/// A commit in the hub whose root has one more entry.
pub fn entry(mode: &'static str, name: impl Into<Vec<u8>>) -> Build {
    let name = name.into();
    Box::new(move |world| {
        let oid = match mode {
            "40000" | "040000" => {
                raw_tree(world, &[("100644", b"x.json", &object(world, HUB, "{}"))])
            }
            "160000" => git(world, HUB, &["rev-parse", REF]),
            _ => object(world, HUB, "../../secret"),
        };
        commit(
            world,
            HUB,
            &root_with(world, &[(mode, &name, &oid)]),
            &[REF],
        )
    })
}

/// A commit in the hub with this as its root's further entry.
pub fn with(entry: impl Fn(&World) -> (&'static str, String) + Send + Sync + 'static) -> Build {
    Box::new(move |world| {
        let (mode, oid) = entry(world);
        commit(world, HUB, &root_with(world, &[(mode, b"x", &oid)]), &[REF])
    })
}

/// A commit in the hub that puts some entries at paths of a sound tree: mode, bytes, path.
pub fn at(entries: Vec<(&'static str, Vec<u8>, String)>) -> Build {
    Box::new(move |world| {
        let oids: Vec<String> = entries
            .iter()
            .map(|(_, bytes, _)| object(world, HUB, bytes))
            .collect();
        let entries: Vec<(&str, &str, &str)> = entries
            .iter()
            .zip(&oids)
            .map(|((mode, _, path), oid)| (*mode, oid.as_str(), path.as_str()))
            .collect();
        commit(world, HUB, &tree_with(world, HUB, &entries), &[REF])
    })
}

/// A commit object of these lines after its tree.
pub fn raw_commit(world: &World, tree: &str, rest: &str) -> String {
    literally(world, "commit", format!("tree {tree}\n{rest}").as_bytes())
}

/// Trees in trees: `wide` entries on each of `deep` levels, all the same.
pub fn bomb(wide: usize, deep: usize) -> Build {
    with(move |world| {
        let mut oid = object(world, HUB, "{}");
        for level in 0..deep {
            let names: Vec<String> = (0..wide).map(|i| format!("{i:04}")).collect();
            let mode = if level == 0 { "100644" } else { "40000" };
            let entries: Vec<(&str, &[u8], &str)> = names
                .iter()
                .map(|name| (mode, name.as_bytes(), oid.as_str()))
                .collect();
            oid = raw_tree(world, &entries);
        }
        ("40000", oid)
    })
}

/// One file below this many folders.
pub fn deep(folders: usize) -> Build {
    Box::new(move |world| {
        let path = "a/".repeat(folders);
        imported(
            world,
            &format!("M 100644 inline {path}x.json\ndata 2\n{{}}\n"),
        )
    })
}

/// One folder with this many files, all the same.
pub fn wide(files: usize) -> Build {
    with(move |world| {
        let oid = object(world, HUB, "{}");
        let names: Vec<String> = (0..files).map(|i| format!("{i:05x}")).collect();
        let entries: Vec<(&str, &[u8], &str)> = names
            .iter()
            .map(|name| ("100644", name.as_bytes(), oid.as_str()))
            .collect();
        ("40000", raw_tree(world, &entries))
    })
}

/// A commit on top of the hub's, as `git fast-import` makes it of these changes.
pub fn imported(world: &World, changes: &str) -> String {
    let stream = format!(
        "commit refs/heads/made\ncommitter E <e@e> 1795173600 +0000\ndata 1\nx\nfrom {REF}^0\n{changes}\n"
    );
    feed(
        world,
        HUB,
        &["fast-import", "--quiet", "--force", "--date-format=raw"],
        stream.as_bytes(),
    );
    git(world, HUB, &["rev-parse", "refs/heads/made"])
}
