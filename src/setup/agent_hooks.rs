//! The hooks of clients: the texts that a session gets when it starts, and the reports of its client.
//!
//! Each runs a command that prints nothing and succeeds where git-beads is not installed. Only Claude Code takes a
//! changed input of a tool without a decision on its permission, which is the user's to make: Cursor wants one, and Codex
//! names the parts of a session itself.

use super::json::{Json, JsonEntry, Slot};

/// The command line of a hook.
macro_rules! line {
    ($command:literal) => {
        Json::Text(concat!(
            "command -v git-beads >/dev/null 2>&1 && ",
            $command,
            " || true"
        ))
    };
}

/// The hooks of a group that runs one command.
macro_rules! hooks {
    ($command:literal) => {
        Json::List(&[Json::Object(&[
            ("type", Json::Text("command")),
            ("command", line!($command)),
        ])])
    };
}

/// The group of a hook that runs at each start of a session; after a compaction too, which drops what was said before.
macro_rules! each_start {
    ($command:literal) => {
        Json::Object(&[
            ("matcher", Json::Text("startup|resume|clear|compact")),
            ("hooks", hooks!($command)),
        ])
    };
}

/// The hook that names the parts of a session in their calls of some tools.
macro_rules! before_tools {
    ($tools:literal) => {
        Json::Object(&[
            ("matcher", Json::Text($tools)),
            ("hooks", hooks!("git-beads hook as claude")),
        ])
    };
}

/// Hooks of Claude Code, which calls the server by another name where a plugin has brought it.
pub(super) const CLAUDE: [JsonEntry; 5] = [
    JsonEntry {
        former: &[before_tools!("Bash|mcp__beads__.*")],
        ..hook(
            &["hooks", "PreToolUse"],
            "git-beads hook as",
            before_tools!("Bash|mcp__(plugin_git-beads_)?beads__.*"),
        )
    },
    hook(
        &["hooks", "PostToolUse"],
        "git-beads hook beat",
        Json::Object(&[("hooks", hooks!("git-beads hook beat claude"))]),
    ),
    hook(
        &["hooks", "Stop"],
        "git-beads hook stop",
        Json::Object(&[("hooks", hooks!("git-beads hook stop claude"))]),
    ),
    hook(
        &["hooks", "SessionEnd"],
        "git-beads hook session-end",
        Json::Object(&[("hooks", hooks!("git-beads hook session-end claude"))]),
    ),
    // The last: one that is renewed moves behind the others.
    session_start(
        each_start!("git-beads prime --hook-json --mcp"),
        &[each_start!("git-beads prime --hook-json")],
    ),
];

/// Hooks of Claude Code where sessions also run in its cloud: these find the issues when one begins, and send them at each
/// end of a turn, since the last one is not known. They name commands, since a server of a project needs a word of its user.
pub(super) const CLAUDE_CLOUD: [JsonEntry; 6] = [
    CLAUDE[0],
    CLAUDE[1],
    CLAUDE[2],
    SYNC,
    CLAUDE[3],
    session_start(
        each_start!("git-beads prime --join --hook-json"),
        &[
            each_start!("git-beads prime --hook-json --mcp"),
            each_start!("git-beads prime --hook-json"),
        ],
    ),
];

/// The hook that sends issues, in the cloud alone.
const SYNC: JsonEntry = hook(
    &["hooks", "Stop"],
    "git-beads sync -q",
    Json::Object(&[(
        "hooks",
        hooks!("[ \"$CLAUDE_CODE_REMOTE\" = true ] && git-beads sync -q >&2"),
    )]),
);

/// The hooks by which a file shows that it is for the cloud too, also where a person has changed them.
pub(super) const CLAUDE_CLOUD_MARKS: [JsonEntry; 2] = [
    SYNC,
    hook(
        &["hooks", "SessionStart"],
        "git-beads prime --join",
        Json::True,
    ),
];

/// Hooks of Codex, which reports no end of a session.
pub(super) const CODEX: [JsonEntry; 3] = [
    hook(
        &["hooks", "PostToolUse"],
        "git-beads hook beat",
        Json::Object(&[("hooks", hooks!("git-beads hook beat codex"))]),
    ),
    hook(
        &["hooks", "Stop"],
        "git-beads hook stop",
        Json::Object(&[("hooks", hooks!("git-beads hook stop codex"))]),
    ),
    session_start(
        each_start!("git-beads prime --hook-json=codex --mcp"),
        &[
            each_start!("git-beads prime --hook-json --mcp"),
            each_start!("git-beads prime --hook-json"),
        ],
    ),
];

/// The hook of Gemini CLI. It compares a matcher of this event as a whole; none means every start.
pub(super) const GEMINI: JsonEntry = session_start(
    Json::Object(&[("hooks", hooks!("git-beads prime --hook-json=gemini --mcp"))]),
    &[
        Json::Object(&[("hooks", hooks!("git-beads prime --hook-json --mcp"))]),
        Json::Object(&[("hooks", hooks!("git-beads prime --hook-json"))]),
    ],
);

/// Hooks of Cursor, which have names and members of their own.
pub(super) const CURSOR: [JsonEntry; 4] = [
    JsonEntry {
        slot: Slot::Key("version"),
        new_file: true,
        ..hook(&[], "", Json::Number(1))
    },
    hook(
        &["hooks", "postToolUse"],
        "git-beads hook beat",
        Json::Object(&[("command", line!("git-beads hook beat cursor"))]),
    ),
    hook(
        &["hooks", "sessionEnd"],
        "git-beads hook session-end",
        Json::Object(&[("command", line!("git-beads hook session-end cursor"))]),
    ),
    hook(
        &["hooks", "sessionStart"],
        "git-beads prime",
        Json::Object(&[("command", line!("git-beads prime --hook-json=cursor --mcp"))]),
    ),
];

/// Returns the entry of a hook.
const fn hook(path: &'static [&'static str], says: &'static str, value: Json) -> JsonEntry {
    JsonEntry {
        path,
        slot: Slot::Says(says),
        value,
        former: &[],
        new_file: false,
    }
}

/// Returns the entry of a hook that runs at the start of a session.
const fn session_start(value: Json, former: &'static [Json]) -> JsonEntry {
    JsonEntry {
        former,
        ..hook(&["hooks", "SessionStart"], "git-beads prime", value)
    }
}
