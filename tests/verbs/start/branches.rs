//! Branches that are about an issue.

use crate::support::World;
use crate::support::plumbing::git;

fn branch(world: &World) -> String {
    git(world, &["symbolic-ref", "--short", "HEAD"])
}

#[test]
fn starting_can_make_a_branch_and_remembers_its_issue() {
    let world = World::with_store();
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "Root"],
    );
    let id = world.create(&["Fix the Auth/bug: it's broken, and more than forty characters long"]);
    let said = world.bd(&["start", &id, "--branch"]).ok();
    let name = format!("{id}-fix-the-auth-bug-it-s-broken-and-more");
    assert!(said.contains(&format!("on branch {name}")), "{said}");
    assert_eq!(branch(&world), name);
    assert_eq!(git(&world, &["config", &format!("branch.{name}.bead")]), id);
    world.bd(&["note", "--finding", "It holds"]).ok();
    world.bd(&["update", "-p", "1"]).ok();
    let shown = world.bd(&["show"]).ok();
    assert!(
        shown.contains("It holds") && shown.contains("P1") && shown.starts_with(&id),
        "{shown}"
    );
    assert_eq!(world.bd(&["commit-msg"]).ok(), format!("Bead: {id}\n"));
    assert_eq!(
        world.bd(&["commit-msg", "--closes"]).ok(),
        format!("Closes: {id}\n")
    );
    let trailer = world.bd(&["commit-msg", &id]).ok();
    git(
        &world,
        &[
            "commit",
            "--quiet",
            "--allow-empty",
            "-m",
            "Work",
            "--trailer",
            trailer.trim(),
        ],
    );
    git(&world, &["switch", "--quiet", "main"]);
    git(&world, &["merge", "--quiet", "--ff-only", &name]);
    assert!(world.bd(&["show", &id]).ok().contains(" Work\n"));
    git(&world, &["switch", "--quiet", &name]);
    world.bd(&["done", "-r", "It works"]).ok();
    assert_eq!(
        world.bd(&["show", "--json"]).json()["issue"]["status"],
        "closed"
    );
    git(&world, &["switch", "--quiet", "main"]);
    git(&world, &["branch", "--quiet", "-D", &name]);
    assert_eq!(
        world.git(&["config", "--get-regexp", "bead"]).code,
        1,
        "it goes with its branch"
    );
}

#[test]
fn a_branch_that_is_there_is_switched_to() {
    let world = World::with_store();
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "Root"],
    );
    git(&world, &["branch", "feature/x.y"]);
    let id = world.create(&["One"]);
    for _ in 0..2 {
        world.bd(&["start", &id, "--branch=feature/x.y"]).ok();
        assert_eq!(
            (
                branch(&world).as_str(),
                world.bd(&["show", "-q"]).ok().trim()
            ),
            ("feature/x.y", id.as_str())
        );
    }
    git(&world, &["branch", "-m", "renamed"]);
    assert_eq!(
        world.bd(&["show", "-q"]).ok().trim(),
        id,
        "it follows its branch"
    );
    git(&world, &["worktree", "add", "--quiet", "../tree", "main"]);
    let other = world.create(&["Two"]);
    world.bd_in("tree", &["start", &other, "--branch"]).ok();
    assert_eq!(world.bd_in("tree", &["show", "-q"]).ok().trim(), other);
    assert_eq!(
        world.bd(&["show", "-q"]).ok().trim(),
        id,
        "each worktree has its own"
    );
}

#[test]
fn the_users_hooks_run_and_their_work_is_safe() {
    let world = World::with_store();
    world.file("repo/file", "one");
    git(&world, &["add", "file"]);
    git(&world, &["commit", "--quiet", "-m", "Root"]);
    git(&world, &["switch", "--quiet", "-c", "other"]);
    world.file("repo/file", "two");
    git(&world, &["commit", "--quiet", "-am", "Other"]);
    git(&world, &["switch", "--quiet", "main"]);
    world.executable("repo/.git/hooks/post-checkout", "#!/bin/sh\ntouch hooked\n");
    let id = world.create(&["One"]);
    world.file("repo/file", "mine");
    let said = world.bd(&["start", &id, "--branch=other"]).fails(6);
    assert!(
        said.contains("is started, but the branch could not be switched")
            && said.contains("git switch"),
        "{said}"
    );
    assert_eq!(
        std::fs::read_to_string(world.path("repo/file")).unwrap(),
        "mine"
    );
    assert_eq!(
        world.bd(&["show", &id, "--json"]).json()["issue"]["status"],
        "in_progress"
    );
    world.bd(&["start", &id, "--branch"]).ok();
    assert!(world.path("repo/hooked").exists());
    assert_eq!(
        std::fs::read_to_string(world.path("repo/file")).unwrap(),
        "mine"
    );
}

#[test]
fn what_can_not_be_is_said() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    for verb in ["show", "done", "update", "note", "commit-msg"] {
        let said = world.bd(&[verb]).fails(2);
        assert!(
            said.contains("no ID given") && said.contains(&format!("git beads {verb} ID")),
            "{verb}: {said}"
        );
    }
    for name in ["--x", "a..b", "", "x y", "-", "a~b", "x.lock"] {
        let said = world
            .bd(&["start", &id, &format!("--branch={name}")])
            .fails(6);
        assert!(said.contains("is no name for a branch"), "{name}: {said}");
    }
    git(&world, &["init", "--quiet", "--bare", "../bare.git"]);
    world.bd_in("bare.git", &["init"]).ok();
    let bare = world.bd_in("bare.git", &["q", "x"]).ok();
    assert!(
        world
            .bd_in("bare.git", &["start", bare.trim(), "--branch"])
            .fails(6)
            .contains("no work tree")
    );
}

#[test]
fn a_hook_that_fails_after_the_switch_does_not_undo_it() {
    let world = World::with_store();
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "Root"],
    );
    world.executable("repo/.git/hooks/post-checkout", "#!/bin/sh\nexit 7\n");
    let id = world.create(&["One"]);
    world.bd(&["start", &id, "--branch=new"]).ok();
    assert_eq!(
        (
            branch(&world).as_str(),
            world.bd(&["show", "-q"]).ok().trim()
        ),
        ("new", id.as_str())
    );
}

#[test]
fn a_rename_takes_the_branch_along() {
    let world = World::with_store();
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "Root"],
    );
    let id = world.create(&["One"]);
    world.bd(&["start", &id, "--branch"]).ok();
    world.bd(&["rename", &id, "bd-new1"]).ok();
    assert_eq!(world.bd(&["show", "-q"]).ok().trim(), "bd-new1");
}

#[test]
fn every_issue_has_a_name_for_its_branch() {
    let world = World::with_store();
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "Root"],
    );
    let mut names = Vec::new();
    for (id, title) in [
        ("日本", "日本語"),
        ("app-a.lock", "日本語"),
        ("HEAD", "日本語"),
        ("app-a..lock", "x"),
        ("app-a-lock", "x"),
    ] {
        let old = world.create(&[title]);
        world.bd(&["rename", &old, id]).ok();
        world.bd(&["start", id, "--branch"]).ok();
        assert_eq!(world.bd(&["show", "-q"]).ok().trim(), id);
        names.push(branch(&world));
    }
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "{names:?}");
}
