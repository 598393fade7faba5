//! Where in the texts of an issue the words of a search are.

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::Row;
use crate::model::Field;
use crate::model::query::QueryWord;
use crate::ops::{Result, View};

/// Characters in front of the first word that is shown.
const BEFORE: usize = 40;
/// Characters of a snippet.
const LONGEST: usize = 160;

/// A part of a text of an issue that has a word of the search.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Snippet {
    /// The issue.
    pub id: String,
    /// `description`, `design`, `acceptance`, `notes`, or the kind of an entry of memory.
    pub field: String,
    /// The part, on one line.
    pub text: String,
    /// The words in it that match, as they are there.
    pub matched: Vec<String>,
}

/// A word that is looked for, in lower case.
struct Sought {
    parts: Vec<String>,
    /// Words that begin so count, too.
    is_beginning: bool,
}

/// Returns a snippet for each issue whose title lacks one of the words; some issues have none.
/// Errors: An issue that can't be read.
pub(crate) fn snippets(view: &View<'_>, rows: &[Row], words: &[QueryWord]) -> Result<Vec<Snippet>> {
    let sought: Vec<Sought> = words.iter().filter_map(Sought::new).collect();
    let mut found = Vec::new();
    if sought.is_empty() {
        return Ok(found);
    }
    for row in rows.iter().filter(|row| row.unreadable.is_none()) {
        let title = format!("{} {}", row.id, row.title);
        let titled = places(&title, &sought);
        // What the title shows need not be shown again.
        if sought
            .iter()
            .enumerate()
            .all(|(i, _)| titled.iter().any(|place| place.2 == i))
        {
            continue;
        }
        let rest: Vec<&Sought> = sought
            .iter()
            .enumerate()
            .filter(|(i, _)| !titled.iter().any(|place| place.2 == *i))
            .map(|(_, sought)| sought)
            .collect();
        found.extend(of_issue(view, row, &rest)?);
    }
    Ok(found)
}

fn of_issue(view: &View<'_>, row: &Row, sought: &[&Sought]) -> Result<Option<Snippet>> {
    let issue = view.issue(row.uid)?;
    // The order in which they are shown; memory takes more objects to read and comes last.
    for field in Field::long_texts() {
        if let Some(snippet) = cut(row, field.key(), issue.text(field.key()), sought) {
            return Ok(Some(snippet));
        }
    }
    for entry in view.snapshot().memory(row.uid)?.0 {
        let texts = [Some(entry.text()), entry.answer().map(|(text, _)| text)];
        for text in texts.into_iter().flatten().filter(|_| !entry.is_redacted()) {
            if let Some(snippet) = cut(row, entry.kind().as_str(), text, sought) {
                return Ok(Some(snippet));
            }
        }
    }
    Ok(None)
}

impl Sought {
    fn new(word: &QueryWord) -> Option<Self> {
        let parts = tokens(&word.text).map(|(_, _, token)| token);
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then_some(Self {
            parts,
            is_beginning: !word.is_quoted,
        })
    }

    /// Returns whether the words from one on are what is looked for.
    fn is_at(&self, tokens: &[(usize, usize, String)]) -> bool {
        let last = self.parts.len() - 1;
        tokens.len() > last
            && self
                .parts
                .iter()
                .zip(tokens)
                .enumerate()
                .all(
                    |(i, (part, (_, _, token)))| match i == last && self.is_beginning {
                        true => token.starts_with(part.as_str()),
                        false => token == part,
                    },
                )
    }
}

/// Returns the words of a text in lower case, each with its place in bytes.
fn tokens(text: &str) -> impl Iterator<Item = (usize, usize, String)> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(|word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        (start, start + word.len(), word.to_lowercase())
    })
}

/// Returns the places of what is looked for, each with the number of what it is.
fn places<S: std::borrow::Borrow<Sought>>(text: &str, sought: &[S]) -> Vec<(usize, usize, usize)> {
    let tokens: Vec<_> = tokens(text).collect();
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let is_here = |it: &S| it.borrow().is_at(&tokens[at..]);
        if let Some(which) = sought.iter().position(is_here) {
            let last = at + sought[which].borrow().parts.len() - 1;
            found.push((tokens[at].0, tokens[last].1, which));
        }
    }
    found
}

/// Cuts out the part of a text around the first place; none where there is none.
fn cut(row: &Row, field: &str, text: &str, sought: &[&Sought]) -> Option<Snippet> {
    let found = places(text, sought);
    let first = found.first()?.0;
    let start = text[..first].char_indices().rev().take(BEFORE).last();
    let start = start.map_or(first, |(at, _)| at);
    // A word that is cut in two is left out.
    let start = match text[..start].ends_with(char::is_whitespace) || start == 0 {
        true => start,
        false => text[start..first]
            .find(char::is_whitespace)
            .map_or(start, |at| start + at),
    };
    let part: String = text[start..].chars().take(LONGEST).collect();
    let end = start + part.len();
    let mut matched: Vec<String> = Vec::new();
    for (from, to, _) in found.into_iter().filter(|(_, to, _)| *to <= end) {
        let word = one_line(&text[from..to]);
        if !matched.contains(&word) {
            matched.push(word);
        }
    }
    let (before, after) = (
        if start > 0 { "… " } else { "" },
        if end < text.len() { " …" } else { "" },
    );
    Some(Snippet {
        id: row.id.clone(),
        field: field.to_owned(),
        text: format!("{before}{}{after}", one_line(&part)),
        matched,
    })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_at_their_beginning_and_phrases_whole() {
        let sought = |text: &str, is_quoted| {
            Sought::new(&QueryWord {
                text: text.to_owned(),
                is_quoted,
                ..QueryWord::default()
            })
            .unwrap()
        };
        let text = "The proxy buffers 64 KB, then proxies wait. Über";
        let at = |text: &str, one: Sought| {
            places(text, &[one])
                .into_iter()
                .map(|it| (it.0, it.1))
                .collect::<Vec<_>>()
        };
        assert_eq!(at(text, sought("prox", false)), [(4, 9), (30, 37)]);
        assert_eq!(at(text, sought("64 kb", true)), [(18, 23)]);
        assert_eq!(at(text, sought("prox", true)), []);
        assert_eq!(at(text, sought("übe", false)).len(), 1);
        assert!(Sought::new(&QueryWord::default()).is_none());
    }
}
