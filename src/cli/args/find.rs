//! Arguments of the verbs that create and find issues.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(in crate::cli) struct InitArgs {
    /// Prefix of new ids [default: bd]
    #[arg(long)]
    pub(in crate::cli) prefix: Option<String>,
    /// Join the store of this remote
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) remote: Option<String>,
    /// Take over issues from a JSONL file (`-` is standard input)
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) import: Option<PathBuf>,
    /// Begin a store even where the remote does not answer
    #[arg(long)]
    pub(in crate::cli) new: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct FieldArgs {
    /// task, bug, feature, epic, chore, ...
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(in crate::cli) kind: Option<String>,
    /// 0 (most urgent) to 4, or P0 to P4
    #[arg(short, long)]
    pub(in crate::cli) priority: Option<String>,
    /// Who works on it (`me`)
    #[arg(short, long, value_name = "NAME")]
    pub(in crate::cli) assignee: Option<String>,
    /// A label; may be repeated, or separated by commas
    #[arg(short, long = "label", value_name = "LABEL")]
    pub(in crate::cli) labels: Vec<String>,
    /// The issue it is a part of
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) parent: Option<String>,
    /// What it waits for
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub(in crate::cli) on: Vec<String>,
    /// Type of those dependencies [default: blocks]
    #[arg(long, value_name = "TYPE")]
    pub(in crate::cli) dep_type: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CreateArgs {
    /// What is to be done
    pub(in crate::cli) title: Option<String>,
    /// WHAT: scope and outcome
    #[arg(short, long, allow_hyphen_values = true)]
    pub(in crate::cli) description: Option<String>,
    /// HOW: approach, steps, risks
    #[arg(short = 'D', long, allow_hyphen_values = true)]
    pub(in crate::cli) design: Option<String>,
    /// DONE: verifiable criteria
    #[arg(short = 'A', long, allow_hyphen_values = true)]
    pub(in crate::cli) acceptance: Option<String>,
    #[command(flatten)]
    pub(in crate::cli) fields: FieldArgs,
    /// Read the description from a file (without TITLE its first line is the title; `-` is standard input)
    #[arg(short = 'F', long, value_name = "FILE", conflicts_with = "description")]
    pub(in crate::cli) file: Option<PathBuf>,
    /// The same key again gives the existing issue
    #[arg(long, allow_hyphen_values = true)]
    pub(in crate::cli) key: Option<String>,
    /// Start it at once
    #[arg(long)]
    pub(in crate::cli) start: bool,
    /// Check everything, write nothing
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct QuickArgs {
    /// What is to be done
    pub(in crate::cli) title: String,
    #[command(flatten)]
    pub(in crate::cli) fields: FieldArgs,
}

#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct FilterArgs {
    /// Status, or several separated by commas
    #[arg(short, long)]
    pub(in crate::cli) status: Vec<String>,
    /// Type, or several separated by commas
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(in crate::cli) kind: Vec<String>,
    /// Priority, or several separated by commas
    #[arg(short, long)]
    pub(in crate::cli) priority: Vec<String>,
    /// Label; all of them must be there
    #[arg(short, long)]
    pub(in crate::cli) label: Vec<String>,
    /// Assignee (`me`, `none`)
    #[arg(short, long)]
    pub(in crate::cli) assignee: Option<String>,
    /// Children of this issue
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) parent: Option<String>,
    /// Changed since a date (2026-11-20, 3d, 2w)
    #[arg(long, value_name = "DATE")]
    pub(in crate::cli) since: Option<String>,
    /// Not changed for so long (3d, 2w) or since a date
    #[arg(long, value_name = "DATE")]
    pub(in crate::cli) stale: Option<String>,
    /// Waiting for a person: labelled `human`, or blocked for a reason
    #[arg(long)]
    pub(in crate::cli) waiting: bool,
    /// priority, created, updated, id or title
    #[arg(long, value_name = "ORDER")]
    pub(in crate::cli) sort: Option<String>,
    /// At most N; 0 means all
    #[arg(short = 'n', long, value_name = "N")]
    pub(in crate::cli) limit: Option<usize>,
    /// Leave out the first N
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(in crate::cli) offset: usize,
    /// Exit with 1 when nothing is found
    #[arg(long)]
    pub(in crate::cli) exit_code: bool,
}

#[derive(Debug, Default, Args)]
pub(in crate::cli) struct QueryArgs {
    #[command(flatten)]
    pub(in crate::cli) filter: FilterArgs,
}

#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct AtArgs {
    /// As it was: a date (2026-11-20, 3d), a commit of `log`, a remote, or @~3
    #[arg(long, value_name = "REV")]
    pub(in crate::cli) at: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ListArgs {
    #[command(flatten)]
    pub(in crate::cli) filter: FilterArgs,
    #[command(flatten)]
    pub(in crate::cli) at: AtArgs,
    /// Open ones that a commit on the default branch closes
    #[arg(long, conflicts_with = "at")]
    pub(in crate::cli) landed: bool,
    /// Closed issues too
    #[arg(long)]
    pub(in crate::cli) all: bool,
    /// Deleted issues too
    #[arg(long)]
    pub(in crate::cli) deleted: bool,
    /// Children below their parents
    #[arg(long, conflicts_with = "flat")]
    pub(in crate::cli) tree: bool,
    /// One issue after the other (the default)
    #[arg(long)]
    pub(in crate::cli) flat: bool,
}

/// Without ID the open work. Lines below an issue are its parts and, after an arrow, what waits for it.
#[derive(Debug, Args)]
pub(in crate::cli) struct GraphArgs {
    /// An issue: what is below it, what those wait for and what waits for them
    pub(in crate::cli) id: Option<String>,
    /// Closed issues too, and those that nothing is linked to
    #[arg(long)]
    pub(in crate::cli) all: bool,
    /// As a flowchart for Mermaid
    #[arg(long, conflicts_with = "dot")]
    pub(in crate::cli) mermaid: bool,
    /// As a graph for Graphviz
    #[arg(long)]
    pub(in crate::cli) dot: bool,
    #[command(flatten)]
    pub(in crate::cli) filter: FilterArgs,
}

/// Of all issues that are not deleted; `--since` begins the count at a date.
#[derive(Debug, Args)]
pub(in crate::cli) struct StatsArgs {
    #[command(flatten)]
    pub(in crate::cli) filter: FilterArgs,
    /// Draw the burn-up into a file (`-` is standard output)
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) svg: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ReadyArgs {
    #[command(flatten)]
    pub(in crate::cli) filter: FilterArgs,
    #[command(flatten)]
    pub(in crate::cli) at: AtArgs,
    /// Say of every open issue why it is or is not ready
    #[arg(long)]
    pub(in crate::cli) explain: bool,
    /// Take the first, atomically
    #[arg(long, conflicts_with_all = ["explain", "at"])]
    pub(in crate::cli) claim: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ShowArgs {
    /// Ids [default: the issue of the current branch]
    #[arg(value_name = "ID")]
    pub(in crate::cli) ids: Vec<String>,
    /// Entries of each kind of memory at most
    #[arg(long, value_name = "N")]
    pub(in crate::cli) memory: Option<usize>,
    #[command(flatten)]
    pub(in crate::cli) at: AtArgs,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SearchArgs {
    /// Words; each may be the beginning of one
    #[arg(required = true)]
    pub(in crate::cli) text: Vec<String>,
    #[command(flatten)]
    pub(in crate::cli) filter: FilterArgs,
    /// Deleted issues too
    #[arg(long)]
    pub(in crate::cli) deleted: bool,
}
