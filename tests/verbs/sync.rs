//! `sync`: fetches, merges and pushes; `properties` has what must hold of every exchange.

use crate::support::clones::{create, failed, hub_tip, tip, two_clones};

#[test]
fn both_sides_have_all_of_it_afterwards() {
    let world = two_clones();
    let (a, b) = (
        create(&world, "a", &["From a"]),
        create(&world, "b", &["From b"]),
    );
    assert_eq!(
        world.bd_in("a", &["sync"]).ok(),
        "origin: 1 change sent, 0 changes received\n"
    );
    world.bd_in("b", &["sync"]).ok();
    let ids = world.bd_in("b", &["list", "-q"]).ok();
    assert!(ids.contains(&a) && ids.contains(&b), "{ids}");
    assert_eq!(hub_tip(&world), tip(&world, "b"));
}

#[test]
fn its_answer_counts_what_went_each_way() {
    let world = two_clones();
    create(&world, "a", &["From a"]);
    create(&world, "b", &["From b"]);
    world.bd_in("a", &["sync"]).ok();
    let answer = world.bd_in("b", &["sync", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["received"], &answer["merged"]),
        (&"report".into(), &1.into(), &true.into())
    );
    assert_eq!(answer["conflicts"], 0);
}

#[test]
fn without_a_remote_it_says_how_to_add_one() {
    let world = two_clones();
    world.git_in("b", &["remote", "remove", "origin"]).ok();
    let error = failed(world.bd_in("b", &["sync", "--json"]), 1);
    assert_eq!(
        error["hint"],
        "git remote add origin URL; git beads carry puts the changes into a file that travels with your branch"
    );
}
