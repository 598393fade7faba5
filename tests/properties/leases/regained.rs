//! Claims that come back: an undo or a restore asks the remote again, and what is not to be had stays open.

use super::{claims, run, started, status, two};
use crate::support::clones::create;

#[test]
fn an_undo_asks_the_remote_again_for_the_claim() {
    for policy in ["strict", "remote"] {
        let (world, id) = two(policy);
        started(&run(&world, "a", &["start", &id, "--json"]));
        run(&world, "a", &["stop", &id]).ok();
        run(&world, "a", &["undo"]).ok();
        assert_eq!(status(&world, "a", &id), "in_progress", "{policy}");
        assert_eq!(claims(&world).len(), 1, "{policy}");
        let refused = run(&world, "b", &["start", &id]);
        assert_eq!(refused.code, 3, "{policy}: {refused:?}");
        run(&world, "a", &["done", &id, "-r", "x"]).ok();
        assert_eq!(claims(&world), [] as [String; 0]);
    }
}

#[test]
fn an_undo_takes_no_claim_back_that_another_clone_has() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["stop", &id]).ok();
    run(&world, "b", &["start", &id]).ok();
    let refused = run(&world, "a", &["undo"]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(
        refused
            .stderr
            .contains("its claim could not be confirmed: ")
    );
    run(&world, "a", &["sync"]).ok();
    run(&world, "b", &["done", &id, "-r", "by b"]).ok();
    run(&world, "a", &["sync"]).ok();
    assert_eq!(status(&world, "a", &id), "closed");
}

#[test]
fn a_claim_is_not_taken_back_by_force_of_a_missing_remote() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["stop", &id]).ok();
    std::fs::rename(world.path("hub.git"), world.path("away.git")).unwrap();
    let refused = run(&world, "a", &["undo"]);
    assert_eq!(refused.code, 5, "{refused:?}");
    assert_eq!(status(&world, "a", &id), "open");
}

#[test]
fn a_restored_issue_asks_again_too() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["delete", &id]).ok();
    run(&world, "a", &["sync"]).ok();
    assert_eq!(claims(&world), [] as [String; 0]);
    run(&world, "a", &["restore", &id]).ok();
    assert_eq!(status(&world, "a", &id), "in_progress");
    assert_eq!(claims(&world).len(), 1);
}

#[test]
fn what_was_undone_is_no_error_where_the_remote_is_configured_wrongly() {
    let (world, id) = two("remote");
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["stop", &id]).ok();
    for (key, value) in [("beads.remote", "nowhere"), ("beads.claims", "perhaps")] {
        let config = |arguments: &[&str]| {
            let config = [&["-C", "a", "config"], arguments].concat();
            world.git(&config).ok();
        };
        config(&[key, value]);
        let undone = run(&world, "a", &["undo"]);
        assert_eq!(undone.code, 0, "{undone:?}");
        let is_said = undone.stderr.contains("`nowhere` is not a remote");
        assert_eq!(is_said, key == "beads.remote", "{undone:?}");
        assert_eq!(status(&world, "a", &id), "in_progress", "{key}");
        config(&["--unset", key]);
        run(&world, "a", &["stop", &id]).ok();
    }
}

#[test]
fn a_takeover_that_is_undone_frees_the_issue_though_its_former_holder_has_heard_of_it() {
    let (world, id) = two("strict");
    run(&world, "b", &["start", &id]).ok();
    run(&world, "a", &["start", &id, "--force"]).ok();
    run(&world, "b", &["stop", &id]).fails(3);
    let undone = run(&world, "a", &["undo"]);
    for clone in ["a", "b", "a"] {
        run(&world, clone, &["sync"]).ok();
        assert_eq!(status(&world, clone, &id), "open", "{clone}: {undone:?}");
    }
}

#[test]
fn an_undo_of_something_else_leaves_the_claim_of_another_clone() {
    let (world, id) = two("strict");
    let own = create(&world, "a", &["Own"]);
    run(&world, "a", &["start", &own]).ok();
    run(&world, "b", &["start", &id]).ok();
    run(&world, "b", &["sync"]).ok();
    run(&world, "a", &["sync"]).ok();
    for change in [
        &["update", &id, "--priority", "1"][..],
        &["note", &id, "seen"],
    ] {
        run(&world, "a", change).ok();
        let undone = run(&world, "a", &["undo"]);
        assert_eq!(undone.stderr, "", "{undone:?}");
        run(&world, "a", &["sync"]).ok();
        assert_eq!(status(&world, "a", &id), "in_progress", "{undone:?}");
    }
    run(&world, "b", &["done", &id, "-r", "ported"]).ok();
}
