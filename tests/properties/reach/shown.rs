//! What is on its way is shown where people look: in `status`, and with the command that helps in `doctor`.

use super::carried::{commit, lead_and_agent};
use super::mailboxes::{lead, lead_and_session};
use super::work;
use crate::support::World;
use crate::support::clones::{create, script, sync};

/// The notes of `doctor`, which must find no problems.
#[track_caller]
fn notes(world: &World, clone: &str, args: &[&str]) -> Vec<String> {
    let answer = world
        .bd_in(clone, &[&["doctor", "--json"], args].concat())
        .json();
    assert_eq!(answer.get("findings"), None, "{answer}");
    let notes = answer["notes"].as_array().into_iter().flatten();
    let texts = notes.map(|note| note.as_str().unwrap().to_owned());
    texts.collect()
}

#[test]
fn a_carry_file_is_named_until_it_is_committed_and_counted_once_it_was_taken_over() {
    let (world, issues) = lead_and_agent();
    assert_eq!(issues.len(), 2);
    let said = world.bd_in("b", &["sync", "--json"]).json();
    let path = said["carry"]["file"].as_str().unwrap().to_owned();
    let status = world.bd_in("b", &["status"]).ok();
    let line = "4 changes wait in .git-beads/carry (not committed)";
    assert!(status.contains(line), "{status}");
    let status = world.bd_in("b", &["status", "--json"]).json();
    assert_eq!(status["uncommitted_count"], 4, "{status}");
    let found = notes(&world, "b", &[]);
    let note = format!("{path} is in this work tree alone: git add {path} && git commit");
    assert!(found.contains(&note), "{found:?}");
    // What is no such file is not counted.
    std::fs::write(world.path("b").join(".git-beads/carry/notes.txt"), "x").unwrap();
    commit(&world, "b");
    let status = world.bd_in("b", &["status", "--json"]).json();
    assert_eq!(status.get("uncommitted_count"), None, "{status}");
    let branch = world.git_in("b", &["branch", "--show-current"]).ok();
    let url = world.path("b").display().to_string();
    let fetch = [
        "pull",
        "--quiet",
        "--no-rebase",
        "--no-edit",
        &url,
        branch.trim(),
    ];
    world.git_in("a", &fetch).ok();
    world.bd_in("a", &["collect", "--head"]).ok();
    let found = notes(&world, "a", &[]).join("\n");
    assert!(
        found.contains("HEAD has 1 carry file that was collected"),
        "{found}"
    );
}

#[test]
fn a_doctor_that_may_ask_names_the_mailboxes_that_wait() {
    let (world, issues) = lead_and_session("claude/fix-97yoyb", "refs/heads/claude/*-97yoyb");
    work(&world, "session", &issues);
    world.bd_in("session", &["sync"]).ok();
    let found = notes(&world, "lead", &["--remote"]).join("\n");
    let note = "the mailbox claude/git-beads-fix-97yoyb waits at origin, last written ";
    let hint = "just now: git beads collect --remote origin";
    assert!(found.contains(note) && found.contains(hint), "{found}");
    world.bd_in("lead", &["fetch"]).ok();
    let found = notes(&world, "lead", &[]).join("\n");
    assert!(!found.contains("mailbox"), "{found}");
    // Merged, and still there.
    script(
        &world,
        "hub.git/hooks/update",
        "[ \"$3\" != $(printf '%040d' 0) ]",
    );
    lead(&world, "lead", &["sync"]);
    let found = notes(&world, "lead", &["--remote"]).join("\n");
    assert!(!found.contains("waits"), "{found}");
}

#[test]
fn a_branch_of_code_that_is_named_like_a_mailbox_is_none() {
    let world = crate::support::clones::two_clones();
    create(&world, "a", &["x"]);
    sync(&world, &["a"]);
    for branch in ["claude/git-beads-fix", "dev/ann/git-beads-fix"] {
        let to = format!("HEAD:refs/heads/{branch}");
        world.git_in("a", &["push", "--quiet", "origin", &to]).ok();
    }
    let found = notes(&world, "a", &["--remote"]).join("\n");
    assert!(!found.contains("mailbox"), "{found}");
    let said = world.bd_in("a", &["collect"]).ok();
    assert_eq!(said, "origin: 0 changes sent, 0 changes received\n");
}

#[test]
fn an_ignored_file_is_added_by_force_and_an_own_one_was_not_taken_over() {
    let (world, _) = lead_and_agent();
    world.file("b/.git/info/exclude", ".git-beads\n");
    follow(&world, &world.bd_in("b", &["sync"]).ok());
    let said = world.bd_in("b", &["sync", "--json"]).json();
    assert_eq!(said["carry"]["committed"], true, "{said}");
    world.bd_in("b", &["collect", "--head"]).ok();
    let found = notes(&world, "b", &[]).join("\n");
    assert!(!found.contains("taken over"), "{found}");
}

/// Runs the line that an answer ends with, and commits.
#[track_caller]
fn follow(world: &World, said: &str) {
    let last = said.lines().last().unwrap();
    let command = last.strip_prefix("next: ").expect(last);
    let script = format!("{command} -q -m work");
    let ran = world.run(world.command("b", "sh", &["-c", &script]), None);
    assert_eq!(ran.code, 0, "{command}: {ran:?}");
}

#[test]
fn a_file_that_git_would_not_commit_as_it_is_is_named_and_committed_as_it_is() {
    let lfs = ["config", "filter.lfs.clean", "git hash-object --stdin"];
    let crlf = ["config", "core.autocrlf", "true"];
    let safe = ["config", "core.safecrlf", "true"];
    let cases: [(&str, &str, &[&[&str]]); 3] = [
        ("filter=lfs", "*.txt filter=lfs diff=lfs -text", &[&lfs]),
        (
            "working-tree-encoding=UTF-16",
            "*.txt working-tree-encoding=UTF-16",
            &[],
        ),
        ("core.safecrlf", "", &[&crlf, &safe]),
    ];
    for (why, attributes, settings) in cases {
        let (world, issues) = lead_and_agent();
        let text = "caf\u{e9} $Id: 5f2c $";
        world.bd_in("b", &["note", &issues[0], text]).ok();
        world.file("b/.gitattributes", format!("{attributes}\n"));
        for setting in settings {
            world.git_in("b", setting).ok();
        }
        let said = world.bd_in("b", &["sync", "--json"]).json();
        let altered = said["carry"]["altered_by"].as_str().unwrap_or_default();
        assert!(altered.starts_with(why), "{said}");
        assert_eq!(said["carry"]["committed"], false, "{said}");
        // Also where git has committed other bytes by then.
        let path = said["carry"]["file"].as_str().unwrap().to_owned();
        let _ = world.run(world.command("b", "git", &["add", &path]), None);
        let commit = ["commit", "--quiet", "--allow-empty", "-m", "work"];
        world.git_in("b", &commit).ok();
        let said = world.bd_in("b", &["sync", "--json"]).json();
        assert_eq!(said["carry"]["committed"], false, "{said}");
        let status = world.bd_in("b", &["status", "--json"]).json();
        assert_eq!(status["uncommitted_count"], 5, "{status}");
        assert!(notes(&world, "b", &[])[0].contains(why));
        follow(&world, &world.bd_in("b", &["sync"]).ok());
        let said = world.bd_in("b", &["sync", "--json"]).json();
        assert_eq!(said["carry"]["committed"], true, "{why}: {said}");
        assert_eq!(said["carry"].get("altered_by"), None, "{said}");
        let here = std::fs::read_to_string(world.path("b").join(&path)).unwrap();
        let there = world.git_in("b", &["cat-file", "blob", &format!("HEAD:{path}")]);
        assert_eq!(there.ok(), here);
    }
}

#[test]
fn a_file_outside_of_a_sparse_checkout_is_committed_by_the_line_that_is_printed() {
    for mode in ["--cone", "--no-cone"] {
        let (world, _) = lead_and_agent();
        world.file("b/src/a", "a\n");
        world.git_in("b", &["add", "."]).ok();
        world.git_in("b", &["commit", "--quiet", "-m", "src"]).ok();
        let sparse = ["sparse-checkout", "set", mode, "src"];
        world.git_in("b", &sparse).ok();
        follow(&world, &world.bd_in("b", &["sync"]).ok());
        let said = world.bd_in("b", &["sync", "--json"]).json();
        assert_eq!(said["carry"]["committed"], true, "{said}");
    }
}

#[test]
fn a_second_store_of_a_remote_is_named_and_collected() {
    let world = crate::support::clones::bare_clones(&["early", "late"]);
    // The host took no ref of ours when the first one sent.
    script(
        &world,
        "hub.git/hooks/update",
        "case $1 in refs/heads/*) ;; *) exit 1;; esac",
    );
    world.bd_in("early", &["init"]).ok();
    let first = create(&world, "early", &["First"]);
    sync(&world, &["early"]);
    world.bd_in("late", &["init"]).ok();
    script(&world, "hub.git/hooks/update", "exit 0");
    world
        .git_in("late", &["config", "--unset", "remote.origin.beadsRef"])
        .ok();
    let second = create(&world, "late", &["Second"]);
    let push = [
        "push",
        "--quiet",
        "origin",
        "refs/beads/main:refs/beads/main",
    ];
    world.git_in("late", &push).ok();
    create(&world, "early", &["Third"]);
    sync(&world, &["early"]);
    let refs = world
        .git_in("hub.git", &["for-each-ref", "--format=%(refname)"])
        .ok();
    assert!(
        refs.contains("refs/beads/main") && refs.contains("refs/heads/beads"),
        "{refs}"
    );
    let found = notes(&world, "late", &["--remote"]).join("\n");
    assert!(
        found.contains("origin has a branch beads beside its store"),
        "{found}"
    );
    assert!(
        found.contains("git beads collect --remote origin"),
        "{found}"
    );
    world.bd_in("late", &["collect"]).ok();
    let shown = world.bd_in("late", &["list"]).ok();
    for title in ["First", "Second", "Third"] {
        assert!(shown.contains(title), "{first} {second}\n{shown}");
    }
    // It is the user's to delete.
    let refs = world
        .git_in("hub.git", &["for-each-ref", "--format=%(refname)"])
        .ok();
    assert!(refs.contains("refs/heads/beads"), "{refs}");
}
