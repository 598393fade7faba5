//! Lines in the form of another tracker: the words are known, and stand elsewhere here.

use super::parts::{filled, has, is_of_others, names, normal, without_fillers};
use super::words::{
    ALONE, DUPLICATE, DUPLICATES, FIELDS, KIND_VERBS, LISTED, MOVES, OF_KIND, PROGRAMS, STATES,
};
use crate::cli::argv::{Line, verb_at};
use crate::model::issue::{KINDS, known_word, parse_priority};
use crate::ops::shared::words::{meant_priority, meant_status};

/// The verbs that make an issue of a title.
const CREATE: &str = "create new add q";
/// Verbs whose value is the last word, behind the ids.
const VALUE_LAST: &str = "assign priority label note comment progress ask answer";

/// Tells whether a word names an issue.
pub(super) type IsIssue<'a> = &'a dyn Fn(&str) -> bool;

/// Returns the line that a verb of others alone means, where it means another one with arguments.
pub(super) fn alone(word: &str, after: &[String]) -> Option<Vec<String>> {
    let (_, line) = ALONE.iter().find(|(words, _)| has(words, word))?;
    filled(line, &[], &[]).filter(|_| after.is_empty())
}

/// Returns the line for a verb that brings an issue to a state, as `move ID done` does elsewhere.
pub(super) fn moved(word: &str, after: &[String]) -> Option<Vec<String>> {
    let (issue, state) = after.split_first()?;
    to_state(issue, state).filter(|_| has(MOVES, word))
}

/// Returns the line that brings an issue to a state.
fn to_state(issue: &String, state: &[String]) -> Option<Vec<String>> {
    let state = normal(&state.join(" "));
    let (_, template) = STATES.iter().find(|(words, _)| has(words, &state))?;
    filled(template, &[], std::slice::from_ref(issue))
}

/// Returns the line for a type of issues in the place of a verb: `bug new TITLE`, `epic list`.
pub(super) fn of_kind(
    root: &clap::Command,
    word: &str,
    after: &[String],
    is_issue: IsIssue<'_>,
) -> Option<Vec<String>> {
    let (_, kind) = OF_KIND.iter().find(|(words, _)| has(words, word))?;
    let Some((first, rest)) = after.split_first() else {
        return filled(&format!("list -t {kind}"), &[], &[]);
    };
    let line = |verb: &str, words: &[String], option: &[&str]| {
        let option = option.iter().map(|word| (*word).to_owned());
        let words = [verb.to_owned()].into_iter().chain(words.iter().cloned());
        Some(words.chain(option).collect())
    };
    let is_verb = is_of_others(first) || names(root).contains(first);
    match KIND_VERBS.iter().find(|(words, _)| has(words, first)) {
        Some((_, "list")) if rest.len() == 1 && is_issue(&rest[0]) => {
            filled("list --parent {1}", &[], rest)
        }
        Some((_, "list")) => line("list", rest, &["-t", kind]),
        Some((_, "add")) if rest.len() > 1 && rest.iter().all(|word| is_issue(word)) => {
            line("update", &rest[1..], &["--parent", &rest[0]])
        }
        Some((_, "remove")) => line("update", rest, &["--parent", ""]),
        Some(_) if rest.is_empty() => filled("help create", &[], &[]),
        Some(_) => line("create", rest, &["-t", kind]),
        None if is_verb => line(first, rest, &[]),
        None if is_issue(first) => Some(of_issue(root, first, rest)),
        None if first.starts_with('-') => line("list", after, &["-t", kind]),
        None => line("create", after, &["-t", kind]),
    }
}

/// Returns the line for an issue in the place of a verb: `ID`, `ID done`.
pub(super) fn of_issue(root: &clap::Command, id: &str, after: &[String]) -> Vec<String> {
    let id = id.to_owned();
    if let Some(line) = to_state(&id, after) {
        return line;
    }
    let is_verb = |word: &String| is_of_others(word) || names(root).contains(word);
    match after.split_first() {
        Some((verb, rest)) if is_verb(verb) => [&[verb.clone(), id], rest].concat(),
        Some((first, _)) if !first.starts_with('-') => vec!["show".to_owned(), id],
        _ => [&["show".to_owned(), id], after].concat(),
    }
}

/// Returns a line of `list` with the option for a word that others write behind it, as in `list closed`.
pub(super) fn listed(line: &Line<'_>, word: &str, is_issue: IsIssue<'_>) -> Option<Vec<String>> {
    let verb = verb_at(line).filter(|at| has("list ls ready board", &line[*at]))?;
    let mut args = line.arguments().into_iter();
    let at = args.find(|at| line[*at] == word)?;
    // `+OVERDUE`, while `+ui` is a label.
    let state = word
        .strip_prefix('+')
        .filter(|tag| *tag == tag.to_uppercase());
    let state = normal(state.unwrap_or(word));
    let ours = LISTED.iter().find(|(words, _)| has(words, &state));
    let mut new = line.to_vec();
    match ours {
        Some((_, ours)) if ours.starts_with('-') => {
            new.splice(at..=at, ours.split(' ').map(str::to_owned));
        }
        Some((_, ours)) => {
            new.remove(at);
            if !ours.is_empty() {
                (*ours).clone_into(&mut new[verb]);
            }
        }
        None if word.len() > 1 && word.starts_with('+') => {
            new.splice(at..=at, ["-l".to_owned(), word[1..].to_owned()]);
        }
        None if word.starts_with("limit:") => {
            let count = word.trim_start_matches("limit:").to_owned();
            new.splice(at..=at, ["-n".to_owned(), count]);
        }
        None if word.starts_with(['p', 'P']) && parse_priority(word).is_ok() => {
            new.insert(at, "-p".to_owned());
        }
        None if is_issue(word) => "show".clone_into(&mut new[verb]),
        None => return None,
    }
    Some(new)
}

/// Returns the line for `dep A --blocks B` and `dep A B`.
pub(super) fn linked(
    before: &[String],
    verb: &str,
    after: &[String],
    is_issue: IsIssue<'_>,
) -> Option<Vec<String>> {
    let ids = without_fillers(verb, after);
    let ids: Vec<String> = ids.into_iter().filter(|word| word != "--blocks").collect();
    let template = match after.iter().any(|word| word == "--blocks") {
        true => "dep add {2} {1}",
        false => "dep add {1} {2}|dep tree {1}",
    };
    let is_meant = verb == "dep" && ids.iter().all(|id| is_issue(id));
    let mut lines = template.split('|').filter(|_| is_meant);
    lines.find_map(|line| filled(line, before, &ids))
}

/// Returns the line for `status ID` and `status ID done`: here `status` is the overview.
pub(super) fn of_status(line: &Line<'_>, is_issue: IsIssue<'_>) -> Option<Vec<String>> {
    let verb = verb_at(line).filter(|at| line[*at] == "status")?;
    let id = line.get(verb + 1).filter(|word| is_issue(word))?;
    Some([&line[..verb], &of_issue(line.root(), id, &line[verb + 2..])].concat())
}

/// Returns true for a type of issues that others write in the place of a verb.
pub(super) fn is_kind(word: &str) -> bool {
    OF_KIND.iter().any(|(words, _)| has(words, word))
}

/// Returns the lines for an issue that is the same as another one, as in `close A --duplicate-of B`: the dependency, and the
/// end of the issue where the line ends it.
pub(super) fn as_duplicate(line: &[String], is_issue: IsIssue<'_>) -> Option<Vec<Vec<String>>> {
    let verb = verb_at(line)?;
    let words: Vec<&str> = line[verb..]
        .iter()
        .flat_map(|word| match word.split_once('=') {
            Some((option, value)) if option.starts_with("--") => vec![option, value],
            _ => vec![word.as_str()],
        })
        .skip_while(|word| has(PROGRAMS, word))
        .collect();
    let is_named = words.first() == Some(&"merge") || words.iter().any(|it| it.contains("dup"));
    if !is_named {
        return None;
    }
    let (first, rest) = words.split_first()?;
    // `A is a duplicate of B` has no verb.
    let verbs = DUPLICATES.iter().find(|(verbs, _)| has(verbs, first));
    let (ends, rest) = match verbs {
        Some((_, ends)) => (*ends, rest),
        None => (false, Some(&words[..]).filter(|_| is_issue(first))?),
    };
    let ids: Vec<&str> = rest
        .iter()
        .copied()
        .filter(|word| !has(DUPLICATE, word))
        .collect();
    let [same, other] = ids[..] else { return None };
    if !is_issue(same) || !is_issue(other) {
        return None;
    }
    let ids = [same.to_owned(), other.to_owned()];
    let mut lines = vec![filled(
        "dep add {1} {2} -t duplicates",
        &line[..verb],
        &ids,
    )?];
    if ends {
        lines.push(filled("done {1}", &line[..verb], &ids[..1])?);
    }
    Some(lines)
}

/// Returns a line that makes an issue, with what others write behind the title as an option: a type in front of it, a
/// description behind it, fields. Words without quotes are one title.
pub(super) fn titled(line: &Line<'_>) -> Option<Vec<String>> {
    let verb = verb_at(line).filter(|at| has(CREATE, &line[*at]))?;
    if let Some(new) = with_fields(line) {
        return Some(new);
    }
    let args = line.arguments();
    let (first, rest) = args.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let mut new = line.to_vec();
    let kind = known_word(&line[*first]);
    if KINDS.contains(&kind.as_str()) && !line.iter().any(|word| word.starts_with("-t")) {
        new.remove(*first);
        new.extend(["-t".to_owned(), kind]);
    } else if args.iter().any(|at| line[*at].contains(' ')) && line[verb] != "q" {
        new.insert(rest[0], "-d".to_owned());
    } else {
        let words: Vec<String> = args.iter().map(|at| line[*at].clone()).collect();
        for at in rest.iter().rev() {
            new.remove(*at);
        }
        new[*first] = words.join(" ");
    }
    Some(new)
}

/// Returns a line with options for fields as others write them behind the issue or the title: `+label`, `priority:H`,
/// `status=done`.
pub(super) fn with_fields(line: &Line<'_>) -> Option<Vec<String>> {
    let verb = verb_at(line).filter(|at| has("create new add q update edit", &line[*at]))?;
    let is_new = has(CREATE, &line[verb]);
    let args = line.arguments();
    let mut new = line.to_vec();
    // The title, or the issue, is none of them.
    let first = usize::from(!is_new || args.len() == 1);
    for at in args.iter().skip(first).rev() {
        if let Some(option) = field(&line[*at], is_new) {
            new.splice(*at..=*at, option);
        }
    }
    if new.len() == line.len() {
        return None;
    }
    if line[verb] == "edit" {
        "update".clone_into(&mut new[verb]);
    }
    Some(new)
}

/// Returns the option for a field as others write it.
fn field(word: &str, is_new: bool) -> Option<[String; 2]> {
    let label = if is_new { "--label" } else { "--add-label" };
    if let Some(name) = word.strip_prefix('+').filter(|name| !name.is_empty()) {
        return Some([label.to_owned(), name.to_owned()]);
    }
    let (key, value) = word.split_once([':', '='])?;
    let key = key.to_lowercase();
    let (_, option) = FIELDS.iter().find(|(keys, _)| has(keys, &key))?;
    let value = match (*option, value) {
        ("-p", "H" | "h") => "1",
        ("-p", "M" | "m") => "2",
        ("-p", "L" | "l") => "3",
        ("-s", value) => meant_status(value).unwrap_or(value),
        (_, value) => value,
    };
    let option = if option.is_empty() { label } else { option };
    Some([option.to_owned(), value.to_owned()]).filter(|_| !value.is_empty())
}

/// Returns the line that is meant by one whose verb took a value for an issue: `assign bob ID`, `done ID "the reason"`.
pub(super) fn rearranged(
    line: &Line<'_>,
    is_issue: IsIssue<'_>,
    is_date: impl Fn(&str) -> bool,
) -> Option<Vec<String>> {
    let verb = verb_at(line)?;
    let args = line.arguments();
    let (first, rest) = args.split_first()?;
    let words: Vec<String> = args.iter().map(|at| line[*at].clone()).collect();
    let before = &line[..verb];
    let ours = match (line[verb].as_str(), &words[..]) {
        ("update" | "edit", _) => {
            let fields = with_fields(line);
            return fields.or_else(|| Some([before, &of_words(&words, is_issue)?].concat()));
        }
        ("start" | "claim", [next]) if next == "next" => filled("ready --claim", &[], &[]),
        ("rename", [id, title]) if title.contains(' ') => {
            filled("update {1} --title {2*}", &[], &[id.clone(), title.clone()])
        }
        ("diff", [id]) if is_issue(id) => filled("log -p {1}", &[], std::slice::from_ref(id)),
        // A revision of git.
        ("show" | "log" | "blame", [word]) if revised(word, is_issue).is_some() => {
            filled("log {1}", &[], &[revised(word, is_issue)?])
        }
        ("diff", [word, rest @ ..]) if revised(word, is_issue).is_some() && rest.len() < 2 => {
            filled("log -p {1}", &[], &[revised(word, is_issue)?])
        }
        ("link", [a, b, kind]) if has("blocks blocking", &kind.to_lowercase()) => {
            filled("dep add {2} {1}", &[], &[a.clone(), b.clone()])
        }
        (verb, _) => {
            let kept = without_fillers(verb, &words);
            (kept.len() < words.len()).then(|| [&[verb.to_owned()], &kept[..]].concat())
        }
    };
    if let Some(ours) = ours {
        return Some([before, &ours].concat());
    }
    let mut new = line.to_vec();
    // `label add ui ID`: the id follows the word.
    let is_nested = line[verb] == "label" && has("add rm remove", &line[*first]);
    let first = if is_nested { rest.first()? } else { first };
    if has(VALUE_LAST, &line[verb]) {
        let last = rest.last().filter(|last| is_issue(&line[**last]))?;
        if line[verb] == "priority" && parse_priority(&line[*first]).is_err() {
            let Some(ours) = meant_priority(&line[*first].to_lowercase()) else {
                return filled("help priority", before, &[]);
            };
            new[*first] = ours;
        }
        let id = new.remove(*last);
        new.insert(*first, id);
        return (!is_issue(&line[*first])).then_some(new);
    }
    // `defer ID 2w`.
    let [at] = rest else { return None };
    let is_meant = line[verb] == "defer" && is_issue(&line[*first]) && is_date(&line[*at]);
    new.insert(*at, "--until".to_owned());
    is_meant.then_some(new)
}

/// Returns the issue of a revision as git writes one, as in `ID@{1}` and `ID~1`.
fn revised(word: &str, is_issue: IsIssue<'_>) -> Option<String> {
    // `HEAD~1:ID` too.
    let id = match word.split_once(':') {
        Some((_, id)) => id,
        None => &word[..word.find(['@', '~', '^'])?],
    };
    is_issue(id).then(|| id.to_owned())
}

/// Returns the line for an issue and a state, or a field and its value, that stand behind `update` as words.
fn of_words(words: &[String], is_issue: IsIssue<'_>) -> Option<Vec<String>> {
    let (id, key, value) = match words {
        [id, key, value] if is_issue(id) => (id, key, value),
        [key, id, value] if is_issue(id) => (id, key, value),
        [id, state] => return to_state(id, std::slice::from_ref(state)),
        _ => return None,
    };
    let [option, value] = field(&format!("{key}:{value}"), false)?;
    let state = to_state(id, std::slice::from_ref(&value)).filter(|_| option == "-s");
    state.or_else(|| Some(vec!["update".to_owned(), id.clone(), option, value]))
}
