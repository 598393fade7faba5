//! Lines of an answer as spans of text, some of them painted.
//!
//! Styles and addresses are kept apart from the text and become escape sequences only when the line is written. So no text of
//! other people can be taken for one.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::width::prefix;

/// A text in one style.
#[derive(Clone, Debug)]
pub(crate) struct Span<'t> {
    pub(crate) look: Look,
    pub(crate) text: Cow<'t, str>,
}

/// What makes a text more than plain: its style, and the address that it leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) style: Style,
    pub(crate) link: Option<Rc<str>>,
}

impl From<Style> for Look {
    fn from(style: Style) -> Self {
        Self { style, link: None }
    }
}

impl<'t> Span<'t> {
    /// Returns a text with a look.
    pub(crate) fn new(look: impl Into<Look>, text: impl Into<Cow<'t, str>>) -> Self {
        Self {
            look: look.into(),
            text: text.into(),
        }
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns what makes it more than plain.
    pub(crate) fn look(&self) -> &Look {
        &self.look
    }

    /// Returns another text that looks like it.
    pub(crate) fn with_text<'n>(&self, text: impl Into<Cow<'n, str>>) -> Span<'n> {
        Span::new(self.look.clone(), text)
    }
}

/// A line: its text, and the parts that are painted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    text: String,
    /// In the order of the text and without overlap; an empty part is painted too.
    painted: Vec<(Range<usize>, Look)>,
}

/// A borrowed line: one with styles, or a plain text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineRef<'l> {
    text: &'l str,
    painted: &'l [(Range<usize>, Look)],
}

/// A part that a line can be made of.
pub(crate) trait Piece {
    /// Appends the part to a line.
    fn append_to(self, line: &mut Line);
}

/// Makes a line of its parts: texts, spans and other lines.
macro_rules! line {
    ($($piece:expr),+ $(,)?) => {{
        let mut line = $crate::text::line::Line::default();
        $(line.push($piece);)+
        line
    }};
}
pub(crate) use line;

impl Line {
    /// Appends a part.
    pub(crate) fn push(&mut self, piece: impl Piece) {
        piece.append_to(self);
    }

    /// Joins parts with the same text between them.
    pub(crate) fn join<P: Piece>(pieces: impl IntoIterator<Item = P>, between: &str) -> Self {
        let mut line = Self::default();
        for (n, piece) in pieces.into_iter().enumerate() {
            if n > 0 {
                line.push(between);
            }
            line.push(piece);
        }
        line
    }

    /// Returns true if the line has no text.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the columns that it takes.
    pub(crate) fn width(&self) -> usize {
        self.text.width()
    }

    /// Returns the line with each span's text replaced.
    pub(crate) fn mapped(&self, replace: impl Fn(&str) -> String) -> Self {
        LineRef::from(self).map(replace)
    }

    /// Returns the text as spans, in order.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span<'_>> {
        LineRef::from(self).spans()
    }

    /// Empties the line and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.painted.clear();
    }

    /// Removes spaces from the end, as far back as the last part that is painted.
    pub(crate) fn trim_end(mut self) -> Self {
        // Painted blanks are meant to be seen.
        let painted = self.painted.last().map_or(0, |(range, _)| range.end);
        self.text.truncate(self.text.trim_end().len().max(painted));
        self
    }
}

impl<'l> LineRef<'l> {
    /// Returns the text as spans, in order.
    pub(crate) fn spans(self) -> impl Iterator<Item = Span<'l>> {
        let text = self.text;
        let span = move |range: Range<usize>, look| Span::new(look, &text[range]);
        let mut end = 0;
        let painted = self.painted.iter().flat_map(move |(range, look)| {
            let before = std::mem::replace(&mut end, range.end)..range.start;
            [
                span(before, Look::default()),
                span(range.clone(), look.clone()),
            ]
        });
        let last = self.painted.last().map_or(0, |(range, _)| range.end);
        painted.chain([span(last..text.len(), Look::default())])
    }

    /// Returns the line with each span's text replaced.
    pub(crate) fn map(self, replace: impl Fn(&str) -> String) -> Line {
        let mut line = Line::default();
        for Span { look, text } in self.spans() {
            line.push(Span::new(look, replace(&text)));
        }
        line
    }

    /// Shortens the line to so many columns. What follows the cut stays painted, without its text.
    pub(crate) fn cut(self, columns: usize) -> Line {
        let mut line = Line::default();
        if self.spans().map(|span| span.text.width()).sum::<usize>() <= columns {
            self.spans().for_each(|span| line.push(span));
            return line;
        }
        // One column is for the dots.
        let mut left = Some(columns.saturating_sub(1));
        for Span { look, text } in self.spans() {
            let text = match left {
                Some(columns) if text.width() <= columns => {
                    left = Some(columns - text.width());
                    text
                }
                Some(columns) => {
                    left = None;
                    format!("{}…", &text[..prefix(&text, columns)]).into()
                }
                None => Cow::Borrowed(""),
            };
            line.push(Span { look, text });
        }
        line
    }
}

impl<'l> From<&'l str> for LineRef<'l> {
    fn from(text: &'l str) -> Self {
        Self { text, painted: &[] }
    }
}

impl<'l> From<&'l String> for LineRef<'l> {
    fn from(text: &'l String) -> Self {
        Self::from(text.as_str())
    }
}

impl<'l> From<&'l Line> for LineRef<'l> {
    fn from(line: &'l Line) -> Self {
        Self {
            text: &line.text,
            painted: &line.painted,
        }
    }
}

impl Piece for &str {
    fn append_to(self, line: &mut Line) {
        line.text.push_str(self);
    }
}

impl Piece for &String {
    fn append_to(self, line: &mut Line) {
        line.text.push_str(self);
    }
}

impl Piece for String {
    fn append_to(self, line: &mut Line) {
        line.text.push_str(&self);
    }
}

impl Piece for Span<'_> {
    fn append_to(self, line: &mut Line) {
        let start = line.text.len();
        line.text.push_str(&self.text);
        if self.look != Look::default() {
            let end = line.text.len();
            match line.painted.last_mut() {
                Some((range, look)) if range.end == start && *look == self.look => range.end = end,
                _ => line.painted.push((start..end, self.look)),
            }
        }
    }
}

impl Piece for Line {
    fn append_to(self, line: &mut Line) {
        let start = line.text.len();
        line.text.push_str(&self.text);
        let moved = self
            .painted
            .into_iter()
            .map(|(range, look)| (range.start + start..range.end + start, look));
        line.painted.extend(moved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::style::{BOLD, RED};

    fn red(text: &str) -> Span<'_> {
        Span::new(RED, text)
    }

    #[test]
    fn styles_take_no_column_and_stay_behind_the_cut() {
        let cut = |line: &Line, columns| LineRef::from(line).cut(columns);
        let line = line![red("日本"), " ", red("text")];
        assert_eq!(cut(&line, 9), line);
        assert_eq!(cut(&line, 7), line![red("日本"), " ", red("t…")]);
        assert_eq!(cut(&line, 3), line![red("日…"), red("")]);
    }

    #[test]
    fn spaces_are_trimmed_back_to_what_is_painted() {
        assert_eq!(
            line![red("a "), " b ", "  "].trim_end(),
            line![red("a "), " b"]
        );
        assert_eq!(
            line!["b", red("a "), "  "].trim_end(),
            line!["b", red("a ")]
        );
        assert_eq!(line!["  "].trim_end(), Line::default());
    }

    #[test]
    fn spans_are_the_whole_text_in_order() {
        let bold = Span::new(BOLD, "c");
        let inner = line!["b", bold];
        let line = line!["a", red(""), inner, "d"];
        let spans = LineRef::from(&line).spans();
        let spans: Vec<_> = spans
            .filter(|span| !span.text.is_empty() || span.look != Look::default())
            .map(|span| (span.look.style, span.text.into_owned()))
            .collect();
        let plain = Style::new();
        assert_eq!(
            spans,
            [
                (plain, "a".to_owned()),
                (RED, String::new()),
                (plain, "b".to_owned()),
                (BOLD, "c".to_owned()),
                (plain, "d".to_owned()),
            ]
        );
    }
}
