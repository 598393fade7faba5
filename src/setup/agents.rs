//! The agents that can be set up: the files they read, and the entries for them.
//!
//! Files of the project come first: a team shares them, and nothing outside of the work tree is touched.

use super::agent_hooks::{CLAUDE, CODEX, CURSOR, GEMINI};
use super::block::{Block, Length};
use super::json::{Json, JsonEntry, Slot};
use super::toml::Table;
use super::workflow::Workflow;

/// An agent that can be set up.
pub(super) struct Agent {
    /// Its name on the command line.
    pub(super) name: &'static str,
    /// Its own files; `AGENTS.md` is added for all that need a block in it.
    pub(super) files: &'static [Config],
    /// Length of the block in `AGENTS.md` that it needs; none for what is no agent.
    pub(super) block: Option<Length>,
    /// Steps that are left to its user.
    pub(super) hints: &'static [&'static str],
}

/// A configuration file of an agent.
#[derive(Clone, Copy)]
pub(super) struct Config {
    /// Its names in the work tree: those with entries of git-beads are used, else the first that
    /// exists, else the first.
    pub(super) paths: &'static [&'static str],
    /// The entries that belong into it.
    pub(super) content: Content,
}

/// The entries that belong into a file.
#[derive(Clone, Copy)]
pub(super) enum Content {
    /// Entries of a JSON document with comments.
    Json(&'static [JsonEntry]),
    /// A table of a TOML document.
    Toml(Table),
    /// A file with nothing else in it.
    Whole(WholeFile),
    /// A file that the host of the repository runs: made where there is none, and never edited.
    Workflow(Workflow),
    /// A file whose presence is what counts.
    Presence(&'static str),
    /// The block, with at least this in it.
    Block(Block),
}

/// A file with nothing else in it.
#[derive(Clone, Copy)]
pub(super) struct WholeFile {
    pub(super) text: &'static str,
    /// Texts that earlier versions of this program wrote instead.
    pub(super) former: &'static [&'static str],
}

/// The file in which all agents look for instructions of a repository.
pub(super) const AGENTS_MD: Config = Config {
    paths: &["AGENTS.md"],
    content: Content::Block(Block::of(Length::Full)),
};

const MCP: Json = Json::List(&[Json::Text("mcp")]);
const SERVER: Json = Json::Object(&[("command", Json::Text("git-beads")), ("args", MCP)]);
/// Claude Code hides the tools of other servers behind a search where there are many.
const LOADED: Json = Json::Object(&[
    ("command", Json::Text("git-beads")),
    ("args", MCP),
    ("alwaysLoad", Json::True),
]);

/// Returns the entry of the server under the key that its agent uses.
const fn server(path: &'static [&'static str], value: Json) -> JsonEntry {
    JsonEntry {
        path,
        slot: Slot::Key("beads"),
        value,
        former: &[],
        new_file: false,
    }
}

/// The page that an agent reads when the work is about tasks.
const SKILL: Content = Content::Whole(WholeFile {
    text: include_str!("skill.md"),
    former: &[],
});

/// Hooks that Copilot CLI and the cloud agent read, and VS Code.
const COPILOT_HOOKS: Content = Content::Whole(WholeFile {
    text: include_str!("copilot.json"),
    former: &[],
});

pub(super) const CLAUDE_SERVER: Config = Config {
    paths: &[".mcp.json"],
    content: Content::Json(&[JsonEntry {
        former: &[SERVER],
        ..server(&["mcpServers"], LOADED)
    }]),
};
pub(super) const CLAUDE_SKILL: Config = Config {
    paths: &[".claude/skills/git-beads/SKILL.md"],
    content: SKILL,
};
/// What Codex reads, in its cloud as well.
pub(super) const CODEX_FILES: [Config; 3] = [
    Config {
        paths: &[".codex/config.toml"],
        content: Content::Toml(Table {
            path: &["mcp_servers", "beads"],
            text: "[mcp_servers.beads]\ncommand = \"git-beads\"\nargs = [\"mcp\"]",
        }),
    },
    Config {
        paths: &[".codex/hooks.json"],
        content: Content::Json(&CODEX),
    },
    Config {
        paths: &[".agents/skills/git-beads/SKILL.md"],
        content: SKILL,
    },
];
pub(super) const COPILOT_FILE: Config = Config {
    paths: &[".github/hooks/git-beads.json"],
    content: COPILOT_HOOKS,
};

/// All agents, in the order in which they are listed.
pub(super) static AGENTS: [Agent; 9] = [
    Agent {
        name: "claude",
        files: &[
            CLAUDE_SERVER,
            Config {
                paths: &[".claude/settings.json"],
                content: Content::Json(&CLAUDE),
            },
            CLAUDE_SKILL,
        ],
        block: Some(Length::Short),
        hints: &["Claude Code asks once whether it may start the server of this project"],
    },
    Agent {
        name: "codex",
        files: &CODEX_FILES,
        block: Some(Length::Short),
        hints: &[
            "Codex reads these files in projects that you trust, and asks once whether it may run the hook",
        ],
    },
    Agent {
        name: "cursor",
        files: &[
            Config {
                paths: &[".cursor/mcp.json"],
                content: Content::Json(&[server(&["mcpServers"], SERVER)]),
            },
            Config {
                paths: &[".cursor/hooks.json"],
                content: Content::Json(&CURSOR),
            },
        ],
        block: Some(Length::Full),
        hints: &[],
    },
    Agent {
        name: "copilot",
        files: &[COPILOT_FILE],
        block: Some(Length::Full),
        hints: &[
            "Copilot CLI has servers in a file of its user: copilot mcp add beads -- git-beads mcp",
        ],
    },
    Agent {
        name: "vscode",
        files: &[Config {
            paths: &[".vscode/mcp.json"],
            content: Content::Json(&[server(
                &["servers"],
                Json::Object(&[
                    ("type", Json::Text("stdio")),
                    ("command", Json::Text("git-beads")),
                    ("args", MCP),
                ]),
            )]),
        }],
        block: Some(Length::Full),
        hints: &["VS Code reads the hooks of Copilot too: git beads setup copilot --write"],
    },
    Agent {
        name: "gemini",
        files: &[Config {
            paths: &[".gemini/settings.json"],
            content: Content::Json(&[server(&["mcpServers"], SERVER), GEMINI]),
        }],
        block: Some(Length::Short),
        hints: &[
            "Gemini CLI reads GEMINI.md unless context.fileName in .gemini/settings.json names AGENTS.md",
        ],
    },
    Agent {
        name: "amp",
        files: &[Config {
            paths: &[".amp/settings.json", ".amp/settings.jsonc"],
            content: Content::Json(&[server(&["amp.mcpServers"], SERVER)]),
        }],
        block: Some(Length::Full),
        hints: &["Amp asks once whether it may start the server: amp mcp approve beads"],
    },
    Agent {
        name: "opencode",
        files: &[Config {
            paths: &["opencode.json", "opencode.jsonc"],
            content: Content::Json(&[server(
                &["mcp"],
                Json::Object(&[
                    ("type", Json::Text("local")),
                    (
                        "command",
                        Json::List(&[Json::Text("git-beads"), Json::Text("mcp")]),
                    ),
                ]),
            )]),
        }],
        block: Some(Length::Full),
        hints: &[],
    },
    Agent {
        name: "agents-md",
        files: &[],
        block: Some(Length::Full),
        hints: &[],
    },
];
