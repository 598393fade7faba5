//! Arguments of the verbs that change issues, and of the rest.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::FilterArgs;

#[derive(Debug, Args)]
pub(in crate::cli) struct UpdateArgs {
    /// Ids [default: the issue of the current branch]
    #[arg(value_name = "ID")]
    pub(in crate::cli) ids: Vec<String>,
    /// Title
    #[arg(long, allow_hyphen_values = true)]
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
    /// Anything else
    #[arg(long, allow_hyphen_values = true)]
    pub(in crate::cli) notes: Option<String>,
    /// task, bug, feature, epic, chore, ...
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(in crate::cli) kind: Option<String>,
    /// 0 (most urgent) to 4, or P0 to P4
    #[arg(short, long)]
    pub(in crate::cli) priority: Option<String>,
    /// open, in_progress, blocked, deferred, closed, pinned, hooked
    #[arg(short, long)]
    pub(in crate::cli) status: Option<String>,
    /// Who works on it (`me`)
    #[arg(short, long, value_name = "NAME")]
    pub(in crate::cli) assignee: Option<String>,
    /// Add a label
    #[arg(long, value_name = "LABEL")]
    pub(in crate::cli) add_label: Vec<String>,
    /// Remove a label
    #[arg(long, value_name = "LABEL")]
    pub(in crate::cli) rm_label: Vec<String>,
    /// The issue it is a part of
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) parent: Option<String>,
    /// Its name in another system
    #[arg(long, value_name = "REF", allow_hyphen_values = true)]
    pub(in crate::cli) external_ref: Option<String>,
    /// When it should be done
    #[arg(long, value_name = "DATE")]
    pub(in crate::cli) due: Option<String>,
    /// When it returns
    #[arg(long, value_name = "DATE")]
    pub(in crate::cli) defer: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct IdArg {
    /// Id
    pub(in crate::cli) id: String,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct PurgeArgs {
    /// Id
    pub(in crate::cli) id: String,
    /// Do not ask; needed without a terminal
    #[arg(short, long)]
    pub(in crate::cli) yes: bool,
    /// Say what would go, and what the history still holds
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct EditArgs {
    /// Id [default: the issue of the current branch]
    pub(in crate::cli) id: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct IdsArg {
    /// Ids
    #[arg(required = true, value_name = "ID")]
    pub(in crate::cli) ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct StartArgs {
    /// Id
    pub(in crate::cli) id: String,
    /// Take it from somebody else
    #[arg(long)]
    pub(in crate::cli) force: bool,
    /// Switch to a branch for it, and remember which issue it is about
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    pub(in crate::cli) branch: Option<Option<String>>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct NoteArgs {
    /// Id [default: the issue of the current branch]
    pub(in crate::cli) id: Option<String>,
    /// A comment
    pub(in crate::cli) text: Vec<String>,
    /// A fact: what you saw or measured
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(in crate::cli) finding: Vec<String>,
    /// A choice, with its reason
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(in crate::cli) decision: Vec<String>,
    /// Anything else
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(in crate::cli) comment: Vec<String>,
    /// Set the status too
    #[arg(short, long)]
    pub(in crate::cli) status: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RedactArgs {
    /// Id
    pub(in crate::cli) id: String,
    /// Id of the entry, or the end of it (`show --json` names them)
    pub(in crate::cli) entry: String,
    /// Show it again
    #[arg(long)]
    pub(in crate::cli) restore: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DoneArgs {
    /// Ids [default: the issue of the current branch]
    #[arg(value_name = "ID")]
    pub(in crate::cli) ids: Vec<String>,
    /// All that a commit on the default branch closes
    #[arg(long, conflicts_with = "ids")]
    pub(in crate::cli) landed: bool,
    /// What was done
    #[arg(short, long, conflicts_with = "landed", allow_hyphen_values = true)]
    pub(in crate::cli) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ReasonArgs {
    /// Ids
    #[arg(required = true, value_name = "ID")]
    pub(in crate::cli) ids: Vec<String>,
    /// Why
    #[arg(short, long, allow_hyphen_values = true)]
    pub(in crate::cli) reason: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DeferArgs {
    /// Ids
    #[arg(required = true, value_name = "ID")]
    pub(in crate::cli) ids: Vec<String>,
    /// When they return (2026-11-20, 3d, 2w, tomorrow)
    #[arg(long, value_name = "DATE")]
    pub(in crate::cli) until: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RenameArgs {
    /// Id
    pub(in crate::cli) id: String,
    /// The new id
    pub(in crate::cli) new: String,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RenamePrefixArgs {
    /// The new prefix; ids that are there stay
    pub(in crate::cli) prefix: String,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum DepVerb {
    /// Make ID wait for others: `dep add A --on B`, or `dep add A B`
    Add(LinkArgs),
    /// Remove dependencies
    #[command(visible_alias = "remove")]
    Rm(LinkArgs),
    /// Show what an issue waits for, level by level
    Tree(IdArg),
    /// Find issues that wait for each other
    Cycles,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct LinkArgs {
    /// The issue that waits
    pub(in crate::cli) id: String,
    /// What it waits for
    #[arg(value_name = "ON")]
    pub(in crate::cli) others: Vec<String>,
    /// What it waits for
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub(in crate::cli) on: Vec<String>,
    /// blocks, related, discovered-from, ... [default: blocks]
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(in crate::cli) dep_type: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SplitArgs {
    /// The epic
    pub(in crate::cli) epic: String,
    /// The plan, JSON or Markdown (`-` is standard input)
    #[arg(short = 'F', long, value_name = "FILE")]
    pub(in crate::cli) file: PathBuf,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct LabelArgs {
    /// Id
    pub(in crate::cli) id: String,
    /// Labels to add
    #[arg(required_unless_present = "rm")]
    pub(in crate::cli) labels: Vec<String>,
    /// Labels to remove
    #[arg(long, value_name = "LABEL", num_args = 1..)]
    pub(in crate::cli) rm: Vec<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct AssignArgs {
    /// Id
    pub(in crate::cli) id: String,
    /// Who works on it (`me`, `none`)
    pub(in crate::cli) name: String,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct PriorityArgs {
    /// Id
    pub(in crate::cli) id: String,
    /// 0 (most urgent) to 4, or P0 to P4
    pub(in crate::cli) priority: String,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct LogArgs {
    /// Id; without one, all issues
    pub(in crate::cli) id: Option<String>,
    /// What each operation changed, field by field
    #[arg(short, long)]
    pub(in crate::cli) patch: bool,
    /// Since a date (2026-11-20, 3d for three days ago)
    #[arg(long, value_name = "DATE")]
    pub(in crate::cli) since: Option<String>,
    /// Up to a date
    #[arg(long, value_name = "DATE")]
    pub(in crate::cli) until: Option<String>,
    /// By NAME, a part of a name, or `me`
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) author: Option<String>,
    /// Commit and subject only
    #[arg(long)]
    pub(in crate::cli) oneline: bool,
    /// At most N; 0 means all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    pub(in crate::cli) limit: usize,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct UndoArgs {
    /// How many of your own operations, or the commit of one [default: your last]
    #[arg(value_name = "N|OP")]
    pub(in crate::cli) what: Option<String>,
    /// What has been overwritten since, too
    #[arg(long)]
    pub(in crate::cli) force: bool,
    /// Say what would happen, write nothing
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DiffArgs {
    /// Two states: a commit, a date, a remote or @~N (`3d..@`); one alone is compared with now
    #[arg(value_name = "A..B")]
    pub(in crate::cli) range: String,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ImportArgs {
    /// A JSONL file (`-` is standard input)
    pub(in crate::cli) file: PathBuf,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ExportArgs {
    /// Where to write [default: standard output]
    pub(in crate::cli) file: Option<PathBuf>,
    /// A table of the main fields instead
    #[arg(long)]
    pub(in crate::cli) csv: bool,
    /// One page for a browser instead, which needs nothing else
    #[arg(long, conflicts_with = "csv")]
    pub(in crate::cli) html: bool,
    #[command(flatten)]
    pub(in crate::cli) filter: FilterArgs,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CompletionArgs {
    /// bash, zsh or fish
    pub(in crate::cli) shell: Shell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Shell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CompleteArgs {
    /// The words are as bash has them, quotes and all; PART of the last one is replaced
    #[arg(long, value_name = "PART", require_equals = true)]
    pub(in crate::cli) bash: Option<String>,
    /// The words of the command line, up to the cursor
    #[arg(last = true)]
    pub(in crate::cli) words: Vec<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ManArgs {
    /// Write below this folder [default: share/man beside the program, else ~/.local/share/man]
    #[arg(value_name = "DIR")]
    pub(in crate::cli) folder: Option<PathBuf>,
    /// Remove the pages again
    #[arg(long)]
    pub(in crate::cli) remove: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct DemoArgs {
    /// Keep the repository and say where it is
    #[arg(long)]
    pub(in crate::cli) keep: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SchemaArgs {
    /// The verb; without one, all
    pub(in crate::cli) verb: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ExchangeArgs {
    /// The remote [default: as git would choose]
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) remote: Option<String>,
    /// Say what would happen
    #[arg(long)]
    pub(in crate::cli) dry_run: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SyncArgs {
    #[command(flatten)]
    pub(in crate::cli) exchange: ExchangeArgs,
    /// Join a store that was begun apart
    #[arg(long)]
    pub(in crate::cli) adopt: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CloneArgs {
    /// What to clone
    pub(in crate::cli) url: String,
    /// Where to
    pub(in crate::cli) folder: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ConflictsArgs {
    /// Id; without one, all issues
    pub(in crate::cli) id: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ResolveArgs {
    /// Id
    pub(in crate::cli) id: String,
    /// The field, as `conflicts` names it
    pub(in crate::cli) field: String,
    /// Take the value with this number; 0 keeps the one that is shown
    #[arg(long, value_name = "N", required_unless_present = "value")]
    pub(in crate::cli) take: Option<usize>,
    /// Write this instead
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "take",
        allow_hyphen_values = true
    )]
    pub(in crate::cli) value: Option<String>,
}
