//! The repositories that a server may serve.

use serde_json::{Value, json};

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
        "not_found"
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

/// A server in a folder without a repository, whose client works in these roots.
fn with_roots(world: &World, folder: &str) -> Agent {
    let mut agent = Agent::silent(world.command(
        folder,
        env!("CARGO_BIN_EXE_git-beads"),
        &["mcp", "--profile", "full"],
    ));
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {"roots": {"listChanged": true}},
        "clientInfo": {"name": "t", "version": "1"},
    });
    agent.rpc("initialize", hello);
    agent.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    agent
}

/// Calls a tool, and answers the question for the roots that comes before.
fn asked(agent: &mut Agent, roots: &[String], tool: &str) -> Value {
    let call = json!({"name": tool, "arguments": {}});
    let id = agent.request("tools/call", call);
    let question = agent.receive();
    assert_eq!(question["method"], "roots/list", "{question}");
    let roots: Vec<Value> = roots.iter().map(|uri| json!({"uri": uri})).collect();
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": roots}});
    agent.send(&answer.to_string());
    let answer = agent.receive();
    assert_eq!(answer["id"], id);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_client_is_asked_for_its_roots_where_the_server_was_started_elsewhere() {
    let world = World::empty();
    let place = store(&world, "my project é");
    let other = store(&world, "other");
    let plain = world.path("home").display().to_string();
    let encoded = place.replace(' ', "%20").replace('é', "%C3%A9");
    for uris in [
        vec![format!("file://{encoded}")],
        vec![format!("file://localhost{encoded}/")],
        vec![format!("file://{place}")],
        vec![
            "file:///c%3A/temp".to_owned(),
            format!("file://{plain}"),
            "https://example.com/x".to_owned(),
            format!("FILE://{encoded}"),
        ],
    ] {
        let mut agent = with_roots(&world, "home");
        let here = asked(&mut agent, &uris, "where_am_i");
        assert_eq!(
            (&here["workspace_root"], &here["found_by"]),
            (&json!(place), &json!("client roots")),
            "{uris:?}"
        );
        // Once.
        assert_eq!(agent.call("task_status", json!({}))["repo"], place);
        agent.create("Here", json!({}));
    }
    // Two that could be meant.
    let uris = [format!("file://{place}"), format!("file://{other}")];
    let mut agent = with_roots(&world, "home");
    let here = asked(&mut agent, &uris, "where_am_i");
    assert_eq!(
        (&here["workspace_root"], &here["could_be_meant"]),
        (&json!(place), &json!(other))
    );
    let message = agent.message("create", json!({"title": "Where?"}));
    assert!(
        message.contains(&place) && message.contains(&other) && !message.contains("CLAUDE"),
        "{message}"
    );
    agent.call("set_context", json!({"workspace_root": uris[1]}));
    agent.create("There", json!({}));
    assert_eq!(super::routing::titles(&world, "other"), ["There"]);
    // Others when the client says so; none is a refusal as before.
    let mut agent = with_roots(&world, "home");
    let error = asked(&mut agent, &[], "task_status");
    assert_eq!(error["code"], "not_a_repository");
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"});
    agent.send(&changed.to_string());
    let here = asked(&mut agent, &uris[1..], "where_am_i");
    assert_eq!(here["workspace_root"], other);
    // In a repository no one is asked.
    let mut agent = with_roots(&world, "other");
    assert_eq!(
        agent.call("where_am_i", json!({}))["found_by"],
        "current directory"
    );
}

#[test]
fn a_folder_may_be_named_by_its_address() {
    let mut world = World::empty();
    let place = store(&world, "my project é");
    let encoded = place.replace(' ', "%20").replace('é', "%C3%A9");
    let spellings = [
        place.clone(),
        format!("{place}/"),
        encoded.clone(),
        format!("file://{encoded}"),
        format!("file://localhost{encoded}"),
        format!("file://{place}"),
        format!("file://{encoded}/.git/.."),
    ];
    let root = world.path(".").display().to_string();
    let options = ["--profile", "full", "--multi-repo", "--root", &root];
    let mut agent = Agent::in_folder(&world, "home", &options);
    for spelling in &spellings {
        for tool in ["where_am_i", "set_context"] {
            let place_of = agent.call(tool, json!({"workspace_root": spelling}));
            assert_eq!(place_of["workspace_root"], place, "{tool} {spelling}");
        }
    }
    let message = agent.message(
        "task_status",
        json!({"workspace_root": "file://elsewhere/x"}),
    );
    assert!(message.contains("file://elsewhere/x"), "{message}");
    let uri = format!("file://{encoded}");
    let mut agent = Agent::in_folder(&world, "home", &["--profile", "full", "--repo", &uri]);
    assert_eq!(agent.call("where_am_i", json!({}))["workspace_root"], place);
    for variable in ["CLAUDE_PROJECT_DIR", "BEADS_WORKING_DIR", "GIT_BEADS_REPO"] {
        world.set(variable, &uri);
        let mut agent = Agent::in_folder(&world, "home", &["--profile", "full"]);
        let here = agent.call("where_am_i", json!({}));
        assert_eq!(
            (&here["workspace_root"], &here["found_by"]),
            (&json!(place), &json!(variable))
        );
        world.set(variable, "");
    }
}

#[test]
fn a_folder_that_was_made_again_is_that_of_the_server() {
    let world = World::empty();
    let main = store(&world, "main");
    let commit = ["commit", "--quiet", "--allow-empty", "-m", "first"];
    world.git_in("main", &commit).ok();
    let add = ["worktree", "add", "--quiet", "--force", "--detach", "../wt"];
    world.git_in("main", &add).ok();
    let mut agent = Agent::in_folder(&world, "wt", &["--profile", "full"]);
    agent.create("Before", json!({}));
    let remove = ["worktree", "remove", "--force", "../wt"];
    world.git_in("main", &remove).ok();
    assert_eq!(
        agent.refused("task_status", json!({}))["code"],
        "not_a_repository"
    );
    // The repository of the worktree is still known.
    let status = agent.call("task_list", json!({"workspace_root": main}));
    assert_eq!(status["issues"][0]["title"], "Before");
    world.git_in("main", &add).ok();
    let again = world.path("wt").canonicalize().unwrap();
    assert_eq!(
        agent.call("where_am_i", json!({}))["workspace_root"],
        again.display().to_string()
    );
    agent.create("After", json!({}));
    agent.call("task_status", json!({"workspace_root": again}));
    assert_eq!(super::routing::titles(&world, "wt"), ["After", "Before"]);
    // Another repository in its place is that, and not the one that was there.
    world.git_in("main", &remove).ok();
    store(&world, "wt");
    assert_eq!(agent.call("task_list", json!({}))["kind"], "empty");
    agent.create("New", json!({}));
    assert_eq!(super::routing::titles(&world, "wt"), ["New"]);
    assert_eq!(super::routing::titles(&world, "main").len(), 2);
}
