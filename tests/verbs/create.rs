//! `create`, and how ids are given.

use insta::assert_snapshot;

use crate::support::World;
use crate::support::look::{commits, ids, issue, named, quiet, status};

#[test]
fn it_says_what_was_created_and_what_to_do_next() {
    let world = World::with_store();
    assert_snapshot!(world.bd(&["create", "Fix the login"]).all(), @"
    bd-v68o created: Fix the login
    next: git beads start bd-v68o
    ");
}

#[test]
fn every_alias_creates() {
    let world = World::with_store();
    for verb in ["create", "new", "add"] {
        world.bd(&[verb, verb]).ok();
    }
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 3);
}

#[test]
fn an_issue_is_an_open_task_of_priority_2_unless_said_otherwise() {
    let world = World::with_store();
    let made = issue(&world, &world.create(&["Plain"]));
    assert_eq!(
        (&made["type"], &made["priority"], &made["status"]),
        (&"task".into(), &2.into(), &"open".into())
    );
    assert!(
        made.get("assignee").is_none()
            && made.get("labels").is_none()
            && made.get("description").is_none()
    );
}

#[test]
fn every_field_is_kept() {
    let world = World::with_store();
    let args = [
        "T", "-t", "feature", "-p", "P3", "-d", "what", "-D", "how", "-A", "done", "-a", "me",
        "-l", "b,a", "-l", "c",
    ];
    let made = issue(&world, &world.create(&args));
    for (field, value) in [
        ("title", "T"),
        ("type", "feature"),
        ("description", "what"),
        ("design", "how"),
        ("acceptance", "done"),
        ("assignee", "Ann"),
        ("created_by", "Ann"),
    ] {
        assert_eq!(made[field], value, "{field}");
    }
    assert_eq!(made["priority"], 3);
    assert_eq!(ids(&made["labels"]), ["a", "b", "c"]);
}

#[test]
fn priorities_are_numbers_or_p_numbers_up_to_4() {
    let world = World::with_store();
    for (word, number) in [("0", 0), ("P0", 0), ("p1", 1), ("4", 4), ("P4", 4)] {
        assert_eq!(
            issue(&world, &world.create(&["T", "-p", word]))["priority"],
            number,
            "{word}"
        );
    }
    for word in ["5", "P5", "high", "", "-1", "1.5"] {
        let option = format!("--priority={word}");
        let error = world.bd(&["create", "T", &option]).fails(1);
        assert!(error.contains("priority"), "{word}: {error}");
    }
}

#[test]
fn a_title_is_trimmed_and_needed() {
    let world = World::with_store();
    assert_eq!(issue(&world, &world.create(&["  T  "]))["title"], "T");
    for args in [
        &["create"][..],
        &["create", ""],
        &["create", "   "],
        &["q", ""],
    ] {
        let error = world.bd(args).fails(1);
        assert!(
            error.contains("title") && error.contains("hint: "),
            "{error}"
        );
    }
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 1);
}

#[test]
fn a_title_has_500_characters_at_most() {
    let world = World::with_store();
    world.create(&[&"ü".repeat(500)]);
    assert!(
        world
            .bd(&["create", &"ü".repeat(501)])
            .fails(1)
            .contains("500")
    );
}

#[test]
fn a_title_that_begins_with_a_dash_follows_two() {
    let world = World::with_store();
    let id = world.bd(&["create", "-q", "--", "-x is ignored"]).ok();
    assert_eq!(issue(&world, id.trim())["title"], "-x is ignored");
}

#[test]
fn children_are_numbered_from_one() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    for n in 1..=3 {
        assert_eq!(
            world.create(&["Child", "--parent", &epic]),
            format!("{epic}.{n}")
        );
    }
    assert_eq!(issue(&world, &format!("{epic}.2"))["parent"], epic.as_str());
}

#[test]
fn closed_deleted_and_moved_children_keep_their_numbers() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let children: Vec<String> = (0..4)
        .map(|_| world.create(&["Child", "--parent", &epic]))
        .collect();
    world.bd(&["done", &children[0]]).ok();
    world.bd(&["delete", &children[3]]).ok();
    assert_eq!(
        world.create(&["Child", "--parent", &epic]),
        format!("{epic}.5")
    );
    world
        .bd(&["update", &format!("{epic}.5"), "--parent", ""])
        .ok();
    assert_eq!(
        world.create(&["Child", "--parent", &epic]),
        format!("{epic}.6")
    );
}

#[test]
fn a_renamed_child_frees_no_number() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let child = world.create(&["Child", "--parent", &epic]);
    world.bd(&["rename", &child, "bd-elsewhere"]).ok();
    assert_eq!(
        world.create(&["Child", "--parent", &epic]),
        format!("{epic}.2")
    );
}

#[test]
fn the_tenth_child_follows_the_ninth() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let plan: String = (0..10).map(|n| format!("- Child {n}\n")).collect();
    world.bd_with(plan, &["split", &epic, "-F", "-"]).ok();
    assert_eq!(
        world.create(&["Child", "--parent", &epic]),
        format!("{epic}.11")
    );
}

#[test]
fn three_levels_of_children_and_no_fourth() {
    let world = World::with_store();
    let mut id = world.create(&["Root", "-t", "epic"]);
    for _ in 0..3 {
        let child = world.create(&["Below", "--parent", &id]);
        assert_eq!(child, format!("{id}.1"));
        id = child;
    }
    let before = commits(&world);
    let error = world.bd(&["create", "Too deep", "--parent", &id]).fails(1);
    assert!(error.contains("hint: "), "{error}");
    assert_eq!(commits(&world), before);
}

#[test]
fn a_deleted_parent_takes_no_children() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    world.bd(&["delete", &epic]).ok();
    let error = world.bd(&["create", "Child", "--parent", &epic]).fails(1);
    assert!(
        error.contains(&format!("hint: git beads restore {epic}")),
        "{error}"
    );
}

#[test]
fn an_unknown_parent_is_an_error() {
    let world = World::with_store();
    assert!(
        world
            .bd(&["create", "Child", "--parent", "bd-zzzz"])
            .fails(1)
            .contains("bd-zzzz not found")
    );
}

#[test]
fn the_same_key_and_actor_give_the_existing_issue() {
    let world = World::with_store();
    let first = world.create(&["T", "--key", "k1"]);
    let before = commits(&world);
    assert_eq!(world.create(&["Another title", "--key", "k1"]), first);
    assert_eq!(commits(&world), before);
    let again = world.bd(&["create", "T", "--key", "k1", "--json"]).json();
    assert_eq!(
        (&again["id"], &again["existing"]),
        (&first.as_str().into(), &true.into())
    );
    assert!(
        world
            .bd(&["create", "T", "--key", "k1"])
            .ok()
            .contains("already exists")
    );
    assert_ne!(world.create(&["T", "--key", "k2"]), first);
}

#[test]
fn another_actor_with_the_same_key_gets_an_issue_of_its_own() {
    let world = World::with_store();
    let first = world.create(&["T", "--key", "k1"]);
    let other = world
        .bd_as("Bob", &["create", "-q", "T", "--key", "k1"])
        .ok();
    assert_ne!(other.trim(), first);
    assert_eq!(
        world
            .bd_as("Bob", &["create", "-q", "T", "--key", "k1"])
            .ok(),
        other
    );
}

#[test]
fn a_key_is_known_also_when_its_issue_is_closed() {
    let world = World::with_store();
    let first = world.create(&["T", "--key", "k1"]);
    world.bd(&["done", &first]).ok();
    assert_eq!(world.create(&["T", "--key", "k1"]), first);
}

#[test]
fn an_empty_key_is_refused_or_no_key() {
    let world = World::with_store();
    let first = world.bd(&["create", "-q", "T", "--key", ""]);
    let second = world.bd(&["create", "-q", "Other", "--key", ""]);
    assert!(
        first.code == 1 || first.stdout != second.stdout,
        "{first:?} {second:?}"
    );
}

#[test]
fn a_dry_run_checks_and_writes_nothing() {
    let world = World::with_store();
    let before = commits(&world);
    assert!(
        world
            .bd(&["create", "T", "--dry-run"])
            .ok()
            .contains("would be created: T")
    );
    let answer = world.bd(&["create", "T", "--dry-run", "--json"]).json();
    assert!(answer.get("id").is_none() && answer["dry_run"] == true);
    assert_eq!(world.bd(&["create", "-q", "T", "--dry-run"]).ok(), "");
    let _ = world.bd(&["create", "T", "--dry-run", "-p", "9"]).fails(1);
    let _ = world
        .bd(&["create", "T", "--dry-run", "--on", "bd-zzzz"])
        .fails(1);
    assert_eq!(commits(&world), before);
}

#[test]
fn a_file_is_the_description_or_title_and_description() {
    let world = World::with_store();
    let file = world.file("issue.md", "# From a file\n\nFirst.\n\nSecond.\n");
    let titled = issue(&world, &world.create(&["T", "-F", &file]));
    assert_eq!(
        (&titled["title"], &titled["description"]),
        (&"T".into(), &"# From a file\n\nFirst.\n\nSecond.".into())
    );
    let whole = issue(&world, &world.create(&["-F", &file]));
    assert_eq!(
        (&whole["title"], &whole["description"]),
        (&"From a file".into(), &"First.\n\nSecond.".into())
    );
    let only = world
        .bd_with("Only a title", &["create", "-q", "-F", "-"])
        .ok();
    let only = issue(&world, only.trim());
    assert_eq!(only["title"], "Only a title");
    assert!(only.get("description").is_none());
}

#[test]
fn a_file_that_is_missing_or_not_text_is_named() {
    let world = World::with_store();
    assert!(
        world
            .bd(&["create", "-F", "missing.md"])
            .fails(1)
            .contains("missing.md")
    );
    let binary = world.file("repo/binary", [0xff, 0xfe, 0]);
    assert!(
        world
            .bd(&["create", "-F", &binary])
            .fails(1)
            .contains("UTF-8")
    );
}

#[test]
fn a_file_and_a_description_are_not_both_silently_taken() {
    let world = World::with_store();
    let file = world.file("issue.md", "from the file\n");
    let made = world.bd(&["create", "-q", "T", "-d", "from the option", "-F", &file]);
    if made.code == 0 {
        let text = issue(&world, made.stdout.trim())["description"].to_string();
        assert!(
            text.contains("from the file") && text.contains("from the option"),
            "one is lost: {text}"
        );
    }
}

#[test]
fn start_creates_an_issue_in_progress_and_ones_own() {
    let world = World::with_store();
    let made = issue(&world, &world.create(&["T", "--start"]));
    assert_eq!(
        (&made["status"], &made["assignee"]),
        (&"in_progress".into(), &"Ann".into())
    );
    let given = issue(&world, &world.create(&["T", "--start", "-a", "Bob"]));
    assert_eq!(given["assignee"], "Bob");
}

#[test]
fn on_makes_it_wait() {
    let world = World::with_store();
    let (a, b) = (world.create(&["A"]), world.create(&["B"]));
    let made = world.create(&["C", "--on", &a, &b]);
    let made = issue(&world, &made);
    assert_eq!(made["dependencies"].as_array().unwrap().len(), 2);
    assert_eq!(made["dependencies"][0]["type"], "blocks");
    assert_eq!(quiet(&world, &["ready"]), [a, b]);
}

#[test]
fn a_title_may_begin_with_its_type() {
    let world = World::with_store();
    let kind_and_title = |args: &[&str]| {
        let id = world.create(args);
        let issue = issue(&world, &id);
        [issue["type"].clone(), issue["title"].clone()]
    };
    assert_eq!(kind_and_title(&["Bug: It hangs"]), ["bug", "It hangs"]);
    let given = kind_and_title(&["bug: It hangs", "-t", "task"]);
    assert_eq!(given, ["task", "bug: It hangs"], "it is said");
    assert_eq!(kind_and_title(&["cache: slow"]), ["task", "cache: slow"]);
    let q = world.bd(&["q", "chore: Tidy"]).ok();
    assert_eq!(issue(&world, q.trim())["type"], "chore");
}

#[test]
fn a_dependency_may_say_its_type_itself() {
    let world = World::with_store();
    let (a, b) = (world.create(&["A"]), world.create(&["B"]));
    let deps = format!("discovered-from:{a},{b}");
    let made = world.create(&["C", "--on", &deps]);
    let shown = world.bd(&["show", &made, "--json"]).json();
    let mut found: Vec<(&str, &str)> = shown["issue"]["dependencies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["id"].as_str().unwrap(), it["type"].as_str().unwrap()))
        .collect();
    found.sort_unstable_by_key(|it| it.1);
    assert_eq!(
        found,
        [(b.as_str(), "blocks"), (a.as_str(), "discovered-from")]
    );
    let typo = ["create", "D", "--on", &format!("block:{a}")];
    let said = world.bd(&typo).fails(1);
    assert!(said.contains("blocks"), "{said}");
}

#[test]
fn dep_type_says_how_it_depends() {
    let world = World::with_store();
    let a = world.create(&["A"]);
    let made = world.create(&["B", "--on", &a, "--dep-type", "discovered-from"]);
    assert_eq!(
        issue(&world, &made)["dependencies"][0]["type"],
        "discovered-from"
    );
    assert_eq!(quiet(&world, &["ready"]).len(), 2);
}

#[test]
fn one_create_is_one_commit_with_trailers() {
    let world = World::with_store();
    let (a, epic) = (world.create(&["A"]), world.create(&["E", "-t", "epic"]));
    let before = commits(&world);
    let child = world.create(&["C", "--parent", &epic, "--on", &a, "-l", "x", "--start"]);
    assert_eq!(commits(&world), before + 1);
    let message = world
        .git(&["log", "-1", "--format=%B", "refs/beads/main"])
        .ok();
    assert!(
        message.starts_with(&format!("create {child}: C\n")),
        "{message}"
    );
    assert!(
        message.contains("Issues: ") && message.contains("Actor: Ann"),
        "{message}"
    );
}

#[test]
fn json_says_kind_id_and_title() {
    let world = World::with_store();
    let answer = world.bd(&["create", "T", "--json"]).json();
    assert_eq!(
        (&answer["v"], &answer["kind"], &answer["next"]),
        (&1.into(), &"created".into(), &"continue".into())
    );
    assert_eq!(status(&world, answer["id"].as_str().unwrap()), "open");
}

#[test]
fn a_child_of_a_chosen_id_takes_it_over() {
    let world = World::with_store();
    let epic = named(&world, "bd-login", &["E", "-t", "epic"]);
    assert_eq!(world.create(&["C", "--parent", epic]), "bd-login.1");
}

#[test]
fn an_empty_actor_is_no_name() {
    let world = World::with_store();
    world.bd(&["--actor", "", "create", "New"]).ok();
    let listed = world.bd(&["list", "--json"]).json();
    let id = listed["issues"][0]["id"].as_str().unwrap();
    let shown = world.bd(&["show", id, "--json"]).json();
    assert_eq!(shown["issue"]["created_by"], "Ann");
}

#[test]
fn a_type_or_label_that_is_probably_another_one_is_said() {
    let world = World::with_store();
    let said = |args: &[&str]| {
        let output = world.bd(args);
        assert_eq!(output.code, 0, "{}", output.stderr);
        output.stderr
    };
    let warned = said(&["create", "A", "-t", "bugg"]);
    let expected = "warning: the type `bugg` is new; did you mean `bug`? (git beads types)\n";
    assert_eq!(warned, expected);
    // One that is like no other is the user's own, and one that is there is known.
    assert_eq!(said(&["create", "B", "-t", "spike"]), "");
    assert_eq!(said(&["create", "C", "-t", "bugg"]), "");
    assert_eq!(said(&["create", "D", "-l", "API,ui"]), "");
    let warned = said(&["create", "E", "-l", "api,ui"]);
    let expected = "warning: the label `api` is new; there is `API` (git beads labels)\n";
    assert_eq!(warned, expected);
}

#[test]
fn a_type_that_is_none_is_the_title_as_in_gh() {
    let world = World::with_store();
    let gh = [
        "create",
        "-t",
        "Fix login",
        "-b",
        "Since 2.1",
        "-l",
        "ui",
        "-q",
    ];
    let made = issue(&world, world.bd(&gh).ok().trim());
    assert_eq!(
        (&made["title"], &made["description"], &made["type"]),
        (&"Fix login".into(), &"Since 2.1".into(), &"task".into())
    );
    let long = ["create", "Other", "--body", "text", "-t", "spike", "-q"];
    let made = issue(&world, world.bd(&long).ok().trim());
    assert_eq!(
        (&made["title"], &made["description"], &made["type"]),
        (&"Other".into(), &"text".into(), &"spike".into())
    );
    // A type, and one that is misspelled: the title was forgotten.
    for kind in ["bug", "Spike", "spike", "featrue"] {
        world.bd(&["create", "-t", kind, "-b", "text"]).fails(1);
    }
    assert_eq!(world.bd(&["list", "--json"]).json()["total_count"], 2);
}

#[test]
fn what_comes_next_can_be_done() {
    let world = World::with_store();
    let next = |args: &[&str]| {
        let said = world.bd(args).ok();
        let line = said
            .lines()
            .find_map(|line| line.strip_prefix("next: git beads "));
        let verb = line.and_then(|line| line.split(' ').next());
        verb.unwrap_or_else(|| panic!("{said}")).to_owned()
    };
    let first = world.create(&["First"]);
    assert_eq!(next(&["create", "A", "-a", "me"]), "start");
    assert_eq!(next(&["create", "B", "--on", &first]), "ready");
    assert_eq!(next(&["create", "C", "--defer", "3d"]), "show");
    assert_eq!(next(&["create", "D", "-a", "someone else"]), "show");
    let related = ["create", "E", "--on", &first, "--dep-type", "related"];
    assert_eq!(next(&related), "start");
    let blocked = world.bd(&["create", "F", "--on", &first, "--json"]).json();
    assert_eq!(ids(&blocked["open_blockers"]), [first.as_str()]);
    world.bd(&["done", &first]).ok();
    assert_eq!(next(&["create", "G", "--on", &first]), "start");
}
