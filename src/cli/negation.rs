//! Parts of a query that begin with a dash where options do: `search -label:y` would be read as `-l abel:y`.

use std::ffi::OsString;

use super::program::command;
use super::shorthand::with_query;
use super::verb::Entry;
use crate::model::ask::AskKey;
use crate::ops::{Code, Command, Error};

/// The names of the option that takes one.
const WHERE: [&str; 2] = ["-w", "--where"];

/// Returns the error for a line with a negated part of a query among its options; none where there is no such part, or its verb
/// takes no query.
pub(super) fn refused(verbs: &[Entry], args: &[OsString]) -> Option<Error> {
    let words = args.iter().skip(1).map(|arg| arg.to_str());
    let line: Vec<&str> = words.collect::<Option<_>>()?;
    // Nearly every line: what follows makes up all verbs.
    line.iter().find(|word| is_negated(word))?;
    let verb = asked_verb(verbs, args)?;
    let at = line.iter().position(|word| verb.is_named(word))?;
    let dashes = line.iter().position(|word| *word == "--");
    let (before, behind) = line.split_at(dashes.unwrap_or(line.len()));
    // What comes behind the option for a query may begin with a dash.
    let is_part = |i: &usize| is_negated(line[*i]) && !WHERE.contains(&line[*i - 1]);
    let parts: Vec<usize> = (at + 1..before.len()).filter(is_part).collect();
    let others = (0..before.len()).filter(|i| !parts.contains(i));
    let others: Vec<&str> = others.map(|i| line[i]).collect();
    let parts: Vec<&str> = parts.into_iter().map(|i| line[i]).collect();
    let what = format!("`{}` begins with a dash, as options do", parts.first()?);
    let right = respelled(verb.name, &others, &parts, behind);
    Some(Error::new(Code::Usage, what).hinted(Command::of_line(&right)))
}

/// Returns the verb of a line, where it takes a query.
fn asked_verb<'v>(verbs: &'v [Entry], args: &[OsString]) -> Option<&'v Entry> {
    let root = command(verbs);
    let name = with_query(&root, args)?;
    verbs.iter().find(|verb| verb.name == name)
}

/// Returns the line with the parts of a query where its verb takes them.
fn respelled(verb: &str, others: &[&str], parts: &[&str], behind: &[&str]) -> Vec<String> {
    // One option with all of them: several would say the same.
    let joined = parts.join(" ");
    let line = match verb == "search" {
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
