//! The JSON that a client of an agent writes to the standard input of its hooks.

use std::io::Read as _;
use std::sync::mpsc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::env::{Env, start_thread};
use crate::ops::{Command, shell_quote, short_hash};

/// Number of bytes that are read: a tool can have answered much.
const LARGEST: u64 = 16 << 20;
/// A client that says nothing in this time has nothing to say: a hook holds up a session.
const PATIENCE: Duration = Duration::from_secs(2);

/// The beginnings of the names of the tools of the server: in a client that `setup` has configured, and of our plugin.
const OUR_TOOLS: [&str; 2] = ["mcp__beads__", "mcp__plugin_git-beads_beads__"];
/// The variable that names an agent.
const AGENT: &str = "GIT_BEADS_AGENT";
/// What separates the commands of a line.
const PARTS: [char; 8] = [';', '&', '|', '\n', '(', ')', '{', '`'];
/// Words of a shell in front of a command.
const KEYWORDS: [&str; 8] = ["if", "then", "else", "elif", "while", "until", "do", "!"];
/// Programs that run the command that they are given.
const RUNNERS: [&str; 10] = [
    "env", "command", "exec", "time", "timeout", "nice", "stdbuf", "nohup", "sudo", "xargs",
];

/// The members that are read of it; nothing else of it is looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct HookInput {
    session_id: Value,
    /// The name of it in Cursor.
    conversation_id: Value,
    /// The name of it in VS Code, whose sessions have no name of an agent.
    #[serde(rename = "sessionId")]
    vscode_session: Value,
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
    pub(super) fn read(env: &Env) -> Self {
        if env.input_is_terminal() {
            return Self::default();
        }
        let (sender, receiver) = mpsc::channel();
        let env = env.clone();
        // In a thread: a pipe that stays open and empty would hold up the session for ever.
        let reading = start_thread(move || {
            let text = env.input().take(LARGEST);
            let mut values = serde_json::Deserializer::from_reader(text).into_iter::<Self>();
            // No one waits for what comes too late.
            let _ = sender.send(values.next().and_then(Result::ok));
        });
        // A hook is silent rather than in the way.
        if reading.is_err() {
            return Self::default();
        }
        let said = receiver.recv_timeout(PATIENCE).ok().flatten();
        said.unwrap_or_default()
    }

    /// Returns the session; an empty text where none is named.
    pub(super) fn session(&self) -> &str {
        let texts = [&self.session_id, &self.conversation_id];
        let mut texts = texts.into_iter().filter_map(Value::as_str);
        texts.find(|text| !text.is_empty()).unwrap_or_default()
    }

    /// Returns the session that begins, by which its hooks know each other; an empty text where none is named.
    pub(super) fn start(&self) -> &str {
        match self.session() {
            "" => self.vscode_session.as_str().unwrap_or_default(),
            session => session,
        }
    }

    /// Returns the tool that a part of the session is about to use; none where the session itself does.
    pub(super) fn tool_use(self) -> Option<ToolUse> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let id = text(&self.agent_id);
        // All ids of a client can begin alike.
        let letters = match id.is_empty() {
            true => String::new(),
            false => short_hash(&id),
        };
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
    /// Returns true if it calls git-beads: a tool of the server, or a command line that runs the program.
    pub(super) fn is_ours(&self) -> bool {
        self.is_tool_of_server() || self.command().is_some_and(calls_us)
    }

    /// Returns its input with the name of the part in it, whose agent is `agent`; none where one is named already.
    pub(super) fn named(mut self, agent: &str) -> Option<Map<String, Value>> {
        if self.is_tool_of_server() {
            // The server puts the name of the session before it; a name that the model has chosen stays.
            let is_named = self.input.get("as").is_some_and(|name| !name.is_null());
            self.input.insert("as".to_owned(), self.part.into());
            return (!is_named).then_some(self.input);
        }
        let command = self.command()?;
        if command.contains(&format!("{AGENT}=")) {
            return None;
        }
        // A variable before one command is that of this one alone; a line that is more than that has it throughout.
        let is_plain = !command.contains(PARTS) && is_us(command.split_whitespace());
        let named = match is_plain {
            true => format!("{AGENT}={} {command}", shell_quote(agent)),
            false => {
                let export = Command::line("export").word(format!("{AGENT}={agent}"));
                format!("{export}; {command}")
            }
        };
        self.input.insert("command".to_owned(), named.into());
        Some(self.input)
    }

    fn is_tool_of_server(&self) -> bool {
        OUR_TOOLS.iter().any(|names| self.tool.starts_with(names))
    }

    /// Returns the command line of a shell.
    fn command(&self) -> Option<&str> {
        (self.tool == "Bash").then(|| self.input.get("command")?.as_str())?
    }
}

/// Returns true if any command of a line is the program. What another shell is given in quotes is not looked into.
fn calls_us(line: &str) -> bool {
    // A line that goes on in the next one.
    let line = line.replace("\\\n", " ");
    line.split(PARTS).any(|part| {
        let words = part.split_whitespace();
        let words = words.skip_while(|word| is_before_command(word));
        runs_us(&words.collect::<Vec<_>>())
    })
}

/// Returns true if a command is the program, or is given it to run.
fn runs_us(words: &[&str]) -> bool {
    let is_runner = words.first().is_some_and(|word| RUNNERS.contains(word));
    // What it runs can stand anywhere: its own options may have values.
    let starts = if is_runner { words.len() } else { 1 };
    (0..starts).any(|at| is_us(words[at..].iter().copied()))
}

/// Returns true if a word of a shell comes before a command: a keyword, or a variable.
fn is_before_command(word: &str) -> bool {
    let variable = word.split_once('=').map(|(name, _)| name);
    KEYWORDS.contains(&word) || variable.is_some_and(is_name)
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.is_empty() && text.chars().all(is_part)
}

/// Returns true if a command is the program, by its own name or as one of git's.
fn is_us<'a>(mut words: impl Iterator<Item = &'a str>) -> bool {
    let program = words.next().unwrap_or_default();
    let program = program.trim_matches(['"', '\'', '\\']);
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    match name.strip_suffix(".exe").unwrap_or(name) {
        "git-beads" => true,
        "git" => verb_of_git(words) == Some("beads"),
        _ => false,
    }
}

/// Returns the verb of a command line of git, of which these are the words behind its name.
fn verb_of_git<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    loop {
        match words.next()? {
            // Its options that have a value of their own, which can be several words in quotes.
            "-C" | "-c" => {
                let value = words.next()?;
                let quote = value.chars().next().filter(|c| ['"', '\''].contains(c));
                if let Some(quote) = quote.filter(|quote| !is_closed(value, *quote)) {
                    words.find(|word| word.ends_with(quote))?;
                }
            }
            option if option.starts_with('-') => {}
            verb => return Some(verb),
        }
    }
}

fn is_closed(value: &str, quote: char) -> bool {
    value.len() > 1 && value.ends_with(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_ours_where_any_command_of_it_is() {
        for line in [
            "git beads list",
            "git-beads list",
            "cd D && git beads ready --claim",
            "ID=$(git beads ready --claim -q); echo $ID",
            "/opt/bin/git-beads start x",
            "git-beads.exe start x",
            r"C:\bin\git.exe beads start x",
            "env A=b git beads list",
            "git -C D beads list",
            "git -C D --no-pager beads list",
            "git --no-pager beads list",
            "for i in a b; do git beads show $i; done",
            "if git beads list; then true; fi",
            "echo `git beads list`",
            "sleep 1\ngit beads list",
            "timeout 60 git beads ready --claim",
            "timeout -s KILL 5m git-beads list",
            "nice -n 5 git beads list",
            "stdbuf -oL git beads list",
            "time -p git beads list",
            "sudo -u ann env A=b git beads list",
            "echo x | xargs -n 1 git beads show",
            "if ! A=b git beads list; then true; fi",
            "\\git beads list",
            "git \\\n beads list",
            "git -C \"my dir\" beads list",
            "git -c a.b=c -C dir beads list",
        ] {
            assert!(calls_us(line), "{line}");
        }
        for line in [
            "git log",
            "git commit -m 'use git beads'",
            "grep -r git-beads docs",
            "git -C D log beads",
            "cd git-beads",
            "timeout 60 git log beads",
            "time make",
        ] {
            assert!(!calls_us(line), "{line}");
        }
    }
}
