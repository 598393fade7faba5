//! The list of recent repositories, which only a person at a terminal adds to.

use std::fs::{self, read_to_string};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::support::{Output, World, binary};

/// A world whose folders are not temporary.
fn world() -> World {
    let mut world = World::empty();
    fs::create_dir_all(world.path("tmp")).unwrap();
    let temporary = world.path("tmp").display().to_string();
    world.set("TMPDIR", &temporary);
    for folder in ["repo", "api"] {
        world.git_in(".", &["init", "--quiet", folder]).ok();
        world.bd_in(folder, &["init"]).ok();
    }
    world
}

fn list(world: &World) -> PathBuf {
    world.path("home/.local/state/git-beads/repositories")
}

/// Runs a verb on a terminal; none where there is no pty.
fn person(world: &World, folder: &str, args: &[&str]) -> Option<Output> {
    let words = [&[binary(), "--no-pager"][..], args].concat();
    world.conversation(folder, (24, 80), &words, &[])
}

#[test]
fn a_person_adds_to_it_and_the_inbox_asks_them() {
    let world = world();
    let lists = |folder: &str| {
        let said = world.bd_in(folder, &["inbox", "--repos", "--json"]);
        let repos = said.json()["repos"].as_array().unwrap().clone();
        let names = repos
            .iter()
            .map(|it| it["repo"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let Some(said) = person(&world, "repo", &["inbox"]) else {
        return;
    };
    said.ok();
    person(&world, "api", &["inbox", "--repos"]).unwrap().ok();
    person(&world, "api", &["inbox"]).unwrap().ok();
    world.git_in(".", &["init", "--quiet", "new"]).ok();
    person(&world, "new", &["init"]).unwrap().ok();
    let url = world.path("new").display().to_string();
    person(&world, ".", &["clone", &url, "copy"]).unwrap().ok();
    let root = world.path("").canonicalize().unwrap();
    let lines =
        ["repo", "api", "new", "copy"].map(|name| format!("{}\n", root.join(name).display()));
    assert_eq!(read_to_string(list(&world)).unwrap(), lines.concat());
    let mode = list(&world).metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(lists("home"), ["repo", "api", "new", "copy"]);
    // The same one from another of its work trees.
    let commit = ["commit", "--quiet", "--allow-empty", "-m", "x"];
    world.git_in("repo", &commit).ok();
    world
        .git_in("repo", &["worktree", "add", "--quiet", "../tree"])
        .ok();
    person(&world, "tree", &["inbox"]).unwrap().ok();
    assert_eq!(read_to_string(list(&world)).unwrap(), lines.concat());

    // One that has gone is passed over; a disk that comes back brings it back.
    fs::rename(world.path("new"), world.path("away")).unwrap();
    assert_eq!(lists("home"), ["repo", "api", "copy"]);
    fs::create_dir(world.path("new")).unwrap();
    assert_eq!(lists("home"), ["repo", "api", "copy"]);
    fs::remove_dir(world.path("new")).unwrap();
    fs::rename(world.path("away"), world.path("new")).unwrap();
    assert_eq!(lists("home"), ["repo", "api", "new", "copy"]);

    let off = ["config", "--global", "beads.recent", "false"];
    world.git_in(".", &off).ok();
    assert_eq!(lists("api"), ["api"]);
    world
        .git_in(".", &["config", "--global", "--unset", "beads.recent"])
        .ok();

    // It is taken out with the rest.
    let said = world.bd_in("api", &["uninstall", "--dry-run"]).ok();
    let line = "would remove the list of your recent repositories: WORLD/home/.local/state/git-beads/repositories\n";
    assert!(said.contains(line), "{said}");
    world.bd_in("api", &["uninstall"]).ok();
    let kept = [&lines[0][..], &lines[2], &lines[3]].concat();
    assert_eq!(read_to_string(list(&world)).unwrap(), kept);
}

#[test]
fn no_one_else_does() {
    let world = world();
    world.bd_in("repo", &["inbox"]).ok();
    let Some(said) = person(&world, "repo", &["--agent", "c-1", "inbox"]) else {
        return;
    };
    said.ok();
    let program = binary();
    for mark in ["CI=true", "CLAUDECODE=1", "GIT_BEADS_AGENT=c-2"] {
        let words = ["env", mark, program, "--no-pager", "inbox"];
        let said = world.conversation("repo", (24, 80), &words, &[]);
        said.unwrap().ok();
    }
    for (name, is_bare) in [("bare", true), ("tmp/scratch", false)] {
        let init = ["init", "--quiet", name, "--bare"];
        let words = if is_bare { &init[..] } else { &init[..3] };
        world.git_in(".", words).ok();
        person(&world, name, &["init"]).unwrap().ok();
    }
    world
        .git_in("repo", &["config", "beads.recent", "false"])
        .ok();
    person(&world, "repo", &["inbox"]).unwrap().ok();
    assert!(!list(&world).exists());
    world
        .git_in("repo", &["config", "--unset", "beads.recent"])
        .ok();

    // Where it can't be written, nothing is said of it.
    let state = world.path("home/.local/state");
    fs::create_dir_all(state.parent().unwrap()).unwrap();
    fs::write(&state, "").unwrap();
    let said = person(&world, "repo", &["inbox"]).unwrap().ok();
    assert_eq!(said, "nothing needs you\n");
    let warned = world.bd_in("repo", &["inbox", "--repos"]);
    assert!(warned.stderr.contains("warning: "), "{warned:?}");
    warned.ok();
    fs::remove_file(&state).unwrap();

    // A client's variable counts less than the word of a person.
    let elsewhere = format!("XDG_STATE_HOME={}", world.path("state").display());
    let words = [
        "env",
        "CLAUDECODE=1",
        "GIT_BEADS_AGENT=",
        &elsewhere,
        program,
        "inbox",
    ];
    let said = world.conversation("repo", (24, 80), &words, &[]);
    said.unwrap().ok();
    assert!(world.path("state/git-beads/repositories").exists());
}
