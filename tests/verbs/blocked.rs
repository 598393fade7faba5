//! `blocked`: what waits, and for what.

use insta::assert_snapshot;

use crate::support::World;
use crate::support::look::{ids, named, quiet};

#[test]
fn blocked_says_what_each_waits_for() {
    let world = World::with_store();
    named(&world, "bd-base", &["Base"]);
    named(&world, "bd-other", &["Other"]);
    named(
        &world,
        "bd-waits",
        &["Waits", "--on", "bd-base", "bd-other"],
    );
    named(&world, "bd-stuck", &["Stuck", "-p", "1"]);
    world.bd(&["block", "bd-stuck", "-r", "no access"]).ok();
    assert_snapshot!(world.bd(&["blocked"]).all(), @"
    bd-stuck P1 blocked task Stuck (no access)
    bd-waits P2 open task Waits <- bd-base, bd-other
    ");
    let answer = world.bd(&["blocked", "--json"]).json();
    assert_eq!(answer["total_count"], 2);
    assert_eq!(
        ids(&answer["issues"][1]["blocked_by"]),
        ["bd-base", "bd-other"]
    );
}

#[test]
fn blocked_names_only_open_blockers_and_empties() {
    let world = World::with_store();
    let (a, b) = (world.create(&["A"]), world.create(&["B"]));
    world.create(&["Waits", "--on", &a, &b]);
    world.bd(&["done", &a]).ok();
    let answer = world.bd(&["blocked", "--json"]).json();
    assert_eq!(ids(&answer["issues"][0]["blocked_by"]), [b.as_str()]);
    world.bd(&["done", &b]).ok();
    assert_eq!(world.bd(&["blocked"]).ok(), "nothing is blocked\n");
    assert_eq!(world.bd(&["blocked", "--json"]).json()["kind"], "empty");
}

#[test]
fn blocked_takes_filters_and_pages() {
    let world = World::with_store();
    let base = world.create(&["Base"]);
    let bug = world.create(&["Bug", "-t", "bug", "--on", &base]);
    world.create(&["Task", "--on", &base]);
    assert_eq!(quiet(&world, &["blocked", "-t", "bug"]), [bug]);
    let page = world.bd(&["blocked", "-n", "1", "--json"]).json();
    assert_eq!(
        (&page["returned"], &page["total_count"]),
        (&1.into(), &2.into())
    );
}
