//! Acts of a face: each leaves the commit of its verb; none sets what has changed since it was shown.

use std::sync::Barrier;

use git_beads::ops::act::{ActRequest, perform};
use git_beads::ops::{Code, Tracker, open};
use git_beads::store::{Intent, Location};
use serde_json::{Value, json};

use crate::support::clones::{create, sync, two_clones};
use crate::support::{World, files_refs_only};

fn request(act: &Value) -> ActRequest {
    serde_json::from_value(act.clone()).unwrap()
}

/// Performs an act; returns it as JSON, or the code and the message of its error.
fn attempt(tracker: &Tracker, act: &Value, mine: &[String]) -> Result<Value, (Code, String)> {
    match perform(tracker, &request(act), mine) {
        Ok(acted) => Ok(serde_json::to_value(acted).unwrap()),
        Err(error) => Err((error.code, error.message)),
    }
}

#[track_caller]
fn act(tracker: &Tracker, act: &Value) -> Value {
    attempt(tracker, act, &[]).unwrap()
}

fn tip(world: &World, folder: &str) -> String {
    let said = world.git_in(folder, &["rev-parse", "refs/beads/main"]).ok();
    said.trim().to_owned()
}

/// Two worlds in which the same happens: in one by verbs, in the other by acts.
struct Twins {
    verbs: World,
    acts: World,
    folder: &'static str,
}

impl Twins {
    /// Runs a command in both.
    #[track_caller]
    fn both(&self, args: &[&str]) -> String {
        let said = self.verbs.bd_in(self.folder, args).ok();
        assert_eq!(self.acts.bd_in(self.folder, args).ok(), said);
        said.trim().to_owned()
    }

    /// Runs a command in one and performs an act in the other; both leave the same commit.
    #[track_caller]
    fn alike(&self, args: &[&str], performed: &Value) -> Value {
        self.verbs.bd_in(self.folder, args).ok();
        let acted = act(&self.acts.tracker(self.folder), performed);
        let commit = tip(&self.verbs, self.folder);
        assert_eq!(tip(&self.acts, self.folder), commit, "{args:?}");
        assert_eq!(acted["commit"], commit, "{acted}");
        acted
    }
}

#[test]
fn each_act_leaves_the_commit_of_its_verb() {
    let twins = Twins {
        verbs: World::with_store(),
        acts: World::with_store(),
        folder: "repo",
    };
    let said = |acted: Value| acted["said"].as_str().unwrap().to_owned();
    let blocker = twins.both(&["create", "-q", "Blocker", "-t", "epic"]);
    let other = twins.both(&["create", "-q", "Other"]);
    let made = twins.alike(
        &[
            "create", "Made", "-p", "1", "-t", "bug", "-d", "Text", "--label", "x,y", "--due", "2027-01-02", "--on",
            &blocker,
        ],
        &json!({"act": "create", "title": "Made", "priority": "1", "type": "bug", "description": "Text",
            "label": "x,y", "due": "2027-01-02", "on": [blocker]}),
    );
    assert_eq!(made["next"]["text"], format!("blocked by {blocker}"));
    assert_eq!(made["next"]["act"], Value::Null);
    let id = made["heads"][0]["id"].as_str().unwrap().to_owned();
    let id = id.as_str();
    let two = json!([id, other]);

    twins.alike(
        &["dep", "rm", id, "--on", &blocker],
        &json!({"act": "dep_rm", "id": id, "on": [blocker]}),
    );
    let acted = twins.alike(
        &["dep", "add", id, "--on", &other],
        &json!({"act": "dep_add", "id": id, "on": [other]}),
    );
    assert_eq!(said(acted), format!("{id}: waits for {other}"));
    twins.alike(
        &[
            "ask", id, "Which?", "--option", "A", "--option", "B", "--to", "Ann",
        ],
        &json!({"act": "ask", "id": id, "text": "Which?", "option": ["A", "B"], "to": "Ann"}),
    );
    let acted = twins.alike(
        &["answer", id, "2"],
        &json!({"act": "answer", "id": id, "text": "2"}),
    );
    assert_eq!(said(acted), format!("{id}: answered: B"));
    twins.alike(
        &[
            "note",
            id,
            "--finding",
            "F",
            "--decision",
            "D",
            "--comment",
            "C",
        ],
        &json!({"act": "note", "id": id, "finding": ["F"], "decision": ["D"], "comment": ["C"]}),
    );
    let acted = twins.alike(
        &["update", id, &other, "-p", "0", "--notes", "N", "--parent", &blocker, "--due", ""],
        &json!({"act": "update", "ids": two, "priority": "0", "notes": "N", "parent": blocker, "due": ""}),
    );
    assert_eq!(
        said(acted),
        format!("{id}, {other}: notes, priority 0, no due, parent {blocker}")
    );
    twins.alike(
        &["label", id, &other, "z"],
        &json!({"act": "label", "ids": two, "labels": ["z"]}),
    );
    let acted = twins.alike(
        &["label", id, "--rm", "x"],
        &json!({"act": "label", "ids": [id], "rm": ["x"]}),
    );
    assert_eq!(said(acted), format!("{id}: labels -x"));
    twins.alike(&["start", id], &json!({"act": "start", "id": id}));
    twins.alike(&["stop", id], &json!({"act": "stop", "ids": [id]}));
    twins.alike(
        &["block", id, "-r", "why"],
        &json!({"act": "block", "ids": [id], "reason": "why"}),
    );
    twins.alike(&["unblock", id], &json!({"act": "unblock", "ids": [id]}));
    twins.alike(
        &["defer", id, &other, "--until", "2027-01-01"],
        &json!({"act": "defer", "ids": two, "until": "2027-01-01"}),
    );
    twins.alike(
        &["unblock", id, &other],
        &json!({"act": "unblock", "ids": two}),
    );
    let acted = twins.alike(
        &["done", id, "-r", "did", "--pr", "7"],
        &json!({"act": "done", "ids": [id], "reason": "did", "pr": "7"}),
    );
    assert_eq!(said(acted), format!("{id}: closed: did"));
    twins.alike(
        &["reopen", id, "-r", "no"],
        &json!({"act": "reopen", "ids": [id], "reason": "no"}),
    );
    twins.both(&["done", id]);
    twins.alike(&["accept", id], &json!({"act": "accept", "ids": [id]}));
    let acted = twins.alike(
        &["delete", id, &other, "-r", "twice"],
        &json!({"act": "delete", "ids": two, "reason": "twice"}),
    );
    assert_eq!(
        acted["next"],
        json!({"text": "", "act": "undo", "does": "brings it back"})
    );
    let commit = acted["commit"].as_str().unwrap();
    let acted = twins.alike(&["undo", commit], &json!({"act": "undo", "commit": commit}));
    let undo = acted["commit"].as_str().unwrap();
    let acted = twins.alike(&["undo", undo], &json!({"act": "redo", "commit": undo}));
    assert_eq!(said(acted), format!("redone: delete {id} {other}: deleted"));
    twins.alike(
        &["restore", id, &other],
        &json!({"act": "restore", "ids": two}),
    );
    for world in [&twins.verbs, &twins.acts] {
        world.file("repo/plan.md", "- One\n- Two\n");
    }
    twins.alike(
        &["split", &blocker, "--file", "plan.md"],
        &json!({"act": "split", "id": blocker, "plan": "- One\n- Two\n"}),
    );
}

#[test]
fn a_conflict_is_resolved_as_by_its_verb() {
    let conflict = || {
        let world = two_clones();
        let id = create(&world, "a", &["Shared"]);
        sync(&world, &["a", "b"]);
        world.bd_in("a", &["update", &id, "-p", "0"]).ok();
        world.bd_in("b", &["update", &id, "-p", "4"]).ok();
        sync(&world, &["a", "b", "a"]);
        (world, id)
    };
    let ((verbs, id), (acts, _)) = (conflict(), conflict());
    let twins = Twins {
        verbs,
        acts,
        folder: "a",
    };
    let seen = tip(&twins.acts, "a");
    assert_eq!(tip(&twins.verbs, "a"), seen);
    let acted = twins.alike(
        &["resolve", &id, "priority", "--take", "1"],
        &json!({"act": "resolve", "id": id, "field": "priority", "take": 1, "seen": seen}),
    );
    assert_eq!(acted["said"], format!("{id}: priority settled"));
}

#[test]
fn a_number_of_a_conflict_is_that_of_the_values_that_were_shown() {
    let world = two_clones();
    let id = create(&world, "a", &["Shared"]);
    sync(&world, &["a", "b"]);
    world.bd_in("a", &["update", &id, "-d", "by a"]).ok();
    world.bd_in("b", &["update", &id, "-d", "by b"]).ok();
    sync(&world, &["a", "b", "a"]);
    let seen = tip(&world, "a");
    world
        .bd_in("b", &["resolve", &id, "description", "--take", "0"])
        .ok();
    world.bd_in("a", &["update", &id, "-d", "again by a"]).ok();
    sync(&world, &["b", "a"]);
    let act = json!({"act": "resolve", "id": id, "field": "description", "take": 1, "seen": seen});
    let before = tip(&world, "a");
    attempt(&world.tracker("a"), &act, &[]).unwrap_err();
    assert_eq!(tip(&world, "a"), before);
}

#[test]
fn a_start_that_the_remote_confirms_is_known_by_its_commit() {
    let world = two_clones();
    let id = create(&world, "b", &["Shared"]);
    sync(&world, &["b", "a"]);
    world
        .git_in("a", &["config", "beads.claims", "strict"])
        .ok();
    // Drawn with a change that only this clone has; the remote has moved on.
    world.bd_in("a", &["label", &id, "ours"]).ok();
    let seen = tip(&world, "a");
    world.bd_in("b", &["update", &id, "-p", "0"]).ok();
    sync(&world, &["b"]);
    let face = world.tracker("a");
    let acted = act(&face, &json!({"act": "start", "id": id, "seen": seen}));
    let commit = acted["commit"].as_str().unwrap();
    let subject = world.git_in("a", &["log", "-1", "--format=%s", commit]);
    assert!(subject.ok().starts_with(&format!("start {id}")));
    for repo in ["a", "hub.git"] {
        let merged = ["merge-base", "--is-ancestor", commit, "refs/beads/main"];
        world.git_in(repo, &merged).ok();
    }
    let stop = json!({"act": "stop", "ids": [id], "seen": seen});
    assert_eq!(attempt(&face, &stop, &[]).unwrap_err().0, Code::Changed);
    let stopped = attempt(&face, &stop, &[commit.to_owned()]).unwrap();
    assert_eq!(stopped["said"], format!("{id}: open again"));
}

/// A world with an issue, what a face draws of it, and the tracker of that face.
fn drawn() -> (World, String, String, Tracker) {
    let world = World::with_store();
    let id = world.create(&["Issue", "-p", "2"]);
    let seen = tip(&world, "repo");
    let tracker = world.tracker("repo");
    (world, id, seen, tracker)
}

#[test]
fn what_another_has_set_since_is_not_set() {
    let (world, id, seen, face) = drawn();
    let priority = |to: &str| json!({"act": "update", "ids": [id], "priority": to, "seen": seen});
    world.bd_as("Ben", &["update", &id, "-p", "0"]).ok();
    let before = tip(&world, "repo");
    let (code, message) = attempt(&face, &priority("1"), &[]).unwrap_err();
    assert_eq!(code, Code::Changed);
    let what = format!("priority of {id} has changed from 2 to 0, by Ben at 2026-11-20 11:20");
    assert_eq!(message, what);
    assert_eq!(tip(&world, "repo"), before);
    // What has its value already is not set.
    act(&face, &priority("0"));
    // Another field, a label, a comment and a dependency.
    let other = world.create(&["Other"]);
    for given in [
        json!({"act": "update", "ids": [id], "title": "New", "seen": seen}),
        json!({"act": "label", "ids": [id], "labels": ["x"], "seen": seen}),
        json!({"act": "note", "id": id, "comment": ["c"], "seen": seen}),
        json!({"act": "dep_add", "id": id, "on": [other], "seen": seen}),
        // Without what was drawn nothing is compared.
        json!({"act": "update", "ids": [id], "priority": "3"}),
    ] {
        assert_ne!(act(&face, &given)["commit"], Value::Null, "{given}");
    }
}

#[test]
fn labels_notes_and_links_of_others_hold_nothing_up() {
    let (world, id, seen, face) = drawn();
    let other = world.create(&["Other"]);
    for args in [
        &["label", &id, "theirs"][..],
        &["note", &id, "--comment", "theirs"],
        &["dep", "add", &id, "--on", &other],
        &["ask", &id, "What?"],
        &["update", &id, "-t", "bug"],
    ] {
        world.bd_as("Ben", args).ok();
    }
    for given in [
        json!({"act": "update", "ids": [id], "priority": "1", "seen": seen}),
        json!({"act": "label", "ids": [id], "rm": ["theirs"], "seen": seen}),
        json!({"act": "done", "ids": [id], "seen": seen}),
    ] {
        assert_ne!(act(&face, &given)["commit"], Value::Null, "{given}");
    }
}

#[test]
fn an_act_follows_those_of_its_own_desk() {
    let (world, id, seen, face) = drawn();
    let priority = |to: &str| json!({"act": "update", "ids": [id], "priority": to, "seen": seen});
    let first = act(&face, &priority("1"))["commit"]
        .as_str()
        .unwrap()
        .to_owned();
    let mine = [first];
    assert_eq!(
        attempt(&face, &priority("3"), &[]).unwrap_err().0,
        Code::Changed
    );
    attempt(&face, &priority("3"), &mine).unwrap();
    world.bd_as("Ben", &["update", &id, "-p", "0"]).ok();
    assert_eq!(
        attempt(&face, &priority("4"), &mine).unwrap_err().0,
        Code::Changed
    );
    // An issue that came since, by another one or by this desk.
    let theirs = world.create(&["Theirs"]);
    let mut given = json!({"act": "start", "id": theirs, "seen": seen});
    assert_eq!(attempt(&face, &given, &mine).unwrap_err().0, Code::Changed);
    let made = act(&face, &json!({"act": "create", "title": "Mine"}));
    given["id"] = made["heads"][0]["id"].clone();
    attempt(
        &face,
        &given,
        &[made["commit"].as_str().unwrap().to_owned()],
    )
    .unwrap();
}

#[test]
fn only_the_close_and_the_question_that_were_shown_are_dealt_with() {
    let (world, id, _, face) = drawn();
    world
        .bd(&["--agent", "c-1", "done", &id, "-r", "first"])
        .ok();
    let seen = tip(&world, "repo");
    world.bd(&["reopen", &id]).ok();
    world
        .bd(&["--agent", "c-1", "done", &id, "-r", "second"])
        .ok();
    let given = json!({"act": "accept", "ids": [id], "seen": seen});
    let (code, message) = attempt(&face, &given, &[]).unwrap_err();
    assert_eq!(code, Code::Changed);
    assert!(
        message.starts_with(&format!("reason of {id} has changed from first to second")),
        "{message}"
    );
    assert!(message.contains("by Ann/c-1"), "{message}");

    let asks = world.create(&["Asks"]);
    let first = world.bd(&["ask", &asks, "One?", "--json"]).json();
    let seen = tip(&world, "repo");
    let given = json!({"act": "answer", "id": asks, "text": "yes", "seen": seen});
    world.bd_as("Ben", &["answer", &asks, "no"]).ok();
    world.bd(&["ask", &asks, "Two?"]).ok();
    let (code, message) = attempt(&face, &given, &[]).unwrap_err();
    assert_eq!(
        (code, message),
        (
            Code::Changed,
            format!("{asks} asks a question that was not shown")
        )
    );
    let mut given = given;
    given["entry"] = first["question"].clone();
    let (code, message) = attempt(&face, &given, &[]).unwrap_err();
    assert_eq!(code, Code::Changed);
    assert!(message.contains("from none to no, by Ben"), "{message}");
}

#[test]
fn a_state_that_is_not_here_is_refused() {
    let (world, id, _, face) = drawn();
    let gone = "0123456789012345678901234567890123456789";
    let given = json!({"act": "update", "ids": [id], "priority": "1", "seen": gone});
    let (code, message) = attempt(&face, &given, &[]).unwrap_err();
    assert_eq!(
        (code, message.as_str()),
        (
            Code::Changed,
            "the state that was shown (0123456789) is no longer here"
        )
    );
    for wrong in ["", "@~1", "2026-11-20"] {
        let given = json!({"act": "update", "ids": [id], "priority": "1", "seen": wrong});
        assert_eq!(attempt(&face, &given, &[]).unwrap_err().0, Code::Invalid);
    }
    // A commit that is here, but no state of the issues.
    world
        .git(&["commit", "--quiet", "--allow-empty", "-m", "code"])
        .ok();
    let code = world.git(&["rev-parse", "HEAD"]).ok();
    let given = json!({"act": "update", "ids": [id], "priority": "1", "seen": code.trim()});
    assert_eq!(attempt(&face, &given, &[]).unwrap_err().0, Code::Changed);
}

#[test]
fn no_writer_comes_between_the_look_and_the_change() {
    let _pinned = files_refs_only();
    let (world, id, ..) = drawn();
    let places = [(); 3].map(|()| world.location("repo"));
    let (barrier, main) = (
        Barrier::new(places.len()),
        world.path("repo/.git/refs/beads/main"),
    );
    // One face: as many titles as there are rounds, each decided on what was there before.
    let face = |n: usize, place: &Location| {
        let face = open(place, None, Intent::Write).unwrap();
        let mut made = Vec::new();
        for round in 0..8 {
            let seen = std::fs::read_to_string(&main).unwrap().trim().to_owned();
            barrier.wait();
            let title = format!("{n} {round}");
            let given = json!({"act": "update", "ids": [id], "title": title, "seen": seen});
            if let Ok(acted) = attempt(&face, &given, &[]) {
                made.push((seen, acted["commit"].as_str().unwrap().to_owned()));
            }
            barrier.wait();
        }
        made
    };
    let made: Vec<(String, String)> = std::thread::scope(|scope| {
        let face = &face;
        let begin = |(n, place)| scope.spawn(move || face(n, place));
        let each: Vec<_> = places.iter().enumerate().map(begin).collect();
        each.into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    // One in each round, and each right after what its face had seen.
    assert_eq!(made.len(), 8);
    for (seen, commit) in made {
        assert_eq!(
            world.git(&["rev-parse", &format!("{commit}^")]).ok().trim(),
            seen
        );
    }
}

#[test]
fn several_issues_are_one_commit_and_one_undo() {
    let (world, first, ..) = drawn();
    let mut ids = vec![first];
    ids.extend((0..4).map(|n| world.create(&[&format!("Issue {n}"), "-p", "2"])));
    let face = world.tracker("repo");
    let before = tip(&world, "repo");
    let priorities = || {
        let listed = world.bd(&["list", "--json"]).json();
        let issues = listed["issues"].as_array().unwrap().clone();
        issues
            .iter()
            .map(|issue| issue["priority"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    let acted = act(
        &face,
        &json!({"act": "update", "ids": ids, "priority": "1", "seen": before}),
    );
    let said = format!("{}, {}, {} and 2 more: priority 1", ids[0], ids[1], ids[2]);
    assert_eq!(acted["said"], said);
    assert_eq!(acted["heads"].as_array().unwrap().len(), 5);
    let commit = acted["commit"].as_str().unwrap();
    assert_eq!(
        world.git(&["rev-parse", &format!("{commit}^")]).ok().trim(),
        before
    );
    assert_eq!(priorities(), [1; 5]);
    let undone = act(&face, &json!({"act": "undo", "commit": commit}));
    assert_eq!(priorities(), [2; 5]);
    assert_eq!(undone["heads"].as_array().unwrap().len(), 5);
    act(&face, &json!({"act": "redo", "commit": undone["commit"]}));
    assert_eq!(priorities(), [1; 5]);
    // One that can't be: none is.
    world.bd_as("Ben", &["update", &ids[3], "-p", "0"]).ok();
    let given = json!({"act": "update", "ids": ids, "priority": "4", "seen": tip(&world, "repo")});
    world.bd_as("Ben", &["update", &ids[3], "-p", "3"]).ok();
    assert_eq!(attempt(&face, &given, &[]).unwrap_err().0, Code::Changed);
    assert_eq!(
        priorities()
            .iter()
            .filter(|priority| **priority == 1)
            .count(),
        4
    );
}

#[test]
fn what_is_said_is_one_visible_line() {
    let (world, id, _, face) = drawn();
    let hostile = "a\u{1b}[2J\n\u{202e}b";
    for given in [
        json!({"act": "done", "ids": [id], "reason": hostile}),
        json!({"act": "reopen", "ids": [id], "reason": hostile}),
        json!({"act": "ask", "id": id, "text": hostile}),
        json!({"act": "answer", "id": id, "text": hostile}),
        json!({"act": "update", "ids": [id], "title": "b\u{202e}c"}),
    ] {
        let acted = act(&face, &given);
        let said = acted["said"].as_str().unwrap();
        let hides = |c: char| c.is_control() || c == '\u{202e}';
        assert!(!said.contains(hides), "{said:?}");
    }
    // What waits for it is open again, and is shown.
    let waits = world.create(&["Waits", "--on", &id]);
    world.bd(&["block", &waits]).ok();
    let acted = act(&face, &json!({"act": "done", "ids": [id]}));
    assert_eq!(
        acted["remarks"],
        json!([format!("{waits} is open again: nothing blocks it any more")])
    );
    assert_eq!(acted["heads"].as_array().unwrap().len(), 2);
    let again = act(&face, &json!({"act": "label", "ids": [id], "rm": ["none"]}));
    assert_eq!(
        (&again["commit"], &again["heads"]),
        (&Value::Null, &json!([]))
    );
    assert_eq!(again["said"], format!("{id}: nothing to change"));
}
