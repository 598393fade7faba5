//! Words of a text that may name issues.

/// Returns the words of a text that may be ids, each with where it begins.
pub(crate) fn id_words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || "_.-".contains(c);
    // The byte after a word is the one that ended it.
    let mut from = 0;
    text.split(move |c| !is_part(c)).filter_map(move |word| {
        let begin = from;
        from += word.len();
        from += text[from..].chars().next().map_or(0, char::len_utf8);
        let id = word.trim_end_matches(['.', '-', '_']);
        id.contains('-').then_some((begin, id))
    })
}
