//! `--at`: any state of the past, by the same filters.

use serde_json::Value;

use crate::support::World;
use crate::support::look::{ids, quiet};

/// The commits of the store, newest first.
fn commits(world: &World) -> Vec<String> {
    world
        .git(&["rev-list", "--first-parent", "refs/beads/main"])
        .ok()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// When the newest operation was made, as `log` says it.
fn last_time(world: &World) -> String {
    world.bd(&["log", "-n", "1", "--json"]).json()["operations"][0]["at"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn list(world: &World, at: &str) -> Vec<String> {
    quiet(world, &["list", "-n", "0", "--at", at])
}

#[test]
fn every_form_of_a_revision_names_its_state() {
    let world = World::with_store();
    let first = world.create(&["First"]);
    let then = last_time(&world);
    let commit = commits(&world).remove(0);
    world.create(&["Second"]);
    world.create(&["Third"]);
    for at in [
        "@~2",
        "@~~",
        "@^^",
        "@{2}",
        "@{1}~1",
        &commit,
        &commit[..10],
        &commit.to_uppercase(),
        &then,
        "@~1~1",
    ] {
        assert_eq!(list(&world, at), std::slice::from_ref(&first), "{at}");
    }
    assert_eq!(list(&world, "@").len(), 3);
    assert_eq!(list(&world, "now").len(), 3);
    assert_eq!(
        list(&world, &format!("@{{{then}}}")),
        std::slice::from_ref(&first),
        "as git writes dates"
    );
    assert!(list(&world, "@~3").is_empty(), "the store was just made");
    let git = world.git(&["rev-parse", "refs/beads/main~2"]).ok();
    assert_eq!(git.trim(), commit, "steps are git's");
}

#[test]
fn a_remote_names_what_it_had() {
    let world = World::with_store();
    world
        .git_in(".", &["init", "--quiet", "--bare", "hub.git"])
        .ok();
    world.git(&["remote", "add", "origin", "../hub.git"]).ok();
    assert!(
        world
            .bd(&["list", "--at", "origin"])
            .fails(1)
            .contains("hint: git beads fetch --remote origin")
    );
    let id = world.create(&["Shared"]);
    world.bd(&["sync"]).ok();
    world.create(&["Not yet"]);
    assert_eq!(list(&world, "origin"), [id]);
    assert!(list(&world, "origin~1").is_empty());
}

#[test]
fn what_names_no_state_is_refused() {
    let world = World::with_store();
    world.create(&["One"]);
    world
        .git(&["commit", "--quiet", "--allow-empty", "-m", "code"])
        .ok();
    let code = world.git(&["rev-parse", "HEAD"]).ok();
    let refused = world.bd(&["list", "--at", code.trim()]).fails(1);
    assert!(
        refused.contains("is not in the history of the issues") && refused.contains("hint: "),
        "{refused}"
    );
    for at in [
        "main",
        "HEAD",
        "",
        "@~x",
        "@^2",
        "--upload-pack=x",
        "../../x",
        "refs/beads/main",
        "@{",
        "abc",
        "@~-1",
    ] {
        let refused = world.bd(&["list", &format!("--at={at}")]).fails(1);
        assert!(
            refused.contains("not a date, commit or remote")
                && refused.contains("hint: git beads log"),
            "{at}: {refused}"
        );
    }
    let far = "@~99999999999999999999";
    assert!(
        world
            .bd(&["list", "--at", far])
            .fails(1)
            .contains("not a date, commit or remote")
    );
    assert!(
        world
            .bd(&["list", "--at", "@~4000000"])
            .fails(1)
            .contains("does not reach")
    );
    let before = world.bd(&["list", "--at", "2001-01-01"]).ok();
    assert_eq!(before, "no issue matches\n");
    assert!(
        world
            .bd(&["list", "--at", "deadbeef"])
            .fails(1)
            .contains("no commit of the issues begins with")
    );
    assert!(
        world
            .bd(&["ready", "--claim", "--at", "@~1"])
            .fails(2)
            .contains("cannot be used with")
    );
}

#[test]
fn an_issue_is_shown_as_it_was() {
    let world = World::with_store();
    let id = world.create(&["Old title", "-d", "old text", "-l", "x"]);
    let child = world.create(&["Child", "--parent", &id]);
    world
        .bd(&[
            "update",
            &id,
            "--title",
            "New title",
            "-d",
            "new text",
            "--rm-label",
            "x",
        ])
        .ok();
    world.bd(&["note", &id, "--finding", "later"]).ok();
    world.bd(&["done", &child]).ok();
    let then = world.bd(&["show", &id, "--json", "--at", "@~3"]).json();
    assert_eq!(then["issue"]["title"], "Old title");
    assert_eq!(then["issue"]["description"], "old text");
    assert_eq!(then["issue"]["labels"][0], "x");
    assert_eq!(then["issue"]["children"][0]["status"], "open");
    assert!(then["memory"].is_null());
    let now = world.bd(&["show", &id, "--json"]).json();
    assert_eq!(
        now["issue"]["title"], "New title",
        "the present is as it was"
    );
    let said = world.bd(&["show", &id, "--at", "@~5"]).fails(1);
    assert_eq!(
        said,
        format!("error: Issue {id} not found at '@~5'\nhint: git beads list --all --at '@~5'\n")
    );
}

#[test]
fn filters_and_counts_are_those_of_then() {
    let world = World::with_store();
    let blocker = world.create(&["Blocker", "-p", "0"]);
    let waiting = world.create(&["Waiting", "--on", &blocker, "-a", "bob"]);
    world.bd(&["done", &blocker]).ok();
    assert_eq!(quiet(&world, &["ready"]), std::slice::from_ref(&waiting));
    assert_eq!(
        quiet(&world, &["ready", "--at", "@~1"]),
        std::slice::from_ref(&blocker)
    );
    assert_eq!(
        world.bd(&["ready", "--at", "@~1", "--json"]).json()["total_count"],
        1
    );
    assert_eq!(
        quiet(&world, &["list", "--at", "@~1", "-a", "bob"]),
        std::slice::from_ref(&waiting)
    );
    assert_eq!(
        quiet(&world, &["list", "--at", "@~1", "-s", "closed"]),
        Vec::<String>::new()
    );
    assert_eq!(
        quiet(&world, &["list", "--at", "@~1", "--sort", "title"]),
        [blocker, waiting.clone()]
    );
    let explained = world
        .bd(&["ready", "--explain", "--at", "@~1", "--json"])
        .json();
    assert_eq!(ids(&explained["not_ready"]), [waiting.as_str()]);
}

#[test]
fn what_was_deferred_is_judged_as_of_then() {
    let mut world = World::with_store();
    let id = world.create(&["Later"]);
    world.bd(&["defer", &id, "--until", "2026-11-25"]).ok();
    assert!(quiet(&world, &["ready"]).is_empty());
    world.set("GIT_BEADS_NOW", "1795910400000");
    assert_eq!(
        quiet(&world, &["ready"]),
        std::slice::from_ref(&id),
        "on the 29th it is back"
    );
    assert!(quiet(&world, &["ready", "--at", "2026-11-24"]).is_empty());
    assert_eq!(
        quiet(&world, &["ready", "--at", "2026-11-26"]),
        std::slice::from_ref(&id)
    );
    let spans = quiet(&world, &["list", "--at", "2026-11-24", "--stale", "1d"]);
    assert_eq!(spans, [id], "spans count from then");
}

/// What lists say at every state of a history is what a clone that stands there says.
#[test]
fn each_state_is_that_of_a_store_which_stands_there() {
    let world = World::with_store();
    let a = world.create(&["A", "-t", "epic"]);
    let b = world.create(&["B", "--parent", &a, "-l", "l1"]);
    let c = world.create(&["C", "--parent", &a, "--on", &b]);
    world.bd(&["start", &b]).ok();
    world.bd(&["note", &b, "--decision", "so"]).ok();
    world.bd(&["done", &b, "-r", "x"]).ok();
    world.bd(&["rename", &c, "bd-other"]).ok();
    world
        .bd(&["dep", "add", "bd-other", "--on", "external:x"])
        .ok();
    world.bd(&["delete", &b]).ok();
    world.bd(&["restore", &b]).ok();
    world.bd(&["block", "bd-other", "-r", "waiting"]).ok();
    world.git(&["init", "--quiet", "../there"]).ok();
    let questions: [&[&str]; 4] = [
        &["list", "--all", "--deleted", "--json"],
        &["ready", "--json"],
        &["list", "--parent", &a, "--json"],
        &["ready", "--explain", "--json"],
    ];
    for commit in commits(&world) {
        world
            .git_in(
                "there",
                &[
                    "fetch",
                    "--quiet",
                    "../repo",
                    &format!("+{commit}:refs/beads/main"),
                ],
            )
            .ok();
        std::fs::remove_dir_all(world.path("there/.git/beads")).unwrap_or_default();
        for question in questions {
            let at = world.bd(&[question, &["--at", &commit]].concat());
            let there = world.bd_in("there", question);
            if there.code == 0 {
                let [mut at, mut there] = [at.json(), there.json()];
                // Of the past nothing is to be started.
                assert_eq!(at["next"], "continue", "{question:?} at {commit}");
                for answer in [&mut at, &mut there] {
                    answer["next"].take();
                }
                assert_eq!(at, there, "{question:?} at {commit}");
            } else {
                assert_eq!(at.code, there.code);
            }
        }
    }
}

#[test]
fn looking_back_leaves_the_index_and_the_ref_where_they_are() {
    let world = World::with_store();
    let id = world.create(&["One"]);
    world.bd(&["done", &id]).ok();
    world.bd(&["list", "--at", "@"]).ok();
    let tip = commits(&world).remove(0);
    let index = || {
        let files = std::fs::read_dir(world.path("repo/.git/beads"))
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = files
            .map(|path| (std::fs::metadata(&path).unwrap().modified().unwrap(), path))
            .collect();
        files.sort();
        files
    };
    let before = index();
    world.bd(&["list", "--at", "@~1"]).ok();
    world.bd(&["show", &id, "--at", "@~1"]).ok();
    assert_eq!(index(), before);
    assert_eq!(commits(&world)[0], tip);
    std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap();
    assert_eq!(list(&world, "@~1"), [id], "also where no index was");
}

#[test]
fn what_was_purged_since_stays_purged() {
    let world = World::with_store();
    let secret = world.create(&["hunter2", "-d", "hunter2"]);
    world.bd(&["note", &secret, "--finding", "hunter2"]).ok();
    world.create(&["Another"]);
    world.bd(&["purge", "--yes", &secret]).ok();
    for args in [
        &["list", "--all", "--deleted"][..],
        &["show", &secret],
        &["ready"],
    ] {
        // The last is nearer to nothing than to the present: its index is made anew.
        for at in ["@~1", "@~2", "@~3"] {
            let said = world.bd(&[args, &["--at", at]].concat());
            assert!(!said.all().contains("hunter2"), "{said:?}");
        }
    }
    let listed: Value = world.bd(&["list", "--at", "@~1", "--json"]).json();
    assert_eq!(listed["total_count"], 1);
}

#[test]
fn an_export_of_the_past_is_the_one_of_that_time() {
    let world = World::with_store();
    let id = world.create(&["Before", "-l", "old"]);
    world.bd(&["note", &id, "--finding", "seen early"]).ok();
    let then = world.bd(&["export"]).ok();
    world
        .bd(&["update", &id, "--title", "After", "--add-label", "new"])
        .ok();
    world.bd(&["note", &id, "--finding", "seen late"]).ok();
    world.create(&["Another"]);
    assert_eq!(world.bd(&["export", "--at", "@~3"]).ok(), then);
    let page = world.bd(&["export", "--html", "--at", "@~3"]).ok();
    assert!(page.contains("Before") && page.contains("seen early"));
    for late in ["After", "seen late", "Another"] {
        assert!(!page.contains(late), "{late}");
    }
    let csv = world.bd(&["export", "--csv", "--at", "@~3"]).ok();
    assert!(csv.contains("Before") && !csv.contains("Another"), "{csv}");
    world.bd(&["export", "--at", "nowhere"]).fails(1);
}
