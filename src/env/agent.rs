//! What the surroundings say of the agent that runs this program: variables of clients, and the process of one.

use std::fmt::Write as _;

use super::Env;
use crate::platform::Process;

/// The variable that names an agent; an empty one says that a person acts.
pub(crate) const NAME: &str = "GIT_BEADS_AGENT";

/// The variables that hold the session of a client.
const SESSIONS: [(&str, &str); 6] = [
    ("CODEX_THREAD_ID", "codex"),
    ("CLAUDE_CODE_SESSION_ID", "claude"),
    ("COPILOT_AGENT_SESSION_ID", "copilot"),
    ("AMP_CURRENT_THREAD_ID", "amp"),
    ("GEMINI_SESSION_ID", "gemini"),
    ("QWEN_CODE_SESSION_ID", "qwen"),
];

/// The variables by which a client is known that gives no session.
const MARKS: [(&str, &str); 8] = [
    ("CURSOR_AGENT", "cursor"),
    ("GEMINI_CLI", "gemini"),
    ("OPENCODE", "opencode"),
    ("COPILOT_CLI", "copilot"),
    ("COPILOT_AGENT", "vscode"),
    ("CLAUDECODE", "claude"),
    // These two name the client themselves.
    ("AI_AGENT", ""),
    ("AGENT", ""),
];

/// The clients that are known by a word of their name, however they call themselves.
pub(crate) const CLIENTS: [&str; 11] = [
    "claude", "codex", "copilot", "cursor", "gemini", "opencode", "vscode", "qwen", "goose",
    "crush", "amp",
];

/// Programs that pass on what another one has started.
const BETWEEN: [&str; 13] = [
    "sh",
    "bash",
    "dash",
    "zsh",
    "fish",
    "ksh",
    "ash",
    "busybox",
    "env",
    "git",
    "git-beads",
    "timeout",
    "sudo",
];

/// The end of the source of a session that is known by a process.
const BY_PROCESS: &str = ", by its process";

/// A session of a client, and what it was known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClientSession {
    /// An agent by a given name.
    Named { name: String, source: String },
    /// A client, and the identity of its session, which is never written.
    Known {
        client: String,
        id: String,
        source: String,
    },
}

impl ClientSession {
    /// Returns the session that a client reports of itself; none where its shells have another name for it.
    pub(crate) fn reported(env: &Env, client: &str, id: &str) -> Option<Self> {
        let is_known = CLIENTS.contains(&client) && !id.is_empty() && env.var_os(NAME).is_none();
        is_known.then(|| Self::Known {
            client: client.to_owned(),
            id: id.to_owned(),
            source: format!("a hook of {client}"),
        })
    }
}

/// Returns whether the surroundings say that a person acts.
pub(crate) fn is_person(env: &Env) -> bool {
    env.var_os(NAME).is_some_and(|name| name.is_empty())
}

/// Returns whether a client has set any of its variables.
pub(crate) fn is_within_client(env: &Env) -> bool {
    let names = SESSIONS.iter().chain(&MARKS);
    let is_set = |name| {
        env.var_os(name)
            .is_some_and(|value| !is_off(&value.to_string_lossy()))
    };
    names.into_iter().any(|(name, _)| is_set(name))
}

/// Returns true for the value of a variable that says no.
fn is_off(value: &str) -> bool {
    ["", "0", "false", "no", "off"].contains(&value.to_lowercase().as_str())
}

/// Returns the nearest process that has started this one and is no mere shell or the like.
pub(crate) fn nearest_client(env: &Env) -> Option<&Process> {
    env.ancestors().iter().find(|it| is_client(it))
}

/// Returns the agent of the session that a client has begun last, by its process.
pub(crate) fn begun(name: String) -> ClientSession {
    let source = format!("start of a session{BY_PROCESS}");
    ClientSession::Named { name, source }
}

/// Returns the agent that was named by the variable for it.
pub(crate) fn named(env: &Env) -> Option<ClientSession> {
    let name = env.var(NAME)?;
    let source = NAME.to_owned();
    Some(ClientSession::Named { name, source })
}

/// Returns the session that a variable of a client holds; of several, that of the nearest process.
pub(crate) fn session(env: &Env) -> Option<ClientSession> {
    let set = |(name, client): (&'static str, &'static str)| Some((name, client, env.var(name)?));
    let mut found: Vec<_> = SESSIONS.into_iter().filter_map(set).collect();
    let first = match found.len() {
        0 => return None,
        1 => 0,
        // One client runs inside of another: the inner one has inherited the variable of the outer one.
        _ => {
            let place = |client: &str| {
                env.ancestors()
                    .iter()
                    .position(|it| it.name.contains(client))
            };
            let nearest = (0..found.len()).filter_map(|i| Some((place(found[i].1)?, i)));
            nearest.min().map_or(0, |(_, i)| i)
        }
    };
    let (name, client, id) = found.swap_remove(first);
    Some(ClientSession::Known {
        client: client.to_owned(),
        id,
        source: name.to_owned(),
    })
}

/// Returns the client that has left a mark, with its process for a session.
pub(crate) fn marked(env: &Env, place: impl Fn() -> String) -> Option<ClientSession> {
    let (name, client) = MARKS.into_iter().find_map(|(name, client)| {
        let value = env.var(name).filter(|value| !is_off(value))?;
        let client = if client.is_empty() {
            family(&value)?
        } else {
            client.to_owned()
        };
        Some((name, client))
    })?;
    Some(of_process(env, client, name, &place()))
}

/// Returns the session of a client by the process that has started this one, else by the place where it works.
pub(crate) fn of_process(env: &Env, client: String, source: &str, place: &str) -> ClientSession {
    ClientSession::Known {
        client,
        id: process_key(env, place),
        source: format!("{source}{BY_PROCESS}"),
    }
}

/// Returns the process of the client that an agent runs in. For one that is known by its process this is that one, and
/// else the nearest that is called like a client: what has started this program can be a step of a script.
pub(crate) fn client_process<'e>(env: &'e Env, session: &ClientSession) -> Option<&'e Process> {
    let is_client = |it: &&Process| match session {
        ClientSession::Known { source, .. } | ClientSession::Named { source, .. }
            if source.ends_with(BY_PROCESS) =>
        {
            is_client(it)
        }
        ClientSession::Known { client, .. } => it.name.starts_with(client.as_str()),
        ClientSession::Named { .. } => CLIENTS.iter().any(|name| it.name.starts_with(name)),
    };
    env.ancestors().iter().find(is_client)
}

/// Returns the short name of a client: a word that is known in what it calls itself, else the beginning of that.
pub(crate) fn family(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    if lower.contains("visual studio code") {
        return Some("vscode".to_owned());
    }
    if let Some(known) = CLIENTS.into_iter().find(|client| lower.contains(client)) {
        return Some(known.to_owned());
    }
    let word: String = lower
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .take(16)
        .collect();
    // `AGENT=1` says that there is one, and not which.
    (word.chars().any(|c| c.is_ascii_alphabetic()) && word != "true").then_some(word)
}

/// Returns a text that only the process of this client has, on this machine and for good.
fn process_key(env: &Env, place: &str) -> String {
    let mut key = env.boot_id();
    match nearest_client(env) {
        Some(client) => _ = write!(key, " {} {}", client.number, client.start),
        // Without a list of processes: what stays the same for the calls of one session.
        None => {
            _ = write!(key, " {place}");
            for name in ["TMUX_PANE", "TERM_SESSION_ID", "WT_SESSION", "SSH_TTY"] {
                _ = write!(key, " {}", env.var(name).unwrap_or_default());
            }
        }
    }
    key
}

/// Returns whether a process is no mere shell or the like.
fn is_client(process: &Process) -> bool {
    !BETWEEN.contains(&process.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_known_by_a_word_of_its_name() {
        let family = |name| family(name).unwrap_or_default();
        assert_eq!(family("claude-code_2.1.120_agent"), "claude");
        assert_eq!(family("codex-mcp-client"), "codex");
        assert_eq!(family("Visual Studio Code"), "vscode");
        assert_eq!(family("Zed 1.0"), "zed");
        assert_eq!(family("1"), "");
        assert_eq!(family("true"), "");
    }
}
