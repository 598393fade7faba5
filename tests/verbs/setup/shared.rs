//! Several agents in one repository: the files that they share, setups at the same time, and sessions that would begin
//! twice.

use serde_json::{Value, json};

use super::{exists, files, read, write};
use crate::support::{World, binary};

#[test]
fn a_file_that_two_agents_read_stays_until_both_are_gone() {
    for [first, second] in [["claude", "copilot"], ["copilot", "claude"]] {
        let world = World::new();
        world.bd(&["setup", first, "--write"]).ok();
        let server: Value = serde_json::from_str(&read(&world, ".mcp.json")).unwrap();
        assert_eq!(server["mcpServers"]["beads"]["command"], "git-beads");
        let alone = files(&world);
        // The file that both read shows neither of them.
        let said = world.bd(&["setup", second, "--remove"]).ok();
        assert!(
            said.contains(&format!(".mcp.json: kept (needed by {first})")),
            "{said}"
        );
        assert_eq!(files(&world), alone);
        world.bd(&["setup", second, "--write"]).ok();
        world.bd(&["setup", first, "--check"]).ok();
        let said = world.bd(&["setup", first, "--remove"]).ok();
        assert!(
            said.contains(&format!(".mcp.json: kept (needed by {second})")),
            "{said}"
        );
        world.bd(&["setup", second, "--check"]).ok();
        world.bd(&["setup", second, "--remove"]).ok();
        assert_eq!(files(&world), []);
    }
}

#[test]
fn the_hook_of_copilot_names_tools_where_there_is_a_server_of_the_repository() {
    let world = World::new();
    let hook = ".github/hooks/git-beads.json";
    world.bd(&["setup", "copilot", "--write"]).ok();
    assert!(read(&world, hook).contains("prime --hook-json=copilot --mcp ||"));
    // That of the cloud agent, and of earlier versions.
    world.bd(&["setup", "copilot", "--cloud", "--write"]).ok();
    assert!(read(&world, hook).contains("prime --hook-json=copilot ||"));
    world.bd(&["setup", "copilot", "--remove"]).ok();
    assert!(!exists(&world, hook));
    // That another agent has its sessions in a cloud says nothing of this one.
    world.bd(&["setup", "claude", "--cloud", "--write"]).ok();
    for _ in 0..2 {
        world.bd(&["setup", "copilot", "--write"]).ok();
        assert!(read(&world, hook).contains("prime --hook-json=copilot --mcp ||"));
    }
    write(&world, hook, "{}");
    let said = world.bd(&["setup", "copilot", "--check"]);
    assert!(said.stdout.contains(&format!("{hook}: changed by hand")));
}

#[test]
fn claude_code_is_told_of_its_own_file_where_that_is_there() {
    for (text, hints) in [
        (None, false),
        (Some("# Rules\n"), true),
        (Some("@AGENTS.md\n"), false),
    ] {
        let world = World::new();
        if let Some(text) = text {
            write(&world, "CLAUDE.md", text);
        }
        let said = world.bd(&["setup", "claude", "--write"]).ok();
        assert_eq!(said.contains("CLAUDE.md"), hints, "{text:?}: {said}");
    }
}

/// What the hook that an agent's files name says to a session, which the client describes.
fn primed(world: &World, options: &[&str], said: &Value) -> String {
    let args = [&["prime"], options].concat();
    let command = world.command("repo", binary(), &args);
    world.run(command, Some(said.to_string().as_bytes())).ok()
}

#[test]
fn a_session_begins_once_though_its_client_runs_the_hooks_of_several_agents() {
    let world = World::with_store();
    let claude = ["--hook-json", "--mcp"];
    let copilot = ["--hook-json=copilot", "--mcp"];
    let cursor = ["--hook-json=cursor", "--mcp"];
    let inputs = [
        json!({"sessionId": "v1", "hookEventName": "SessionStart", "timestamp": "2026-11-27T10:00:00Z"}),
        json!({"session_id": "v2", "hook_event_name": "SessionStart", "source": "startup"}),
        json!({"conversation_id": "v3", "cursor_version": "3.0"}),
    ];
    for (n, input) in inputs.iter().enumerate() {
        let mut all = [&claude, &copilot, &cursor];
        all.rotate_left(n);
        let texts = all.map(|options| primed(&world, options, input));
        assert!(texts[0].contains("0 open"), "{texts:?}");
        assert_eq!(texts[1..], ["", ""]);
        // The same session goes on, as after a compaction.
        assert_eq!(primed(&world, all[0], input), texts[0]);
    }
    // Others are not silenced, nor are those that have no name.
    for input in [json!({"session_id": "v4"}), json!({}), json!({})] {
        assert!(!primed(&world, &cursor, &input).is_empty());
    }
    assert!(!primed(&world, &claude, &json!({})).is_empty());
}

#[test]
fn setups_at_the_same_time_all_succeed() {
    let world = World::new();
    let agents = [
        "claude",
        "codex",
        "cursor",
        "copilot",
        "vscode",
        "gemini",
        "kiro",
        "agents-md",
    ];
    for action in ["--write", "--remove"] {
        let started = agents.map(|agent| {
            let mut command = world.command("repo", binary(), &["setup", agent, action]);
            command.stdout(std::process::Stdio::null());
            command.spawn().unwrap()
        });
        for mut child in started {
            assert!(child.wait().unwrap().success());
        }
        let code = i32::from(action == "--remove");
        for agent in agents {
            assert_eq!(world.bd(&["setup", agent, "--check"]).code, code, "{agent}");
        }
    }
    assert_eq!(files(&world), []);
    assert!(
        !world.path("repo/.git/beads").exists(),
        "no store, no trace"
    );
}

#[test]
fn a_git_directory_that_can_only_be_read_is_no_hindrance() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let git = world.path("repo/.git");
    let mode = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&git, mode).unwrap();
    };
    mode(0o555);
    world.bd(&["setup", "kiro", "--write"]).ok();
    mode(0o755);
    assert!(exists(&world, ".kiro/settings/mcp.json"));
}
