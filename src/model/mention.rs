//! What the message of a commit says of issues.
//!
//! Whole messages are read, not trailers alone: a squash puts the trailers of its commits into the middle of its
//! own message. A bare mention in a text never closes anything.

use super::IssueId;

/// The words that close.
const CLOSING: [&str; 3] = ["closes", "fixes", "resolves"];
/// The word that links.
pub const LINK: &str = "Bead";
/// As much of a message is read.
const LONGEST: usize = 1 << 16;

/// An issue that a message names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Its id, as it stands there.
    pub id: String,
    /// Whether the commit ends it.
    pub closes: bool,
}

/// The issues that a message names, each once, in order: `Closes:`, `Fixes:`, `Resolves:` and `Bead:` at the
/// beginning of any line, and ids in brackets in the first.
pub fn mentions(message: &str) -> Vec<Mention> {
    let message = &message[..message.floor_char_boundary(LONGEST)];
    let mut found: Vec<Mention> = Vec::new();
    let mut add = |id: String, closes: bool| match found.iter_mut().find(|known| known.id == id) {
        Some(known) => known.closes |= closes,
        None => found.push(Mention { id, closes }),
    };
    let subject = message.lines().next().unwrap_or_default();
    subject.split('(').skip(1).filter_map(|rest| rest.split_once(')')).for_each(|(inside, _)| {
        ids(inside).into_iter().for_each(|id| add(id, false));
    });
    for line in message.lines() {
        let line = line.trim_start().trim_start_matches(['*', '-']).trim_start();
        let Some((word, rest)) = line.split_once(':') else { continue };
        let closes = CLOSING.iter().any(|known| word.eq_ignore_ascii_case(known));
        if closes || word.eq_ignore_ascii_case(LINK) {
            ids(rest).into_iter().for_each(|id| add(id, closes));
        }
    }
    found
}

/// The ids that a text begins with.
fn ids(text: &str) -> Vec<String> {
    let words = text.split([',', ' ', '\t']).filter(|word| !word.is_empty());
    words.map_while(id).collect()
}

fn id(word: &str) -> Option<String> {
    let word = word.trim_matches(['[', ']', '(', ')', '<', '>', '`', '"', '\'', '.', ';', ':', '!']);
    let parsed = IssueId::parse(word).ok()?;
    word.contains('-').then(|| parsed.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &str) -> Vec<(String, bool)> {
        mentions(message).into_iter().map(|mention| (mention.id, mention.closes)).collect()
    }

    #[track_caller]
    fn check(message: &str, expected: &[(&str, bool)]) {
        let expected: Vec<(String, bool)> = expected.iter().map(|(id, closes)| ((*id).to_owned(), *closes)).collect();
        assert_eq!(read(message), expected, "{message}");
    }

    #[test]
    fn lines_close_and_link() {
        check("Fix it\n\nCloses: bd-a1b2", &[("bd-a1b2", true)]);
        check(
            "Fix it\n\nfixes: bd-a1b2.1, bd-c3d4\nRESOLVES: bd-e5\n",
            &[("bd-a1b2.1", true), ("bd-c3d4", true), ("bd-e5", true)],
        );
        check("Fix it\n\nBead: bd-a1b2.\nSigned-off-by: Ann <ann@bd-x>", &[("bd-a1b2", false)]);
        check("Fix it (bd-a1b2) (#12)", &[("bd-a1b2", false)]);
        check("Fix it (bd-a1b2, bd-c3d4)\n\nCloses: bd-c3d4", &[("bd-a1b2", false), ("bd-c3d4", true)]);
    }

    #[test]
    fn a_squash_keeps_them_in_the_middle() {
        let squash =
            "Add retry (#7)\n\n* first (bd-no)\n\n  Closes: bd-a1b2\n\n* Fixes: bd-c3d4\n- second\n\nReviewed-by: Bob";
        check(squash, &[("bd-a1b2", true), ("bd-c3d4", true)]);
    }

    #[test]
    fn a_bare_mention_is_none() {
        for message in [
            "This fixes bd-a1b2",
            "Talk of bd-a1b2\n\nCloses bd-a1b2",
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
