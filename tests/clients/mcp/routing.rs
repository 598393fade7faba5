//! Seed 002: every call finds its repository, or says why not. Two never mix.

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;

pub fn store(world: &World, name: &str) -> String {
    world.git_in(".", &["init", "--quiet", name]).ok();
    world.bd_in(name, &["init"]).ok();
    real(world, name)
}

fn real(world: &World, name: &str) -> String {
    world
        .path(name)
        .canonicalize()
        .unwrap()
        .display()
        .to_string()
}

pub fn titles(world: &World, name: &str) -> Vec<String> {
    let list = world.bd_in(name, &["list", "--json", "-n", "0"]).json();
    let mut titles: Vec<String> = list["issues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| issue["title"].as_str().unwrap().to_owned())
        .collect();
    titles.sort();
    titles
}

#[test]
fn the_repository_around_the_current_directory_answers() {
    let world = World::empty();
    let a = store(&world, "a");
    std::fs::create_dir_all(world.path("a/deep/below")).unwrap();
    for folder in ["a", "a/deep/below"] {
        let mut agent = Agent::in_folder(&world, folder, &["--profile", "full"]);
        let told = agent.call("task_status", json!({}));
        assert!(told.get("repo").is_none(), "obvious: {told}");
        let here = agent.call("where_am_i", json!({}));
        assert_eq!(
            (&here["workspace_root"], &here["ref"], &here["actor"]),
            (&json!(a), &json!("refs/beads/main"), &json!("Ann"))
        );
        assert_eq!(
            (&here["common_dir"], &here["found_by"]),
            (&json!(format!("{a}/.git")), &json!("current directory"))
        );
    }
}

#[test]
fn a_folder_without_a_repository_says_what_to_do() {
    let world = World::empty();
    for folder in ["/", world.path("home").to_str().unwrap()] {
        let mut command = world.command(".", env!("CARGO_BIN_EXE_git-beads"), &["mcp"]);
        command
            .current_dir(folder)
            .env("GIT_CEILING_DIRECTORIES", world.path("."));
        let mut agent = Agent::start(command);
        assert_eq!(agent.tools().len(), 13, "listing needs no repository");
        for (tool, arguments) in [
            ("task_status", json!({})),
            ("task_start", json!({"user_request": "x"})),
        ] {
            let error = agent.refused(tool, arguments);
            assert_eq!(error["code"], "not_a_repository");
            assert!(
                error["message"]
                    .as_str()
                    .unwrap()
                    .starts_with("No git repository found from /"),
                "{error}"
            );
            assert_eq!(
                error["hint"],
                "start the server in the repository, or with --repo DIR, or set GIT_BEADS_REPO=DIR; \
                 set_context(workspace_root=...) names one"
            );
        }
        assert_eq!(agent.end(), (0, String::new()));
    }
}

#[test]
fn a_repository_can_be_named_in_order() {
    let mut world = World::empty();
    let names: Vec<String> = ["a", "b", "c", "d"]
        .iter()
        .map(|name| store(&world, name))
        .collect();
    let ask = |agent: &mut Agent| agent.call("where_am_i", json!({}));
    let full = ["--profile", "full"];
    world.set("GIT_BEADS_REPO", &names[1]);
    let here = ask(&mut Agent::in_folder(&world, "a", &full));
    assert_eq!(
        (&here["workspace_root"], &here["found_by"]),
        (&json!(names[1]), &json!("GIT_BEADS_REPO"))
    );
    let mut agent = Agent::in_folder(&world, "a", &["--profile", "full", "--repo", "../c"]);
    let here = ask(&mut agent);
    assert_eq!(
        (&here["workspace_root"], &here["found_by"]),
        (&json!(names[2]), &json!("--repo"))
    );
    let set = agent.call("set_context", json!({"workspace_root": names[3]}));
    assert_eq!(
        set,
        json!({"workspace_root": names[3], "common_dir": format!("{}/.git", names[3]), "ref": "refs/beads/main"})
    );
    let here = ask(&mut agent);
    assert_eq!(
        (&here["workspace_root"], &here["found_by"]),
        (&json!(names[3]), &json!("set_context"))
    );
    agent.call(
        "task_create",
        json!({"title": "In d", "description": "d", "design": "h", "acceptance": "a"}),
    );
    assert_eq!(
        (titles(&world, "d"), titles(&world, "c").len()),
        (vec!["In d".to_owned()], 0)
    );
    // A context that can't be is not taken, and the old one holds.
    assert_eq!(
        agent.refused("set_context", json!({"workspace_root": "relative"}))["code"],
        "invalid"
    );
    assert_eq!(
        agent.refused("set_context", json!({"workspace_root": "/nowhere/at/all"}))["code"],
        "not_found"
    );
    let home = world.path("home").display().to_string();
    assert_eq!(
        agent.refused("set_context", json!({"workspace_root": home}))["code"],
        "not_found"
    );
    assert_eq!(
        agent.message("set_context", json!({})),
        "Missing required fields: workspace_root"
    );
    assert_eq!(ask(&mut agent)["workspace_root"], names[3]);
}

#[test]
fn the_clients_project_is_asked_last_and_a_rival_stops_writes() {
    let mut world = World::empty();
    let (a, b) = (store(&world, "a"), store(&world, "b"));
    world.set("CLAUDE_PROJECT_DIR", &b);
    let mut alone = Agent::in_folder(&world, "home", &["--profile", "full"]);
    assert_eq!(
        alone.call("where_am_i", json!({}))["found_by"],
        "CLAUDE_PROJECT_DIR"
    );
    assert_eq!(alone.call("task_status", json!({}))["repo"], b);
    alone.create("From home", json!({}));
    let mut torn = Agent::in_folder(&world, "a", &["--profile", "full"]);
    assert_eq!(
        torn.call("task_status", json!({}))["repo"],
        a,
        "reading is safe"
    );
    assert_eq!(torn.call("where_am_i", json!({}))["could_be_meant"], b);
    let error = torn.refused("create", json!({"title": "Where?"}));
    assert_eq!(error["code"], "unclear_context");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(&a) && message.contains(&b), "{message}");
    let hint = format!(
        "name one: set_context(workspace_root=\"{a}\") or set_context(workspace_root=\"{b}\"); start the server with \
         --repo DIR"
    );
    assert_eq!(error["hint"], hint);
    let plain =
        Agent::in_folder(&world, "a", &[]).refused("task_start", json!({"user_request": "x"}));
    assert_eq!(plain["hint"], hint, "the tool is listed where it is needed");
    torn.call("set_context", json!({"workspace_root": a}));
    torn.call("create", json!({"title": "Here"}));
    assert_eq!(
        (titles(&world, "a"), titles(&world, "b")),
        (vec!["Here".to_owned()], vec!["From home".to_owned()])
    );
    // Two worktrees of one repository are no rivals.
    world
        .git_in("b", &["commit", "--quiet", "--allow-empty", "-m", "first"])
        .ok();
    world
        .git_in("b", &["worktree", "add", "--quiet", "../linked"])
        .ok();
    let mut linked = Agent::in_folder(&world, "linked", &[]);
    linked.create("From a worktree", json!({}));
    assert_eq!(titles(&world, "b"), ["From a worktree", "From home"]);
}

#[test]
fn git_variables_of_others_are_ignored() {
    let mut world = World::empty();
    let (_, b) = (store(&world, "a"), store(&world, "b"));
    world
        .set("GIT_DIR", &format!("{b}/.git"))
        .set("GIT_WORK_TREE", &b)
        .set("GIT_INDEX_FILE", "/nowhere/index");
    let mut agent = Agent::in_folder(&world, "a", &[]);
    agent.create("Here", json!({}));
    world.set("GIT_DIR", "").set("GIT_WORK_TREE", "");
    let list = |name: &str| {
        let mut command = world.command(name, env!("CARGO_BIN_EXE_git-beads"), &["list", "-q"]);
        command
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE");
        world.run(command, None).ok().lines().count()
    };
    assert_eq!((list("a"), list("b")), (1, 0));
}

#[test]
fn a_linked_worktree_reaches_the_same_store() {
    let world = World::empty();
    store(&world, "a");
    world
        .git_in("a", &["commit", "--quiet", "--allow-empty", "-m", "first"])
        .ok();
    let mut session = Agent::in_folder(&world, "a", &["--profile", "full"]);
    let id = session.create("Before", json!({}));
    world
        .git_in("a", &["worktree", "add", "--quiet", "../moved"])
        .ok();
    // The client moves into the worktree; the server stays where it was.
    session.create("From the old place", json!({}));
    let mut there = Agent::in_folder(&world, "moved", &["--profile", "full"]);
    there.call("task_start", json!({"id": id}));
    assert_eq!(
        session.call("task_status", json!({"id": id}))["issue"]["status"],
        "in_progress"
    );
    assert_eq!(
        there.call("where_am_i", json!({}))["common_dir"],
        session.call("where_am_i", json!({}))["common_dir"]
    );
    session.call(
        "set_context",
        json!({"workspace_root": real(&world, "moved")}),
    );
    session.create("From the new place", json!({}));
    assert_eq!(
        titles(&world, "a"),
        ["Before", "From the new place", "From the old place"]
    );
    // A worktree that is removed while it is the context is said, not replaced by a guess.
    world
        .git_in("a", &["worktree", "remove", "--force", "../moved"])
        .ok();
    assert_eq!(
        session.refused("task_status", json!({}))["code"],
        "not_a_repository"
    );
}

#[test]
fn writes_wait_for_a_workspace_where_that_is_asked_for() {
    let mut world = World::empty();
    let a = store(&world, "a");
    world.set("BEADS_REQUIRE_CONTEXT", "1");
    for profile in ["task", "read", "lazy", "two"] {
        let tools = Agent::in_folder(&world, "a", &["--profile", profile]).tools();
        let names: Vec<&str> = tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert!(
            names.contains(&"set_context") && names.contains(&"where_am_i"),
            "{profile}: {names:?}"
        );
    }
    let issue = json!({"title": "T", "description": "d", "design": "h", "acceptance": "a"});
    let mut agent = Agent::in_folder(&world, "a", &[]);
    assert_eq!(
        agent.call("task_status", json!({}))["repo"],
        a,
        "reading needs no context"
    );
    let error = agent.refused("task_create", issue.clone());
    assert_eq!(
        (&error["code"], &error["hint"]),
        (
            &json!("unclear_context"),
            &json!(format!("set_context(workspace_root=\"{a}\")"))
        )
    );
    agent.call("set_context", json!({"workspace_root": a}));
    agent.call("task_create", issue.clone());
    Agent::in_folder(&world, "a", &["--repo", "."]).call("task_create", issue.clone());
    world.set("GIT_BEADS_REPO", &a);
    Agent::in_folder(&world, "home", &[]).call("task_create", issue.clone());
    world
        .set("GIT_BEADS_REPO", "")
        .set("BEADS_REQUIRE_CONTEXT", "0");
    Agent::in_folder(&world, "a", &[]).call("task_create", issue);
    assert_eq!(titles(&world, "a").len(), 4);
}

#[test]
fn many_repositories_of_one_process_never_mix() {
    let world = World::empty();
    let names: Vec<String> = (0..3)
        .map(|i| store(&world, &format!("roots/r{i}")))
        .collect();
    let mut agent = Agent::in_folder(
        &world,
        "home",
        &[
            "--multi-repo",
            "--root",
            world.path("roots").to_str().unwrap(),
        ],
    );
    for tool in agent.tools() {
        assert_eq!(
            tool["inputSchema"]["properties"]["workspace_root"]["type"], "string",
            "{}",
            tool["name"]
        );
    }
    assert_eq!(
        agent.refused("task_status", json!({}))["code"],
        "not_a_repository",
        "nothing is around us"
    );
    let mut asked = std::collections::BTreeMap::new();
    for i in 0..60 {
        let arguments = json!({"title": format!("r{} {i:02}", i % 3), "description": "d", "design": "h", "acceptance": "a",
            "workspace_root": names[i % 3]});
        asked.insert(
            agent.request(
                "tools/call",
                json!({"name": "task_create", "arguments": arguments}),
            ),
            i,
        );
        let status = json!({"workspace_root": names[i % 3]});
        asked.insert(
            agent.request(
                "tools/call",
                json!({"name": "task_status", "arguments": status}),
            ),
            1000 + i,
        );
    }
    for _ in 0..120 {
        let answer = agent.receive();
        let text: Value =
            serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
        let i = asked[&answer["id"].as_u64().unwrap()];
        match i.checked_sub(1000) {
            Some(i) => assert_eq!(text["repo"], names[i % 3]),
            None => assert_eq!(text["kind"], "created"),
        }
    }
    for i in 0..3 {
        let expected: Vec<String> = (0..60)
            .filter(|n| n % 3 == i)
            .map(|n| format!("r{i} {n:02}"))
            .collect();
        assert_eq!(titles(&world, &format!("roots/r{i}")), expected);
    }
}

#[test]
fn a_context_of_the_two_tools_chooses_a_workspace() {
    let world = World::empty();
    let (first, _) = (store(&world, "first"), store(&world, "second"));
    let (a, b) = (
        world.path("first").display().to_string(),
        world.path("second").display().to_string(),
    );
    let mut agent = Agent::in_folder(
        &world,
        "first",
        &[
            "--profile",
            "two",
            "--multi-repo",
            "--root",
            &a,
            "--root",
            &b,
        ],
    );
    assert!(
        agent.tools()[0]["description"]
            .as_str()
            .unwrap()
            .ends_with("Workspaces: [default,first,second]")
    );
    let ask = |agent: &mut Agent, workspace: &str| {
        let context =
            json!({"workspaceId": workspace, "sessionId": "s", "memory": "m", "goal": "g"});
        let answer = agent.call(
            "useTools",
            json!({"context": context, "calls": [{"tool": "task_status", "params": {}}]}),
        );
        answer["data"]["results"][0]["data"]["repo"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(ask(&mut agent, "default"), first);
    assert_eq!(ask(&mut agent, "second"), real(&world, "second"));
    assert_eq!(ask(&mut agent, &b), real(&world, "second"));
}

#[test]
fn the_variables_of_beads_mcp_are_obeyed() {
    let mut world = World::empty();
    let (a, b) = (store(&world, "a"), store(&world, "b"));
    world.set("BEADS_WORKING_DIR", &b);
    let status = |world: &World| Agent::in_folder(world, "a", &[]).call("task_status", json!({}));
    assert_eq!(status(&world)["repo"], b);
    // There is no such database: the repository around its place is meant.
    world
        .set("BEADS_WORKING_DIR", "")
        .set("BEADS_DB", &format!("{b}/.beads/bd.db"));
    assert_eq!(status(&world)["repo"], b);
    world.set("GIT_BEADS_REPO", &a);
    assert_eq!(status(&world)["repo"], a, "ours goes before");
    let nothing = world.path("nothing").display().to_string();
    std::fs::create_dir(&nothing).unwrap();
    world
        .set("GIT_BEADS_REPO", "")
        .set("BEADS_WORKING_DIR", &nothing);
    let refused = Agent::in_folder(&world, "a", &[]).refused("task_status", json!({}));
    assert_eq!(
        refused["message"],
        format!("No git repository found from {nothing} (BEADS_WORKING_DIR)")
    );
}

#[test]
fn a_context_is_required_by_every_word_for_yes() {
    let mut world = World::with_store();
    for (value, strict) in [
        ("1", true),
        ("true", true),
        ("YES", true),
        ("on", true),
        ("0", false),
        ("false", false),
        ("no", false),
        ("off", false),
        ("", false),
    ] {
        world.set("BEADS_REQUIRE_CONTEXT", value);
        let listed = Agent::new(&world).tools();
        let names = listed.iter().any(|tool| tool["name"] == "set_context");
        assert_eq!(names, strict, "{value}");
    }
    world.set("BEADS_REQUIRE_CONTEXT", "maybe");
    let refused = world.bd(&["mcp"]).fails(1);
    assert!(
        refused.contains(
            "BEADS_REQUIRE_CONTEXT must be 1 (true, yes, on) or 0 (false, no, off), not `maybe`"
        ),
        "{refused}"
    );
}
