//! The MCP server over standard input and output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::Place;

/// A session with a server.
struct Session {
    child: Child,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Session {
    fn begin(place: &Place) -> Self {
        let mut command = place.program("repo", &["mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut session = Self {
            child,
            output,
            next: 0,
        };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let greeting = session.ask("initialize", &hello);
        assert_eq!(greeting["result"]["serverInfo"]["name"], "git-beads");
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    fn send(&mut self, message: &Value) {
        let input = self.child.stdin.as_mut().unwrap();
        // With the line end of Windows, which clients there may send.
        input
            .write_all(format!("{message}\r\n").as_bytes())
            .unwrap();
        input.flush().unwrap();
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert!(!line.contains('\r'), "{line:?}");
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool and returns the text of its answer.
    #[track_caller]
    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        let text = &answer["result"]["content"][0]["text"];
        text.as_str()
            .unwrap_or_else(|| panic!("{answer}"))
            .to_owned()
    }

    /// Ends the input, at which the server ends.
    #[track_caller]
    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn an_agent_works_through_the_server() {
    let place = Place::with_store();
    let mut session = Session::begin(&place);
    let tools = session.ask("tools/list", &json!({}));
    assert!(tools["result"]["tools"].as_array().unwrap().len() > 5);
    let started = session.call("task_start", &json!({"user_request": "Fix the login"}));
    let started: Value = serde_json::from_str(&started).unwrap();
    let id = started["issue"]["id"].as_str().unwrap();
    session.call("task_done", &json!({"id": id, "reason": "done"}));
    let refused = session.call("task_status", &json!({"id": "bd-none"}));
    assert!(refused.contains("\"kind\":\"error\""), "{refused}");
    session.end();
    assert_eq!(place.titles("repo"), ["Fix the login"]);
    place.is_sound("repo");
}

#[test]
fn a_server_that_is_killed_is_started_again() {
    let place = Place::with_store();
    let mut session = Session::begin(&place);
    session.call("task_start", &json!({"user_request": "before"}));
    session.child.kill().unwrap();
    session.child.wait().unwrap();
    let mut session = Session::begin(&place);
    session.call("task_start", &json!({"user_request": "after"}));
    session.end();
    assert_eq!(place.titles("repo"), ["after", "before"]);
    place.is_sound("repo");
}
