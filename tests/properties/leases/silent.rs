//! Agents elsewhere of which nothing is heard for the lease of their claim.

use super::{run, status, two};

#[test]
fn a_claim_whose_agent_is_silent_for_its_lease_is_free() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id, "--lease", "60m"]).ok();
    let refused = || run(&world, "b", &["start", &id]).fails(3);
    refused();
    world.bd_in("b", &["sync"]).ok();
    // By one exchange nothing is known, whatever the time of the claim.
    world.pass(61 * 60);
    refused();
    world.bd_in("b", &["sync"]).ok();
    let taken = run(&world, "b", &["start", &id]);
    let said = taken.all();
    assert!(
        taken.code == 0 && said.contains("whose lease of 60m is over"),
        "{said}"
    );
    let told = run(&world, "a", &["sync"]).all();
    assert!(
        told.contains("was taken over by b-person/b-agent"),
        "{told}"
    );
}

#[test]
fn who_writes_anything_is_at_work() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id, "--lease", "60m"]).ok();
    world.bd_in("b", &["sync"]).ok();
    world.pass(50 * 60);
    run(&world, "a", &["create", "Something else"]).ok();
    run(&world, "a", &["sync"]).ok();
    world.bd_in("b", &["sync"]).ok();
    world.pass(50 * 60);
    world.bd_in("b", &["sync"]).ok();
    run(&world, "b", &["start", &id]).fails(3);
    world.pass(11 * 60);
    world.bd_in("b", &["sync"]).ok();
    let taken = run(&world, "b", &["start", &id, "--json"]).json();
    assert_eq!(taken["claim"]["by"], "b-person/b-agent", "{taken}");
    assert_eq!(status(&world, "b", &id), "in_progress");
}

#[test]
fn a_short_lease_and_none_end_nothing_across_clones() {
    for lease in [&["--lease", "59m"][..], &[]] {
        let (world, id) = two("strict");
        run(&world, "a", &[&["start", &id][..], lease].concat()).ok();
        for _ in 0..2 {
            world.bd_in("b", &["sync"]).ok();
            world.pass(24 * 3600);
        }
        world.bd_in("b", &["sync"]).ok();
        run(&world, "b", &["start", &id]).fails(3);
    }
}

#[test]
fn what_a_start_has_just_fetched_counts_too() {
    let (world, id) = two("strict");
    run(&world, "a", &["start", &id, "--lease", "60m"]).ok();
    world.bd_in("b", &["sync"]).ok();
    world.pass(61 * 60);
    world.bd_in("b", &["sync"]).ok();
    run(&world, "a", &["note", &id, "at work"]).ok();
    run(&world, "a", &["sync"]).ok();
    run(&world, "b", &["start", &id]).fails(3);
}
