//! Reads Markdown.

use std::iter::Peekable;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, OffsetIter, Options, Parser, Tag};

use super::links::{is_address, linked};
use super::{Inline, TextBlock, is_own_text};

/// Levels of blocks, and of styles, within each other; what is deeper is part of the last one.
const DEEPEST: usize = 12;
/// Bytes of the longest name of a character, with its signs.
const LONGEST_NAME: usize = 40;

/// Returns a text as blocks.
pub(crate) fn parse(text: &str) -> Vec<TextBlock> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut events = Events {
        events: Parser::new_ext(text, options).into_offset_iter().peekable(),
        end: 0,
        too_deep: 0,
    };
    let mut blocks = Vec::new();
    // Block by block: what is between them, and a block that does not show all of its source, is not left out.
    while let Some((_, range)) = events.events.peek() {
        let (before, start) = (events.end, range.start.max(events.end));
        blocks.extend(as_it_stands(&text[before..start]));
        let block = events.next_block(0);
        let source = &text[start..events.end];
        match block {
            Some(block) if shows(&block, source) => blocks.push(block),
            _ => blocks.extend(as_it_stands(source)),
        }
    }
    blocks.extend(as_it_stands(&text[events.end..]));
    blocks
}

/// Returns a part of a text that is not drawn as Markdown; none where it has nothing to see.
fn as_it_stands(text: &str) -> Option<TextBlock> {
    let text = text.trim_matches('\n').trim_end();
    let has_any = !text.trim().is_empty();
    has_any.then(|| TextBlock::Paragraph(linked(text)))
}

/// Returns true if all letters and digits of a text are seen in a block, in order.
fn shows(block: &TextBlock, source: &str) -> bool {
    // In order, so that what is seen twice can't stand for what is not seen.
    let mut wanted = significant(source).into_iter().peekable();
    block.each_text(&mut |text| {
        for c in text.chars() {
            wanted.next_if_eq(&c);
        }
    });
    wanted.peek().is_none()
}

/// Returns what has to be seen of a text: no marks that begin entries of lists, and characters for their names.
pub(super) fn significant(source: &str) -> Vec<char> {
    let mut found = Vec::new();
    for line in source.lines() {
        let mut rest = without_marks(line);
        while let Some(c) = rest.chars().next() {
            if let Some((length, text)) = decoded(rest) {
                found.extend(text.chars().filter(|c| is_significant(*c)));
                rest = &rest[length..];
                continue;
            }
            found.extend(Some(c).filter(|c| is_significant(*c)));
            rest = &rest[c.len_utf8()..];
        }
    }
    found
}

fn is_significant(c: char) -> bool {
    c.is_alphanumeric() || !c.is_ascii() && !c.is_whitespace()
}

/// Returns the length of the name of a character that a text begins with, and the character; none where it is no name, which
/// the parser alone knows.
fn decoded(text: &str) -> Option<(usize, String)> {
    let name = text.strip_prefix('&')?;
    let rest = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '#');
    let length = text.len() - rest.strip_prefix(';')?.len();
    let source = text.get(..length).filter(|it| it.len() <= LONGEST_NAME)?;
    let texts = Parser::new(source).filter_map(|event| match event {
        Event::Text(text) => Some(text.into_string()),
        _ => None,
    });
    let text: String = texts.collect();
    (text != source).then_some((length, text))
}

/// Returns a line without what begins quotes and entries of lists: numbers, checked boxes and signs.
fn without_marks(line: &str) -> &str {
    let mut rest = line;
    loop {
        let text = rest.trim_start_matches([' ', '\t', '>', '*', '+', '-']);
        let entry = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let after = match entry.len() < text.len() {
            true => entry.strip_prefix(['.', ')']),
            false => text.strip_prefix("[x]").or(text.strip_prefix("[X]")),
        };
        match after {
            Some(after) => rest = after,
            None => return text,
        }
    }
}

/// What the parser finds, in order.
struct Events<'t> {
    events: Peekable<OffsetIter<'t>>,
    /// Where what was taken ends.
    end: usize,
    /// Blocks that are open and too deep to be one of their own.
    too_deep: usize,
}

impl<'t> Events<'t> {
    fn next(&mut self) -> Option<Event<'t>> {
        let (event, range) = self.events.next()?;
        self.end = self.end.max(range.end);
        Some(event)
    }

    /// Returns the blocks up to the end of what was begun.
    fn blocks(&mut self, depth: usize) -> Vec<TextBlock> {
        let mut blocks = Vec::new();
        while let Some(block) = self.next_block(depth) {
            blocks.push(block);
        }
        blocks
    }

    /// Returns the next block; none, once, at the end of what was begun.
    fn next_block(&mut self, depth: usize) -> Option<TextBlock> {
        loop {
            let (event, _) = self.events.peek()?;
            match event {
                Event::End(_) => {
                    self.next();
                    if self.too_deep == 0 {
                        return None;
                    }
                    self.too_deep -= 1;
                }
                Event::Rule => {
                    self.next();
                    return Some(TextBlock::Rule);
                }
                Event::Start(tag) if is_block(tag) => {
                    let tag = tag.clone();
                    self.next();
                    match depth < DEEPEST || !holds_blocks(&tag) {
                        true => return Some(self.block(tag, depth + 1)),
                        false => self.too_deep += 1,
                    }
                }
                // In an entry of a list that is not loose.
                _ => return Some(TextBlock::Paragraph(self.line())),
            }
        }
    }

    fn block(&mut self, tag: Tag<'t>, depth: usize) -> TextBlock {
        match tag {
            Tag::Heading { level, .. } => TextBlock::Heading(level as u8, self.inlines(0)),
            Tag::CodeBlock(kind) => {
                // It may be more than a language, and is seen by who reads the source.
                let word = match kind {
                    CodeBlockKind::Fenced(word) => word.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                let text = self.text();
                TextBlock::Code(word, text.strip_suffix('\n').unwrap_or(&text).to_owned())
            }
            Tag::HtmlBlock => {
                let text = self.text();
                TextBlock::Paragraph(linked(text.trim_end()))
            }
            Tag::List(first) => TextBlock::List(first, self.parts(|it| it.blocks(depth))),
            Tag::Table(_) => TextBlock::Table(self.parts(|it| it.parts(|it| it.inlines(0)))),
            Tag::BlockQuote(_) => TextBlock::Quote(self.blocks(depth)),
            _ => TextBlock::Paragraph(self.inlines(0)),
        }
    }

    /// Returns the parts of a list, a table or a row, each read by `read` once it has begun.
    fn parts<T>(&mut self, read: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut parts = Vec::new();
        while let Some(Event::Start(_)) = self.next() {
            parts.push(read(self));
        }
        parts
    }

    /// Returns what is written up to the end of what was begun.
    fn text(&mut self) -> String {
        let mut all = String::new();
        while let Some(Event::Text(text) | Event::Html(text)) = self.next() {
            all.push_str(&text);
        }
        all
    }

    /// Returns a line that nothing begins: it goes as far as the next block, or the end of what was begun.
    fn line(&mut self) -> Vec<Inline> {
        let mut parts = Vec::new();
        while let Some((event, _)) = self.events.peek() {
            match event {
                Event::End(_) | Event::Rule => break,
                Event::Start(tag) if is_block(tag) => break,
                _ => {}
            }
            let event = self.next();
            event
                .into_iter()
                .for_each(|event| self.inline(event, &mut parts, 0));
        }
        whole(parts)
    }

    /// Returns the parts of a line up to the end of what was begun.
    fn inlines(&mut self, depth: usize) -> Vec<Inline> {
        let (mut parts, mut too_deep) = (Vec::new(), 0);
        while let Some(event) = self.next() {
            match event {
                Event::End(_) if too_deep == 0 => break,
                Event::End(_) => too_deep -= 1,
                Event::Start(_) if depth >= DEEPEST => too_deep += 1,
                event => self.inline(event, &mut parts, depth),
            }
        }
        whole(parts)
    }

    fn inline(&mut self, event: Event<'t>, to: &mut Vec<Inline>, depth: usize) {
        let text = match event {
            Event::Code(code) => return to.push(Inline::Code(code.into_string())),
            Event::Start(tag) => {
                let parts = self.inlines(depth + 1);
                return match tag {
                    Tag::Strong => to.push(Inline::Strong(parts)),
                    Tag::Emphasis => to.push(Inline::Emphasis(parts)),
                    Tag::Strikethrough => to.push(Inline::Struck(parts)),
                    Tag::Link {
                        link_type: LinkType::Email,
                        dest_url,
                        ..
                    } => link(&format!("mailto:{dest_url}"), "", parts, to),
                    Tag::Link {
                        dest_url, title, ..
                    }
                    | Tag::Image {
                        dest_url, title, ..
                    } => link(&dest_url, &title, parts, to),
                    _ => to.extend(parts),
                };
            }
            Event::SoftBreak => "\n".into(),
            // Two spaces, as in the text itself: this one was meant.
            Event::HardBreak => "  \n".into(),
            Event::TaskListMarker(true) => "☑ ".into(),
            Event::TaskListMarker(false) => "☐ ".into(),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => text,
            _ => return,
        };
        match to.last_mut() {
            Some(Inline::Text(last)) => last.push_str(&text),
            _ => to.push(Inline::Text(text.into_string())),
        }
    }
}

/// Returns true for what begins a line.
fn is_block(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Paragraph | Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Table(_)
    ) || holds_blocks(tag)
}

fn holds_blocks(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::BlockQuote(_) | Tag::List(_) | Tag::Item)
}

/// Appends a link, or what is shown for it where its address is none of the web.
fn link(address: &str, title: &str, mut parts: Vec<Inline>, to: &mut Vec<Inline>) {
    // An address in angle brackets is its own text.
    let is_said = matches!(&parts[..], [Inline::Text(text)] if text == address)
        || matches!(&parts[..], [Inline::Link(said, _)] if said == address);
    match is_address(address) {
        true => {
            // A link within its own text is none.
            parts = parts.into_iter().flat_map(unlinked).collect();
            if parts.is_empty() {
                parts.push(Inline::Text(address.to_owned()));
            }
            to.push(Inline::Link(address.to_owned(), parts));
        }
        false => {
            to.append(&mut parts);
            if !is_said && !address.is_empty() {
                to.push(Inline::Text(format!(" ({address})")));
            }
        }
    }
    if !title.is_empty() {
        to.push(Inline::Text(format!(" ({title})")));
    }
}

/// Returns a part of the text of a link without links of its own: their addresses are text.
fn unlinked(part: Inline) -> Vec<Inline> {
    let within = |parts: Vec<Inline>| parts.into_iter().flat_map(unlinked).collect();
    vec![match part {
        Inline::Link(address, parts) => {
            let is_said = is_own_text(&address, &parts);
            let mut parts: Vec<Inline> = within(parts);
            if !is_said {
                parts.push(Inline::Text(format!(" ({address})")));
            }
            return parts;
        }
        Inline::Strong(parts) => Inline::Strong(within(parts)),
        Inline::Emphasis(parts) => Inline::Emphasis(within(parts)),
        Inline::Struck(parts) => Inline::Struck(within(parts)),
        part => part,
    }]
}

/// Returns the parts of a line with neighbouring texts as one, and with links for the addresses in them.
fn whole(parts: Vec<Inline>) -> Vec<Inline> {
    let mut found: Vec<Inline> = Vec::new();
    for part in parts {
        match (found.last_mut(), part) {
            (Some(Inline::Text(last)), Inline::Text(text)) => last.push_str(&text),
            (_, part) => found.push(part),
        }
    }
    let linked = |part| match part {
        Inline::Text(text) => linked(&text),
        part => vec![part],
    };
    found.into_iter().flat_map(linked).collect()
}
