//! `whats-new`: what others did since the last look.

use serde_json::Value;

use crate::support::World;
use crate::support::clones::{create, sync, tip, two_clones};
use crate::support::look::named;
use crate::support::plumbing::{git, is_root, system};

/// The ids of what is new, and whether the mark was moved.
#[track_caller]
fn news(world: &World, args: &[&str]) -> (Vec<String>, bool) {
    let answer = world.bd(&[args, &["whats-new", "--json"]].concat()).json();
    let issues = answer["issues"].as_array().cloned().unwrap_or_default();
    let id = |issue: &Value| issue["id"].as_str().unwrap().to_owned();
    (issues.iter().map(id).collect(), answer["marked"] == true)
}

/// A store with two issues of Ann's, which she has seen.
fn world() -> World {
    let world = World::with_store();
    named(&world, "bd-a", &["A"]);
    named(&world, "bd-b", &["B"]);
    assert_eq!(news(&world, &[]), (Vec::new(), true));
    world
}

#[test]
fn it_shows_what_others_did_by_issue_newest_first_and_once() {
    let world = world();
    let bob = |args: &[&str]| _ = world.bd_as("bob", args).ok();
    bob(&["update", "bd-a", "--title", "Better", "-p", "1"]);
    bob(&["label", "bd-a", "x"]);
    bob(&["assign", "bd-a", "Ann"]);
    bob(&[
        "--agent",
        "c-1",
        "note",
        "bd-a",
        "--finding",
        "Slow",
        "--decision",
        "Cache",
    ]);
    world.pass(7200);
    bob(&["note", "bd-b", "Seen"]);
    bob(&["start", "bd-b"]);
    bob(&["done", "bd-b", "-r", "It works"]);
    world.bd_as("lea", &["ask", "bd-a", "Which?"]).ok();
    // Own changes are no news, those of an own agent are.
    world.bd(&["answer", "bd-a", "this"]).ok();
    world
        .bd(&["--agent", "c-2", "create", "New", "-a", "Ann"])
        .ok();
    let id = world.bd(&["list", "-q", "--sort", "created"]).ok();
    let id = id.lines().next().unwrap().to_owned();
    let shown = world.bd(&["whats-new", "--peek"]).ok().replace(&id, "NEW");
    insta::assert_snapshot!(shown, @r"
    3 issues changed since you last looked (2h ago)
    NEW open New
      now Ann/c-2 created it
      now Ann/c-2 assigned it to you
    bd-a open Better
      now lea asked: Which?
      2h bob/c-1 found: Slow
      2h bob/c-1 decided: Cache
      2h bob assigned it to you
      2h bob changed labels, title, priority
    bd-b closed B
      now bob closed it: It works
      now bob open -> in_progress
      now bob commented: Seen
    ");
    assert_eq!(
        world.bd(&["whats-new", "-q"]).ok(),
        format!("{id}\nbd-a\nbd-b\n")
    );
    world.pass(3600);
    assert_eq!(
        world.bd(&["whats-new"]).ok(),
        "nothing new since you last looked (1h ago)\n"
    );
    assert_eq!(world.bd(&["whats-new", "--json"]).json()["kind"], "empty");
}

#[test]
fn the_first_look_goes_back_a_week() {
    let world = World::with_store();
    let bob = |id: &str| _ = world.bd_as("bob", &["create", id, "-q"]).ok();
    bob("Old");
    world.pass(8 * 86_400);
    bob("New");
    let shown = world.bd(&["whats-new"]).ok();
    assert!(
        shown.starts_with("1 issue changed in the last 7 days (your first look)\n")
            && shown.contains("bob created it"),
        "{shown}"
    );
    assert_eq!(news(&world, &[]), (Vec::new(), true));
}

#[test]
fn each_person_has_a_mark_and_an_agent_moves_none() {
    let mut world = world();
    world.bd_as("bob", &["note", "bd-a", "Seen"]).ok();
    let both = (vec!["bd-a".to_owned()], false);
    assert_eq!(news(&world, &["--agent", "c-1"]), both);
    world.set("GIT_BEADS_AGENT", "c-2");
    assert_eq!(news(&world, &[]), both);
    world.set("GIT_BEADS_AGENT", "");
    assert_eq!(news(&world, &["--actor", "lea"]).0, ["bd-a", "bd-b"]);
    assert_eq!(news(&world, &["--actor", "lea"]).0, [""; 0]);
    // An agent sees what its person did.
    world.bd(&["note", "bd-b", "Mine"]).ok();
    assert_eq!(news(&world, &["--agent", "c-1"]).0, ["bd-b", "bd-a"]);
    assert_eq!(news(&world, &[]), (vec!["bd-a".to_owned()], true));
}

#[test]
fn a_revision_or_date_shows_more_and_moves_nothing() {
    let world = world();
    let before = tip(&world, "repo");
    world.bd_as("bob", &["note", "bd-a", "One"]).ok();
    assert_eq!(news(&world, &[]).0, ["bd-a"]);
    for since in [&before, "@~1", "2026-01-01", "1d"] {
        let answer = world.bd(&["whats-new", "--since", since, "--json"]).json();
        assert_eq!(
            (&answer["issues"][0]["id"], &answer["marked"]),
            (&"bd-a".into(), &false.into()),
            "{since}: {answer}"
        );
    }
    assert_eq!(
        world.bd(&["whats-new", "--since", "@"]).ok(),
        "nothing new since @\n"
    );
    let _ = world.bd(&["whats-new", "--since", "nosuch"]).fails(1);
}

#[test]
fn of_many_the_newest_are_shown_and_how_to_see_the_rest() {
    let world = world();
    let before = tip(&world, "repo");
    let line = |n: usize| format!("{{\"id\":\"bd-n{n}\",\"title\":\"T{n}\"}}\n");
    let lines: String = (0..150).map(line).collect();
    world.file("many.jsonl", lines);
    world.bd_as("bob", &["import", "../many.jsonl"]).ok();
    for n in 0..7 {
        world.bd_as("bob", &["note", "bd-n7", &n.to_string()]).ok();
    }
    let shown = world.bd(&["whats-new"]).ok();
    assert!(shown.starts_with("150 issues changed since you last looked\nbd-n7 open T7\n"));
    assert!(
        shown.contains("\n  3 more (git beads log bd-n7)\n"),
        "{shown}"
    );
    let rest = format!(
        "(130 more issues: git beads whats-new --since {} -n 0)\n",
        &before[..10]
    );
    assert!(shown.ends_with(&rest), "{shown}");
    let all = world.bd(&["whats-new", "--since", &before[..10], "-n", "0", "-q"]);
    assert_eq!(all.ok().lines().count(), 150);
}

#[test]
fn a_mark_that_the_history_has_lost_is_said_and_replaced() {
    let world = world();
    git(&world, &["pack-refs", "--all"]);
    world.bd_as("bob", &["note", "bd-a", "One"]).ok();
    assert_eq!(news(&world, &[]).0, ["bd-a"]);
    let other = "0123456789012345678901234567890123456789";
    for mark in [
        other.to_owned(),
        git(
            &world,
            &["commit-tree", "-m", "x", "refs/beads/main^{tree}"],
        ),
    ] {
        let text = format!(
            "{{\"v\":1,\"marks\":{{\"Ann\":{{\"commit\":\"{}\",\"at\":1}}}}}}",
            mark.trim()
        );
        world.file("repo/.git/beads/seen", text);
        let shown = world.bd(&["whats-new"]).ok();
        let head =
            "1 issue changed in the last 7 days (what you last saw is gone from the history)\n";
        assert!(shown.starts_with(head), "{shown}");
        assert_eq!(news(&world, &[]), (Vec::new(), true));
    }
    // A file that can't be read is no mark.
    world.file("repo/.git/beads/seen", "garbage");
    assert_eq!(news(&world, &[]).0, ["bd-a"]);
    assert_eq!(news(&world, &[]).0, [""; 0]);
}

#[test]
fn work_trees_share_the_mark_and_uninstall_removes_it() {
    let world = World::new();
    git(
        &world,
        &["commit", "--quiet", "--allow-empty", "-m", "First"],
    );
    world.bd(&["init"]).ok();
    world.bd_as("bob", &["create", "A"]).ok();
    git(&world, &["worktree", "add", "--quiet", "../linked"]);
    assert_eq!(news(&world, &[]).0.len(), 1);
    let linked = world.bd_in("linked", &["whats-new"]).ok();
    assert_eq!(linked, "nothing new since you last looked\n");
    let seen = world.path("repo/.git/beads/seen");
    assert!(seen.exists());
    world.bd(&["uninstall"]).ok();
    assert!(!seen.exists());
}

#[test]
fn what_can_not_be_noted_is_shown_with_a_warning() {
    let world = world();
    world.bd_as("bob", &["note", "bd-a", "One"]).ok();
    let seen = world.path("repo/.git/beads/seen");
    std::fs::remove_file(&seen).unwrap();
    // A folder in its place can't be replaced by a file, even by root.
    std::fs::create_dir_all(seen.join("x")).unwrap();
    let output = world.bd(&["whats-new"]);
    assert!(
        output
            .stderr
            .starts_with("warning: the next look shows this again: "),
        "{output:?}"
    );
    assert!(output.stderr.contains("can't write seen"), "{output:?}");
    assert!(output.ok().contains("bob commented: One"));
    assert!(!news(&world, &[]).1);
    std::fs::remove_dir_all(&seen).unwrap();
    if is_root() {
        return;
    }
    let _ = system(
        "chmod",
        &["-R", "a-w", &world.path("repo/.git").display().to_string()],
    );
    let output = world.bd(&["whats-new"]);
    let _ = system(
        "chmod",
        &["-R", "u+w", &world.path("repo/.git").display().to_string()],
    );
    assert!(output.stderr.contains("can't write seen"), "{output:?}");
    assert!(output.ok().contains("bob commented: One"));
}

#[test]
fn without_a_store_or_issues_there_is_nothing_new() {
    assert!(
        World::new()
            .bd(&["whats-new"])
            .fails(4)
            .contains("git beads init")
    );
    let world = World::with_store();
    assert_eq!(
        world.bd(&["whats-new"]).ok(),
        "nothing new in the last 7 days (your first look)\n"
    );
    git(&world, &["init", "--quiet", "--bare", "../hub.git"]);
    git(&world, &["remote", "add", "origin", "../hub.git"]);
    world.bd_as("bob", &["create", "A"]).ok();
    world.bd(&["sync"]).ok();
    let bare = world.bd_in("hub.git", &["whats-new"]).ok();
    assert!(
        bare.starts_with("1 issue changed in the last 7 days"),
        "{bare}"
    );
    let bare = world.bd_in("hub.git", &["whats-new"]).ok();
    assert_eq!(bare, "nothing new since you last looked\n");
}

#[test]
fn a_sync_says_in_short_what_others_changed() {
    let world = two_clones();
    let [a, b, c] = ["A", "B", "C"].map(|title| create(&world, "a", &[title]));
    sync(&world, &["a", "b"]);
    let bob = |args: &[&str]| _ = world.bd_in("b", &[&["--actor", "bob"], args].concat()).ok();
    bob(&["note", &a, "Seen"]);
    bob(&["note", &b, "Seen"]);
    bob(&["done", &b]);
    bob(&["--agent", "c-1", "start", &c]);
    world.bd_in("b", &["--actor", "lea", "create", "D"]).ok();
    sync(&world, &["b"]);
    assert_eq!(
        world.bd_in("a", &["pull"]).ok(),
        "origin: 5 changes received\n4 issues changed by lea, bob/c-1 and bob: 1 closed, 1 commented, 1 created, 1 started \
         (git beads whats-new)\n"
    );
    // Nothing came, and own changes are no news.
    assert_eq!(
        world.bd_in("a", &["pull"]).ok(),
        "origin: 0 changes received\n"
    );
    create(&world, "b", &["Mine"]);
    bob(&["update", &a, "--title", "There"]);
    sync(&world, &["b"]);
    world.bd_in("a", &["update", &a, "--title", "Here"]).ok();
    let answer = world.bd_in("a", &["sync", "--json"]).json();
    assert_eq!(answer["news"]["issues"], 1, "{answer}");
    assert_eq!(answer["news"]["by"][0], "bob");
    let shown = world.bd_in("a", &["whats-new"]).ok();
    assert!(
        shown.contains("conflict in title (git beads conflicts)\n"),
        "{shown}"
    );
    assert!(
        world
            .bd_in("a", &["sync", "--json"])
            .json()
            .get("news")
            .is_none()
    );
}

#[test]
fn who_yields_a_claim_has_assigned_nothing() {
    let world = two_clones();
    let id = create(&world, "a", &["One"]);
    sync(&world, &["a", "b"]);
    for (clone, actor) in [("a", "m1"), ("b", "m2")] {
        let start = ["--actor", actor, "start", &id, "--local"];
        world.bd_in(clone, &start).ok();
    }
    world.bd_in("a", &["--actor", "m1", "sync"]).ok();
    world.bd_in("b", &["--actor", "m2", "sync"]).ok();
    let said = world.bd_in("a", &["--actor", "m1", "sync"]).ok();
    assert!(!said.contains("assigned to you"), "{said}");
    let news = ["--actor", "m1", "whats-new", "--since", "@~4"];
    let text = world.bd_in("a", &news).ok();
    assert!(!text.contains("assigned"), "{text}");
}
