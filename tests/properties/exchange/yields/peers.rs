//! What clones bring from one another before the remote has it.

use serde_json::json;

use super::{CLONES, conflicts, holder, party, run, three};

#[test]
fn what_the_holder_ended_outlives_the_yields_of_those_who_heard_of_it_from_a_peer() {
    let ends = [
        (vec!["done", "-r", "ported"], "closed"),
        (vec!["block", "-r", "no access"], "blocked"),
    ];
    for ((mut ended, status), is_said_again) in ends
        .map(|end| [(end.clone(), false), (end, true)])
        .into_iter()
        .flatten()
    {
        let (world, id) = three();
        run(&world, "a", &["start", &id]).ok();
        run(&world, "a", &["sync"]).ok();
        ended.insert(1, &id);
        run(&world, "a", &ended).ok();
        // They know nothing of the remote, and start later than that end.
        for clone in ["b", "c"] {
            run(&world, clone, &["start", &id]).ok();
        }
        if is_said_again {
            run(&world, "b", &["sync"]).ok();
        }
        run(&world, "c", &["pull", "--remote", "a"]).ok();
        for clone in ["c", "a", "b", "c"] {
            run(&world, clone, &["sync"]).ok();
            let shown = world.bd_in(clone, &["show", &id, "--json"]).json();
            assert_eq!(
                shown["issue"]["status"], status,
                "{clone} {ended:?} {is_said_again}"
            );
        }
        for clone in CLONES {
            assert_eq!(
                conflicts(&world, clone),
                json!([]),
                "{clone} {ended:?} {is_said_again}"
            );
        }
    }
}

#[test]
fn what_the_holder_gave_back_is_free_for_who_heard_of_it_from_a_peer() {
    let (world, id) = three();
    run(&world, "a", &["start", &id]).ok();
    run(&world, "a", &["sync"]).ok();
    run(&world, "a", &["stop", &id]).ok();
    run(&world, "c", &["start", &id]).ok();
    run(&world, "c", &["pull", "--remote", "a"]).ok();
    for clone in ["c", "a", "b"] {
        run(&world, clone, &["sync"]).ok();
        assert_eq!(holder(&world, clone, &id), Some(party("c")), "{clone}");
        assert_eq!(conflicts(&world, clone), json!([]), "{clone}");
    }
}
