//! Exports to files: whole or not at all, once each, never over what is no file.

use crate::support::World;
use crate::support::plumbing::{REF, git, loose, path};

#[test]
fn an_object_that_is_missing_does_not_export_issues_twice() {
    let world = World::with_store();
    let ids: Vec<String> = (0..4)
        .map(|n| world.create(&[&format!("Issue {n}")]))
        .collect();
    let last = ids.iter().max().unwrap();
    let lose = || {
        let blob = git(
            &world,
            &["rev-parse", &format!("{REF}:{}", path(&world, last))],
        );
        std::fs::remove_file(loose(&world, &blob)).unwrap();
    };
    let file = world.path("out.jsonl");
    world.bd(&["list"]).ok();
    lose();
    world.bd(&["export", file.to_str().unwrap()]).ok();
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        text.lines().count(),
        4,
        "mended, and written from the beginning"
    );
    lose();
    let stopped = world.bd(&["export"]);
    assert_eq!(
        (stopped.code, stopped.stdout.lines().count()),
        (6, 3),
        "a pipe can't take back: {stopped:?}"
    );
    assert_eq!(world.bd(&["export"]).ok(), text);
}

#[test]
fn what_is_no_file_is_written_to() {
    let world = World::with_store();
    world.create(&["One"]);
    let script =
        "mkfifo pipe && { git-beads export pipe & } && wc -l < pipe && wait && test -p pipe";
    assert_eq!(
        world
            .run(world.command("repo", "sh", &["-c", script]), None)
            .ok()
            .trim(),
        "1"
    );
}

#[test]
fn a_link_is_followed_and_a_mode_stays() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::with_store();
    world.create(&["One"]);
    let real = world.file("real.jsonl", "old");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&real, world.path("link.jsonl")).unwrap();
    world
        .bd(&["export", world.path("link.jsonl").to_str().unwrap()])
        .ok();
    assert!(world.path("link.jsonl").is_symlink());
    assert_eq!(std::fs::read_to_string(&real).unwrap().lines().count(), 1);
    assert_eq!(
        std::fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o600
    );
}
