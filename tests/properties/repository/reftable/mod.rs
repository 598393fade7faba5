//! Repositories that keep their refs as a reftable: all works as in the others, git sees it, and a git is started only
//! where something has changed.

mod every_verb;
mod locks;

use std::path::PathBuf;

use crate::support::plumbing::{
    self, REF, able, git, hub, instead_of_git, loose, path, sound, tip,
};
use crate::support::{Pinned, World, refs_pinned};

/// A world whose repositories keep a reftable, as long as the guard lives; none where git knows no such format.
fn reftable() -> Option<(World, Pinned)> {
    let pinned = refs_pinned("reftable");
    let world = World::empty();
    let made = world.git(&["init", "--quiet", "probe"]);
    let knows = made.code == 0 && world.path("probe/.git/reftable").is_dir();
    able(knows, "this git knows no reftable").then_some((world, pinned))
}

fn with_store() -> Option<(World, Pinned)> {
    let (world, pinned) = reftable()?;
    world
        .git(&["init", "--quiet", "--initial-branch=main", "repo"])
        .ok();
    world.bd(&["init"]).ok();
    Some((world, pinned))
}

/// Returns the subcommands of git that a command starts.
fn children(world: &World, args: &[&str]) -> Vec<String> {
    let log = PathBuf::from(world.file("log", ""));
    let script = format!(
        "for word; do case $word in for-each-ref|show-ref|update-ref|symbolic-ref|rev-parse|log|config|fetch|push) \
         echo $word >>'{}'; break;; esac; done\nexec \"$GIT\" \"$@\"",
        log.display()
    );
    instead_of_git(world, &script);
    world.bd(args).ok();
    std::fs::remove_file(world.path("tools/git")).unwrap();
    let text = std::fs::read_to_string(log).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn what_git_removed_is_made_again_for_a_push_that_was_rejected_for_it() {
    let Some((world, _pinned)) = with_store() else {
        return;
    };
    let id = world.create(&["One"]);
    hub(&world);
    world.bd(&["update", &id, "--title", "Two"]).ok();
    let path = path(&world, &id);
    let old = git(&world, &["rev-parse", &format!("{REF}:{path}")]);
    world.bd(&["update", &id, "--title", "Three"]).ok();
    std::fs::remove_file(loose(&world, &old)).unwrap();
    world.bd(&["sync"]).ok();
    sound(&world);
}

#[test]
fn the_ref_and_its_log_are_where_git_looks() {
    let Some((world, _pinned)) = with_store() else {
        return;
    };
    let one = world.create(&["One"]);
    let before = tip(&world);
    world.bd(&["update", &one, "--title", "Two"]).ok();
    assert!(world.bd(&["list"]).ok().contains("Two"));
    assert_eq!(git(&world, &["rev-parse", &format!("{REF}@{{1}}")]), before);
    assert_eq!(
        git(&world, &["log", "-g", "-1", "--format=%H %gs %gn %ge", REF]),
        format!("{} git-beads Ann ann@example.org", tip(&world))
    );
    for loose in ["refs/beads", "logs/refs/beads", "packed-refs"] {
        assert!(!world.path("repo/.git").join(loose).exists(), "{loose}");
    }
    assert_eq!(plumbing::commits(&world), 3);
    sound(&world);
}

#[test]
fn all_worktrees_share_the_ref_and_a_bare_repository_has_it() {
    let Some((world, _pinned)) = with_store() else {
        return;
    };
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "First"],
    );
    git(
        &world,
        &["worktree", "add", "--quiet", "-b", "side", "../linked"],
    );
    let create = |folder: &str| {
        world
            .bd_in(folder, &["create", "-q", folder])
            .ok()
            .trim()
            .to_owned()
    };
    let (one, two) = (create("repo"), create("linked"));
    for folder in ["repo", "linked"] {
        let list = world.bd_in(folder, &["list", "-q"]).ok();
        assert!(list.contains(&one) && list.contains(&two), "{list}");
    }
    world.bd_in("linked", &["start", &one, "--branch"]).ok();
    let branch = world
        .git_in("linked", &["symbolic-ref", "--short", "HEAD"])
        .ok();
    assert!(branch.starts_with(&one), "{branch}");
    assert!(world.bd_in("linked", &["show"]).ok().contains(&one));
    assert_eq!(git(&world, &["symbolic-ref", "--short", "HEAD"]), "main");
    world.bd_in("repo", &["show"]).fails(2);

    git(&world, &["clone", "--quiet", "--bare", ".", "../bare.git"]);
    assert!(world.path("bare.git/reftable").is_dir());
    world
        .git_in(
            "bare.git",
            &["fetch", "--quiet", "origin", &format!("{REF}:{REF}")],
        )
        .ok();
    assert_eq!(
        world
            .bd_in("bare.git", &["list", "-q"])
            .ok()
            .lines()
            .count(),
        2
    );
    world.bd_in("bare.git", &["create", "-q", "In bare"]).ok();
    assert_eq!(
        world
            .bd_in("bare.git", &["list", "-q"])
            .ok()
            .lines()
            .count(),
        3
    );
}

#[test]
fn a_read_starts_one_git_for_the_store_and_one_for_all_branches() {
    let Some((world, _pinned)) = with_store() else {
        return;
    };
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "First"],
    );
    let one = world.create(&["One"]);
    assert_eq!(children(&world, &["list"]), ["for-each-ref"]);
    // The branch that work lands on, whatever it is called.
    for args in [&["ready"][..], &["show", &one]] {
        assert_eq!(children(&world, args), ["for-each-ref"; 2], "{args:?}");
    }
    let created = children(&world, &["create", "Two"]);
    let moves = created.iter().filter(|verb| *verb == "update-ref");
    assert_eq!(moves.count(), 1, "{created:?}");
}

#[test]
fn a_ref_that_git_moves_back_is_seen_at_once() {
    let Some((world, _pinned)) = with_store() else {
        return;
    };
    world.create(&["One"]);
    let before = tip(&world);
    world.create(&["Two"]);
    git(&world, &["update-ref", REF, &before]);
    let said = world.bd(&["list", "-q"]);
    assert!(said.stderr.contains("set back"), "{said:?}");
    assert_eq!(said.stdout.lines().count(), 1);
}

#[test]
fn a_reftable_that_cannot_be_read_is_never_taken_for_empty() {
    let Some((world, _pinned)) = with_store() else {
        return;
    };
    world.create(&["One"]);
    let folder = world.path("repo/.git/reftable");
    let list = folder.join("tables.list");
    let names = std::fs::read_to_string(&list).unwrap();
    let table = folder.join(names.lines().last().unwrap());
    let whole = std::fs::read(&table).unwrap();
    let damage: [(&str, &dyn Fn()); 6] = [
        ("no list", &|| std::fs::remove_file(&list).unwrap()),
        ("an empty list", &|| std::fs::write(&list, "").unwrap()),
        ("a list of garbage", &|| {
            std::fs::write(&list, "\0\0garbage\n").unwrap();
        }),
        ("no table", &|| std::fs::remove_file(&table).unwrap()),
        ("an empty table", &|| std::fs::write(&table, "").unwrap()),
        ("half a table", &|| {
            std::fs::write(&table, &whole[..whole.len() / 2]).unwrap();
        }),
    ];
    for (what, break_it) in damage {
        break_it();
        for args in [&["list"][..], &["create", "Lost"], &["init"], &["status"]] {
            let said = world.bd(args);
            assert!(
                said.code != 0 && said.stderr.contains("can't"),
                "{what}: {args:?} {said:?}"
            );
            assert!(
                !said.stderr.contains("no issues are kept"),
                "{what}: {args:?} {said:?}"
            );
        }
        std::fs::write(&list, &names).unwrap();
        std::fs::write(&table, &whole).unwrap();
        assert_eq!(world.bd(&["list", "-q"]).ok().lines().count(), 1, "{what}");
    }
}

/// Does something before git runs a subcommand, the next time it does.
fn once_before(world: &World, subcommand: &str, script: &str) {
    let mark = world.file("once", "");
    instead_of_git(
        world,
        &format!(
            "for word; do case $word in {subcommand}) if [ -e '{mark}' ]; then rm '{mark}'; {script}; fi; break;; esac; done\nexec \"$GIT\" \"$@\""
        ),
    );
}

#[test]
fn a_git_that_lists_no_ref_once_is_asked_again() {
    let Some((world, _pinned)) = with_store() else {
        return;
    };
    let id = world.create(&["One"]);
    once_before(&world, "for-each-ref", "exit 0");
    for _ in 0..2 {
        assert!(world.bd(&["list"]).ok().contains(&id));
        assert!(!world.path("once").exists());
    }
    instead_of_git(
        &world,
        "for word; do case $word in for-each-ref) exit 0;; esac; done\nexec \"$GIT\" \"$@\"",
    );
    let said = world.bd(&["list"]).fails(6);
    assert!(
        said.contains("git says that refs/beads/main is there, and does not list it"),
        "{said}"
    );
    std::fs::remove_file(world.path("tools/git")).unwrap();
    assert!(world.bd(&["list"]).ok().contains(&id));
}

#[test]
fn a_commit_that_is_pruned_before_the_ref_leads_to_it_is_written_again() {
    let Some((world, _pinned)) = with_store() else {
        return;
    };
    once_before(&world, "update-ref", "\"$GIT\" prune --expire=now");
    let id = world.create(&["One"]);
    assert!(!world.path("once").exists());
    assert!(world.bd(&["list"]).ok().contains(&id));
    sound(&world);
}

#[test]
fn a_git_that_is_too_old_is_named() {
    let Some((world, _pinned)) = with_store() else {
        return;
    };
    instead_of_git(
        &world,
        "case \"$*\" in *version*) echo git version 2.39.5;; *) echo \"fatal: unknown repository extension found:\n\trefstorage\" >&2; exit 128;; esac",
    );
    for args in [&["list"][..], &["create", "x"]] {
        let text = world.bd(args).fails(6);
        assert!(
            text.contains("git 2.39.5 can't read") && text.contains("git 2.45 or newer"),
            "{text}"
        );
    }
}

#[test]
fn a_format_that_is_not_known_is_refused_with_the_way_out() {
    let Some((world, _pinned)) = with_store() else {
        return;
    };
    git(&world, &["config", "extensions.refStorage", "tomorrow"]);
    for args in [&["init"][..], &["list"], &["create", "x"]] {
        let text = world.bd(args).fails(6);
        assert!(
            text.contains("`tomorrow`") && text.contains("git refs migrate --ref-format=files"),
            "{text}"
        );
    }
    let answer = world.bd(&["list", "--json"]).stdout;
    let error: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(error["kind"], "error");
}

#[test]
fn a_ref_that_has_gone_comes_back_from_the_journal() {
    let Some((world, _pinned)) = with_store() else {
        return;
    };
    let one = world.create(&["One"]);
    let before = tip(&world);
    git(&world, &["update-ref", "-d", REF]);
    let said = world.bd(&["create", "Two"]);
    assert!(said.code != 0 && said.stderr.contains(&before), "{said:?}");
    world.bd(&["doctor", "--fix"]).ok();
    assert_eq!(tip(&world), before);
    assert_eq!(world.bd(&["list", "-q"]).ok().trim(), one);
}

#[test]
fn a_ref_to_what_is_no_commit_is_an_error() {
    for what in ["a blob", "another ref", "a missing commit"] {
        let Some((world, _pinned)) = with_store() else {
            return;
        };
        world.create(&["Kept"]);
        git(
            &world,
            &["commit", "--quiet", "--allow-empty", "-m", "First"],
        );
        std::fs::remove_file(world.path("repo/.git/beads/journal")).unwrap();
        match what {
            "a blob" => {
                let blob = plumbing::object(&world, "no commit");
                git(&world, &["update-ref", REF, &blob]);
            }
            "another ref" => {
                git(&world, &["symbolic-ref", REF, "refs/heads/main"]);
            }
            _ => {
                let tree = git(&world, &["rev-parse", &format!("{REF}^{{tree}}")]);
                let commit = git(&world, &["commit-tree", "-m", "gone", &tree]);
                git(&world, &["update-ref", REF, &commit]);
                let (folder, file) = commit.split_at(2);
                let object = format!("repo/.git/objects/{folder}/{file}");
                std::fs::remove_file(world.path(&object)).unwrap();
            }
        }
        let before = git(
            &world,
            &["for-each-ref", "--format=%(objectname) %(symref)"],
        );
        for args in [&["list"][..], &["create", "x"], &["init"], &["status"]] {
            let said = world.bd(args).fails(6);
            assert!(said.contains("hint:"), "{what}: {args:?} {said}");
        }
        let after = git(
            &world,
            &["for-each-ref", "--format=%(objectname) %(symref)"],
        );
        assert_eq!(before, after, "{what}");
    }
}

/// Runs what a power cut may do to the refs between two boots; returns the tip that was answered before.
fn power_cut(world: &mut World, lose: impl FnOnce(&World)) -> String {
    world.set("GIT_BEADS_BOOT", "one");
    world.create(&["Answered"]);
    let answered = tip(world);
    lose(world);
    world.set("GIT_BEADS_BOOT", "two");
    answered
}

#[test]
fn what_was_answered_survives_a_power_cut() {
    for what in ["the last update", "the ref"] {
        let Some((mut world, _pinned)) = with_store() else {
            return;
        };
        world.set("GIT_BEADS_BOOT", "one");
        world.create(&["Before"]);
        let folder = world.path("repo/.git/reftable");
        let older: Vec<_> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), std::fs::read(path).unwrap()))
            .collect();
        let answered = power_cut(&mut world, |world| {
            if what == "the ref" {
                git(world, &["update-ref", "-d", REF]);
                return;
            }
            std::fs::remove_dir_all(&folder).unwrap();
            std::fs::create_dir(&folder).unwrap();
            for (path, bytes) in &older {
                std::fs::write(path, bytes).unwrap();
            }
        });
        world.create(&["After"]);
        git(&world, &["merge-base", "--is-ancestor", &answered, REF]);
        let list = world.bd(&["list", "-q"]).ok();
        assert_eq!(list.lines().count(), 3, "{what}");
        sound(&world);
    }
}

#[test]
fn a_purge_where_git_keeps_no_reflog_needs_none() {
    let Some((world, _pinned)) = reftable() else {
        return;
    };
    world.git(&["init", "--quiet", "--bare", "repo"]).ok();
    world.bd(&["init"]).ok();
    let id = world.create(&["Leaked"]);
    world.bd(&["purge", &id, "--yes"]).ok();
    let shown = world.bd(&["show", &id]);
    assert!(!shown.stdout.contains("Leaked"), "{shown:?}");
}
