//! The repository that encloses the current directory is the store, as git itself would find it.

use crate::support::World;
use crate::support::plumbing::{REF, able, git, lines, sound};

/// A world whose repository has a commit, a store and one issue.
fn with_issue() -> (World, String) {
    let world = World::with_store();
    world
        .git(&["commit", "--quiet", "--allow-empty", "-m", "first"])
        .ok();
    let id = world.create(&["Found"]);
    (world, id)
}

#[track_caller]
fn finds(world: &World, folder: &str, id: &str) {
    assert_eq!(
        world.bd_in(folder, &["list", "-q"]).ok().trim(),
        id,
        "{folder}"
    );
}

#[test]
fn any_subdirectory_finds_the_enclosing_repository() {
    let (world, id) = with_issue();
    for folder in [
        "repo/a",
        "repo/a/b c/ü",
        "repo/.git",
        "repo/.git/objects",
        "repo/.git/refs",
    ] {
        std::fs::create_dir_all(world.path(folder)).unwrap();
        finds(&world, folder, &id);
    }
}

#[test]
fn a_symbolic_link_to_a_subdirectory_finds_it_too() {
    let (world, id) = with_issue();
    std::fs::create_dir(world.path("repo/sub")).unwrap();
    std::os::unix::fs::symlink(world.path("repo/sub"), world.path("link")).unwrap();
    finds(&world, "link", &id);
}

#[test]
fn a_linked_worktree_shares_the_store() {
    let (world, id) = with_issue();
    git(&world, &["worktree", "add", "--quiet", "../linked"]);
    std::fs::create_dir(world.path("linked/deep")).unwrap();
    finds(&world, "linked", &id);
    finds(&world, "linked/deep", &id);
    world.bd_in("linked", &["create", "From the worktree"]).ok();
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 2);
    assert!(
        !world.path("repo/.git/worktrees/linked/beads").exists(),
        "one index for all worktrees"
    );
    assert!(
        !world.path("repo/.git/worktrees/linked/refs/beads").exists(),
        "one ref for all worktrees"
    );
    assert_eq!(world.git_in("linked", &["status", "--porcelain"]).ok(), "");
}

#[test]
fn a_store_can_be_made_in_a_linked_worktree() {
    let world = World::new();
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "first"],
    );
    git(&world, &["worktree", "add", "--quiet", "../linked"]);
    world.bd_in("linked", &["init"]).ok();
    let file = world.file("many.jsonl", lines(120));
    world.bd_in("linked", &["import", &file]).ok();
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 120);
    sound(&world);
}

#[test]
fn a_bare_repository_holds_a_store() {
    let world = World::empty();
    world.git(&["init", "--quiet", "--bare", "bare.git"]).ok();
    world.bd_in("bare.git", &["init"]).ok();
    let id = world.bd_in("bare.git", &["create", "-q", "Bare"]).ok();
    finds(&world, "bare.git", id.trim());
    finds(&world, "bare.git/objects", id.trim());
    let file = world.file("many.jsonl", lines(120));
    world.bd_in("bare.git", &["import", &file]).ok();
    assert_eq!(
        world.bd_in("bare.git", &["list", "--json"]).json()["total_count"],
        121
    );
}

#[test]
fn a_worktree_of_a_bare_repository_shares_its_store() {
    let (world, id) = with_issue();
    git(&world, &["clone", "--quiet", "--bare", ".", "../bare.git"]);
    world
        .git_in(
            "bare.git",
            &[
                "fetch",
                "--quiet",
                "../repo",
                "refs/beads/main:refs/beads/main",
            ],
        )
        .ok();
    world
        .git_in(
            "bare.git",
            &["worktree", "add", "--quiet", "../linked", "main"],
        )
        .ok();
    finds(&world, "linked", &id);
}

#[test]
fn a_submodule_has_its_own_store() {
    let (world, id) = with_issue();
    world.git_in(".", &["init", "--quiet", "inner"]).ok();
    world
        .git_in(
            "inner",
            &["commit", "--quiet", "--allow-empty", "-m", "first"],
        )
        .ok();
    git(
        &world,
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            "../inner",
            "mod",
        ],
    );
    assert!(
        world
            .bd_in("repo/mod", &["list"])
            .fails(4)
            .contains("hint: git beads init")
    );
    world.bd_in("repo/mod", &["init"]).ok();
    let inner = world.bd_in("repo/mod", &["create", "-q", "Inner"]).ok();
    finds(&world, "repo/mod", inner.trim());
    finds(&world, "repo", &id);
    let in_module = ["rev-parse", "--verify", "refs/beads/main"];
    world.git_in("repo/.git/modules/mod", &in_module).ok();
}

#[test]
fn git_dir_names_the_repository() {
    let (mut world, id) = with_issue();
    let dir = world.path("repo/.git").display().to_string();
    world.set("GIT_DIR", &dir);
    finds(&world, "home", &id);
    world.bd_in("home", &["create", "Through GIT_DIR"]).ok();
    let file = world.file("many.jsonl", lines(120));
    world.bd_in("home", &["import", &file]).ok();
    assert_eq!(
        world.bd_in("home", &["list", "--json"]).json()["total_count"],
        122
    );
}

/// So git starts hooks of a bare repository, and aliases inside `.git`.
#[test]
fn git_dir_may_be_the_current_directory() {
    let (mut world, id) = with_issue();
    world.set("GIT_DIR", ".");
    finds(&world, "repo/.git", &id);
    world.bd_in("repo/.git", &["create", "From a hook"]).ok();
}

#[test]
fn a_git_dir_that_is_no_repository_is_not_searched_further() {
    let (mut world, _) = with_issue();
    let nowhere = world.path("home").display().to_string();
    world.set("GIT_DIR", &nowhere);
    let _ = world.bd(&["list"]).fails(128);
}

#[test]
fn the_search_stops_at_a_ceiling() {
    let (mut world, id) = with_issue();
    std::fs::create_dir_all(world.path("repo/a/b")).unwrap();
    let ceiling = world.path("repo").display().to_string();
    world.set("GIT_CEILING_DIRECTORIES", &ceiling);
    assert!(
        world
            .bd_in("repo/a/b", &["list"])
            .fails(128)
            .contains("not a git repository")
    );
    assert_eq!(
        world.git_in("repo/a/b", &["rev-parse"]).code,
        128,
        "as git does"
    );
    finds(&world, "repo", &id);
}

#[test]
fn a_ceiling_above_the_repository_hides_nothing() {
    let (mut world, id) = with_issue();
    std::fs::create_dir_all(world.path("repo/a/b")).unwrap();
    let ceiling = world.path("").display().to_string();
    world.set("GIT_CEILING_DIRECTORIES", &ceiling);
    finds(&world, "repo/a/b", &id);
}

#[test]
fn our_directory_option_drops_the_variables_of_git() {
    let (mut world, id) = with_issue();
    world.git_in(".", &["init", "--quiet", "other"]).ok();
    let other = |name: &str| world.path(name).display().to_string();
    let (dir, tree, objects) = (
        other("other/.git"),
        other("other"),
        other("other/.git/objects"),
    );
    for (name, value) in [
        ("GIT_DIR", &dir),
        ("GIT_COMMON_DIR", &dir),
        ("GIT_WORK_TREE", &tree),
        ("GIT_OBJECT_DIRECTORY", &objects),
        ("GIT_INDEX_FILE", &format!("{dir}/index")),
    ] {
        world.set(name, value);
    }
    let repo = world.path("repo").display().to_string();
    assert_eq!(
        world
            .bd_in("home", &["-C", &repo, "list", "-q"])
            .ok()
            .trim(),
        id
    );
    assert_eq!(
        world
            .bd_in("home", &["-C", &repo, "where", "--json"])
            .json()["repo"],
        "WORLD/repo"
    );
    world.bd_in("home", &["-C", &repo, "create", "There"]).ok();
    let file = world.file("many.jsonl", lines(120));
    world.bd_in("home", &["-C", &repo, "import", &file]).ok();
    let plain = |folder: &str, args: &[&str]| {
        let mut command = world.command(folder, "git", args);
        for name in [
            "GIT_DIR",
            "GIT_COMMON_DIR",
            "GIT_WORK_TREE",
            "GIT_OBJECT_DIRECTORY",
            "GIT_INDEX_FILE",
        ] {
            command.env_remove(name);
        }
        world.run(command, None)
    };
    assert_eq!(
        plain("repo", &["beads", "list", "--json"]).json()["total_count"],
        122
    );
    plain("repo", &["fsck", "--strict"]).ok();
    assert!(plain("other", &["for-each-ref"]).ok().is_empty());
    assert_eq!(
        plain("other", &["count-objects"]).ok().trim(),
        "0 objects, 0 kilobytes"
    );
}

#[test]
fn a_relative_directory_option_counts_from_here() {
    let (world, id) = with_issue();
    assert_eq!(
        world
            .bd_in("home", &["-C", "../repo", "list", "-q"])
            .ok()
            .trim(),
        id
    );
    let _ = world
        .bd_in("home", &["-C", "../nowhere", "list"])
        .fails(128);
}

#[test]
fn gits_own_directory_option_works() {
    let (world, id) = with_issue();
    assert_eq!(
        world
            .git_in("home", &["-C", "../repo", "beads", "list", "-q"])
            .ok()
            .trim(),
        id
    );
    assert_eq!(
        world
            .git_in("home", &["--git-dir=../repo/.git", "beads", "list", "-q"])
            .ok()
            .trim(),
        id
    );
}

#[test]
fn a_shell_alias_finds_the_same_store() {
    let (world, id) = with_issue();
    git(&world, &["worktree", "add", "--quiet", "../linked"]);
    git(&world, &["config", "alias.b", "!git-beads"]);
    std::fs::create_dir_all(world.path("repo/a/b")).unwrap();
    std::fs::create_dir_all(world.path("linked/a/b")).unwrap();
    for folder in ["repo", "repo/a/b", "linked", "linked/a/b"] {
        assert_eq!(
            world.git_in(folder, &["b", "list", "-q"]).ok().trim(),
            id,
            "{folder}"
        );
    }
    world
        .git_in("linked/a/b", &["b", "create", "By alias"])
        .ok();
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 2);
}

#[test]
fn a_hook_in_a_linked_worktree_writes_to_the_right_repository() {
    let (world, _) = with_issue();
    git(&world, &["worktree", "add", "--quiet", "../linked"]);
    world.git_in(".", &["init", "--quiet", "other"]).ok();
    world.bd_in("other", &["init"]).ok();
    let other = world.path("other").display().to_string();
    world.executable(
        "repo/.git/hooks/pre-commit",
        format!("#!/bin/sh\ngit beads create Here && git beads -C '{other}' create There\n"),
    );
    world
        .git_in(
            "linked",
            &["commit", "--quiet", "--allow-empty", "-m", "second"],
        )
        .ok();
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 2);
    assert_eq!(
        world.bd_in("other", &["list", "--json"]).json()["total_count"],
        1
    );
}

#[test]
fn sha256_repositories_work_like_any_other() {
    let world = World::empty();
    let made = world.git(&["init", "--quiet", "--object-format=sha256", "repo"]);
    if !able(made.code == 0, "this git makes no SHA-256 repositories") {
        return;
    }
    world.bd(&["init"]).ok();
    let id = world.create(&["Long names"]);
    world.bd(&["note", &id, "--finding", "64 digits"]).ok();
    let file = world.file("many.jsonl", lines(120));
    world.bd(&["import", &file]).ok();
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 121);
    assert_eq!(git(&world, &["rev-parse", REF]).len(), 64);
    sound(&world);
}

#[test]
fn the_nearest_repository_wins() {
    let (world, _) = with_issue();
    world.git_in("repo", &["init", "--quiet", "nested"]).ok();
    let _ = world.bd_in("repo/nested", &["list"]).fails(4);
}
