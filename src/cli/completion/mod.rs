//! Completion for bash, zsh and fish: what can follow on a command line.
//!
//! One protocol and three thin scripts. A script hands the words up to the cursor to `git beads __complete` and gets
//! a line for each candidate: the word, a tab, what it is. A line of a tab and `files` means names of files. All
//! that there is to know of verbs and options comes from clap, all that lives from the index. Nothing is printed
//! where anything fails, and nothing that could steer a terminal.

mod candidates;
pub(super) mod line;
mod quote;

use std::path::Path;

use super::argv;
use super::ui::sanitize::harmless;
use super::verb::Entry;
use crate::env::Env;
use crate::model::id::is_format;
use crate::text::width::fit;
use candidates::Candidates;
use line::CommandLine;
use quote::RawWord;

const FILES: &str = "\tfiles";
/// Columns of a description.
const WIDTH: usize = 60;

/// Returns the candidates for the last word, a line each.
///
/// With `bash` the words are as bash has them, quotes and all, and so much of the last one is replaced. Relative
/// paths begin at `dir`.
pub(super) fn complete(
    env: &Env,
    verbs: &[Entry],
    words: &[String],
    bash: Option<&str>,
    dir: Option<&Path>,
) -> String {
    let raw: Vec<RawWord> = match bash {
        Some(_) => words.iter().map(|word| RawWord::parse(word)).collect(),
        None => words.iter().map(|word| RawWord::plain(word)).collect(),
    };
    let Some((last, before)) = raw.split_last() else {
        return String::new();
    };
    let command = argv::command(verbs);
    let before: Vec<&str> = before.iter().map(RawWord::text).collect();
    let line = CommandLine::read(&command, env.home(), dir, &before);
    let candidates = Candidates {
        env,
        verbs,
        line: &line,
    };
    let Some(mut found) = candidates.offer(last.text()) else {
        return FILES.to_owned();
    };
    found
        .retain(|candidate| candidate.value.starts_with(last.text()) && is_plain(&candidate.value));
    let shown = found.iter().map(|candidate| match bash {
        Some(part) => last.rest(part, &candidate.value),
        None if candidate.about.is_empty() => candidate.value.clone(),
        None => format!("{}\t{}", candidate.value, about(&candidate.about)),
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// Returns true if a word can be shown and typed.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && !word.chars().any(|c| c.is_control() || is_format(c))
}

/// Makes one line of a text of several.
fn about(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    fit(&harmless(&words.join(" ")), WIDTH)
}
