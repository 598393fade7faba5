//! Arguments of the verbs that tell a session where things stand.

use clap::Args;

#[derive(Debug, Args)]
pub(in crate::cli) struct ContextArgs {
    /// Findings and decisions at most [default: 20]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(in crate::cli) limit: Option<String>,
    /// Leave out their texts
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(in crate::cli) compact: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CommitMsgArgs {
    /// Id [default: the issue of the current branch]
    pub(in crate::cli) id: Option<String>,
    /// The commit ends the issue, once it has landed
    #[arg(long)]
    pub(in crate::cli) closes: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct PrimeArgs {
    /// Findings and decisions at most [default: GIT_BEADS_CONTEXT_LIMIT, else 8]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(in crate::cli) limit: Option<String>,
    /// Bytes at most
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(in crate::cli) max_bytes: usize,
    /// Wrap it for hooks that read JSON (`hookSpecificOutput`)
    #[arg(long)]
    pub(in crate::cli) hook_json: bool,
}
