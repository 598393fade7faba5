//! A query as text: what is printed is read as the same tree.

use std::fmt::{self, Display, Formatter};

use super::words::{is_end, key_head, meant_operator};
use super::{Compared, ParsedQuery, QueryTree, QueryValue, QueryWord, Term};

impl Display for ParsedQuery {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let whole = [
            ("sort", &self.sort),
            ("group", &self.group),
            ("at", &self.at),
        ];
        let mut space = "";
        if self.tree != QueryTree::default() {
            write!(f, "{}", self.tree)?;
            space = " ";
        }
        for (key, word) in whole {
            if let Some(word) = word {
                write!(f, "{space}{key}:")?;
                value(f, word)?;
                space = " ";
            }
        }
        Ok(())
    }
}

impl Display for QueryTree {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::All(all) => joined(f, all, " "),
            Self::Any(any) => joined(f, any, " OR "),
            Self::Not(inner) => {
                f.write_str("-")?;
                match **inner {
                    // A second dash would negate nothing.
                    Self::Not(_) => write!(f, "({inner})"),
                    _ => nested(f, inner),
                }
            }
            Self::Term(term) => write!(f, "{term}"),
            Self::Text(word) if !word.is_quoted && joins(&word.text) => {
                write!(f, "({})", word.text)
            }
            Self::Text(word) if word.is_quoted || !is_word(&word.text) => quoted(f, &word.text),
            Self::Text(word) => f.write_str(&word.text),
            Self::TitlePart(text) => {
                f.write_str("title:")?;
                quoted(f, text)
            }
            Self::Saved(name) => write!(f, "@{}", name.text),
        }
    }
}

impl Display for Term {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = match self.compared {
            Compared::Equal => "",
            Compared::Less => "<",
            Compared::AtMost => "<=",
            Compared::More => ">",
            Compared::AtLeast => ">=",
        };
        write!(f, "{}:{sign}", self.key.name())?;
        for (i, one) in self.values.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { "," })?;
            match one {
                QueryValue::One(word) => value(f, word)?,
                QueryValue::Between(from, to) => write!(f, "{}..{}", from.text, to.text)?,
            }
        }
        Ok(())
    }
}

/// Returns a term that only this value of a key fulfils.
pub(crate) fn exact_term(key: &str, value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    // Without quotes these stand for others.
    let is_word = ["me", "none"].contains(&value) || value.contains("..");
    match value.chars().all(is_plain) && !is_word {
        true => format!("{key}:{value}"),
        false => format!("{key}:{}", in_quotes(value)),
    }
}

fn joined(f: &mut Formatter<'_>, parts: &[QueryTree], between: &str) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { between })?;
        nested(f, part)?;
    }
    Ok(())
}

/// Writes a part of a larger tree, in brackets where it has parts of its own.
fn nested(f: &mut Formatter<'_>, tree: &QueryTree) -> fmt::Result {
    match tree {
        QueryTree::All(_) | QueryTree::Any(_) => write!(f, "({tree})"),
        _ => write!(f, "{tree}"),
    }
}

fn value(f: &mut Formatter<'_>, word: &QueryWord) -> fmt::Result {
    let is_plain = |c: char| !c.is_whitespace() && !"(),".contains(c);
    let begins = word.text.starts_with('"');
    match !word.is_quoted && !begins && word.text.chars().all(is_plain) {
        true => f.write_str(&word.text),
        false => quoted(f, &word.text),
    }
}

/// Returns whether a text is read with what is beside it, unless it is in brackets.
fn joins(text: &str) -> bool {
    meant_operator(text).is_some()
        || ["=", "<", ">", "!=", "~", "!~"]
            .iter()
            .any(|it| text.starts_with(it))
}

/// Returns whether a text is read as a word, if it is not in quotes.
fn is_word(text: &str) -> bool {
    !text.is_empty()
        && !text.contains(is_end)
        && !text.starts_with(['-', '"', '@'])
        && !text.strip_prefix(['#', '!']).is_some_and(|after| after.starts_with(char::is_alphabetic))
        && !["OR", "AND", "NOT"].contains(&text)
        // A word of a search can look like a key and be none.
        && key_head(text).is_none()
}

fn quoted(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str(&in_quotes(text))
}

fn in_quotes(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{text}\"")
}
