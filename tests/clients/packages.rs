//! What agents install git-beads by: a bundle of the server, the entry for the MCP registry and a plugin for Claude Code.
//! `.ci/agent-packages` makes them of the program under test; `tests/fixtures/schemas` has what they are held against.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::mcp::Agent;
use crate::support::schema::violations;
use crate::support::{World, binary};

/// Prints the modes in a bundle, and takes it apart.
const UNPACK: &str = "import json, sys, zipfile\n\
    bundle = zipfile.ZipFile(sys.argv[1])\n\
    bundle.extractall(sys.argv[2])\n\
    print(json.dumps({entry.filename: entry.external_attr >> 16 for entry in bundle.infolist()}))";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn schema(name: &str) -> Value {
    let path = root().join("tests/fixtures/schemas").join(name);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn read(world: &World, path: &str) -> String {
    fs::read_to_string(world.path(path)).unwrap()
}

fn read_json(world: &World, path: &str) -> Value {
    serde_json::from_str(&read(world, path)).unwrap()
}

/// Returns a world with the packages in a folder, made of a script that runs the program: it would be large.
fn packed() -> Option<World> {
    let world = World::with_store();
    if !world.lend("python3") {
        return None;
    }
    let program = format!("built/{}/git-beads", env!("GIT_BEADS_TARGET"));
    let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", binary());
    world.executable(&program, script);
    pack(&world, "packages");
    Some(world)
}

fn pack(world: &World, to: &str) {
    let script = root().join(".ci/agent-packages").display().to_string();
    let (built, to) = (world.path("built"), world.path(to));
    let (built, to) = (built.to_str().unwrap(), to.to_str().unwrap());
    let args = [&script, "--offline", "--to", to, built];
    world.run(world.command(".", "python3", &args), None).ok();
}

fn bundle() -> String {
    format!(
        "git-beads-{}-{}.mcpb",
        env!("CARGO_PKG_VERSION"),
        env!("GIT_BEADS_TARGET")
    )
}

/// Takes the bundle apart, and returns the modes in it.
fn unpack(world: &World) -> Value {
    let file = format!("packages/{}", bundle());
    let command = world.command(".", "python3", &["-c", UNPACK, &file, "bundle"]);
    world.run(command, None).json()
}

#[test]
fn each_is_as_its_schema_says() {
    let Some(world) = packed() else { return };
    let modes = unpack(&world);
    assert_eq!(modes["server/git-beads"], 0o100_755);
    assert_eq!(modes["manifest.json"], 0o100_644);
    let manifest = read_json(&world, "bundle/manifest.json");
    assert_eq!(
        violations(&schema("mcpb-manifest.json"), &manifest),
        [""; 0]
    );
    let entry = read_json(&world, "packages/server.json");
    assert_eq!(violations(&schema("mcp-server.json"), &entry), [""; 0]);
    let name = entry["name"].as_str().unwrap();
    let about = fs::read_to_string(root().join(".ci/packaging/about.md")).unwrap();
    assert!(about.contains(&format!("<!-- mcp-name: {name} -->")));

    let plugin = schema("claude-plugin.json");
    let files = [
        (".claude-plugin/marketplace.json", "marketplace"),
        ("git-beads/.claude-plugin/plugin.json", "plugin"),
        ("git-beads/hooks/hooks.json", "hooks"),
        ("git-beads/.mcp.json", "servers"),
    ];
    for (file, part) in files {
        let mut schema = json!({"$ref": format!("#/$defs/{part}")});
        schema["$defs"] = plugin["$defs"].clone();
        let value = read_json(&world, &format!("packages/claude-plugin/{file}"));
        assert_eq!(violations(&schema, &value), [""; 0], "{file}");
    }
    let market = read_json(
        &world,
        "packages/claude-plugin/.claude-plugin/marketplace.json",
    );
    let source = market["plugins"][0]["source"].as_str().unwrap();
    let source = source.strip_prefix("./").unwrap();
    let own = read_json(
        &world,
        &format!("packages/claude-plugin/{source}/.claude-plugin/plugin.json"),
    );
    assert_eq!(own["name"], market["plugins"][0]["name"]);
    for value in [&manifest, &entry, &own] {
        assert_eq!(value["version"], env!("CARGO_PKG_VERSION"));
    }

    pack(&world, "again");
    let bytes = |folder: &str| fs::read(world.path(&format!("{folder}/{}", bundle()))).unwrap();
    assert!(bytes("packages") == bytes("again"), "the bytes differ");
}

#[test]
fn the_plugin_has_what_setup_writes() {
    let Some(world) = packed() else { return };
    world.bd(&["setup", "claude", "--write"]).ok();
    let plugin = "packages/claude-plugin/git-beads";
    for (ours, theirs) in [
        ("repo/.mcp.json", ".mcp.json"),
        (
            "repo/.claude/skills/git-beads/SKILL.md",
            "skills/git-beads/SKILL.md",
        ),
    ] {
        assert_eq!(
            read(&world, &format!("{plugin}/{theirs}")),
            read(&world, ours)
        );
    }
    let hooks = read_json(&world, &format!("{plugin}/hooks/hooks.json"));
    assert_eq!(hooks, read_json(&world, "repo/.claude/settings.json"));
    // A plugin is there in every folder.
    let groups = hooks["hooks"].as_object().unwrap().values();
    let groups = groups.flat_map(|groups| groups.as_array().unwrap());
    for group in groups {
        let line = group["hooks"][0]["command"].as_str().unwrap();
        for folder in ["home", "elsewhere"] {
            fs::create_dir_all(world.path(folder)).unwrap();
            if folder == "elsewhere" {
                world.git_in(folder, &["init", "--quiet"]).ok();
            }
            let input = json!({"session_id": "s-1", "agent_id": "a-1", "tool_name": "Bash", "tool_input": {"command": "ls"}});
            let command = world.command(folder, "sh", &["-c", line]);
            let said = world.run(command, Some(input.to_string().as_bytes()));
            assert_eq!((said.code, said.all().as_str()), (0, ""), "{line}");
        }
    }
}

#[test]
fn the_bundle_serves_the_repository_that_its_user_chooses() {
    let Some(world) = packed() else { return };
    let id = world.create(&["Served"]);
    unpack(&world);
    let folder = world.path("bundle").display().to_string();
    let repository = world.path("repo").display().to_string();
    let manifest = read_json(&world, "bundle/manifest.json");
    let config = &manifest["server"]["mcp_config"];
    let filled = |value: &Value| {
        let text = value.as_str().unwrap().replace("${__dirname}", &folder);
        text.replace("${user_config.repository}", &repository)
    };
    let args: Vec<String> = config["args"]
        .as_array()
        .unwrap()
        .iter()
        .map(filled)
        .collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let program = filled(&config["command"]);
    // The mode that the host gives it is in the bundle.
    let script = read(&world, "bundle/server/git-beads");
    world.executable("bundle/server/git-beads", script);
    let mut agent = Agent::start(world.command("home", &program, &args));
    let list = agent.call("task_list", json!({}));
    assert!(list.to_string().contains(&id), "{list}");
}
