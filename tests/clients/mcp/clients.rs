//! Real clients: the inspector, the official SDKs for Python and TypeScript, fastmcp, the conformance suite.
//!
//! `.ci/run` installs them into the folder that `GIT_BEADS_CLIENTS` names; elsewhere these tests are skipped
//! and say so.

use std::path::{Path, PathBuf};

use crate::support::events::until;
use crate::support::{Output, World, missing};

const BINARY: &str = env!("CARGO_BIN_EXE_git-beads");

/// The folder with the clients, where it is there.
pub fn clients() -> Option<PathBuf> {
    let folder = std::env::var_os("GIT_BEADS_CLIENTS")
        .map(PathBuf::from)
        .filter(|folder| folder.is_dir());
    if folder.is_none() {
        missing("a folder of MCP clients that GIT_BEADS_CLIENTS names (.ci/run installs them)");
    }
    folder
}

/// Runs a script with the node among the clients.
pub fn node(world: &World, clients: &Path, script: &Path, args: &[&str]) -> Output {
    let node = clients.join("node_modules/node/bin/node");
    let script = script.display().to_string();
    let mut all = vec![script.as_str()];
    all.extend(args);
    world.run(world.command("repo", node.to_str().unwrap(), &all), None)
}

fn inspect(world: &World, clients: &Path, args: &[&str]) -> Output {
    let mut all = vec!["--cli"];
    all.extend(args);
    all.extend(["--format", "json", "-q", "--", BINARY, "mcp"]);
    node(
        world,
        clients,
        &clients.join("node_modules/.bin/mcp-inspector"),
        &all,
    )
}

#[test]
fn the_inspector_finds_nothing_to_say() {
    let Some(clients) = clients() else { return };
    let mut world = World::with_store();
    for profile in ["task", "read", "full", "lazy", "two"] {
        world.set("GIT_BEADS_MCP_PROFILE", profile);
        let listed = inspect(&world, &clients, &["--method", "tools/list", "--strict"]);
        assert_eq!(
            (listed.code, listed.stderr.as_str()),
            (0, ""),
            "{profile}: no errors, no warnings"
        );
        assert!(listed.stdout.contains("inputSchema"));
    }
    world.set("GIT_BEADS_MCP_PROFILE", "task");
    for era in ["legacy", "auto", "modern"] {
        let listed = inspect(
            &world,
            &clients,
            &["--protocol-era", era, "--method", "tools/list", "--strict"],
        );
        assert_eq!((listed.code, listed.stderr.as_str()), (0, ""), "{era}");
        let status = [
            "--protocol-era",
            era,
            "--method",
            "tools/call",
            "--tool-name",
            "task_status",
            "--tool-args-json",
            "{}",
        ];
        assert!(
            inspect(&world, &clients, &status)
                .ok()
                .contains(r#"{\"kind\":\"empty\""#),
            "{era}"
        );
    }
    let bad = [
        "--method",
        "tools/call",
        "--tool-name",
        "task_status",
        "--tool-args-json",
        r#"{"bogus":1}"#,
    ];
    let refused = inspect(&world, &clients, &bad);
    assert_eq!(refused.code, 5);
    assert!(refused.stdout.contains("unknown field `bogus`"));
    let unknown = [
        "--method",
        "tools/call",
        "--tool-name",
        "nope",
        "--tool-args-json",
        "{}",
    ];
    assert_eq!(inspect(&world, &clients, &unknown).code, 5);
    let load = [
        "--method",
        "tools/call",
        "--tool-name",
        "task_status",
        "--tool-args-json",
        "{}",
        "--load",
        "--load-requests",
        "1000",
        "--load-concurrency",
        "10",
    ];
    assert!(
        inspect(&world, &clients, &load)
            .ok()
            .contains(r#""ok":1000,"toolErrors":0,"errors":0"#)
    );
}

#[test]
fn the_python_clients_work() {
    let Some(clients) = clients() else { return };
    let world = World::with_store();
    let python = clients.join("venv/bin/python");
    let script = world.file("client.py", include_str!("clients.py"));
    let said = world
        .run(
            world.command("repo", python.to_str().unwrap(), &[&script, BINARY, "mcp"]),
            None,
        )
        .ok();
    insta::assert_snapshot!(said, @"
    mcp auto: 2026-07-28, 11 tools, empty
      is_error True: unknown field `bogus`; allowed: as, id, memory_limit, meta_max_chars, view, wait
      ['resume', 'handover']: Nothing of mine is in progress; 0 open
      Unknown tool: nope
    mcp legacy: 2025-11-25, 11 tools, empty
      is_error True: unknown field `bogus`; allowed: as, id, memory_limit, meta_max_chars, view, wait
      ['resume', 'handover']: Nothing of mine is in progress; 0 open
      Unknown tool: nope
    mcp 2026-07-28: 2026-07-28, 11 tools, empty
      is_error True: unknown field `bogus`; allowed: as, id, memory_limit, meta_max_chars, view, wait
      ['resume', 'handover']: Nothing of mine is in progress; 0 open
      Unknown tool: nope
    fastmcp auto: 11 tools, issue
      is_error True: task_start requires id or user_request
    fastmcp legacy: 11 tools, issue
      is_error True: task_start requires id or user_request
    ");
}

#[test]
fn the_typescript_clients_work() {
    let Some(clients) = clients() else { return };
    let world = World::with_store();
    // Modules are found from the script's own folder upwards.
    let script = clients.join("client.mjs");
    std::fs::write(&script, include_str!("clients.mjs")).unwrap();
    let said = node(&world, &clients, &script, &[BINARY, "mcp"]).ok();
    insta::assert_snapshot!(said, @"
    sdk: 2025-11-25, 11 tools, empty
      isError true: task_start requires id or user_request
      2 prompts: Nothing of mine is in progress
      beads://issue/{id}, 0 open
      -32602
    client: 2025-11-25, 11 tools, empty
      isError true: task_start requires id or user_request
      2 prompts: Nothing of mine is in progress
      beads://issue/{id}, 0 open
      -32602
    client auto: 2026-07-28, 11 tools, empty
      isError true: task_start requires id or user_request
      2 prompts: Nothing of mine is in progress
      beads://issue/{id}, 0 open
      -32602
    ");
}

#[test]
fn the_conformance_suite_passes() {
    let Some(clients) = clients() else { return };
    let Some(server) = std::env::var_os("GIT_BEADS_HTTP")
        .map(PathBuf::from)
        .filter(|path| path.is_file())
    else {
        missing("a binary with the feature `http` that GIT_BEADS_HTTP names (.ci/run builds it)");
        return;
    };
    let world = World::with_store();
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
        .to_string();
    let mut serving = world
        .command("repo", server.to_str().unwrap(), &["mcp", "--http", &port])
        .spawn()
        .unwrap();
    let address = format!("127.0.0.1:{port}");
    until("a server that listens", || {
        std::net::TcpStream::connect(&address).is_ok()
    });
    let url = format!("http://{address}/mcp");
    let suite = clients.join("node_modules/.bin/conformance");
    let mut outcomes = Vec::new();
    for version in ["2025-11-25", "2026-07-28"] {
        let baseline = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("tests/clients/mcp/conformance-{version}.yaml"));
        let args = [
            "server",
            "--url",
            &url,
            "--requirements",
            version,
            "--timeout",
            "10000",
            "--expected-failures",
            baseline.to_str().unwrap(),
        ];
        outcomes.push(node(&world, &clients, &suite, &args));
    }
    serving.kill().unwrap();
    serving.wait().unwrap();
    for outcome in outcomes {
        assert!(outcome.ok().contains("Baseline check passed"));
    }
}
