//! Submodules keep issues of their own: the repository that encloses a folder decides, wherever its git directory is.

use crate::support::World;
use crate::support::plumbing::{sound, sound_in};

fn git(world: &World, folder: &str, args: &[&str]) {
    let allowed = [&["-c", "protocol.file.allow=always"], args].concat();
    world.git_in(folder, &allowed).ok();
}

fn create(world: &World, folder: &str, title: &str) {
    world.bd_in(folder, &["create", "-q", title]).ok();
}

fn titles(world: &World, folder: &str) -> Vec<String> {
    let list = world.bd_in(folder, &["list", "--json"]).json();
    let issues = list["issues"].as_array().unwrap().iter();
    let titles = issues.map(|issue| issue["title"].as_str().unwrap().to_owned());
    titles.collect()
}

/// A repository `repo` with a store, and a library with another.
fn world() -> World {
    let world = World::with_store();
    world.create(&["Of the project"]);
    git(&world, ".", &["init", "--quiet", "lib"]);
    git(
        &world,
        "lib",
        &["commit", "--quiet", "--allow-empty", "-m", "first"],
    );
    world.bd_in("lib", &["init", "--prefix", "lib"]).ok();
    create(&world, "lib", "Of the library");
    world
}

#[test]
fn a_submodule_has_a_store_of_its_own() {
    let world = world();
    git(
        &world,
        "repo",
        &["submodule", "--quiet", "add", "../lib", "lib"],
    );
    git(&world, "repo", &["commit", "--quiet", "-m", "submodule"]);
    let joined = world.bd_in("repo/lib", &["init"]).ok();
    assert!(
        joined.contains("prefix: lib, joined from origin"),
        "{joined}"
    );
    create(&world, "repo/lib", "From the submodule");
    world.bd_in("repo/lib", &["sync"]).ok();
    assert_eq!(
        titles(&world, "lib"),
        ["Of the library", "From the submodule"]
    );
    assert_eq!(titles(&world, "repo"), ["Of the project"]);
    assert!(world.path("repo/.git/modules/lib/beads/journal").exists());
    assert_eq!(world.git(&["status", "--short"]).ok(), "");
    // In a clone, and after its work tree went and came again.
    git(
        &world,
        ".",
        &["clone", "--quiet", "--recurse-submodules", "repo", "other"],
    );
    world.bd_in("other/lib", &["init"]).ok();
    git(
        &world,
        "other",
        &["submodule", "--quiet", "deinit", "--force", "lib"],
    );
    git(
        &world,
        "other",
        &["submodule", "--quiet", "update", "--init"],
    );
    assert_eq!(titles(&world, "other/lib").len(), 2);
    let each = "git beads create -q each >/dev/null";
    git(&world, "other", &["submodule", "--quiet", "foreach", each]);
    assert_eq!(titles(&world, "other/lib").len(), 3);
}

#[test]
fn a_git_directory_that_is_absorbed_keeps_its_issues() {
    let world = world();
    git(&world, "repo", &["clone", "--quiet", "../lib", "inner"]);
    world.bd_in("repo/inner", &["init"]).ok();
    create(&world, "repo/inner", "Before");
    git(
        &world,
        "repo",
        &["submodule", "--quiet", "add", "./inner", "inner"],
    );
    git(&world, "repo", &["submodule", "absorbgitdirs"]);
    assert!(world.path("repo/inner/.git").is_file());
    create(&world, "repo/inner", "After");
    let all = ["Of the library", "Before", "After"];
    assert_eq!(titles(&world, "repo/inner"), all);
    git(
        &world,
        "repo/inner",
        &["worktree", "add", "--quiet", "../../tree"],
    );
    create(&world, "tree", "From a worktree");
    assert_eq!(titles(&world, "repo/inner").len(), 4);
    assert_eq!(titles(&world, "repo"), ["Of the project"]);
    sound_in(&world, "repo/inner");
    sound(&world);
}
