//! Ids that people use: `bd-a1b2`, and `bd-a1b2.1` for a child.
//!
//! An id is a register of its issue, not its identity, which is the uid. Ids of real projects have
//! hyphens, underscores, capitals and whole slugs, so almost any printable text is valid.

use std::fmt;

use super::stamp::Uid;

/// Longest id in bytes.
pub const MAX_BYTES: usize = 200;
/// Deepest nesting of dotted children.
pub const MAX_DEPTH: usize = 3;
const SHORTEST: u32 = 4;
const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IssueId(String);

/// Reason why a text is no id, or can have no children.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Outside the range of ids that an import may have.
    #[error(
        "`{0}` is not an id: 1 to 200 bytes without space, `/`, `~` or control characters, not beginning with `-`"
    )]
    Shape(String),
    /// An id that is valid, but is given to no issue any more.
    #[error(
        "`{0}` can't be given to an issue: a command would need quotes around it; an id has letters, digits, `-`, `_`, `.`, `:`, `=`, `@` and `,`"
    )]
    Quoted(String),
    /// A prefix that would not give readable ids.
    #[error(
        "`{0}` is not a prefix: letters, digits, `-`, `_` and single `.`, beginning with a letter, digit or `.`, not ending with `-` or `.`, at most 40"
    )]
    Prefix(String),
    /// A fourth level of children.
    #[error("`{0}` is {MAX_DEPTH} levels deep already")]
    TooDeep(String),
}

impl IssueId {
    /// Checks an id of any origin.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let fits = (1..=MAX_BYTES).contains(&text.len()) && !text.starts_with('-');
        let printable = |c: char| {
            !(c.is_whitespace() || c.is_control() || matches!(c, '/' | '~') || is_format(c))
        };
        if fits && text.chars().all(printable) {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError::Shape(text.chars().take(60).collect()))
        }
    }

    /// Checks an id that an issue gets now. Of any origin it may have been given before, so readers take more.
    pub(crate) fn given(text: &str) -> Result<Self, IdError> {
        let id = Self::parse(text)?;
        match id.0.chars().all(is_plain) {
            true => Ok(id),
            false => Err(IdError::Quoted(id.0)),
        }
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the id of child number `n`.
    pub fn child(&self, n: u64) -> Result<Self, IdError> {
        if depth(&self.0) >= MAX_DEPTH {
            return Err(IdError::TooDeep(self.0.clone()));
        }
        Self::given(&format!("{}.{n}", self.0))
    }
}

impl fmt::Display for IssueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns whether a character is invisible or changes the direction of text.
pub fn is_format(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Returns whether a character is a letter, a digit, or a mark that is a part of one in its script.
pub(crate) fn is_letter(c: char) -> bool {
    // In the scripts of India the sign below a letter and the one that joins two have the same places in each block.
    let is_indic = matches!(c, '\u{900}'..='\u{d7f}') && matches!(u32::from(c) & 0x7f, 0x3c | 0x4d);
    let is_mark = matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5bd}'
        | '\u{5bf}' | '\u{5c1}'..='\u{5c2}' | '\u{5c4}'..='\u{5c5}' | '\u{5c7}' | '\u{64b}'..='\u{65f}'
        | '\u{dca}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{eb4}'..='\u{ebc}'
        | '\u{ec8}'..='\u{ece}' | '\u{1037}'..='\u{103a}' | '\u{17b4}'..='\u{17d3}' | '\u{3099}'..='\u{309a}');
    c.is_alphanumeric() || is_indic || is_mark
}

/// Returns whether a character means itself to every shell, wherever it is in a word.
pub(crate) fn is_plain(c: char) -> bool {
    is_letter(c) || "-_./:=@,".contains(c)
}

/// Returns an id like another one that no command needs quotes for.
pub(crate) fn plain(id: &str) -> String {
    let parts = id.split(|c: char| !is_plain(c));
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    match parts.join("-").trim_start_matches('-') {
        "" => "new-id".to_owned(),
        plain => plain.to_owned(),
    }
}

/// Checks the prefix of new ids.
pub fn check_prefix(prefix: &str) -> Result<(), IdError> {
    let is_word = |c: char| is_letter(c) || matches!(c, '-' | '_' | '.');
    let word = prefix.chars().all(is_word);
    // The names of hidden folders begin with a dot. Two of them are a range to git.
    let bare = prefix.strip_prefix('.').unwrap_or(prefix);
    let begins = bare.starts_with(char::is_alphanumeric) && !prefix.contains("..");
    if word && begins && prefix.chars().count() <= 40 && !prefix.ends_with(['-', '.']) {
        Ok(())
    } else {
        Err(IdError::Prefix(prefix.chars().take(60).collect()))
    }
}

/// Returns the prefix that is probably meant by a text that is none: other trackers want the dash that ids have after it.
pub(crate) fn prefix_like(text: &str) -> &str {
    let bare = text.trim().trim_end_matches(['-', '.']);
    let mut forms = [bare, bare.trim_start_matches(['-', '.'])].into_iter();
    forms
        .find(|form| check_prefix(form).is_ok())
        .unwrap_or("bd")
}

/// Counts the numeric parts at the end of an id: 2 for `bd-a1b2.1.4`.
pub fn depth(id: &str) -> usize {
    let numeric = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    id.split('.')
        .skip(1)
        .collect::<Vec<_>>()
        .iter()
        .rev()
        .take_while(|part| numeric(part))
        .count()
}

/// Returns the number of a direct child of `parent`: 4 for `bd-a1b2.4`.
pub fn child_number(parent: &str, id: &str) -> Option<u64> {
    let rest = id.strip_prefix(parent)?.strip_prefix('.')?;
    // The parser of numbers also takes `+4`, which is no number of a child.
    if rest.bytes().all(|b| b.is_ascii_digit()) {
        rest.parse().ok()
    } else {
        None
    }
}

/// Returns the part after the last hyphen, which people type instead of the whole id.
pub fn tail(id: &str) -> &str {
    id.rsplit_once('-').map_or(id, |(_, tail)| tail)
}

/// Returns the shortest length, 4 or more, at which `known` ids fill less than 0.1 % of the space.
pub(crate) fn length_for(known: u64) -> u32 {
    (SHORTEST..12)
        .find(|length| known.saturating_mul(1000) < 36u64.pow(*length))
        .unwrap_or(12)
}

/// Returns the name under which the `i`-th of several issues with the same id is shown: the oldest
/// keeps the id, the others get the shortest unique end of their uid, two characters or more.
pub fn alias(id: &str, holders: &[Uid], i: usize) -> String {
    if i == 0 {
        return id.to_owned();
    }
    // The oldest is shown without an end, so no end has to differ from its own.
    let texts: Vec<String> = holders.iter().skip(1).map(ToString::to_string).collect();
    let own = &texts[i - 1];
    let unique = |length: &usize| {
        let tail = &own[own.len() - length..];
        texts
            .iter()
            .enumerate()
            .all(|(other, text)| other == i - 1 || !text.ends_with(tail))
    };
    let length = (2..own.len()).find(unique).unwrap_or(own.len());
    format!("{id}~{}", &own[own.len() - length..])
}

/// Makes a root id of `length` base-36 digits from random bits; never all digits, which read as a number.
pub fn mint(prefix: &str, length: u32, random: u128) -> IssueId {
    let mut rest = random;
    let mut digit = || {
        let index = (rest % 36) as usize;
        rest /= 36;
        char::from(DIGITS[index])
    };
    let mut text: String = (0..length).map(|_| digit()).collect();
    if text.bytes().all(|b| b.is_ascii_digit()) {
        let letter = char::from(DIGITS[10 + (rest % 26) as usize]);
        text.replace_range(..1, &letter.to_string());
    }
    IssueId(format!("{prefix}-{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn real_ids_are_ids() {
        for id in [
            "bd-1",
            "beads_rust-07b",
            "tea-rags-mcp-l640",
            "GH-12",
            "x.rob.api.caps",
            "bd-a1b2.143",
            "Ա-1",
        ] {
            assert!(IssueId::parse(id).is_ok(), "{id}");
        }
        for id in [
            "",
            "-x",
            "a b",
            "a/b",
            "a~b",
            "a\nb",
            "a\u{202e}b",
            &"x".repeat(201),
        ] {
            assert!(IssueId::parse(id).is_err(), "{id:?}");
        }
    }

    #[test]
    fn an_id_is_given_where_no_command_needs_quotes_for_it() {
        for id in ["bd-a1", "Ա-1", "a.b:c=d@e,f_g"] {
            assert!(IssueId::given(id).is_ok(), "{id}");
        }
        for (id, other) in [
            ("bd-$(x)", "bd--x"),
            ("bd-a%b", "bd-a-b"),
            ("a'b;c", "a-b-c"),
            ("$-x", "x"),
            ("$$", "new-id"),
        ] {
            assert_eq!(IssueId::given(id), Err(IdError::Quoted(id.to_owned())));
            assert_eq!(plain(id), other);
            let child = IssueId::parse(id).unwrap().child(1);
            assert!(matches!(child, Err(IdError::Quoted(_))), "{child:?}");
        }
    }

    #[test]
    fn children_nest_three_levels() {
        let id = IssueId::parse("bd-v1.x.1.2").unwrap();
        assert_eq!(depth(id.as_str()), 2);
        assert_eq!(id.child(3).unwrap().as_str(), "bd-v1.x.1.2.3");
        assert!(matches!(
            id.child(3).unwrap().child(1),
            Err(IdError::TooDeep(_))
        ));
        assert_eq!(child_number("bd-a", "bd-a.12"), Some(12));
        assert_eq!(child_number("bd-a", "bd-a.1.2"), None);
        assert_eq!(child_number("bd-a", "bd-ab.1"), None);
    }

    #[test]
    fn the_length_follows_the_fill() {
        assert_eq!(
            [0, 1679, 1680, 60_466, 60_467].map(length_for),
            [4, 4, 5, 5, 6]
        );
    }

    #[test]
    fn prefixes_have_letters_of_any_script_digits_and_dots() {
        for ok in [
            "bd",
            "tea-rags-mcp",
            "beads_rust",
            "GH",
            "b.d",
            "1bd",
            "haxe.ocaml",
            "café",
            "cafe\u{301}",
            "проект",
            "हिन्दी",
            "ที่",
            ".claude",
        ] {
            assert!(check_prefix(ok).is_ok());
        }
        for bad in [
            "",
            "-bd",
            "..bd",
            ".-bd",
            ".",
            "\u{301}e",
            "b\u{200b}d",
            "b d",
            "b..d",
            "bd.",
            "bd-",
            "b/d",
            &"x".repeat(41),
        ] {
            assert!(check_prefix(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn minted_ids_are_ids_and_no_numbers(random: u128, length in 4u32..12) {
            let id = mint("bd", length, random);
            prop_assert!(IssueId::parse(id.as_str()).is_ok());
            prop_assert!(tail(id.as_str()).bytes().any(|b| b.is_ascii_alphabetic()));
            prop_assert_eq!(tail(id.as_str()).len(), length as usize);
        }
    }
}
