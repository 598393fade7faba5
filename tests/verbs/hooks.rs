//! What `hooks` says: where each event is defined, whether it will run, what to add where we must not write.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::clients::hooks::layouts::{LAYOUTS, managers};
use crate::clients::hooks::{Git, calls, gits, path, script, stand_in, world_with};
use crate::support::World;
use crate::support::events::until;

fn status(world: &World) -> Value {
    serde_json::from_str(&world.bd(&["hooks", "status", "--json"]).stdout).unwrap()
}

fn first(world: &World) -> (String, String, String) {
    let hook = &status(world)["hooks"][0];
    let text = |key: &str| hook[key].as_str().unwrap_or_default().to_owned();
    (text("state"), text("why"), text("remedy"))
}

#[test]
fn without_a_store_there_is_nothing_to_keep_warm() {
    let world = World::new();
    let said = world.bd(&["hooks", "install"]).fails(4);
    assert!(said.ends_with("hint: git beads init\n"), "{said}");
    assert_eq!(world.bd(&["hooks", "status", "-q"]).ok(), "");
    world.bd(&["hooks", "uninstall"]).ok();
}

#[test]
fn the_answer_of_an_installation() {
    if !gits().contains(&Git::Older) {
        return;
    }
    let world = world_with(Git::Older);
    insta::assert_snapshot!(world.bd(&["hooks", "install"]).ok(), @r"
    post-merge: runs (WORLD/repo/.git/hooks/post-merge)
    post-checkout: runs (WORLD/repo/.git/hooks/post-checkout)
    post-rewrite: runs (WORLD/repo/.git/hooks/post-rewrite)
    pre-push: not installed
    wrote WORLD/repo/.git/hooks/post-merge
    wrote WORLD/repo/.git/hooks/post-checkout
    wrote WORLD/repo/.git/hooks/post-rewrite
    ");
    insta::assert_snapshot!(world.bd(&["hooks", "install", "--sync", "-q"]).ok(), @r"
    post-merge
    post-checkout
    post-rewrite
    pre-push
    ");
    let answer = status(&world);
    assert_eq!(
        (
            answer["method"].as_str(),
            answer["hooks"][3]["sync"].as_bool()
        ),
        (Some("files"), Some(true))
    );
    world.bd(&["hooks", "install"]).ok();
    assert!(
        !world.path("repo/.git/hooks/pre-push").exists(),
        "what is not asked for any more goes"
    );
}

#[test]
fn what_will_not_run_is_said_with_the_next_command() {
    if !gits().contains(&Git::Older) {
        return;
    }
    let world = world_with(Git::Older);
    world.bd(&["hooks", "install"]).ok();
    let hook = world.path("repo/.git/hooks/post-merge");
    std::fs::set_permissions(&hook, PermissionsExt::from_mode(0o644)).unwrap();
    let (state, why, remedy) = first(&world);
    assert_eq!(
        (state.as_str(), why.as_str()),
        ("idle", "git ignores it: it is not executable")
    );
    assert!(remedy.starts_with("chmod +x "), "{remedy}");
    std::fs::set_permissions(&hook, PermissionsExt::from_mode(0o755)).unwrap();

    let text = std::fs::read_to_string(&hook).unwrap();
    std::fs::write(&hook, text.replace("#!/bin/sh", "#!/usr/bin/env python3")).unwrap();
    assert_eq!(
        first(&world).1,
        "our block is shell, and the file is a script of python3"
    );
    std::fs::write(&hook, text).unwrap();

    world.git(&["config", "core.hooksPath", "elsewhere"]).ok();
    let (state, why, _) = first(&world);
    assert_eq!(state, "idle");
    assert!(why.ends_with("elsewhere (core.hooksPath)"), "{why}");
    let found = world.bd(&["doctor"]);
    assert_eq!(found.code, 1);
    assert!(
        found
            .stdout
            .contains("hook: post-merge will not run: git looks for hooks in"),
        "{}",
        found.stdout
    );
    world.git(&["config", "--unset", "core.hooksPath"]).ok();

    let mut world = world;
    let without = path(&world, Git::Older, &[], false);
    let binary = crate::support::binary().to_owned();
    world.set("PATH", &without);
    let said = world.run(
        world.command("repo", &binary, &["hooks", "status", "--json"]),
        None,
    );
    let answer: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(answer["hooks"][0]["why"], "git-beads is not on PATH");
    assert!(
        answer["hooks"][0]["remedy"]
            .as_str()
            .unwrap()
            .starts_with("export PATH=")
    );
}

#[test]
fn a_hook_switched_off_in_the_configuration_is_said() {
    if gits().len() < 2 {
        return;
    }
    let mut world = world_with(Git::Newer);
    world.bd(&["hooks", "install"]).ok();
    assert_eq!(first(&world).0, "runs");
    world
        .git(&["config", "hook.beads-post-merge.enabled", "false"])
        .ok();
    let (state, why, remedy) = first(&world);
    assert_eq!(
        (state.as_str(), why.as_str()),
        ("idle", "hook.beads-post-merge.enabled = false")
    );
    assert_eq!(remedy, "git config hook.beads-post-merge.enabled true");
    let older = path(&world, Git::Older, &[], true);
    world.set("PATH", &older);
    let (state, why, remedy) = first(&world);
    assert_eq!(
        (state.as_str(), remedy.as_str()),
        ("idle", "git beads hooks install")
    );
    assert!(why.ends_with("ignores hooks of its configuration"), "{why}");
}

#[test]
fn hooks_that_are_switched_off_stay_off() {
    if !gits().contains(&Git::Older) {
        return;
    }
    let world = world_with(Git::Older);
    script(&world, "repo/.git/hooks/post-merge", "#!/bin/sh\n");
    let hook = world.path("repo/.git/hooks/post-merge");
    std::fs::set_permissions(&hook, PermissionsExt::from_mode(0o644)).unwrap();
    let said = world.bd(&["hooks", "install"]);
    assert_eq!(said.code, 1);
    assert!(
        said.stdout
            .contains("by hand: git ignores it: it is not executable\n  chmod +x "),
        "{}",
        said.stdout
    );
    world.git(&["config", "core.hooksPath", "/dev/null"]).ok();
    let said = world.bd(&["hooks", "install"]);
    assert!(
        said.stdout
            .contains("core.hooksPath = /dev/null switches hooks off"),
        "{}",
        said.stdout
    );
    assert_eq!(world.git(&["config", "core.hooksPath"]).ok(), "/dev/null\n");
}

/// Does what the answer says: adds the text to the file it names.
fn follow(world: &World, hook: &Value) {
    let file = std::path::PathBuf::from(hook["add_to"].as_str().unwrap().replace(
        "WORLD",
        world.path("").to_str().unwrap().trim_end_matches('/'),
    ));
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let add = hook["add"].as_str().unwrap();
    let event = hook["event"].as_str().unwrap();
    let new = if file.ends_with("lefthook.yml") {
        // The job joins those of the event.
        let job = add.split_once("jobs:\n").unwrap().1;
        text.replacen(
            &format!("{event}:\n  jobs:\n"),
            &format!("{event}:\n  jobs:\n{job}"),
            1,
        )
    } else {
        format!("{}\n{add}\n", text.trim_end())
    };
    assert_ne!(new, text);
    std::fs::write(&file, new).unwrap();
}

#[test]
fn the_line_to_add_for_each_manager_works() {
    if !gits().contains(&Git::Older) || managers().is_none() {
        return;
    }
    for name in [
        "husky 8",
        "husky 9",
        "lefthook",
        "pre-commit",
        "global path",
    ] {
        let layout = LAYOUTS.iter().find(|layout| layout.name == name).unwrap();
        let mut world = world_with(Git::Older);
        assert!((layout.make)(&world));
        let installed = world.bd(&["hooks", "install", "--sync", "--json"]);
        assert_eq!(installed.code, 1, "{name}");
        let answer: Value = serde_json::from_str(&installed.stdout).unwrap();
        for hook in answer["hooks"].as_array().unwrap() {
            assert_eq!(hook["state"], "by_hand", "{name}: {hook}");
            follow(&world, hook);
        }
        let there = world.bd(&["hooks", "install", "--sync"]);
        assert_eq!(there.code, 0, "{name}: {there:?}");
        assert!(!there.stdout.contains("wrote"), "{name}: {}", there.stdout);
        stand_in(&world, "");
        let fake = path(&world, Git::Older, &["fake"], false);
        world.set("PATH", &fake);
        // Lefthook passes over a push without files.
        world.git(&["add", "-A"]).ok();
        world
            .git(&["commit", "-q", "--allow-empty", "-m", "one"])
            .ok();
        world.git(&["checkout", "-q", "-b", "topic"]).ok();
        world
            .git(&["commit", "-q", "--allow-empty", "-m", "two"])
            .ok();
        world
            .git(&["commit", "-q", "--amend", "--allow-empty", "-m", "three"])
            .ok();
        world.git(&["checkout", "-q", "main"]).ok();
        world
            .git(&["merge", "-q", "--no-ff", "-m", "merged", "topic"])
            .ok();
        world.git_in(".", &["init", "-q", "--bare", "hub.git"]).ok();
        world.git(&["remote", "add", "hub", "../hub.git"]).ok();
        world.git(&["push", "-q", "hub", "main"]).ok();
        for call in [
            "post-checkout",
            "--sync post-merge",
            "--sync post-rewrite amend",
            "--sync pre-push hub",
        ] {
            until(&format!("{name}: {call}: {}", calls(&world)), || {
                calls(&world).contains(&format!("hook {call}"))
            });
        }
        let real = path(&world, Git::Older, &[], true);
        world.set("PATH", &real);
        let gone = world.bd(&["hooks", "uninstall"]);
        assert_eq!(gone.code, 1, "{name}");
        assert!(
            gone.stdout
                .contains("take `git-beads hook post-merge` out of"),
            "{name}: {}",
            gone.stdout
        );
    }
}

#[test]
fn a_script_in_another_language_gets_the_command() {
    if !gits().contains(&Git::Older) {
        return;
    }
    let world = world_with(Git::Older);
    let python = "#!/usr/bin/env python3\nprint('mine')\n";
    script(&world, "repo/.git/hooks/post-merge", python);
    let said = world.bd(&["hooks", "install"]);
    assert_eq!(said.code, 1);
    assert!(
        said.stdout
            .starts_with("post-merge: by hand: it is a script of python3\n"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout
            .contains("    git-beads hook post-merge ARGUMENTS\n"),
        "{}",
        said.stdout
    );
    assert_eq!(
        std::fs::read_to_string(world.path("repo/.git/hooks/post-merge")).unwrap(),
        python
    );
    assert_eq!(world.git(&["config", "--get", "core.hooksPath"]).code, 1);
}
