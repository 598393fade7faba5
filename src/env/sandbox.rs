//! The word of a set-up step that this is the sandbox of a hosted agent. It saves questions to a remote and permits the first
//! one; nothing else depends on it.

use super::Env;

/// The variable that says so, by the value 1.
const SAID: &str = "GIT_BEADS_SANDBOX";

/// Returns true if a set-up step has said that this process runs in a sandbox.
pub(crate) fn is_declared(env: &Env) -> bool {
    env.var(SAID).as_deref() == Some("1")
}

/// Returns the branch of the session, where the service names one.
pub(crate) fn named_branch(env: &Env) -> Option<String> {
    env.var("COPILOT_AGENT_BRANCH_NAME")
}
