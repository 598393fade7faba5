//! Texts on a command line that begin like options, put behind `--`: items of a list, such as `- first`, and sentences.

use std::ffi::OsString;

use clap::Command;

use super::completion::line::{CommandLine, Part};

/// The verbs whose arguments are texts.
const TEXTS: [&str; 4] = ["create", "q", "note", "search"];

/// Returns a command line with its texts behind `--`, if one is an item of a list: no option begins with a dash and a blank.
pub(super) fn with_list_items(root: &Command, args: &[OsString]) -> Option<Vec<OsString>> {
    let (program, rest) = args.split_first()?;
    // Read as text and written as bytes: nothing may be lost.
    let words = rest.iter().map(|arg| arg.to_str().map(str::to_owned));
    let words: Vec<String> = words.collect::<Option<_>>()?;
    let mut line = vec![program.clone()];
    line.extend(
        with_texts(root, &words, is_list_item)?
            .into_iter()
            .map(Into::into),
    );
    Some(line)
}

/// Returns the words of a line with all its arguments behind `--`, and those of its options that are texts; none without
/// such a text, or where the verb takes none.
pub(super) fn with_texts(
    root: &Command,
    words: &[String],
    is_text: impl Fn(&str) -> bool,
) -> Option<Vec<String>> {
    let (read, parts) = CommandLine::parts(root, words);
    let is_text = |at: &usize| parts[*at] == Part::Option && is_text(&words[*at]);
    if !TEXTS.contains(&read.verb.get_name()) || !(0..words.len()).any(|at| is_text(&at)) {
        return None;
    }
    // What is behind dashes already stays there: the line has one pair of them.
    let (arguments, others): (Vec<usize>, Vec<usize>) = (0..words.len())
        .filter(|at| parts[*at] != Part::Dashes)
        .partition(|at| parts[*at] == Part::Argument || is_text(at));
    let word = |at: usize| words[at].clone();
    let mut line: Vec<String> = others.into_iter().map(word).collect();
    line.push("--".to_owned());
    line.extend(arguments.into_iter().map(word));
    Some(line)
}

/// Returns true for a word that begins with dashes and a blank.
fn is_list_item(word: &str) -> bool {
    word.trim_start_matches('-')
        .starts_with(char::is_whitespace)
}
