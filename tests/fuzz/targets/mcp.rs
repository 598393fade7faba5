//! Lines to the MCP server: each is answered at most once, in its protocol, and a refusal changes nothing.
//!
//! The server runs in this process on pipes of its own. An input is up to eight steps, separated by newlines. One
//! that begins with `{` or any other printable character is sent as it is; else its bytes choose a tool and
//! arguments by the tool's schema. `GIT_BEADS_MCP_PROFILE=two` or `lazy` sends these calls through other tools.

#![no_main]

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use fuzz::bytes::Bytes;
use fuzz::scratch::Scratch;
use git_beads::mcp::{Options, serve};
use git_beads::model::id::is_format;
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};

const MOST_STEPS: usize = 8;
const PATIENCE: Duration = Duration::from_secs(30);
/// Characters of an answer at most, and what a protocol puts around it.
const LONGEST: usize = 40_000;
/// Texts that mean something somewhere.
const TEXTS: [&str; 24] = [
    "bd-1",
    "1",
    "Epic",
    "Task",
    "open",
    "closed",
    "in_progress",
    "blocked",
    "bug",
    "epic",
    "P1",
    "me",
    "none",
    "3d",
    "2026-01-01",
    "blocks",
    "related",
    "title",
    "description",
    "-",
    "",
    " ",
    "list",
    "search",
];
/// How the questions of this file are told from those of the input.
const OURS: &str = "the-fuzzer-";

thread_local!(static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) });

fuzz_target!(|data: &[u8]| {
    SESSION.with_borrow_mut(|session| {
        let session = session.get_or_insert_with(Session::new);
        session.scratch.reset();
        for step in session.menu.steps(data) {
            session.check(&step);
        }
    });
});

/// A client of the server, and what the server has.
struct Session {
    scratch: Scratch,
    pipe: Pipe,
    menu: Menu,
}

impl Session {
    fn new() -> Self {
        let mut scratch = Scratch::new("mcp");
        let profile = git_beads::env::Env::of_process().var("GIT_BEADS_MCP_PROFILE").unwrap_or_else(|| "full".to_owned());
        let mut pipe = Pipe::open(&scratch, "full");
        let tools = pipe.ask("tools/list", json!({}))["result"]["tools"].as_array().expect("tools").clone();
        let mut ids = Vec::new();
        for (tool, arguments) in [
            ("init", json!({"prefix": "bd"})),
            ("create", json!({"title": "Epic", "issue_type": "epic", "description": "a", "labels": ["x"]})),
            ("create", json!({"title": "Task", "priority": 0, "assignee": "ann"})),
            ("create", json!({"title": "Done"})),
        ] {
            let answer = pipe.ask("tools/call", json!({"name": tool, "arguments": arguments}));
            assert_eq!(answer["result"]["isError"], false, "{answer}");
            let said = answer["result"]["content"][0]["text"].as_str().expect("an answer");
            let said: Value = serde_json::from_str(said).expect("JSON");
            ids.extend(said["id"].as_str().map(str::to_owned));
        }
        assert_eq!(ids.len(), 3);
        let repo = scratch.location().dir.display().to_string();
        if profile != "full" {
            pipe = Pipe::open(&scratch, &profile);
        }
        scratch.keep();
        Self { scratch, pipe, menu: Menu { tools, ids, repo, profile } }
    }

    /// Sends a line and a question of ours, and looks at all that comes until both are answered.
    fn check(&mut self, line: &[u8]) {
        let waits = request_id(line);
        if String::from_utf8_lossy(line).contains(OURS) {
            return;
        }
        let before = self.scratch.tip();
        self.pipe.send(line);
        let last = self.pipe.begin("ping", &json!({}));
        let (mut answers, mut pong) = (Vec::new(), false);
        while !pong || waits.is_some() && answers.is_empty() {
            let answer = self.pipe.receive(line);
            match answer["id"] == last {
                true => pong = true,
                false => answers.push(answer),
            }
        }
        self.pipe.answered += answers.len();
        assert!(self.pipe.answered <= self.pipe.sent, "more answers than lines: {}", text(line));
        if let Some(id) = waits {
            assert_eq!(answers.len(), 1, "{} {answers:?}", text(line));
            assert_eq!(answers[0]["id"].to_string(), id, "{}", text(line));
        }
        let succeeds = |answer: &Value| {
            let said = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
            answer["result"]["isError"] == false || said.contains("\"success\":true")
        };
        assert!(before == self.scratch.tip() || answers.iter().any(succeeds), "changed by {} {answers:?}", text(line));
    }
}

/// The ends of the server's pipes.
struct Pipe {
    input: std::io::PipeWriter,
    output: Receiver<String>,
    asked: u64,
    sent: usize,
    answered: usize,
}

impl Pipe {
    /// Starts a server that may use our repository and nothing else, and greets it.
    fn open(scratch: &Scratch, profile: &str) -> Self {
        let (to_read, input) = std::io::pipe().expect("a pipe");
        let (output, to_write) = std::io::pipe().expect("a pipe");
        rustix::stdio::dup2_stdin(&to_read).expect("standard input");
        rustix::stdio::dup2_stdout(&to_write).expect("standard output");
        let dir = scratch.location().dir;
        let (profile, roots) = (Some(profile.to_owned()), vec![dir.clone()]);
        let options = Options { profile, repo: Some(dir), multi_repo: true, roots, ..Options::default() };
        std::thread::spawn(move || {
            let ended = serve(&git_beads::env::Env::of_process(), options);
            drop((to_read, to_write));
            ended.expect("a server that ends in peace");
        });
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                if sender.send(line.expect("text")).is_err() {
                    break;
                }
            }
        });
        let mut pipe = Self { input, output: receiver, asked: 0, sent: 0, answered: 0 };
        let who = json!({"name": "fuzz", "version": "1"});
        pipe.ask("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who}));
        pipe.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string().as_bytes());
        pipe
    }

    fn send(&mut self, line: &[u8]) {
        self.sent += 1;
        self.input.write_all(&[line, b"\n"].concat()).expect("a server that reads");
    }

    fn begin(&mut self, method: &str, params: &Value) -> String {
        self.asked += 1;
        let id = format!("{OURS}{}", self.asked);
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string();
        self.input.write_all(format!("{line}\n").as_bytes()).expect("a server that reads");
        id
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, &params);
        let answer = self.receive(method.as_bytes());
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The next line of the server, which is a message of the protocol and hides nothing.
    fn receive(&self, asked: &[u8]) -> Value {
        let line = self.output.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {}", text(asked)));
        let answer: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(answer["jsonrpc"], "2.0", "{line}");
        assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{line}");
        let error = &answer["error"];
        assert!(error.is_null() || error["code"].is_i64() && error["message"].is_string(), "{line}");
        for content in answer["result"]["content"].as_array().into_iter().flatten() {
            let said = content["text"].as_str().expect("a text");
            serde_json::from_str::<Value>(said).unwrap_or_else(|error| panic!("{error}: {said}"));
            let hides = |c: char| c.is_control() || is_format(c) && !matches!(c, '\u{200c}' | '\u{200d}');
            assert!(!said.contains(hides), "{said:?} to {}", text(asked));
            assert!(said.chars().count() <= LONGEST, "{} characters to {}", said.chars().count(), text(asked));
        }
        answer
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).into_owned()
}

/// The id of a line that asks for something, as it is printed: an answer must come.
fn request_id(line: &[u8]) -> Option<String> {
    let text = text(line);
    let text = text.trim_start_matches('\u{feff}').trim();
    let request: Map<String, Value> =
        serde_json::from_str(text).or_else(|_| serde_json::from_str(&whole(text))).ok()?;
    let id = request.get("id").filter(|id| !id.is_null() && request.contains_key("method"))?;
    Some(id.to_string())
}

/// The text without surrogates, which the server mends where they are halves.
fn whole(text: &str) -> String {
    let mut parts = text.split("\\u");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..4).and_then(|code| u16::from_str_radix(code, 16).ok());
        let surrogate = code.is_some_and(|code| (0xd800..0xe000).contains(&code));
        out.push_str("\\u");
        out.push_str(if surrogate { "fffd" } else { "" });
        out.push_str(if surrogate { &part[4..] } else { part });
    }
    out
}

/// What calls are made of.
struct Menu {
    tools: Vec<Value>,
    ids: Vec<String>,
    repo: String,
    profile: String,
}

impl Menu {
    /// The lines that an input stands for.
    fn steps(&self, data: &[u8]) -> Vec<Vec<u8>> {
        let parts = data.split(|byte| *byte == b'\n').filter(|part| !part.is_empty()).take(MOST_STEPS);
        let (mut lines, mut calls) = (Vec::new(), Vec::new());
        for part in parts {
            if part[0] >= b' ' {
                lines.push(part.to_vec());
                continue;
            }
            let (name, arguments) = self.call(&mut Bytes::new(&part[1..]));
            match self.profile.as_str() {
                "two" => calls.push(json!({"tool": name, "params": arguments})),
                "lazy" => lines.push(request("call_tool", json!({"name": name, "arguments": arguments}))),
                _ => lines.push(request(&name, arguments)),
            }
        }
        if !calls.is_empty() {
            let context = json!({"workspaceId": "default", "sessionId": "s", "memory": "m", "goal": "g"});
            let strategy = if data.len().is_multiple_of(4) { "parallel" } else { "serial" };
            lines.push(request("useTools", json!({"context": context, "strategy": strategy, "calls": calls})));
        }
        lines
    }

    /// A tool and arguments for it, most of them of the right type.
    fn call(&self, bytes: &mut Bytes<'_>) -> (String, Value) {
        let tool = bytes.one(&self.tools);
        (tool["name"].as_str().unwrap_or_default().to_owned(), self.fill(&tool["inputSchema"], bytes))
    }

    fn fill(&self, schema: &Value, bytes: &mut Bytes<'_>) -> Value {
        if bytes.below(24) == 23 {
            return bytes.value();
        }
        match (schema["type"].as_str(), schema["enum"].as_array()) {
            (_, Some(words)) if bytes.below(8) > 0 => bytes.one(words).clone(),
            (Some("integer"), _) => json!(i64::from(bytes.byte()) - 8),
            (Some("boolean"), _) => json!(bytes.below(2) == 0),
            (Some("array"), _) => (0..bytes.below(5)).map(|_| self.fill(&schema["items"], bytes)).collect(),
            (Some("object"), _) => {
                let known = schema["properties"].as_object().into_iter().flatten();
                let made = known.filter_map(|(name, property)| {
                    let required = schema["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
                    let chosen = bytes.below(8);
                    match name.as_str() {
                        "workspace_root" => (required || chosen == 7).then(|| (name.clone(), json!(self.repo))),
                        _ if required && chosen < 7 || chosen > 4 => Some((name.clone(), self.fill(property, bytes))),
                        _ => None,
                    }
                });
                Value::Object(made.collect())
            }
            _ => match bytes.below(4) {
                0 => json!(bytes.text()),
                1 => json!(bytes.one(&TEXTS)),
                2 => json!(bytes.one(&self.ids)),
                _ => json!(format!("{}.{}", bytes.one(&self.ids), bytes.below(4))),
            },
        }
    }
}

fn request(tool: &str, arguments: Value) -> Vec<u8> {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string().into_bytes()
}
