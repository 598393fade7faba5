//! The log of the program's own work, where `GIT_BEADS_LOG` asks for one: to standard error, or to the file that
//! `GIT_BEADS_LOG_FILE` names, which is all that processes without a terminal can write to.
//!
//! It names commits, numbers, verbs and times, never a text of an issue, an argument or the address of a remote: who
//! passes a log on gives nothing away. Where it is not asked for, an event costs the look at a number.

use std::fs::{self, File, OpenOptions};
use std::path::Path;
use std::sync::Arc;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::writer::BoxMakeWriter;
use tracing_subscriber::prelude::*;

use crate::env::Env;
use crate::platform::CreateMode;

const LOG: &str = "GIT_BEADS_LOG";
const FILE: &str = "GIT_BEADS_LOG_FILE";
/// What the names of our own events begin with.
const OURS: &str = "git_beads";
/// The parts of the program that log.
const PARTS: [&str; 5] = ["cli", "index", "mcp", "ops", "store"];

/// Begins the log where the environment asks for one; says in a sentence what keeps it from that.
pub(super) fn start(env: &Env) -> Result<(), String> {
    let Some(wanted) = env.var_os(LOG).filter(|wanted| !wanted.is_empty()) else {
        return Ok(());
    };
    let wanted = wanted.to_string_lossy();
    let targets = targets(&wanted).ok_or_else(|| wrong(&wanted))?;
    let writer = match env.var_os(FILE).filter(|path| !path.is_empty()) {
        // No lock around it: each event is one write, and the system appends it whole.
        Some(path) => BoxMakeWriter::new(Arc::new(open(Path::new(&path))?)),
        None => BoxMakeWriter::new(std::io::stderr),
    };
    let layer = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_span_events(FmtSpan::CLOSE)
        // It would panic where standard error is closed.
        .log_internal_errors(false)
        .with_writer(writer);
    let subscriber = Registry::default().with(layer.with_filter(targets));
    // Within a process that has one already, as a test may be, that one stays.
    let _ = tracing::subscriber::set_global_default(subscriber);
    Ok(())
}

/// Says what the variable takes.
fn wrong(wanted: &str) -> String {
    let parts = PARTS.join(", ");
    format!(
        "{LOG} is `{wanted}`, so nothing is logged; it takes a level (off, error, warn, info, debug, trace), or a level for each part, as in `store=trace,mcp=debug`; the parts are {OURS}, {parts}"
    )
}

/// Reads a level for all parts, or one for each. Libraries are no part: what they log is not known to hold no texts.
fn targets(wanted: &str) -> Option<Targets> {
    let mut targets = Targets::new();
    for word in wanted.split(',').map(str::trim) {
        let (target, level) = match word.split_once('=') {
            Some((part, level)) => (target(part)?, level),
            None => (OURS.to_owned(), word),
        };
        targets = targets.with_target(target, level_of(level)?);
    }
    Some(targets)
}

/// Returns what the names of the events of a part begin with: `store`, `git_beads`, or `git_beads::store`.
fn target(part: &str) -> Option<String> {
    if part == OURS {
        return Some(part.to_owned());
    }
    let below = part
        .strip_prefix(OURS)
        .and_then(|rest| rest.strip_prefix("::"));
    let part = below.unwrap_or(part);
    PARTS.contains(&part).then(|| format!("{OURS}::{part}"))
}

fn level_of(name: &str) -> Option<LevelFilter> {
    let is_word = name.chars().all(|c| c.is_ascii_alphabetic());
    name.parse().ok().filter(|_| is_word && !name.is_empty())
}

/// Opens the file to append to: several processes may write to it at once.
fn open(path: &Path) -> Result<File, String> {
    let shown = path.display().to_string();
    if !path.is_absolute() {
        return Err(format!(
            "{FILE} is `{shown}`, so nothing is logged; it takes an absolute path, as a process in the background runs elsewhere"
        ));
    }
    let refused = |why: &dyn std::fmt::Display| format!("can't log to {shown}: {why}");
    if !is_file_or_nothing(path) {
        return Err(refused(&"not a file"));
    }
    let mut options = OpenOptions::new();
    let options = options.append(true).create(true).create_mode(0o600);
    options.open(path).map_err(|error| refused(&error))
}

/// Returns whether a file is there, or nothing: to open a pipe would wait for its reader, which may never come.
fn is_file_or_nothing(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |meta| meta.is_file())
}

#[cfg(test)]
mod tests {
    use super::targets;

    #[test]
    fn levels_and_parts_are_read_and_nothing_else() {
        for wanted in [
            "debug",
            "store=trace,mcp=debug",
            "info, index=trace",
            "git_beads=trace",
            "git_beads::store=trace",
            "OFF",
        ] {
            assert!(targets(wanted).is_some(), "{wanted}");
        }
        for wanted in [
            "",
            "loud",
            "gix=trace",
            "git_beads::gix=trace",
            "git_beads::=trace",
            "store",
            "store=",
            "debug,",
            "5",
            "store=trace=1",
        ] {
            assert!(targets(wanted).is_none(), "{wanted}");
        }
    }
}
