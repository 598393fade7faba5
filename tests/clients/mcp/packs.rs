//! A server that stays open while packs come and go, whoever makes them.

use serde_json::json;

use super::Agent;
use crate::support::World;
use crate::support::packs::Packs;

/// What many changes at once leave: a pack, and not a file for each object.
fn import(world: &World, batch: usize) -> String {
    let line = |n| format!("{{\"id\": \"bd-{batch}x{n}\", \"title\": \"Issue {n}\"}}\n");
    let lines: String = (0..101).map(line).collect();
    world.bd_with(lines, &["import", "-"]).ok();
    format!("bd-{batch}x5")
}

#[test]
fn two_thousand_packs_come_and_go_beside_a_server() {
    let world = World::with_store();
    let (mut packs, mut agent) = (Packs::new(&world), Agent::new(&world));
    let mut ids = vec![agent.create("First", json!({}))];
    let batches = [
        (40, false),
        (460, false),
        (500, true),
        (900, true),
        (1100, false),
        (300, true),
    ];
    for (batch, (come, go)) in batches.into_iter().enumerate() {
        packs.come(come);
        ids.push(import(&world, batch));
        ids.push(agent.create("Here", json!({})));
        for id in &ids {
            agent.call("task_status", json!({"id": id}));
        }
        if go {
            packs.go();
        }
    }
    assert!(packs.count() > 2000);
    agent.create("Last", json!({}));
    let (code, said) = agent.end();
    assert_eq!((code, said.as_str()), (0, ""));
}
