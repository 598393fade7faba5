//! Carry files: where nothing is taken, changes travel as text in a branch of the user's, and arrive however that is merged.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{export, work};
use crate::support::clones::{create, failed, script, sync, tip, two_clones};
use crate::support::{World, binary};

const FOLDER: &str = ".git-beads/carry";

/// Runs git in a clone.
#[track_caller]
fn git(world: &World, clone: &str, args: &[&str]) -> String {
    world.git_in(clone, args).ok()
}

/// A lead `a`, and an agent `b` on the branch `work` that has no remote any more, which has worked.
fn lead_and_agent() -> (World, Vec<String>) {
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

fn commit(world: &World, clone: &str) {
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
    assert!(log.contains("carried: 4 changes of Ann"), "{log}");
    let listed = git(&world, "a", &["log", "--format=%H %s", "refs/beads/main"]);
    let carried = listed
        .lines()
        .find(|line| line.contains("carried: "))
        .unwrap();
    world.bd_in("a", &["undo", &carried[..12]]).ok();
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

/// A file as text, and what makes another one of it.
struct Forger {
    header: Value,
    lines: Vec<Value>,
}

impl Forger {
    fn of(world: &World, path: &str) -> Self {
        let text = std::fs::read_to_string(world.path(path)).unwrap();
        let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let header = lines.next().unwrap();
        let lines = lines.collect();
        Self { header, lines }
    }

    /// Returns the text, with a sum that fits.
    fn text(&self) -> String {
        let lines: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        let sum: String = Sha256::digest(lines.as_bytes())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let mut header = self.header.clone();
        header["sum"] = sum.into();
        format!("{header}\n{lines}")
    }

    fn with(&self, change: impl FnOnce(&mut Self)) -> String {
        let mut other = Self {
            header: self.header.clone(),
            lines: self.lines.clone(),
        };
        change(&mut other);
        other.text()
    }
}

#[test]
fn a_file_that_does_not_pass_is_left_alone_and_the_rest_goes_on() {
    let (world, _) = lead_and_agent();
    let path = format!("b/{}", carry(&world, "b"));
    let real = std::fs::read_to_string(world.path(&path)).unwrap();
    let forger = Forger::of(&world, &path);
    let is_issue = |line: &&mut Value| line["p"].as_str().unwrap().ends_with("issue.json");
    let foreign = "01K8G5S2F0000000000000003A";
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("edited", real.replacen("fixed", "fiXed", 2).into(), "edited after it was written"),
        ("digits", forger.with(|it| {
            let path = it.lines[0]["p"].as_str().unwrap().replacen("issues/", "issues/x", 1);
            it.lines[0]["p"] = path.into();
        }).into(), "no path of an issue"),
        ("code", forger.with(|it| it.lines[0]["p"] = "src/main.rs".into()).into(), "no path of an issue"),
        ("uid", forger.with(|it| {
            let line = it.lines.iter_mut().find(is_issue).unwrap();
            line["b"]["uid"] = foreign.into();
        }).into(), "its uid is not that of its path"),
        ("purge", forger.with(|it| {
            let line = it.lines.iter_mut().find(is_issue).unwrap();
            line["b"] = json!({"v": 1, "min_reader": 1, "uid": line["b"]["uid"], "purged": line["b"]["at"]["*"]});
        }).into(), "texts are removed by those who may push alone"),
        ("store", forger.with(|it| it.header["stores"] = json!([foreign])).into(), "another store"),
        ("base", forger.with(|it| it.header["base"] = "1".repeat(40).into()).into(), "its base has not arrived"),
        ("foreign-base", forger.with(|it| {
            it.header["base"] = git(&world, "a", &["rev-parse", "HEAD"]).trim().into();
        }).into(), "no commit of these issues"),
        ("order", forger.with(|it| it.lines.swap(0, 1)).into(), "out of order"),
        ("newer", forger.with(|it| it.header["v"] = 2.into()).into(), "newer git-beads"),
        ("empty", forger.with(|it| it.lines.clear()).into(), "it holds nothing"),
        ("time", forger.with(|it| it.header["at"] = (-1).into()).into(), "beyond the limits"),
        ("text", b"\xff\xfe".to_vec(), "it is not UTF-8"),
        ("json", b"[[[[".to_vec(), "no carry file"),
        ("large", vec![b'x'; 17 << 20], "the limit is 16777216"),
    ];
    git(&world, "a", &["checkout", "--quiet", "-b", "hostile"]);
    for (name, text, _) in &cases {
        world.file(&format!("a/{FOLDER}/{name}.jsonl"), text);
    }
    commit(&world, "a");
    git(&world, "a", &["push", "--quiet", "origin", "hostile"]);
    create(&world, "a", &["Goes on"]);
    let before = export(&world, "a");
    let said = world.bd_in("a", &["sync", "--json"]).json();
    assert_eq!(said["sent"], 1, "{said}");
    let left = said["left"].as_array().unwrap();
    assert_eq!(left.len(), cases.len(), "{said}");
    for (name, _, why) in &cases {
        let from = format!("hostile:{FOLDER}/{name}.jsonl");
        let left = left
            .iter()
            .find(|left| left["from"] == from.as_str())
            .unwrap();
        assert!(left["why"].as_str().unwrap().contains(why), "{left}");
        assert_eq!(left["code"] == "edited", *name == "edited", "{left}");
    }
    assert_eq!(export(&world, "a"), before);
    // Ends of lines and white space are what a checkout changes: such a file is the same.
    let crlf = real.replace("\",\"", "\", \"").replace('\n', "\r\n");
    let file = world.file("crlf.jsonl", format!("\u{feff}{crlf}\r\n"));
    let said = world.bd_in("a", &["collect", "--file", &file]).ok();
    assert!(said.contains("4 changes collected from "), "{said}");
    let said = world
        .bd_in(
            "a",
            &[
                "collect",
                "--file",
                &world.path(&path).display().to_string(),
            ],
        )
        .ok();
    assert!(!said.contains("collected"), "{said}");
}

#[test]
fn a_large_file_waits_for_the_word_of_a_person() {
    let world = two_clones();
    let lines: String = (0..201).map(|n| format!("{{\"id\":\"im-{n}\",\"title\":\"Issue {n}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"}}\n")).collect();
    let file = world.file("many.jsonl", lines);
    enter(&world, "b");
    world.bd_in("b", &["import", &file]).ok();
    let path = carry(&world, "b");
    // Who names the branch says nothing to the shell of who follows the hint.
    let strange = "work:refs/heads/$(x)";
    git(&world, "b", &["push", "--quiet", "../hub.git", strange]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    let said = world.bd_in("a", &["sync", "--json"]).json();
    assert_eq!(said["left"][0]["code"], "held", "{said}");
    let why = said["left"][0]["why"].as_str().unwrap();
    let hint = "git beads collect --branch '$(x)' --large";
    assert!(why.contains(hint), "{said}");
    assert_eq!(world.bd_in("a", &["list", "-q"]).ok(), "");
    let path = world.path(&format!("b/{path}")).display().to_string();
    world
        .bd_in("a", &["collect", "--file", &path, "--large"])
        .ok();
    assert_eq!(export(&world, "a"), export(&world, "b"));
    assert!(!world.bd_in("a", &["sync"]).ok().contains("left alone"));
}

#[test]
fn a_link_in_the_place_of_the_folder_is_refused() {
    let (world, _) = lead_and_agent();
    std::fs::create_dir(world.path("elsewhere")).unwrap();
    let link = std::os::unix::fs::symlink(world.path("elsewhere"), world.path("b/.git-beads"));
    link.unwrap();
    let said = world.bd_in("b", &["carry"]).fails(6);
    assert!(said.contains("is not a folder"), "{said}");
    assert_eq!(
        std::fs::read_dir(world.path("elsewhere")).unwrap().count(),
        0
    );
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
fn a_collector_that_is_killed_goes_on() {
    let (world, _) = lead_and_agent();
    carry(&world, "b");
    git(&world, "b", &["push", "--quiet", "../hub.git", "work"]);
    git(&world, "a", &["fetch", "--quiet", "origin"]);
    for millis in [1, 3, 6, 10, 15, 25, 40, 80, 160] {
        let mut child = world
            .command("a", binary(), &["sync"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(millis));
        let _ = child.kill();
        child.wait().unwrap();
    }
    sync(&world, &["a"]);
    assert_eq!(export(&world, "a"), export(&world, "b"));
    assert_eq!(tip(&world, "a"), tip(&world, "hub.git"));
    let before = tip(&world, "a");
    world
        .bd_in("a", &["collect", "--head", "--branch", "work"])
        .ok();
    assert_eq!(tip(&world, "a"), before);
    world.bd_in("a", &["doctor"]).ok();
}
