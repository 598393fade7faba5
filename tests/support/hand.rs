//! Git's own commands in any clone: what another program could write there.

use serde_json::{Value, json};

use crate::support::World;

/// The hidden ref.
pub const REF: &str = "refs/beads/main";

/// What git says in a folder, without the final newline.
#[track_caller]
pub fn git(world: &World, folder: &str, args: &[&str]) -> String {
    world.git_in(folder, args).ok().trim_end().to_owned()
}

/// What git says to something on standard input.
#[track_caller]
pub fn feed(world: &World, folder: &str, args: &[&str], input: &[u8]) -> String {
    world
        .run(world.command(folder, "git", args), Some(input))
        .ok()
        .trim_end()
        .to_owned()
}

/// Stores a blob.
#[track_caller]
pub fn object(world: &World, folder: &str, bytes: impl AsRef<[u8]>) -> String {
    feed(
        world,
        folder,
        &["hash-object", "-w", "--stdin"],
        bytes.as_ref(),
    )
}

/// A commit of a tree on top of others.
#[track_caller]
pub fn commit(world: &World, folder: &str, tree: &str, parents: &[&str]) -> String {
    let mut args = vec![
        "-c",
        "user.name=Eve",
        "-c",
        "user.email=eve@example.org",
        "commit-tree",
        tree,
        "-m",
        "by hand",
    ];
    for parent in parents {
        args.extend(["-p", parent]);
    }
    git(world, folder, &args)
}

/// The tree of a folder's hidden ref with some paths put into it: mode, object, path.
#[track_caller]
pub fn tree_with(world: &World, folder: &str, entries: &[(&str, &str, &str)]) -> String {
    let scratch = world.path("scratch.index");
    let _ = std::fs::remove_file(&scratch);
    let with_index = |args: &[&str]| {
        let mut command = world.command(folder, "git", args);
        command.env("GIT_INDEX_FILE", &scratch);
        world.run(command, None).ok().trim().to_owned()
    };
    with_index(&["read-tree", REF]);
    for (mode, oid, path) in entries {
        with_index(&[
            "update-index",
            "--add",
            "--replace",
            "--cacheinfo",
            &format!("{mode},{oid},{path}"),
        ]);
    }
    with_index(&["write-tree", "--missing-ok"])
}

/// Commits one blob on top of a folder's hidden ref, as a program other than ours would.
#[track_caller]
pub fn put(world: &World, folder: &str, path: &str, bytes: impl AsRef<[u8]>) -> String {
    let tree = tree_with(
        world,
        folder,
        &[("100644", &object(world, folder, bytes), path)],
    );
    let new = commit(world, folder, &tree, &[REF]);
    git(world, folder, &["update-ref", REF, &new]);
    new
}

/// The bytes of a blob at a folder's hidden ref.
#[track_caller]
pub fn blob(world: &World, folder: &str, path: &str) -> String {
    world
        .git_in(folder, &["cat-file", "blob", &format!("{REF}:{path}")])
        .ok()
}

/// The identity behind an id.
#[track_caller]
pub fn uid(world: &World, folder: &str, id: &str) -> String {
    world.bd_in(folder, &["show", id, "--json"]).json()["issue"]["uid"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Writes registers of an issue, as a program other than ours would.
#[track_caller]
pub fn set_registers(world: &World, folder: &str, uid: &str, registers: &Value) {
    let paths = git(world, folder, &["ls-tree", "-r", "--name-only", REF]);
    let of_issue = |path: &&str| path.contains(uid) && path.ends_with("issue.json");
    let path = paths.lines().find(of_issue).unwrap();
    let mut issue: Value = serde_json::from_str(&blob(world, folder, path)).unwrap();
    let registers = registers.as_object().unwrap().clone();
    issue.as_object_mut().unwrap().extend(registers);
    put(world, folder, path, format!("{issue}\n"));
}

/// Imports issues into `repo` under any ids. An import gives none that a command would quote: these are set by hand.
#[track_caller]
pub fn import_any(world: &World, records: &[Value]) {
    let is_plain = |id: &str| id.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    let ids = records
        .iter()
        .filter_map(|record| record["id"].as_str().filter(|id| !is_plain(id)));
    let odd: Vec<&str> = ids.collect();
    let mut lines = String::new();
    for record in records {
        let mut record = record.clone();
        named(&mut record, &odd);
        lines.push_str(&format!("{record}\n"));
    }
    world.bd_with(lines, &["import", "-"]).ok();
    for (n, id) in odd.iter().enumerate() {
        let uid = uid(world, "repo", &format!("odd-{n}"));
        set_registers(world, "repo", &uid, &json!({"id": id}));
    }
}

/// Puts `odd-0` and so on in the place of ids.
fn named(value: &mut Value, odd: &[&str]) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| named(item, odd)),
        Value::Object(map) => {
            for (key, item) in map {
                let is_id = ["id", "issue_id", "depends_on_id"].contains(&key.as_str());
                let at = odd.iter().position(|id| item == id);
                match at.filter(|_| is_id) {
                    Some(n) => *item = json!(format!("odd-{n}")),
                    None => named(item, odd),
                }
            }
        }
        _ => {}
    }
}
