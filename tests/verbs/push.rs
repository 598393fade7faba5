//! `push`: sends what a remote lacks.

use crate::support::clones::{create, failed, hub_tip, sync, tip, two_clones};

#[test]
fn own_work_reaches_the_remote() {
    let world = two_clones();
    create(&world, "b", &["From b"]);
    assert_eq!(world.bd_in("b", &["push"]).ok(), "origin: 1 change sent\n");
    assert_eq!(hub_tip(&world), tip(&world, "b"));
    sync(&world, &["a"]);
    assert_eq!(tip(&world, "a"), tip(&world, "b"));
}

#[test]
fn its_answer_counts_what_was_sent_and_a_dry_run_sends_nothing() {
    let world = two_clones();
    create(&world, "b", &["From b"]);
    let before = hub_tip(&world);
    world.bd_in("b", &["push", "--dry-run"]).ok();
    assert_eq!(hub_tip(&world), before);
    let answer = world.bd_in("b", &["push", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["remote"], &answer["sent"]),
        (&"report".into(), &"origin".into(), &1.into())
    );
}

#[test]
fn a_remote_that_is_none_is_refused_with_the_list_of_remotes() {
    let world = two_clones();
    let before = hub_tip(&world);
    create(&world, "b", &["From b"]);
    let error = failed(
        world.bd_in("b", &["push", "--remote", "nowhere", "--json"]),
        1,
    );
    assert_eq!(error["hint"], "git remote -v");
    assert_eq!(hub_tip(&world), before);
}
