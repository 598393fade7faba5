//! A parsed document: the way to an entry, and the splices that add and remove one.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::value::Layout;
use super::{JsonEntry, Slot};
use crate::setup::{EditError, Result};

/// A container on the way to an entry.
pub(super) struct MemberGroup {
    /// Range of the container with its brackets.
    pub(super) range: Range<usize>,
    members: Vec<Range<usize>>,
    /// Index of the member that leads to the entry.
    at: usize,
}

/// The way to an entry, as far as it goes.
pub(super) struct Trail<'v, 't> {
    pub(super) groups: Vec<MemberGroup>,
    pub(super) found: Option<&'v Value<'t>>,
    /// True if several elements could be it.
    pub(super) several: bool,
}

impl<'v, 't> Trail<'v, 't> {
    /// Appends a container, of whose members the one at an index is on the way.
    fn enter(&mut self, container: &impl Ranged, members: &[impl Ranged], at: Option<usize>) {
        self.groups.push(MemberGroup {
            range: span(container),
            members: members.iter().map(span).collect(),
            at: at.unwrap_or_default(),
        });
    }
}

/// A document with the positions of its values and tokens.
pub(super) struct Document<'t> {
    text: &'t str,
    tokens: Vec<TokenAndRange<'t>>,
    value: Option<Value<'t>>,
}

pub(super) fn span(found: &impl Ranged) -> Range<usize> {
    let range = found.range();
    range.start..range.end
}

fn is_comment(token: &Token<'_>) -> bool {
    matches!(token, Token::CommentLine(_) | Token::CommentBlock(_))
}

/// Removes ranges, given in order.
pub(super) fn cut(text: &str, ranges: impl DoubleEndedIterator<Item = Range<usize>>) -> String {
    let mut rest = text.to_owned();
    // From the back, so that positions further in front still hold.
    for range in ranges.rev() {
        rest.replace_range(range, "");
    }
    rest
}

impl<'t> Document<'t> {
    pub(super) fn parse(text: &'t str) -> Result<Self> {
        // Comments and trailing commas, as the editors and agents themselves read these files; nothing else.
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let collect = CollectOptions {
            comments: CommentCollectionStrategy::AsTokens,
            tokens: true,
        };
        let parsed = parse_to_ast(text, &collect, &options).map_err(|error| {
            EditError(format!("line {}: {}", error.line_display(), error.kind()))
        })?;
        Ok(Self {
            text,
            tokens: parsed.tokens.unwrap_or_default(),
            value: parsed.value,
        })
    }

    /// Walks to an entry; none in a document without a value.
    pub(super) fn trail(&self, entry: &JsonEntry) -> Result<Option<Trail<'_, 't>>> {
        let Some(root) = &self.value else {
            return Ok(None);
        };
        let mut trail = Trail {
            groups: Vec::new(),
            found: Some(root),
            several: false,
        };
        for depth in 0..=entry.path.len() {
            let Some(value) = trail.found else { break };
            match entry.slot_at(depth) {
                Slot::Says(words) => {
                    let Value::Array(array) = value else {
                        return Err(entry.blocked(depth, "an array"));
                    };
                    self.find_element(&mut trail, array, words);
                }
                Slot::Key(key) => {
                    let Value::Object(object) = value else {
                        return Err(entry.blocked(depth, "an object"));
                    };
                    let at = position(object, key)?;
                    trail.enter(object, &object.properties, at);
                    trail.found = at.map(|at| &object.properties[at].value);
                }
            }
        }
        Ok(Some(trail))
    }

    /// Follows the way to the element of an array that has these words.
    fn find_element<'v>(&self, trail: &mut Trail<'v, 't>, array: &'v Array<'t>, words: &str) {
        let says = |element: &&Value<'_>| element.text(self.text).contains(words);
        let at = array.elements.iter().position(|element| says(&element));
        trail.enter(array, &array.elements, at);
        trail.found = at.map(|at| &array.elements[at]);
        // Which of them `setup` has added is not certain, so `state` takes them for changed.
        trail.several = array.elements.iter().filter(says).count() > 1;
    }

    pub(super) fn comments<'s>(
        &'s self,
        range: &Range<usize>,
    ) -> impl Iterator<Item = &'s TokenAndRange<'t>> {
        let (start, end) = (range.start, range.end);
        self.tokens.iter().filter(move |token| {
            is_comment(&token.token) && token.range.start >= start && token.range.end <= end
        })
    }

    /// Returns the comma in a range that holds at most one.
    fn comma(&self, range: Range<usize>) -> Option<Range<usize>> {
        let comma = |token: &&TokenAndRange<'_>| {
            token.token == Token::Comma && range.contains(&token.range.start)
        };
        self.tokens.iter().find(comma).map(span)
    }

    /// Returns the end of the last token or comment before a place.
    fn end_before(&self, place: usize) -> usize {
        self.tokens
            .iter()
            .map(|token| token.range.end)
            .take_while(|end| *end <= place)
            .last()
            .unwrap_or_default()
    }

    /// Returns the layout of the members of a group.
    fn layout(&self, group: &MemberGroup, member: usize) -> Layout<'t> {
        let text = self.text;
        let line = |place: usize| text[..place].rfind('\n').map_or(0, |at| at + 1);
        let blank = |range: Range<usize>| Some(&text[range]).filter(|text| text.trim().is_empty());
        // Something else is on the line of the member, so the container is written on one line.
        let Some(indent) = blank(line(member)..member).filter(|_| line(member) > 0) else {
            return Layout::Line;
        };
        let close = group.range.end - 1;
        let outer = blank(line(close)..close).and_then(|outer| indent.strip_prefix(outer));
        let unit = outer.unwrap_or(if indent.starts_with('\t') { "\t" } else { "  " });
        let newline = if text[..line(member)].ends_with("\r\n") {
            "\r\n"
        } else {
            "\n"
        };
        Layout::Lines {
            newline,
            indent: indent.to_owned(),
            unit: unit.to_owned(),
        }
    }

    /// Returns the text with one more member at the end of a group.
    pub(super) fn with_member(
        &self,
        group: &MemberGroup,
        item: impl Fn(&Layout<'_>) -> String,
    ) -> String {
        let mut text = self.text.to_owned();
        // Into an empty container directly after the bracket, which shows that the container was
        // there before.
        let Some(last) = group.members.last() else {
            text.insert_str(group.range.start + 1, &item(&Layout::Line));
            return text;
        };
        let comma = self.comma(last.end..group.range.end);
        let end = comma.as_ref().map_or(last.end, |comma| comma.end);
        let layout = self.layout(group, last.start);
        let item = item(&layout);
        let own = if comma.is_some() { "," } else { "" };
        match layout {
            Layout::Line => text.insert_str(end, &format!(" {item}{own}")),
            Layout::Lines {
                newline, indent, ..
            } => {
                text.insert_str(
                    self.end_of_remarks(end),
                    &format!("{newline}{indent}{item}{own}"),
                );
            }
        }
        // After the insertion above, which is further back in the text: positions before it still
        // hold.
        if comma.is_none() {
            text.insert(end, ',');
        }
        text
    }

    /// Returns the end of the comments after a place on its line.
    fn end_of_remarks(&self, place: usize) -> usize {
        let mut end = place;
        for token in self
            .tokens
            .iter()
            .skip_while(|token| token.range.start < place)
        {
            // A comment behind a member, on its line, belongs to that member.
            if !is_comment(&token.token) || self.text[end..token.range.start].contains('\n') {
                break;
            }
            end = token.range.end;
        }
        end
    }

    /// Returns whether a container was added with its only member.
    pub(super) fn was_added(&self, group: &MemberGroup) -> bool {
        let adjacent = group
            .members
            .first()
            .is_none_or(|first| first.start == group.range.start + 1);
        group.members.len() == 1 && !adjacent && self.comments(&group.range).next().is_none()
    }

    pub(super) fn without_member(&self, group: &MemberGroup) -> String {
        let member = &group.members[group.at];
        let next = group
            .members
            .get(group.at + 1)
            .map_or(group.range.end, |next| next.start);
        let own = self.comma(member.end..next);
        let last = group.members[..group.at].last().filter(|_| own.is_none());
        let comma = last.and_then(|before| self.comma(before.end..member.start));
        let item = self.end_before(member.start)..own.map_or(member.end, |own| own.end);
        cut(self.text, comma.into_iter().chain([item]))
    }
}

fn position(object: &Object<'_>, key: &str) -> Result<Option<usize>> {
    let mut found = object
        .properties
        .iter()
        .enumerate()
        .filter(|(_, prop)| prop.name.as_str() == key);
    let first = found.next().map(|(at, _)| at);
    match found.next() {
        None => Ok(first),
        // Parsers differ in which one counts.
        Some(_) => Err(EditError(format!("`{key}` is there twice"))),
    }
}
