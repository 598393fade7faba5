//! Our ref on a commit of the project: an error, never an empty store.

use crate::clients::mcp::Agent;
use crate::support::World;
use crate::support::plumbing::{REF, git, hub, sound, tip};

/// A project with a commit of its own and a store with two issues.
fn project() -> World {
    let world = World::with_store();
    world.create(&["One"]);
    world.create(&["Two"]);
    world.file("repo/file", "text\n");
    git(&world, &["add", "file"]);
    git(&world, &["commit", "--quiet", "-m", "first"]);
    world
}

fn titles(world: &World) -> usize {
    world.bd(&["list", "-q"]).ok().lines().count()
}

#[test]
fn a_commit_of_the_project_is_no_empty_store() {
    for forgets in [false, true] {
        let world = project();
        let own = tip(&world);
        git(&world, &["update-ref", REF, "HEAD"]);
        if forgets {
            std::fs::remove_dir_all(world.path("repo/.git/beads")).unwrap();
        }
        for args in [
            &["list"][..],
            &["ready"],
            &["status"],
            &["show", "bd-1"],
            &["create", "Three"],
            &["import", "-"],
            &["rename-prefix", "web"],
            &["init"],
            &["sync"],
            &["export"],
            &["log"],
        ] {
            let said = world.bd_with("", args);
            if args == ["sync"] && said.code == 1 {
                continue;
            }
            assert_eq!(said.code, 6, "{args:?} {said:?}");
            let named = ["keeps no issues", "meta.json at"];
            assert!(
                named.iter().any(|words| said.stderr.contains(words)),
                "{args:?} {said:?}"
            );
            assert!(
                said.stderr.contains("hint: git beads doctor --fix"),
                "{args:?} {said:?}"
            );
        }
        let found = world.bd(&["doctor"]);
        assert!(
            found.stdout.contains("ref: ") && found.stdout.contains("git beads doctor --fix"),
            "{found:?}"
        );
        let _ = found.fails(1);
        let mended = world.bd(&["doctor", "--fix"]);
        assert_eq!(mended.code, 0, "{mended:?}");
        assert_eq!((tip(&world), titles(&world)), (own, 2));
        assert!(world.bd(&["doctor"]).ok().contains("no problems"));
        world.create(&["Three"]);
        sound(&world);
    }
}

#[test]
fn an_agent_is_told_of_a_commit_of_the_project() {
    let world = project();
    let mut agent = Agent::new(&world);
    agent.call("task_list", serde_json::json!({}));
    git(&world, &["update-ref", REF, "HEAD"]);
    let error = agent.refused("task_list", serde_json::json!({}));
    assert_eq!(error["code"], "damaged", "{error}");
    assert_eq!(
        error["hint"], "a person can run: git beads doctor --fix",
        "{error}"
    );
    world.bd(&["doctor", "--fix"]).ok();
    agent.call("task_list", serde_json::json!({}));
}

#[test]
fn a_commit_of_the_project_is_merged_with_nothing() {
    let world = project();
    hub(&world);
    git(&world, &["config", "beads.trackFetch", "true"]);
    world.bd(&["sync"]).ok();
    git(&world, &["update-ref", "-d", "refs/beads-seen/origin/main"]);
    git(&world, &["update-ref", REF, "HEAD"]);
    let head = git(&world, &["rev-parse", "HEAD"]);
    let _ = world.bd(&["list"]).fails(6);
    let _ = world.bd(&["sync"]).fails(6);
    assert_eq!(tip(&world), head);
}
