//! Ends: what gives a claim back, and what must not.

use serde_json::{Value, json};

use super::{blob_in, claims, run, started, status, two};
use crate::support::binary;
use crate::support::clones::{create, script};
use crate::support::plumbing::instead_of_git;

#[test]
fn a_claim_whose_issue_has_ended_is_removed_by_who_sees_it_over() {
    let (world, id) = two("remote");
    started(&run(
        &world,
        "a",
        &["start", &id, "--lease", "30m", "--json"],
    ));
    run(&world, "b", &["sync"]).ok();
    // A program that knows nothing of claims ends it.
    world
        .bd_in("b", &["--actor", "lea", "done", &id, "-r", "x"])
        .ok();
    run(&world, "b", &["sync"]).ok();
    assert_eq!(claims(&world).len(), 1);
    world.pass_minutes(31);
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
fn an_undo_brings_no_claim_back_that_the_remote_has_not() {
    let (world, id) = two("remote");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
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
fn a_claim_is_given_back_with_no_push_that_lacks_its_end() {
    let (world, id) = two("strict");
    let other = create(&world, "a", &["Read cache"]);
    run(&world, "a", &["sync"]).ok();
    create(&world, "b", &["Makes the remote move"]);
    world.bd_in("b", &["sync"]).ok();
    // From now on the clone sends claims by their refs alone.
    run(&world, "a", &["start", &id]).ok();
    // While the end of one issue is sent another agent starts and ends a second one, and is killed before it sends that, for
    // which it waits.
    let script = format!(
        r#"case " $* " in *' push '*--atomic*)
          if [ ! -e '{top}/once' ]; then
            touch '{top}/once'
            cd '{top}/a' || exit 1
            beads() {{ '{program}' --actor a-person --agent other "$@"; }}
            beads start {other} > '{top}/said' 2>&1
            '{program}' --actor a-person --agent other done {other} -r x >> '{top}/said' 2>&1 &
            until beads show {other} --json | grep -q '"status":"closed"'; do :; done
            kill -9 $!
            exit 1
          fi;;
        esac
        exec "$GIT" "$@""#,
        top = world.path("").display(),
        program = binary(),
    );
    instead_of_git(&world, &script);
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    std::fs::remove_file(world.path("tools/git")).unwrap();
    let said = std::fs::read_to_string(world.path("said")).unwrap();
    assert!(said.contains("(fence 1)"), "{said}");
    assert_eq!(status(&world, "a", &other), "closed");
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &other), "open");
    let refused = run(&world, "b", &["start", &other]);
    assert_eq!(refused.code, 3, "{refused:?}");
    world.bd_in("a", &["sync"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
}

#[test]
fn an_agent_without_a_claim_ends_nothing_that_another_one_has_at_the_remote() {
    let (world, id) = two("strict");
    run(&world, "b", &["start", &id]).ok();
    run(&world, "a", &["start", &id]).fails(3);
    // The store here knows nothing of the claim yet.
    std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
    run(&world, "a", &["done", &id, "-r", "x"]).ok();
    std::fs::rename(world.path("away.git"), world.path("hub.git")).unwrap();
    let synced = run(&world, "a", &["sync", "--json"]).json();
    assert_eq!(synced["claims_lost"][0]["not_applied"], "done", "{synced}");
    run(&world, "b", &["stop", &id]).ok();
    for clone in ["a", "b"] {
        run(&world, clone, &["sync"]).ok();
        assert_eq!(status(&world, clone, &id), "open", "{clone}");
    }
}

#[test]
fn what_has_landed_gives_its_claim_back() {
    for by_itself in [false, true] {
        let (world, id) = two("strict");
        run(&world, "a", &["start", &id]).ok();
        let message = format!("End\n\nCloses: {id}");
        world
            .git_in("a", &["commit", "-q", "--allow-empty", "-m", &message])
            .ok();
        if by_itself {
            world
                .git_in("a", &["config", "beads.autoClose", "true"])
                .ok();
            run(&world, "a", &["hook", "refresh"]).ok();
        } else {
            run(&world, "a", &["done", "--landed"]).ok();
        }
        assert_eq!(status(&world, "a", &id), "closed");
        assert_eq!(claims(&world), [] as [String; 0]);
    }
}

#[test]
fn an_end_that_the_remote_took_holds_beside_older_looks() {
    let (world, id) = two("remote");
    let clone = world.path("a").display().to_string();
    // The second time that a command asks the remote, which is the fetch after the look at the claims.
    let second = |log: &str, then: &str| {
        let log = world.path(log).display().to_string();
        format!(
            "[ -n \"$INSIDE\" ] || {{ echo >>'{log}'; [ $(wc -l <'{log}') != 2 ] || {{ {then}; }}; }}"
        )
    };
    let fails = script(
        &world,
        "fails",
        &format!(
            "unset INSIDE\n{}\ngit-upload-pack \"$@\"",
            second("one", "exit 1")
        ),
    );
    // Once the remote has the end, a command of a third agent looks at the claims, and fails before it knows more.
    script(
        &world,
        "hub.git/hooks/post-receive",
        &format!(
            "grep -q '0000000 refs/beads/claims' || exit 0; unset GIT_DIR; cd '{clone}'; \
             git config remote.origin.uploadpack '{fails}'; \
             git-beads --agent third hook pull origin >&2; echo looked >'{}'; \
             git config --unset remote.origin.uploadpack; exit 0",
            world.path("looked").display()
        ),
    );
    // An exchange of a second agent has fetched before all that.
    let work = format!(
        "INSIDE=1; export INSIDE; cd '{clone}'; git-beads --agent first start {id} >&2; \
         git-beads --agent first done {id} -r mended >&2 || touch refused"
    );
    let wrapper = script(
        &world,
        "wrapper",
        &format!(
            "git-upload-pack \"$@\" || exit 1\n{}\nexit 0",
            second("two", &work)
        ),
    );
    world
        .git_in("a", &["config", "remote.origin.uploadpack", &wrapper])
        .ok();
    let pull = ["--agent", "second", "hook", "pull", "origin"];
    let said = world.bd_in("a", &pull).ok();
    assert!(
        world.path("looked").exists(),
        "the third agent looked: {said}"
    );
    assert!(!world.path("a/refused").exists(), "{said}");
    assert_eq!(status(&world, "a", &id), "closed", "{said}");
    world.bd_in("a", &["sync"]).ok();
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "closed");
}

#[test]
fn who_was_replaced_has_not_ended_what_its_successor_has_ended_alike() {
    // By clocks that are behind and ahead, so that the merge takes the one end, or the other.
    let cases = ["x", "y"].map(|reason| [0, 3600].map(|later| (reason, later)));
    for (reason, later) in cases.into_iter().flatten() {
        let (world, id) = two("strict");
        let run_at = |clone: &str, seconds: u64, args: &[&str]| {
            // Two agents of one person.
            let agent = format!("{clone}-agent");
            let names = ["--agent", &agent];
            let mut command = world.command(clone, binary(), &[&names[..], args].concat());
            let now = (1_800_000_000 + seconds) * 1000;
            command.env("GIT_BEADS_NOW", now.to_string());
            world.run(command, None)
        };
        run_at("a", 0, &["start", &id]).ok();
        run_at("b", later, &["sync"]).ok();
        run_at("b", later, &["start", &id, "--force"]).ok();
        run_at("b", later, &["done", &id, "-r", "x"]).ok();
        let refused = run_at("a", 1800, &["done", &id, "-r", reason]);
        assert_eq!(refused.code, 3, "{reason} {later}: {refused:?}");
        let text = "was taken over by Ann/b-agent; your done is not applied";
        assert!(refused.stderr.contains(text), "{refused:?}");
        for clone in ["b", "a"] {
            world.bd_in(clone, &["sync"]).ok();
            let shown = world.bd_in(clone, &["show", &id, "--json"]).json();
            let issue = &shown["issue"];
            assert_eq!(issue["status"], "closed", "{issue}");
            assert_eq!(issue["reason"], "x", "{issue}");
        }
    }
}

#[test]
fn what_has_ended_is_not_taken_over_while_the_remote_can_not_hear_of_it() {
    let (mut world, id) = two("strict");
    let events = world.events();
    run(&world, "a", &["start", &id]).ok();
    world.bd_in("b", &["sync"]).ok();
    let hook = "#!/bin/sh\ntest \"$1\" != refs/beads/main\n";
    let path = world.executable("hub.git/hooks/update", hook);
    run(&world, "a", &["done", &id, "-r", "ended"]).fails(5);
    // For longer than a lease its holder works on, and sends what the remote takes.
    for n in 0..4 {
        world.pass_minutes(11);
        run(&world, "a", &["create", &format!("Other work {n}")]).ok();
        events.settle();
        world.pass_minutes(3);
        run(&world, "b", &["start", &id]).fails(3);
    }
    std::fs::remove_file(path).unwrap();
    run(&world, "a", &["sync"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "closed");
}
