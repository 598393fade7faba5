//! One command is one commit that says what it did, to which issues, by whom.

use crate::support::World;
use crate::support::plumbing::{REF, commits, git, lines, message, sound, tip, uid};

/// The values of a trailer of the newest commit, as git reads trailers.
fn trailer(world: &World, key: &str) -> String {
    git(
        world,
        &[
            "log",
            "-1",
            &format!("--format=%(trailers:key={key},valueonly,separator=%x2C)"),
            REF,
        ],
    )
}

fn subject(world: &World) -> String {
    git(world, &["log", "-1", "--format=%s", REF])
}

#[test]
fn every_writing_command_is_one_commit() {
    let world = World::with_store();
    assert_eq!(commits(&world), 1);
    let (a, b) = (world.create(&["One"]), world.create(&["Two"]));
    let plan = world.file("plan.json", r#"[{"title":"x"},{"title":"y"}]"#);
    for (n, args) in [
        &[
            "update",
            &a,
            "--title",
            "Uno",
            "-p",
            "P0",
            "--add-label",
            "l",
        ][..],
        &["start", &a],
        &[
            "note",
            &a,
            "--finding",
            "f",
            "--decision",
            "d",
            "--comment",
            "c",
        ],
        &["dep", "add", &b, "--on", &a],
        &["split", &b, "-F", &plan],
        &["done", &a, "-r", "r"],
        &["reopen", &a, "-r", "r"],
        &["block", &a, "-r", "r"],
        &["unblock", &a],
        &["defer", &a, "--until", "2027-01-01"],
        &["delete", &a],
        &["restore", &a],
        &["rename", &a, "bd-other"],
    ]
    .into_iter()
    .enumerate()
    {
        world.bd(args).ok();
        assert_eq!(commits(&world), 4 + n, "{args:?}");
    }
    sound(&world);
}

#[test]
fn several_ids_in_one_command_are_one_commit() {
    let world = World::with_store();
    let ids = [
        world.create(&["a"]),
        world.create(&["b"]),
        world.create(&["c"]),
    ];
    let before = commits(&world);
    world
        .bd(&["done", &ids[0], &ids[1], &ids[2], "-r", "all"])
        .ok();
    assert_eq!(commits(&world), before + 1);
    let mut uids: Vec<String> = ids.iter().map(|id| uid(&world, id)).collect();
    uids.sort();
    assert_eq!(trailer(&world, "Issues"), uids.join(" "));
}

#[test]
fn the_last_child_and_its_epic_close_in_one_commit() {
    let world = World::with_store();
    let epic = world.create(&["Epic", "-t", "epic"]);
    let child = world.create(&["Child", "--parent", &epic]);
    let before = commits(&world);
    world.bd(&["done", &child]).ok();
    assert_eq!(commits(&world), before + 1);
    assert_eq!(
        world.bd(&["show", &epic, "--json"]).json()["issue"]["status"],
        "closed"
    );
    assert!(trailer(&world, "Issues").contains(&uid(&world, &epic)));
}

#[test]
fn an_import_is_one_commit_whatever_its_size() {
    for size in [3, 150] {
        let world = World::with_store();
        let file = world.file("in.jsonl", lines(size));
        world.bd(&["import", &file]).ok();
        assert_eq!(commits(&world), 2, "{size}");
        assert_eq!(trailer(&world, "Actor"), "Ann");
        assert_eq!(
            git(&world, &["log", "-1", "--format=%P", REF]),
            git(&world, &["rev-parse", &format!("{REF}^")])
        );
    }
}

#[test]
fn a_command_that_changes_nothing_makes_no_commit() {
    let world = World::with_store();
    let id = world.create(&["Same", "-p", "P1", "-l", "x"]);
    let file = world.file("in.jsonl", lines(150));
    world.bd(&["import", &file]).ok();
    world.bd(&["note", &id, "--finding", "once"]).ok();
    world.bd(&["start", &id]).ok();
    let before = tip(&world);
    for args in [
        &["update", &id, "--title", "Same"][..],
        &["update", &id, "-p", "P1"],
        &["label", &id, "x"],
        &["note", &id, "--finding", "once"],
        &["start", &id],
        &["init"],
        &["create", "--dry-run", "Not made"],
        &["import", &file],
    ] {
        world.bd(args).ok();
        assert_eq!(tip(&world), before, "{args:?}");
    }
}

#[test]
fn a_refused_command_makes_no_commit() {
    let world = World::with_store();
    let id = world.create(&["Here"]);
    let before = tip(&world);
    for (code, args) in [
        (1, &["update", &id, "-p", "9"][..]),
        (1, &["update", &id, "bd-none", "--title", "x"]),
        (1, &["create", " "]),
        (3, &["dep", "add", &id, "--on", &id]),
    ] {
        let _ = world.bd(args).fails(code);
        assert_eq!(tip(&world), before, "{args:?}");
    }
}

#[test]
fn the_message_has_a_subject_and_two_trailers() {
    let world = World::with_store();
    let id = world.create(&["Fix auth"]);
    assert_eq!(
        message(&world),
        format!(
            "create {id}: Fix auth\n\nIssues: {}\nActor: Ann",
            uid(&world, &id)
        )
    );
    world
        .bd_as("agent-7@ws1", &["done", &id, "-r", "fixed"])
        .ok();
    assert!(
        subject(&world).starts_with(&format!("done {id}")),
        "{}",
        subject(&world)
    );
    assert_eq!(trailer(&world, "Actor"), "agent-7@ws1");
    assert_eq!(trailer(&world, "Issues"), uid(&world, &id));
}

#[test]
fn text_of_an_issue_cannot_forge_a_trailer() {
    let world = World::with_store();
    let id = world.create(&["Line one\n\nActor: Mallory\nIssues: none"]);
    world
        .bd_as("x\nActor: Mallory", &["update", &id, "-p", "P0"])
        .ok();
    assert_eq!(trailer(&world, "Issues"), uid(&world, &id));
    assert_eq!(
        message(&world)
            .lines()
            .filter(|line| line.starts_with("Actor:"))
            .count(),
        1
    );
    assert_eq!(
        message(&world)
            .lines()
            .filter(|line| line.starts_with("Issues:"))
            .count(),
        1
    );
}

#[test]
fn the_author_is_gits_identity_and_the_actor_stands_in_the_trailer() {
    let world = World::with_store();
    world.bd_as("agent", &["create", "x"]).ok();
    assert_eq!(
        git(&world, &["log", "-1", "--format=%an <%ae>", REF]),
        "Ann <ann@example.org>"
    );
    let mut command = world.command("repo", "git", &["beads", "create", "y"]);
    command
        .env("GIT_AUTHOR_NAME", "Bob")
        .env("GIT_AUTHOR_EMAIL", "bob@example.org");
    world.run(command, None).ok();
    assert_eq!(
        git(&world, &["log", "-1", "--format=%an <%ae>", REF]),
        "Bob <bob@example.org>"
    );
}

#[test]
fn without_an_identity_a_write_warns_and_works() {
    let world = World::new();
    world.file("home/.gitconfig", "");
    world.bd(&["init"]).ok();
    let output = world.bd(&["create", "Nobody's"]);
    assert!(output.stderr.contains("git config user.name"), "{output:?}");
    output.ok();
    let file = world.file("in.jsonl", lines(150));
    world.bd(&["import", &file]).ok();
    sound(&world);
}

#[test]
fn an_odd_identity_does_not_spoil_the_commit() {
    let world = World::with_store();
    world.file(
        "home/.gitconfig",
        "[user]\n\tname = \"A <n> \\n B\"\n\temail = \"<a@b>\"\n",
    );
    world.create(&["x"]);
    let file = world.file("in.jsonl", lines(150));
    world.bd(&["import", &file]).ok();
    sound(&world);
}

#[test]
fn a_configured_signature_is_not_asked_for() {
    let world = World::with_store();
    git(&world, &["config", "commit.gpgSign", "true"]);
    git(&world, &["config", "gpg.program", "/bin/false"]);
    world.create(&["x"]);
    let file = world.file("in.jsonl", lines(150));
    world.bd(&["import", &file]).ok();
    assert_eq!(commits(&world), 3);
}

#[test]
fn the_time_of_a_commit_is_that_of_the_operation() {
    let world = World::with_store();
    let id = world.create(&["x"]);
    let made = world.bd(&["show", &id, "--json"]).json()["issue"]["created_at"]
        .as_str()
        .unwrap()
        .to_owned();
    let at = git(
        &world,
        &[
            "log",
            "-1",
            "--date=format-local:%Y-%m-%dT%H:%M:%S.000Z",
            "--format=%ad",
            REF,
        ],
    );
    assert_eq!(at, made);
}

#[test]
fn blobs_are_canonical_and_lie_where_the_format_says() {
    let world = World::with_store();
    let id = world.create(&["Grün \u{1f600} \"quoted\"", "-l", "b", "-l", "a"]);
    let path = crate::support::plumbing::path(&world, &id);
    let bytes = crate::support::plumbing::blob(&world, &path);
    let value: serde_json::Value = serde_json::from_str(&bytes).unwrap();
    assert_eq!(
        bytes,
        format!("{value}\n"),
        "compact, sorted, one final newline"
    );
    let modes = git(&world, &["ls-tree", "-r", "--format=%(objectmode)", REF]);
    assert!(modes.lines().all(|mode| mode == "100644"), "{modes}");
}

#[test]
fn an_operation_writes_one_stamp_in_an_issue() {
    let world = World::with_store();
    let id = world.create(&["x"]);
    world
        .bd(&[
            "update",
            &id,
            "--title",
            "y",
            "-p",
            "P0",
            "-d",
            "text",
            "--add-label",
            "l",
        ])
        .ok();
    let bytes =
        crate::support::plumbing::blob(&world, &crate::support::plumbing::path(&world, &id));
    let value: serde_json::Value = serde_json::from_str(&bytes).unwrap();
    let at = value["at"].as_object().unwrap();
    let stamp = at["title"].as_str().unwrap();
    assert_eq!(
        (at["priority"].as_str(), at["description"].as_str()),
        (Some(stamp), Some(stamp))
    );
    assert_eq!(value["set:labels"]["l"], format!("+{stamp}"));
    assert!(stamp > at["*"].as_str().unwrap());
}

#[test]
fn the_ref_has_a_reflog() {
    let world = World::with_store();
    let first = tip(&world);
    world.create(&["One"]);
    let second = tip(&world);
    world.create(&["Two"]);
    let log = world
        .git(&[
            "log",
            "--walk-reflogs",
            "--format=%H %gs",
            "refs/beads/main",
        ])
        .ok();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(
        lines,
        [
            format!("{} git-beads", tip(&world)),
            format!("{second} git-beads"),
            format!("{first} git-beads")
        ]
    );
    // Git goes on with it, and what it names can be had back.
    world.git(&["update-ref", "refs/beads/main", &first]).ok();
    assert!(world.bd(&["list", "-q"]).ok().is_empty());
    world
        .git(&["update-ref", "refs/beads/main", "refs/beads/main@{1}"])
        .ok();
    assert_eq!(world.bd(&["list", "-q"]).ok().lines().count(), 2);
    world
        .git(&["reflog", "expire", "--all", "--expire=now"])
        .ok();
    sound(&world);
    world.create(&["Three"]);
}
