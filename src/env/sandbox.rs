//! Sandboxes of hosted agents, as far as their variables tell. It saves questions to a remote and permits the first one;
//! nothing else depends on it.

use super::Env;

/// The variable by which a set-up step says that this is one, or is none.
const SAID: &str = "GIT_BEADS_SANDBOX";
/// The branch on which Codex works in the cloud.
const CODEX_BRANCH: &str = "work";

/// The service whose sandbox this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sandbox {
    Claude,
    Copilot,
    Codex,
    /// A set-up step has said so.
    Other,
}

impl Sandbox {
    /// Returns the sandbox that this process runs in, of a repository that has remotes or has none, on a branch.
    pub(crate) fn of(env: &Env, has_remote: bool, branch: Option<&str>) -> Option<Self> {
        match env.var(SAID).as_deref() {
            Some("1") => return Some(Self::known(env, has_remote, branch).unwrap_or(Self::Other)),
            Some("0") => return None,
            _ => {}
        }
        Self::known(env, has_remote, branch)
    }

    fn known(env: &Env, has_remote: bool, branch: Option<&str>) -> Option<Self> {
        let kind = env.var("CLAUDE_CODE_ENVIRONMENT_KIND");
        let is_hosted = kind.is_some_and(|kind| matches!(&*kind, "byoc" | "anthropic_cloud"));
        if is_hosted || env.var("CLAUDE_CODE_REMOTE").as_deref() == Some("true") {
            return Some(Self::Claude);
        }
        if env.var("COPILOT_AGENT_SESSION_ID").is_some() {
            return Some(Self::Copilot);
        }
        // These variables alone are on laptops too.
        let is_codex = !has_remote && branch == Some(CODEX_BRANCH) && env.is_any_set("CODEX_");
        is_codex.then_some(Self::Codex)
    }

    /// Returns its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Copilot => "copilot",
            Self::Codex => "codex",
            Self::Other => "other",
        }
    }
}

/// Returns the sandbox that this process runs in, as [`Sandbox::of`]; few machines need a look at the branch.
pub(crate) fn find(
    env: &Env,
    has_remote: bool,
    branch: impl FnOnce() -> Option<String>,
) -> Option<Sandbox> {
    let named = [
        SAID,
        "CLAUDE_CODE_REMOTE",
        "CLAUDE_CODE_ENVIRONMENT_KIND",
        "COPILOT_AGENT_SESSION_ID",
    ];
    if has_remote && named.iter().all(|name| env.var(name).is_none()) {
        return None;
    }
    Sandbox::of(env, has_remote, branch().as_deref())
}

/// Returns the branch of the session, where the service names one.
pub(crate) fn named_branch(env: &Env) -> Option<String> {
    env.var("COPILOT_AGENT_BRANCH_NAME")
}
