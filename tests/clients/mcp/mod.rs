//! The MCP server through its real process: a client that speaks JSON-RPC over pipes.

#![expect(
    clippy::needless_pass_by_value,
    reason = "a call reads best with its arguments written in place"
)]

mod backlog;
mod bd;
mod callers;
pub mod clients;
mod compaction;
mod day;
mod examples;
mod hints;
mod hostile;
mod jobs;
mod lazy;
mod mending;
pub mod next;
mod packs;
mod prompts;
mod protocol;
mod reference;
mod roots;
mod routing;
pub mod schemas;
mod scripted;
mod shared_name;
mod shown;
mod spellings;
mod texts;
mod two;
mod waiting;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::World;

/// A client of one server.
pub struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
    pub greeting: Value,
}

impl Agent {
    /// A session in `repo`.
    pub fn new(world: &World) -> Self {
        Self::with(world, &[])
    }

    /// A session in `repo`, with options of the server.
    pub fn with(world: &World, options: &[&str]) -> Self {
        Self::in_folder(world, "repo", options)
    }

    /// A session in a folder of the world.
    pub fn in_folder(world: &World, folder: &str, options: &[&str]) -> Self {
        let mut args = vec!["mcp"];
        args.extend(options);
        Self::start(world.command(folder, env!("CARGO_BIN_EXE_git-beads"), &args))
    }

    /// A session with a command.
    pub fn start(command: Command) -> Self {
        let mut agent = Self::silent(command);
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        agent.greeting = agent.rpc("initialize", hello);
        agent.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        agent
    }

    /// A server that was not greeted.
    pub fn silent(mut command: Command) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (
            child.stdin.take(),
            BufReader::new(child.stdout.take().unwrap()),
        );
        Self {
            child,
            input,
            output,
            next: 0,
            greeting: Value::Null,
        }
    }

    /// Writes a line.
    pub fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input
            .write_all(line.as_bytes())
            .and_then(|()| input.write_all(b"\n"))
            .and_then(|()| input.flush())
            .unwrap();
    }

    /// Reads a line.
    #[track_caller]
    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Sends a request and returns its number.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.send(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        id
    }

    /// A request and its answer.
    #[track_caller]
    pub fn rpc(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool; returns the text of the answer and whether it is an error.
    #[track_caller]
    pub fn raw(&mut self, tool: &str, arguments: &Value) -> (String, bool) {
        let answer = self.rpc("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        let content = result["content"]
            .as_array()
            .unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(content.len(), 1, "one text block: {answer}");
        assert!(result.get("structuredContent").is_none());
        (
            content[0]["text"].as_str().unwrap().to_owned(),
            result["isError"] == true,
        )
    }

    /// Calls a tool that answers.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let (text, failed) = self.raw(tool, &arguments);
        assert!(!failed, "{tool}({arguments}): {text}");
        assert!(!text.contains('\n'), "compact: {text}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        // Of all answers in all tests: none says what the table does not.
        if tool.starts_with("task_") {
            let next = answer["next"].as_str().unwrap();
            assert!(next::may_follow(tool).contains(&next), "{tool}: {text}");
        }
        answer
    }

    /// Calls a tool that refuses; returns the error envelope.
    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let (text, failed) = self.raw(tool, &arguments);
        assert!(failed, "{tool}({arguments}): {text}");
        let error: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(error["kind"], "error", "{text}");
        let code = error["code"].as_str().unwrap();
        assert_eq!(error["next"], next::after_refusal(code), "{text}");
        error
    }

    /// The message of a refusal.
    #[track_caller]
    pub fn message(&mut self, tool: &str, arguments: Value) -> String {
        self.refused(tool, arguments)["message"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// What is offered.
    pub fn tools(&mut self) -> Vec<Value> {
        self.rpc("tools/list", json!({}))["result"]["tools"]
            .as_array()
            .unwrap()
            .clone()
    }

    /// Creates an issue and returns its id.
    #[track_caller]
    pub fn create(&mut self, title: &str, more: Value) -> String {
        let mut arguments =
            json!({"title": title, "description": "what", "design": "how", "acceptance": "done"});
        arguments
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        self.call("task_create", arguments)["id"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Ends the input; returns the exit code, and what was written to standard error.
    pub fn end(mut self) -> (i32, String) {
        self.close();
        let (mut rest, mut stderr) = (String::new(), String::new());
        std::io::Read::read_to_string(&mut self.output, &mut rest).unwrap();
        assert_eq!(rest, "", "nothing but answers on standard output");
        std::io::Read::read_to_string(&mut self.child.stderr.take().unwrap(), &mut stderr).unwrap();
        (self.child.wait().unwrap().code().unwrap_or(-1), stderr)
    }

    /// Closes the input.
    pub fn close(&mut self) {
        self.input = None;
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.close();
        let _ = self.child.wait();
    }
}

/// The keys of an object, in the order of the text.
pub fn keys(text: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(text).unwrap();
    let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
    keys.sort_by_key(|key| text.find(&format!("\"{key}\":")));
    keys
}
