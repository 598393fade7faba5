//! Which characters of a text are drawn as they are, on a terminal and on a page: what steers a terminal, turns the direction of
//! text or hides in it is shown by its number; what letters and pictures need stays. `base.js` of the page has the same rule.

use super::id::is_format;

/// Joins the letters beside it, or keeps them apart.
const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];
/// Say in which direction the signs beside them run, and are drawn nowhere.
const DIRECTIONS: [char; 3] = ['\u{200e}', '\u{200f}', '\u{61c}'];
/// Where a word may be divided at the end of a line.
const SOFT_HYPHEN: char = '\u{ad}';
/// The place between two words that no space divides, at which a line may end.
const WORD_BREAK: char = '\u{200b}';
/// Divides the last vowel of a Mongolian word from what is before it.
const VOWEL_SEPARATOR: char = '\u{180e}';
/// The picture before the tags that make another flag of it, as that of Wales.
const FLAG: char = '\u{1f3f4}';
/// Tags of the longest region that has a flag, before the one that ends it.
const LONGEST_REGION: usize = 6;
/// Ends the tags behind the picture of a flag.
const LAST_TAG: char = '\u{e007f}';

/// Returns a text as it is drawn; line breaks and tabs stay.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut tags_to_draw = 0;
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let is_drawn = match c {
            '\n' | '\t' => true,
            c if DIRECTIONS.contains(&c) => continue,
            c if JOINERS.contains(&c) => is_joining(before, c, rest.chars().next()),
            FLAG => {
                tags_to_draw = tags_of_flag(rest);
                true
            }
            _ if tags_to_draw > 0 => {
                tags_to_draw -= 1;
                true
            }
            c => !c.is_control() && !is_format(c),
        };
        match is_drawn {
            true => out.push(c),
            false => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
        }
        before = Some(c);
    }
    out
}

/// Returns a text as a program gets it: what steers a terminal, turns text or hides in it is left out, and the marks with which
/// scripts and flags are written stay. Separators of lines and paragraphs stay too.
pub(crate) fn without_hidden(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut before, mut tags_to_keep) = (None, 0);
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let around = [before, rest.chars().next()];
        let is_between = |is_of: fn(char) -> bool| around.iter().all(|c| c.is_some_and(is_of));
        let is_kept = match c {
            '\n' | '\t' | '\u{2028}' | '\u{2029}' => true,
            c if JOINERS.contains(&c) => true,
            // One alone: a row of them can hide a message.
            c if DIRECTIONS.contains(&c) => !before.is_some_and(|c| DIRECTIONS.contains(&c)),
            SOFT_HYPHEN => is_between(char::is_alphabetic),
            WORD_BREAK => is_between(is_of_unspaced_script),
            VOWEL_SEPARATOR => is_between(|c| ('\u{1800}'..='\u{18af}').contains(&c)),
            FLAG => {
                tags_to_keep = tags_of_flag(rest);
                true
            }
            _ if tags_to_keep > 0 => {
                tags_to_keep -= 1;
                true
            }
            c => !c.is_control() && !is_format(c),
        };
        if is_kept {
            out.push(c);
        }
        before = Some(c);
    }
    out
}

/// Returns whether a character is of a script without spaces between words: Thai, Lao, Tibetan, Burmese, Khmer, those of their
/// neighbours, Chinese and Japanese.
fn is_of_unspaced_script(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{1aaf}' | '\u{1b00}'..='\u{1b7f}'
        | '\u{3001}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{a980}'..='\u{a9ff}' | '\u{aa60}'..='\u{aadf}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Returns whether a joiner stands between letters or marks of a script that joins them, or inside of a picture.
fn is_joining(before: Option<char>, joiner: char, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else {
        return false;
    };
    let is_picture = joiner == JOINERS[1] && is_picture(before) && is_picture(after);
    is_picture || (is_of_joining_script(before) && is_of_joining_script(after))
}

/// Returns whether a character is of the blocks from Arabic to Mandaic, of India and its neighbours, or of Mongolia.
fn is_of_joining_script(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{6ff}' | '\u{700}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}'
        | '\u{1780}'..='\u{18af}' | '\u{1b00}'..='\u{1c4f}' | '\u{a800}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{11000}'..='\u{11fff}')
}

/// Returns whether a character is a picture, its colour, or the selector that makes it one.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{fe0f}' | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}'
        | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Returns how many tags right behind the picture of a flag belong to it: those of a region, and the one that ends them.
fn tags_of_flag(rest: &str) -> usize {
    let region = rest
        .chars()
        .take(LONGEST_REGION)
        .take_while(|c| ('\u{e0020}'..LAST_TAG).contains(c))
        .count();
    match region > 0 && rest.chars().nth(region) == Some(LAST_TAG) {
        true => region + 1,
        false => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::visible;

    /// Texts, and how they are drawn; the page is tested with them, too.
    const TEXTS: &str = include_str!("../../tests/visible.json");

    #[test]
    fn what_a_script_needs_stays_and_what_hides_is_shown() {
        let texts: Vec<[String; 2]> = serde_json::from_str(TEXTS).unwrap();
        assert!(texts.len() > 15);
        for [text, drawn] in texts {
            assert_eq!(visible(&text), drawn, "{text:?}");
        }
        assert_eq!(visible("a\u{200f}b\u{61c}"), "ab");
    }

    /// A text of tags alone is read once: its end is not looked for at each of them.
    #[test]
    fn many_tags_in_a_row_are_all_shown() {
        let tags = 200_000;
        let text = "\u{1f3f4}".to_owned() + &"\u{e0067}".repeat(tags);
        assert_eq!(visible(&text).matches("\\u{e0067}").count(), tags);
    }
}
