//! Repositories that several users share by `core.sharedRepository`: every mode is the one that git gives.

use std::collections::BTreeSet;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use crate::properties::faults::is_tried;
use crate::support::plumbing::{able, is_root, system};
use crate::support::{Output, World, binary};

const GROUP: u32 = 65_532;
const ANN: u32 = 65_534;
const BEN: u32 = 65_533;

/// Runs a command in `repo` as a user of the group, with the usual mask.
fn run_as(world: &World, user: u32, command: &[&str]) -> Output {
    let (user, group) = (user.to_string(), GROUP.to_string());
    let mut all = vec!["--reuid", &user, "--regid", &group, "--clear-groups"];
    all.extend(["sh", "-c", "umask 022; exec \"$@\"", "sh"]);
    all.extend(command);
    let mut command = world.command("repo", "setpriv", &all);
    command.env("HOME", world.path(&format!("home-{user}")));
    world.run(command, None)
}

fn bd_as(world: &World, user: u32, args: &[&str]) -> Output {
    run_as(world, user, &[&[binary()], args].concat())
}

fn git_as(world: &World, user: u32, args: &[&str]) -> Output {
    run_as(world, user, &[&["git"], args].concat())
}

/// A bare repository of two users, made with `--shared=<value>`; none where we can't be both.
fn of_two(value: &str) -> Option<World> {
    let world = World::empty();
    std::fs::set_permissions(world.path(""), PermissionsExt::from_mode(0o755)).unwrap();
    let give = |path: &Path, user: u32| {
        let owner = format!("{user}:{GROUP}");
        assert!(system("chown", &[&owner, path.to_str().unwrap()]));
    };
    for user in [ANN, BEN] {
        let home = format!("home-{user}");
        let config =
            format!("[user]\n\tname = u{user}\n\temail = u@example.org\n[safe]\n\tdirectory = *\n");
        world.file(&format!("{home}/.gitconfig"), config);
        if is_root() {
            give(&world.path(&home), user);
        }
    }
    std::fs::create_dir(world.path("repo")).unwrap();
    let possible = is_root() && world.lend("setpriv") && {
        give(&world.path("repo"), ANN);
        bd_as(&world, ANN, &["version"]).code == 0
    };
    if !able(
        possible,
        "needs root, setpriv, and a target folder that others may enter",
    ) {
        return None;
    }
    let shared = format!("--shared={value}");
    git_as(&world, ANN, &["init", "--quiet", "--bare", &shared, "."]).ok();
    git_as(&world, ANN, &["config", "core.logAllRefUpdates", "always"]).ok();
    Some(world)
}

/// The kind of a path that git makes in a repository, for its mode; none for what only git itself makes.
fn kind(path: &str) -> Option<&'static str> {
    let parts: Vec<&str> = path.split('/').collect();
    match &parts[..] {
        ["objects", folder] if folder.len() == 2 => Some("a folder of objects"),
        ["objects", folder, _] if folder.len() == 2 => Some("an object"),
        ["objects", "pack", name] => name.rsplit_once('.').and_then(|(_, ending)| match ending {
            "pack" | "idx" | "rev" => Some("a pack"),
            _ => None,
        }),
        ["refs", "beads", _] => Some("a ref"),
        ["refs" | "logs", "beads"] | ["logs", "refs"] | ["logs", "refs", "beads"] => {
            Some("a folder of refs")
        }
        ["logs", "refs", "beads", _] => Some("a reflog"),
        _ => None,
    }
}

fn walk(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, found);
        }
        found.push(path);
    }
}

/// The modes of a repository, by kind.
fn modes(world: &World) -> BTreeSet<String> {
    let (root, mut paths) = (world.path("repo"), Vec::new());
    walk(&root, &mut paths);
    let mode = |path: &std::path::PathBuf| {
        let kind = kind(path.strip_prefix(&root).unwrap().to_str()?)?;
        let mode = std::fs::symlink_metadata(path).unwrap().mode();
        Some(format!("{kind}: {:o}", mode & 0o7777))
    };
    paths.iter().filter_map(mode).collect()
}

/// The modes that git gives, with refs where ours are.
fn modes_of_git(value: &str) -> Option<BTreeSet<String>> {
    let world = of_two(value)?;
    let script = "for i in $(seq 40); do \
        tree=$(printf '100644 blob %s\\tf\\n' $(echo $i | git hash-object -w --stdin) | git mktree); \
        git update-ref --create-reflog refs/beads/main $(git commit-tree -m $i $tree); done; \
        printf '%s\\n' $(git rev-parse refs/beads/main) | git pack-objects -q objects/pack/beads";
    run_as(&world, ANN, &["sh", "-c", script]).ok();
    Some(modes(&world))
}

#[test]
fn every_mode_is_that_of_git() {
    let values = ["group", "all", "0640", "umask"];
    for (n, value) in values.into_iter().enumerate() {
        if !is_tried(n, 2) {
            continue;
        }
        let (Some(world), Some(expected)) = (of_two(value), modes_of_git(value)) else {
            return;
        };
        bd_as(&world, ANN, &["init", "-q"]).ok();
        for n in 0..(if value == "group" { 40 } else { 8 }) {
            bd_as(&world, ANN, &["create", "-q", &format!("issue {n}")]).ok();
        }
        // One too large for a block, and a pack of our own.
        bd_as(
            &world,
            ANN,
            &["create", "-q", "large", "-d", &"x".repeat(9000)],
        )
        .ok();
        bd_as(&world, ANN, &["hook", "fold"]).ok();
        world.file("many.jsonl", crate::support::plumbing::lines(300));
        let many = world.path("many.jsonl").display().to_string();
        bd_as(&world, ANN, &["import", "-q", &many]).ok();
        bd_as(&world, ANN, &["list", "-q"]).ok();
        assert_eq!(modes(&world), expected, "{value}");
        let own = match value {
            "group" => (0o2770, 0o660),
            "all" => (0o2775, 0o664),
            "0640" => (0o2750, 0o640),
            _ => (0o700, 0o600),
        };
        let folder = world.path("repo/beads");
        assert_eq!(folder.metadata().unwrap().mode() & 0o7777, own.0, "{value}");
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().mode() & 0o7777;
            assert_eq!(mode, own.1, "{value}: {entry:?} {mode:o}");
        }
        assert_eq!(bd_as(&world, ANN, &["doctor", "-q"]).code, 0, "{value}");
    }
}

#[test]
fn two_users_write_and_git_does_for_both() {
    let Some(world) = of_two("group") else {
        return;
    };
    let hub = world.path("hub").display().to_string();
    std::fs::create_dir(&hub).unwrap();
    assert!(system("chown", &[&format!("{ANN}:{GROUP}"), &hub]));
    git_as(
        &world,
        ANN,
        &["init", "--quiet", "--bare", "--shared", &hub],
    )
    .ok();
    bd_as(&world, ANN, &["init", "-q"]).ok();
    git_as(&world, ANN, &["remote", "add", "origin", &hub]).ok();
    for n in 0..40 {
        bd_as(&world, ANN, &["create", "-q", &format!("issue {n}")]).ok();
    }
    for (n, user) in [BEN, ANN, BEN, ANN].into_iter().enumerate() {
        bd_as(&world, user, &["create", "-q", &format!("in turn {n}")]).ok();
        assert!(bd_as(&world, user, &["list"]).ok().contains("in turn"));
        bd_as(&world, user, &["sync", "-q"]).ok();
    }
    // Each has an index of their own, which following the other does not make again.
    let indexes = |user: u32| {
        let entries = std::fs::read_dir(world.path("repo/beads")).unwrap();
        let names = entries.flatten().filter(|entry| {
            let name = entry.file_name().into_string().unwrap();
            let is_rows = name.starts_with("index-") && !name.contains("late");
            is_rows && entry.metadata().unwrap().uid() == user
        });
        names.map(|entry| entry.file_name()).collect::<Vec<_>>()
    };
    let before = (indexes(ANN), indexes(BEN));
    assert_eq!((before.0.len(), before.1.len()), (1, 1), "{before:?}");
    for user in [BEN, ANN, BEN] {
        bd_as(&world, user, &["create", "-q", "again"]).ok();
        bd_as(&world, user, &["list", "-q"]).ok();
    }
    assert_eq!((indexes(ANN), indexes(BEN)), before);
    for n in 0..20 {
        world.file("text", format!("of ben {n}"));
        git_as(&world, BEN, &["hash-object", "-w", "../text"]).ok();
    }
    let script = "git clone -q . ~/clone && cd ~/clone && git commit -q --allow-empty -m b \
        && git push -q origin HEAD:refs/heads/b";
    run_as(&world, BEN, &["sh", "-c", script]).ok();
    git_as(&world, BEN, &["gc", "--quiet", "--prune=now"]).ok();
    git_as(&world, BEN, &["pack-refs", "--all"]).ok();
    for user in [ANN, BEN] {
        bd_as(&world, user, &["create", "-q", "after gc"]).ok();
        bd_as(&world, user, &["sync", "-q"]).ok();
        bd_as(&world, user, &["doctor"]).ok();
    }
    git_as(&world, ANN, &["fsck", "--strict", "--no-dangling"]).ok();
}

#[test]
fn a_value_that_git_refuses_is_refused() {
    let world = World::new();
    world.git(&["config", "core.sharedRepository", "0400"]).ok();
    let text = world.bd(&["init"]).fails(6);
    assert!(text.contains("core.sharedRepository"), "{text}");
}
