//! Markdown as a tree, which the terminal and the page draw.
//!
//! It is what GitHub shows in issues, as far as both can show it: HTML stays text, and images are links. An agent reads a text
//! as it stands, so a person who reads it drawn has to see all of it too: nothing that Markdown leaves out is missing.

mod links;
mod read;
#[cfg(test)]
mod tests;

use serde::{Serialize, Serializer};

pub(crate) use links::is_address;
pub(crate) use read::parse;

/// A part of a text that begins a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TextBlock {
    Paragraph(Vec<Inline>),
    /// Its level, from 1.
    Heading(u8, Vec<Inline>),
    /// The word behind its fence, as a language, and its lines.
    Code(String, String),
    Quote(Vec<Self>),
    /// Its first number, where it is numbered, and its entries.
    List(Option<u64>, Vec<Vec<Self>>),
    /// Its rows; the first one is its head.
    Table(Vec<Vec<Cell>>),
    Rule,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Inline {
    /// A line feed in it ends a line.
    Text(String),
    Code(String),
    Strong(Vec<Self>),
    Emphasis(Vec<Self>),
    Struck(Vec<Self>),
    /// An address of the web or of mail, and what is shown for it.
    Link(String, Vec<Self>),
}

/// A cell of a table.
pub(crate) type Cell = Vec<Inline>;

/// As the page has it: a paragraph without styles is a text, all else a list that begins with its kind.
impl Serialize for TextBlock {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Paragraph(parts) => match &parts[..] {
                [Inline::Text(text)] => text.serialize(to),
                parts => ("p", parts).serialize(to),
            },
            Self::Heading(level, parts) => ("h", level, parts).serialize(to),
            Self::Code(word, text) => ("c", word, text).serialize(to),
            Self::Quote(blocks) => ("q", blocks).serialize(to),
            Self::List(first, entries) => ("l", first, entries).serialize(to),
            Self::Table(rows) => ("t", rows).serialize(to),
            Self::Rule => ("r",).serialize(to),
        }
    }
}

/// As the page has it: a text, or a list that begins with its kind.
impl Serialize for Inline {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(to),
            Self::Code(text) => ("c", text).serialize(to),
            Self::Strong(parts) => ("b", parts).serialize(to),
            Self::Emphasis(parts) => ("i", parts).serialize(to),
            Self::Struck(parts) => ("s", parts).serialize(to),
            Self::Link(address, parts) => ("a", address, parts).serialize(to),
        }
    }
}

impl TextBlock {
    /// Calls `see` with each text in the block, in order.
    fn each_text(&self, see: &mut impl FnMut(&str)) {
        match self {
            Self::Paragraph(parts) | Self::Heading(_, parts) => each_text(parts, see),
            Self::Code(word, text) => [word, text].into_iter().for_each(|text| see(text)),
            Self::Quote(blocks) => blocks.iter().for_each(|block| block.each_text(see)),
            Self::List(_, entries) => {
                let blocks = entries.iter().flatten();
                blocks.for_each(|block| block.each_text(see));
            }
            Self::Table(rows) => rows.iter().flatten().for_each(|cell| each_text(cell, see)),
            Self::Rule => {}
        }
    }
}

/// Returns how many boxes of a text are checked, and how many there are.
pub(crate) fn boxes(text: &str) -> [usize; 2] {
    let [mut checked, mut all] = [0, 0];
    let mut see = |text: &str| {
        for line in text.lines() {
            let is_checked = line.starts_with('☑');
            checked += usize::from(is_checked);
            all += usize::from(is_checked || line.starts_with('☐'));
        }
    };
    for block in parse(text) {
        block.each_text(&mut see);
    }
    [checked, all]
}

/// Returns true for a link that shows its address and nothing else.
pub(crate) fn is_own_text(address: &str, parts: &[Inline]) -> bool {
    matches!(parts, [Inline::Text(text)] if text == address)
}

fn each_text(parts: &[Inline], see: &mut impl FnMut(&str)) {
    for part in parts {
        match part {
            Inline::Text(text) | Inline::Code(text) => see(text),
            Inline::Strong(parts) | Inline::Emphasis(parts) | Inline::Struck(parts) => {
                each_text(parts, see);
            }
            Inline::Link(address, parts) => {
                each_text(parts, see);
                // It is drawn once where it is its own text.
                if !is_own_text(address, parts) {
                    see(address);
                }
            }
        }
    }
}
