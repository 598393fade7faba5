//! Carry files: where nothing is taken, changes travel as text in a branch of the user's, and arrive however that is merged.

mod delivery;
mod hostile;

use serde_json::json;

use super::{export, work};
use crate::support::World;
use crate::support::clones::{create, failed, script, sync, tip, two_clones};

pub(super) const FOLDER: &str = ".git-beads/carry";

/// Runs git in a clone.
#[track_caller]
pub(super) fn git(world: &World, clone: &str, args: &[&str]) -> String {
    world.git_in(clone, args).ok()
}

/// A lead `a`, and an agent `b` on the branch `work` that has no remote any more, which has worked.
pub(super) fn lead_and_agent() -> (World, Vec<String>) {
    let world = two_clones();
    let issues: Vec<String> = ["x", "y"].map(|title| create(&world, "a", &[title])).into();
    sync(&world, &["a", "b"]);
    enter(&world, "b");
    work(&world, "b", &issues);
    (world, issues)
}

/// Lets a clone be the sandbox of an agent without a remote.
fn enter(world: &World, clone: &str) {
    git(world, clone, &["checkout", "--quiet", "-b", "work"]);
    git(world, clone, &["remote", "remove", "origin"]);
    git(world, clone, &["config", "beads.carry", "true"]);
}

/// Writes the carry file of a clone and commits it; returns its path.
#[track_caller]
fn carry(world: &World, clone: &str) -> String {
    let said = world.bd_in(clone, &["sync", "--json"]).json();
    assert_eq!(said["delivery"], "carried", "{said}");
    assert_eq!(said["next"], "commit_file", "{said}");
    commit(world, clone);
    said["carry"]["file"].as_str().unwrap().to_owned()
}

pub(super) fn commit(world: &World, clone: &str) {
    git(world, clone, &["add", ".git-beads"]);
    git(world, clone, &["commit", "--quiet", "-m", "work"]);
}

/// Brings the branch of the agent to the main branch of the hub, as a lead does it.
fn land(world: &World, way: &str) {
    git(
        world,
        "a",
        &["fetch", "--quiet", "../b", "work:refs/heads/incoming"],
    );
    let base = "main";
    match way {
        "merged" => {
            git(
                world,
                "a",
                &["merge", "--quiet", "--no-ff", "-m", "m", "incoming"],
            );
        }
        "squashed" => {
            git(world, "a", &["merge", "--quiet", "--squash", "incoming"]);
            git(world, "a", &["commit", "--quiet", "-m", "squashed"]);
        }
        "rebased" => {
            git(
                world,
                "a",
                &["commit", "--quiet", "--allow-empty", "-m", "other"],
            );
            git(world, "a", &["rebase", "--quiet", base, "incoming"]);
            git(world, "a", &["checkout", "--quiet", base]);
            git(world, "a", &["merge", "--quiet", "incoming"]);
        }
        "cherry-picked" => {
            git(world, "a", &["cherry-pick", "incoming"]);
        }
        "applied" => {
            let diff = git(world, "a", &["diff", "--binary", "main", "incoming"]);
            let file = world.file("diff", diff);
            git(world, "a", &["apply", "--index", &file]);
            git(world, "a", &["commit", "--quiet", "-m", "applied"]);
        }
        other => panic!("{other}"),
    }
    git(world, "a", &["push", "--quiet", "origin", "main"]);
}

#[test]
fn an_agent_without_a_remote_is_told_what_to_commit() {
    let (world, _) = lead_and_agent();
    let said = world.bd_in("b", &["sync"]).ok();
    let expected = "no remote takes issues here: 4 changes of 3 issues are in .git-beads/carry/";
    assert!(said.starts_with(expected), "{said}");
    assert!(
        said.ends_with("\nnext: git add .git-beads && git commit\n"),
        "{said}"
    );
    // A second one writes nothing, and once it is committed nothing is left to do.
    let listed = || {
        git(
            &world,
            "b",
            &["status", "--porcelain", "--untracked-files=all"],
        )
    };
    let before = listed();
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(listed(), before);
    commit(&world, "b");
    let said = world.bd_in("b", &["sync", "--json"]).json();
    assert_eq!(
        (&said["carry"]["committed"], &said["next"]),
        (&json!(true), &json!("continue"))
    );
    assert_eq!(listed(), "");
}

#[test]
fn what_is_not_committed_is_replaced_and_what_is_stays() {
    let (world, issues) = lead_and_agent();
    let names = || {
        let listed = std::fs::read_dir(world.path(&format!("b/{FOLDER}"))).unwrap();
        let mut names: Vec<String> = listed
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    world.bd_in("b", &["sync"]).ok();
    let first = names();
    world.file(&format!("b/{FOLDER}/mine.jsonl"), "{}\n");
    world.bd_in("b", &["note", &issues[0], "more"]).ok();
    world.bd_in("b", &["sync"]).ok();
    let second = names();
    assert!(
        !second.contains(&first[0]) && second.contains(&"mine.jsonl".to_owned()),
        "{second:?}"
    );
    std::fs::remove_file(world.path(&format!("b/{FOLDER}/mine.jsonl"))).unwrap();
    commit(&world, "b");
    world.bd_in("b", &["note", &issues[0], "still more"]).ok();
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(names().len(), 2);
    assert_eq!(git(&world, "b", &["diff", "--name-only", "HEAD"]), "");
}

#[test]
fn a_file_arrives_however_its_branch_lands() {
    for way in ["merged", "squashed", "rebased", "cherry-picked", "applied"] {
        let (world, _) = lead_and_agent();
        let file = carry(&world, "b");
        land(&world, way);
        let text = std::fs::read(world.path(&format!("b/{file}"))).unwrap();
        assert_eq!(
            text,
            std::fs::read(world.path(&format!("a/{file}"))).unwrap(),
            "{way}"
        );
        let said = world.bd_in("a", &["sync"]).ok();
        let collected = format!("origin: 4 changes collected from main:{file}\n");
        assert!(said.ends_with(&collected), "{way}: {said}");
        assert_eq!(export(&world, "a"), export(&world, "b"), "{way}");
        // Again, by whichever way: no ref moves.
        let before = (tip(&world, "a"), tip(&world, "hub.git"));
        for args in [
            &["sync"][..],
            &["collect", "--head"],
            &["collect", "--file", &file],
        ] {
            let said = world.bd_in("a", args).ok();
            assert_eq!(
                said, "origin: 0 changes sent, 0 changes received\n",
                "{way}"
            );
        }
        assert_eq!(before, (tip(&world, "a"), tip(&world, "hub.git")), "{way}");
        assert_eq!(export(&world, "a"), export(&world, "b"), "{way}");
        world.bd_in("a", &["doctor"]).ok();
    }
}

#[test]
fn a_file_arrives_where_a_killed_command_has_written_a_part_of_it() {
    let (world, _) = lead_and_agent();
    carry(&world, "b");
    land(&world, "merged");
    // The last commit alone, without what it leads to.
    let last = tip(&world, "b");
    let text = git(&world, "b", &["cat-file", "commit", &last]);
    let path = world.file("commit", &text);
    let written = git(&world, "a", &["hash-object", "-t", "commit", "-w", &path]);
    assert_eq!(written.trim(), last);
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(said.contains("4 changes collected from"), "{said}");
    assert_eq!(export(&world, "a"), export(&world, "b"));
}

#[test]
fn a_later_file_of_a_writer_is_no_conflict_with_an_earlier_one() {
    // Also from another branch, which has not the earlier file.
    for branch in ["work", "other"] {
        let (world, issues) = lead_and_agent();
        let title = |text: &str| {
            let args = ["update", &issues[0], "--title", text];
            world.bd_in("b", &args).ok();
        };
        title("first");
        carry(&world, "b");
        git(&world, "b", &["push", "--quiet", "../hub.git", "work"]);
        if branch == "other" {
            git(&world, "b", &["checkout", "--quiet", "-b", "other", "main"]);
        }
        title("second");
        carry(&world, "b");
        let to = format!("HEAD:{branch}");
        let collect = || {
            git(&world, "a", &["fetch", "--quiet"]);
            sync(&world, &["a"]);
        };
        if branch == "other" {
            collect();
        }
        git(&world, "b", &["push", "--quiet", "../hub.git", &to]);
        collect();
        let said = world.bd_in("a", &["conflicts", "--json"]).json();
        assert_eq!(said["conflicts"], json!([]), "{branch}");
        assert_eq!(export(&world, "a"), export(&world, "b"), "{branch}");
    }
}

#[test]
fn a_revert_leaves_issues_alone_and_undo_takes_them_back() {
    let (world, issues) = lead_and_agent();
    carry(&world, "b");
    land(&world, "squashed");
    sync(&world, &["a"]);
    git(&world, "a", &["revert", "--no-edit", "HEAD"]);
    git(&world, "a", &["push", "--quiet", "origin", "main"]);
    sync(&world, &["a"]);
    assert_eq!(export(&world, "a"), export(&world, "b"));
    let log = world.bd_in("a", &["log", "--json"]).ok();
    assert!(log.contains(&format!("done {}", issues[1])), "{log}");
    let listed = git(&world, "a", &["log", "--format=%H %s", "refs/beads/main"]);
    let done = listed.lines().find(|line| line.contains(" done ")).unwrap();
    world.bd_in("a", &["undo", &done[..12]]).ok();
    let shown = world.bd_in("a", &["show", &issues[1], "--json"]).json();
    assert_eq!(shown["issue"]["status"], "open", "{shown}");
}

#[test]
fn two_who_collect_make_the_same_commit() {
    let (world, _) = lead_and_agent();
    git(&world, ".", &["clone", "--quiet", "hub.git", "c"]);
    world.bd_in("c", &["init"]).ok();
    carry(&world, "b");
    git(&world, "b", &["push", "--quiet", "../hub.git", "work"]);
    for clone in ["a", "c"] {
        git(&world, clone, &["fetch", "--quiet", "origin"]);
        let said = world.bd_in(clone, &["pull"]).ok();
        assert!(said.contains("4 changes collected from work:"), "{said}");
    }
    assert_eq!(tip(&world, "a"), tip(&world, "c"));
    sync(&world, &["a", "c", "a"]);
    assert_eq!(tip(&world, "a"), tip(&world, "hub.git"));
    // The agent hears of it by a file of the lead's, or a remote that it gets.
    git(&world, "b", &["remote", "add", "origin", "../hub.git"]);
    sync(&world, &["b", "a"]);
    assert_eq!(export(&world, "a"), export(&world, "b"));
    assert_eq!(world.bd_in("a", &["conflicts", "-q"]).ok(), "");
}

#[test]
fn what_is_checked_out_and_what_the_user_rules_out_changes_nothing() {
    let (world, _) = lead_and_agent();
    carry(&world, "b");
    git(
        &world,
        "a",
        &["fetch", "--quiet", "../b", "work:refs/heads/stranger"],
    );
    git(&world, "a", &["checkout", "--quiet", "stranger"]);
    let before = tip(&world, "a");
    sync(&world, &["a"]);
    assert_eq!(tip(&world, "a"), before);
    let said = world.bd_in("a", &["collect", "--head", "--dry-run"]).ok();
    assert!(said.contains("4 changes collected from HEAD:"), "{said}");
    assert!(said.contains(" closed y\n"), "{said}");
    assert_eq!(tip(&world, "a"), before);
    // In a branch of the hub: the setting decides. A pull request that a fetch brings is a stranger's.
    git(
        &world,
        "b",
        &[
            "push",
            "--quiet",
            "../hub.git",
            "work",
            "work:refs/pull/7/head",
        ],
    );
    git(&world, "a", &["config", "beads.collect", "landed"]);
    let fetch = "+refs/pull/*/head:refs/remotes/origin/pr/*";
    git(
        &world,
        "a",
        &["config", "--add", "remote.origin.fetch", fetch],
    );
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    sync(&world, &["a"]);
    git(&world, "a", &["config", "beads.collect", "none"]);
    sync(&world, &["a"]);
    git(&world, "hub.git", &["branch", "-D", "work"]);
    git(&world, "a", &["fetch", "--quiet", "--prune", "origin"]);
    git(&world, "a", &["config", "--unset", "beads.collect"]);
    sync(&world, &["a"]);
    assert_eq!(tip(&world, "a"), before);
    world.bd_in("a", &["collect", "--branch", "stranger"]).ok();
    assert_eq!(export(&world, "a"), export(&world, "b"));
    git(&world, "a", &["config", "beads.collect", "maybe"]);
    let error = failed(world.bd_in("a", &["sync", "--json"]), 1);
    assert_eq!(error["code"], "invalid", "{error}");
}

#[test]
fn where_all_is_refused_a_file_is_written_only_if_that_is_welcome() {
    let world = two_clones();
    let log = world.path("pushes").display().to_string();
    let refuse = format!("[ \"$LEAD\" = 1 ] && exit 0; echo x >>'{log}'; exit 1");
    script(&world, "hub.git/hooks/update", &refuse);
    create(&world, "b", &["Found in a fork"]);
    let error = failed(world.bd_in("b", &["sync", "--json"]), 5);
    assert_eq!(error["code"], "refused", "{error}");
    assert!(
        error["hint"].as_str().unwrap().contains("git beads carry"),
        "{error}"
    );
    assert!(!world.path("b/.git-beads").exists());
    // The team says so by a file that is committed, and the user may say no.
    world.file(
        "b/.git-beads/README.md",
        "Files in carry/ are changes of issues.\n",
    );
    failed(world.bd_in("b", &["sync", "--json"]), 5);
    commit(&world, "b");
    git(&world, "b", &["config", "beads.carry", "false"]);
    failed(world.bd_in("b", &["sync", "--json"]), 5);
    git(&world, "b", &["config", "--unset", "beads.carry"]);
    let said = world.bd_in("b", &["sync"]).ok();
    assert!(
        said.starts_with("origin: 0 changes sent, 0 changes received\n"),
        "{said}"
    );
    assert!(
        said.contains("no remote takes issues here: 1 change of 1 issue is in "),
        "{said}"
    );
    // For an hour it is only asked what it has.
    let pushes = std::fs::read_to_string(&log).unwrap();
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(std::fs::read_to_string(&log).unwrap(), pushes);
    let keys = ["config", "--get-regexp", "remote.origin.beads"];
    assert_eq!(world.git_in("b", &keys).stdout, "");
    std::fs::remove_file(world.path("hub.git/hooks/update")).unwrap();
    let said = world.bd_in("b", &["sync", "--probe"]).ok();
    assert!(said.starts_with("origin: 1 change sent"), "{said}");
}

#[test]
fn other_worktrees_and_packed_refs_make_no_difference() {
    let (world, _) = lead_and_agent();
    git(
        &world,
        "b",
        &["worktree", "add", "--quiet", "-b", "second", "../second"],
    );
    git(&world, "b", &["pack-refs", "--all"]);
    let file = carry(&world, "second");
    assert!(world.path(&format!("second/{file}")).exists());
    assert!(!world.path(&format!("b/{file}")).exists());
    git(
        &world,
        "second",
        &["push", "--quiet", "../hub.git", "second"],
    );
    git(
        &world,
        "a",
        &["worktree", "add", "--quiet", "-b", "third", "../third"],
    );
    git(&world, "third", &["fetch", "--quiet", "origin"]);
    git(&world, "a", &["pack-refs", "--all"]);
    let said = world.bd_in("third", &["sync"]).ok();
    assert!(said.contains("collected from second:"), "{said}");
    assert_eq!(export(&world, "a"), export(&world, "b"));
}

#[test]
fn ids_of_sha256_are_carried_too() {
    let mut world = World::empty();
    world.set("GIT_DEFAULT_HASH", "sha256");
    if world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .code
        != 0
    {
        return;
    }
    for clone in ["a", "b"] {
        git(&world, ".", &["init", "--quiet", clone]);
        git(&world, clone, &["remote", "add", "origin", "../hub.git"]);
        git(
            &world,
            clone,
            &["commit", "--quiet", "--allow-empty", "-m", "first"],
        );
    }
    world.bd_in("a", &["init"]).ok();
    let issues = ["x", "y"].map(|title| create(&world, "a", &[title]));
    sync(&world, &["a"]);
    world.bd_in("b", &["init"]).ok();
    enter(&world, "b");
    work(&world, "b", &issues);
    carry(&world, "b");
    git(&world, "b", &["push", "--quiet", "../hub.git", "work"]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    let said = world.bd_in("a", &["sync"]).ok();
    assert!(said.contains("4 changes collected from work:"), "{said}");
    assert_eq!(export(&world, "a"), export(&world, "b"));
}

#[test]
fn a_clone_with_a_filter_collects_what_it_lacks() {
    for filter in ["blob:none", "tree:0"] {
        let (world, _) = lead_and_agent();
        carry(&world, "b");
        let filters = ["config", "uploadpack.allowFilter", "true"];
        git(&world, "hub.git", &filters);
        let refspec = "work:refs/heads/work";
        git(&world, "hub.git", &["fetch", "--quiet", "../b", refspec]);
        let url = format!("file://{}", world.path("hub.git").display());
        let option = format!("--filter={filter}");
        git(&world, ".", &["clone", "--quiet", &option, &url, "c"]);
        world.bd_in("c", &["init"]).ok();
        let said = world.bd_in("c", &["sync", "--json"]).json();
        assert_eq!(said["collected"][0]["changes"], 4, "{said}");
        assert_eq!(said.get("left"), None, "{said}");
        assert_eq!(export(&world, "c"), export(&world, "b"), "{filter}");
    }
}
