//! Issues that the message of a commit names.
//!
//! Whole messages are read, not trailers alone: a squash puts the trailers of its commits into the middle of its
//! own message. A bare mention in a text never closes anything.

use std::collections::HashMap;

use super::IssueId;

/// Words that close the issue they name.
const CLOSING: [&str; 3] = ["closes", "fixes", "resolves"];
/// The words before an issue that close it at hosts.
const HOSTS: [&str; 9] = [
    "close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved",
];
/// Word that links a commit to an issue.
pub(crate) const LINK: &str = "Bead";
/// Number of bytes of a message that are read.
const LONGEST: usize = 1 << 16;

/// An issue that a message names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    /// Its id, as the message has it.
    pub id: String,
    /// True if the commit closes it.
    pub closes: bool,
}

/// Returns the issues that a message names, each once, in order: `Closes:`, `Fixes:`, `Resolves:`
/// and `Bead:` at the beginning of any line, lines such as `Fixes #ID`, and ids in brackets in the first.
pub(crate) fn mentions(message: &str) -> Vec<Mention> {
    let message = &message[..message.floor_char_boundary(LONGEST)];
    let mut found: Vec<Mention> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut add = |id: String, closes: bool| match places.get(&id) {
        Some(place) => found[*place].closes |= closes,
        None => {
            places.insert(id.clone(), found.len());
            found.push(Mention { id, closes });
        }
    };
    let subject = message.lines().next().unwrap_or_default();
    let brackets = subject.split('(').skip(1);
    for (inside, _) in brackets.filter_map(|rest| rest.split_once(')')) {
        let words = inside.split([',', ' ']).map(trimmed);
        // In brackets of a subject stand ordinary words too; only those with a hyphen are taken for ids.
        for id in words.filter(|word| word.contains('-')).filter_map(id) {
            add(id, false);
        }
    }
    // A closing line begins a paragraph: after any other line it can be the end of a sentence.
    let mut is_first = true;
    for line in message.lines() {
        let closed = if is_first {
            closed_by(line)
        } else {
            Vec::new()
        };
        is_first = line.trim().is_empty() || !closed.is_empty();
        for id in closed
            .into_iter()
            .filter(|_| !line.starts_with([' ', '\t']))
        {
            add(id, true);
        }
        // A squash lists the commits that it joins as items.
        let line = line
            .trim_start()
            .trim_start_matches(['*', '-'])
            .trim_start();
        let Some((word, rest)) = line.split_once(':') else {
            continue;
        };
        let closes = CLOSING.iter().any(|known| word.eq_ignore_ascii_case(known));
        if closes || word.eq_ignore_ascii_case(LINK) {
            for id in named(rest.trim()) {
                add(id, closes);
            }
        }
    }
    found
}

/// Returns the issues that a line closes as hosts read it, as in `Fixes #bd-a1b2 (#12)` or `Closes bd-a1b2 and bd-c3d4`; none of
/// a line that has any other word. A word such as `fix` needs the `#`, without which it is one of a sentence.
fn closed_by(line: &str) -> Vec<String> {
    let is_word =
        |word: &&str, words: &[&str]| words.iter().any(|it| word.eq_ignore_ascii_case(it));
    let first = line.split_whitespace().next().unwrap_or_default();
    let needs_hash = !is_word(&first, &CLOSING);
    if !is_word(&first, &HOSTS) {
        return Vec::new();
    }
    let words = line
        .split([',', ';', ' ', '\t'])
        .filter(|it| !it.is_empty());
    let words = words.filter(|word| !is_word(word, &HOSTS) && *word != "and");
    let mut found = Vec::new();
    for word in words.map(trimmed) {
        let number = word.strip_prefix('#').unwrap_or_default();
        // A number alone is an issue of the host.
        if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let is_id = word.contains('-') && (word.starts_with('#') || !needs_hash);
        match Some(without_hash(word)).filter(|_| is_id).and_then(id) {
            Some(id) => found.push(id),
            None => return Vec::new(),
        }
    }
    found
}

/// Returns the ids that a list may name: imported ids can hold commas, brackets and full stops, so
/// each is tried as written and without punctuation. The list ends where words follow.
fn named(list: &str) -> Vec<String> {
    // As a whole first: an imported id can hold commas.
    let mut found: Vec<String> = id(without_hash(list)).into_iter().collect();
    for part in list.split(',').map(|it| without_hash(it.trim())) {
        let (first, rest) = part.split_once([' ', '\t']).unwrap_or((part, ""));
        // A word that prose follows must look like an id that we make.
        if rest.is_empty() || first.contains('-') {
            found.extend([first, trimmed(first)].into_iter().filter_map(id));
        }
        if !rest.is_empty() {
            break;
        }
    }
    found
}

/// Returns an id without the `#` that hosts have before their numbers; a number alone keeps it, which is one of theirs.
fn without_hash(word: &str) -> &str {
    let bare = word.strip_prefix('#').filter(|bare| bare.contains('-'));
    bare.unwrap_or(word)
}

fn trimmed(word: &str) -> &str {
    // An id may begin with a dot.
    let signs = ['[', ']', '(', ')', '<', '>', '`', '"', '\'', ';', ':', '!'];
    let begun = word.trim_start_matches(signs);
    begun.trim_end_matches(|c| c == '.' || signs.contains(&c))
}

fn id(word: &str) -> Option<String> {
    IssueId::parse(word).ok().map(|id| id.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is named, without what no issue has as its id: a sentence's full stop, a whole list.
    fn read(message: &str) -> Vec<(String, bool)> {
        let ids = mentions(message)
            .into_iter()
            .filter(|it| !it.id.ends_with('.') && !it.id.contains(','));
        ids.map(|mention| (mention.id, mention.closes)).collect()
    }

    #[track_caller]
    fn check(message: &str, expected: &[(&str, bool)]) {
        let expected: Vec<(String, bool)> = expected
            .iter()
            .map(|(id, closes)| ((*id).to_owned(), *closes))
            .collect();
        assert_eq!(read(message), expected, "{message}");
    }

    #[test]
    fn lines_close_and_link() {
        check("Fix it\n\nCloses: bd-a1b2", &[("bd-a1b2", true)]);
        check(
            "Fix it\n\nfixes: bd-a1b2.1, bd-c3d4\nRESOLVES: bd-e5\n",
            &[("bd-a1b2.1", true), ("bd-c3d4", true), ("bd-e5", true)],
        );
        check(
            "Fix it\n\nBead: bd-a1b2.\nSigned-off-by: Ann <ann@bd-x>",
            &[("bd-a1b2", false)],
        );
        check("Fix it (bd-a1b2) (#12)", &[("bd-a1b2", false)]);
        check(
            "Fix it (bd-a1b2, bd-c3d4)\n\nCloses: bd-c3d4",
            &[("bd-a1b2", false), ("bd-c3d4", true)],
        );
    }

    #[test]
    fn a_line_as_hosts_read_it_closes() {
        check("Fix it\n\nFixes #bd-a1b2", &[("bd-a1b2", true)]);
        check("Fixes: #bd-a1b2", &[("bd-a1b2", true)]);
        check(
            "Fix it\n\nCloses bd-a1b2, #bd-c3d4 and bd-e5.",
            &[("bd-a1b2", true), ("bd-c3d4", true), ("bd-e5", true)],
        );
        check("Fixes #bd-a1b2 (#12)", &[("bd-a1b2", true)]);
        check("Fixes #bd-a1b2, #12", &[("bd-a1b2", true)]);
        check(
            "x\n\nFix #bd-a1b2\nCloses bd-c3d4; closes #bd-e5",
            &[("bd-a1b2", true), ("bd-c3d4", true), ("bd-e5", true)],
        );
        for message in [
            "Fixes #12",
            "Fix bd-a1b2 in the parser",
            "Closes the gap",
            "Fixes",
            "x\n\nIt does not yet\nfix #bd-a1b2",
            "x\n\nNothing here\ncloses bd-a1b2",
            "x\n\nfix bd-a1b2",
            "x\n\n    Fixes bd-a1b2",
            "x\n\n- fixed bd-a1b2",
        ] {
            check(message, &[]);
        }
    }

    #[test]
    fn a_squash_keeps_them_in_the_middle() {
        let squash = "Add retry (#7)\n\n* first (bd-no)\n\n  Closes: bd-a1b2\n\n* Fixes: bd-c3d4\n- second\n\nReviewed-by: Bob";
        check(squash, &[("bd-a1b2", true), ("bd-c3d4", true)]);
    }

    #[test]
    fn ids_of_imports_are_named_as_they_are() {
        for id in [
            "slug",
            "Proj.X_1",
            "日本",
            "HEAD",
            "x-(y)",
            "x-a,b",
            "x-1!",
            "AB-C1",
            "app-a.lock",
        ] {
            for line in [format!("x\n\nCloses: {id}"), format!("Bead: {id}")] {
                assert!(
                    mentions(&line).iter().any(|mention| mention.id == id),
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn words_end_a_list() {
        check("x\n\nFixes: bd-a bd-b is still open", &[("bd-a", true)]);
        check(
            "x\n\nFixes: bd-a, bd-b by a cache, bd-c too",
            &[("bd-a", true), ("bd-b", true)],
        );
        check("x\n\nFixes: the crash, bd-a", &[]);
    }

    #[test]
    fn a_bare_mention_is_none() {
        for message in [
            "This fixes bd-a1b2",
            "Talk of bd-a1b2\n\nCloses bd-a1b2 at last",
            "x\n\nIt closes: nothing, says bd-a1b2",
            "x\n\nFixes: the crash of bd-a1b2",
            "x\n\nSee (bd-a1b2)",
            "x (y",
            "x )bd-a(",
            "",
        ] {
            check(message, &[]);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "\\PC{0,80}(\n|Closes: |\\(|bd-a1|\u{202e}|\\PC){0,40}") {
            for mention in mentions(&text) {
                proptest::prop_assert!(text.contains(&mention.id) && IssueId::parse(&mention.id).is_ok());
            }
        }
    }
}
