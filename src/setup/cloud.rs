//! What sessions in the cloud of a vendor need, and what the host of a repository runs for them.
//!
//! Nothing of git-beads is in such a sandbox before a set-up step has put it there, and nothing of its issues stays unless it
//! is sent or committed. What is installed, variables say: no text names a package.

use super::agent_hooks::{CLAUDE_CLOUD, CLAUDE_CLOUD_MARKS};
use super::agents::{
    Agent, CLAUDE_SKILL, CODEX_FILES, COPILOT_CLOUD_FILE, Config, Content, SHARED_SERVER,
};
use super::workflow::{Template, Workflow};

/// The needs of an agent for its sessions in the cloud.
pub(super) struct Cloud {
    /// Its files there, in the place of those of the agent.
    pub(super) files: &'static [Config],
    /// Those of them that are there only for the cloud; none where nothing but the block in `AGENTS.md` is.
    pub(super) marks: &'static [Config],
    /// The text that its user pastes into the settings of the vendor.
    pub(super) script: Option<Script>,
}

/// A text that is pasted somewhere.
pub(super) struct Script {
    /// The place.
    pub(super) into: &'static str,
    pub(super) text: Template,
}

/// The word of a team that carry files are welcome; any text will do.
pub(super) const OPT_IN: Config = Config {
    paths: &[".git-beads/README.md"],
    content: Content::Presence(include_str!("../../hooks/cloud/README.md")),
};

const COPILOT_STEPS: Config = Config {
    paths: &[".github/workflows/copilot-setup-steps.yml"],
    content: Content::Workflow(Workflow {
        template: Template(include_str!("../../hooks/cloud/copilot-setup-steps.yml")),
        own_part: "      - name: Install",
    }),
};

/// All agents that have a cloud, by their names.
static CLOUDS: [(&str, Cloud); 3] = [
    (
        "claude",
        Cloud {
            files: &[
                SHARED_SERVER,
                Config {
                    paths: &[".claude/settings.json"],
                    content: Content::Json(&CLAUDE_CLOUD),
                },
                CLAUDE_SKILL,
                OPT_IN,
            ],
            marks: &[Config {
                paths: &[".claude/settings.json"],
                content: Content::Json(&CLAUDE_CLOUD_MARKS),
            }],
            script: Some(Script {
                into: "the set-up script of the environment",
                text: Template(include_str!("../../hooks/cloud/claude.sh")),
            }),
        },
    ),
    (
        "codex",
        Cloud {
            files: &[CODEX_FILES[0], CODEX_FILES[1], CODEX_FILES[2], OPT_IN],
            marks: &[],
            script: Some(Script {
                into: "the set-up script and the maintenance script of the environment",
                text: Template(include_str!("../../hooks/cloud/codex.sh")),
            }),
        },
    ),
    (
        "copilot",
        Cloud {
            files: &[SHARED_SERVER, COPILOT_CLOUD_FILE, COPILOT_STEPS, OPT_IN],
            marks: &[COPILOT_STEPS],
            script: None,
        },
    ),
];

/// Returns what an agent needs for its sessions in the cloud; none where it has none.
pub(super) fn of(agent: &str) -> Option<&'static Cloud> {
    CLOUDS
        .iter()
        .find(|(name, _)| *name == agent)
        .map(|(_, cloud)| cloud)
}

/// Returns the names of the agents that have a cloud.
pub(super) fn names() -> Vec<&'static str> {
    CLOUDS.iter().map(|(name, _)| *name).collect()
}

/// The hosts whose jobs can take over what agents left; by the name of the verb's arguments.
pub(super) static CI: [Agent; 3] = [
    Agent {
        files: &[Config {
            paths: &[".github/workflows/git-beads.yml"],
            content: job(include_str!("../../hooks/ci/github.yml")),
        }],
        ..host("ci github", &[VARIABLES])
    },
    Agent {
        files: &[Config {
            paths: &[".gitlab/git-beads.yml"],
            content: job(include_str!("../../hooks/ci/gitlab.yml")),
        }],
        ..host(
            "ci gitlab",
            &[
                VARIABLES,
                "the variable BEADS_TOKEN is a token of the project that may push",
                ".gitlab-ci.yml has to include it: include: [{local: .gitlab/git-beads.yml}]",
            ],
        )
    },
    Agent {
        files: &[Config {
            paths: &[".forgejo/workflows/git-beads.yml"],
            content: job(include_str!("../../hooks/ci/forgejo.yml")),
        }],
        ..host("ci forgejo", &[VARIABLES])
    },
];

const VARIABLES: &str = "variables of the repository say what is installed: GIT_BEADS_URL and GIT_BEADS_SHA256, or GIT_BEADS_SOURCE";

const fn job(text: &'static str) -> Content {
    Content::Workflow(Workflow {
        template: Template(text),
        own_part: "",
    })
}

const fn host(name: &'static str, hints: &'static [&'static str]) -> Agent {
    Agent {
        name,
        files: &[],
        block: None,
        hints,
    }
}
