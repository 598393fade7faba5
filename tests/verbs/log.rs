//! `log`, with and without `-p`.

use crate::support::World;
use crate::support::history::{field, subjects, two_clones};
use crate::support::look::named;
use crate::support::samples::mixed;

fn world() -> World {
    let world = World::with_store();
    named(&world, "bd-a", &["First"]);
    named(&world, "bd-b", &["Second"]);
    world
}

#[test]
fn log_tells_what_was_done_newest_first() {
    let world = mixed();
    let log = world.bd(&["log", "--json"]).json();
    let subjects: Vec<&str> = log["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|operation| operation["subject"].as_str().unwrap())
        .collect();
    assert_eq!(subjects[0], "done bd-done");
    assert_eq!(subjects[subjects.len() - 1], "init");
    assert_eq!(log["operations"][0]["actor"], "Ann");
    assert_eq!(world.bd(&["log"]).ok().lines().count(), subjects.len());
}

#[test]
fn log_of_an_issue_is_about_it_alone() {
    let world = mixed();
    let log = world.bd(&["log", "bd-done", "--json"]).json();
    let subjects: Vec<&str> = log["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|operation| operation["subject"].as_str().unwrap())
        .collect();
    assert_eq!(subjects.len(), 3, "{subjects:?}");
    assert_eq!(subjects[0], "done bd-done");
    assert!(subjects[2].starts_with("create ") && subjects[2].ends_with(": Done"));
    assert!(world.bd(&["log", "bd-zzzz"]).fails(1).contains("not found"));
}

#[test]
fn log_knows_who_and_how_many() {
    let world = mixed();
    world
        .bd_as("Bob", &["note", "bd-base", "--finding", "f"])
        .ok();
    let text = world.bd(&["log", "-n", "1"]).ok();
    assert!(
        text.lines().count() == 1 && text.contains(" Bob noted a finding on bd-base"),
        "{text}"
    );
    assert!(world.bd(&["log", "-n", "0"]).ok().lines().count() > 5);
}

#[test]
fn a_commit_of_the_log_is_one_of_git() {
    let world = mixed();
    let commit = world.bd(&["log", "-n", "1", "-q"]).ok();
    assert_eq!(world.git(&["rev-parse", "refs/beads/main"]).ok(), commit);
}

#[test]
fn a_log_of_an_issue_names_its_closing_epic() {
    let world = mixed();
    let epic = world.create(&["E", "-t", "epic"]);
    let child = world.create(&["C", "--parent", &epic]);
    world.bd(&["done", &child]).ok();
    assert!(
        world
            .bd(&["log", &epic])
            .ok()
            .contains(&format!("done {child}"))
    );
}

#[test]
fn a_patch_shows_each_field_before_and_after() {
    let world = world();
    world
        .bd(&[
            "update",
            "bd-a",
            "-d",
            "one\ntwo\nthree",
            "-p",
            "1",
            "--add-label",
            "x",
        ])
        .ok();
    world
        .bd(&[
            "update",
            "bd-a",
            "-d",
            "one\n2\nthree",
            "-p",
            "0",
            "--rm-label",
            "x",
            "-a",
            "bob",
        ])
        .ok();
    world
        .bd(&[
            "note",
            "bd-a",
            "--finding",
            "seen",
            "--decision",
            "so be it",
        ])
        .ok();
    world.bd(&["dep", "add", "bd-a", "--on", "bd-b"]).ok();
    world.bd(&["done", "bd-a", "-r", "did it"]).ok();
    let text = world.bd(&["log", "bd-a", "-p", "-n", "4"]).ok();
    let plain: Vec<&str> = text
        .lines()
        .map(|line| {
            line.get(11..)
                .filter(|_| !line.starts_with(' '))
                .unwrap_or(line)
        })
        .collect();
    insta::assert_snapshot!(plain.join("\n"), @r#"
    2026-11-20 11:20 +0000 Ann done bd-a: did it
      closed bd-a First
        status: open -> closed
        reason: +did it
    2026-11-20 11:20 +0000 Ann dep add bd-a: blocks bd-b
      changed bd-a First
        dependencies: +blocks bd-b
    2026-11-20 11:20 +0000 Ann noted a finding on bd-a "seen" (+1 more)
      changed bd-a First
        findings: +seen
        decisions: +so be it
    2026-11-20 11:20 +0000 Ann update bd-a: description, priority, assignee, labels
      changed bd-a First
        priority: 1 -> 0
        assignee: +bob
        labels: -x
        description:
          ...
          -two
          +2
          ...
    "#);
}

#[test]
fn a_patch_in_json_has_whole_values() {
    let world = world();
    world.bd(&["update", "bd-a", "-d", "one\ntwo"]).ok();
    let log = world.bd(&["log", "-p", "-n", "1", "--json"]).json();
    let issue = &log["operations"][0]["issues"][0];
    assert_eq!(
        (&issue["id"], &issue["what"]),
        (&"bd-a".into(), &"changed".into())
    );
    assert_eq!(field(&issue["changes"], "description")["new"], "one\ntwo");
    assert!(world.bd(&["log", "-n", "1", "--json"]).json()["operations"][0]["issues"].is_null());
}

#[test]
fn a_patch_of_one_issue_is_about_it_alone() {
    let world = world();
    world.bd(&["update", "bd-a", "bd-b", "-p", "0"]).ok();
    let both = world.bd(&["log", "-p", "-n", "1"]).ok();
    assert!(
        both.contains("bd-a First") && both.contains("bd-b Second"),
        "{both}"
    );
    let one = world.bd(&["log", "bd-b", "-p", "-n", "1"]).ok();
    assert!(
        !one.contains("bd-a First") && one.contains("bd-b Second"),
        "{one}"
    );
}

#[test]
fn redacted_and_deleted_is_seen() {
    let world = world();
    world.bd(&["note", "bd-a", "--finding", "wrong"]).ok();
    let entry = world.bd(&["show", "bd-a", "--json"]).json()["memory"]["findings"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    world.bd(&["redact", "bd-a", &entry]).ok();
    assert!(
        world
            .bd(&["log", "bd-a", "-p", "-n", "1"])
            .ok()
            .contains("findings: -wrong")
    );
    world.bd(&["delete", "bd-a", "-r", "twice"]).ok();
    let text = world.bd(&["log", "bd-a", "-p", "-n", "1"]).ok();
    assert!(
        text.contains("deleted bd-a First") && text.contains("deleted: +twice"),
        "{text}"
    );
}

#[test]
fn dates_and_authors_narrow_it() {
    let world = world();
    world
        .bd_as("Bob the builder", &["update", "bd-a", "-p", "1"])
        .ok();
    world.bd_as("carl", &["update", "bd-b", "-p", "1"]).ok();
    assert_eq!(
        subjects(&world, &["--author", "bob"]),
        ["update bd-a: priority"]
    );
    assert_eq!(
        subjects(&world, &["--author", "carl"]),
        ["update bd-b: priority"]
    );
    let last = subjects(&world, &["--author", "me", "-n", "1"]);
    assert!(last.len() == 1 && last[0].ends_with(" to bd-b"), "{last:?}");
    assert_eq!(
        subjects(&world, &["bd-a", "--author", "b"]),
        ["update bd-a: priority"]
    );
    assert!(subjects(&world, &["--author", "nobody"]).is_empty());
    let now = world.bd(&["log", "-n", "1", "--json"]).json()["operations"][0]["at"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        subjects(&world, &["--since", &now]),
        ["update bd-b: priority"]
    );
    assert_eq!(subjects(&world, &["--until", "2026-11-19"]), [""; 0]);
    assert_eq!(
        subjects(&world, &["--since", "1d", "-n", "0"]),
        subjects(&world, &["-n", "0"])
    );
    assert_eq!(
        subjects(&world, &["bd-b", "--since", &now]),
        ["update bd-b: priority"]
    );
    assert_eq!(
        subjects(&world, &["--author", "carl", "--until", "yesterday"]),
        [""; 0]
    );
    assert!(
        world
            .bd(&["log", "--since", "soonish"])
            .fails(1)
            .contains("not a date")
    );
}

#[test]
fn one_line_is_commit_and_subject() {
    let world = world();
    let text = world.bd(&["log", "--oneline", "-n", "1"]).ok();
    let subject = text.trim_end().split_once(' ').unwrap().1;
    assert!(
        subject.starts_with("rename bd-") && subject.ends_with(" to bd-b"),
        "{subject}"
    );
}

#[test]
fn many_at_once_are_found_for_each() {
    let world = World::with_store();
    let line =
        |n: usize| format!("{{\"id\":\"bd-n{n}\",\"title\":\"T{n}\",\"status\":\"open\"}}\n");
    let file = world.file("many.jsonl", (0..150).map(line).collect::<String>());
    world.bd(&["import", &file]).ok();
    world.bd(&["update", "bd-n7", "-p", "1"]).ok();
    assert_eq!(
        subjects(&world, &["bd-n7"]),
        [
            "update bd-n7: priority",
            "import many.jsonl: 150 created, 0 updated"
        ]
    );
    assert_eq!(subjects(&world, &["bd-n8"]).len(), 1);
    let text = world.bd(&["log", "bd-n8", "-p"]).ok();
    assert!(
        text.contains("created bd-n8 T8") && !text.contains("bd-n9"),
        "{text}"
    );
}

#[test]
fn of_many_the_first_are_shown_and_json_has_all() {
    let world = World::with_store();
    let line = |n: usize| {
        format!("{{\"id\":\"bd-n{n}\",\"title\":\"T{n}\",\"status\":\"open\",\"priority\":1}}\n")
    };
    world
        .bd_with((10..40).map(line).collect::<String>(), &["import", "-"])
        .ok();
    let all =
        world.bd(&["log", "-p", "-n", "1", "--json"]).json()["operations"][0]["issues"].clone();
    let ids: Vec<&str> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| issue["id"].as_str().unwrap())
        .collect();
    assert_eq!((ids.len(), ids[0], ids[29]), (30, "bd-n10", "bd-n39"));
    assert_eq!(field(&all[29]["changes"], "priority")["new"], 1);
    let text = world.bd(&["log", "-p", "-n", "1"]).ok();
    let shown: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("  created ")?.split(' ').next())
        .collect();
    assert_eq!(shown, ids[..20]);
    assert!(
        text.contains("    priority: +1\n")
            && text.ends_with("\n  ... and 10 more issues (--json has them)\n"),
        "{text}"
    );
    let diff = world.bd(&["diff", "@~1"]).ok();
    assert!(
        diff.lines().count() == 31 && diff.ends_with("\n  created bd-n39 T39\n"),
        "{diff}"
    );
    assert_eq!(world.bd(&["diff", "@~1", "--json"]).json()["issues"], all);
}

#[test]
fn a_merge_is_no_operation_on_what_it_carries() {
    let world = two_clones();
    named(&world, "bd-a", &["First"]);
    named(&world, "bd-b", &["Second"]);
    world.bd(&["sync"]).ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["update", "bd-a", "--title", "Here"]).ok();
    world
        .bd_in("other", &["update", "bd-a", "--title", "There"])
        .ok();
    world.bd_in("other", &["update", "bd-b", "-p", "0"]).ok();
    world.bd_in("other", &["sync"]).ok();
    world.bd(&["sync"]).ok();
    // Both had the first: it had to be joined. The second came as it was.
    assert_eq!(subjects(&world, &["bd-a"])[0], "merge");
    assert_eq!(subjects(&world, &["bd-b"])[0], "update bd-b: priority");
    let text = world.bd(&["log", "bd-a", "-p", "-n", "1"]).ok();
    assert!(
        text.contains("conflicts: +title by Ann: Here") && !text.contains("There ->"),
        "{text}"
    );
    let merge = world.bd(&["log", "-p", "-n", "1"]).ok();
    assert!(!merge.contains("bd-b"), "{merge}");
    // No one has made it, so a list of what was done has no line of it.
    let text = world.bd(&["log"]).ok();
    assert!(!text.lines().any(|line| line.ends_with("merge")), "{text}");
}

#[test]
fn nothing_of_a_purged_issue_is_shown() {
    let world = world();
    world.bd(&["update", "bd-a", "-d", "hunter2"]).ok();
    world.bd(&["purge", "--yes", "bd-a"]).ok();
    let text = world.bd(&["log", "-p", "-n", "0"]).ok();
    assert!(
        !text.contains("hunter2") && !text.contains("First") && text.contains("purged bd-a"),
        "{text}"
    );
    assert!(world.bd(&["blame", "bd-a"]).fails(3).contains("purged"));
    assert!(!world.bd(&["diff", "@~1"]).ok().contains("hunter2"));
}

#[test]
fn commits_of_others_without_trailers_are_found() {
    let world = world();
    let git = |args: &[&str]| world.git(args).ok().trim().to_owned();
    world.bd(&["update", "bd-a", "-p", "1"]).ok();
    let (tree, parent) = (
        git(&["rev-parse", "refs/beads/main^{tree}"]),
        git(&["rev-parse", "refs/beads/main~1"]),
    );
    let commit = git(&["commit-tree", &tree, "-p", &parent, "-m", "by hand"]);
    git(&["update-ref", "refs/beads/main", &commit]);
    assert_eq!(subjects(&world, &["bd-a", "-n", "1"]), ["by hand"]);
    assert!(subjects(&world, &["bd-b", "-n", "1"])[0].ends_with(" to bd-b"));
}

#[test]
fn the_log_names_the_agent_that_acted() {
    let world = World::with_store();
    let id = world.create(&["T"]);
    world
        .bd(&["--agent", "claude-3f2ak", "note", &id, "--finding", "seen"])
        .ok();
    let log = world.bd(&["log", "--json"]).json();
    let [last, first] = [0, 1].map(|n| log["operations"][n].clone());
    assert_eq!(
        (&last["actor"], &last["agent"]),
        (&"Ann".into(), &"claude-3f2ak".into())
    );
    assert!(first["agent"].is_null(), "{first}");
    let text = world.bd(&["log", "-n", "1"]).ok();
    assert!(text.contains(" Ann/claude-3f2ak noted "), "{text}");
}

#[test]
fn what_was_said_is_told_with_who_said_it_until_it_is_hidden() {
    let world = World::with_store();
    let id = world.create(&["Cart"]);
    let question = "Return 404 or an empty cart?";
    world.bd(&["--agent", "bot2", "ask", &id, question]).ok();
    world.bd(&["answer", &id, "An empty cart"]).ok();
    world
        .bd(&[
            "note",
            &id,
            "--finding",
            "keys are short",
            "--decision",
            "hash them",
        ])
        .ok();
    let line = |n: usize| {
        let text = world.bd(&["log", "-n", "3"]).ok();
        let line = text.lines().nth(n).unwrap().to_owned();
        line.split(" +0000 ").nth(1).unwrap().to_owned()
    };
    assert_eq!(line(2), format!("Ann/bot2 asked {id} \"{question}\""));
    assert_eq!(line(1), format!("Ann answered {id} \"An empty cart\""));
    let noted = format!("Ann noted a finding on {id} \"keys are short\" (+1 more)");
    assert_eq!(line(0), noted);
    let log = world.bd(&["log", "--json", "-n", "3"]).json();
    let asked = &log["operations"][2];
    assert_eq!(
        (&asked["agent"], &asked["said"][0]["what"]),
        (&"bot2".into(), &"asked".into())
    );
    assert_eq!(asked["said"][0]["text"], question);
    let watched = world.bd(&["watch", "--since", "1d", "-n", "3"]).ok();
    let last = format!("Ann/bot2 asked {id} \"{question}\"");
    assert!(watched.contains(&last), "{watched}");
    let entry = asked["subject"]
        .as_str()
        .unwrap()
        .rsplit(' ')
        .next()
        .unwrap()
        .to_owned();
    world.bd(&["redact", &id, &entry]).ok();
    let hidden = world.bd(&["log"]).ok() + &world.bd(&["watch", "--since", "1d", "-n", "5"]).ok();
    assert!(
        !hidden.contains(question) && hidden.contains("keys are short"),
        "{hidden}"
    );
    world.bd(&["purge", &id, "--yes"]).ok();
    let purged = world.bd(&["log", "--json"]).ok();
    assert!(!purged.contains("keys are short"), "{purged}");
}

#[test]
fn an_answer_that_was_taken_back_is_told_as_no_question() {
    let world = World::with_store();
    let id = world.create(&["Cart"]);
    world.bd(&["--agent", "bot2", "ask", &id, "404?"]).ok();
    world.bd(&["answer", &id, "An empty cart"]).ok();
    world.bd(&["undo"]).ok();
    let log = world.bd(&["log", "--json"]).json();
    let said = |n: usize| log["operations"][n]["said"].as_array().map(Vec::len);
    assert_eq!((said(1), said(2)), (None, Some(1)), "{log}");
}

#[test]
fn an_agent_that_is_named_filters() {
    let world = World::with_store();
    world.bd(&["create", "By Ann"]).ok();
    world.bd(&["--agent", "bot2", "create", "By a bot"]).ok();
    for args in [["log", "--agent", "bot2"], ["--agent", "bot2", "log"]] {
        let log = world.bd(&args).ok();
        assert!(log.contains("By a bot") && !log.contains("By Ann"), "{log}");
    }
}
