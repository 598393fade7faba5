//! The repositories that a server may serve.

use serde_json::json;

use super::Agent;
use super::routing::store;
use crate::support::World;

#[test]
fn only_the_roots_may_be_named() {
    let world = World::empty();
    let inside = store(&world, "roots/in");
    let outside = store(&world, "out");
    let root = world.path("roots").display().to_string();
    std::os::unix::fs::symlink(&outside, world.path("roots/link")).unwrap();
    std::fs::create_dir(world.path("roots/forged")).unwrap();
    std::fs::write(
        world.path("roots/forged/.git"),
        format!("gitdir: {outside}/.git\n"),
    )
    .unwrap();
    let mut agent = Agent::in_folder(
        &world,
        "roots/in",
        &["--profile", "full", "--multi-repo", "--root", &root],
    );
    assert_eq!(
        agent.call("task_status", json!({"workspace_root": inside}))["repo"],
        inside
    );
    for bad in [
        outside.clone(),
        format!("{inside}/../../out"),
        format!("{root}/link"),
        format!("{root}/forged"),
    ] {
        for (tool, arguments) in [
            ("task_status", json!({"workspace_root": bad})),
            ("set_context", json!({"workspace_root": bad})),
        ] {
            assert_eq!(
                agent.refused(tool, arguments)["code"],
                "outside_roots",
                "{bad}"
            );
        }
    }
    assert_eq!(
        agent.refused("task_status", json!({"workspace_root": root}))["code"],
        "not_a_repository"
    );
    // Without --multi-repo it is not listed, and only what is near the server may be named.
    let mut single = Agent::in_folder(&world, "roots/in", &[]);
    single.call("task_status", json!({"workspace_root": inside}));
    let error = single.refused("task_status", json!({"workspace_root": outside}));
    assert_eq!(error["code"], "outside_roots");
    insta::assert_snapshot!(world.bd_in("out", &["mcp", "--multi-repo"]).fails(1), @"
    error: --multi-repo and --root DIR belong together
    hint: git beads mcp --multi-repo --root DIR
    ");
    insta::assert_snapshot!(world.bd_in("out", &["mcp", "--multi-repo", "--root", "nowhere"]).fails(1), @"
    error: --root WORLD/out/nowhere can't be opened: No such file or directory (os error 2)
    hint: name a folder that exists
    ");
}

#[test]
fn what_is_around_us_has_to_lie_in_the_roots_too() {
    let world = World::empty();
    let inside = store(&world, "roots/in");
    store(&world, "out");
    let root = world.path("roots").display().to_string();
    let mut agent = Agent::in_folder(&world, "out", &["--multi-repo", "--root", &root]);
    assert_eq!(
        agent.refused("task_status", json!({}))["code"],
        "outside_roots"
    );
    assert_eq!(
        agent.call("task_status", json!({"workspace_root": inside}))["repo"],
        inside
    );
}

#[test]
fn roots_of_one_name_are_told_apart_by_their_paths() {
    let world = World::empty();
    let names: Vec<String> = ["x/same", "y/same", "z/default"]
        .iter()
        .map(|name| store(&world, name))
        .collect();
    std::fs::create_dir(world.path("plain")).unwrap();
    let plain = world.path("plain").display().to_string();
    let roots = [
        "--root", &names[0], "--root", &names[1], "--root", &names[2], "--root", &plain,
    ];
    let mut agent = Agent::in_folder(
        &world,
        "home",
        &[&["--profile", "two", "--multi-repo"], &roots[..]].concat(),
    );
    let index = agent.tools()[0]["description"].as_str().unwrap().to_owned();
    assert!(
        index.ends_with(&format!("Workspaces: [default,{}]", names.join(","))),
        "{index}"
    );
    let context = json!({"workspaceId": names[1], "sessionId": "s", "memory": "m", "goal": "g"});
    let answer = agent.call(
        "useTools",
        json!({"context": context, "calls": [{"tool": "task_status", "params": {}}]}),
    );
    assert_eq!(
        answer["data"]["results"][0]["data"]["repo"],
        names[1].as_str()
    );
}
