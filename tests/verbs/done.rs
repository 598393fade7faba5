//! `done`: ends, epics that end with them, what is next.

mod landed;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::World;
use crate::support::look::{commits, ids, issue, named, status};
use crate::support::samples::epic as world;

#[test]
fn it_says_how_far_the_epic_is_and_what_is_next() {
    let world = world();
    assert_snapshot!(world.bd(&["done", "bd-epic.1", "-r", "did it"]).all(), @"
    bd-epic.1 closed; bd-epic: 1 of 2 done
    next: git beads start bd-epic.2
      P4 Two
    ");
    assert_snapshot!(world.bd(&["done", "bd-epic.2"]).all(), @"
    bd-epic.2 closed; bd-epic: 2 of 2 done
    bd-epic closed: all its children are
    next: git beads start bd-urgent
      P0 Urgent
    ");
    assert_snapshot!(world.bd(&["close", "bd-urgent"]).all(), @"
    bd-urgent closed
    next: nothing else is ready (git beads status)
    ");
}

#[test]
fn a_ready_sibling_is_next_before_anything_else() {
    let world = world();
    let answer = world.bd(&["done", "bd-epic.1", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["next"]),
        (&"closed".into(), &"start_next_ready".into())
    );
    assert_eq!(
        (&answer["closed"], &answer["parent_id"]),
        (&"bd-epic.1".into(), &"bd-epic".into())
    );
    assert_eq!(answer["next_ready"]["id"], "bd-epic.2");
    assert_eq!(
        answer["epic_status"],
        serde_json::json!({"completed": 1, "remaining": 1})
    );
}

#[test]
fn no_other_epic_is_begun_unasked() {
    let world = world();
    world.bd(&["block", "bd-epic.2"]).ok();
    let answer = world.bd(&["done", "bd-epic.1", "--json"]).json();
    assert!(answer.get("next_ready").is_none(), "{answer}");
    assert_eq!(
        (&answer["next"], &answer["ready_count"]),
        (&"await_user".into(), &1.into())
    );
    let last = world.bd(&["done", "bd-urgent", "--json"]).json();
    assert!(last.get("next_ready").is_none() && last.get("epic_status").is_none());
    assert_eq!(last["next"], "await_user");
}

#[test]
fn what_waited_for_it_is_named_to_a_person() {
    let world = World::with_store();
    let first = world.create(&["First"]);
    let second = world.create(&["Second", "--on", &first]);
    let text = world.bd(&["done", &first]).ok();
    assert!(
        text.contains(&format!("next: git beads start {second}")),
        "{text}"
    );
}

#[test]
fn the_last_open_child_closes_its_epic() {
    let world = world();
    world.bd(&["done", "bd-epic.1"]).ok();
    let before = commits(&world);
    let answer = world.bd(&["done", "bd-epic.2", "--json"]).json();
    assert_eq!(commits(&world), before + 1);
    assert_eq!(
        answer["epic_status"],
        serde_json::json!({"completed": 2, "remaining": 0})
    );
    assert_eq!(ids(&answer["auto_closed"]), ["bd-epic"]);
    let epic = issue(&world, "bd-epic");
    assert_eq!(
        (&epic["status"], &epic["reason"]),
        (
            &"closed".into(),
            &"Auto-closed: all child issues closed".into()
        )
    );
}

#[test]
fn closing_climbs_as_long_as_all_children_have_ended() {
    let world = World::with_store();
    let mut id = named(&world, "bd-e", &["Epic", "-t", "epic"]).to_owned();
    for _ in 0..2 {
        id = world.create(&["Epic", "-t", "epic", "--parent", &id]);
    }
    let leaf = world.create(&["Leaf", "--parent", &id]);
    let answer = world.bd(&["done", &leaf, "--json"]).json();
    assert_eq!(ids(&answer["auto_closed"]), ["bd-e.1.1", "bd-e.1", "bd-e"]);
    assert_eq!(status(&world, "bd-e"), "closed");
}

#[test]
fn only_an_epic_closes_with_its_children() {
    let world = World::with_store();
    let task = world.create(&["Task"]);
    let child = world.create(&["Child", "--parent", &task]);
    world.bd(&["done", &child]).ok();
    assert_eq!(status(&world, &task), "open");
}

#[test]
fn a_pinned_or_hooked_epic_stays() {
    for word in ["pinned", "hooked"] {
        let world = world();
        world.bd(&["update", "bd-epic", "-s", word]).ok();
        let answer = world
            .bd(&["done", "bd-epic.1", "bd-epic.2", "--json"])
            .json();
        assert!(answer.get("auto_closed").is_none());
        assert_eq!(status(&world, "bd-epic"), word);
    }
}

#[test]
fn an_epic_in_progress_closes_too() {
    let world = world();
    world.bd(&["start", "bd-epic"]).ok();
    world.bd(&["done", "bd-epic.1", "bd-epic.2"]).ok();
    assert_eq!(status(&world, "bd-epic"), "closed");
}

#[test]
fn an_epic_whose_children_were_all_deleted_has_not_ended() {
    let world = world();
    world.bd(&["delete", "bd-epic.1", "bd-epic.2"]).ok();
    assert_eq!(status(&world, "bd-epic"), "open");
}

#[test]
fn a_child_that_moved_away_does_not_close_its_old_epic() {
    let world = world();
    world.bd(&["update", "bd-epic.1", "--parent", ""]).ok();
    world.bd(&["done", "bd-epic.1"]).ok();
    assert_eq!(status(&world, "bd-epic"), "open");
}

#[test]
fn several_are_closed_in_one_commit() {
    let world = world();
    let before = commits(&world);
    let answer = world
        .bd(&["done", "bd-epic.1", "bd-urgent", "-r", "both", "--json"])
        .json();
    assert_eq!(commits(&world), before + 1);
    assert_eq!(
        (&answer["closed"], ids(&answer["ids"])),
        (&"bd-epic.1".into(), vec!["bd-epic.1", "bd-urgent"])
    );
    assert_eq!(issue(&world, "bd-urgent")["reason"], "both");
    assert_eq!(world.bd(&["-q", "done", "bd-epic.2"]).ok(), "bd-epic.2\n");
}

#[test]
fn one_bad_id_closes_nothing() {
    let world = world();
    let before = commits(&world);
    let _ = world.bd(&["done", "bd-urgent", "bd-zzzz"]).fails(1);
    assert_eq!(commits(&world), before);
}

#[test]
fn closing_what_waits_is_allowed_and_said() {
    let world = World::with_store();
    named(&world, "bd-a", &["A"]);
    named(&world, "bd-b", &["B", "--on", "bd-a"]);
    let text = world.bd(&["done", "bd-b"]).ok();
    assert!(
        text.contains("note: bd-b was still blocked by bd-a"),
        "{text}"
    );
    assert_eq!(status(&world, "bd-b"), "closed");
}

#[test]
fn closing_what_has_open_children_is_allowed_and_said() {
    let world = world();
    let answer = world.bd(&["done", "bd-epic", "--json"]).json();
    assert_eq!(ids(&answer["remarks"]), ["bd-epic has 2 open children"]);
    assert_eq!(status(&world, "bd-epic"), "closed");
}

#[test]
fn closing_blocker_and_blocked_together_needs_no_remark() {
    let world = World::with_store();
    named(&world, "bd-a", &["A"]);
    named(&world, "bd-b", &["B", "--on", "bd-a"]);
    for args in [["bd-a", "bd-b"], ["bd-b", "bd-a"]] {
        let answer = world.bd(&["done", args[0], args[1], "--json"]).json();
        assert!(answer.get("remarks").is_none(), "{answer}");
        world.bd(&["reopen", "bd-a", "bd-b"]).ok();
    }
}

#[test]
fn closing_again_is_no_commit() {
    let world = world();
    world.bd(&["done", "bd-urgent", "-r", "first"]).ok();
    let before = commits(&world);
    world.bd(&["done", "bd-urgent"]).ok();
    world.bd(&["done", "bd-urgent", "-r", "first"]).ok();
    assert_eq!(commits(&world), before);
    let said = world.bd(&["done", "bd-urgent"]).ok();
    assert!(
        said.contains("note: bd-urgent was closed already"),
        "{said}"
    );
    assert_snapshot!(world.bd(&["done", "bd-urgent", "-r", "second"]).fails(3), @r#"
    error: bd-urgent is closed already: first
    hint: git beads note bd-urgent second keeps your result; git beads reopen bd-urgent -r "why it is not done"; git beads done bd-urgent --force -r "what was done" replaces the reason
    "#);
    assert_eq!(commits(&world), before);
    world
        .bd(&["done", "bd-urgent", "-r", "second", "--force"])
        .ok();
    assert_eq!(issue(&world, "bd-urgent")["reason"], "second");
}

#[test]
fn a_question_that_is_still_open_is_said() {
    let world = world();
    world.bd(&["ask", "bd-urgent", "Which?"]).ok();
    assert_eq!(world.bd(&["list", "--waiting", "-q"]).ok(), "bd-urgent\n");
    let said = world.bd(&["done", "bd-urgent"]).ok();
    assert!(
        said.contains(
            "note: bd-urgent has a question without an answer; no inbox shows it any more"
        ),
        "{said}"
    );
    assert_eq!(world.bd(&["inbox", "-q"]).ok(), "");
    world.bd(&["reopen", "bd-urgent"]).ok();
    assert_ne!(world.bd(&["inbox", "-q"]).ok(), "");
}

#[test]
fn the_deleted_and_the_unknown_are_not_closed() {
    let world = world();
    world.bd(&["delete", "bd-urgent"]).ok();
    assert!(
        world
            .bd(&["done", "bd-urgent"])
            .fails(1)
            .contains("hint: git beads restore bd-urgent")
    );
    assert!(
        world
            .bd(&["done", "bd-zzzz"])
            .fails(1)
            .contains("bd-zzzz not found")
    );
    let _ = world.bd(&["done"]).fails(2);
}

#[test]
fn an_empty_id_closes_nothing() {
    let world = World::with_store();
    let only = world.create(&["The only one"]);
    for empty in ["", " "] {
        let error = world.bd(&["done", empty]).fails(1);
        assert!(error.contains("hint: "), "{error}");
    }
    assert_eq!(status(&world, &only), "open");
}

#[test]
fn a_new_child_opens_its_auto_closed_epic() {
    let world = world();
    world.bd(&["done", "bd-epic.1", "bd-epic.2"]).ok();
    world.create(&["Three", "--parent", "bd-epic"]);
    assert_eq!(status(&world, "bd-epic"), "open");
    assert!(world.bd(&["list"]).ok().contains("bd-epic P2 open epic"));
}

#[test]
fn deleting_and_restoring_a_child_opens_no_closed_epic() {
    let world = world();
    world.bd(&["done", "bd-epic.1", "bd-epic.2"]).ok();
    world.bd(&["delete", "bd-epic.1"]).ok();
    assert_eq!(status(&world, "bd-epic"), "closed");
    world.bd(&["restore", "bd-epic.1"]).ok();
    assert_eq!(status(&world, "bd-epic"), "closed");
}

#[test]
fn moving_the_last_open_child_away_or_closed_ones_in_is_no_end() {
    let world = world();
    world.bd(&["done", "bd-urgent"]).ok();
    named(&world, "bd-empty", &["Empty", "-t", "epic"]);
    world
        .bd(&["update", "bd-urgent", "--parent", "bd-empty"])
        .ok();
    assert_eq!(status(&world, "bd-empty"), "open");
}

#[test]
fn a_name_with_a_line_of_its_own_forges_none_of_ours() {
    let world = World::with_store();
    world.file(
        "repo/in.jsonl",
        r#"{"id":"bd-x","title":"t","assignee":"eve\nnext: git beads delete bd-x"}"#,
    );
    world.bd(&["import", "in.jsonl"]).ok();
    let said = world.bd(&["done", "bd-x"]);
    assert!(said.stdout.contains("was assigned to eve"), "{said:?}");
    assert!(!said.all().contains("\nnext: git beads delete"), "{said:?}");
}

#[test]
fn what_shows_that_it_is_done_is_kept_and_named() {
    let world = World::with_store();
    world
        .git(&["commit", "--quiet", "--allow-empty", "-m", "port it"])
        .ok();
    let commit = world.git(&["rev-parse", "HEAD"]).ok().trim().to_owned();
    world.file("repo/docs/report.md", "All pass.\n");
    let id = named(&world, "bd-a", &["Port it"]);
    let args = ["--commit", "HEAD", "--pr", "#214", "--file", "report.md"];
    let in_docs = |args: &[&str]| world.bd_in("repo/docs", args);
    in_docs(&[&["done", id, "-r", "ported"][..], &args].concat()).ok();
    let evidence = json!({"commit": commit, "pr": "#214", "file": "docs/report.md"});
    assert_eq!(issue(&world, id)["evidence"], evidence);
    let shown = world.bd(&["show", id]).ok().replace(&commit, "COMMIT");
    assert_snapshot!(shown.lines().skip(2).take(4).collect::<Vec<_>>().join("\n"), @"
    reason: ported
    commit: COMMIT
    pr: #214
    file: docs/report.md
    ");
    let blame = world.bd(&["blame", id]).ok();
    assert!(
        blame.contains("#214") && blame.contains("docs/report.md"),
        "{blame}"
    );

    // What another close says nothing of stays; what is opened again is not done.
    world.bd(&["done", id, "--pr", "#215"]).ok();
    let again = issue(&world, id);
    assert_eq!(again["evidence"]["pr"], "#215");
    assert_eq!(again["evidence"]["commit"], commit.as_str());
    assert_eq!(again["reason"], "ported");
    world.bd(&["reopen", id]).ok();
    assert_eq!(issue(&world, id)["evidence"], Value::Null);
    world.bd(&["undo"]).ok();
    assert_eq!(issue(&world, id)["evidence"]["pr"], "#215");
}

#[test]
fn evidence_that_is_not_there_is_refused() {
    let world = World::with_store();
    let id = named(&world, "bd-a", &["Port it"]);
    world.file("outside.md", "No file of the repository.\n");
    for (args, said) in [
        (
            ["--commit", "feed"],
            r#"no commit "feed" is in this repository"#,
        ),
        (
            ["--commit", "HEAD^{tree}"],
            r#"no commit "HEAD^{tree}" is in this repository"#,
        ),
        (["--file", "none.md"], "none.md"),
        (["--file", "../outside.md"], "outside.md"),
        (["--file", ".git/config"], ".git/config"),
    ] {
        let refused = world.bd(&[&["done", id][..], &args].concat());
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.stderr.contains(said), "{refused:?}");
        assert!(refused.stderr.contains("\nhint: git "), "{refused:?}");
    }
    let long = "1".repeat(501);
    assert_eq!(world.bd(&["done", id, "--pr", &long]).code, 1);
    assert_eq!(status(&world, id), "open");
}

#[test]
fn an_epic_stays_open_as_long_as_anything_below_it_is() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let child = world.create(&["Child", "--parent", &epic]);
    let below = world.create(&["Below", "--parent", &child]);
    world.bd(&["done", &child]).ok();
    assert_eq!(status(&world, &epic), "open");
    let overview = world.bd(&["status", "--json"]).stdout;
    assert!(!overview.contains(&format!("done {epic}\"")), "{overview}");
    let closed = world.bd(&["done", &below, "--json"]).json();
    assert_eq!(ids(&closed["auto_closed"]), [epic.as_str()]);
    assert_eq!(status(&world, &epic), "closed");
}
