//! A host that refuses what a commit says: no right is missing, nothing is carried out past it, and a purge of what was not
//! sent lets the next sync through.

use serde_json::Value;

use crate::support::clones::{create, failed, hub_tip, script, sync, tip, two_clones};
use crate::support::older::write_snapshot;
use crate::support::{World, files_refs_only};

const TOKEN: &str = "AKIAXAMPLE";

/// The words of hosts, as their hooks print them.
const WORDS: [&str; 4] = [
    "error: GH013: Repository rule violations found for refs/beads/main. - Push cannot contain secrets",
    "GitLab: PUSH BLOCKED: Secrets detected in code changes",
    "VS403654: The push was rejected because it contains one or more secrets",
    "WRN leaks found: 1",
];

/// Has the hub look into every new object, and refuse those with a token.
fn guard(world: &World, words: &str) {
    let look = format!(
        "while read old new name; do case $new in 0000*) continue;; esac\n\
         for one in $(git rev-list --objects $new --not --all | cut -d' ' -f1); do\n\
         if git cat-file -p $one | grep -qa {TOKEN}; then echo '{words}' >&2; exit 1; fi; done; done"
    );
    script(world, "hub.git/hooks/pre-receive", &look);
}

/// The text of all objects that the issues of a clone lead to.
fn reachable(world: &World, clone: &str) -> String {
    let listed = world.git_in(clone, &["rev-list", "--objects", "refs/beads/main"]);
    let ids: Vec<String> = listed
        .ok()
        .lines()
        .map(|line| line.split(' ').next().unwrap().to_owned())
        .collect();
    let batch = world.command(clone, "git", &["cat-file", "--batch"]);
    let output = world.run(batch, Some(ids.join("\n").as_bytes()));
    output.ok()
}

fn hints(error: &Value) -> String {
    error["hint"].as_str().unwrap().to_owned()
}

/// A clone whose unsent history holds a token, in each place where it can be; returns the id of the issue, and that of another
/// one that was changed after it.
fn leak(world: &World, clone: &str) -> (String, String) {
    let id = create(world, clone, &[&format!("leak {TOKEN}"), "-d", TOKEN]);
    let other = create(world, clone, &["other"]);
    for args in [
        &["note", &id, "--finding", TOKEN][..],
        &["start", &id],
        &["undo"],
        &["done", &id, "-r", TOKEN],
        &["note", &other, "kept"],
    ] {
        world.bd_in(clone, args).ok();
    }
    (id, other)
}

#[test]
fn what_a_host_refuses_for_its_content_is_carried_nowhere() {
    for words in WORDS {
        let world = two_clones();
        guard(&world, words);
        world
            .git_in("b", &["checkout", "--quiet", "-b", "claude/fix-1"])
            .ok();
        world.git_in("b", &["config", "beads.carry", "true"]).ok();
        let (id, _) = leak(&world, "b");
        for _ in 0..2 {
            let error = failed(world.bd_in("b", &["sync", "--json"]), 5);
            assert_eq!(error["code"], "refused_content", "{error}");
            assert_eq!(error["next"], "await_user", "{error}");
            let hint = hints(&error);
            assert!(!hint.contains("right") && !hint.contains("carry"), "{hint}");
            assert!(hint.contains("git beads purge ID --dry-run"), "{hint}");
        }
        let said = world.bd_in("b", &["carry"]).fails(1);
        assert!(said.contains("origin has refused the content"), "{said}");
        assert!(!world.path("b/.git-beads").exists());
        let keys = ["config", "--get-regexp", "remote.origin.beads"];
        assert_eq!(world.git_in("b", &keys).stdout, "");
        let refs = world.git_in("hub.git", &["for-each-ref", "--format=%(refname)"]);
        assert_eq!(refs.ok(), "refs/beads/main\nrefs/heads/main\n");
        world.bd_in("b", &["purge", &id, "--yes"]).ok();
        let said = world.bd_in("b", &["sync"]).ok();
        assert!(said.starts_with("origin: 8 changes sent"), "{said}");
        create(&world, "b", &["later"]);
        world.bd_in("b", &["carry"]).ok();
    }
}

#[test]
fn a_purge_of_what_was_not_sent_lets_the_next_sync_through() {
    let mut world = two_clones();
    guard(&world, WORDS[0]);
    create(&world, "b", &["from there"]);
    let (id, other) = leak(&world, "a");
    world.bd_in("a", &["sync"]).fails(5);
    // A merge comes after the token: the two sides stay its parents.
    sync(&world, &["b"]);
    world.bd_in("a", &["pull"]).ok();
    create(&world, "a", &["after the merge"]);
    let before = tip(&world, "a");
    let merge = world.git_in(
        "a",
        &["log", "-1", "--merges", "--format=%H", "refs/beads/main"],
    );
    let merge = merge.ok().trim().to_owned();
    world
        .git_in("a", &["worktree", "add", "--quiet", "../linked"])
        .ok();
    world.bd_in("linked", &["list"]).ok();
    let log = |format: &str| {
        let log = ["log", &format!("--format={format}"), "refs/beads/main"];
        world.git_in("a", &log).ok()
    };
    let authors = log("%an %ae %at %cn %ce %ct");
    let plan = world.bd_in("linked", &["purge", &id, "--dry-run"]).ok();
    assert!(plan.contains("would rewrite 9 commits"), "{plan}");
    assert_eq!(tip(&world, "a"), before);
    let said = world
        .bd_in("linked", &["purge", &id, "--yes", "--json"])
        .json();
    assert_eq!(
        (&said["rewritten"], &said["held_by"]),
        (&9.into(), &0.into())
    );
    assert!(!reachable(&world, "a").contains(TOKEN));
    // All else is as it was, one commit further.
    assert_eq!(
        log("%an %ae %at %cn %ce %ct").split_once('\n').unwrap().1,
        authors
    );
    let rewritten = world.git_in(
        "a",
        &["log", "-1", "--merges", "--format=%P", "refs/beads/main"],
    );
    let there = hub_tip(&world);
    assert!(rewritten.ok().contains(&there), "{there}");
    let subjects = log("%s");
    assert!(subjects.contains(&format!("done {id}\n")), "{subjects}");
    assert!(
        subjects.contains(&format!("note {other}: 1 added")),
        "{subjects}"
    );
    let shown = world.bd_in("a", &["show", &other]).ok();
    assert!(shown.contains("kept"), "{shown}");
    // The undo names the commit in the place of the one that it reverts.
    let start = world
        .git_in("a", &["log", "--format=%H %s", "refs/beads/main"])
        .ok();
    let start = start.lines().find(|line| line.contains(" start "));
    let start = start.unwrap().split(' ').next().unwrap();
    assert!(log("%b").contains(&format!("Undoes: {start}")), "{start}");
    // An old id is answered, whoever asks.
    for args in [
        &["undo", &merge][..],
        &["log", &merge[..8]],
        &["show", &merge],
        &["list", "--at", &merge],
        &["diff", &merge],
    ] {
        let said = world.bd_in("linked", args).fails(1);
        let expected = format!("commit {} was rewritten by a purge; it is ", &merge[..10]);
        assert!(said.contains(&expected), "{args:?} {said}");
        let new = said.split("it is ").nth(1).unwrap()[..10].to_owned();
        let hint = format!("git beads diff {new}~1..{new}");
        match args[0] {
            "undo" => assert!(said.contains(&format!("git beads undo {new}")), "{said}"),
            _ => assert!(said.replace('\'', "").contains(&hint), "{args:?} {said}"),
        }
        let range = format!("{new}~1..{new}");
        world.bd_in("linked", &["diff", &range]).ok();
    }
    // No way leads back: not the check of each command, nor a repair, a reboot, or a ref that is gone.
    let purged = tip(&world, "a");
    let is_kept = |world: &World| {
        for clone in ["a", "linked"] {
            let listed = world.bd_in(clone, &["list", "--all"]);
            assert_eq!(listed.stderr, "", "{clone}");
            world.bd_in(clone, &["doctor", "--fix"]).ok();
        }
        assert_eq!(tip(world, "a"), purged);
        assert!(!reachable(world, "a").contains(TOKEN));
    };
    is_kept(&world);
    world.set("GIT_BEADS_BOOT", "another");
    is_kept(&world);
    world
        .git_in("a", &["update-ref", "-d", "refs/beads/main"])
        .ok();
    world.bd_in("linked", &["doctor", "--fix"]).ok();
    is_kept(&world);
    let reflog = world.git_in("a", &["reflog", "show", "--format=%H", "refs/beads/main"]);
    assert!(!reflog.stdout.contains(&before), "{}", reflog.stdout);
    // Another purge rewrites some of them once more, and the oldest ids lead to the newest.
    let (second, _) = leak(&world, "a");
    let middle = tip(&world, "a");
    world.bd_in("a", &["purge", &second, "--yes"]).ok();
    let third = create(&world, "a", &[TOKEN]);
    world.bd_in("a", &["purge", &third, "--yes"]).ok();
    for old in [&merge, &middle] {
        let said = world.bd_in("a", &["undo", old]).fails(1);
        let new = said.split("it is ").nth(1).unwrap();
        let found = ["merge-base", "--is-ancestor", &new[..10], "refs/beads/main"];
        assert_eq!(world.git_in("a", &found).code, 0, "{said}");
    }
    let purged = tip(&world, "a");
    assert!(!reachable(&world, "a").contains(TOKEN));
    // A second purge of one finds nothing to do.
    let said = world.bd_in("a", &["purge", &id, "--yes"]).ok();
    assert!(
        said.contains("no commit of the history holds the text"),
        "{said}"
    );
    assert_eq!(tip(&world, "a"), purged);
    sync(&world, &["linked", "b", "a"]);
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
    assert_eq!(hub_tip(&world), tip(&world, "b"));
    world.git_in("a", &["gc", "--quiet", "--prune=now"]).ok();
    world.bd_in("a", &["doctor"]).ok();
    let fsck = world.git_in("a", &["fsck", "--no-dangling", "--strict"]);
    assert_eq!((fsck.code, fsck.stdout.as_str()), (0, ""));
}

#[test]
fn what_has_left_is_not_rewritten_and_that_is_said() {
    for way in ["sent", "carried", "snapshot", "mailbox"] {
        let world = two_clones();
        let (id, _) = leak(&world, "a");
        let git = |args: &[&str]| world.git_in("a", args).ok();
        match way {
            "sent" => sync(&world, &["a"]),
            "carried" => drop(world.bd_in("a", &["carry"]).ok()),
            "snapshot" => write_snapshot(&world, "a"),
            _ => {
                git(&["checkout", "--quiet", "-b", "claude/fix-1"]);
                script(
                    &world,
                    "hub.git/hooks/update",
                    "case $1 in refs/beads/*) exit 1;; esac",
                );
                sync(&world, &["a"]);
            }
        }
        create(&world, "a", &["later"]);
        let before = tip(&world, "a");
        for args in [&["purge", &id, "--dry-run"][..], &["purge", &id, "--yes"]] {
            let said = world.bd_in("a", args).ok();
            let expected =
                "of the history still hold the text, which has left this clone or may have";
            assert!(said.contains(expected), "{way}: {said}");
        }
        git(&["merge-base", "--is-ancestor", &before, "refs/beads/main"]);
        assert!(reachable(&world, "a").contains(TOKEN), "{way}");
    }
}

#[test]
fn a_carry_file_without_the_issue_keeps_no_purge_from_rewriting() {
    let world = two_clones();
    create(&world, "a", &["before"]);
    world.bd_in("a", &["carry"]).ok();
    let (id, _) = leak(&world, "a");
    let said = world.bd_in("a", &["purge", &id, "--yes"]).ok();
    assert!(said.contains("are rewritten without the text"), "{said}");
    assert!(!reachable(&world, "a").contains(TOKEN));
}

#[test]
fn what_a_remote_took_without_an_answer_may_have_left() {
    for way in ["silent", "refused after it"] {
        let world = two_clones();
        let (id, _) = leak(&world, "a");
        let before = tip(&world, "a");
        // The remote has moved its ref, and ends before it says so.
        script(&world, "hub.git/hooks/post-receive", "kill -9 $PPID");
        failed(world.bd_in("a", &["sync", "--json"]), 5);
        std::fs::remove_file(world.path("hub.git/hooks/post-receive")).unwrap();
        assert_eq!(hub_tip(&world), before);
        if way != "silent" {
            // A later refusal says nothing of that push.
            let back = world.git_in("b", &["rev-parse", "refs/beads/main"]).ok();
            let back = ["update-ref", "refs/beads/main", back.trim()];
            world.git_in("hub.git", &back).ok();
            guard(&world, WORDS[0]);
            create(&world, "a", &["later"]);
            failed(world.bd_in("a", &["sync", "--json"]), 5);
        }
        let said = world.bd_in("a", &["purge", &id, "--yes"]).ok();
        assert!(
            said.contains("which has left this clone or may have"),
            "{said}"
        );
        let found = ["merge-base", "--is-ancestor", &before, "refs/beads/main"];
        world.git_in("a", &found).ok();
    }
}

#[test]
fn no_note_stays_of_what_was_answered() {
    let world = two_clones();
    create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    create(&world, "b", &["y"]);
    sync(&world, &["b"]);
    guard(&world, WORDS[0]);
    create(&world, "a", &[TOKEN]);
    failed(world.bd_in("a", &["sync", "--json"]), 5);
    for clone in ["a", "b"] {
        let refs = ["for-each-ref", "refs/beads-seen/*/sending"];
        assert_eq!(world.git_in(clone, &refs).stdout, "", "{clone}");
    }
}

#[test]
fn a_refusal_of_content_outlasts_a_probe_and_another_name_of_the_remote() {
    let world = two_clones();
    guard(&world, WORDS[0]);
    create(&world, "b", &[TOKEN]);
    failed(world.bd_in("b", &["sync", "--json"]), 5);
    let is_withheld = || {
        for args in [&["carry"][..], &["carry", "--full"]] {
            let said = world.bd_in("b", args).fails(1);
            assert!(said.contains("origin has refused the content"), "{said}");
        }
        assert!(!world.path("b/.git-beads").exists());
    };
    is_withheld();
    std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
    failed(world.bd_in("b", &["sync", "--probe", "--json"]), 5);
    is_withheld();
    std::fs::rename(world.path("away.git"), world.path("hub.git")).unwrap();
    world
        .git_in("b", &["remote", "rename", "origin", "up"])
        .ok();
    is_withheld();
    std::fs::remove_file(world.path("hub.git/hooks/pre-receive")).unwrap();
    sync(&world, &["b"]);
    create(&world, "b", &["later"]);
    world.bd_in("b", &["carry"]).ok();
    world.bd_in("b", &["snapshot", "--write"]).ok();
}

#[test]
fn a_branch_that_the_user_pushed_has_left() {
    let world = two_clones();
    let (id, _) = leak(&world, "a");
    let push = [
        "push",
        "--quiet",
        "origin",
        "refs/beads/main:refs/heads/beads",
    ];
    world.git_in("a", &push).ok();
    let said = world.bd_in("a", &["purge", &id, "--yes"]).ok();
    assert!(
        said.contains("which has left this clone or may have"),
        "{said}"
    );
}

/// Kills a purge once the journal has its record, before the ref moves.
fn kill_purge(world: &mut World, id: &str) {
    let events = world.events();
    let lock = world.file("a/.git/refs/beads/main.lock", "");
    let appended = "appended to the journal";
    let before = events.count(appended);
    world
        .git_in("a", &["config", "core.filesRefLockTimeout", "-1"])
        .ok();
    let program = crate::support::binary();
    let mut purge = world.command("a", program, &["purge", id, "--yes"]);
    let mut purge = purge.spawn().unwrap();
    events.wait(appended, before + 1);
    purge.kill().unwrap();
    purge.wait().unwrap();
    std::fs::remove_file(lock).unwrap();
}

#[test]
fn a_purge_that_was_killed_is_completed_by_a_reboot_or_counts_for_nothing() {
    let _files = files_refs_only();
    for is_rebooted in [true, false] {
        let mut world = two_clones();
        guard(&world, WORDS[0]);
        let (id, _) = leak(&world, "a");
        world.bd_in("a", &["sync"]).fails(5);
        let before = tip(&world, "a");
        kill_purge(&mut world, &id);
        assert_eq!(tip(&world, "a"), before);
        assert!(world.path("a/.git/beads/rewritten").exists());
        match is_rebooted {
            true => {
                world.set("GIT_BEADS_BOOT", "another");
                world.bd_in("a", &["list"]).ok();
                world.bd_in("a", &["doctor", "--fix"]).ok();
                assert!(!reachable(&world, "a").contains(TOKEN));
            }
            false => {
                // The text is still here, and no host has taken it.
                world.bd_in("a", &["carry"]).fails(1);
                create(&world, "a", &["after it"]);
                world.bd_in("a", &["show", "--at", &before, &id]).ok();
            }
        }
        world.bd_in("a", &["purge", &id, "--yes"]).ok();
        assert!(!reachable(&world, "a").contains(TOKEN));
        sync(&world, &["a", "b"]);
    }
}

#[test]
fn old_commits_that_came_back_are_rewritten_by_a_second_purge() {
    let world = two_clones();
    guard(&world, WORDS[0]);
    let (id, _) = leak(&world, "a");
    let old = tip(&world, "a");
    world.bd_in("a", &["purge", &id, "--yes"]).ok();
    let back = ["update-ref", "refs/beads/main", &old];
    world.git_in("a", &back).ok();
    world.bd_in("a", &["doctor", "--fix"]).ok();
    assert!(reachable(&world, "a").contains(TOKEN));
    world.bd_in("a", &["sync"]).fails(5);
    let said = world.bd_in("a", &["purge", &id, "--yes"]).ok();
    assert!(said.contains("are rewritten without the text"), "{said}");
    assert!(!reachable(&world, "a").contains(TOKEN));
    sync(&world, &["a", "b"]);
    let tip_before = tip(&world, "a");
    world.bd_in("a", &["purge", &id, "--yes"]).ok();
    assert_eq!(tip(&world, "a"), tip_before);
    world.bd_in("a", &["doctor"]).ok();
}

#[test]
fn an_address_with_such_a_word_is_no_refusal_of_content() {
    let world = two_clones();
    let rule = "case $1 in refs/beads/*) echo 'error: GH013: see https://github.com/acme/secret-santa/rules' >&2\n\
        exit 1;; esac";
    script(&world, "hub.git/hooks/update", rule);
    create(&world, "a", &["x"]);
    let error = failed(world.bd_in("a", &["sync", "--json"]), 5);
    assert_ne!(error["code"], "refused_content", "{error}");
    world.bd_in("a", &["carry"]).ok();
}

#[test]
fn false_words_of_a_host_withhold_the_file_and_no_more() {
    let world = two_clones();
    script(
        &world,
        "hub.git/hooks/pre-receive",
        "cat >/dev/null; echo 'a secret that no one has' >&2; exit 1",
    );
    create(&world, "a", &["x"]);
    let error = failed(world.bd_in("a", &["sync", "--json"]), 5);
    assert_eq!(error["code"], "refused_content", "{error}");
    let refused = failed(world.bd_in("a", &["carry", "--json"]), 1);
    let again = "git beads sync --probe --remote origin asks the remote again";
    assert!(hints(&refused).contains(again), "{refused}");
    // Writing and reading go on, and so does the sync once the host takes it.
    create(&world, "a", &["y"]);
    std::fs::remove_file(world.path("hub.git/hooks/pre-receive")).unwrap();
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(said.starts_with("origin: 2 changes sent"), "{said}");
    create(&world, "a", &["z"]);
    world.bd_in("a", &["carry"]).ok();
}

#[test]
fn words_of_a_hook_that_took_the_push_mean_nothing() {
    let world = two_clones();
    script(
        &world,
        "hub.git/hooks/pre-receive",
        "cat >/dev/null; echo 'Push cannot contain secrets' >&2",
    );
    create(&world, "a", &["x"]);
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(said.starts_with("origin: 1 change sent"), "{said}");
    create(&world, "a", &["y"]);
    world.bd_in("a", &["carry"]).ok();
}
