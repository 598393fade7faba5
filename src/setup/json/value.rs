//! Values of entries, and how new text is laid out.

use jsonc_parser::ast::{Object, Value};

/// A value of an entry.
#[derive(Clone, Copy, Debug)]
pub(in crate::setup) enum Json {
    Text(&'static str),
    Number(u8),
    True,
    List(&'static [Self]),
    Object(&'static [(&'static str, Self)]),
}

/// Layout of new text: on one line, or a line for each item.
pub(super) enum Layout<'t> {
    Line,
    Lines {
        newline: &'t str,
        indent: String,
        unit: String,
    },
}

impl Layout<'_> {
    pub(super) fn deeper(&self) -> Self {
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
    pub(super) fn enclose(&self, open: char, items: &[String], close: char) -> String {
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

pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Json {
    fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    /// Returns whether it holds only texts and lists of them.
    fn is_flat(&self) -> bool {
        match self {
            Self::Text(_) | Self::Number(_) | Self::True => true,
            Self::List(items) => items.iter().all(Self::is_text),
            Self::Object(_) => false,
        }
    }

    pub(super) fn render(&self, layout: &Layout<'_>) -> String {
        match self {
            Self::Text(text) => quoted(text),
            Self::Number(number) => number.to_string(),
            Self::True => "true".to_owned(),
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

    pub(super) fn is(&self, found: &Value<'_>) -> bool {
        match (self, found) {
            (Self::Text(text), Value::StringLit(found)) => *text == found.value,
            (Self::Number(number), Value::NumberLit(found)) => number.to_string() == found.value,
            (Self::True, Value::BooleanLit(found)) => found.value,
            (Self::List(items), Value::Array(found)) => {
                items.len() == found.elements.len()
                    && items.iter().zip(&found.elements).all(|(a, b)| a.is(b))
            }
            (Self::Object(members), Value::Object(found)) => are(members, found),
            _ => false,
        }
    }
}

/// Returns whether an object has these members and no others.
fn are(members: &[(&str, Json)], found: &Object<'_>) -> bool {
    let same = |(key, value): &(&str, Json)| {
        let there = found.get(key);
        there.is_some_and(|member| value.is(&member.value))
    };
    members.len() == found.properties.len() && members.iter().all(same)
}
