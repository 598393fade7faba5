//! `pull`: takes over what a remote has, and sends nothing.

use crate::support::clones::{create, failed, hub_tip, sync, tip, two_clones};

#[test]
fn what_others_sent_arrives_and_own_work_stays_here() {
    let world = two_clones();
    let theirs = create(&world, "a", &["From a"]);
    sync(&world, &["a"]);
    let own = create(&world, "b", &["From b"]);
    let hub = hub_tip(&world);
    assert_eq!(
        world.bd_in("b", &["pull"]).ok(),
        "origin: 1 change received, merged\n"
    );
    let ids = world.bd_in("b", &["list", "-q"]).ok();
    assert!(ids.contains(&theirs) && ids.contains(&own), "{ids}");
    assert_eq!(hub_tip(&world), hub);
}

#[test]
fn its_answer_counts_what_arrived_and_a_dry_run_takes_nothing() {
    let world = two_clones();
    create(&world, "a", &["From a"]);
    sync(&world, &["a"]);
    let before = tip(&world, "b");
    let tried = world.bd_in("b", &["pull", "--dry-run", "--json"]).json();
    assert_eq!((&tried["received"], tip(&world, "b")), (&1.into(), before));
    let answer = world.bd_in("b", &["pull", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["received"], &answer["sent"]),
        (&"report".into(), &1.into(), &0.into())
    );
    assert_eq!(tip(&world, "b"), hub_tip(&world));
}

#[test]
fn without_a_remote_it_says_how_to_add_one() {
    let world = two_clones();
    world.git_in("b", &["remote", "remove", "origin"]).ok();
    let error = failed(world.bd_in("b", &["pull", "--json"]), 1);
    assert_eq!(error["hint"], "git remote add origin URL");
}
