//! `next`: the table of what an agent does after an answer, each row over the real pipe.

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;

/// What follows a refusal with this code.
pub fn after_refusal(code: &str) -> &'static str {
    match code {
        "claimed" | "assigned" => "start_next_ready",
        "protected" | "closed" | "no_store" | "not_a_repository" | "remote" | "rejected" | "io"
        | "refused" | "overwritten" | "purged" | "cut" | "undone" | "mirror" | "exists"
        | "damaged" | "unreadable" | "unconfirmed" | "declined" | "moved" | "editor"
        | "foreign_page" => "await_user",
        _ => "retry",
    }
}

/// What may follow an answer of a tool that is no refusal.
pub fn may_follow(tool: &str) -> &'static [&'static str] {
    match tool {
        // A wait that is over asks for another one.
        "task_status" => &["continue", "start_next_ready", "await_user", "retry"],
        "task_progress" | "task_list" | "task_done" | "task_start" => {
            &["continue", "start_next_ready", "await_user"]
        }
        "task_decompose" => &["continue", "start_next_ready"],
        "task_update_meta" | "task_create" | "task_link" | "task_reopen" | "task_undo" => {
            &["continue"]
        }
        _ => panic!("{tool} is not in the table"),
    }
}

/// Calls a tool, whose `next` is held against the table, and returns that.
#[track_caller]
pub(super) fn next(agent: &mut Agent, tool: &str, arguments: Value) -> String {
    let answer = agent.call(tool, arguments);
    answer["next"].as_str().unwrap().to_owned()
}

fn child(title: &str) -> Value {
    json!({"title": title, "description": "what", "design": "how", "acceptance": "done"})
}

#[test]
fn the_overview_says_whether_there_is_one_thing_to_go_on_with() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let status = |agent: &mut Agent| next(agent, "task_status", json!({}));
    let empty = agent.call("task_status", json!({}));
    assert_eq!(empty["next"], "await_user");
    assert_eq!(
        empty["hint"],
        "nothing is in progress: ask whether to start a new epic"
    );
    let theirs = agent.create("Theirs", json!({}));
    world.bd(&["--actor", "lea", "start", &theirs]).ok();
    assert_eq!(status(&mut agent), "await_user", "none of them mine");
    let mine = agent.create("Mine", json!({}));
    assert_eq!(status(&mut agent), "start_next_ready", "one is ready");
    agent.call("task_start", json!({"id": mine}));
    assert_eq!(status(&mut agent), "continue", "exactly one is mine");
    let second = agent.create("Mine too", json!({}));
    agent.call("task_start", json!({"id": second}));
    assert_eq!(status(&mut agent), "continue", "several mine");
    assert_eq!(
        next(&mut agent, "task_status", json!({"id": theirs})),
        "continue"
    );
}

#[test]
fn what_is_mine_comes_before_what_is_ready() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let made = agent.call("task_start", json!({"user_request": "Epic"}));
    let epic = made["issue"]["id"].as_str().unwrap().to_owned();
    let children = ["A", "B", "C", "D"].map(child);
    agent.call(
        "task_decompose",
        json!({"epic_id": epic, "sub_issues": children}),
    );
    let id = |n: u8| format!("{epic}.{n}");
    for n in 1..=3 {
        agent.call("task_start", json!({"id": id(n)}));
    }
    assert_eq!(next(&mut agent, "task_status", json!({})), "continue");
    assert_eq!(next(&mut agent, "task_list", json!({})), "continue");
    let done =
        |agent: &mut Agent, n: u8| agent.call("task_done", json!({"id": id(n), "reason": "ok"}));
    let first = done(&mut agent, 1);
    assert_eq!(first["next"], "continue", "{first}");
    assert_eq!(
        first["mine"],
        json!([id(2), id(3)]),
        "not the epic: {first}"
    );
    let aside = agent.call("task_progress", json!({"id": id(2), "status": "open"}));
    assert_eq!(aside["next"], "continue", "{aside}");
    // Nothing but the epic above it is mine by now.
    let third = done(&mut agent, 3);
    assert_eq!(third["next"], "start_next_ready", "{third}");
    assert!(third.get("mine").is_none(), "{third}");
    // The work of another epic is mine too, though this one has more.
    let other = agent.create("Elsewhere", json!({}));
    for id in [&other, &id(4)] {
        agent.call("task_start", json!({"id": id}));
    }
    let fourth = done(&mut agent, 4);
    assert_eq!(
        (&fourth["next"], &fourth["mine"]),
        (&json!("continue"), &json!([other]))
    );
    // Who asks for the next one and gets none goes on with its own.
    agent.call("task_start", json!({"id": "next"}));
    let none = agent.call("task_start", json!({"id": "next"}));
    assert_eq!(
        (&none["kind"], &none["next"]),
        (&json!("empty"), &json!("continue"))
    );
}

#[test]
fn a_command_says_what_the_tool_says() {
    let mut world = World::with_store();
    world.set("GIT_BEADS_AGENT", "a1");
    let mut agent = Agent::new(&world);
    let both = |agent: &mut Agent, expected: &str| {
        let commands = [&["status"][..], &["ready"]];
        for command in commands {
            let answer = world.bd(&[command, &["--json"]].concat()).json();
            assert_eq!(answer["next"], expected, "{command:?}: {answer}");
        }
        for tool in ["task_status", "task_list"] {
            assert_eq!(next(agent, tool, json!({})), expected, "{tool}");
        }
    };
    both(&mut agent, "await_user");
    let [a, b] = ["A", "B"].map(|title| agent.create(title, json!({})));
    both(&mut agent, "start_next_ready");
    world.bd(&["start", &a]).ok();
    both(&mut agent, "continue");
    let says = |command: &[&str]| world.bd(&[command, &["--json"]].concat()).json()["next"].clone();
    for command in [
        &["list"][..],
        &["blocked"],
        &["show", &a],
        &["search", "A"],
        &["inbox"],
        &["log"],
        &["stats"],
        &["note", &a, "seen"],
        &["undo"],
        &["update", &b, "-p", "1"],
    ] {
        assert_eq!(says(command), "continue", "{command:?}");
    }
    // What is put aside leaves the caller free, and so does what has ended.
    assert_eq!(says(&["block", &a, "-r", "no access"]), "start_next_ready");
    assert_eq!(says(&["unblock", &a]), "continue");
    world.bd(&["start", &a]).ok();
    world.bd(&["start", &b]).ok();
    assert_eq!(says(&["stop", &a]), "continue");
    assert_eq!(says(&["defer", &b]), "start_next_ready");
    world.bd(&["start", &a]).ok();
    world.bd(&["start", &b]).ok();
    let done = world.bd(&["done", &a, "--json"]).json();
    assert_eq!(
        (&done["next"], &done["mine"]),
        (&json!("continue"), &json!([b]))
    );
}

#[test]
fn what_waits_for_a_person_is_handed_to_no_agent() {
    let mut world = World::with_store();
    let person = world.create(&["For a person", "-l", "human", "-p", "0"]);
    let asking = world.create(&["Asks", "-p", "1"]);
    world.bd(&["ask", &asking, "Which one?"]).ok();
    world.set("GIT_BEADS_AGENT", "a1");
    let mut agent = Agent::new(&world);
    let none = agent.call("task_start", json!({"id": "next"}));
    assert_eq!(
        (&none["kind"], &none["next"]),
        (&json!("empty"), &json!("await_user"))
    );
    world.bd(&["ready", "--claim"]).fails(1);
    let free = world.create(&["Free", "-p", "4"]);
    // It stays in the queue, and is marked there.
    let listed = agent.call("task_list", json!({}));
    let ids: Vec<&str> = listed["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, [&person, &asking, &free]);
    assert_eq!(listed["waiting"], json!([person, asking]));
    assert_eq!(listed["next"], "start_next_ready");
    let ready = world.bd(&["ready", "--json"]).json();
    assert_eq!(ready["waiting"], json!([person, asking]));
    assert!(world.bd(&["status", "--json"]).json()["ready_count"] == 3);
    let offered = world.bd(&["prime"]).ok();
    assert!(
        offered.contains("3 ready") && offered.contains(&free),
        "{offered}"
    );
    assert!(!offered.contains(&format!("- {person} ")), "{offered}");
    let claimed = world.bd(&["ready", "--claim", "--json"]).json();
    assert_eq!(claimed["issue"]["id"], free.as_str());
    let done = agent.call("task_done", json!({"id": free, "reason": "ok"}));
    assert_eq!(done["next_ready"], Value::Null, "{done}");
    // By name it can be started, and an answer makes it anyone's. A person takes whatever comes first.
    agent.call("task_start", json!({"id": person}));
    agent.call("task_progress", json!({"id": person, "status": "open"}));
    world.set("GIT_BEADS_AGENT", "");
    world.bd(&["answer", &asking, "this one"]).ok();
    let next = agent.call("task_start", json!({"id": "next"}));
    assert_eq!(next["issue"]["id"], asking.as_str());
    let claimed = world.bd(&["ready", "--claim", "--json"]).json();
    assert_eq!(claimed["issue"]["id"], person.as_str());
}

#[test]
fn a_list_of_ready_work_says_whether_any_of_it_is_to_be_had() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let list = |agent: &mut Agent, arguments| next(agent, "task_list", arguments);
    assert_eq!(list(&mut agent, json!({})), "await_user", "nothing");
    let theirs = agent.create("Theirs", json!({"assignee": "lea"}));
    let listed = agent.call("task_list", json!({"mode": "ready"}));
    assert_eq!(
        listed["issues"][0]["id"],
        theirs.as_str(),
        "shown all the same"
    );
    assert_eq!(listed["next"], "await_user", "assigned to another");
    agent.create("Free", json!({"priority": "P3"}));
    assert_eq!(list(&mut agent, json!({})), "start_next_ready");
    assert_eq!(
        list(&mut agent, json!({"priority": "P0"})),
        "await_user",
        "not among these"
    );
    for looked in [
        json!({"mode": "list"}),
        json!({"mode": "blocked"}),
        json!({"query": "Free"}),
    ] {
        assert_eq!(list(&mut agent, looked), "continue");
    }
}

#[test]
fn writes_go_on_and_what_is_put_aside_frees_its_holder() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let id = agent.create("Only", json!({}));
    let on = |agent: &mut Agent, tool: &str, mut arguments: Value| {
        arguments["id"] = json!(id);
        next(agent, tool, arguments)
    };
    assert_eq!(
        on(&mut agent, "task_progress", json!({"findings": ["open"]})),
        "continue"
    );
    assert_eq!(on(&mut agent, "task_start", json!({})), "continue");
    assert_eq!(
        on(&mut agent, "task_start", json!({})),
        "continue",
        "already mine"
    );
    assert_eq!(
        on(&mut agent, "task_update_meta", json!({"design": "x"})),
        "continue"
    );
    assert_eq!(
        on(
            &mut agent,
            "task_progress",
            json!({"status": "in_progress"})
        ),
        "continue"
    );
    for status in ["blocked", "deferred"] {
        assert_eq!(
            on(&mut agent, "task_progress", json!({"status": status})),
            "await_user"
        );
    }
    assert_eq!(next(&mut agent, "task_create", child("Other")), "continue");
    for status in ["blocked", "deferred"] {
        let aside = on(&mut agent, "task_progress", json!({"status": status}));
        assert_eq!(aside, "start_next_ready");
    }
    on(&mut agent, "task_start", json!({}));
    assert_eq!(
        on(&mut agent, "task_progress", json!({"status": "open"})),
        "start_next_ready"
    );
    assert_eq!(
        on(&mut agent, "task_progress", json!({"status": "open"})),
        "continue",
        "not mine"
    );
    let third = agent.create("Third", json!({}));
    assert_eq!(
        on(&mut agent, "task_link", json!({"depends_on": [third]})),
        "continue"
    );
    assert_eq!(on(&mut agent, "task_undo", json!({})), "continue");
    agent.call("task_done", json!({"id": id, "reason": "ok"}));
    assert_eq!(
        on(&mut agent, "task_reopen", json!({"reason": "no"})),
        "continue"
    );
}

#[test]
fn an_epic_is_worked_through_and_no_other_is_begun_unasked() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    agent.create("Elsewhere", json!({"priority": "P0"}));
    let made = agent.call("task_start", json!({"user_request": "Epic"}));
    assert_eq!(made["next"], "continue");
    let epic = made["issue"]["id"].as_str().unwrap().to_owned();
    let split = json!({"epic_id": epic, "sub_issues": [child("A"), child("B"), child("C")]});
    assert_eq!(
        next(&mut agent, "task_decompose", split),
        "start_next_ready"
    );
    let done = |agent: &mut Agent, n: u8| {
        agent.call(
            "task_done",
            json!({"id": format!("{epic}.{n}"), "reason": "ok"}),
        )
    };
    let first = done(&mut agent, 1);
    assert_eq!(first["next"], "start_next_ready");
    assert_eq!(first["next_ready"]["title"], "B");
    assert!(first.get("ready_count").is_none());
    world.bd(&["assign", &format!("{epic}.3"), "lea"]).ok();
    let second = done(&mut agent, 2);
    assert_eq!(second["next"], "await_user", "the rest is lea's");
    assert_eq!(second.get("next_ready"), Some(&Value::Null), "{second}");
    assert_eq!(second["ready_count"], 2, "lea's, and elsewhere");
    let last = done(&mut agent, 3);
    assert_eq!(last["next"], "await_user", "the epic is complete");
    let one = json!({"epic_id": agent.create("Small", json!({"type": "epic"})), "sub_issues": [child("D")]});
    assert_eq!(
        next(&mut agent, "task_decompose", one),
        "continue",
        "a single child is started"
    );
}

#[test]
fn an_end_starts_what_is_next_where_that_is_wished() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    agent.create("Elsewhere", json!({"priority": "P0"}));
    let epic = agent.create("Epic", json!({"type": "epic"}));
    let split = json!({"epic_id": epic, "sub_issues": [child("A"), child("B")]});
    agent.call("task_decompose", split);
    let (a, b) = (format!("{epic}.1"), format!("{epic}.2"));
    agent.call("task_start", json!({"id": a}));
    let done = |agent: &mut Agent, id: &str| {
        let call = json!({"id": id, "reason": "ok", "start_next": true, "force": true});
        agent.call("task_done", call)
    };
    let first = done(&mut agent, &a);
    assert_eq!(
        (&first["kind"], &first["next"]),
        (&json!("closed"), &json!("continue"))
    );
    assert_eq!(first["next_ready"], Value::Null, "it is started");
    assert_eq!(first["started"]["issue"]["id"], b.as_str(), "{first}");
    assert_eq!(first["started"]["issue"]["design"], "how");
    assert_eq!(crate::support::look::status(&world, &b), "in_progress");
    // Another epic is another matter, as without it.
    let last = done(&mut agent, &b);
    assert_eq!(
        (&last["next"], last.get("started")),
        (&json!("await_user"), None)
    );
    assert_eq!(
        world.bd(&["list", "-s", "in_progress", "--json"]).json()["total_count"],
        0
    );
}

#[test]
fn who_takes_the_next_issue_goes_on_until_there_is_none() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let done = |agent: &mut Agent, id: &Value, name: &str| {
        let call = json!({"id": id, "reason": "ok", "as": name});
        agent.call("task_done", call)
    };
    let ids = ["A", "B", "C", "D"].map(|title| json!(agent.create(title, json!({}))));
    let epic = agent.create("Epic", json!({"type": "epic"}));
    agent.create("Inner", json!({"parent": epic, "priority": "P0"}));
    // An issue by its id, or the next one of an epic, is that one's work alone.
    agent.call("task_start", json!({"id": ids[0], "as": "one"}));
    assert_eq!(done(&mut agent, &ids[0], "one")["next"], "await_user");
    let inner = agent.call(
        "task_start",
        json!({"id": "next", "parent": epic, "as": "two"}),
    );
    let last = done(&mut agent, &inner["issue"]["id"], "two");
    assert_eq!(
        (&last["next"], &last["ready_count"]),
        (&json!("await_user"), &json!(3))
    );
    // The next of all: there is more, until there is none.
    let mut taken = agent.call("task_start", json!({"id": "next", "as": "three"}));
    for left in [2, 1, 0] {
        let closed = done(&mut agent, &taken["issue"]["id"], "three");
        if left == 0 {
            assert_eq!(closed["next"], "await_user", "{closed}");
            assert_eq!(closed["next_ready"], Value::Null);
            assert_eq!(closed["ready_count"], 0);
            continue;
        }
        assert_eq!(closed["next"], "start_next_ready", "{closed}");
        assert!(closed.get("ready_count").is_none(), "{closed}");
        // By the id that it was told: it goes on all the same.
        let next = json!({"id": closed["next_ready"]["id"], "as": "three"});
        taken = agent.call("task_start", next);
    }
    // A user who asks for something decides what comes after it.
    agent.create("Later", json!({}));
    let made = agent.call(
        "task_start",
        json!({"user_request": "Small", "as": "three"}),
    );
    assert_eq!(
        done(&mut agent, &made["issue"]["id"], "three")["next"],
        "await_user"
    );
}

#[test]
fn a_refusal_says_whether_the_call_can_be_mended() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let (a, b) = (agent.create("A", json!({})), agent.create("B", json!({})));
    agent.call("task_link", json!({"id": b, "depends_on": a}));
    let closed = agent.create("Closed", json!({}));
    agent.call("task_done", json!({"id": closed, "reason": "ok"}));
    world.bd(&["--actor", "lea", "start", &b]).ok();
    let rows = [
        ("task_create", json!({"title": "T"}), "retry"),
        ("task_status", json!({"ids": 1}), "retry"),
        ("task_status", json!({"id": "bd-nothing"}), "retry"),
        ("task_status", json!({"id": "bd-"}), "retry"),
        ("task_link", json!({"id": a, "depends_on": b}), "retry"),
        ("task_start", json!({"id": b}), "start_next_ready"),
        ("task_start", json!({"id": closed}), "await_user"),
    ];
    for (tool, arguments, next) in rows {
        // `refused` holds it against the table by its code; this is the row that the call is meant for.
        assert_eq!(
            agent.refused(tool, arguments.clone())["next"],
            next,
            "{tool}({arguments})"
        );
    }
    let assigned = agent.create("Assigned", json!({"assignee": "lea"}));
    let pinned = agent.create("Pinned", json!({}));
    world.bd(&["update", &pinned, "-s", "pinned"]).ok();
    for (id, code, next) in [
        (&assigned, "assigned", "start_next_ready"),
        (&pinned, "protected", "await_user"),
    ] {
        let error = agent.refused("task_start", json!({"id": id}));
        assert_eq!(
            (&error["code"], &error["next"]),
            (&json!(code), &json!(next))
        );
    }
    let (empty, bare) = (World::new(), World::empty());
    let mut nowhere = Agent::new(&empty);
    assert_eq!(
        nowhere.refused("task_status", json!({}))["code"],
        "no_store"
    );
    let mut outside = Agent::in_folder(&bare, "home", &[]);
    assert_eq!(
        outside.refused("task_status", json!({}))["code"],
        "not_a_repository"
    );
}

#[test]
fn the_next_issue_is_the_first_that_this_caller_may_start() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let start = |agent: &mut Agent, arguments| agent.call("task_start", arguments);
    let nothing = start(&mut agent, json!({"id": "next"}));
    assert_eq!(nothing["kind"], "empty");
    assert_eq!(nothing["next"], "await_user");
    agent.create("Theirs", json!({"assignee": "lea", "priority": "P0"}));
    let epic = agent.create("Epic", json!({"type": "epic"}));
    let inner = agent.create("Inner", json!({"parent": epic, "priority": "P3"}));
    let first = agent.create("First", json!({"priority": "P1"}));
    let taken = start(&mut agent, json!({"id": "next", "view": "meta"}));
    assert_eq!(taken["issue"]["id"], first.as_str(), "the most urgent");
    assert_eq!(taken["issue"]["status"], "in_progress");
    assert_eq!(taken["issue"]["is_new"], false);
    assert_eq!(taken["next"], "continue");
    assert!(taken["you"].as_str().unwrap().starts_with("Ann/"));
    let within = start(
        &mut agent,
        json!({"id": "next", "parent": epic, "as": "tests"}),
    );
    assert_eq!(within["issue"]["id"], inner.as_str());
    assert!(within["you"].as_str().unwrap().ends_with(".tests"));
    let none = start(&mut agent, json!({"id": "next", "parent": epic}));
    assert_eq!(none["kind"], "empty", "one in progress is never the next");
    assert_eq!(world.bd(&["log", "-q", "-n", "2"]).ok().lines().count(), 2);
}

#[test]
fn a_parent_and_texts_go_with_their_own_calls() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let epic = agent.create("Epic", json!({"type": "epic"}));
    let refused = agent.refused("task_start", json!({"id": epic, "parent": epic}));
    assert_eq!(refused["next"], "retry");
    assert_eq!(refused["message"], "parent goes with id=\"next\" only");
    assert_eq!(
        refused["hint"],
        format!("task_start(id=\"next\", parent=\"{epic}\")")
    );
    let refused = agent.refused("task_start", json!({"id": "next", "design": "x"}));
    assert_eq!(refused["code"], "invalid");
    let refused = agent.refused("task_start", json!({"id": "next", "parent": "none-such"}));
    assert_eq!(refused["code"], "not_found");
}

#[test]
fn a_refusal_of_the_surroundings_is_waited_for_or_told_to_a_person() {
    let world = World::with_store();
    world.git(&["config", "beads.lockTimeout", "1"]).ok();
    world.git(&["remote", "add", "gone", "../nowhere.git"]).ok();
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    let id = agent.create("T", json!({}));
    let code = |agent: &mut Agent, tool: &str, arguments: Value| {
        let error = agent.refused(tool, arguments);
        (error["code"].clone(), error["next"].clone())
    };
    let lock = std::fs::File::open(world.path("repo/.git/beads/lock")).unwrap();
    lock.lock().unwrap();
    let busy = code(&mut agent, "task_start", json!({"id": id}));
    assert_eq!(busy, (json!("busy"), json!("retry")));
    drop(lock);
    let remote = code(&mut agent, "sync", json!({"remote": "gone"}));
    assert_eq!(remote, (json!("remote"), json!("await_user")));
    // The beginning of two ids names neither.
    for id in ["bd-zz1", "bd-zz2"] {
        agent.call("create", json!({"title": "T", "id": id}));
    }
    let ambiguous = code(&mut agent, "task_status", json!({"id": "bd-zz"}));
    assert_eq!(ambiguous, (json!("ambiguous"), json!("retry")));
    // Files of ours that can't be written.
    drop(agent);
    std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap();
    world.file("repo/.git/beads", "");
    let mut agent = Agent::new(&world);
    let (said, next) = code(&mut agent, "task_start", json!({"id": id}));
    assert_eq!(next, "await_user", "{said}");
}

#[test]
fn what_says_nothing_is_left_out_of_lists() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    for n in 0..3 {
        agent.create(&format!("Issue {n}"), json!({}));
    }
    let keys = |answer: &Value| {
        answer
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    let whole = agent.call("task_list", json!({}));
    assert_eq!(keys(&whole), ["issues", "kind", "next"]);
    let page = agent.call("task_list", json!({"limit": 2}));
    assert_eq!(
        keys(&page),
        ["hint", "issues", "kind", "next", "total_count", "truncated"]
    );
    assert_eq!(
        (&page["total_count"], &page["truncated"]),
        (&json!(3), &json!(true))
    );
}
