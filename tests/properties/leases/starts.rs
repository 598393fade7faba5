//! Starts and ends: what is asked of the remote, and who is refused.

use serde_json::{Value, json};

use super::{claim, claims, run, started, status, talks, two};
use crate::support::clones::create;
use crate::support::plumbing::sound_in;

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
        let mut claim = answer["claim"].clone();
        assert!(claim["since"].take().is_string(), "{answer}");
        let expected = json!({"by": "a-person/a-agent", "since": null, "mine": true,
            "remote": "origin", "fence": 1, "lease": "30m"});
        assert_eq!(claim, expected);
        for (args, at) in [
            (&["show", &id, "--json"][..], "/issue/claim"),
            (&["list", "--json"], "/issues/0/claim"),
            (&["status", "--json"], "/in_progress/0/claim"),
            (&["start", &id, "--json"], "/claim"),
        ] {
            let again = started(&run(&world, "a", args));
            assert_eq!(again.pointer(at).unwrap()["fence"], 1, "{again}");
        }
        let tip = world.git_in("b", &["rev-parse", "refs/beads/main"]).ok();
        let refused = run(&world, "b", &["start", &id]);
        let text = refused.fails(3);
        assert!(
            text.contains("is in progress by a-person/a-agent (at origin, lease 30m)"),
            "{text}"
        );
        let refused = run(&world, "b", &["start", &id, "--json"]).stdout;
        let refused: Value = serde_json::from_str(&refused).unwrap();
        assert_eq!(
            refused["already_in_progress"],
            json!({"by": "a-person/a-agent", "session": "a-agent", "lease": "30m"})
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
        assert_eq!(fence["claim"]["fence"], 2);
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
    assert_eq!(answer["claim"]["fence"], 1);
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
    assert_eq!(started(&output)["claim"]["tentative"], true);
    assert!(
        output.stderr.contains("the claim is tentative"),
        "{output:?}"
    );
    let is_tentative = || {
        let shown = started(&run(&world, "a", &["show", &id, "--json"]));
        shown["issue"]["claim"]["tentative"] == true
    };
    assert!(is_tentative());
    for args in [&["list"][..], &["status"], &["show", &id]] {
        let text = run(&world, "a", args).ok();
        assert!(text.contains("tentative"), "{text}");
    }
    let tip = world.git_in("b", &["rev-parse", "refs/beads/main"]).ok();
    let text = run(&world, "b", &["start", &id, "--strict"]).fails(5);
    assert!(text.contains("nothing was started"), "{text}");
    assert_eq!(
        world.git_in("b", &["rev-parse", "refs/beads/main"]).ok(),
        tip
    );
    assert_eq!(
        started(&run(&world, "b", &["start", &id, "--local", "--json"]))["claim"]["tentative"],
        Value::Null
    );
    // Both have it: the first at the remote keeps it.
    std::fs::rename(world.path("away.git"), world.path("hub.git")).unwrap();
    run(&world, "b", &["sync"]).ok();
    let said = run(&world, "a", &["sync"]).ok();
    assert!(said.contains("b-person/b-agent claimed it first"), "{said}");
    assert!(!is_tentative());
}

#[test]
fn a_hint_asks_where_the_caller_has_asked() {
    let (world, id) = two("local");
    run(&world, "a", &["start", &id, "--remote"]).ok();
    let text = run(&world, "b", &["start", &id, "--remote"]).fails(3);
    assert!(text.contains("--force --remote takes it over"), "{text}");
}

#[test]
fn what_was_started_here_alone_can_ask_later() {
    let (world, _) = two("remote");
    let made = run(&world, "a", &["create", "Made", "--start", "-q"]).ok();
    let id = made.trim();
    assert_eq!(claims(&world), [] as [String; 0]);
    let answer = started(&run(&world, "a", &["start", id, "--json"]));
    assert_eq!(answer["claim"]["fence"], 1, "{answer}");
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

#[test]
fn several_are_started_all_or_none() {
    let (world, held) = two("strict");
    let (free, mine) = (
        create(&world, "a", &["Port readers"]),
        create(&world, "a", &["Port writers"]),
    );
    run(&world, "a", &["start", &mine]).ok();
    run(&world, "b", &["start", &held]).ok();
    let all = ["update", &free, &mine, &held, "-s", "in_progress"];
    let refused = run(&world, "a", &all);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(
        refused.stderr.contains("by b-person/b-agent"),
        "{refused:?}"
    );
    assert_eq!(status(&world, "a", &free), "open");
    assert_eq!(status(&world, "a", &mine), "in_progress");
    assert_eq!(claims(&world).len(), 2);
    // The same where the change itself is refused.
    let wrong = ["update", &free, "-s", "in_progress", "--parent", "bd-none"];
    assert_ne!(run(&world, "a", &wrong).code, 0);
    assert_eq!(
        (status(&world, "a", &free).as_str(), claims(&world).len()),
        ("open", 2)
    );
    run(&world, "a", &["update", &free, &mine, "-s", "in_progress"]).ok();
    assert_eq!(claims(&world).len(), 3);
}

#[test]
fn a_claim_of_an_issue_that_had_one_before_forces_nothing() {
    for (started, code) in [(true, "claimed"), (false, "assigned")] {
        let (world, id) = two("strict");
        run(&world, "a", &["start", &id]).ok();
        run(&world, "a", &["stop", &id]).ok();
        run(&world, "b", &["sync"]).ok();
        let args = ["start", &id, "--local"];
        let args = if started {
            &args[..]
        } else {
            &["assign", &id, "carol"]
        };
        run(&world, "a", args).ok();
        run(&world, "a", &["sync"]).ok();
        let refused = run(&world, "b", &["start", &id, "--json"]);
        assert_eq!(refused.code, 3, "{refused:?}");
        assert!(refused.stdout.contains(code), "{refused:?}");
        assert_eq!(claims(&world), [] as [String; 0]);
    }
}

#[test]
fn the_number_of_a_claim_grows_after_an_undo() {
    let (world, id) = two("strict");
    let fence = || {
        let answer = started(&run(&world, "a", &["start", &id, "--json"]));
        answer["claim"]["fence"].as_u64().unwrap()
    };
    assert_eq!(fence(), 1);
    run(&world, "a", &["undo"]).ok();
    assert_eq!((fence(), claims(&world).len()), (2, 1));
    run(&world, "a", &["stop", &id]).ok();
    assert_eq!(fence(), 3);
    run(&world, "a", &["stop", &id]).ok();
    run(&world, "a", &["undo", "4"]).ok();
    assert_eq!((fence(), claims(&world).len()), (4, 1));
}

#[test]
fn a_note_that_gives_an_issue_back_gives_its_claim_back() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["note", &id, "--status", "open"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
    run(&world, "b", &["start", &id]).ok();
}
