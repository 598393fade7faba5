//! Parts of a query that begin with a dash where options do: `search -label:y` would be read as `-l abel:y`.

use std::ffi::OsString;

use super::verb::Entry;
use crate::model::ask::AskKey;
use crate::ops::{Code, Command, Error};

/// The verbs that take a query.
const VERBS: [&str; 11] = [
    "list", "ls", "search", "grep", "ready", "board", "blocked", "export", "status", "stats",
    "graph",
];
/// The names of the option that takes one.
const WHERE: [&str; 2] = ["-w", "--where"];

/// Returns the error for a line with a negated part of a query among its options; none where there is no such part.
pub(super) fn refused(verbs: &[Entry], args: &[OsString]) -> Option<Error> {
    let words = args.iter().skip(1).map(|arg| arg.to_str());
    let line: Vec<&str> = words.collect::<Option<_>>()?;
    let is_verb = |word: &&str| verbs.iter().any(|verb| verb.is_named(word));
    let at = line.iter().position(is_verb)?;
    let dashes = line.iter().position(|word| *word == "--");
    let (before, behind) = line.split_at(dashes.unwrap_or(line.len()));
    if !VERBS.contains(&line[at]) || before.len() <= at {
        return None;
    }
    // What comes behind the option for a query may begin with a dash.
    let is_part = |i: &usize| is_negated(line[*i]) && !WHERE.contains(&line[*i - 1]);
    let parts: Vec<&str> = (at + 1..before.len())
        .filter(is_part)
        .map(|i| line[i])
        .collect();
    let what = format!("`{}` begins with a dash, as options do", parts.first()?);
    let others = (0..before.len()).filter(|i| *i <= at || !is_part(i));
    let others: Vec<&str> = others.map(|i| line[i]).collect();
    let right = respelled(line[at], &others, &parts, behind);
    Some(Error::new(Code::Usage, what).hinted(Command::of_line(&right)))
}

/// Returns the line with the parts of a query where its verb takes them.
fn respelled(verb: &str, others: &[&str], parts: &[&str], behind: &[&str]) -> Vec<String> {
    // One option with all of them: several would say the same.
    let joined = parts.join(" ");
    let line = match ["search", "grep"].contains(&verb) {
        true => [others, &["--"], parts, behind.get(1..).unwrap_or_default()].concat(),
        false => [others, &["-w", &joined], behind].concat(),
    };
    line.into_iter().map(str::to_owned).collect()
}

/// Returns whether a word is a key with a value behind a dash.
fn is_negated(word: &str) -> bool {
    let part = word.strip_prefix('-').and_then(|word| word.split_once(':'));
    part.is_some_and(|(key, value)| AskKey::named(key).is_some() && !value.is_empty())
}

/// Returns the line with `-w` in front of the names of saved queries; none where it has none.
pub(super) fn with_saved(args: &[OsString], unknown: &str) -> Option<Vec<OsString>> {
    if !unknown.starts_with('@') {
        return None;
    }
    let mut line = Vec::with_capacity(args.len() + 1);
    for arg in args {
        match arg.to_str() == Some(unknown) {
            true => line.push(format!("--where={unknown}").into()),
            false => line.push(arg.clone()),
        }
    }
    Some(line)
}
