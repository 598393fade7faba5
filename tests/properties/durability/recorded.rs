//! A ref and objects that are lost together: the newest recorded state comes back whole, or the error names it. No older
//! one is ever called repaired.

use crate::support::plumbing::{REF, git, hub, loose, sound, tip};
use crate::support::{Output, World, files_refs_only};

/// More issues than the journal holds of one operation.
const MANY: usize = 150;

fn titles(world: &World) -> Vec<String> {
    let list = world.bd(&["list", "--json", "-n", "0"]).json();
    let issues = list["issues"].as_array().unwrap().iter();
    let mut titles: Vec<String> = issues
        .map(|issue| issue["title"].as_str().unwrap().to_owned())
        .collect();
    titles.sort();
    titles
}

fn collect(world: &World) {
    git(world, &["reflog", "expire", "--expire=now", "--all"]);
    git(world, &["gc", "--quiet", "--prune=now"]);
}

/// Removes the ref, its reflog and every object that it led to, as some tools that rewrite a history do at once.
fn lose_all(world: &World) {
    git(world, &["update-ref", "-d", REF]);
    collect(world);
}

fn import_many(world: &World) {
    let lines: String = (0..MANY)
        .map(|n| {
            format!(
                "{{\"id\":\"y-{n}\",\"title\":\"Many {n}\",\"created_at\":\"2026-09-01T00:00:00Z\",\
                 \"updated_at\":\"2026-09-01T00:00:00Z\"}}\n"
            )
        })
        .collect();
    std::fs::write(world.path("many.jsonl"), lines).unwrap();
    world.bd(&["import", "../many.jsonl"]).ok();
}

/// Checks that a command ends with exit code 6 and names a state.
fn names(run: &Output, state: &str) {
    assert_eq!(run.code, 6, "{run:?}");
    assert!(run.stderr.contains(state), "{run:?}");
}

#[test]
fn what_the_journal_holds_comes_back_when_a_person_asks() {
    for without_tip_alone in [false, true] {
        let world = World::with_store_made_here();
        world.create(&["One"]);
        world.create(&["Two"]);
        let newest = tip(&world);
        if without_tip_alone {
            git(&world, &["update-ref", "-d", REF]);
            std::fs::remove_file(loose(&world, &newest)).unwrap();
        } else {
            lose_all(&world);
        }
        for verb in [
            ["list"].as_slice(),
            &["create", "Three"],
            &["init"],
            &["ready"],
        ] {
            names(&world.bd(verb), &newest);
        }
        let said = world.bd(&["doctor"]);
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.stdout.contains(&newest), "{said:?}");
        world.bd(&["doctor", "--fix"]).ok();
        assert_eq!(tip(&world), newest);
        assert_eq!(titles(&world), ["One", "Two"]);
        sound(&world);
        world.bd(&["doctor"]).ok();
    }
}

#[test]
fn a_reader_after_a_reboot_brings_back_the_newest_state() {
    let mut world = World::with_store_made_here();
    world.create(&["One"]);
    world.create(&["Two"]);
    let newest = tip(&world);
    lose_all(&world);
    world.set("GIT_BEADS_BOOT", "next");
    assert_eq!(titles(&world), ["One", "Two"]);
    assert_eq!(tip(&world), newest);
    sound(&world);
}

#[test]
fn no_older_state_is_called_repaired() {
    for begins_with_it in [false, true] {
        let mut world = World::with_store_made_here();
        if !begins_with_it {
            world.create(&["Before"]);
        }
        let before = tip(&world);
        import_many(&world);
        let import = tip(&world);
        world.create(&["After"]);
        let newest = tip(&world);
        lose_all(&world);
        for boot in ["", "next", "third"] {
            if !boot.is_empty() {
                world.set("GIT_BEADS_BOOT", boot);
            }
            names(&world.bd(&["list"]), &newest);
            names(&world.bd(&["create", "Later"]), &newest);
            let said = world.bd(&["doctor", "--fix"]);
            assert_eq!(said.code, 1, "{said:?}");
            let why = format!("the newest recorded state {newest} needs {import}");
            assert!(said.stdout.contains(&why), "{said:?}");
            assert!(
                said.stdout.contains("git beads doctor --fix --older"),
                "{said:?}"
            );
        }
        // A person may go on from what is left, and is told what that lacks.
        let said = world.bd(&["doctor", "--fix", "--older"]);
        assert_eq!(tip(&world), before);
        assert_eq!(said.code, 1, "{said:?}");
        assert!(
            said.stdout
                .contains(&format!("the ref lacks what {newest} has")),
            "{said:?}"
        );
        world.create(&["Later"]);
        sound(&world);
        let said = world.bd(&["doctor"]);
        assert!(
            said.stdout
                .contains(&format!("the ref lacks what {newest} has")),
            "{said:?}"
        );
    }
}

#[test]
fn the_newest_state_is_that_of_a_program_that_moved_the_ref_last() {
    let world = World::with_store_made_here();
    world.create(&["One"]);
    let tree = git(&world, &["rev-parse", &format!("{REF}^{{tree}}")]);
    let theirs = git(
        &world,
        &["commit-tree", &tree, "-p", &tip(&world), "-m", "by hand"],
    );
    git(&world, &["update-ref", REF, &theirs]);
    std::fs::remove_file(loose(&world, &theirs)).unwrap();
    names(&world.bd(&["list"]), &theirs);
    let said = world.bd(&["doctor", "--fix"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(
        said.stdout.contains(&format!(
            "the newest recorded state {theirs} needs {theirs}"
        )),
        "{said:?}"
    );
    assert_eq!(tip(&world), theirs);
    let _ = world.bd(&["doctor", "--fix", "--older"]);
    assert_eq!(titles(&world), ["One"]);
}

#[test]
fn a_remote_gives_what_the_journal_does_not_hold() {
    let world = World::with_store_made_here();
    import_many(&world);
    hub(&world);
    world.bd(&["sync"]).ok();
    world.create(&["Unsent"]);
    let newest = tip(&world);
    git(
        &world,
        &["update-ref", "-d", "refs/beads-remotes/origin/main"],
    );
    git(&world, &["update-ref", "-d", "refs/beads-seen/origin/main"]);
    lose_all(&world);
    let said = world.bd(&["doctor", "--fix"]);
    assert!(
        said.stdout.contains("git beads doctor --fix --remote"),
        "{said:?}"
    );
    let _ = world.bd(&["doctor", "--fix", "--remote"]);
    assert_eq!(tip(&world), newest);
    assert_eq!(titles(&world).len(), MANY + 1);
    sound(&world);
}

#[test]
fn a_ref_on_the_code_is_put_back_though_git_has_pruned_the_issues() {
    for way in ["at once", "after a reboot", "ref removed, after a reboot"] {
        let mut world = World::with_store_made_here();
        world.create(&["One"]);
        let newest = tip(&world);
        git(
            &world,
            &["commit", "--quiet", "--allow-empty", "-m", "code"],
        );
        git(&world, &["update-ref", REF, "HEAD"]);
        collect(&world);
        assert_eq!(world.bd(&["list"]).code, 6);
        if way != "at once" {
            world.set("GIT_BEADS_BOOT", "next");
            assert_eq!(world.bd(&["list"]).code, 6);
        }
        if way == "ref removed, after a reboot" {
            git(&world, &["update-ref", "-d", REF]);
            world.set("GIT_BEADS_BOOT", "third");
            assert_eq!(titles(&world), ["One"], "{way}");
        }
        world.bd(&["doctor", "--fix"]).ok();
        assert_eq!(tip(&world), newest, "{way}");
        assert_eq!(titles(&world), ["One"], "{way}");
        sound(&world);
    }
}

#[test]
fn a_ref_that_can_t_be_read_is_no_reason_for_an_older_state() {
    let _files = files_refs_only();
    for reboot in [false, true] {
        let mut world = World::with_store_made_here();
        world.create(&["Before"]);
        import_many(&world);
        let newest = tip(&world);
        lose_all(&world);
        std::fs::create_dir_all(world.path("repo/.git/refs/beads")).unwrap();
        std::fs::write(world.path("repo/.git/refs/beads/main"), "garbage\n").unwrap();
        if reboot {
            world.set("GIT_BEADS_BOOT", "next");
        }
        names(&world.bd(&["list"]), &newest);
        names(&world.bd(&["create", "Later"]), &newest);
        let said = world.bd(&["doctor", "--fix"]);
        assert!(said.stdout.contains(&newest), "{said:?}");
    }
}

#[test]
fn without_a_journal_the_newest_state_is_that_of_the_reflog() {
    let _files = files_refs_only();
    for is_gone in [false, true] {
        let world = World::new();
        git(&world, &["config", "beads.durability", "git"]);
        world.bd(&["init"]).ok();
        world.create(&["One"]);
        let before = tip(&world);
        world.create(&["Two"]);
        let newest = tip(&world);
        let file = world.path("repo/.git/refs/beads/main");
        match is_gone {
            true => std::fs::remove_file(file).unwrap(),
            false => std::fs::write(file, "").unwrap(),
        }
        std::fs::remove_file(loose(&world, &newest)).unwrap();
        assert_eq!(world.bd(&["list"]).code, 6);
        assert_eq!(world.bd(&["init"]).code, 6);
        let said = world.bd(&["doctor", "--fix"]);
        assert_eq!(said.code, 1, "{said:?}");
        assert!(
            said.stdout
                .contains(&format!("the newest recorded state {newest} needs")),
            "{said:?}"
        );
        let _ = world.bd(&["doctor", "--fix", "--older"]);
        assert_eq!(tip(&world), before);
        assert_eq!(titles(&world), ["One"]);
    }
}

#[test]
fn the_journals_newest_state_is_named_after_the_ref_went_on_from_an_older_one() {
    let world = World::with_store_made_here();
    world.create(&["One"]);
    let older = tip(&world);
    import_many(&world);
    let newest = tip(&world);
    git(&world, &["update-ref", REF, &older]);
    collect(&world);
    // What is gone for good is in no warning, but doctor still knows that it was there.
    world.create(&["Two"]);
    world.create(&["Three"]);
    let said = world.bd(&["doctor"]);
    assert!(
        said.stdout
            .contains(&format!("the ref lacks what {newest} has")),
        "{said:?}"
    );
}

/// A merge of what was noticed before is an entry of the reflog too: it hides no fetch.
#[test]
fn all_that_fetches_have_dropped_comes_back_after_a_set_back_in_between() {
    let world = World::with_store_made_here();
    world.create(&["Base"]);
    hub(&world);
    world.bd(&["sync"]).ok();
    let base = tip(&world);
    world.create(&["First"]);
    git(&world, &["update-ref", REF, &base]);
    let _ = world.bd(&["list"]);
    world.create(&["Seven"]);
    let _ = world.bd(&["doctor", "--fix"]);
    git(
        &world,
        &["fetch", "--quiet", "origin", "+refs/beads/*:refs/beads/*"],
    );
    let said = world.bd(&["list"]);
    assert!(said.stderr.contains("was merged again"), "{said:?}");
    assert_eq!(titles(&world), ["Base", "First", "Seven"]);
    assert_eq!(world.bd(&["list"]).stderr, "");
    world.bd(&["doctor"]).ok();
    sound(&world);
}

#[test]
fn it_comes_back_in_every_kind_of_repository() {
    for kind in ["bare", "sha256", "packed refs", "linked worktree"] {
        let world = World::new();
        let (at, options): (&str, &[&str]) = match kind {
            "bare" => ("repo.git", &["--bare"]),
            "sha256" => ("repo2", &["--object-format=sha256"]),
            _ => ("repo2", &[]),
        };
        let init = [&["init", "--quiet"], options, &[at]].concat();
        world.git_in(".", &init).ok();
        let mut work = at;
        if kind == "linked worktree" {
            world
                .git_in(at, &["commit", "--quiet", "--allow-empty", "-m", "x"])
                .ok();
            world
                .git_in(at, &["worktree", "add", "--quiet", "../linked"])
                .ok();
            work = "linked";
        }
        world.bd_in(work, &["init"]).ok();
        world.bd_in(work, &["create", "One"]).ok();
        let newest = world.git_in(at, &["rev-parse", REF]).ok();
        if kind == "packed refs" {
            world.git_in(at, &["pack-refs", "--all"]).ok();
        }
        world.git_in(at, &["update-ref", "-d", REF]).ok();
        world
            .git_in(at, &["reflog", "expire", "--expire=now", "--all"])
            .ok();
        world.git_in(at, &["gc", "--quiet", "--prune=now"]).ok();
        names(&world.bd_in(work, &["list"]), newest.trim());
        world.bd_in(work, &["doctor", "--fix"]).ok();
        assert_eq!(world.git_in(at, &["rev-parse", REF]).ok(), newest, "{kind}");
        assert!(world.bd_in(work, &["list"]).ok().contains("One"), "{kind}");
    }
}
