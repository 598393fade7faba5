//! `setup`: the files of agents, and of the people who own them.

mod blocks;
mod ci;
mod cloud;
mod edits;
mod files;
mod parsers;
mod scripts;
mod shared;
mod verb;

use crate::support::World;

/// What an agent reads: its files with their container, as the test knows it.
pub struct Agent {
    pub name: &'static str,
    pub files: &'static [(&'static str, &'static str)],
}

/// All agents with files of their own. Of a JSON file the container of the server is named, of one with hooks
/// alone `hooks`, of TOML nothing.
pub const AGENTS: [Agent; 14] = [
    Agent {
        name: "claude",
        files: &[
            (".mcp.json", "mcpServers"),
            (".claude/settings.json", "hooks"),
        ],
    },
    Agent {
        name: "codex",
        files: &[(".codex/config.toml", ""), (".codex/hooks.json", "hooks")],
    },
    Agent {
        name: "cursor",
        files: &[
            (".cursor/mcp.json", "mcpServers"),
            (".cursor/hooks.json", "hooks"),
        ],
    },
    Agent {
        name: "vscode",
        files: &[(".vscode/mcp.json", "servers")],
    },
    Agent {
        name: "gemini",
        files: &[(".gemini/settings.json", "mcpServers")],
    },
    Agent {
        name: "amp",
        files: &[(".amp/settings.json", "amp.mcpServers")],
    },
    Agent {
        name: "opencode",
        files: &[("opencode.json", "mcp")],
    },
    Agent {
        name: "antigravity",
        files: &[(".agents/mcp_config.json", "mcpServers")],
    },
    Agent {
        name: "devin",
        files: &[(".devin/mcp_config.json", "mcpServers")],
    },
    Agent {
        name: "kiro",
        files: &[(".kiro/settings/mcp.json", "mcpServers")],
    },
    Agent {
        name: "junie",
        files: &[(".junie/mcp/mcp.json", "mcpServers")],
    },
    Agent {
        name: "qwen",
        files: &[(".qwen/settings.json", "mcpServers")],
    },
    Agent {
        name: "warp",
        files: &[(".warp/.mcp.json", "mcpServers")],
    },
    Agent {
        name: "continue",
        files: &[(".continue/mcpServers/beads.json", "mcpServers")],
    },
];

/// A file in `repo`.
#[track_caller]
pub fn read(world: &World, name: &str) -> String {
    std::fs::read_to_string(world.path(&format!("repo/{name}"))).unwrap()
}

pub fn write(world: &World, name: &str, text: &str) {
    world.file(&format!("repo/{name}"), text);
}

pub fn exists(world: &World, name: &str) -> bool {
    std::fs::symlink_metadata(world.path(&format!("repo/{name}"))).is_ok()
}

/// Everything in the work tree but `.git`, with what it says.
pub fn files(world: &World) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![world.path("repo")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != ".git") {
                folders.push(path);
            } else if path.is_file() {
                let name = path
                    .strip_prefix(world.path("repo"))
                    .unwrap()
                    .display()
                    .to_string();
                found.push((
                    name,
                    String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned(),
                ));
            }
        }
    }
    found.sort();
    found
}

/// Documents that people have, for a container.
pub fn documents(container: &str) -> Vec<(&'static str, String)> {
    if container.is_empty() {
        return tables();
    }
    let others = match container {
        "hooks" => r#""SessionStart": [{"matcher": "x", "hooks": []}], // first"#,
        _ => r#""other": {"command": "x", "args": ["--a"]}, // keep"#,
    };
    let whole = format!(
        "// mine\n{{\n  \"z\": 1.50, // why\n  \"{container}\": {{\n    {others}\n    \"last\": {{}} /* in */\n  }},\n  /* b */ \"a\": [1, 2]\n}}\n"
    );
    let plain =
        format!("{{\n  \"{container}\": {{\n    \"last\": {{}}\n  }},\n  \"a\": \"//\"\n}}\n");
    vec![
        ("tabs", whole.replace("  ", "\t")),
        ("four spaces", whole.replace("  ", "    ")),
        ("line ends of Windows", whole.replace('\n', "\r\n")),
        ("no final line end", whole.trim_end().to_owned()),
        ("a byte order mark", format!("\u{feff}{whole}")),
        (
            "trailing commas",
            whole
                .replace("/* in */", ", /* in */")
                .replace("2]\n", "2],\n"),
        ),
        ("no comments", plain.clone()),
        ("one line", plain.replace('\n', " ")),
        ("minified", plain.replace(['\n', ' '], "")),
        (
            "without the container",
            "{\n  \"a\": {\n  }\n}\n".to_owned(),
        ),
        (
            "an empty container",
            format!("{{\n  \"{container}\": {{}}\n}}\n"),
        ),
        (
            "a container of a comment",
            format!("{{\n  \"{container}\": {{\n    // none yet\n  }}\n}}\n"),
        ),
        ("an empty object", "{}".to_owned()),
        ("an empty object on lines", "{\n}\n".to_owned()),
        ("nothing", String::new()),
        ("a comment alone", "// to do\n".to_owned()),
        ("whole", whole),
    ]
}

fn tables() -> Vec<(&'static str, String)> {
    let whole = "# mine\nmodel = \"x\" # why\n\n[mcp_servers.other]\ncommand = 'y'\nargs = [\n  \"a\", # one\n]\n\n[tools]\nweb = true\n".to_owned();
    vec![
        ("line ends of Windows", whole.replace('\n', "\r\n")),
        ("no final line end", whole.trim_end().to_owned()),
        ("a byte order mark", format!("\u{feff}{whole}")),
        ("tabs", whole.replace("  ", "\t")),
        ("nothing", String::new()),
        ("an empty line", "\n".to_owned()),
        ("a comment alone", "# to do".to_owned()),
        ("many empty lines", format!("{whole}\n\n")),
        ("an array of tables", format!("{whole}[[x]]\ny = 1\n")),
        (
            "dotted keys",
            "mcp_servers.other.command = \"y\"\n".to_owned(),
        ),
        ("whole", whole),
    ]
}
