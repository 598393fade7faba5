//! The JSON that a client of an agent writes to the standard input of its hooks.

use std::io::{IsTerminal as _, Read as _, stdin};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

/// Number of bytes that are read: a tool can have answered much.
const LARGEST: u64 = 16 << 20;
/// A client that says nothing in this time has nothing to say: a hook holds up a session.
const PATIENCE: Duration = Duration::from_secs(2);

/// The beginning of the names of the tools of the server, in a client that `setup` has configured.
const OUR_TOOLS: &str = "mcp__beads__";
/// The variable that names an agent.
const AGENT: &str = "GIT_BEADS_AGENT";

/// The members that are read of it; nothing else of it is looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct HookInput {
    session_id: Value,
    /// The name of it in Cursor.
    conversation_id: Value,
    /// The part of the session that acts, where one does.
    agent_id: Value,
    agent_type: Value,
    tool_name: Value,
    tool_input: Value,
}

/// A part of a session, and the tool that it is about to use.
pub(super) struct ToolUse {
    /// The name of the part.
    pub(super) part: String,
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
}

impl HookInput {
    /// Reads what the client says; nothing where that is no JSON, or does not come.
    pub(super) fn read() -> Self {
        if stdin().is_terminal() {
            return Self::default();
        }
        let (sender, receiver) = mpsc::channel();
        // In a thread: a pipe that stays open and empty would hold up the session for ever.
        thread::spawn(move || {
            let text = stdin().lock().take(LARGEST);
            let mut values = serde_json::Deserializer::from_reader(text).into_iter::<Self>();
            // No one waits for what comes too late.
            let _ = sender.send(values.next().and_then(Result::ok));
        });
        let said = receiver.recv_timeout(PATIENCE).ok().flatten();
        said.unwrap_or_default()
    }

    /// Returns the session; an empty text where none is named.
    pub(super) fn session(&self) -> &str {
        let texts = [&self.session_id, &self.conversation_id];
        let mut texts = texts.into_iter().filter_map(Value::as_str);
        texts.find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// Returns the tool that a part of the session is about to use; none where the session itself does.
    pub(super) fn tool_use(self) -> Option<ToolUse> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let letters: String = text(&self.agent_id)
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(4)
            .collect();
        let Value::Object(input) = self.tool_input else {
            return None;
        };
        let part = match text(&self.agent_type) {
            kind if kind.is_empty() => letters.clone(),
            kind => format!("{kind}-{letters}"),
        };
        (!letters.is_empty()).then(|| ToolUse {
            part,
            tool: text(&self.tool_name),
            input,
        })
    }
}

impl ToolUse {
    /// Returns true if it calls git-beads: a tool of the server, or a command that begins with the program.
    pub(super) fn is_ours(&self) -> bool {
        self.tool.starts_with(OUR_TOOLS) || self.command().is_some_and(begins_with_us)
    }

    /// Returns its input with the name of the part in it, whose agent is `agent`; none where one is named already.
    pub(super) fn named(mut self, agent: &str) -> Option<Map<String, Value>> {
        if self.tool.starts_with(OUR_TOOLS) {
            // The server puts the name of the session before it; a name that the model has chosen stays.
            let is_named = self.input.contains_key("as");
            self.input.insert("as".to_owned(), self.part.into());
            return (!is_named).then_some(self.input);
        }
        let command = self.command()?;
        // A variable before one command is that of this one alone.
        let named = match command
            .split("&&")
            .flat_map(|part| part.split([';', '|', '\n']))
        {
            parts if parts.clone().filter(|part| begins_with_us(part)).count() > 1 => {
                format!("export {AGENT}={agent}; {command}")
            }
            _ => format!("{AGENT}={agent} {command}"),
        };
        self.input.insert("command".to_owned(), named.into());
        Some(self.input)
    }

    /// Returns the command line of a shell.
    fn command(&self) -> Option<&str> {
        (self.tool == "Bash").then(|| self.input.get("command")?.as_str())?
    }
}

/// Returns true if a command line begins with the program.
fn begins_with_us(command: &str) -> bool {
    let mut words = command.split_whitespace();
    match words.next() {
        Some("git-beads") => true,
        Some("git") => words.next() == Some("beads"),
        _ => false,
    }
}
