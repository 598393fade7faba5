//! What sessions in the cloud of a vendor need.
//!
//! Nothing of git-beads is in such a sandbox before a set-up step has put it there, and nothing of its issues stays unless it
//! is sent or committed. The steps are texts in docs/cloud.md, since they belong into settings of the vendor.

use super::agent_hooks::{CLAUDE_CLOUD, CLAUDE_CLOUD_MARKS};
use super::agents::{
    CLAUDE_SKILL, CODEX_FILES, COPILOT_CLOUD_FILE, Config, Content, SHARED_SERVER,
};

/// The needs of an agent for its sessions in the cloud.
pub(super) struct Cloud {
    /// Its files there, in the place of those of the agent.
    pub(super) files: &'static [Config],
    /// Those of them that are there only for the cloud; none where nothing but the block in `AGENTS.md` is.
    pub(super) marks: &'static [Config],
    /// What its user adds, and where.
    pub(super) hint: &'static str,
}

/// The word of a team that carry files are welcome; any text will do.
pub(super) const OPT_IN: Config = Config {
    paths: &[".git-beads/README.md"],
    content: Content::Presence(include_str!("../../hooks/cloud/README.md")),
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
            hint: "the set-up script of the environment is in docs/cloud.md of git-beads, to copy",
        },
    ),
    (
        "codex",
        Cloud {
            files: &[CODEX_FILES[0], CODEX_FILES[1], CODEX_FILES[2], OPT_IN],
            marks: &[],
            hint: "the set-up and maintenance script of the environment is in docs/cloud.md of git-beads, to copy",
        },
    ),
    (
        "copilot",
        Cloud {
            files: &[SHARED_SERVER, COPILOT_CLOUD_FILE, OPT_IN],
            marks: &[COPILOT_CLOUD_FILE],
            hint: "the steps of .github/workflows/copilot-setup-steps.yml are in docs/cloud.md of git-beads, to copy",
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
