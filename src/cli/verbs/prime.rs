//! `prime`: what a hook puts into a session; nothing where there is nothing to say.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::cli::hook_input::HookInput;
use crate::cli::text::session::{ready_ids, text};
use crate::cli::verb::{Cli, Exit, Group, Verb};
use crate::ops::verbs::context::is_true;
use crate::ops::verbs::prime::{Prime, Session, join_usual, prime};
use crate::ops::{ExitClass, Result, Tracker};

const LIMIT: usize = 8;
const WIDTH: usize = 140;
const BYTES: usize = 1200;
/// Bytes of a character, at most.
const WIDEST: usize = 4;

#[derive(Debug, Args)]
pub(super) struct PrimeArgs {
    /// Show at most this many findings and decisions [default: GIT_BEADS_CONTEXT_LIMIT, else 8]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    limit: Option<String>,
    /// Print at most this many bytes [default: 1200, more where a variable or --limit asks for more]
    #[arg(long, value_name = "N")]
    max_bytes: Option<usize>,
    /// Leave out the texts of findings and decisions
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    compact: Option<String>,
    /// First join the store of the remote if there is none here (10 seconds at most, without asking)
    #[arg(long)]
    join: bool,
    /// Name the tools of `git beads mcp` instead of the commands
    #[arg(long)]
    mcp: bool,
    /// Wrap the output in JSON for the hooks of a client
    #[arg(long, value_name = "CLIENT", num_args = 0..=1, require_equals = true, default_missing_value = "claude")]
    hook_json: Option<HookFormat>,
}

/// The JSON in which a client reads what a hook says at the start of a session.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum HookFormat {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// Cursor
    Cursor,
    /// Copilot CLI, the cloud agent of GitHub, and VS Code
    Copilot,
}

impl HookFormat {
    /// Notes which session begins, as the client says; a session begins without that too. Returns false where the hook of
    /// another agent in this repository has spoken to it already.
    fn begin(self, cli: &mut Cli) -> bool {
        let client = self.to_possible_value();
        let client = client.as_ref().map_or("", |value| value.get_name());
        let said = HookInput::read(cli.env());
        let Ok(Some(tracker)) = cli.in_session(client, said.session(), None) else {
            return true;
        };
        let is_first = tracker.begins_with(said.start(), client);
        if is_first {
            tracker.note_session();
        }
        is_first
    }

    fn wrap(self, text: &str) -> Value {
        let claude = json!({"hookEventName": "SessionStart", "additionalContext": text});
        match self {
            Self::Claude | Self::Codex | Self::Gemini => json!({"hookSpecificOutput": claude}),
            Self::Cursor => json!({"additional_context": text}),
            // VS Code reads the files of Copilot's hooks, and their answers as Claude Code does.
            Self::Copilot => json!({"additionalContext": text, "hookSpecificOutput": claude}),
        }
    }
}

impl Verb for PrimeArgs {
    const NAME: &'static str = "prime";
    const ABOUT: &'static str = "Print a short context for the session-start hook of an agent";
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r"For a session; without texts:

$ git beads prime
$ git beads prime --compact
";
    type Answer = Session;

    fn reads(&self) -> bool {
        !self.join
    }

    fn run(self, cli: &mut Cli) -> Result<Exit> {
        if let (true, Ok(tracker)) = (self.join, cli.tracker()) {
            join_usual(tracker);
        }
        if self.hook_json.is_some_and(|format| !format.begin(cli)) {
            return Ok(Exit::OK);
        }
        let session = match cli.tracker().and_then(|tracker| self.session(tracker)) {
            Ok(Some(session)) => session,
            Ok(None) => return Ok(Exit::OK),
            Err(error) if error.class() == ExitClass::NotARepository => return Ok(Exit::OK),
            Err(error) => return Err(error),
        };
        match self.hook_json {
            Some(format) => cli.ui.line(&format.wrap(&session.text).to_string()),
            None => cli.answer(session, ready_ids, text),
        }
        Ok(Exit::OK)
    }
}

impl PrimeArgs {
    /// Returns what there is to say. Where that is nothing, no warning interrupts the session either.
    fn session(&self, tracker: &Tracker) -> Result<Option<Session>> {
        let set = |name| tracker.env().var(name).as_deref().and_then(number);
        let asked = self.limit.as_deref().and_then(number);
        let limit = asked.or_else(|| set("GIT_BEADS_CONTEXT_LIMIT"));
        let width = set("GIT_BEADS_CONTEXT_MAXLEN");
        let usual = match (limit, width) {
            (None, None) => BYTES,
            // All of the findings and decisions that were asked for fit.
            _ => {
                let line = width.unwrap_or(WIDTH).saturating_mul(WIDEST);
                let lines = limit
                    .unwrap_or(LIMIT)
                    .saturating_mul(line.saturating_add(1));
                lines.saturating_add(BYTES)
            }
        };
        let request = Prime {
            limit: limit.unwrap_or(LIMIT),
            width: width.unwrap_or(WIDTH),
            bytes: self.max_bytes.unwrap_or(usual),
            compact: is_true(self.compact.as_deref()),
            tools: self.mcp,
        };
        let session = prime(tracker, request);
        if !matches!(session, Ok(Some(_))) {
            tracker.take_warnings();
        }
        session
    }
}

/// Reads a positive number; anything else means the default.
fn number(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|n| *n > 0)
}
