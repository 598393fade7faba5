//! Texts of issues, drawn as Markdown and wrapped at words.

mod table;

use std::borrow::Cow;

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::model::prose::{Inline, TextBlock, is_own_text};
use crate::text::line::{Line, Look, Span, line};
use crate::text::style::{BOLD, CYAN, DIM, ITALIC, STRUCK, UNDERLINED};
use crate::text::width::prefix;

/// Columns of the longest line that is easy to read.
pub(crate) const WIDEST: usize = 100;
/// Columns that words have at least, however deep they are indented.
const NARROWEST: usize = 10;

/// What a text is drawn for.
pub(crate) trait Paint {
    /// Returns whether there are colours.
    fn is_coloured(&self) -> bool;

    /// Makes another person's text harmless; line breaks stay.
    fn shown(&self, text: &str) -> String;

    /// Returns a span that leads to an address, where a click can follow it.
    fn linked<'t>(&self, span: Span<'t>, address: &str) -> Span<'t>;

    /// Appends a text, in which ids may lead to their issues.
    fn mentions<'t>(&self, look: &Look, text: &str, to: &mut Vec<Span<'t>>);
}

/// Returns a text as lines of Markdown between a margin of the first line, and of further ones, at most so many columns wide.
pub(crate) fn drawn(
    paint: &dyn Paint,
    blocks: &[TextBlock],
    first: &str,
    rest: &str,
    width: usize,
) -> Vec<Line> {
    let mut drawing = Drawing::new(paint, width.min(WIDEST));
    drawing.blocks(blocks, &mut Margin::new(first.to_owned(), rest.to_owned()));
    drawing.lines
}

/// Returns a line behind an indent as lines of so many columns, each further one further in.
pub(crate) fn wrapped(paint: &dyn Paint, indent: &str, line: &Line, width: usize) -> Vec<Line> {
    let mut drawing = Drawing::new(paint, width);
    let mut margin = Margin::new(indent.to_owned(), format!("{indent}  "));
    drawing.wrap(&joined(words(line.spans().collect())), &mut margin);
    drawing.lines
}

/// What lines begin with: the next one, and those after it.
struct Margin {
    next: String,
    rest: String,
    is_in_list: bool,
}

impl Margin {
    fn new(next: String, rest: String) -> Self {
        Self {
            next,
            rest,
            is_in_list: false,
        }
    }

    /// Returns what the next line begins with.
    fn take(&mut self) -> String {
        std::mem::replace(&mut self.next, self.rest.clone())
    }

    /// Returns true if an empty line is between two blocks.
    fn is_gap(&self, before: &TextBlock, after: &TextBlock) -> bool {
        match (before, after) {
            (TextBlock::Heading(..), _) => false,
            // An entry and what is below it are one.
            (_, TextBlock::List(..)) => !self.is_in_list,
            _ => true,
        }
    }

    /// Returns the margin of what follows a mark; `rest` is before its further lines.
    fn behind(&mut self, mark: &str, rest: &str) -> Self {
        let next = self.take() + mark;
        Self::new(next, format!("{}{rest}", self.rest))
    }
}

/// A word, of parts in one look each.
type Word<'t> = Vec<Span<'t>>;

struct Drawing<'p> {
    paint: &'p dyn Paint,
    width: usize,
    lines: Vec<Line>,
}

impl<'p> Drawing<'p> {
    fn new(paint: &'p dyn Paint, width: usize) -> Self {
        Self {
            paint,
            width,
            lines: Vec::new(),
        }
    }

    /// Draws blocks with an empty line between them, but for what follows a heading, or the line above a list.
    fn blocks(&mut self, blocks: &[TextBlock], margin: &mut Margin) {
        let mut last: Option<&TextBlock> = None;
        for block in blocks {
            if last.is_some_and(|last| margin.is_gap(last, block)) {
                self.empty_line(margin);
            }
            self.block(block, margin);
            last = Some(block);
        }
    }

    fn empty_line(&mut self, margin: &mut Margin) {
        let begin = margin.take();
        self.lines.push(line![begin]);
    }

    fn block(&mut self, block: &TextBlock, margin: &mut Margin) {
        match block {
            TextBlock::Paragraph(parts) => self.paragraph(parts, Style::new(), margin),
            TextBlock::Heading(level, parts) => {
                let mark = self.unpainted(&format!("{} ", "#".repeat((*level).into())));
                let mut margin = margin.behind(&mark, "");
                self.paragraph(parts, BOLD, &mut margin);
            }
            TextBlock::Code(word, text) => self.code(word, text, margin),
            TextBlock::Quote(blocks) => self.blocks(blocks, &mut margin.behind("│ ", "│ ")),
            TextBlock::List(first, entries) => self.list(*first, entries, margin),
            TextBlock::Table(rows) => self.table(rows, margin),
            TextBlock::Rule => self.rule(margin),
        }
    }

    fn rule(&mut self, margin: &mut Margin) {
        let begin = margin.take();
        let left = self.width.saturating_sub(begin.width());
        let rule = self.painted(DIM, "─".repeat(left));
        self.lines.push(line![begin, rule]);
    }

    fn list(&mut self, first: Option<u64>, entries: &[Vec<TextBlock>], margin: &mut Margin) {
        for (n, entry) in (0..).zip(entries) {
            let mark = match first {
                Some(first) => format!("{}. ", first.saturating_add(n)),
                None => "- ".to_owned(),
            };
            let mut behind = margin.behind(&mark, &" ".repeat(mark.len()));
            behind.is_in_list = true;
            match entry[..] {
                [] => self.empty_line(&mut behind),
                _ => self.blocks(entry, &mut behind),
            }
        }
    }

    /// Draws code: no line of it is wrapped, since it may be copied.
    fn code(&mut self, word: &str, text: &str, margin: &mut Margin) {
        if !word.is_empty() {
            self.code_line(DIM, "  ", word, margin);
        }
        if word.is_empty() && text.is_empty() {
            self.empty_line(margin);
        }
        for text in text.lines() {
            self.code_line(CYAN, "    ", text, margin);
        }
    }

    fn code_line(&mut self, style: Style, indent: &str, text: &str, margin: &mut Margin) {
        let begin = margin.take();
        let text = self.painted(style, self.paint.shown(text));
        self.lines.push(line![begin, indent, text]);
    }

    fn paragraph(&mut self, parts: &[Inline], style: Style, margin: &mut Margin) {
        let mut spans = Vec::new();
        let look = self.with(&Look::default(), style);
        self.flatten(parts, &look, &mut spans);
        self.wrap(&joined(words(spans)), margin);
    }

    /// Draws lines of words, each of which is wrapped where it is full.
    fn wrap(&mut self, lines: &[Vec<Word<'_>>], margin: &mut Margin) {
        for words in lines {
            let begin = margin.take();
            // Further lines can begin further in.
            let indent = begin.width().max(margin.rest.width());
            let room = self.width.saturating_sub(indent).max(NARROWEST);
            let (mut line, mut used) = (line![begin], 0);
            let mut last = None;
            for word in words {
                let width: usize = word.iter().map(|part| part.text().width()).sum();
                if used > 0 && used + 1 + width > room {
                    let begin = margin.take();
                    self.lines.push(std::mem::replace(&mut line, line![begin]));
                    used = 0;
                } else if used > 0 {
                    // One link of several words is sent once.
                    let next = word.first().map(Span::look);
                    let look = next.filter(|look| Some(*look) == last).cloned();
                    line.push(Span::new(look.unwrap_or_default(), " "));
                    used += 1;
                }
                last = word.last().map(Span::look);
                for part in word {
                    used = self.append(part, (&mut line, used, room), margin);
                }
            }
            self.lines.push(line);
        }
    }

    /// Appends a part of a word; one that no line has room for is cut. Returns the columns that are used then.
    fn append(
        &mut self,
        part: &Span<'_>,
        (line, mut used, room): (&mut Line, usize, usize),
        margin: &mut Margin,
    ) -> usize {
        // A word that is longer than a line, as an address can be, goes on in the next one.
        let mut rest = part.text();
        while used + rest.width() > room {
            // One character at least, however wide.
            let first = rest.chars().next().map_or(0, char::len_utf8);
            let least = if used == 0 { first } else { 0 };
            let (begin, end) = rest.split_at(prefix(rest, room - used).max(least));
            line.push(part.with_text(begin));
            self.lines
                .push(std::mem::replace(line, line![margin.take()]));
            (rest, used) = (end, 0);
        }
        line.push(part.with_text(rest));
        used + rest.width()
    }

    /// Appends the spans that parts of a line come to; without colours what they mean is shown by the signs of Markdown.
    fn flatten(&self, parts: &[Inline], look: &Look, to: &mut Vec<Span<'p>>) {
        for part in parts {
            match part {
                Inline::Text(text) => self.paint.mentions(look, &self.paint.shown(text), to),
                Inline::Code(text) => {
                    let text = self.paint.shown(text);
                    let sign = self.unpainted("`");
                    let look = self.with(look, CYAN);
                    to.push(Span::new(look, format!("{sign}{text}{sign}")));
                }
                Inline::Strong(parts) => self.styled(parts, (look, BOLD, "**"), to),
                Inline::Emphasis(parts) => self.styled(parts, (look, ITALIC, "*"), to),
                Inline::Struck(parts) => self.styled(parts, (look, STRUCK, "~~"), to),
                Inline::Link(address, parts) => self.link(address, parts, look, to),
            }
        }
    }

    fn styled(
        &self,
        parts: &[Inline],
        (look, style, sign): (&Look, Style, &str),
        to: &mut Vec<Span<'p>>,
    ) {
        let (look, sign) = (self.with(look, style), self.unpainted(sign));
        let sign = Some(Span::new(look.clone(), sign)).filter(|sign| !sign.text().is_empty());
        to.extend(sign.clone());
        self.flatten(parts, &look, to);
        to.extend(sign);
    }

    /// Appends a link. Its address is always seen: what a text says need not be where it leads.
    fn link(&self, address: &str, parts: &[Inline], look: &Look, to: &mut Vec<Span<'p>>) {
        let style = self.with(look, UNDERLINED).style;
        let linked = |text: &str| {
            let span = Span::new(style, text.to_owned());
            self.paint.linked(span, address)
        };
        if is_own_text(address, parts) {
            return to.push(linked(&self.paint.shown(address)));
        }
        self.flatten(parts, linked("").look(), to);
        to.push(Span::new(Look::default(), " ("));
        to.push(linked(&self.paint.shown(address)));
        to.push(Span::new(Look::default(), ")"));
    }

    fn painted<'t>(&self, style: Style, text: impl Into<Cow<'t, str>>) -> Span<'t> {
        match self.paint.is_coloured() {
            true => Span::new(style, text),
            false => Span::new(Style::new(), text),
        }
    }

    /// Returns a look with a style on top, where colours are wanted.
    fn with(&self, look: &Look, style: Style) -> Look {
        // The colour on top counts, and all effects do.
        let style = self.painted(style, "").look().style;
        let colour = style.get_fg_color().or(look.style.get_fg_color());
        let effects = look.style.get_effects() | style.get_effects();
        Look {
            style: Style::new().fg_color(colour).effects(effects),
            link: look.link.clone(),
        }
    }

    /// Returns a sign of Markdown where there are no colours that say the same.
    fn unpainted(&self, sign: &str) -> String {
        match self.paint.is_coloured() {
            true => String::new(),
            false => sign.to_owned(),
        }
    }
}

/// Columns from which on a line was ended by an editor, and not by its author.
const WRAPPED: usize = 50;

/// Joins lines that were broken because the next word found no room beside the widest line of the paragraph.
fn joined(lines: Vec<Vec<Word<'_>>>) -> Vec<Vec<Word<'_>>> {
    let width = |word: &Word<'_>| word.iter().map(|part| part.text().width()).sum::<usize>();
    let of_line = |line: &Vec<Word<'_>>| {
        let words = line.iter().map(|word| width(word) + 1);
        words.sum::<usize>().saturating_sub(1)
    };
    let widest = lines.iter().map(of_line).max().unwrap_or(0);
    let mut joined: Vec<Vec<Word<'_>>> = Vec::new();
    let mut last = 0;
    for line in lines {
        let first = line.first().map_or(0, width);
        let is_full = widest >= WRAPPED && last + 1 + first > widest;
        last = of_line(&line);
        match joined.last_mut() {
            // An author ends a line with two spaces where it is to end.
            Some(before) if is_full && before.last().is_none_or(|word| !word.is_empty()) => {
                before.extend(line);
            }
            _ => joined.push(line),
        }
    }
    for words in &mut joined {
        words.retain(|word| !word.is_empty());
    }
    joined
}

/// Returns spans as words, line by line; spaces at the end of a line are empty words.
fn words(spans: Vec<Span<'_>>) -> Vec<Vec<Word<'static>>> {
    let mut lines = vec![vec![Word::new()]];
    for span in spans {
        for (n, line) in span.text().split('\n').enumerate() {
            if n > 0 {
                lines.push(vec![Word::new()]);
            }
            for (n, part) in line.split([' ', '\t', '\r']).enumerate() {
                let Some(words) = lines.last_mut() else {
                    continue;
                };
                if n > 0 {
                    words.push(Word::new());
                }
                if let (Some(word), false) = (words.last_mut(), part.is_empty()) {
                    word.push(span.with_text(part.to_owned()));
                }
            }
        }
    }
    lines
}
