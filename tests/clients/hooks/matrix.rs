//! Every layout, on every git, with us installed, missing, failing, endless, recursive and uninstalled: git
//! answers the same, and all other hooks run as before.

use std::fmt::Write as _;
use std::path::Path;

use super::layouts::{LAYOUTS, Layout};
use super::{Git, calls, gits, path, script, stand_in, world_with};
use crate::properties::faults::is_in_part;
use crate::support::World;
use crate::support::events::{Gate, until};

/// Commands that fire every hook of ours, from the same state each time.
const JOURNEY: &str = r#"
cd "$1" || exit
start=$(cat .git/start 2>/dev/null || cat "$HOME/start")
git checkout -q -f --detach "$start" 2>/dev/null
git branch -q -D topic trunk 2>/dev/null
git push -q -f --no-verify "$HOME/../hub.git" "$start:refs/heads/trunk" 2>/dev/null
: >"$HOME/log"
say() { out=$("$@" 2>&1); echo "$*: $? $out"; }
say git checkout -q -b trunk
say git checkout -q -b topic
say git commit -q --allow-empty -m two
say git commit -q --amend --allow-empty -m three
say git checkout -q trunk
say git merge -q --no-ff -m merged topic
say git commit -q --allow-empty -m four
say git rebase -q --keep-empty "$start"
say git push -q "$HOME/../hub.git" trunk
say git push -q "$HOME/../hub.git" trunk:again --no-verify
say git pull -q "$HOME/../hub.git" trunk
say git status --short
cat "$HOME/log"
"#;

/// What git and the hooks of others say.
fn journey(world: &World, folder: &str, path: &str) -> String {
    let mut command = world.command(".", "sh", &["-c", JOURNEY, "journey", folder]);
    command
        .env("PATH", path)
        .env("GIT_AUTHOR_DATE", "@1700000000 +0000")
        .env("GIT_COMMITTER_DATE", "@1700000000 +0000");
    world.run(command, None).ok()
}

/// All files that could be ours, with their bytes and modes.
fn files(world: &World) -> String {
    let mut out = String::new();
    for folder in [
        "repo/.git/hooks",
        "repo/.husky",
        "home/hooks",
        "above/.git/modules/below/hooks",
    ] {
        list(&world.path(folder), &mut out);
    }
    for file in [
        "repo/.git/config",
        "above/.git/modules/below/config",
        "home/.gitconfig",
        "repo/lefthook.yml",
    ] {
        let _ = writeln!(
            out,
            "{file} {:?}",
            std::fs::read_to_string(world.path(file))
        );
    }
    out
}

fn list(folder: &Path, out: &mut String) {
    use std::os::unix::fs::MetadataExt;
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        let meta = std::fs::metadata(&path).unwrap();
        let _ = writeln!(
            out,
            "{} {:o} {:?}",
            path.display(),
            meta.mode(),
            std::fs::read_to_string(&path)
        );
        if meta.is_dir() {
            list(&path, out);
        }
    }
}

fn run(layout: &Layout, git: Git) {
    let at = format!("{} with {git:?}", layout.name);
    let world = world_with(git);
    if !(layout.make)(&world) {
        return;
    }
    let start = world.git_in(layout.folder, &["rev-parse", "HEAD"]).ok();
    world.file("home/start", start);
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .ok();
    let ours = path(&world, git, &[], true);
    let without = path(&world, git, &[], false);
    let fake = path(&world, git, &["fake"], false);
    // Whoever calls git in our place fires our hooks there.
    world
        .git_in(".", &["clone", "--quiet", "repo", "loop"])
        .ok();
    world.bd_in("loop", &["init"]).ok();
    let _ = world.bd_in("loop", &["hooks", "install"]);
    let before = files(&world);
    let expected = journey(&world, layout.folder, &ours);

    let dry = world.bd_in(layout.folder, &["hooks", "install", "--sync", "--dry-run"]);
    assert_eq!(files(&world), before, "{at}: a dry run writes nothing");
    let installed = world.bd_in(layout.folder, &["hooks", "install", "--sync"]);
    let told = |text: &str| text.replace("would write", "wrote");
    assert_eq!(
        (told(&dry.stdout), dry.code),
        (installed.stdout.clone(), installed.code),
        "{at}"
    );
    let again = world.bd_in(layout.folder, &["hooks", "install", "--sync"]);
    assert!(
        !again.stdout.contains("wrote"),
        "{at}: a second time writes nothing: {}",
        again.stdout
    );

    assert_eq!(
        expected,
        journey(&world, layout.folder, &ours),
        "{at}: installed"
    );
    assert_eq!(
        expected,
        journey(&world, layout.folder, &without),
        "{at}: missing"
    );
    let gate = Gate::new(&world, "gate");
    for (what, does) in [
        ("failing", "echo noise; echo noise >&2; exit 42"),
        ("endless", &gate.line()),
        (
            "recursive",
            "unset $(git rev-parse --local-env-vars); git -C \"$HOME/../loop\" -c core.hooksPath=.git/hooks checkout -q",
        ),
    ] {
        stand_in(&world, does);
        assert_eq!(
            expected,
            journey(&world, layout.folder, &fake),
            "{at}: {what}"
        );
    }
    gate.open();
    if installed.code == 0 {
        for call in [
            "post-checkout",
            "--sync post-merge",
            "--sync post-rewrite amend",
            "--sync pre-push",
        ] {
            let came = || calls(&world).contains(&format!("hook {call}"));
            until(&format!("{at}: {call}"), came);
        }
    }
    assert!(
        calls(&world).lines().count() < 60,
        "{at}: a call calls no other"
    );
    let gone = world.bd_in(layout.folder, &["hooks", "uninstall"]);
    assert_eq!(gone.code, 0, "{at}: {gone:?}");
    assert_eq!(files(&world), before, "{at}: every file is as it was");
    assert_eq!(
        expected,
        journey(&world, layout.folder, &ours),
        "{at}: uninstalled"
    );
}

fn all(git: Git) {
    if gits().contains(&git) {
        for (n, layout) in LAYOUTS.iter().enumerate() {
            if is_in_part(n + git as usize) {
                run(layout, git);
            }
        }
    }
}

#[test]
fn no_layout_notices_us_with_an_older_git() {
    all(Git::Older);
}

#[test]
fn no_layout_notices_us_with_a_newer_git() {
    all(Git::Newer);
}

/// What hooks of a bare repository see: a push to it fires none of ours.
#[test]
fn a_bare_repository_is_a_place_too() {
    for git in gits() {
        let world = world_with(git);
        world
            .git_in(".", &["clone", "--quiet", "--bare", "repo", "bare.git"])
            .ok();
        world.bd_in("bare.git", &["init"]).ok();
        script(
            &world,
            "bare.git/hooks/post-receive",
            "#!/bin/sh\ncat >/dev/null; echo received >&2\n",
        );
        let before = std::fs::read(world.path("bare.git/config")).unwrap();
        world.bd_in("bare.git", &["hooks", "install"]).ok();
        let pushed = world.git(&["push", "--quiet", "../bare.git", "main:other"]);
        assert_eq!(
            (pushed.code, pushed.stderr.trim_end()),
            (0, "remote: received")
        );
        world.bd_in("bare.git", &["hooks", "uninstall"]).ok();
        assert_eq!(
            std::fs::read(world.path("bare.git/config")).unwrap(),
            before
        );
    }
}
