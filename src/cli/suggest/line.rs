//! A command line in which a word of another tracker, or a misspelling, is replaced.

use super::form::{self, IsIssue};
use super::parts::{absent, filled, has, is_of_others, names, of_others, without_fillers};
use super::their_options::{NOTHING, OPTIONS};
use super::words::{
    ARGUMENTS, Absent, EXCHANGES, FROM, OtherTracker, PAIRS, PROGRAMS, REMOVES, TRACKERS,
};
use crate::cli::argv::{Line, verb_at};
use crate::cli::completion::line::Part;
use crate::model::issue::{KINDS, known_word};
use crate::ops::shared::words::nearest;

/// Options that are no misspelling of a word by two slips: each does something that no one should by a guess.
const EXACT: &str = "--agent --actor --force";

/// Returns a line with the verb that does the same here; none where nothing does, or where it is not sure what is meant.
pub(super) fn with_our_verb(
    line: &Line<'_>,
    word: &str,
    is_issue: IsIssue<'_>,
) -> Option<Vec<String>> {
    let root = line.root();
    let named = verb_at(line)?;
    let first = line[named].as_str();
    let has_verbs = |verb: &clap::Command| verb.has_subcommands();
    if first != word && root.find_subcommand(first).is_some_and(has_verbs) {
        let after = &line[named + 1..];
        let nested = with_nested(root, (&line[..named], first, after), word);
        return nested.or_else(|| form::linked(&line[..named], first, after, is_issue));
    }
    // Of several the verb; the value of a bundle of options is none, as in `-qC DIR`.
    let at = match first == word {
        true => named,
        false => line.iter().position(|it| it == word)?,
    };
    let ours = meant_verb(root, &line[at..], is_issue)?;
    let ours = line.with(ours);
    let ours = form::with_fields(&ours).unwrap_or_else(|| ours.to_vec());
    Some([&line[..at], &ours].concat())
}

/// Returns the line that does what one does that begins with a verb of others.
fn meant_verb(root: &clap::Command, line: &[String], is_issue: IsIssue<'_>) -> Option<Vec<String>> {
    let (word, after) = line.split_first()?;
    if has(PROGRAMS, word) {
        return Some(without_program(root, after, is_issue));
    }
    // Taskwarrior's filters stand in front of the verb.
    if word.starts_with('+') {
        return Some([&["list".to_owned()], line].concat());
    }
    let formed = form::alone(word, after).or_else(|| form::moved(word, after));
    let formed = formed.or_else(|| form::of_kind(root, word, after, is_issue));
    if let Some(line) = formed.or_else(|| with_pair(line)) {
        return Some(line);
    }
    if let Some(templates) = of_others(word) {
        let after = without_fillers(word, after);
        // A branch of git, and no issue.
        if has("checkout switch branch", word) && !after.iter().any(|word| is_issue(word)) {
            return None;
        }
        let mut lines = templates.split('|');
        return lines.find_map(|template| filled(template, &[], &after));
    }
    if absent(word).is_some() {
        return None;
    }
    if is_issue(word) {
        return Some(form::of_issue(root, word, after));
    }
    // Help alone: what is lost by a wrong guess is lost.
    let ours = meant(word, &names(root)).filter(|ours| !REMOVES.contains(&ours.as_str()))?;
    filled(&ours, &[], after)
}

/// Returns the line that is nearest to what does not exist here.
pub(super) fn nearest_to(absent: &Absent, line: &[String], word: &str) -> Vec<String> {
    let at = line.iter().position(|it| it == word);
    let after = at.map_or(&[][..], |at| &line[at + 1..]);
    let mut templates = absent.line.split('|');
    let ours = templates.find_map(|template| match template.contains('{') {
        true => filled(template, &[], after),
        false => filled(template, &[], &[]),
    });
    ours.unwrap_or_else(|| vec!["help".to_owned()])
}

/// Returns a line with the verb below another one, as `dep add`.
fn with_nested(
    root: &clap::Command,
    (before, verb, after): (&[String], &str, &[String]),
    word: &str,
) -> Option<Vec<String>> {
    let at = after.iter().position(|other| other == word)?;
    let rest = &after[at + 1..];
    if let ("help", Some(first)) = (verb, after.first().filter(|_| at > 0)) {
        return filled(&format!("help {first}"), before, &[]);
    }
    if verb == "help"
        && let Some(ours) = helper(word)
    {
        return filled(&format!("help {ours}"), before, &[]);
    }
    if let Some(template) = pair(verb, word) {
        return filled(template, before, rest);
    }
    let ours = meant(word, &names(root.find_subcommand(verb)?))?;
    filled(&format!("{verb} {ours}"), before, rest)
}

/// Returns the verb of ours that does what a word of others does, or what is nearest to that.
pub(super) fn helper(word: &str) -> Option<&'static str> {
    let line = of_others(word).or_else(|| Some(absent(word)?.line))?;
    // Of several lines the last takes the fewest arguments.
    let line = line.rsplit('|').next()?;
    line.strip_prefix("help ").unwrap_or(line).split(' ').next()
}

/// Returns the line that is meant by one whose first two words others write: `label list`, `comment add ID TEXT`; none where
/// they are no such pair.
pub(super) fn with_pair(line: &[String]) -> Option<Vec<String>> {
    let at = verb_at(line)?;
    let (verb, word) = (&line[at], line.get(at + 1)?);
    let mut templates = pair(verb, word)?.split('|');
    templates.find_map(|template| filled(template, &line[..at], &line[at + 2..]))
}

/// Returns the templates that replace two words.
fn pair(verb: &str, word: &str) -> Option<&'static str> {
    let row = PAIRS
        .iter()
        .find(|(verbs, words, _)| has(verbs, verb) && has(words, word));
    row.map(|(_, _, templates)| *templates)
}

/// Verbs with an option for the reason.
const REASONED: &str = "done close block reopen delete";

/// Returns the line whose last words are the reason, which others write behind the issue; none where they can be ids.
pub(super) fn with_reason(line: &[String]) -> Option<Vec<String>> {
    let at = verb_at(line).filter(|at| has(REASONED, &line[*at]))?;
    let words = &line[at + 1..];
    if words.iter().any(|word| word.starts_with('-')) {
        return None;
    }
    // `done "what was done"` is about the issue of the branch.
    let start = words.iter().position(|word| is_prose(word))?;
    let rest = &words[start..];
    let is_text = start > 0 || rest[0].contains(char::is_whitespace);
    // Ids behind it would become part of the reason.
    let has_id = rest
        .iter()
        .any(|word| word.contains(|c: char| c.is_ascii_digit()) && !is_prose(word));
    if !is_text || has_id {
        return None;
    }
    let mut new = line[..at + 1 + start].to_vec();
    new.extend(["-r".to_owned(), rest.join(" ")]);
    Some(new)
}

/// Returns true for what reads as text and not as an id, which has about four letters after its prefix.
fn is_prose(word: &str) -> bool {
    let is_word = word.chars().all(char::is_alphabetic) && !(4..=8).contains(&word.chars().count());
    word.contains(char::is_whitespace) || (is_word && word.chars().count() > 1)
}

/// Returns a line with `--all` for `--state all`; none for any other.
pub(super) fn with_all(line: &[String], word: &str) -> Option<Vec<String>> {
    let at = line
        .iter()
        .position(|it| it.split('=').next() == Some(word))?;
    let (value, end) = match value_of(&line[at], word) {
        Some(value) => (value, at + 1),
        None => (line.get(at + 1)?.as_str(), at + 2),
    };
    let mut new = line.to_vec();
    new.splice(at..end, ["--all".to_owned()]);
    (word == "--state" && has("all any", value)).then_some(new)
}

/// Returns the tracker with which a line exchanges issues, as in `sync github` and `jira import`, and its name there.
pub(super) fn exchanged(line: &[String]) -> Option<(&'static OtherTracker, &String)> {
    let verb = verb_at(line)?;
    let is_own = |word: &&String| has("bd br beads git", word) || has(FROM, word);
    let mut words = line[verb..].iter().filter(|word| !is_own(word));
    let (first, second) = (words.next()?, words.next()?);
    let named = match has(EXCHANGES, first) {
        true => second,
        false => Some(first).filter(|_| has(EXCHANGES, second))?,
    };
    let name = named.trim_start_matches('-').to_lowercase();
    let address = name.split_once("://").map(|(_, address)| address);
    let host = address.unwrap_or(&name).split('/').next()?;
    // The address of a remote.
    if host != name && has("sync push pull fetch", first) {
        return None;
    }
    let tracker = TRACKERS.iter().find(|tracker| has(tracker.words, host))?;
    Some((tracker, named))
}

/// Returns a line with `update` for `edit` with fields: `edit` opens them in an editor.
pub(super) fn with_update(line: &[String]) -> Option<Vec<String>> {
    let at = verb_at(line).filter(|at| line[*at] == "edit")?;
    let mut new = line.to_vec();
    "update".clone_into(&mut new[at]);
    Some(new)
}

/// Returns a line with the option before an argument that its verb does not take, as in `push origin`; none where no option
/// does.
pub(super) fn with_option_of(line: &[String], word: &str) -> Option<Vec<String>> {
    let verb = verb_at(line).filter(|_| !word.starts_with('-'))?;
    let (_, option) = ARGUMENTS
        .iter()
        .find(|(verbs, _)| has(verbs, &line[verb]))?;
    let at = line
        .iter()
        .enumerate()
        .position(|(at, it)| at > verb && it == word && line[at - 1] != *option)?;
    let mut new = line.to_vec();
    // Further words of a query belong to the same one.
    let before = at.checked_sub(2).filter(|before| line[*before] == *option);
    match before {
        // A branch behind the remote: issues have a ref of their own.
        Some(_) if *option != "--where" => drop(new.remove(at)),
        Some(before) => {
            let word = new.remove(at);
            new[before + 1].extend([" ", &word]);
        }
        None if option.is_empty() => drop(new.remove(at)),
        None => new.insert(at, (*option).to_owned()),
    }
    Some(new)
}

/// Returns the line with which others make an issue of a title behind `-t`, which is the type here: with the title itself.
pub(super) fn with_title(line: &[String]) -> Option<Vec<String>> {
    let verb = verb_at(line).filter(|at| has("create new q", &line[*at]))?;
    let at = line.iter().skip(verb).position(|it| it == "-t")? + verb;
    // A type that is one is meant so: the title was forgotten.
    let is_type = |word: &String| KINDS.contains(&known_word(word).as_str());
    line.get(at + 1).filter(|word| !is_type(word))?;
    let mut new = line.to_vec();
    new.remove(at);
    Some(new)
}

/// Returns a line without the word that others write before a verb: their issue alone is shown, a text is a title.
fn without_program(root: &clap::Command, after: &[String], is_issue: IsIssue<'_>) -> Vec<String> {
    let is_verb = |word: &String| is_of_others(word) || names(root).contains(word);
    let Some(first) = after.first() else {
        return vec!["list".to_owned()];
    };
    if let Some(line) = with_pair(after) {
        return line;
    }
    // A repository is cloned, an issue copied.
    if let ("clone", [id, ..]) = (first.as_str(), &after[1..])
        && is_issue(id)
    {
        return [&["copy".to_owned()], &after[1..]].concat();
    }
    if is_verb(first) || has(PROGRAMS, first) || form::is_kind(first) {
        return with_title(after).unwrap_or_else(|| after.to_vec());
    }
    if is_issue(first) {
        return form::of_issue(root, first, &after[1..]);
    }
    let verb = match after {
        _ if first.contains(' ') => "create",
        [_] if first.contains(':') || first.starts_with('+') => "list",
        [_] => "show",
        // A filter in front of the verb.
        _ => return vec!["list".to_owned()],
    };
    [&[verb.to_owned()], after].concat()
}

/// Returns a line with the option that does the same at its verb; none where none does, or where it is not sure what is meant.
pub(super) fn with_our_option(line: &Line<'_>, word: &str) -> Option<Vec<String>> {
    let root = line.root();
    let verb_at = verb_at(line)?;
    let verb = root.find_subcommand(&line[verb_at])?;
    let at = option_at(line, word)?;
    let value = value_of(&line[at], word);
    let ours = our_option(root, verb, word)?;
    // By its index: a value can be the same word.
    let mut new = line.to_vec();
    let follows = || line.get(at + 1).filter(|next| !next.starts_with('-'));
    let end = at + 1 + usize::from(value.is_none() && follows().is_some());
    if ours == NOTHING {
        new.drain(at..end);
        return Some(new);
    }
    if let Some((option, begin)) = ours.split_once(' ').filter(|_| ours.ends_with(':')) {
        let value = value.or_else(|| follows().map(String::as_str));
        let value = value.filter(|value| !value.is_empty())?;
        new.splice(at..end, [option.to_owned(), format!("{begin}{value}")]);
        return Some(new);
    }
    if ours.starts_with('-') {
        let mut words: Vec<String> = ours.split(' ').map(str::to_owned).collect();
        if let (Some(value), Some(last)) = (value, words.last_mut()) {
            last.extend(["=", value]);
        }
        new.splice(at..=at, words);
        return Some(new);
    }
    // Its value is an argument, or that of the option behind the verb.
    let words: Vec<String> = ours.split_whitespace().map(str::to_owned).collect();
    let option = words.iter().position(|word| word.starts_with('-'));
    let (verb, option) = words.split_at(option.unwrap_or(words.len()));
    let kept = option.iter().cloned().chain(value.map(str::to_owned));
    new.splice(at..=at, kept);
    if !verb.is_empty() {
        new.splice(verb_at..=verb_at, verb.iter().cloned());
    }
    Some(new)
}

/// Returns the index of an option in a line.
fn option_at(line: &Line<'_>, word: &str) -> Option<usize> {
    let parts = line.parts();
    let is_named = |arg: &str| arg == word || value_of(arg, word).is_some();
    (0..line.len()).find(|at| parts[*at] == Part::Option && is_named(&line[*at]))
}

/// Returns the value that an option has behind a `=`.
fn value_of<'a>(arg: &'a str, option: &str) -> Option<&'a str> {
    let rest = arg.strip_prefix(option)?;
    // Behind a short option without a sign: `-yHigh`.
    let is_short = option.len() == 2 && !option.starts_with("--") && !rest.is_empty();
    rest.strip_prefix('=').or(is_short.then_some(rest))
}

/// Returns what replaces an option of others at a verb, or the option of which it is a misspelling.
fn our_option(root: &clap::Command, verb: &clap::Command, word: &str) -> Option<String> {
    let known = options(verb);
    let is_theirs = |(ours, words, _): &&(&str, &str, &str)| {
        (ours.is_empty() || has(ours, verb.get_name())) && has(words, word)
    };
    // The same word means one thing at one verb and another thing at the next.
    let is_taken = |(_, _, ours): &&(&str, &str, &str)| {
        let option = ours.split(' ').next().unwrap_or_default();
        !option.starts_with('-') || known.iter().any(|known| known == option)
    };
    if let Some((_, _, ours)) = OPTIONS.iter().filter(is_theirs).find(is_taken) {
        return Some((*ours).to_owned());
    }
    // The option of another verb is spelled right.
    let is_ours = |verb: &clap::Command| options(verb).iter().any(|option| option == word);
    if root.get_subcommands().any(is_ours) {
        return None;
    }
    let is_slip = |ours: &String| !has(EXACT, ours) || strsim::damerau_levenshtein(word, ours) < 2;
    meant(word, &known).filter(is_slip)
}

/// Returns the long options of a verb.
pub(super) fn options(verb: &clap::Command) -> Vec<String> {
    let long = verb.get_arguments().filter_map(clap::Arg::get_long);
    long.map(|name| format!("--{name}"))
        .chain(["-C".to_owned()])
        .collect()
}

/// Returns the known word that is probably meant by another one.
fn meant(word: &str, known: &[String]) -> Option<String> {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    nearest(word, &known).map(str::to_owned)
}
