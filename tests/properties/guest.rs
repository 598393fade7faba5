//! We are a guest: nothing of the user's repository changes, byte for byte.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::support::plumbing::{commits, git, lines, sound};
use crate::support::{World, files_refs_only};

/// What may change: objects are added, and these places are ours.
const OURS: [&str; 6] = [
    ".git/objects",
    ".git/reftable",
    ".git/refs/beads",
    ".git/refs/beads-import",
    ".git/logs/refs/beads",
    ".git/beads",
];

/// Asserts that two pictures are the same, and names only what is not.
#[track_caller]
fn unchanged(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) {
    let names = before.keys().chain(after.keys());
    let changed: Vec<_> = names
        .filter(|name| before.get(*name) != after.get(*name))
        .collect();
    assert!(changed.is_empty(), "{changed:?}");
}

/// Every file and folder with its mode, contents and, where it is the user's, its time.
fn picture(world: &World) -> BTreeMap<String, String> {
    let root = world.path("repo");
    let mut found = BTreeMap::new();
    look(&root, &root, &mut found);
    // All refs are in one reftable, so of those of the user only git can say what they are.
    found.insert("refs".to_owned(), users_refs(world));
    found
}

/// What git says of all refs that are not ours, of HEAD and of the reflogs.
fn users_refs(world: &World) -> String {
    let ask = |args: &[&str]| {
        let text = world.git(args).stdout;
        let theirs = text.lines().filter(|line| !line.contains("refs/beads"));
        theirs.collect::<Vec<_>>().join("\n")
    };
    let format = "--format=%(refname) %(objectname) %(symref)";
    [
        ask(&["for-each-ref", format]),
        ask(&["symbolic-ref", "HEAD"]),
        ask(&["log", "-g", "--all", "--format=%gD %H %gs"]),
    ]
    .join("\n")
}

fn look(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path
            .strip_prefix(root)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        if OURS.contains(&name.as_str()) {
            continue;
        }
        let meta = std::fs::symlink_metadata(&path).unwrap();
        let time = (meta.mtime(), meta.mtime_nsec());
        let text = if meta.is_dir() {
            look(root, &path, found);
            if [".git/logs", ".git/logs/refs"].contains(&name.as_str()) {
                // The reflog of our ref makes them where there were none.
                continue;
            }
            let ours = name == ".git" || name == ".git/refs";
            if ours {
                format!("{:o}", meta.mode())
            } else {
                format!("{:o} {time:?}", meta.mode())
            }
        } else if meta.is_symlink() {
            format!("{:?} {time:?}", std::fs::read_link(&path).unwrap())
        } else {
            let hash = Sha256::digest(std::fs::read(&path).unwrap());
            format!("{:o} {time:?} {hash:?}", meta.mode())
        };
        found.insert(name, text);
    }
}

/// A repository in the middle of somebody's work.
fn in_use() -> World {
    let world = World::new();
    world.file("repo/src/kept.txt", "kept\n");
    world.file("repo/.gitignore", "*.log\n");
    git(&world, &["add", "."]);
    git(&world, &["commit", "--quiet", "-m", "first"]);
    git(&world, &["branch", "topic"]);
    git(&world, &["tag", "-a", "v1", "-m", "one"]);
    git(&world, &["tag", "light"]);
    git(&world, &["notes", "add", "-m", "a note"]);
    world.file("repo/src/kept.txt", "stashed\n");
    git(&world, &["stash", "--quiet"]);
    world
}

/// What a tracker is used for in a day.
fn long_day(world: &World) {
    world.bd(&["init"]).ok();
    let file = world.file("many.jsonl", lines(150));
    world.bd(&["import", &file]).ok();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let id = world.create(&["Child", "--parent", &epic, "-l", "x"]);
    world
        .bd(&["update", &id, "--title", "Renamed", "-p", "P0"])
        .ok();
    world.bd(&["start", &id]).ok();
    world
        .bd(&["note", &id, "--finding", "found", "--decision", "decided"])
        .ok();
    world.bd(&["dep", "add", &id, "--on", "imp-0001"]).ok();
    let plan = world.file(
        "plan.json",
        r#"[{"title":"a"},{"title":"b","depends_on":[0]}]"#,
    );
    world.bd(&["split", &epic, "-F", &plan]).ok();
    world.bd(&["done", &id, "imp-0002", "-r", "done"]).ok();
    world.bd(&["delete", "imp-0003"]).ok();
    for read in [
        &["list"][..],
        &["ready"],
        &["blocked"],
        &["status"],
        &["log"],
        &["show", &id],
        &["where"],
    ] {
        world.bd(read).ok();
    }
    world.bd(&["search", "imported"]).ok();
    world.bd(&["import", &file]).ok();
    let out = world.path("out.jsonl").display().to_string();
    world.bd(&["export", &out]).ok();
    let _ = world.bd(&["update", "nothing", "--title", "x"]).fails(1);
}

#[test]
fn a_long_day_touches_nothing_of_the_user() {
    let world = in_use();
    world.file("repo/staged.txt", "staged\n");
    git(&world, &["add", "staged.txt"]);
    world.file("repo/src/kept.txt", "changed, not staged\n");
    world.file("repo/untracked.txt", "untracked\n");
    world.file("repo/ignored.log", "ignored\n");
    let status = git(&world, &["status", "--porcelain"]);
    let before = picture(&world);
    long_day(&world);
    unchanged(&before, &picture(&world));
    assert_eq!(git(&world, &["status", "--porcelain"]), status);
    sound(&world);
}

#[test]
fn git_never_shows_us() {
    let world = in_use();
    let (log, branches) = (
        git(&world, &["log", "--branches", "--oneline"]),
        git(&world, &["branch", "--all"]),
    );
    let describe = git(&world, &["describe", "--tags"]);
    long_day(&world);
    assert_eq!(git(&world, &["status", "--porcelain"]), "");
    assert_eq!(git(&world, &["log", "--branches", "--oneline"]), log);
    assert_eq!(git(&world, &["branch", "--all"]), branches);
    assert_eq!(git(&world, &["describe", "--tags"]), describe);
    let all = git(&world, &["for-each-ref", "--format=%(refname)"]);
    assert_eq!(
        all.lines()
            .filter(|name| name.contains("beads"))
            .collect::<Vec<_>>(),
        ["refs/beads/main"]
    );
}

#[test]
fn a_bulk_import_leaves_not_even_an_empty_folder_among_the_refs() {
    let _files = files_refs_only();
    let world = World::with_store();
    let file = world.file("many.jsonl", lines(150));
    world.bd(&["import", &file]).ok();
    let names = std::fs::read_dir(world.path("repo/.git/refs")).unwrap();
    let mut names: Vec<_> = names
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["beads", "heads", "tags"]);
}

#[test]
fn a_repository_without_a_commit_stays_without() {
    let world = World::new();
    let before = picture(&world);
    long_day(&world);
    unchanged(&before, &picture(&world));
    let _ = world.git(&["rev-parse", "--verify", "HEAD"]).fails(128);
}

#[test]
fn a_merge_in_progress_is_left_alone() {
    let world = in_use();
    git(&world, &["switch", "--quiet", "topic"]);
    world.file("repo/src/kept.txt", "theirs\n");
    git(&world, &["commit", "--quiet", "-am", "theirs"]);
    git(&world, &["switch", "--quiet", "main"]);
    world.file("repo/src/kept.txt", "ours\n");
    git(&world, &["commit", "--quiet", "-am", "ours"]);
    let _ = world.git(&["merge", "topic"]).fails(1);
    let before = picture(&world);
    long_day(&world);
    unchanged(&before, &picture(&world));
}

#[test]
fn reading_writes_nothing_but_the_index() {
    let world = in_use();
    long_day(&world);
    let all = |world: &World| {
        let mut files = BTreeMap::new();
        for ours in [".git/objects", ".git/refs"] {
            look(
                &world.path("repo"),
                &world.path("repo").join(ours),
                &mut files,
            );
        }
        files
    };
    let (before, count) = (all(&world), commits(&world));
    for read in [
        &["list"][..],
        &["ready"],
        &["blocked"],
        &["status"],
        &["log"],
        &["search", "Imported"],
        &["export"],
    ] {
        world.bd(read).ok();
    }
    unchanged(&before, &all(&world));
    assert_eq!(commits(&world), count);
}

#[test]
fn our_folder_is_closed_to_others() {
    let world = in_use();
    long_day(&world);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
    let folder = world.path("repo/.git/beads");
    assert_eq!(mode(&folder), 0o700);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn nothing_of_a_rebuild_is_left_behind() {
    let world = in_use();
    long_day(&world);
    let names = std::fs::read_dir(world.path("repo/.git/beads")).unwrap();
    for name in names.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        assert!(
            ["lock", "journal"].contains(&name.as_str())
                || (name.starts_with("index-") && name.ends_with(".db")),
            "{name}"
        );
    }
    let left = std::fs::read_dir(world.path("repo/.git")).unwrap();
    let left: Vec<_> = left
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        !left.iter().any(|name| name.starts_with("fast_import")),
        "{left:?}"
    );
}
