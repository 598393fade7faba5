//! Odd hooks of others: shared files, scripts of two languages, managers that rename, what is broken.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::{Git, calls, gits, path, script, stand_in, world_with};
use crate::support::World;
use crate::support::events::until;

const HOOKS: &str = "repo/.git/hooks";

fn older() -> Option<World> {
    gits().contains(&Git::Older).then(|| world_with(Git::Older))
}

fn newer() -> Option<World> {
    gits().contains(&Git::Newer).then(|| world_with(Git::Newer))
}

fn text(world: &World, path: &str) -> String {
    std::fs::read_to_string(world.path(path)).unwrap()
}

/// Runs a verb of `hooks`; its exit code, and what it says of the first event.
#[track_caller]
fn first(world: &World, verb: &str) -> (i32, Value) {
    let said = world.bd(&["hooks", verb, "--json"]);
    let answer: Value = serde_json::from_str(&said.stdout).unwrap_or_else(|_| panic!("{said:?}"));
    (said.code, answer["hooks"][0].clone())
}

fn names(world: &World) -> Vec<String> {
    let entries = std::fs::read_dir(world.path(HOOKS))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| !name.ends_with(".sample"));
    names.sort();
    names
}

#[test]
fn installations_at_the_same_time_leave_all_hooks() {
    for git in gits() {
        let world = world_with(git);
        for verb in ["install", "uninstall", "install"] {
            let children = [(); 6].map(|()| {
                let binary = crate::support::binary();
                let mut command = world.command("repo", binary, &["hooks", verb]);
                command.stdout(std::process::Stdio::null());
                command.spawn().unwrap()
            });
            for mut child in children {
                assert!(child.wait().unwrap().success());
            }
            let running = world.bd(&["hooks", "status", "-q"]).ok();
            let count = if verb == "install" { 3 } else { 0 };
            assert_eq!(running.lines().count(), count, "{git:?}: {running}");
        }
    }
}

#[test]
fn a_script_that_serves_other_hooks_is_left_alone() {
    let Some(world) = older() else { return };
    let ours = "#!/bin/sh\n# >>> git-beads hook v1 >>>\ngit-beads hook post-merge\n# <<< git-beads hook v1 <<<\n";
    script(&world, &format!("{HOOKS}/disp"), ours);
    for event in [
        "post-merge",
        "post-checkout",
        "post-rewrite",
        "pre-commit",
        "reference-transaction",
    ] {
        symlink("disp", world.path(&format!("{HOOKS}/{event}"))).unwrap();
    }
    world.bd(&["hooks", "uninstall"]).ok();
    assert_eq!(
        text(&world, &format!("{HOOKS}/disp")),
        "#!/bin/sh\n",
        "the block of an earlier version goes once"
    );
    let (code, hook) = first(&world, "install");
    assert_eq!((code, hook["state"].as_str()), (1, Some("by_hand")));
    assert_eq!(
        hook["why"],
        "it is a link to a script that serves other hooks"
    );
    assert!(
        hook["add_to"].as_str().unwrap().ends_with("/disp"),
        "{hook}"
    );
    assert_eq!(text(&world, &format!("{HOOKS}/disp")), "#!/bin/sh\n");
    let add = format!("#!/bin/sh\n{}\n", hook["add"].as_str().unwrap());
    script(&world, &format!("{HOOKS}/disp"), &add);
    assert_eq!(first(&world, "status").1["state"], "runs");

    stand_in(&world, "");
    let fake = path(&world, Git::Older, &["fake"], false);
    let mut world = world;
    world.set("PATH", &fake);
    world
        .git(&["commit", "-q", "--allow-empty", "-m", "two"])
        .ok();
    world.git(&["checkout", "-q", "-b", "topic", "HEAD~1"]).ok();
    world.git(&["merge", "-q", "main"]).ok();
    until("the call of the merge", || !calls(&world).is_empty());
    assert_eq!(
        calls(&world),
        "hook post-merge 0\n",
        "the line runs for its own event alone"
    );
}

#[test]
fn a_hook_that_others_lead_to_is_left_alone() {
    let Some(world) = older() else { return };
    script(&world, &format!("{HOOKS}/post-merge"), "#!/bin/sh\n");
    symlink("post-merge", world.path(&format!("{HOOKS}/pre-commit"))).unwrap();
    let (code, hook) = first(&world, "install");
    assert_eq!(
        (code, hook["why"].as_str()),
        (1, Some("it is a script that serves other hooks"))
    );
    assert_eq!(text(&world, &format!("{HOOKS}/post-merge")), "#!/bin/sh\n");
}

#[test]
fn a_script_that_becomes_another_language_is_left_alone() {
    let Some(world) = older() else { return };
    let hook = format!("{HOOKS}/post-checkout");
    for polyglot in [
        "#!/bin/sh\n''''exec python3 \"$0\" \"$@\" #'''\nimport sys\n",
        "#!/bin/sh\n\"exec\" \"python3\" \"$0\" \"$@\"\n",
        "#!/bin/sh\n# the next line starts tclsh \\\nexec tclsh \"$0\" ${1+\"$@\"}\nset mine 1\n",
        "#!/bin/sh\neval 'exec perl -x -wS $0 ${1+\"$@\"}'\n  if 0;\n",
        "#!/bin/sh\nperl -x \"$0\"\nexit\n#!perl\nprint 1;\n",
        "#!/bin/sh\nexec python3 \\\n  \"$0\"\n",
    ] {
        script(&world, &hook, polyglot);
        let said = world.bd(&["hooks", "install"]);
        assert_eq!(said.code, 1, "{polyglot}");
        assert!(
            said.stdout
                .contains("post-checkout: by hand: it is a script of another language"),
            "{}",
            said.stdout
        );
        assert!(
            said.stdout
                .contains("    git-beads hook post-checkout ARGUMENTS\n"),
            "{}",
            said.stdout
        );
        assert_eq!(text(&world, &hook), polyglot);
    }
    script(
        &world,
        &hook,
        "#!/bin/sh\nexec \"$(dirname \"$0\")/mine\"\n",
    );
    world.bd(&["hooks", "install"]).ok();
}

#[test]
fn what_runs_beside_git_holds_no_lock_of_the_caller() {
    for git in gits() {
        let mut world = world_with(git);
        world.bd(&["hooks", "install"]).ok();
        let log = world.path("calls").display().to_string();
        let look = format!(
            "for fd in 3 4 5 6 7 8 9; do (: >&$fd) && echo \"open $fd\"; done >>'{log}'; echo done >>'{log}'"
        );
        stand_in(&world, &look);
        let fake = path(&world, git, &["fake"], false);
        world.set("PATH", &fake);
        let held = "exec 3>held 4>&3 9>&3; git checkout -q -b topic";
        world
            .run(world.command("repo", "sh", &["-c", held]), None)
            .ok();
        until("the call", || calls(&world).contains("done"));
        assert!(
            !calls(&world).contains("open"),
            "{git:?}: {}",
            calls(&world)
        );
    }
}

#[test]
fn what_is_switched_off_stays_off_when_installed_again() {
    let Some(world) = newer() else { return };
    world.bd(&["hooks", "install"]).ok();
    for event in ["post-merge", "post-rewrite"] {
        world
            .git(&["config", &format!("hook.beads-{event}.enabled"), "false"])
            .ok();
    }
    let config = text(&world, "repo/.git/config");
    for _ in 0..2 {
        let (code, hook) = first(&world, "install");
        assert_eq!((code, hook["state"].as_str()), (1, Some("idle")), "{hook}");
        assert_eq!(hook["why"], "hook.beads-post-merge.enabled = false");
        assert_eq!(text(&world, "repo/.git/config"), config);
    }
    assert_eq!(world.bd(&["hooks", "install", "--sync"]).code, 1);
    assert_eq!(
        world
            .git(&["config", "hook.beads-post-rewrite.enabled"])
            .ok(),
        "false\n"
    );
    world.bd(&["hooks", "uninstall"]).ok();
    assert!(!text(&world, "repo/.git/config").contains("enabled"));
}

#[test]
fn what_a_killed_write_has_left_goes_after_an_hour() {
    let Some(world) = older() else { return };
    for (name, age) in [
        (".git-beads-scratch-AbCdEf", 7200),
        (".git-beads-scratch-new123", 60),
        (".git-beadsmine", 7200),
    ] {
        let path = world.file(&format!("{HOOKS}/{name}"), "torn");
        let then = SystemTime::now() - Duration::from_secs(age);
        std::fs::File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(then)
            .unwrap();
    }
    world.bd(&["hooks", "install", "--dry-run"]).ok();
    assert_eq!(names(&world).len(), 3);
    world.bd(&["hooks", "uninstall"]).ok();
    assert_eq!(
        names(&world),
        [".git-beads-scratch-new123", ".git-beadsmine"]
    );
}

#[test]
fn a_lock_that_was_left_is_named_with_the_remedy() {
    let Some(world) = newer() else { return };
    world.file("repo/.git/config.lock", "");
    let said = world.bd(&["hooks", "install"]).fails(6);
    assert!(said.contains("/repo/.git/config.lock is there"), "{said}");
    assert!(
        said.contains(
            "hint: look whether a git still runs, else: rm WORLD/repo/.git/config.lock\n"
        ),
        "{said}"
    );
}

#[test]
fn a_comment_is_no_call() {
    let Some(world) = older() else { return };
    for script_text in [
        "#!/usr/bin/env python3\n# git-beads hook post-merge\n",
        "#!/usr/bin/env node\n  // git-beads hook post-merge\n",
    ] {
        script(&world, &format!("{HOOKS}/post-merge"), script_text);
        assert_eq!(
            first(&world, "status").1["state"],
            "absent",
            "{script_text}"
        );
        assert_eq!(
            first(&world, "install").1["state"],
            "by_hand",
            "{script_text}"
        );
        world.bd(&["hooks", "uninstall"]).ok();
    }
}

#[test]
fn the_configuration_of_lefthook_is_named_wherever_it_is() {
    for (file, is_yaml) in [
        (".config/lefthook.yml", true),
        (".config/lefthook.yaml", true),
        ("lefthook-local.yml", true),
        (".config/lefthook.toml", false),
        (".config/lefthook.json", false),
        (".config/lefthook.jsonc", false),
        ("lefthook.jsonc", false),
        (".lefthook.toml", false),
    ] {
        let Some(world) = older() else { return };
        script(
            &world,
            &format!("{HOOKS}/post-merge"),
            "#!/bin/sh\ncall_lefthook run post-merge\n",
        );
        world.file(&format!("repo/{file}"), "");
        let (code, hook) = first(&world, "install");
        assert_eq!(
            (code, hook["why"].as_str()),
            (1, Some("lefthook has this hook")),
            "{file}"
        );
        assert!(
            hook["add_to"]
                .as_str()
                .unwrap()
                .ends_with(&format!("repo/{file}")),
            "{file}: {hook}"
        );
        let add = hook["add"].as_str().unwrap();
        assert_eq!(add.contains("jobs:\n"), is_yaml, "{file}: {add}");
        assert!(
            add.contains("(git-beads hook post-merge {0} </dev/null"),
            "{file}: {add}"
        );
        world.file(&format!("repo/{file}"), add);
        assert_eq!(first(&world, "status").1["state"], "runs", "{file}");
    }
}

#[test]
fn a_hook_that_a_manager_has_renamed_is_found() {
    let Some(world) = older() else { return };
    for (ending, state) in [("legacy", "runs"), ("old", "idle")] {
        let (hook, renamed) = (
            format!("{HOOKS}/post-merge"),
            format!("{HOOKS}/post-merge.{ending}"),
        );
        script(&world, &hook, "#!/bin/sh\necho mine\n");
        world.bd(&["hooks", "install"]).ok();
        std::fs::rename(world.path(&hook), world.path(&renamed)).unwrap();
        let manager =
            "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n";
        script(&world, &hook, manager);
        assert_eq!(first(&world, "status").1["state"], state, "{ending}");
        let (code, said) = first(&world, "install");
        assert_eq!(
            (code, said["state"].as_str()),
            if ending == "legacy" {
                (0, Some("runs"))
            } else {
                (1, Some("by_hand"))
            }
        );
        world.bd(&["hooks", "uninstall"]).ok();
        assert_eq!(text(&world, &renamed), "#!/bin/sh\necho mine\n", "{ending}");
        assert_eq!(text(&world, &hook), manager);
        std::fs::remove_file(world.path(&renamed)).unwrap();
    }
}

#[test]
fn a_hook_that_takes_no_line_says_what_to_do() {
    let Some(world) = older() else { return };
    let hook = format!("{HOOKS}/post-merge");
    world.executable(&hook, b"\x7fELF\0\0");
    let (code, said) = first(&world, "install");
    assert_eq!(
        (code, said["why"].as_str()),
        (1, Some("it is a program: nothing can be added to it"))
    );
    assert!(said["add"].is_null() && said["add_to"].is_null(), "{said}");
    script(&world, &hook, "#!/bin/sh\r\necho mine\r\n");
    let (_, said) = first(&world, "install");
    assert!(
        said["remedy"]
            .as_str()
            .unwrap()
            .starts_with("fix the line endings of "),
        "{said}"
    );
    assert!(said["add"].is_null(), "{said}");
}

#[test]
fn a_remedy_can_be_pasted_whatever_the_folder_is_called() {
    let Some(world) = older() else { return };
    world.git_in(".", &["init", "-q", "sp ace"]).ok();
    world.bd_in("sp ace", &["init"]).ok();
    let hook = world.file("sp ace/.git/hooks/post-merge", "#!/bin/sh\n");
    std::fs::set_permissions(hook, PermissionsExt::from_mode(0o644)).unwrap();
    let said = world.bd_in("sp ace", &["hooks", "install"]);
    assert!(
        said.stdout
            .contains("chmod +x 'WORLD/sp ace/.git/hooks/post-merge' && "),
        "{}",
        said.stdout
    );
}

#[test]
fn what_is_broken_stops_no_other_event() {
    let Some(world) = older() else { return };
    let torn = "#!/bin/sh\n# >>> git-beads hook v1 >>>\necho torn\n";
    let (hook, other) = (
        format!("{HOOKS}/post-merge"),
        format!("{HOOKS}/post-checkout"),
    );
    script(&world, &hook, torn);
    std::fs::create_dir_all(world.path(&format!("{HOOKS}/post-rewrite"))).unwrap();
    let said = world.bd(&["hooks", "install"]);
    assert_eq!(said.code, 1);
    assert!(
        said.stdout.contains("post-merge: by hand"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout
            .contains("remove what is left of it by hand, and run the command again"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout
            .contains("post-rewrite: by hand: a folder has its place"),
        "{}",
        said.stdout
    );
    assert!(text(&world, &other).contains("git-beads hook post-checkout"));
    let said = world.bd(&["hooks", "uninstall"]);
    assert_eq!(said.code, 1);
    assert!(!world.path(&other).exists());
    assert_eq!(text(&world, &hook), torn);
    script(&world, &hook, "#!/bin/sh\n");
    world.bd(&["hooks", "uninstall"]).ok();
}

#[test]
fn a_folder_that_was_made_goes_when_it_is_empty() {
    let Some(world) = older() else { return };
    for mine in [false, true] {
        let _ = std::fs::remove_dir_all(world.path(HOOKS));
        for sync in [
            &["hooks", "install"][..],
            &["hooks", "install", "--sync"],
            &["hooks", "install"],
        ] {
            world.bd(sync).ok();
        }
        if mine {
            script(&world, &format!("{HOOKS}/pre-commit"), "#!/bin/sh\n");
        }
        world.bd(&["hooks", "uninstall"]).ok();
        assert_eq!(world.path(HOOKS).exists(), mine);
    }
    std::fs::remove_file(world.path(&format!("{HOOKS}/pre-commit"))).unwrap();
    world.bd(&["hooks", "install"]).ok();
    world.bd(&["hooks", "uninstall"]).ok();
    assert!(
        world.path(HOOKS).exists(),
        "an empty folder of somebody else"
    );
}

#[test]
fn a_call_by_hand_is_found_where_a_manager_runs_it() {
    let Some(world) = older() else { return };
    script(
        &world,
        &format!("{HOOKS}/post-merge"),
        "#!/bin/sh\ncall_lefthook run post-merge\n",
    );
    world.file("repo/lefthook.yml", "");
    world.file(
        "repo/lefthook-local.yml",
        "run: git-beads hook post-merge\n",
    );
    assert_eq!(first(&world, "status").1["state"], "runs");
    script(
        &world,
        &format!("{HOOKS}/post-merge"),
        "#!/bin/sh\n# File generated by pre-commit: https://pre-commit.com\n",
    );
    assert_eq!(first(&world, "status").1["state"], "absent");
    script(
        &world,
        &format!("{HOOKS}/post-merge.legacy"),
        "#!/usr/bin/env python3\nrun('git-beads hook post-merge')\n",
    );
    assert_eq!(first(&world, "status").1["state"], "runs");
}
