//! `hooks`: git, and everybody else's hooks, go on as if we were not there.

mod byte;
mod ground;
mod handler;
pub mod layouts;
mod matrix;
mod sync;

use std::path::PathBuf;

use crate::support::{World, skipped, tools};

/// A git older than 2.54 (the installed one may be newer) or a newer one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Git {
    Older,
    Newer,
}

/// Those that are here: the variable that `.ci/run` sets names the newer one.
pub fn gits() -> Vec<Git> {
    let mut gits = Vec::new();
    let installed = std::process::Command::new(tools::base().join("git"))
        .arg("version")
        .output()
        .unwrap()
        .stdout;
    let installed = String::from_utf8(installed).unwrap();
    let minor = installed
        .split('.')
        .nth(1)
        .and_then(|part| part.parse::<u32>().ok())
        .unwrap();
    if minor < 54 {
        gits.push(Git::Older);
    } else {
        skipped("the installed git is 2.54 or newer, so hooks are never blocks in scripts here");
    }
    if newer_git().is_some() {
        gits.push(Git::Newer);
    } else {
        skipped("GIT_BEADS_NEWER_GIT names no git of 2.54 or newer (.ci/newer-git makes one)");
    }
    gits
}

fn newer_git() -> Option<PathBuf> {
    std::env::var_os("GIT_BEADS_NEWER_GIT")
        .map(PathBuf::from)
        .filter(|path| path.is_file())
}

/// `PATH` with a git, and before all else the folders of this world that are named.
pub fn path(world: &World, git: Git, first: &[&str], ours: bool) -> String {
    let mut folders: Vec<PathBuf> = first.iter().map(|folder| world.path(folder)).collect();
    if git == Git::Newer {
        folders.push(newer_git().unwrap().parent().unwrap().to_owned());
    }
    folders.extend(std::env::split_paths(&world.search_path(ours)));
    std::env::join_paths(folders)
        .unwrap()
        .into_string()
        .unwrap()
}

/// A world with a store and this git, without the variable that switches hooks off where tests run in CI.
pub fn world_with(git: Git) -> World {
    let mut world = World::empty();
    let path = path(&world, git, &[], true);
    world.set("PATH", &path);
    world
        .git(&["init", "--quiet", "--initial-branch=main", "repo"])
        .ok();
    world
        .git(&["commit", "--quiet", "--allow-empty", "-m", "first"])
        .ok();
    world.bd(&["init"]).ok();
    world
}

/// Writes a script that can be run.
pub fn script(world: &World, path: &str, text: &str) {
    world.executable(path, text);
}

/// A program in place of ours that notes how it was called.
pub fn stand_in(world: &World, and_then: &str) {
    let calls = world.path("calls").display().to_string();
    script(
        world,
        "fake/git-beads",
        &format!("#!/bin/sh\necho \"$*\" >>'{calls}'\n{and_then}\n"),
    );
}

/// What the stand-in was called with so far.
pub fn calls(world: &World) -> String {
    std::fs::read_to_string(world.path("calls")).unwrap_or_default()
}
