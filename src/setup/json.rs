//! An entry in a JSON file with comments, added and removed as text.
//!
//! A program that writes the whole document again loses comments, order and indentation. So the
//! parser only gives positions, and the edit is a splice. Its position shows what was there before:
//! the entry is directly after the bracket of an empty container that existed, and after white
//! space in one that was added with it. So `take` undoes `put` to the byte without any record.

use std::ops::Range;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::{EditError, Result, SetupState};

/// A value of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) enum Json {
    Text(&'static str),
    List(&'static [Self]),
    Object(&'static [(&'static str, Self)]),
}

/// An entry that belongs into a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonEntry {
    /// The keys of its containers, from the root.
    pub(super) path: &'static [&'static str],
    /// The way it is found in its container.
    pub(super) slot: Slot,
    pub(super) value: Json,
}

/// The place of an entry in its container.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    /// A member of an object, by its key.
    Key(&'static str),
    /// An element of an array, by words that no other element has.
    Says(&'static str),
}

/// Layout of new text: on one line, or a line for each item.
enum Layout<'t> {
    Line,
    Lines {
        newline: &'t str,
        indent: String,
        unit: String,
    },
}

impl Layout<'_> {
    fn deeper(&self) -> Self {
        match self {
            Self::Line => Self::Line,
            Self::Lines {
                newline,
                indent,
                unit,
            } => Self::Lines {
                newline,
                indent: format!("{indent}{unit}"),
                unit: unit.clone(),
            },
        }
    }

    /// Joins items between brackets, never directly after the first one, which marks the container
    /// as added.
    fn enclose(&self, open: char, items: &[String], close: char) -> String {
        match (self, self.deeper()) {
            (
                Self::Lines {
                    newline, indent, ..
                },
                Self::Lines { indent: inner, .. },
            ) => {
                let between = format!(",{newline}{inner}");
                format!(
                    "{open}{newline}{inner}{}{newline}{indent}{close}",
                    items.join(&between)
                )
            }
            _ => format!("{open} {} {close}", items.join(", ")),
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Json {
    fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    /// Returns whether it holds only texts and lists of them.
    fn is_flat(&self) -> bool {
        match self {
            Self::Text(_) => true,
            Self::List(items) => items.iter().all(Self::is_text),
            Self::Object(_) => false,
        }
    }

    fn render(&self, layout: &Layout<'_>) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::List(items) if self.is_flat() => {
                let items: Vec<String> = items.iter().map(|item| item.render(layout)).collect();
                format!("[{}]", items.join(", "))
            }
            Self::List(items) => {
                let items: Vec<String> = items
                    .iter()
                    .map(|item| item.render(&layout.deeper()))
                    .collect();
                layout.enclose('[', &items, ']')
            }
            Self::Object(members) => {
                let flat = members.iter().all(|(_, value)| value.is_flat());
                let layout = if flat { &Layout::Line } else { layout };
                let member = |(key, value): &(&str, Self)| {
                    format!("{}: {}", quoted(key), value.render(&layout.deeper()))
                };
                layout.enclose('{', &members.iter().map(member).collect::<Vec<_>>(), '}')
            }
        }
    }

    fn is(&self, found: &Value<'_>) -> bool {
        match (self, found) {
            (Self::Text(text), Value::StringLit(found)) => *text == found.value,
            (Self::List(items), Value::Array(found)) => {
                items.len() == found.elements.len()
                    && items.iter().zip(&found.elements).all(|(a, b)| a.is(b))
            }
            (Self::Object(members), Value::Object(found)) => {
                let same = |(key, value): &(&str, Self)| {
                    found.get(key).is_some_and(|prop| value.is(&prop.value))
                };
                members.len() == found.properties.len() && members.iter().all(same)
            }
            _ => false,
        }
    }
}

impl JsonEntry {
    /// Returns the key at a depth; none for an element of an array.
    fn key(&self, depth: usize) -> Option<&'static str> {
        self.path.get(depth).copied().or(match self.slot {
            Slot::Key(key) => Some(key),
            Slot::Says(_) => None,
        })
    }

    /// Returns the entry with all containers from a depth on, as it is added to the container at
    /// that depth.
    fn nested(&self, depth: usize, layout: &Layout<'_>) -> String {
        let inside = depth < self.path.len();
        let value = if inside {
            self.container(depth + 1, layout)
        } else {
            self.value.render(layout)
        };
        self.key(depth)
            .map_or_else(|| value.clone(), |key| format!("{}: {value}", quoted(key)))
    }

    /// Returns a container with only the entry in it.
    fn container(&self, depth: usize, layout: &Layout<'_>) -> String {
        let (open, close) = match (depth == self.path.len(), self.slot) {
            (true, Slot::Says(_)) => ('[', ']'),
            _ => ('{', '}'),
        };
        layout.enclose(open, &[self.nested(depth, &layout.deeper())], close)
    }
}

/// Returns a document of these entries alone, which share no container.
pub(super) fn document(entries: &[JsonEntry]) -> String {
    let layout = Layout::Lines {
        newline: "\n",
        indent: String::new(),
        unit: "  ".to_owned(),
    };
    let items: Vec<String> = entries
        .iter()
        .map(|entry| entry.nested(0, &layout.deeper()))
        .collect();
    layout.enclose('{', &items, '}') + "\n"
}

/// Returns the state of an entry in a document.
pub(super) fn state(text: &str, entry: &JsonEntry) -> Result<SetupState> {
    let document = Document::parse(text)?;
    let Some(trail) = document.trail(entry)? else {
        return Ok(SetupState::Missing);
    };
    let Some(found) = &trail.found else {
        return Ok(SetupState::Missing);
    };
    // A comment inside is the user's, and would be lost with the entry.
    let commented = document.comments(&found.range()).next().is_some();
    Ok(if entry.value.is(found) && !commented && !trail.several {
        SetupState::Current
    } else {
        SetupState::Changed
    })
}

/// Adds a missing entry.
pub(super) fn put(text: &str, entry: &JsonEntry) -> Result<String> {
    let document = Document::parse(text)?;
    let Some(trail) = document.trail(entry)? else {
        return Ok(format!("{}{text}", entry.container(0, &Layout::Line)));
    };
    let depth = trail.groups.len() - 1;
    Ok(document.with_member(&trail.groups[depth], |layout| entry.nested(depth, layout)))
}

/// Removes an entry, with the containers that were added with it; returns none where the file was
/// too.
pub(super) fn take(text: &str, entry: &JsonEntry) -> Result<Option<String>> {
    let document = Document::parse(text)?;
    let Some(trail) = document.trail(entry)?.filter(|trail| trail.found.is_some()) else {
        return Ok(Some(text.to_owned()));
    };
    // From the inside: the outermost container that was added goes with all in it.
    for group in trail.groups.iter().rev() {
        if !document.was_added(group) {
            return Ok(Some(document.without_member(group)));
        }
    }
    let root = &trail.groups[0].range;
    let rest = cut(text, std::iter::once(root.clone()));
    // Only `document` writes the root over several lines, and with it the file; `put` uses one
    // line.
    let on_lines = text[root.start + 1..].starts_with(['\n', '\r']);
    Ok(if on_lines && rest.trim().is_empty() {
        None
    } else {
        Some(rest)
    })
}

/// A container on the way to an entry.
struct MemberGroup {
    /// Range of the container with its brackets.
    range: Range<usize>,
    members: Vec<Range<usize>>,
    /// Index of the member that leads to the entry.
    at: usize,
}

/// The way to an entry, as far as it goes.
struct Trail<'v, 't> {
    groups: Vec<MemberGroup>,
    found: Option<&'v Value<'t>>,
    /// True if several elements could be it.
    several: bool,
}

struct Document<'t> {
    text: &'t str,
    tokens: Vec<TokenAndRange<'t>>,
    value: Option<Value<'t>>,
}

fn span(found: &impl Ranged) -> Range<usize> {
    let range = found.range();
    range.start..range.end
}

fn is_comment(token: &Token<'_>) -> bool {
    matches!(token, Token::CommentLine(_) | Token::CommentBlock(_))
}

/// Removes ranges, given in order.
fn cut(text: &str, ranges: impl DoubleEndedIterator<Item = Range<usize>>) -> String {
    let mut rest = text.to_owned();
    for range in ranges.rev() {
        rest.replace_range(range, "");
    }
    rest
}

impl<'t> Document<'t> {
    fn parse(text: &'t str) -> Result<Self> {
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
    fn trail(&self, entry: &JsonEntry) -> Result<Option<Trail<'_, 't>>> {
        let Some(root) = &self.value else {
            return Ok(None);
        };
        let mut value = root;
        let mut groups = Vec::new();
        let depths = 0..=entry.path.len();
        for (depth, key) in depths.filter_map(|depth| Some((depth, entry.key(depth)?))) {
            let Value::Object(object) = value else {
                return Err(entry.blocked(depth, "an object"));
            };
            let at = position(object, key)?;
            let members = object.properties.iter().map(span).collect();
            groups.push(MemberGroup {
                range: span(object),
                members,
                at: at.unwrap_or_default(),
            });
            let Some(at) = at else {
                return Ok(Some(Trail {
                    groups,
                    found: None,
                    several: false,
                }));
            };
            value = &object.properties[at].value;
        }
        let Slot::Says(words) = entry.slot else {
            return Ok(Some(Trail {
                groups,
                found: Some(value),
                several: false,
            }));
        };
        let Value::Array(array) = value else {
            return Err(entry.blocked(entry.path.len(), "an array"));
        };
        let says = |element: &&Value<'_>| element.text(self.text).contains(words);
        let at = array.elements.iter().position(|element| says(&element));
        let several = array.elements.iter().filter(says).count() > 1;
        let members = array.elements.iter().map(span).collect();
        groups.push(MemberGroup {
            range: span(array),
            members,
            at: at.unwrap_or_default(),
        });
        Ok(Some(Trail {
            groups,
            found: at.map(|at| &array.elements[at]),
            several,
        }))
    }

    fn comments<'s>(
        &'s self,
        range: &jsonc_parser::common::Range,
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
    fn with_member(&self, group: &MemberGroup, item: impl Fn(&Layout<'_>) -> String) -> String {
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
            if !is_comment(&token.token) || self.text[end..token.range.start].contains('\n') {
                break;
            }
            end = token.range.end;
        }
        end
    }

    /// Returns whether a container was added with its only member.
    fn was_added(&self, group: &MemberGroup) -> bool {
        let whole = jsonc_parser::common::Range::new(group.range.start, group.range.end);
        let adjacent = group
            .members
            .first()
            .is_none_or(|first| first.start == group.range.start + 1);
        group.members.len() == 1 && !adjacent && self.comments(&whole).next().is_none()
    }

    fn without_member(&self, group: &MemberGroup) -> String {
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
        Some(_) => Err(EditError(format!("`{key}` is there twice"))),
    }
}

impl JsonEntry {
    fn blocked(&self, depth: usize, what: &str) -> EditError {
        match depth.checked_sub(1).and_then(|last| self.path.get(last)) {
            None => EditError(format!("it is not {what}")),
            Some(key) => EditError(format!("`{key}` is not {what}")),
        }
    }
}
