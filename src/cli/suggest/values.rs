//! Options with values in the form of another tracker: states, priorities, forms of output, queries.

use super::form::IsIssue;
use super::parts::{filled, has};
use super::words::TABLES;
use crate::cli::argv::{Line, verb_at};
use crate::model::Status;
use crate::ops::shared::query::has_key;
use crate::ops::shared::words::{meant_priority, meant_status};

/// Forms of lists that are as lists are here.
const PLAIN: &str = "table wide plain text default short compact human";

/// Returns a line with the values of ours for states and priorities of others, and without the fields behind `--json`.
pub(super) fn with_our_values(line: &[String], is_issue: IsIssue<'_>) -> Vec<String> {
    let mut new: Vec<String> = Vec::new();
    let verb = verb_at(line).map_or("", |at| &line[at]);
    for word in line {
        // `-sDone`
        if let Some(ours) = word
            .strip_prefix("-s")
            .and_then(|value| our_value("-s", value))
        {
            new.push(format!("-s{ours}"));
            continue;
        }
        let before = new.last().cloned().unwrap_or_default();
        let is_field = word.contains(',') || has("show view list ls ready blocked status", verb);
        if before == "--json" && is_field && !word.starts_with('-') && !is_issue(word) {
            continue;
        }
        // A type has no spaces: elsewhere `-t` is the title.
        if before == "-t" && word.contains(' ') && verb == "update" {
            new.pop();
            new.push("--title".to_owned());
        }
        let ours = match word.split_once('=') {
            Some((option, value)) => {
                our_value(option, value).map(|ours| format!("{option}={ours}"))
            }
            None => our_value(&before, word),
        };
        new.push(ours.unwrap_or_else(|| word.clone()));
    }
    new
}

/// Returns the value of ours for a state or a priority that others have; none where it is ours, or the option takes neither.
fn our_value(option: &str, value: &str) -> Option<String> {
    match option {
        "-s" | "--status" if Status::parse(value).is_none() => {
            meant_status(value).map(str::to_owned)
        }
        "-p" | "--priority" => meant_priority(&value.to_lowercase()),
        _ => None,
    }
}

/// Returns a line with `--json` in place of what others write for it, and without the fields that they choose.
pub(super) fn with_json(line: &[String], word: &str) -> Option<Vec<String>> {
    let name = word.split('=').next()?;
    let at = line
        .iter()
        .position(|it| it == word || it.split('=').next() == Some(name))?;
    let before = at.checked_sub(1).map_or("", |before| line[before].as_str());
    let value = match line[at].split_once('=') {
        Some((_, value)) => Some(value),
        None => line.get(at + 1).map(String::as_str),
    };
    let end = if line[at].contains('=') {
        at + 1
    } else {
        at + 2
    };
    let mut new = line.to_vec();
    match name {
        // The style: all fields are printed.
        "--json" => new[at].truncate("--json".len()),
        _ if before == "--json" && !word.starts_with('-') => drop(new.remove(at)),
        _ if before == "-q" && word.starts_with('.') => drop(new.drain(at - 1..=at)),
        "--jq" => drop(new.drain(at..end.min(line.len()))),
        "--template" | "--format" if value.is_some_and(|it| it.contains("{{")) => {
            new.splice(at..end, ["--json".to_owned()]);
        }
        "--format" | "--output" | "-o" if value.is_some_and(|it| has(PLAIN, it)) => {
            drop(new.drain(at..end));
        }
        "--format" | "--output" | "-o" | "-f"
            if value.is_some_and(|it| has("json jsonl ndjson json-pretty", it)) =>
        {
            new.splice(at..end, ["--json".to_owned()]);
        }
        _ => return None,
    }
    if name == "--jq" && !new.iter().any(|it| it.starts_with("--json")) {
        new.push("--json".to_owned());
    }
    Some(new)
}

/// Returns a line with `--json` in place of the choice of a field, `-q .title`; none where there is no choice.
pub(super) fn without_choice(line: &[String]) -> Option<Vec<String>> {
    let at = line
        .windows(2)
        .position(|two| two[0] == "-q" && two[1].starts_with('.'))?;
    let mut new = line.to_vec();
    new.drain(at..at + 2);
    if !new.iter().any(|it| it.starts_with("--json")) {
        new.push("--json".to_owned());
    }
    Some(new)
}

/// Returns the line that writes a table or a page, for one that lists in that form: `list --format csv`.
pub(super) fn with_table(line: &Line<'_>, word: &str) -> Option<Vec<String>> {
    let verb = verb_at(line)?;
    let (_, query) = TABLES.iter().find(|(verbs, _)| has(verbs, &line[verb]))?;
    let name = word.split('=').next()?;
    let at = line
        .iter()
        .position(|it| it.split('=').next() == Some(name))?;
    let (form, end) = match (name, line[at].split_once('=')) {
        ("--csv" | "--html", _) => (&name[2..], at + 1),
        ("--format" | "--output" | "-o" | "-f", Some((_, form))) => (form, at + 1),
        ("--format" | "--output" | "-o" | "-f", None) => (line.get(at + 1)?.as_str(), at + 2),
        _ => return None,
    };
    let mut new = line.to_vec();
    let option = filled(&format!("--{form} {query}"), &[], &[])?;
    new.splice(at..end, option.into_iter().filter(|word| !word.is_empty()));
    "export".clone_into(&mut new[verb]);
    // An argument of it would be the file.
    let new = line.with(new);
    let is_safe = line[verb] == "export" || new.arguments().is_empty();
    (has("csv html", form) && is_safe).then(|| new.to_vec())
}

/// Returns a line of `list` for one that searches for a query, with the query that is meant; `queries` where one can't be
/// read. Nothing where the line asks no query of others.
pub(super) fn with_query(
    line: &Line<'_>,
    meant: &dyn Fn(&str) -> Option<String>,
) -> Option<Vec<String>> {
    let verb = verb_at(line)?;
    let mut new = line.to_vec();
    if has("search grep", &line[verb]) {
        let mut args = line.arguments();
        // The kind of things that are searched for.
        if args.len() > 1 && line[args[0]] == "issues" {
            new.remove(args.remove(0));
            args.iter_mut().for_each(|at| *at -= 1);
        }
        let words: Vec<&str> = args.iter().map(|at| new[*at].as_str()).collect();
        let query = meant(&words.join(" ")).filter(|query| has_key(query));
        if let (Some(query), [first, rest @ ..]) = (query, &args[..]) {
            for at in rest.iter().rev() {
                new.remove(*at);
            }
            new.splice(first..=first, ["-w".to_owned(), query]);
            "list".clone_into(&mut new[verb]);
        }
        return Some(new);
    }
    let is_option = |at: &usize| has("-w --where", &line[*at - 1]);
    let at = (verb + 2..line.len()).find(is_option)?;
    match meant(&line[at]) {
        Some(query) => new[at] = query,
        None => return filled("queries", &line[..verb], &[]),
    }
    Some(new)
}
