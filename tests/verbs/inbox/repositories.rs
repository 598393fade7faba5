//! `inbox --repos`: all repositories of a user.

use serde_json::Value;

use crate::support::plumbing::{able, system};
use crate::support::{Output, World};

/// Makes a repository with a store, and lists it.
fn listed(world: &World, folder: &str) -> String {
    world.git_in(".", &["init", "--quiet", folder]).ok();
    world.bd_in(folder, &["init"]).ok();
    let path = world.path(folder).display().to_string();
    list(world, &path);
    path
}

fn list(world: &World, value: &str) {
    let add = ["config", "--global", "--add", "beads.repository", value];
    world.git_in(".", &add).ok();
}

fn repos(world: &World, folder: &str) -> Output {
    world.bd_in(folder, &["inbox", "--repos"])
}

fn asked(world: &World, folder: &str) -> Vec<Value> {
    let said = world.bd_in(folder, &["inbox", "--repos", "--json"]).json();
    said["repos"].as_array().unwrap().clone()
}

#[test]
fn what_needs_a_person_is_in_one_list_by_reason_and_time() {
    let world = World::empty();
    listed(&world, "app");
    listed(&world, "api");
    let ask = |folder: &str, text: &str| {
        let id = world.bd_in(folder, &["create", text, "-q"]).ok();
        world.bd_in(folder, &["ask", id.trim(), text]).ok();
        id.trim().to_owned()
    };
    let first = ask("app", "First?");
    world.pass(60);
    let human = world
        .bd_in("api", &["create", "Human", "-l", "human", "-q"])
        .ok();
    world.pass(60);
    let second = ask("api", "Second?");
    // Outside of any repository too.
    let said = repos(&world, "home").ok();
    let next = format!("next: git beads -C WORLD/app answer {first} \"...\"\n");
    let text = said.replace(&first, "bd-1").replace(human.trim(), "bd-2");
    let text = text.replace(&second, "bd-3");
    assert!(said.ends_with(&next), "{said}");
    let rows: Vec<&str> = text.lines().take(4).collect();
    insta::assert_snapshot!(rows.join("\n"), @r"
    Needs you 3
    ? app bd-1 First?: First? (Ann, 2m)
    ? api bd-3 Second?: Second? (Ann, now)
    ! api bd-2 Human: labelled human (1m)
    ");
}

#[test]
fn one_that_can_not_be_read_is_named_and_the_others_go_on() {
    let world = World::empty();
    listed(&world, "app");
    world.bd_in("app", &["create", "One", "-l", "human"]).ok();
    list(&world, "~/gone");
    world.git_in(".", &["init", "--quiet", "home/empty"]).ok();
    list(&world, "~/empty");
    let said = repos(&world, "app").ok();
    assert!(said.contains("! app "), "{said}");
    assert!(
        said.contains("\nNot read 2\ngone ")
            && said.contains(
                "no folder is there (git config --file WORLD/home/.gitconfig --fixed-value --unset-all beads.repository '~/gone')\n"
            ),
        "{said}"
    );
    assert!(
        said.contains("\nempty ") && said.contains("no issue store"),
        "{said}"
    );
    assert!(
        said.contains("(git beads -C WORLD/home/empty init)\n"),
        "{said}"
    );
    // The command takes it off the list.
    let unset = [
        "config",
        "--global",
        "--fixed-value",
        "--unset-all",
        "beads.repository",
    ];
    for value in ["~/gone", "~/empty"] {
        world.git_in(".", &[&unset[..], &[value]].concat()).ok();
    }
    assert!(!repos(&world, "app").ok().contains("Not read"));
}

#[test]
fn a_value_that_is_no_absolute_path_is_no_repository() {
    let world = World::empty();
    listed(&world, "app");
    // The folder is there, seen from here.
    list(&world, "app");
    list(&world, "");
    let said = repos(&world, ".").ok();
    let row = "no absolute path, and none that begins with ~/ (git config --file ";
    assert_eq!(said.matches(row).count(), 2, "{said}");
    assert!(
        said.contains("--unset-all beads.repository app)\n"),
        "{said}"
    );
    assert!(
        said.contains("--unset-all beads.repository '')\n"),
        "{said}"
    );
}

#[test]
fn a_repository_is_asked_once_whichever_work_trees_are_listed() {
    let world = World::empty();
    let app = listed(&world, "app");
    world
        .git_in("app", &["commit", "--quiet", "--allow-empty", "-m", "x"])
        .ok();
    world
        .git_in("app", &["worktree", "add", "--quiet", "../tree"])
        .ok();
    list(&world, &world.path("tree").display().to_string());
    list(&world, &app);
    world.bd_in("app", &["create", "One", "-l", "human"]).ok();
    for folder in ["app", "tree", "home"] {
        let said = repos(&world, folder).ok();
        assert!(said.starts_with("Needs you 1\n"), "{said}");
        assert_eq!(asked(&world, folder).len(), 1);
    }
}

#[test]
fn the_one_around_counts_too_and_needs_no_issues() {
    let world = World::empty();
    listed(&world, "old/app");
    world.git_in(".", &["init", "--quiet", "new/app"]).ok();
    assert_eq!(asked(&world, "new/app").len(), 1);
    world.bd_in("new/app", &["init"]).ok();
    let asked = asked(&world, "new/app");
    let names: Vec<_> = asked
        .iter()
        .map(|repo| repo["repo"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["old/app", "new/app"]);
}

#[test]
fn where_nothing_is_listed_the_command_that_lists_is_named() {
    let world = World::empty();
    let said = repos(&world, "home").fails(1);
    assert_eq!(
        said,
        "error: no repository is listed\nhint: git config --global --add beads.repository PATH\n"
    );
}

#[test]
fn one_that_does_not_answer_holds_up_none() {
    let world = World::empty();
    listed(&world, "app");
    listed(&world, "hangs");
    let config = world.path("hangs/.git/config").display().to_string();
    std::fs::remove_file(&config).unwrap();
    if !able(system("mkfifo", &[&config]), "mkfifo is missing") {
        return;
    }
    world.bd_in("app", &["create", "One", "-l", "human"]).ok();
    let said = repos(&world, "home").ok();
    assert!(said.starts_with("Needs you 1\n"), "{said}");
    let row = "hangs WORLD/hangs: not read within two seconds";
    assert!(said.contains(row), "{said}");
}

#[test]
fn an_agent_sees_its_questions_in_all_of_them() {
    let world = World::empty();
    for folder in ["app", "api"] {
        listed(&world, folder);
        let id = world
            .bd_in(folder, &["create", "One", "-l", "human", "-q"])
            .ok();
        world
            .bd_in(folder, &["ask", id.trim(), "Which?", "--to", "c-1"])
            .ok();
    }
    let said = world
        .bd_in("app", &["--agent", "c-1", "inbox", "--repos"])
        .ok();
    assert!(said.starts_with("Needs you 2\n"), "{said}");
    assert!(!said.contains("human"), "{said}");
}

#[test]
fn more_than_fifty_in_one_are_counted_with_those_of_the_others() {
    let world = World::empty();
    listed(&world, "app");
    listed(&world, "api");
    let line = |n| format!(r#"{{"id":"bd-{n}x","title":"T{n}","labels":["human"]}}"#);
    let lines: Vec<String> = (0..60).map(line).collect();
    let file = world.file("issues.jsonl", lines.join("\n"));
    world.bd_in("app", &["import", &file]).ok();
    world.bd_in("api", &["create", "One", "-l", "human"]).ok();
    assert!(repos(&world, "app").ok().starts_with("Needs you 61\n"));
    let said = world.bd_in("app", &["inbox", "--repos", "--json"]).json();
    assert_eq!(said["needs_counts"]["person"], 61);
    assert_eq!(said["needs"].as_array().unwrap().len(), 51);
}

#[test]
fn each_command_is_for_the_repository_of_its_row() {
    let world = World::empty();
    for folder in ["app", "api"] {
        listed(&world, folder);
        let id = world.bd_in(folder, &["create", "One", "-q"]).ok();
        let message = format!("Fix\n\nCloses: {}", id.trim());
        let commit = ["commit", "--quiet", "--allow-empty", "-m", &message];
        world.git_in(folder, &commit).ok();
        world.bd_in(folder, &["whats-new"]).ok();
        let priority = ["--actor", "bob", "priority", id.trim(), "1"];
        world.bd_in(folder, &priority).ok();
    }
    let said = repos(&world, "app").ok();
    for folder in ["app", "api"] {
        for verb in ["done --landed)", "whats-new)"] {
            let line = format!("git beads -C WORLD/{folder} {verb}");
            assert!(said.contains(&line), "{line}: {said}");
        }
    }
}

#[test]
fn one_around_that_can_not_be_read_holds_up_none() {
    let world = World::empty();
    listed(&world, "app");
    world.bd_in("app", &["create", "One", "-l", "human"]).ok();
    world.git_in(".", &["init", "--quiet", "broken"]).ok();
    world.file("broken/.git/config", "[[[");
    let said = repos(&world, "broken").ok();
    assert!(said.starts_with("Needs you 1\n"), "{said}");
}

#[test]
fn the_one_that_a_variable_names_is_the_one_around() {
    let mut world = World::empty();
    listed(&world, "app");
    world.git_in(".", &["init", "--quiet", "other"]).ok();
    world.bd_in("other", &["init"]).ok();
    let dir = world.path("other/.git").display().to_string();
    world.set("GIT_DIR", &dir);
    let asked = asked(&world, "app");
    let names: Vec<_> = asked
        .iter()
        .map(|it| it["repo"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["app", "other"]);
}

#[test]
fn what_a_file_of_the_configuration_includes_is_listed() {
    let world = World::empty();
    world.git_in(".", &["init", "--quiet", "app"]).ok();
    world.bd_in("app", &["init"]).ok();
    let path = world.path("app").display().to_string();
    let file = world.file("more", format!("[beads]\n\trepository = {path}\n"));
    let add = ["config", "--global", "include.path", &file];
    world.git_in(".", &add).ok();
    assert_eq!(asked(&world, "home").len(), 1);
}
