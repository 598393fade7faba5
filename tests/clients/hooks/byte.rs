//! Uninstalling restores every byte, whatever was there, and takes nothing that somebody has added since.

use std::os::unix::fs::PermissionsExt;

use super::{Git, gits, script, world_with};
use crate::support::World;

const HOOK: &str = "repo/.git/hooks/post-merge";

fn mode(world: &World, path: &str) -> u32 {
    std::fs::metadata(world.path(path))
        .unwrap()
        .permissions()
        .mode()
        & 0o7777
}

fn older() -> Option<World> {
    gits().contains(&Git::Older).then(|| world_with(Git::Older))
}

#[test]
fn scripts_of_any_form_come_back() {
    let Some(world) = older() else { return };
    for (text, bits) in [
        ("#!/bin/sh\necho one\n", 0o755),
        ("#!/bin/sh\necho no newline", 0o700),
        ("#!/bin/sh", 0o775),
        ("#!/bin/sh\r\n", 0o755),
        ("#!/bin/bash\necho crlf\r\necho two\r\n", 0o755),
        ("echo without a first line\n", 0o711),
        ("", 0o755),
        ("\n\n#!/bin/sh\n", 0o755),
    ] {
        script(&world, HOOK, text);
        std::fs::set_permissions(world.path(HOOK), PermissionsExt::from_mode(bits)).unwrap();
        let installed = world.bd(&["hooks", "install"]);
        let is_ours = !text.contains("sh\r");
        assert_eq!(
            installed.code,
            i32::from(!is_ours),
            "{text:?}: {installed:?}"
        );
        let now = std::fs::read_to_string(world.path(HOOK)).unwrap();
        assert_eq!(
            now.contains("git-beads hook post-merge"),
            is_ours,
            "{text:?}"
        );
        assert_eq!(mode(&world, HOOK), bits);
        world.bd(&["hooks", "uninstall"]).ok();
        assert_eq!(std::fs::read_to_string(world.path(HOOK)).unwrap(), text);
        assert_eq!(mode(&world, HOOK), bits);
    }
}

#[test]
fn edits_since_stay_and_only_our_block_goes() {
    let Some(world) = older() else { return };
    script(&world, HOOK, "#!/bin/sh\necho one\n");
    world.bd(&["hooks", "install"]).ok();
    let edit = |path: &str| {
        let text = std::fs::read_to_string(world.path(path))
            .unwrap()
            .replace("#!/bin/sh", "#!/bin/sh -e");
        std::fs::write(world.path(path), text + "echo two\n").unwrap();
    };
    edit(HOOK);
    edit("repo/.git/hooks/post-rewrite");
    world.bd(&["hooks", "uninstall"]).ok();
    let text = |path: &str| std::fs::read_to_string(world.path(path)).unwrap();
    assert_eq!(text(HOOK), "#!/bin/sh -e\necho one\necho two\n");
    assert_eq!(
        text("repo/.git/hooks/post-rewrite"),
        "#!/bin/sh -e\necho two\n",
        "made by us, edited by somebody"
    );
    assert!(
        !world.path("repo/.git/hooks/post-checkout").exists(),
        "made by us alone"
    );
}

#[test]
fn a_configuration_of_any_form_comes_back() {
    if !gits().contains(&Git::Newer) {
        return;
    }
    let world = world_with(Git::Newer);
    let path = world.path("repo/.git/config");
    let first = std::fs::read_to_string(&path).unwrap();
    for text in [
        first.clone(),
        first.trim_end().to_owned(),
        format!("{first}# the end"),
        first.replace('\n', "\r\n"),
    ] {
        std::fs::write(&path, &text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        world.bd(&["hooks", "install", "--sync"]).ok();
        assert_eq!(
            world.git(&["config", "hook.beads-pre-push.event"]).ok(),
            "pre-push\n"
        );
        assert_eq!(mode(&world, "repo/.git/config"), 0o640);
        world.bd(&["hooks", "uninstall"]).ok();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(mode(&world, "repo/.git/config"), 0o640);
    }
    std::fs::write(&path, &first).unwrap();
    world.bd(&["hooks", "install"]).ok();
    world.git(&["config", "other.key", "value"]).ok();
    world.bd(&["hooks", "uninstall"]).ok();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        format!("{first}[other]\n\tkey = value\n")
    );
}

#[test]
fn what_git_is_just_writing_is_waited_for() {
    if !gits().contains(&Git::Newer) {
        return;
    }
    let world = world_with(Git::Newer);
    let before = std::fs::read(world.path("repo/.git/config")).unwrap();
    world.file("repo/.git/config.lock", "");
    let said = world.bd(&["hooks", "install"]).fails(6);
    assert!(said.contains("no hook was changed"), "{said}");
    assert_eq!(
        std::fs::read(world.path("repo/.git/config")).unwrap(),
        before
    );
    assert!(
        world.path("repo/.git/config.lock").exists(),
        "the lock of another"
    );
}

#[test]
fn links_are_written_through_inside_of_the_git_directory_only() {
    let Some(world) = older() else { return };
    script(&world, "repo/.git/shared/post-merge", "#!/bin/sh\n");
    script(&world, "repo/scripts/checkout", "#!/bin/sh\n");
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, world.path(&format!("repo/.git/hooks/{name}"))).unwrap();
    };
    link("../shared/post-merge", "post-merge");
    link("../../scripts/checkout", "post-checkout");
    link("../nowhere", "post-rewrite");
    let installed = world.bd(&["hooks", "install", "--json"]);
    assert_eq!(installed.code, 1);
    let answer: serde_json::Value = serde_json::from_str(&installed.stdout).unwrap();
    let states: Vec<&str> = answer["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hook| hook["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["runs", "by_hand", "by_hand", "absent"]);
    assert!(
        answer["hooks"][1]["add_to"]
            .as_str()
            .unwrap()
            .ends_with("repo/scripts/checkout")
    );
    let text = |path: &str| std::fs::read_to_string(world.path(path)).unwrap();
    assert!(text("repo/.git/shared/post-merge").contains(">>> git-beads"));
    assert_eq!(text("repo/scripts/checkout"), "#!/bin/sh\n");
    world.bd(&["hooks", "uninstall"]).ok();
    assert_eq!(text("repo/.git/shared/post-merge"), "#!/bin/sh\n");
    assert!(world.path("repo/.git/hooks/post-merge").is_symlink());
}

#[test]
fn a_newer_git_takes_over_from_the_blocks_of_an_older_one() {
    if gits().len() < 2 {
        return;
    }
    let mut world = world_with(Git::Older);
    script(&world, HOOK, "#!/bin/sh\necho mine\n");
    let config = std::fs::read(world.path("repo/.git/config")).unwrap();
    world.bd(&["hooks", "install"]).ok();
    let newer = super::path(&world, Git::Newer, &[], true);
    world.set("PATH", &newer);
    for _ in 0..2 {
        world.bd(&["hooks", "install"]).ok();
        assert_eq!(
            std::fs::read_to_string(world.path(HOOK)).unwrap(),
            "#!/bin/sh\necho mine\n"
        );
        assert!(!world.path("repo/.git/hooks/post-rewrite").exists());
        assert_eq!(
            world
                .git(&["config", "--get-all", "hook.beads-post-merge.event"])
                .ok(),
            "post-merge\n"
        );
    }
    world.bd(&["hooks", "uninstall"]).ok();
    assert_eq!(
        std::fs::read(world.path("repo/.git/config")).unwrap(),
        config
    );
}
