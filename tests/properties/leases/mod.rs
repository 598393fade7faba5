//! Claims with the word of the remote: two clones never have the same issue, whatever comes in between.

mod crowd;
mod hosts;

use std::time::Duration;

use serde_json::{Value, json};

use crate::clients::mcp::Agent;
use crate::support::clones::{create, two_clones};
use crate::support::plumbing::{instead_of_git, sound_in};
use crate::support::{Output, World, binary};

/// Two clones and an issue that both have; claims are asked for at the remote.
fn two(policy: &str) -> (World, String) {
    let world = two_clones();
    let id = create(&world, "a", &["Wire cache"]);
    for clone in ["a", "b"] {
        world.bd_in(clone, &["sync"]).ok();
        world
            .git_in(clone, &["config", "beads.claims", policy])
            .ok();
    }
    (world, id)
}

/// Runs a command as the agent of a clone.
fn run(world: &World, clone: &str, args: &[&str]) -> Output {
    let (person, agent) = (format!("{clone}-person"), format!("{clone}-agent"));
    let mut all = vec!["--actor", &person, "--agent", &agent];
    all.extend(args);
    world.bd_in(clone, &all)
}

fn started(output: &Output) -> Value {
    assert_eq!(output.code, 0, "{output:?}");
    serde_json::from_str(output.stdout.trim()).unwrap()
}

/// The refs of claims at the hub.
fn claims(world: &World) -> Vec<String> {
    let refs = world
        .git_in(
            "hub.git",
            &["for-each-ref", "--format=%(refname)", "refs/beads/claims"],
        )
        .ok();
    refs.lines().map(str::to_owned).collect()
}

/// The object of the only claim at the hub.
fn claim(world: &World) -> Value {
    let text = world
        .git_in(
            "hub.git",
            &["for-each-ref", "--format=%(contents)", "refs/beads/claims"],
        )
        .ok();
    serde_json::from_str(text.trim()).unwrap()
}

fn status(world: &World, clone: &str, id: &str) -> String {
    let shown = world.bd_in(clone, &["show", id, "--json"]).json();
    shown["issue"]["status"].as_str().unwrap().to_owned()
}

/// How often git talked to the remote for a command.
fn talks(world: &World, clone: &str, args: &[&str]) -> Vec<String> {
    let log = world.path("talks");
    let _ = std::fs::remove_file(&log);
    let (person, agent) = (format!("{clone}-person"), format!("{clone}-agent"));
    let mut all = vec!["--actor", &person, "--agent", &agent];
    all.extend(args);
    let mut command = world.command(clone, binary(), &all);
    command.env("GIT_TRACE", &log);
    world.run(command, None).ok();
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    let verb = |line: &str| {
        let (_, built_in) = line.split_once("trace: built-in: git ")?;
        let name = built_in.split(' ').next()?;
        ["push", "fetch", "ls-remote"]
            .contains(&name)
            .then(|| name.to_owned())
    };
    text.lines().filter_map(verb).collect()
}

#[test]
fn a_start_is_one_push_and_so_is_its_end() {
    let (world, id) = two("remote");
    let before = world.bd_in("a", &["log", "--oneline"]).ok().lines().count();
    assert_eq!(talks(&world, "a", &["start", &id]), ["push"]);
    assert_eq!(claims(&world).len(), 1);
    let at = claim(&world);
    assert_eq!(
        [
            &at["person"],
            &at["agent"],
            &at["fence"],
            &at["lease"],
            &at["state"]
        ],
        [
            &json!("a-person"),
            &json!("a-agent"),
            &json!(1),
            &json!(30),
            &json!("held")
        ]
    );
    // The start was sent with it: the other clone sees it, and is refused without the claim as well.
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "in_progress");
    assert_eq!(run(&world, "b", &["start", &id]).code, 3);
    assert_eq!(talks(&world, "a", &["done", &id, "-r", "ported"]), ["push"]);
    assert_eq!(claims(&world), [] as [String; 0]);
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "closed");
    let after = world.bd_in("a", &["log", "--oneline"]).ok().lines().count();
    assert_eq!(after, before + 2);
    for clone in ["a", "b", "hub.git"] {
        sound_in(&world, clone);
    }
}

#[test]
fn the_second_is_refused_by_name_and_nothing_is_left_of_it() {
    for policy in ["remote", "strict"] {
        let (world, id) = two(policy);
        let answer = started(&run(&world, "a", &["start", &id, "--json"]));
        assert_eq!(
            answer["lease"],
            json!({"remote": "origin", "fence": 1, "minutes": 30})
        );
        let tip = world.git_in("b", &["rev-parse", "refs/beads/main"]).ok();
        let refused = run(&world, "b", &["start", &id]);
        let text = refused.fails(3);
        assert!(
            text.contains("is in progress by a-person/a-agent (at origin, lease 30m)"),
            "{text}"
        );
        assert_eq!(
            world.git_in("b", &["rev-parse", "refs/beads/main"]).ok(),
            tip
        );
        // The next one is another one.
        let other = create(&world, "a", &["Second"]);
        world.bd_in("a", &["sync"]).ok();
        world.bd_in("b", &["pull"]).ok();
        let next = started(&run(&world, "b", &["ready", "--claim", "--json"]));
        assert_eq!(next["issue"]["id"], other);
        assert_eq!(claims(&world).len(), 2);
        let fence = started(&run(&world, "b", &["start", &id, "--force", "--json"]));
        assert_eq!(fence["lease"]["fence"], 2);
        assert_eq!(claims(&world).len(), 2);
    }
}

#[test]
fn a_start_beside_others_that_send_keeps_what_they_sent() {
    let (world, id) = two("strict");
    create(&world, "b", &["Meanwhile"]);
    world.bd_in("b", &["sync"]).ok();
    // The state here is an older one: the claim is made first, and the start follows what the remote has.
    let answer = started(&run(&world, "a", &["start", &id, "--json"]));
    assert_eq!(answer["lease"]["fence"], 1);
    assert_eq!(world.bd_in("a", &["list", "-q"]).ok().lines().count(), 2);
    assert_eq!(run(&world, "b", &["start", &id]).code, 3);
    world.bd_in("a", &["sync"]).ok();
    assert_eq!(run(&world, "a", &["done", &id, "-r", "x"]).code, 0);
    assert_eq!(claims(&world), [] as [String; 0]);
    // What had ended at the remote before is not started, and its claim is given back.
    let closed = create(&world, "b", &["Closed"]);
    for clone in ["b", "a"] {
        world.bd_in(clone, &["sync"]).ok();
    }
    run(&world, "b", &["done", &closed, "-r", "there"]).ok();
    world.bd_in("b", &["sync"]).ok();
    let text = run(&world, "a", &["start", &closed]).fails(3);
    assert!(text.contains("is closed"), "{text}");
    assert_eq!(claims(&world), [] as [String; 0]);
}

#[test]
fn without_the_remote_a_claim_is_tentative_or_none() {
    let (world, id) = two("remote");
    std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
    let output = run(&world, "a", &["start", &id, "--json"]);
    assert_eq!(started(&output)["tentative"], true);
    assert!(
        output.stderr.contains("the claim is tentative"),
        "{output:?}"
    );
    let tip = world.git_in("b", &["rev-parse", "refs/beads/main"]).ok();
    let text = run(&world, "b", &["start", &id, "--strict"]).fails(5);
    assert!(text.contains("nothing was started"), "{text}");
    assert_eq!(
        world.git_in("b", &["rev-parse", "refs/beads/main"]).ok(),
        tip
    );
    assert_eq!(
        started(&run(&world, "b", &["start", &id, "--local", "--json"]))["tentative"],
        Value::Null
    );
    // Both have it: the first at the remote keeps it.
    std::fs::rename(world.path("away.git"), world.path("hub.git")).unwrap();
    run(&world, "b", &["sync"]).ok();
    let said = run(&world, "a", &["sync"]).ok();
    assert!(said.contains("b-person/b-agent claimed it first"), "{said}");
}

/// Lets a minute of a lease last a tenth of a second.
fn hurry(world: &mut World) {
    world.set("GIT_BEADS_MINUTE", "100");
}

fn pause(minutes: u64) {
    std::thread::sleep(Duration::from_millis(100 * minutes + 150));
}

#[test]
fn who_was_replaced_ends_nothing_and_both_are_told() {
    let (mut world, id) = two("remote");
    hurry(&mut world);
    started(&run(
        &world,
        "a",
        &["start", &id, "--lease", "5m", "--json"],
    ));
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(run(&world, "b", &["start", &id]).code, 3);
    pause(12);
    let taken = started(&run(
        &world,
        "b",
        &["start", &id, "--lease", "24h", "--json"],
    ));
    assert_eq!(taken["lease"]["fence"], 2, "{taken}");
    assert!(
        taken["remarks"][0]
            .as_str()
            .unwrap()
            .contains("whose lease of 5m is over"),
        "{taken}"
    );
    run(&world, "a", &["note", &id, "--finding", "seen by a"]).ok();
    let late = run(&world, "a", &["done", &id, "-r", "ported"]);
    let text = late.fails(3);
    assert!(
        text.contains("was taken over by b-person/b-agent; your done is not applied"),
        "{text}"
    );
    for clone in ["a", "b"] {
        world.bd_in(clone, &["sync"]).ok();
    }
    for clone in ["a", "b"] {
        let shown = world.bd_in(clone, &["show", &id]).ok();
        assert!(
            shown.contains("in_progress") && shown.contains("seen by a"),
            "{shown}"
        );
        assert!(
            shown.contains(
                "done by a-person/a-agent: ported (not applied: claimed by b-person/b-agent)"
            ),
            "{shown}"
        );
    }
    run(&world, "b", &["done", &id, "-r", "really"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
    world.bd_in("a", &["sync"]).ok();
    assert_eq!(status(&world, "a", &id), "closed");
}

#[test]
fn who_is_at_work_keeps_the_claim_with_one_push_for_all() {
    let (mut world, id) = two("remote");
    let more: Vec<String> = (0..3)
        .map(|n| create(&world, "a", &[&format!("More {n}")]))
        .collect();
    world.bd_in("a", &["sync"]).ok();
    hurry(&mut world);
    for id in more.iter().chain([&id]) {
        started(&run(
            &world,
            "a",
            &["start", id, "--lease", "90m", "--json"],
        ));
    }
    let main = world
        .git_in("hub.git", &["rev-parse", "refs/beads/main"])
        .ok();
    let beats = || {
        let format = "--format=%(contents)";
        let refs = ["for-each-ref", format, "refs/beads/claims"];
        let text = world.git_in("hub.git", &refs).ok();
        [0, 1, 2].map(|beat| text.matches(&format!("\"beat\":{beat},")).count())
    };
    let beat = |holder: &str| {
        let log = world.path("talks");
        let _ = std::fs::remove_file(&log);
        let mut beat = world.command("a", binary(), &["hook", "claims", holder]);
        beat.env("GIT_TRACE", &log);
        world.run(beat, None).ok();
        let talk = std::fs::read_to_string(&log).unwrap_or_default();
        talk.matches("trace: built-in: git push").count()
    };
    pause(31);
    // Of another holder nothing is said, and nothing twice.
    assert_eq!((beat("a-person/x"), beats()), (0, [4, 0, 0]));
    assert_eq!((beat("a-person/a-agent"), beats()), (1, [0, 4, 0]));
    assert_eq!((beat("a-person/a-agent"), beats()), (0, [0, 4, 0]));
    let after = world
        .git_in("hub.git", &["rev-parse", "refs/beads/main"])
        .ok();
    assert_eq!(after, main);
}

#[test]
fn what_others_write_into_a_claim_is_read_strictly() {
    let (world, id) = two("remote");
    started(&run(&world, "a", &["start", &id, "--json"]));
    let name = claims(&world).remove(0);
    let tree = world
        .git_in("hub.git", &["hash-object", "-t", "tree", "-w", "/dev/null"])
        .ok();
    let long = "x".repeat(5000);
    for text in [
        "",
        "no json",
        "{\"v\":1,\"state\":\"held\",\"person\":\"\\u001b[31m\"}",
        &long,
    ] {
        let commit = world
            .git_in("hub.git", &["commit-tree", tree.trim(), "-m", text])
            .ok();
        world
            .git_in("hub.git", &["update-ref", &name, commit.trim()])
            .ok();
        let refused = run(&world, "b", &["start", &id]).fails(3);
        assert!(
            refused.contains("in progress by unknown (at origin"),
            "{refused}"
        );
        assert!(!refused.contains('\u{1b}'), "{refused:?}");
    }
    // A name that is none is passed over.
    let commit = world.git_in("hub.git", &["rev-parse", &name]).ok();
    world
        .git_in(
            "hub.git",
            &["update-ref", "refs/beads/claims/x/y", commit.trim()],
        )
        .ok();
    run(&world, "b", &["sync"]).ok();
}

#[test]
fn a_claim_whose_issue_has_ended_is_removed_by_who_sees_it_over() {
    let (mut world, id) = two("remote");
    hurry(&mut world);
    started(&run(
        &world,
        "a",
        &["start", &id, "--lease", "3m", "--json"],
    ));
    run(&world, "b", &["sync"]).ok();
    // A program that knows nothing of claims ends it.
    world
        .bd_in("b", &["--actor", "lea", "done", &id, "-r", "x"])
        .ok();
    run(&world, "b", &["sync"]).ok();
    assert_eq!(claims(&world).len(), 1);
    pause(4);
    run(&world, "b", &["sync"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
}

#[test]
fn a_status_that_starts_asks_too_and_an_undo_gives_back() {
    let (world, id) = two("strict");
    run(&world, "a", &["update", &id, "-s", "in_progress"]).ok();
    assert_eq!(claims(&world).len(), 1);
    assert_eq!(
        run(&world, "b", &["note", &id, "--status", "in_progress"]).code,
        3
    );
    run(&world, "a", &["undo"]).ok();
    assert_eq!(
        (status(&world, "a", &id).as_str(), claims(&world).len()),
        ("open", 0)
    );
    for end in [&["block"][..], &["defer"], &["stop"]] {
        run(&world, "a", &["start", &id]).ok();
        assert_eq!(claims(&world).len(), 1);
        run(&world, "a", &[end, &[&id]].concat()).ok();
        assert_eq!(claims(&world).len(), 0, "{end:?}");
        run(&world, "a", &["update", &id, "-s", "open"]).ok();
    }
}

#[test]
fn a_server_keeps_a_claim_while_its_pipe_is_open() {
    let (mut world, id) = two("remote");
    hurry(&mut world);
    let mut agent = Agent::in_folder(&world, "a", &["--lease", "90m"]);
    let answer = agent.call("task_start", json!({"id": id}));
    assert_eq!(
        [&answer["claim"]["fence"], &answer["claim"]["mine"]],
        [&json!(1), &json!(true)],
        "{answer}"
    );
    for _ in 0..200 {
        std::thread::sleep(Duration::from_millis(100));
        if claim(&world)["beat"] != 0 {
            return;
        }
    }
    panic!("no beat came: {}", claim(&world));
}

#[test]
fn a_claim_is_taken_over_from_a_state_that_is_behind() {
    let (world, id) = two("remote");
    run(&world, "a", &["start", &id]).ok();
    // The start came with a tip that is not here.
    assert_eq!(run(&world, "b", &["start", &id]).code, 3);
    let answer = started(&run(&world, "b", &["start", &id, "--force", "--json"]));
    assert_eq!(answer["lease"]["fence"], 2, "{answer}");
    // What was given back meanwhile is no refusal, and its number grows on.
    run(&world, "b", &["stop", &id]).ok();
    run(&world, "a", &["sync"]).ok();
    let output = run(&world, "a", &["start", &id, "--force", "--json"]);
    let answer = started(&output);
    assert_eq!(
        (&answer["lease"]["fence"], &answer["tentative"]),
        (&json!(3), &Value::Null),
        "{output:?}"
    );
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    run(&world, "a", &["reopen", &id, "-r", "y"]).ok();
    let answer = started(&run(&world, "a", &["start", &id, "--json"]));
    assert_eq!(answer["lease"]["fence"], 4, "{answer}");
}

#[test]
fn a_start_that_is_killed_at_its_push_is_made_by_the_next() {
    // Before the push, and after it has arrived.
    for push in ["", "\"$GIT\" \"$@\" >/dev/null 2>&1; "] {
        let (world, id) = two("strict");
        let script = format!(
            "case \" $* \" in *' push '*) {push}kill -9 $PPID; exit 1;; esac; exec \"$GIT\" \"$@\""
        );
        instead_of_git(&world, &script);
        assert_ne!(run(&world, "a", &["start", &id]).code, 0);
        std::fs::remove_file(world.path("tools/git")).unwrap();
        let answer = started(&run(&world, "a", &["start", &id, "--json"]));
        assert_eq!(answer["lease"]["remote"], "origin", "{push}: {answer}");
        assert_eq!(run(&world, "b", &["start", &id]).code, 3);
        run(&world, "a", &["done", &id, "-r", "x"]).ok();
        assert_eq!(claims(&world), [] as [String; 0], "{push}");
    }
}

#[test]
fn a_claim_is_found_again_without_the_book() {
    let (world, id) = two("remote");
    run(&world, "a", &["start", &id]).ok();
    std::fs::write(world.path("a/.git/beads/agents/claims.leases"), "").unwrap();
    run(&world, "a", &["stop", &id]).ok();
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
}

#[test]
fn what_a_claim_says_wrongly_gets_into_no_issue() {
    let (world, id) = two("remote");
    run(&world, "a", &["start", &id]).ok();
    let name = claims(&world).remove(0);
    let uid = name.rsplit('/').next().unwrap();
    let huge = json!({
        "agent": "x", "beat": 0, "fence": i64::MAX, "lease": 1, "nonce": "n", "person": "eve", "state": "held",
        "uid": uid, "v": 1
    });
    for text in [
        huge.to_string(),
        json!({"v": 2, "state": "held"}).to_string(),
    ] {
        let tree = world
            .git_in("hub.git", &["hash-object", "-t", "tree", "-w", "/dev/null"])
            .ok();
        let commit = world
            .git_in("hub.git", &["commit-tree", tree.trim(), "-m", &text])
            .ok();
        world
            .git_in("hub.git", &["update-ref", &name, commit.trim()])
            .ok();
        let answer = started(&run(&world, "b", &["start", &id, "--force", "--json"]));
        assert!(answer["lease"]["fence"].as_u64().unwrap() < 10, "{answer}");
        assert_eq!(answer["issue"]["title"], "Wire cache");
        run(&world, "b", &["stop", &id]).ok();
        run(&world, "a", &["sync"]).ok();
        run(&world, "a", &["start", &id]).ok();
    }
    let commit = world
        .git_in("hub.git", &["rev-parse", "refs/beads/main"])
        .ok();
    world
        .git_in("hub.git", &["update-ref", &name, commit.trim()])
        .ok();
    let said = run(&world, "a", &["sync"]).ok();
    assert!(!said.contains("unknown"), "{said}");
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    assert_eq!(status(&world, "a", &id), "closed");
}

#[test]
fn an_undo_brings_no_claim_back_that_the_remote_has_not() {
    let (world, id) = two("remote");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    run(&world, "a", &["undo"]).ok();
    assert_eq!(status(&world, "a", &id), "in_progress");
    let blob = blob_in(&world, "a", &id);
    assert_eq!(
        (&blob["claim"]["ref"], &blob["claim"]["fence"]),
        (&Value::Null, &json!(1)),
        "{blob}"
    );
}

#[test]
fn a_hint_asks_where_the_caller_has_asked() {
    let (world, id) = two("local");
    run(&world, "a", &["start", &id, "--remote"]).ok();
    let text = run(&world, "b", &["start", &id, "--remote"]).fails(3);
    assert!(text.contains("--force --remote takes it over"), "{text}");
}

/// The blob of an issue in a clone.
fn blob_in(world: &World, clone: &str, id: &str) -> Value {
    let uid = world.bd_in(clone, &["show", id, "--json"]).json()["issue"]["uid"].clone();
    let files = world
        .git_in(clone, &["ls-tree", "-r", "--name-only", "refs/beads/main"])
        .ok();
    let name = files
        .lines()
        .find(|name| name.contains(uid.as_str().unwrap()))
        .unwrap();
    let text = world
        .git_in(clone, &["show", &format!("refs/beads/main:{name}")])
        .ok();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn what_was_started_here_alone_can_ask_later() {
    let (world, _) = two("remote");
    let made = run(&world, "a", &["create", "Made", "--start", "-q"]).ok();
    let id = made.trim();
    assert_eq!(claims(&world), [] as [String; 0]);
    let answer = started(&run(&world, "a", &["start", id, "--json"]));
    assert_eq!(answer["lease"]["fence"], 1, "{answer}");
    assert_eq!(claims(&world).len(), 1);
    assert_eq!(talks(&world, "a", &["start", id]), [] as [String; 0]);
    run(&world, "a", &["done", id, "-r", "x"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
    for clone in ["a", "b"] {
        run(&world, clone, &["sync"]).ok();
        assert_eq!(status(&world, clone, id), "closed");
    }
}

#[test]
fn an_end_that_the_remote_does_not_know_is_no_end_where_that_is_strict() {
    for (policy, code) in [("remote", 0), ("strict", 5)] {
        let (world, id) = two(policy);
        run(&world, "a", &["start", &id]).ok();
        std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
        let output = run(&world, "a", &["done", &id, "-r", "x"]);
        assert_eq!(output.code, code, "{output:?}");
        assert!(
            output.stderr.contains("origin still has the claim"),
            "{output:?}"
        );
        std::fs::rename(world.path("away.git"), world.path("hub.git")).unwrap();
        run(&world, "a", &["sync"]).ok();
        assert_eq!(claims(&world), [] as [String; 0]);
    }
}

#[test]
fn a_wrong_setting_starts_nothing() {
    let (world, id) = two("always");
    let text = run(&world, "a", &["start", &id]).fails(1);
    assert!(
        text.contains("beads.claims is `always`; it can be local, remote or strict"),
        "{text}"
    );
    world
        .git_in("a", &["config", "beads.claims", "strict"])
        .ok();
    world.git_in("a", &["remote", "remove", "origin"]).ok();
    let text = run(&world, "a", &["start", &id]).fails(5);
    assert!(text.contains("nothing was started"), "{text}");
    assert_eq!(run(&world, "a", &["start", &id, "--remote"]).code, 0);
}
