//! Claims that did not know each other: the one that came first to the remote holds, and both sides are told.

mod histories;
mod peers;

use serde_json::{Value, json};

use crate::properties::faults::is_tried;
use crate::support::clones::{create, tip, two_clones};
use crate::support::plumbing::sound_in;
use crate::support::{Output, World};

const CLONES: [&str; 3] = ["a", "b", "c"];

/// Three clones of three persons, each with an agent of its own, and an issue that all of them have.
fn three() -> (World, String) {
    let world = two_clones();
    world
        .git_in(".", &["clone", "--quiet", "hub.git", "c"])
        .ok();
    world.bd_in("c", &["init"]).ok();
    let id = create(&world, "a", &["Wire cache"]);
    for clone in CLONES {
        world.bd_in(clone, &["sync"]).ok();
        for peer in CLONES.iter().filter(|peer| **peer != clone) {
            let url = world.path(peer).display().to_string();
            world.git_in(clone, &["remote", "add", peer, &url]).ok();
        }
    }
    (world, id)
}

/// The person and the agent of a clone.
fn party(clone: &str) -> String {
    format!("{clone}-person/{clone}-agent")
}

fn run(world: &World, clone: &str, args: &[&str]) -> Output {
    let (person, agent) = (format!("{clone}-person"), format!("{clone}-agent"));
    let mut all = vec!["--actor", &person, "--agent", &agent];
    all.extend(args);
    world.bd_in(clone, &all)
}

/// Who works on an issue, as a clone lists it: `person/agent`; none where it is not in progress.
fn holder(world: &World, clone: &str, id: &str) -> Option<String> {
    let list = world.bd_in(clone, &["list", "--all", "-n", "0"]).ok();
    let line = list.lines().find(|line| line.starts_with(id)).unwrap();
    let (_, holder) = line.split_once(" @").unwrap_or((line, ""));
    line.contains(" in_progress ").then(|| holder.to_owned())
}

fn conflicts(world: &World, clone: &str) -> Value {
    world.bd_in(clone, &["--json", "conflicts"]).json()["conflicts"].clone()
}

/// What a sync says of claims: all its lines but the first, and but the one on what others changed.
fn said(output: &Output) -> Vec<String> {
    assert_eq!(output.code, 0, "{output:?}");
    let lines = output.stdout.lines().skip(1);
    let of_claims = lines.filter(|line| !line.ends_with("(git beads whats-new)"));
    of_claims.map(str::to_owned).collect()
}

#[test]
fn the_first_at_the_remote_holds() {
    for winner_is_later in [false, true] {
        let (world, id) = three();
        let both = if winner_is_later {
            ["b", "a"]
        } else {
            ["a", "b"]
        };
        for clone in both {
            run(&world, clone, &["start", &id]).ok();
        }
        run(&world, "b", &["note", &id, "keys are short"]).ok();
        run(&world, "a", &["sync"]).ok();
        let lost = run(&world, "b", &["--json", "sync"]).json();
        assert_eq!(
            lost["claims_lost"],
            json!([{"id": id, "claim": party("b"), "by": party("a"), "how": "claimed"}])
        );
        let line = format!(
            "{id}: {} claimed it first (at origin); your claim is released, your notes are kept",
            party("a")
        );
        assert_eq!(lost["remarks"], json!([line]));
        assert_eq!(
            said(&run(&world, "a", &["sync"])),
            [format!(
                "{id}: {} had claimed it too, and that claim was released",
                party("b")
            )]
        );
        for clone in ["a", "b"] {
            assert_eq!(holder(&world, clone, &id), Some(party("a")));
            assert_eq!(conflicts(&world, clone), json!([]));
            assert!(
                world
                    .bd_in(clone, &["show", &id])
                    .ok()
                    .contains("keys are short")
            );
        }
        assert_eq!(tip(&world, "a"), tip(&world, "b"));
        let log = world.bd_in("a", &["log", "-n", "1"]).ok();
        assert!(
            log.contains(&format!("yield {id}: claimed by {}", party("a"))),
            "{log}"
        );
        run(&world, "b", &["done", &id, "-r", "mine"]).fails(3);
        run(&world, "a", &["done", &id, "-r", "it works"]).ok();
        sound_in(&world, "a");
    }
}

#[test]
fn three_claims_in_each_order_leave_the_first() {
    const ORDERS: [[usize; 3]; 6] = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for (n, order) in ORDERS.into_iter().enumerate() {
        if !is_tried(n, 3) {
            continue;
        }
        for has_peers in [false, true] {
            let (world, id) = three();
            for clone in CLONES {
                run(&world, clone, &["start", &id]).ok();
            }
            if has_peers {
                let (from, to) = (CLONES[n % 3], CLONES[(n + 1) % 3]);
                run(&world, to, &["pull", "--remote", from]).ok();
            }
            let order = order.map(|i| CLONES[i]);
            run(&world, order[0], &["sync"]).ok();
            let first = holder(&world, order[0], &id);
            assert!(first.is_some());
            let mut notices = 0;
            for clone in [order[1], order[2], order[0], order[1], order[2]] {
                let output = run(&world, clone, &["sync"]);
                notices += said(&output).len();
                assert_eq!(holder(&world, clone, &id), first, "{order:?} {has_peers}");
            }
            // Each that lost is told, and the first of both. Of two that met before one is a conflict.
            let untold = usize::from(conflicts(&world, "a") != json!([]));
            assert!(
                notices + untold >= 3 && untold <= usize::from(has_peers),
                "{order:?} {has_peers}: {notices}"
            );
            let tips: Vec<String> = CLONES.iter().map(|clone| tip(&world, clone)).collect();
            assert!(
                tips.iter().all(|tip| *tip == tips[0]),
                "{order:?} {has_peers}"
            );
        }
    }
}

#[test]
fn what_was_done_under_a_replaced_claim_is_not_applied() {
    for (args, verb) in [
        (vec!["done", "-r", "ported"], "done"),
        (vec!["block", "-r", "no access"], "block"),
        (vec!["stop"], "stop"),
    ] {
        let (world, id) = three();
        run(&world, "a", &["start", &id]).ok();
        run(&world, "b", &["start", &id]).ok();
        let mut ended = args.clone();
        ended.insert(1, &id);
        run(&world, "b", &ended).ok();
        run(&world, "a", &["sync"]).ok();
        let lost = run(&world, "b", &["--json", "sync"]).json();
        assert_eq!(lost["claims_lost"][0]["not_applied"], json!(verb), "{lost}");
        assert_eq!(holder(&world, "b", &id), Some(party("a")));
        let comment = world.bd_in("b", &["show", &id]).ok();
        let reason = args.get(2);
        let said = reason.map(|reason| {
            format!(
                "{verb} by {}: {reason} (not applied: claimed by {})",
                party("b"),
                party("a")
            )
        });
        assert_eq!(
            said.is_some_and(|said| comment.contains(&said)),
            reason.is_some(),
            "{comment}"
        );
    }
}

#[test]
fn what_the_holder_does_before_it_hears_of_a_yield_is_kept() {
    for (args, status) in [
        (vec!["done", "-r", "ported"], "closed"),
        (vec!["block", "-r", "no access"], "blocked"),
        (vec!["stop"], "open"),
    ] {
        let (world, id) = three();
        run(&world, "a", &["start", &id]).ok();
        run(&world, "b", &["start", &id]).ok();
        run(&world, "b", &["sync"]).ok();
        let mut ended = args.clone();
        ended.insert(1, &id);
        run(&world, "b", &ended).ok();
        // Its clock may be any: the yield comes later.
        run(&world, "a", &["sync"]).ok();
        run(&world, "b", &["sync"]).ok();
        run(&world, "a", &["sync"]).ok();
        for clone in ["a", "b"] {
            let shown = world.bd_in(clone, &["show", &id, "--json"]).json();
            assert_eq!(shown["issue"]["status"], status, "{shown}");
            assert_eq!(conflicts(&world, clone), json!([]));
            let text = world.bd_in(clone, &["show", &id]).ok();
            assert!(!text.contains("not applied"), "{text}");
            assert!(
                args.get(2).is_none_or(|reason| text.contains(reason)),
                "{text}"
            );
        }
        assert_eq!(tip(&world, "a"), tip(&world, "b"));
        sound_in(&world, "b");
    }
}

#[test]
fn a_start_holds_against_a_release_that_it_did_not_know() {
    for starts_first in [false, true] {
        let (world, id) = three();
        let start = || run(&world, "a", &["start", &id]).ok();
        if starts_first {
            start();
        }
        run(&world, "b", &["start", &id]).ok();
        run(&world, "b", &["stop", &id]).ok();
        run(&world, "b", &["sync"]).ok();
        if !starts_first {
            start();
        }
        for clone in ["a", "b", "a"] {
            run(&world, clone, &["sync"]).ok();
        }
        for clone in ["a", "b"] {
            assert_eq!(holder(&world, clone, &id), Some(party("a")));
            assert_eq!(conflicts(&world, clone), json!([]));
        }
    }
}

#[test]
fn a_start_gives_way_to_the_end_of_the_work() {
    for (args, status, how) in [
        (["done", "-r", "it works"], "closed", "closed"),
        (["block", "-r", "no access"], "blocked", "blocked"),
        (["delete", "-r", "twice"], "", "deleted"),
    ] {
        let (world, id) = three();
        let mut ended = args.to_vec();
        ended.insert(1, &id);
        world.bd_in("a", &ended).ok();
        run(&world, "b", &["start", &id]).ok();
        run(&world, "a", &["sync"]).ok();
        let lost = run(&world, "b", &["--json", "sync"]).json();
        assert_eq!(lost["claims_lost"][0]["how"], json!(how), "{lost}");
        assert_eq!(conflicts(&world, "b"), json!([]));
        if !status.is_empty() {
            let list = world.bd_in("b", &["list", "--all"]).ok();
            assert!(list.contains(&format!(" {status} ")), "{list}");
        }
        assert_eq!(said(&run(&world, "b", &["sync"])), [""; 0]);
    }
}

#[test]
fn what_knew_the_other_claim_stays() {
    let (world, id) = three();
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["sync"]).ok();
    run(&world, "b", &["sync"]).ok();
    run(&world, "b", &["start", &id, "--force"]).ok();
    // Something else comes in between, so that there is a merge.
    create(&world, "a", &["Another"]);
    run(&world, "a", &["sync"]).ok();
    assert_eq!(said(&run(&world, "b", &["sync"])), [""; 0]);
    assert_eq!(holder(&world, "b", &id), Some(party("b")));
}

#[test]
fn a_person_may_close_what_another_has_started_meanwhile() {
    let (world, id) = three();
    run(&world, "a", &["start", &id]).ok();
    world.bd_in("b", &["done", &id, "-r", "not wanted"]).ok();
    run(&world, "a", &["sync"]).ok();
    assert_eq!(said(&run(&world, "b", &["sync"])), [""; 0]);
    assert_eq!(holder(&world, "b", &id), None);
}

#[test]
fn one_agent_in_two_clones_loses_nothing() {
    let (world, id) = three();
    let start = ["--actor", "ann", "--agent", "x-1", "start", &id];
    world.bd_in("a", &start).ok();
    world.bd_in("b", &start).ok();
    run(&world, "a", &["sync"]).ok();
    assert_eq!(said(&run(&world, "b", &["sync"])), [""; 0]);
    assert_eq!(holder(&world, "b", &id).as_deref(), Some("ann/x-1"));
}

#[test]
fn a_pull_judges_and_another_remote_does_not() {
    let (world, id) = three();
    run(&world, "b", &["start", &id]).ok();
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["sync"]).ok();
    // From a clone: the join alone decides, by the later stamp.
    run(&world, "b", &["pull", "--remote", "a"]).ok();
    assert_eq!(holder(&world, "b", &id), Some(party("a")));
    let log = world.bd_in("b", &["log", "-n", "1"]).ok();
    assert!(!log.contains("yield"), "{log}");
    let lost = run(&world, "b", &["--json", "pull"]).json();
    assert_eq!(
        lost["claims_lost"].as_array().map(Vec::len),
        Some(1),
        "{lost}"
    );
    assert_eq!(said(&run(&world, "b", &["pull"])), [""; 0]);
    run(&world, "b", &["sync"]).ok();
    assert_eq!(said(&run(&world, "a", &["sync"])).len(), 1);
}

#[test]
fn an_exchange_in_the_background_leaves_notices() {
    let (world, id) = three();
    run(&world, "a", &["start", &id]).ok();
    run(&world, "b", &["start", &id]).ok();
    run(&world, "a", &["sync"]).ok();
    run(&world, "b", &["hook", "pull", "origin"]).ok();
    let next = run(&world, "b", &["list"]);
    let notice = format!(
        "{id}: {} claimed it first (at origin); your claim",
        party("a")
    );
    assert!(next.stderr.contains(&notice), "{next:?}");
    assert!(!run(&world, "b", &["list"]).stderr.contains(&notice));
    run(&world, "b", &["sync"]).ok();
    run(&world, "a", &["hook", "pull", "origin"]).ok();
    let next = run(&world, "a", &["list"]);
    assert!(
        next.stderr
            .contains("had claimed it too, and that claim was released"),
        "{next:?}"
    );
}

#[test]
fn a_person_without_an_agent_is_told_whose_claim_is_released() {
    let (world, id) = three();
    for (clone, agent) in [("a", "x-1"), ("b", "x-2")] {
        let start = ["--actor", "ann", "--agent", agent, "start", &id];
        world.bd_in(clone, &start).ok();
    }
    for clone in ["a", "b", "a"] {
        let said = world.bd_in(clone, &["--actor", "ann", "sync"]).ok();
        assert!(!said.contains("your claim"), "{clone}: {said}");
        let released = said.contains("the claim of ann/x-2 is released");
        assert!(released || !said.contains("claim"), "{clone}: {said}");
    }
    assert_eq!(holder(&world, "b", &id).as_deref(), Some("ann/x-1"));
}

#[test]
fn what_both_have_closed_leaves_no_claim_to_settle() {
    let (world, id) = three();
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["sync"]).ok();
    run(&world, "b", &["start", &id]).ok();
    run(&world, "b", &["done", &id, "-r", "by b"]).ok();
    run(&world, "b", &["sync"]).ok();
    run(&world, "a", &["done", &id, "-r", "by a"]).ok();
    run(&world, "a", &["sync"]).ok();
    run(&world, "b", &["sync"]).ok();
    for clone in ["a", "b"] {
        assert_eq!(conflicts(&world, clone), json!([]), "{clone}");
    }
}

#[test]
fn a_claim_gives_way_to_what_came_with_a_purge() {
    let (world, id) = three();
    let leaked = create(&world, "a", &["Leaked"]);
    for clone in ["a", "b"] {
        world.bd_in(clone, &["sync"]).ok();
    }
    // The texts and the operations are in the index of both.
    world.bd_in("b", &["search", "Leaked"]).ok();
    world.bd_in("b", &["log"]).ok();
    run(&world, "a", &["start", &id]).ok();
    world.bd_in("a", &["purge", &leaked, "--yes"]).ok();
    world.bd_in("a", &["sync"]).ok();
    world.pass(60);
    run(&world, "b", &["start", &id]).ok();
    run(&world, "b", &["sync"]).ok();
    assert_eq!(holder(&world, "b", &id), Some(party("a")));
    assert_eq!(world.bd_in("b", &["search", "Leaked", "-q"]).stdout, "");
}
