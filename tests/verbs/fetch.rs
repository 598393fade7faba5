//! `fetch`: asks what a remote has, and changes nothing here.

use crate::support::clones::{create, failed, sync, tip, two_clones};

#[test]
fn what_others_sent_is_seen_and_not_taken_over() {
    let world = two_clones();
    let id = create(&world, "a", &["From a"]);
    sync(&world, &["a"]);
    let before = tip(&world, "b");
    let said = world.bd_in("b", &["fetch"]).ok();
    assert!(said.starts_with("origin: fetched"), "{said}");
    assert_eq!(tip(&world, "b"), before);
    assert!(!world.bd_in("b", &["list", "-q"]).ok().contains(&id));
    let status = world.bd_in("b", &["status", "--json"]).json();
    assert_eq!(status["remotes"][0]["behind"], 1, "{status}");
}

#[test]
fn its_answer_names_the_remote_and_moves_no_operation() {
    let world = two_clones();
    create(&world, "a", &["From a"]);
    sync(&world, &["a"]);
    let answer = world.bd_in("b", &["fetch", "--json"]).json();
    assert_eq!(
        (&answer["kind"], &answer["remote"], &answer["received"]),
        (&"report".into(), &"origin".into(), &0.into())
    );
}

#[test]
fn a_remote_that_is_none_is_refused_with_the_list_of_remotes() {
    let world = two_clones();
    let error = failed(
        world.bd_in("b", &["fetch", "--remote", "nowhere", "--json"]),
        1,
    );
    assert_eq!(
        (&error["code"], &error["hint"]),
        (&"not_found".into(), &"git remote -v".into())
    );
}
