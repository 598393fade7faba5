//! Starts and ends: what is asked of the remote, and who is refused.

use serde_json::{Value, json};

use super::{run, started, status, talks, two};
use crate::support::clones::{create, tip};
use crate::support::files_refs_only;
use crate::support::plumbing::{instead_of_git, sound_in};

#[test]
fn a_start_is_one_push_and_so_is_its_end() {
    let (world, id) = two("strict");
    // Older clones may hold claims that only they see: this is asked once in a while.
    assert_eq!(talks(&world, "a", &["start", &id]), ["ls-remote", "push"]);
    assert_eq!(tip(&world, "a"), tip(&world, "hub.git"));
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "in_progress");
    assert_eq!(run(&world, "b", &["start", &id]).code, 3);
    assert_eq!(talks(&world, "a", &["done", &id, "-r", "ported"]), ["push"]);
    assert_eq!(tip(&world, "a"), tip(&world, "hub.git"));
    let other = create(&world, "a", &["Read cache"]);
    assert_eq!(talks(&world, "a", &["start", &other]), ["push"]);
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &id), "closed");
    for clone in ["a", "b", "hub.git"] {
        sound_in(&world, clone);
    }
}

#[test]
fn the_second_is_refused_by_name_and_nothing_is_left_of_it() {
    for policy in ["remote", "strict"] {
        let (world, id) = two(policy);
        let answer = started(&run(
            &world,
            "a",
            &["start", &id, "--lease", "30m", "--json"],
        ));
        let mut claim = answer["claim"].clone();
        assert!(claim["since"].take().is_string(), "{answer}");
        let expected = json!({"by": "a-person/a-agent", "since": null, "mine": true,
            "remote": "origin", "lease": "30m"});
        assert_eq!(claim, expected);
        let text = run(&world, "b", &["start", &id]).fails(3);
        assert!(
            text.contains("is in progress by a-person/a-agent"),
            "{text}"
        );
        // What it was refused by is here, and nothing of its own.
        assert_eq!(tip(&world, "b"), tip(&world, "a"));
        let other = create(&world, "a", &["Second"]);
        world.bd_in("a", &["sync"]).ok();
        let next = started(&run(&world, "b", &["ready", "--claim", "--json"]));
        assert_eq!(next["issue"]["id"], other, "found by what the remote says");
        run(&world, "b", &["start", &id, "--force", "--json"]).ok();
        assert_eq!(tip(&world, "b"), tip(&world, "hub.git"));
        run(&world, "a", &["sync"]).ok();
        let shown = world.bd_in("a", &["show", &id]).ok();
        assert!(shown.contains("b-person/b-agent"), "{shown}");
    }
}

#[test]
fn a_start_beside_others_that_send_keeps_what_they_sent_and_makes_no_merge() {
    let (world, id) = two("strict");
    for n in 0..3 {
        world.bd_in("b", &["sync"]).ok();
        create(&world, "b", &[&format!("Meanwhile {n}")]);
        world.bd_in("b", &["sync"]).ok();
        run(&world, "a", &["start", &id]).ok();
        run(&world, "a", &["stop", &id]).ok();
    }
    assert_eq!(world.bd_in("a", &["list", "-q"]).ok().lines().count(), 4);
    let merges = ["rev-list", "--merges", "--count", "refs/beads/main"];
    assert_eq!(world.git_in("hub.git", &merges).ok().trim(), "0");
    // What had ended at the remote before is not started.
    run(&world, "b", &["done", &id, "-r", "there"]).ok();
    let text = run(&world, "a", &["start", &id]).fails(3);
    assert!(text.contains("is closed"), "{text}");
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
    let before = tip(&world, "b");
    let text = run(&world, "b", &["start", &id, "--strict"]).fails(5);
    assert!(text.contains("nothing was started"), "{text}");
    assert_eq!(tip(&world, "b"), before);
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
fn what_was_started_here_alone_can_be_confirmed_later() {
    let (world, _) = two("strict");
    let made = run(&world, "a", &["create", "Made", "--start", "-q", "--local"]);
    let made = if made.code == 0 {
        made
    } else {
        run(&world, "a", &["create", "Made", "--start", "-q"])
    };
    let id = made.ok().trim().to_owned();
    let answer = started(&run(&world, "a", &["start", &id, "--json"]));
    assert_eq!(answer["claim"]["remote"], "origin", "{answer}");
    assert!(!answer["already_in_progress"].is_null(), "{answer}");
    assert_eq!(tip(&world, "a"), tip(&world, "hub.git"));
    assert_eq!(run(&world, "b", &["start", &id]).code, 3);
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
    // The same where the change itself is refused.
    let wrong = ["update", &free, "-s", "in_progress", "--parent", "bd-none"];
    assert_ne!(run(&world, "a", &wrong).code, 0);
    for clone in ["a", "b"] {
        world.bd_in(clone, &["sync"]).ok();
        assert_eq!(status(&world, clone, &free), "open", "{clone}");
        assert_eq!(status(&world, clone, &mine), "in_progress", "{clone}");
    }
    run(&world, "a", &["update", &free, &mine, "-s", "in_progress"]).ok();
    world.bd_in("b", &["sync"]).ok();
    assert_eq!(status(&world, "b", &free), "in_progress");
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
    }
}

#[test]
fn an_answer_that_is_lost_on_the_way_is_looked_for() {
    // The push arrives, or does not, and there is no answer.
    for arrives in [true, false] {
        let (world, id) = two("strict");
        let run_it = if arrives {
            "\"$GIT\" \"$@\" >/dev/null 2>&1; "
        } else {
            ""
        };
        let once = world.path("once").display().to_string();
        instead_of_git(
            &world,
            &format!(
                "case \" $* \" in *' push '*) [ -e '{once}' ] || {{ touch '{once}'; {run_it}exit 128; }};; esac; exec \"$GIT\" \"$@\""
            ),
        );
        let answer = started(&run(&world, "a", &["start", &id, "--json"]));
        assert_eq!(answer["claim"]["remote"], "origin", "{answer}");
        std::fs::remove_file(world.path("tools/git")).unwrap();
        assert_eq!(tip(&world, "a"), tip(&world, "hub.git"));
        let log = ["rev-list", "--count", "refs/beads/main"];
        assert_eq!(world.git_in("hub.git", &log).ok().trim(), "3");
    }
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
        assert_eq!(status(&world, "a", &id), "open");
        let answer = started(&run(&world, "a", &["start", &id, "--json"]));
        assert_eq!(answer["claim"]["mine"], true, "{push}: {answer}");
        assert_eq!(run(&world, "b", &["start", &id]).code, 3);
        run(&world, "a", &["done", &id, "-r", "x"]).ok();
        world.bd_in("b", &["sync"]).ok();
        assert_eq!(status(&world, "b", &id), "closed", "{push}");
    }
}

#[test]
fn what_one_has_here_is_confirmed_only_by_what_the_remote_says() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["start", &id]).ok();
    run(&world, "b", &["start", &id, "--force"]).ok();
    let text = run(&world, "a", &["start", &id]).fails(3);
    assert!(text.contains("in progress by b-person/b-agent"), "{text}");
    std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
    let text = run(&world, "b", &["start", &id]).fails(5);
    assert!(text.contains("nothing was started here"), "{text}");
}

#[test]
fn one_that_the_remote_takes_late_is_the_only_one() {
    let (world, _) = two("strict");
    create(&world, "a", &["Read cache"]);
    world.bd_in("a", &["sync"]).ok();
    // The push has no answer, and arrives after the remote has been asked for it.
    let late = world.path("late").display().to_string();
    let push = format!(
        "*' push '*) [ -e '{late}' ] || {{ printf '%s ' \"$GIT\" \"$@\" >'{late}'; exit 128; }};;"
    );
    let fetch = format!(
        "*' fetch '*) \"$GIT\" \"$@\"; code=$?; [ ! -s '{late}' ] || {{ sh '{late}' >/dev/null 2>&1; : >'{late}'; }}; exit $code;;"
    );
    instead_of_git(
        &world,
        &format!("case \" $* \" in {push} {fetch} esac; exec \"$GIT\" \"$@\""),
    );
    let answer = started(&run(&world, "a", &["ready", "--claim", "--json"]));
    std::fs::remove_file(world.path("tools/git")).unwrap();
    assert_eq!(tip(&world, "a"), tip(&world, "hub.git"));
    world.bd_in("b", &["sync"]).ok();
    let held = world.bd_in("b", &["list", "-s", "in_progress", "-q"]).ok();
    assert_eq!(held.trim(), answer["issue"]["id"].as_str().unwrap());
}

#[test]
fn one_without_any_answer_may_have_been_taken_and_says_so() {
    let (world, id) = two("strict");
    let hub = world.path("hub.git").display().to_string();
    let script = format!(
        "case \" $* \" in *' push '*) \"$GIT\" \"$@\" >/dev/null 2>&1; mv '{hub}' '{hub}.away'; exit 128;; esac; exec \"$GIT\" \"$@\""
    );
    instead_of_git(&world, &script);
    let text = run(&world, "a", &["start", &id]).fails(5);
    std::fs::remove_file(world.path("tools/git")).unwrap();
    assert!(
        text.contains("origin has not answered the push, and may have taken it"),
        "{text}"
    );
    assert!(
        text.contains("git beads --actor a-person --agent a-agent sync"),
        "{text}"
    );
    assert_eq!(status(&world, "a", &id), "open");
    std::fs::rename(format!("{hub}.away"), &hub).unwrap();
    run(&world, "a", &["sync"]).ok();
    assert_eq!(status(&world, "a", &id), "in_progress");
}

#[test]
fn no_remote_is_said_with_the_command_that_names_one() {
    let (world, id) = two("strict");
    world.git_in("a", &["remote", "remove", "origin"]).ok();
    let text = run(&world, "a", &["start", &id]).fails(5);
    assert!(text.contains("git remote add origin URL"), "{text}");
}

#[test]
fn a_remote_that_can_not_store_it_has_taken_nothing() {
    let (world, id) = two("strict");
    // As where its disk is full.
    let key = ["config", "receive.maxInputSize", "1"];
    world.git_in("hub.git", &key).ok();
    let text = run(&world, "a", &["start", &id]).fails(5);
    assert!(
        text.contains("pack exceeds maximum") && !text.contains("may have taken"),
        "{text}"
    );
}

#[test]
fn a_remote_that_is_not_there_has_taken_nothing() {
    for args in [&["start"][..], &["ready", "--claim"]] {
        let (world, id) = two("strict");
        std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
        let mut all = args.to_vec();
        all.extend((args.len() == 1).then_some(&*id));
        let text = run(&world, "a", &all).fails(5);
        assert!(
            text.contains("does not appear to be a git repository; nothing was started here"),
            "{text}"
        );
        assert!(!text.contains("may have taken"), "{text}");
    }
}

#[test]
fn a_clone_that_can_not_write_what_it_fetches_names_itself_and_not_the_remote() {
    let _pinned = files_refs_only();
    let (world, id) = two("strict");
    // No folder of refs can be made there.
    let commit = tip(&world, "a");
    world.file("a/.git/refs/beads-incoming", format!("{commit}\n"));
    for args in [&["sync"][..], &["fetch"], &["start", &id]] {
        let text = run(&world, "a", args).fails(6);
        assert!(text.contains("refs/beads-incoming"), "{text}");
        assert!(!text.contains("--local"), "{text}");
    }
}
