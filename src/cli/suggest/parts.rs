//! Parts of command lines: words of a list, templates that are filled.

use super::words::{ABSENT, Absent, FILLERS, VERBS};

/// Returns the arguments of a verb without words that mean nothing here: `supersede A --with B`.
pub(super) fn without_fillers(verb: &str, after: &[String]) -> Vec<String> {
    let fillers = FILLERS.iter().find(|(verbs, _)| has(verbs, verb));
    let is_filler = |word: &&String| fillers.is_some_and(|(_, words)| has(words, word));
    after
        .iter()
        .filter(|word| !is_filler(word))
        .cloned()
        .collect()
}

/// Returns the line that replaces a verb of others.
pub(super) fn of_others(word: &str) -> Option<&'static str> {
    let row = VERBS.iter().find(|(words, _)| has(words, word));
    row.map(|(_, line)| *line)
}

/// Returns true for a verb of others.
pub(super) fn is_of_others(word: &str) -> bool {
    of_others(word).is_some() || absent(word).is_some()
}

/// Returns true if a list of words has one.
pub(super) fn has(words: &str, word: &str) -> bool {
    words.split_whitespace().any(|other| other == word)
}

/// Returns a word in the form in which tables have it: `In Progress` is `in-progress`.
pub(super) fn normal(word: &str) -> String {
    word.to_lowercase().replace([' ', '_'], "-")
}

/// Returns the words by which verbs below a command are known.
pub(super) fn names(command: &clap::Command) -> Vec<String> {
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let own = |verb: &'_ clap::Command| -> Vec<String> {
        let names = [verb.get_name()]
            .into_iter()
            .chain(verb.get_visible_aliases());
        names.map(str::to_owned).collect()
    };
    let names = verbs.flat_map(own);
    names.collect()
}

/// Fills a template; none where it takes other arguments than follow.
pub(super) fn filled(template: &str, before: &[String], after: &[String]) -> Option<Vec<String>> {
    // Help takes one verb, whatever follows.
    let after = if template.starts_with("help ") {
        &[]
    } else {
        after
    };
    let mut line = before.to_vec();
    let (mut used, is_plain) = (0, !after.iter().any(|word| word.starts_with('-')));
    let is_open = !template.contains(['*', '{']);
    for word in template.split(' ') {
        match word {
            "*" => line.extend_from_slice(after),
            "{1}" => line.push(argument(after, 0, is_plain, &mut used)?),
            "{2}" => line.push(argument(after, 1, is_plain, &mut used)?),
            "{1*}" => {
                line.push(Some(after.join(" ")).filter(|text| is_plain && !text.is_empty())?);
                used = after.len();
            }
            "{2..}" | "{2*}" => {
                let rest = after.get(1..).filter(|rest| is_plain && !rest.is_empty())?;
                used = after.len();
                match word {
                    "{2*}" => line.push(rest.join(" ")),
                    _ => line.extend_from_slice(rest),
                }
            }
            word => line.push(word.to_owned()),
        }
    }
    if is_open {
        line.extend_from_slice(after);
    }
    let takes_all = is_open || template.contains(" *") || used == after.len();
    takes_all.then_some(line)
}

fn argument(after: &[String], at: usize, is_plain: bool, used: &mut usize) -> Option<String> {
    *used = (*used).max(at + 1);
    after.get(at).filter(|_| is_plain).cloned()
}

/// Returns what is said of a word for something that does not exist here.
pub(super) fn absent(word: &str) -> Option<&'static Absent> {
    let word = word.trim_start_matches('-').to_lowercase();
    ABSENT.iter().find(|row| has(row.words, &word))
}
