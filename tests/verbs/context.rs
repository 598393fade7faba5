//! `context`: what a session should know.

use std::path::Path;

use serde_json::json;

use crate::clients::mcp::Agent;
use crate::docs::settle;
use crate::support::samples::told;

/// Returns how many entries of memory a text lists.
pub fn bullets(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("- [")).count()
}

#[test]
fn the_command_the_tool_and_the_golden_file_are_the_same_bytes() {
    let world = told();
    let text = world.bd(&["context"]).ok();
    settle(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/context.txt"),
        &text,
    );
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    for arguments in [
        json!({}),
        json!({"limit": 0, "compact": false}),
        json!({"limit": null}),
        json!({"limit": -1}),
    ] {
        assert_eq!(
            agent.raw("session_context", &arguments),
            (text.clone(), false),
            "{arguments}"
        );
    }
    assert_eq!(world.bd(&["context", "--json"]).json()["text"], text);
    assert!(text.lines().all(|line| {
        !line.contains(|c: char| c.is_control() || c == '\u{202e}' || c == '\u{200b}')
    }));
    assert!(text.chars().count() < 2_000 && !text.contains("not told"));
}

#[test]
fn two_knobs_change_the_bullets_alone() {
    let world = told();
    let whole = world.bd(&["context"]).ok();
    assert_eq!(bullets(&whole), 3);
    for limit in ["0", "-3", "", "many", "20", "3"] {
        assert_eq!(
            world.bd(&["context", "--limit", limit]).ok(),
            whole,
            "{limit}"
        );
    }
    let two = world.bd(&["context", "--limit", "2"]).ok();
    assert_eq!(
        (bullets(&two), two.lines().count() + 1),
        (2, whole.lines().count())
    );
    assert!(whole.starts_with(two.trim_end()), "newest first");
    for compact in [
        "--compact",
        "--compact=1",
        "--compact=t",
        "--compact=T",
        "--compact=TRUE",
        "--compact=true",
    ] {
        let text = world.bd(&["context", compact]).ok();
        assert!(
            text.contains("- [finding] **") && !text.contains("**:"),
            "{compact}"
        );
    }
    for compact in ["0", "f", "F", "FALSE", "false", "False", "yes", "on", ""] {
        assert_eq!(
            world.bd(&["context", &format!("--compact={compact}")]).ok(),
            whole,
            "{compact}"
        );
    }
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    let both = world.bd(&["context", "--limit", "1", "--compact"]).ok();
    assert_eq!(
        agent.raw("session_context", &json!({"limit": "1", "compact": "true"})),
        (both, false)
    );
    // Over MCP as on a command line: what can't be read is the default.
    for (limit, compact) in [
        (json!("abc"), json!("yes")),
        (json!(0), json!("0")),
        (json!(-1), json!(2)),
    ] {
        let arguments = json!({"limit": limit, "compact": compact});
        assert_eq!(
            agent.raw("session_context", &arguments),
            (whole.clone(), false),
            "{arguments}"
        );
    }
    let compact = world.bd(&["context", "--compact"]).ok();
    for word in [json!("1"), json!("t"), json!("T"), json!(1), json!(true)] {
        assert_eq!(
            agent.raw("session_context", &json!({"compact": word})),
            (compact.clone(), false)
        );
    }
}

#[test]
fn the_tool_is_in_every_profile_that_holds_it() {
    let world = told();
    let text = world.bd(&["context"]).ok();
    let mut lazy = Agent::with(&world, &["--profile", "lazy"]);
    assert_eq!(
        lazy.raw(
            "call_tool",
            &json!({"name": "session_context", "arguments": {}})
        )
        .0,
        text
    );
    let mut two = Agent::with(&world, &["--profile", "two"]);
    let context = json!({"workspaceId": "default", "sessionId": "s", "memory": "m", "goal": "g"});
    let calls = json!([{"agent": "context", "tool": "session_context", "params": {}}]);
    let answer = two.call("useTools", json!({"context": context, "calls": calls}));
    assert_eq!(answer["data"]["results"][0]["data"], text);
}
