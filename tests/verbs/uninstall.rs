//! Everything that was put into a repository comes out of it again.

use crate::support::World;
use crate::support::plumbing::{REF, git, hub, sound, tip};

fn used() -> (World, String) {
    let world = World::with_store();
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "Root"],
    );
    let before = std::fs::read_to_string(world.path("repo/.git/config")).unwrap();
    git(&world, &["config", "beads.trackFetch", "true"]);
    git(&world, &["config", "beads.prefix", "bd"]);
    git(&world, &["config", "color.beads", "never"]);
    hub(&world);
    git(
        &world,
        &[
            "config",
            "--add",
            "remote.origin.fetch",
            "+refs/heads/*:refs/remotes/origin/*",
        ],
    );
    let id = world.create(&["Kept"]);
    world.bd(&["start", &id, "--branch"]).ok();
    world.bd(&["note", "--finding", "It holds"]).ok();
    (world, before)
}

#[test]
fn all_but_the_issues_goes() {
    let (world, _) = used();
    let before = tip(&world);
    let config = world.path("repo/.git/config");
    let agents = world.file("repo/AGENTS.md", "# Ours\n");
    world.bd(&["setup", "claude", "--write"]).ok();
    let hook = world.executable("repo/.git/hooks/post-merge", "#!/bin/sh\ntrue\n");
    world.bd(&["hooks", "install"]).ok();
    let whole = std::fs::read_to_string(&config).unwrap();
    let said = world.bd(&["uninstall", "--dry-run"]).ok();
    assert!(
        said.contains("would remove configuration: beads.prefix") && said.contains(".git/beads"),
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(&config).unwrap(), whole);
    let said = world.bd(&["uninstall"]).ok();
    for part in [
        "removed configuration: beads.trackfetch",
        "+refs/beads/main*:",
        "removed hooks: ",
        "removed agents: .mcp.json",
        "remains: ref: refs/beads/main",
        "remains: the issues at the remote origin",
        "remains: other clones",
        "remains: the program: ",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(std::fs::read_to_string(&agents).unwrap(), "# Ours\n");
    assert_eq!(std::fs::read_to_string(&hook).unwrap(), "#!/bin/sh\ntrue\n");
    assert!(!world.path("repo/.mcp.json").exists() && !world.path("repo/.claude").exists());
    let after = std::fs::read_to_string(&config).unwrap();
    assert!(
        !after.contains("bead") && after.contains("+refs/heads/*"),
        "{after}"
    );
    assert!(!world.path("repo/.git/beads").exists());
    assert_eq!(tip(&world), before);
    sound(&world);
    assert!(
        world.bd(&["list"]).ok().contains("Kept"),
        "and it can be used again"
    );
    world.create(&["Again"]);
}

#[test]
fn what_the_journal_held_is_durable_before_it_goes() {
    let (world, _) = used();
    world.bd(&["uninstall"]).ok();
    let objects = git(&world, &["rev-list", "--objects", REF]);
    let packed = git(&world, &["verify-pack", "-v", "--", &packs(&world)]);
    let newest = objects.lines().next().unwrap();
    assert!(packed.contains(newest), "{packed}");
}

fn packs(world: &World) -> String {
    let entries = std::fs::read_dir(world.path("repo/.git/objects/pack")).unwrap();
    let paths = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "idx"));
    paths
        .max_by_key(|path| path.metadata().unwrap().modified().unwrap())
        .unwrap()
        .display()
        .to_string()
}

#[test]
fn the_issues_go_only_where_that_is_asked_for_and_shown() {
    let (world, _) = used();
    let before = tip(&world);
    let dry = world.bd(&["uninstall", "--purge-ref", "--dry-run"]).ok();
    assert!(
        dry.contains(&format!("would remove ref: refs/beads/main ({before})")),
        "{dry}"
    );
    assert_eq!(tip(&world), before);
    let said = world.bd(&["uninstall", "--purge-ref", "--yes"]);
    assert!(
        said.stderr.contains("refs/beads/main at") && said.stderr.contains(": 1 issues"),
        "{said:?}"
    );
    assert!(
        said.stderr.contains("of its commits are on no remote"),
        "{said:?}"
    );
    assert!(
        said.stderr
            .contains(&format!("git update-ref refs/beads/main {before}")),
        "{said:?}"
    );
    said.ok();
    assert_eq!(git(&world, &["for-each-ref", "refs/beads*"]), "");
    assert!(
        !world.path("repo/.git/beads").exists()
            && !world.path("repo/.git/logs/refs/beads").exists()
    );
    let _ = world.bd(&["list"]).fails(4);
    git(&world, &["update-ref", REF, &before]);
    assert!(world.bd(&["list"]).ok().contains("Kept"));
}

#[test]
fn where_nothing_is_there_is_nothing_to_take_out() {
    let world = World::new();
    let said = world.bd(&["uninstall"]).ok();
    assert!(!said.contains("removed"), "{said}");
    assert!(!world.path("repo/.git/beads").exists());
}

#[test]
fn a_person_is_asked() {
    let (world, _) = used();
    let before = tip(&world);
    let script = format!(
        "echo n | {} uninstall --purge-ref",
        crate::support::binary()
    );
    // Not a terminal on both ends: what was asked for is done only after it was shown.
    let piped = world
        .run(
            world.command("repo", "sh", &["-c", &format!("{script} --dry-run")]),
            None,
        )
        .ok();
    assert!(piped.contains("would remove ref"));
    assert_eq!(tip(&world), before);
}

#[test]
fn without_a_terminal_the_issues_go_only_with_yes() {
    let (world, _) = used();
    let before = tip(&world);
    world.bd(&["hooks", "install"]).ok();
    let said = world.bd(&["uninstall", "--purge-ref"]).fails(2);
    assert!(
        said.contains("nothing was removed")
            && said.contains("hint: git beads uninstall --purge-ref --yes\n"),
        "{said}"
    );
    assert_eq!(tip(&world), before);
    assert!(git(&world, &["config", "--list"]).contains("beads.prefix=bd"));
}

#[test]
fn a_failure_before_them_leaves_the_issues() {
    let (world, _) = used();
    let before = tip(&world);
    let lock = world.file("repo/.git/config.lock", "");
    let said = world.bd(&["uninstall", "--purge-ref", "--yes"]);
    assert_ne!(said.code, 0, "{said:?}");
    assert_eq!(tip(&world), before);
    assert!(world.bd(&["list"]).ok().contains("Kept"));
    std::fs::remove_file(lock).unwrap();
    world.bd(&["uninstall", "--purge-ref", "--yes"]).ok();
    assert_eq!(git(&world, &["for-each-ref", "refs/beads*"]), "");
    assert!(!world.path("repo/.git/beads").exists());
}

#[test]
fn damage_does_not_keep_it_in() {
    let (world, _) = used();
    let old = git(&world, &["rev-parse", &format!("{REF}~1")]);
    std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap();
    std::fs::remove_file(crate::support::plumbing::loose(&world, &old)).unwrap();
    world.file("repo/.git/beads/aside-ref-1", "kept");
    std::fs::create_dir(world.path("repo/.git/beads/theirs")).unwrap();
    let said = world.bd(&["uninstall"]).ok();
    assert!(
        said.contains("aside-ref-1") && said.contains("beads/theirs"),
        "{said}"
    );
    assert!(!world.path("repo/.git/beads/lock").exists());
    let said = world.bd(&["uninstall", "--purge-ref", "--yes"]);
    assert!(said.stderr.contains("can't be determined"), "{said:?}");
    said.ok();
    assert_eq!(git(&world, &["for-each-ref", "refs/beads*"]), "");
}

#[test]
fn a_key_that_stands_twice_goes_too() {
    let (world, _) = used();
    let config = world.path("repo/.git/config");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(
        &config,
        format!("{text}[beads]\n\tlistLimit = 5\n\tprefix = bd\n"),
    )
    .unwrap();
    git(
        &world,
        &[
            "config",
            "--add",
            "remote.origin.fetch",
            "+refs/beads/main*:refs/beads-remotes/origin/main*",
        ],
    );
    let found = ["config", "remote.origin.beadsRef", "refs/heads/beads"];
    git(&world, &found);
    git(&world, &["config", "--global", "beads.actor", "ann"]);
    let said = world.bd(&["uninstall"]).ok();
    assert!(
        said.contains("remains: configuration: global beads.actor"),
        "{said}"
    );
    assert!(
        !std::fs::read_to_string(&config).unwrap().contains("bead"),
        "{said}"
    );
}

#[test]
fn other_work_trees_are_named() {
    let (world, _) = used();
    git(&world, &["worktree", "add", "--quiet", "../tree", "HEAD"]);
    assert!(
        world
            .bd_in("tree", &["uninstall"])
            .ok()
            .contains("the work tree WORLD/repo, with files of agents")
    );
}

#[test]
fn writers_beside_it_lose_nothing() {
    let (world, _) = used();
    let mut commands = Vec::new();
    for n in 0..6 {
        commands.extend(
            (0..4).map(|m| {
                crate::support::plumbing::program(&world, &["q", &format!("Issue {n}.{m}")])
            }),
        );
        if n == 2 {
            commands.push(crate::support::plumbing::program(&world, &["uninstall"]));
        }
    }
    let outputs = crate::support::plumbing::together(commands);
    let made = outputs
        .iter()
        .filter(|output| output.code == 0 && output.stdout.starts_with("bd-"))
        .count();
    assert!(outputs.iter().all(|output| output.code == 0), "{outputs:?}");
    assert_eq!(
        world.bd(&["list", "-n", "0", "--json"]).json()["total_count"],
        made + 1
    );
    sound(&world);
}
