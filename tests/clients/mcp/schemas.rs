//! What models pay for: the list of tools, its budgets, and that it is strict and portable.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;

/// What a model sees of the tools of a profile.
pub fn seen(world: &World, profile: &str) -> Vec<Value> {
    let mut agent = Agent::with(world, &["--profile", profile]);
    let part = |tool: &Value| json!({"name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"]});
    agent.tools().iter().map(part).collect()
}

/// How much a model pays for a text.
pub fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}

#[test]
fn the_budgets_hold() {
    let world = World::with_store();
    let size = |profile| {
        let text = Value::from(seen(&world, profile)).to_string();
        (text.len(), tokens(&text))
    };
    let (bytes, count) = size("task");
    assert!(
        bytes <= 6_500 && count <= 1_560,
        "task: {bytes} bytes, {count} tokens"
    );
    let (bytes, _) = size("read");
    assert!(bytes <= 2_650, "read: {bytes} bytes");
    let (_, count) = size("two");
    assert!(count <= 640, "two: {count} tokens");
    let (_, count) = size("lazy");
    assert!(count <= 190, "lazy: {count} tokens");
    let (bytes, _) = size("full");
    assert!(bytes <= 16_000, "full: {bytes} bytes");
    let greeting = Agent::new(&world).greeting["result"]["instructions"]
        .as_str()
        .unwrap()
        .len();
    assert!(greeting <= 600, "instructions: {greeting} bytes");
}

#[test]
fn instructions_name_only_tools_of_their_profile() {
    let world = World::with_store();
    let every: BTreeSet<String> = ["full", "lazy", "two"]
        .iter()
        .flat_map(|profile| seen(&world, profile))
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .filter(|name| name.contains('_') || name.ends_with("Tools"))
        .collect();
    for profile in ["task", "read", "full", "lazy", "two"] {
        let agent = Agent::with(&world, &["--profile", profile]);
        let text = agent.greeting["result"]["instructions"].as_str().unwrap();
        assert!(text.len() <= 600, "{profile}: {} bytes", text.len());
        assert!(text.contains("retry = fix the call"), "{profile}");
        let tools = seen(&world, profile);
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let named = words.by_ref().filter(|word| every.contains(*word));
        let mut count = 0;
        for name in named {
            assert!(
                tools.iter().any(|tool| tool["name"] == name),
                "{profile}: {name}"
            );
            count += 1;
        }
        assert!(count >= 2, "{profile}: {text}");
    }
}

#[test]
fn where_there_is_no_store_the_tools_that_lead_to_one_are_listed() {
    let world = World::new();
    let mut agent = Agent::new(&world);
    let names = |agent: &mut Agent| -> Vec<String> {
        let names = agent.tools();
        names
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let listed = names(&mut agent);
    assert!(
        listed.ends_with(&["set_context".into(), "init".into()]),
        "{listed:?}"
    );
    let count = tokens(&Value::from(seen(&world, "task")).to_string());
    assert!(count <= 1_680, "{count} tokens");
    assert_eq!(agent.refused("task_status", json!({}))["hint"], "init()");
    agent.call("init", json!({}));
    assert_eq!(agent.call("task_status", json!({}))["kind"], "empty");
    assert_eq!(
        names(&mut agent),
        listed,
        "the list never changes in a process"
    );
    assert_eq!(names(&mut Agent::new(&world)).len(), 11);
}

#[test]
fn every_schema_is_portable() {
    fn check(schema: &Value, at: &str) {
        let map = schema.as_object().unwrap();
        // An object whose members are known has no others.
        let is_closed = map.get("additionalProperties") == Some(&Value::Bool(false));
        assert_eq!(map.contains_key("properties"), is_closed, "{at}");
        for key in map.keys() {
            let known = [
                "type",
                "properties",
                "required",
                "items",
                "enum",
                "description",
                "additionalProperties",
            ];
            assert!(known.contains(&key.as_str()), "{at} has {key}");
        }
        assert!(
            schema["type"].is_string(),
            "{at}: one type, not {}",
            schema["type"]
        );
        if let Some(properties) = map.get("properties") {
            for (name, property) in properties.as_object().unwrap() {
                check(property, &format!("{at}.{name}"));
            }
            for name in schema["required"].as_array().into_iter().flatten() {
                assert!(
                    properties.get(name.as_str().unwrap()).is_some(),
                    "{at} requires {name}"
                );
            }
        }
        if let Some(items) = map.get("items") {
            check(items, &format!("{at}[]"));
        }
        assert_eq!(schema["type"] == "array", map.contains_key("items"), "{at}");
    }
    let world = World::new();
    for profile in ["full", "lazy", "two"] {
        for tool in seen(&world, profile) {
            check(&tool["inputSchema"], tool["name"].as_str().unwrap());
        }
    }
}

#[test]
fn every_tool_says_what_it_may_do() {
    let world = World::with_store();
    let reads: BTreeSet<&str> = [
        "task_status",
        "task_list",
        "ready",
        "list",
        "show",
        "search",
        "comments",
        "blocked",
        "stats",
        "log",
        "wait",
        "where_am_i",
        "session_context",
        "conflicts",
        "discover_tools",
        "get_tool_info",
    ]
    .into();
    for tool in Agent::with(&world, &["--profile", "full"]).tools() {
        let name = tool["name"].as_str().unwrap();
        let annotations = &tool["annotations"];
        assert_eq!(annotations["readOnlyHint"], reads.contains(name), "{name}");
        assert_eq!(
            annotations["openWorldHint"],
            ["init", "sync", "collect", "context"].contains(&name),
            "{name}"
        );
        if !reads.contains(name) {
            assert_eq!(
                annotations["destructiveHint"], false,
                "{name}: nothing is ever lost"
            );
        }
        assert!(tool.get("outputSchema").is_none());
        let words = name.replace('_', " ");
        assert!(
            tool["title"].as_str().unwrap().eq_ignore_ascii_case(&words),
            "{tool}"
        );
        let always = [
            "task_status",
            "task_list",
            "task_start",
            "task_progress",
            "task_done",
        ];
        let meta = tool["_meta"]["anthropic/alwaysLoad"].as_bool();
        assert_eq!(meta, always.contains(&name).then_some(true), "{name}");
    }
    for tool in Agent::with(&world, &["--profile", "read"]).tools() {
        assert_eq!(
            tool["annotations"]["readOnlyHint"], true,
            "{}",
            tool["name"]
        );
    }
}

#[test]
fn profiles_are_views_of_one_list() {
    let world = World::with_store();
    let names = |profile: &str| -> Vec<String> {
        seen(&world, profile)
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let full = names("full");
    insta::assert_snapshot!(names("task").join(" "), @"task_status task_list task_start task_progress task_update_meta task_decompose task_create task_link task_done task_reopen task_undo");
    insta::assert_snapshot!(names("read").join(" "), @"task_status task_list show stats log where_am_i session_context conflicts");
    insta::assert_snapshot!(names("lazy").join(" "), @"discover_tools get_tool_info read_tool call_tool");
    insta::assert_snapshot!(names("two").join(" "), @"getTools useTools");
    insta::assert_snapshot!(full.join(" "), @"task_status task_list task_start task_progress task_update_meta task_decompose task_create task_link task_done task_reopen task_undo ready list show search comments blocked stats log wait create claim comment note update close reopen dep set_context context admin where_am_i session_context init sync collect carry conflicts resolve discover_tools get_tool_info");
    for name in names("task").iter().chain(&names("read")) {
        assert!(full.contains(name), "{name}");
    }
}

#[test]
fn the_profile_comes_from_option_variable_or_configuration() {
    let mut world = World::with_store();
    let count = |world: &World, options: &[&str]| Agent::with(world, options).tools().len();
    assert_eq!(count(&world, &[]), 11);
    world.git(&["config", "beads.mcpProfile", "lazy"]).ok();
    assert_eq!(count(&world, &[]), 4);
    world.set("GIT_BEADS_MCP_PROFILE", "two");
    assert_eq!(count(&world, &[]), 2);
    assert_eq!(count(&world, &["--profile", "task"]), 11);
    let refused = world.bd(&["mcp", "--profile", "most"]).fails(1);
    insta::assert_snapshot!(refused, @"
    error: --profile is `most`; profiles are task, read, full, lazy, two
    hint: git beads mcp --profile task
    ");
    world.set("GIT_BEADS_MCP_PROFILE", "");
    world.git(&["config", "beads.mcpProfile", "some"]).ok();
    let mut agent = Agent::new(&world);
    assert_eq!(agent.refused("task_status", json!({}))["code"], "invalid");
    let error = agent.rpc("tools/list", json!({}));
    assert_eq!(
        error["error"]["message"],
        "beads.mcpProfile is `some`; profiles are task, read, full, lazy, two"
    );
}

#[test]
fn an_answer_costs_what_it_should() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    for i in 0..20 {
        agent.create(
            &format!("Issue {i} about the cache of the proxy"),
            json!({"priority": "P1"}),
        );
    }
    let (rows, _) = agent.raw("task_list", &json!({}));
    assert!(rows.len() <= 2_600, "20 rows: {} bytes", rows.len());
    assert_eq!(
        serde_json::from_str::<Value>(&rows).unwrap()["issues"]
            .as_array()
            .unwrap()
            .len(),
        20
    );
    let list = agent.call("list", json!({"limit": 20}));
    for issue in list.as_array().unwrap() {
        let beside = issue.to_string().len()
            - issue["title"].as_str().unwrap().len()
            - issue["labels"].to_string().len();
        assert!(beside <= 160, "{beside}: {issue}");
    }
}

#[test]
fn a_profile_of_the_user_holds_outside_of_repositories() {
    let world = World::empty();
    let config = world.path("home/.gitconfig");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{text}[beads]\n\tmcpProfile = read\n")).unwrap();
    world.git_in(".", &["init", "--quiet", "roots/a"]).ok();
    let root = world.path("roots").display().to_string();
    let mut agent = Agent::in_folder(&world, "home", &["--multi-repo", "--root", &root]);
    assert!(
        agent
            .tools()
            .iter()
            .all(|tool| tool["annotations"]["readOnlyHint"] == true)
    );
    let call = json!({"name": "task_create", "arguments": {"workspace_root": format!("{root}/a")}});
    assert_eq!(agent.rpc("tools/call", call)["error"]["code"], -32602);
}

/// Returns the paths of the arguments that a schema has.
fn arguments(schema: &Value, at: &str, found: &mut BTreeSet<String>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        found.insert(format!("{at}{name}"));
        arguments(&property["items"], &format!("{at}{name}."), found);
    }
}

#[test]
fn what_is_accepted_is_listed() {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    let a = agent.create("A", json!({}));
    let view = json!({"view": "meta", "meta_max_chars": 2, "memory_limit": 1});
    let call = |agent: &mut Agent, tool: &str, more: Value| {
        let mut arguments = view.clone();
        arguments["id"] = json!(a);
        arguments
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        assert_eq!(
            agent.call(tool, arguments)["issue"]["description"],
            "wh...",
            "{tool}"
        );
    };
    call(&mut agent, "task_start", json!({}));
    call(&mut agent, "task_update_meta", json!({"acceptance": "all"}));
    agent.call("task_done", json!({"id": a, "reason": "ok"}));
    call(&mut agent, "task_reopen", json!({"reason": "no"}));
    let mut listed = BTreeSet::new();
    let full = seen(&world, "full");
    for tool in &full {
        let name = tool["name"].as_str().unwrap();
        arguments(&tool["inputSchema"], &format!("{name}."), &mut listed);
    }
    for argument in [
        "task_start.meta_max_chars",
        "task_progress.memory_limit",
        "task_progress.force",
        "task_update_meta.view",
        "task_reopen.memory_limit",
        "task_create.assignee",
        "task_decompose.sub_issues.labels",
        "task_decompose.sub_issues.dep_type",
        "task_done.commit",
        "task_done.force",
        "task_list.as",
    ] {
        assert!(listed.contains(argument), "{argument}");
    }
    // Unknown fields are refused, and what the refusal names is what is listed; so is each argument of another tool.
    for tool in full {
        let name = tool["name"].as_str().unwrap();
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        if ["context", "admin"].contains(&name) {
            // They are answered by the tool that their first argument chooses.
            continue;
        }
        let mut arguments = json!({"bogus": 1});
        for field in ["workspace_root", "tool_name"] {
            if properties.contains_key(field) {
                arguments[field] = json!(world.path("repo").display().to_string());
            }
        }
        let message = agent.message(name, arguments);
        let Some((_, allowed)) = message.split_once("allowed: ") else {
            panic!("{name}: {message}");
        };
        let allowed: BTreeSet<&str> = allowed.trim_end_matches(')').split(", ").collect();
        let names: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
        assert!(
            names
                .iter()
                .all(|it| *it == "workspace_root" || allowed.contains(it))
                && allowed.iter().all(|it| *it == "none" || names.contains(it)),
            "{name}: {allowed:?} {names:?}"
        );
    }
}

#[test]
fn what_a_start_of_many_agents_needs_is_listed() {
    let world = World::with_store();
    let mut agent = Agent::new(&world);
    let tools = agent.tools();
    let start = tools.iter().find(|tool| tool["name"] == "task_start");
    let listed = &start.unwrap()["inputSchema"]["properties"];
    assert_eq!(listed["as"]["type"], "string");
    assert_eq!(listed["force"]["type"], "boolean");
    let said = agent.greeting["result"]["instructions"].as_str().unwrap();
    assert!(
        said.contains("Agents of one session each pass as=\"NAME\"."),
        "{said}"
    );
    let message = agent.message("task_start", json!({"foo": 1}));
    assert!(
        message.contains(" as, ") && message.contains(" force, "),
        "{message}"
    );
    let mut lazy = Agent::with(&world, &["--profile", "lazy"]);
    let told = lazy.call("get_tool_info", json!({"tool_name": "task_start"}));
    assert_eq!(told["parameters"]["as"], "string");
    assert_eq!(told["parameters"]["force"], "boolean");
    let mut full = Agent::with(&world, &["--profile", "full"]);
    let tools = full.tools();
    let ready = tools.iter().find(|tool| tool["name"] == "ready").unwrap();
    assert_eq!(
        ready["description"],
        "Find ready issues; over 20 return a preview"
    );
}
