//! `rename-prefix`: another prefix for new ids; `properties` has what becomes of it where clones meet.

use crate::support::World;
use crate::support::look::{commits, quiet};
use crate::support::samples::one;

#[test]
fn new_ids_have_it_and_those_that_are_there_stay() {
    let world = one();
    let said = world.bd(&["rename-prefix", "app"]).ok();
    assert!(said.contains("app-") && said.contains("was bd-"), "{said}");
    let made = world.create(&["New"]);
    assert!(made.starts_with("app-"), "{made}");
    assert_eq!(quiet(&world, &["list"]), ["bd-a", &made]);
}

#[test]
fn its_answer_has_the_prefix_before_and_after() {
    let world = one();
    let answer = world.bd(&["rename-prefix", "app", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["prefix"], &answer["was"]),
        (&"report".into(), &"app".into(), &"bd".into())
    );
    let before = commits(&world);
    world.bd(&["rename-prefix", "app"]).ok();
    assert_eq!(commits(&world), before, "it is that one already");
}

#[test]
fn a_setting_that_counts_more_is_named_with_what_changes_it() {
    let world = one();
    world
        .git(&["config", "--global", "beads.prefix", "own"])
        .ok();
    let said = world.bd(&["rename-prefix", "app"]).all();
    assert!(said.contains("beads.prefix is own"), "{said}");
    let command = said.split("counts more: git ").nth(1).unwrap();
    let words: Vec<&str> = command.lines().next().unwrap().split(' ').collect();
    world.git(&words).ok();
    assert!(world.create(&["New"]).starts_with("app-"));
}

#[test]
fn what_is_no_prefix_is_refused() {
    let world = one();
    let before = commits(&world);
    for bad in ["", "a b", "a..b", "a/b", &"x".repeat(41)] {
        let error = world.bd(&["rename-prefix", bad]).fails(1);
        assert!(
            error.contains("is not a prefix") && error.contains("hint: git beads rename-prefix bd"),
            "{bad:?}: {error}"
        );
    }
    assert_eq!(commits(&world), before);
}

#[test]
fn it_is_the_last_operation_that_an_undo_takes_back() {
    let world = one();
    world.bd(&["rename-prefix", "app"]).ok();
    let said = world.bd(&["undo"]).ok();
    assert!(said.contains("rename-prefix bd to app"), "{said}");
    let answer = world.bd(&["rename-prefix", "web", "--json"]).json();
    assert_eq!(answer["was"], "bd");
    assert_eq!(quiet(&world, &["list"]), ["bd-a"], "the issue is there");
}

#[test]
fn a_prefix_of_any_script_gives_ids() {
    for prefix in [
        "haxe.ocaml",
        "2digits",
        ".claude",
        "café",
        "проект",
        "हिन्दी",
    ] {
        let world = one();
        let dashed = world.bd(&["rename-prefix", &format!("{prefix}-")]).fails(1);
        assert!(
            dashed.contains(&format!("rename-prefix {prefix}\n")),
            "{dashed}"
        );
        world.bd(&["rename-prefix", prefix]).ok();
        let id = world.create(&["New"]);
        let tail = id.strip_prefix(&format!("{prefix}-")).unwrap();
        let beginning = &id[..id.len() - 1];
        for short in [tail, beginning] {
            assert_eq!(
                world.bd(&["show", short, "--json"]).json()["issue"]["id"],
                id.as_str()
            );
        }
        let child = world.create(&["Part", "--parent", &id]);
        assert_eq!(child, format!("{id}.1"));
        let completed = world
            .bd(&["__complete", "--", "git", "beads", "show", beginning])
            .ok();
        assert!(completed.contains(&id), "{completed}");
        work_in_a_branch(&world, &child);
        let renamed = world
            .bd(&["export"])
            .ok()
            .replace("bd-", &format!("{prefix}-"));
        let other = World::new();
        let file = other.file("other.jsonl", renamed);
        other.bd(&["init", "--import", &file]).ok();
        assert!(other.create(&["n"]).starts_with(&format!("{prefix}-")));
        let given = World::new();
        let dashed = given
            .bd(&["init", "--prefix", &format!("{prefix}-")])
            .fails(1);
        assert!(
            dashed.contains(&format!("init --prefix {prefix}\n")),
            "{dashed}"
        );
        given.bd(&["init", "--prefix", prefix]).ok();
        assert!(given.create(&["n"]).starts_with(&format!("{prefix}-")));
    }
}

/// A branch has the id in its name, a commit on it names the issue, and closes it where it has landed.
#[track_caller]
fn work_in_a_branch(world: &World, id: &str) {
    let git = |args: &[&str]| world.git(args).ok();
    git(&["commit", "--quiet", "--allow-empty", "-m", "Root"]);
    let main = git(&["branch", "--show-current"]);
    world.bd(&["start", id, "--branch"]).ok();
    let branch = git(&["branch", "--show-current"]);
    assert_eq!(
        branch.trim(),
        format!("{}-part", id.trim_start_matches('.'))
    );
    assert_eq!(world.bd(&["show", "-q"]).ok().trim(), id);
    let closes = format!("Part\n\nCloses: {id}");
    git(&["commit", "--quiet", "--allow-empty", "-m", &closes]);
    git(&["switch", "--quiet", main.trim()]);
    git(&["merge", "--quiet", "--ff-only", branch.trim()]);
    world.bd(&["done", "--landed"]).ok();
    assert_eq!(
        world.bd(&["show", id, "--json"]).json()["issue"]["status"],
        "closed"
    );
}
