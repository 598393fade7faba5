//! The agents that can be set up: the files they read, and the entries for them.
//!
//! Files of the project come first: a team shares them, and nothing outside of the work tree is touched.

use super::agent_hooks::{CLAUDE, CODEX, CURSOR, GEMINI};
use super::block::{Block, Length};
use super::json::{Json, JsonEntry, Slot};
use super::toml::Table;
use crate::ops::CODEX_SANDBOX;

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
    /// A file that earlier versions wrote, by the ids of its texts: it is only taken out.
    Former(&'static [&'static str]),
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

/// The hook that Copilot CLI, the cloud agent and VS Code read: one that names tools, and one that names commands, since
/// the cloud agent has no server of the repository.
const COPILOT_TOOLS: &str = include_str!("copilot.json");
const COPILOT_COMMANDS: &str = include_str!("copilot-cloud.json");

/// Returns the hook of Copilot with a text, in the place of another one.
const fn copilot_hook(text: &'static str, former: &'static [&'static str]) -> Config {
    Config {
        paths: &[".github/hooks/git-beads.json"],
        content: Content::Whole(WholeFile { text, former }),
    }
}

/// The server as most agents read it: under the key that Claude Code has made common.
pub(super) const MCP_SERVERS: Content = Content::Json(&[server(&["mcpServers"], SERVER)]);

/// Returns a file with nothing but that.
const fn mcp_servers(paths: &'static [&'static str]) -> Config {
    Config {
        paths,
        content: MCP_SERVERS,
    }
}

/// Returns what an agent needs whose server is in such a file.
const fn common(name: &'static str, files: &'static [Config]) -> Agent {
    Agent {
        name,
        files,
        block: Some(Length::Full),
        hints: &[],
    }
}

/// The file of servers that several agents read.
pub(super) const SHARED_SERVER: Config = Config {
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
pub(super) const COPILOT_CLOUD_FILE: Config = copilot_hook(COPILOT_COMMANDS, &[COPILOT_TOOLS]);

/// All agents, in the order in which they are listed.
pub(super) static AGENTS: [Agent; 16] = [
    Agent {
        name: "claude",
        files: &[
            SHARED_SERVER,
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
            "Codex reads these files in projects that you trust, and asks whether it may run the hooks, \
             again after each change of them",
            CODEX_SANDBOX,
        ],
    },
    Agent {
        name: "cursor",
        files: &[
            mcp_servers(&[".cursor/mcp.json"]),
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
        files: &[
            SHARED_SERVER,
            copilot_hook(COPILOT_TOOLS, &[COPILOT_COMMANDS]),
        ],
        block: Some(Length::Full),
        hints: &["Copilot CLI reads these files in folders that you trust"],
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
            "Antigravity, its successor, has a file of its own: git beads setup antigravity --write",
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
    common("antigravity", &[mcp_servers(&[".agents/mcp_config.json"])]),
    // Windsurf, until it got another name.
    common(
        "devin",
        &[mcp_servers(&[
            ".devin/mcp_config.json",
            ".windsurf/mcp_config.json",
        ])],
    ),
    common("kiro", &[mcp_servers(&[".kiro/settings/mcp.json"])]),
    common("junie", &[mcp_servers(&[".junie/mcp/mcp.json"])]),
    common("qwen", &[mcp_servers(&[".qwen/settings.json"])]),
    common("warp", &[mcp_servers(&[".warp/.mcp.json"])]),
    common(
        "continue",
        &[mcp_servers(&[".continue/mcpServers/beads.json"])],
    ),
    Agent {
        name: "agents-md",
        files: &[],
        block: Some(Length::Full),
        hints: &[],
    },
];
