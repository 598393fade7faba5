//! Expressions of the text index.

/// An expression of the text index. Each text in it is quoted, so that nothing a user types is syntax.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expression(String);

/// Where an expression looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextColumn {
    /// Ids and title.
    Title,
    Body,
    Memory,
}

impl Expression {
    /// Returns the expression for words that each begin like one of `text`; none where it has no word.
    pub(crate) fn words(text: &str) -> Option<Self> {
        let words = text.split(|c: char| c.is_whitespace() || c.is_control());
        Self::all(words.filter_map(Self::word).collect())
    }

    /// Returns the expression for a word that begins so.
    pub(crate) fn word(text: &str) -> Option<Self> {
        Self::phrase(text).map(|Self(phrase)| Self(format!("{phrase}*")))
    }

    /// Returns the expression for words next to each other.
    pub(crate) fn phrase(text: &str) -> Option<Self> {
        // A zero would end the expression for the text index.
        let text = text.replace(char::is_control, " ").replace('"', "\"\"");
        // A phrase without a word would match nothing, or everything beside it.
        let has_word = text.chars().any(char::is_alphanumeric);
        has_word.then(|| Self(format!("\"{text}\"")))
    }

    /// Returns the expression for texts that match all; none of none.
    pub(crate) fn all(parts: Vec<Self>) -> Option<Self> {
        Self::joined(parts, " AND ")
    }

    /// Returns the expression for texts that match any; none of none.
    pub(crate) fn any(parts: Vec<Self>) -> Option<Self> {
        Self::joined(parts, " OR ")
    }

    fn joined(mut parts: Vec<Self>, between: &str) -> Option<Self> {
        if parts.len() < 2 {
            return parts.pop();
        }
        let parts: Vec<String> = parts.into_iter().map(|Self(part)| part).collect();
        Some(Self(format!("({})", parts.join(between))))
    }

    /// Returns the same expression for one column alone.
    pub(crate) fn within(self, column: TextColumn) -> Self {
        let column = match column {
            TextColumn::Title => "title",
            TextColumn::Body => "body",
            TextColumn::Memory => "memory",
        };
        Self(format!("{column} : {}", self.0))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Expression;

    #[test]
    fn what_a_user_types_is_no_syntax() {
        let words = |text: &str| Expression::words(text).map(|found| found.0);
        assert_eq!(
            words("fix \"the OR\" -- a*").as_deref(),
            Some(r#"("fix"* AND """the"* AND "OR"""* AND "a*"*)"#)
        );
        assert_eq!(words(" -- \" "), None);
    }
}
