//! From the text of a query to its tree, by recursive descent.

use super::words::{is_end, key_head, meant_operator, sign, value_of};
use super::{
    Compared, DEEPEST, Fault, FaultKind, Key, LONGEST, MOST_PARTS, ParsedQuery, Place, QueryTree,
    QueryValue, QueryWord, Term, UnknownKeys,
};

type Parsed<T> = Result<T, Fault>;

/// Reads a query.
/// Errors: The first fault of the text, with its place.
pub(crate) fn parse(text: &str, unknown: UnknownKeys) -> Parsed<ParsedQuery> {
    if text.chars().nth(LONGEST).is_some() {
        let all = 0..text.len();
        return Err(Fault::new("a query has 4,096 characters at most", all));
    }
    let mut parser = Parser::new(text, unknown);
    let tree = parser.either(0)?;
    parser.space();
    if parser.at < text.len() {
        // `either` stops at nothing else.
        return Err(parser.fault("no bracket is open here"));
    }
    let query = ParsedQuery {
        tree,
        ..parser.query
    };
    let is_empty = query == ParsedQuery::default();
    match is_empty {
        true => Err(Fault::new("the query is empty", 0..text.len())),
        false => Ok(query),
    }
}

struct Parser<'t> {
    text: &'t str,
    /// The place that is read next.
    at: usize,
    unknown: UnknownKeys,
    parts: usize,
    /// Order and revision, which are about the list as a whole.
    query: ParsedQuery,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, unknown: UnknownKeys) -> Self {
        Self {
            text,
            at: 0,
            unknown,
            parts: 0,
            query: ParsedQuery::default(),
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Returns a fault at the next character.
    fn fault(&self, what: &'static str) -> Fault {
        let length = self.peek().map_or(0, char::len_utf8);
        Fault::new(what, self.at..self.at + length)
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Steps over a text if it is next.
    fn takes(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// Steps over an operator in capitals, which a space or a bracket ends.
    fn operator(&mut self, name: &str) -> bool {
        self.space();
        let after = self.rest().strip_prefix(name);
        let ends = |after: &str| after.is_empty() || after.starts_with(is_end);
        after.is_some_and(ends) && self.takes(name)
    }

    fn either(&mut self, depth: usize) -> Parsed<QueryTree> {
        let mut found = vec![self.all(depth)?];
        while self.operator("OR") {
            let at = self.at;
            let next = self.all(depth)?;
            if next == QueryTree::default() {
                return Err(Fault::new("OR joins nothing here", at - 2..at));
            }
            found.push(next);
        }
        if found.len() > 1 && found[0] == QueryTree::default() {
            return Err(Fault::new("OR has nothing before it", 0..self.at));
        }
        Ok(match found.len() {
            1 => found.swap_remove(0),
            _ => QueryTree::Any(found),
        })
    }

    fn all(&mut self, depth: usize) -> Parsed<QueryTree> {
        let mut found = Vec::new();
        loop {
            let is_or = |rest: &str| rest == "OR" || rest[2..].starts_with(is_end);
            self.space();
            let rest = self.rest();
            if rest.is_empty() || rest.starts_with(')') {
                break;
            }
            // It ends this list, and `either` reads it.
            if rest.starts_with("OR") && is_or(rest) {
                break;
            }
            let and = self.at;
            if self.operator("AND") {
                let next = self.rest().trim_start();
                if found.is_empty() || next.is_empty() || next.starts_with(')') {
                    return Err(Fault::new("AND joins nothing here", and..self.at));
                }
                continue;
            }
            self.check_operator(found.last())?;
            self.check_order()?;
            self.check_clause()?;
            found.extend(self.unary(depth)?);
        }
        Ok(match found.len() {
            1 => found.swap_remove(0),
            _ => QueryTree::All(found),
        })
    }

    /// Refuses an operator of another language between two parts, or before one: as a word it would let nothing through.
    fn check_operator(&self, before: Option<&QueryTree>) -> Parsed<()> {
        let rest = self.rest();
        let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        let Some(meant) = meant_operator(word) else {
            return Ok(());
        };
        let after = rest[word.len()..].trim_start();
        let is_part = |text: &str| {
            text.starts_with(['(', '"', '-', '!', '#', '@']) || key_head(text).is_some()
        };
        let is_beside_part =
            is_part(after) || before.is_some_and(|it| !matches!(it, QueryTree::Text(_)));
        let joins = before.is_some() && !after.is_empty() && !after.starts_with(')');
        let is_meant = match meant {
            // In a sentence it is a word.
            "NOT" => is_part(after),
            _ => joins && (is_beside_part || self.unknown == UnknownKeys::Refused),
        };
        match is_meant {
            true => Err(self.foreign(word.len(), "operators are in capitals", meant.to_owned())),
            false => Ok(()),
        }
    }

    /// Refuses the order of another language, as in `ORDER BY created DESC`: as words it would let nothing through.
    fn check_order(&self) -> Parsed<()> {
        let rest = self.rest();
        let end = rest.find(['(', ')']).unwrap_or(rest.len());
        let words: Vec<String> = rest[..end]
            .split([' ', ',', ';'])
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let [order, by, key, ..] = &words[..] else {
            return Ok(());
        };
        if self.unknown == UnknownKeys::Words || order != "order" || by != "by" {
            return Ok(());
        }
        // Of several the first counts.
        let direction = match words.get(3).map(String::as_str) {
            Some("desc") => "-desc",
            Some("asc") => "-asc",
            _ => "",
        };
        let meant = format!("sort:{key}{direction}");
        Err(self.foreign(
            rest[..end].trim_end().len(),
            "an order has its key before it",
            meant,
        ))
    }

    /// Refuses values in brackets and what is empty, as in `status in (open, closed)` and `assignee is EMPTY`.
    fn check_clause(&self) -> Parsed<()> {
        let rest = self.rest();
        let name = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        // `is in (brackets)` are words.
        let is_word = ["is", "in", "has", "no"].contains(&name);
        let is_name = !is_word && name.chars().all(char::is_alphanumeric);
        if self.unknown == UnknownKeys::Words || !is_name {
            return Ok(());
        }
        let words: Vec<String> = rest[name.len()..]
            .split([' ', '(', ')'])
            .filter(|word| !word.is_empty())
            .take(3)
            .map(str::to_lowercase)
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let has_values = |begin: &str| {
            let before = rest.split('(').next().unwrap_or_default();
            let before: Vec<&str> = before.split_whitespace().skip(1).collect();
            before.join(" ").eq_ignore_ascii_case(begin) && rest.contains(')')
        };
        let dash = match words[..] {
            ["in", ..] if has_values("in") => "",
            ["not", "in", ..] if has_values("not in") => "-",
            ["is", "empty" | "null" | "none", ..] if Key::named(name).is_some() => {
                return Err(self.empty(name, 2, "no"));
            }
            ["is", "not", "empty" | "null" | "none"] if Key::named(name).is_some() => {
                return Err(self.empty(name, 3, "has"));
            }
            _ => return Ok(()),
        };
        let (open, end) = (rest.find('('), rest.find(')'));
        let (Some(open), Some(end)) = (open, end) else {
            return Ok(());
        };
        let values: Vec<String> = rest
            .get(open + 1..end)
            .unwrap_or_default()
            .split(',')
            .map(|value| match value.trim() {
                plain if plain.contains(' ') && !plain.starts_with('"') => format!("\"{plain}\""),
                value => value.to_owned(),
            })
            .collect();
        let meant = format!("{dash}{name}:{}", values.join(","));
        Err(self.foreign(end + 1, "values have commas between them", meant))
    }

    /// Returns the fault of a key and some words behind it, which say that it has a value, or none.
    fn empty(&self, name: &str, words: usize, key: &str) -> Fault {
        let rest = self.rest();
        let mut end = name.len();
        for word in rest[name.len()..].split_whitespace().take(words) {
            end += rest[end..].find(word).unwrap_or_default() + word.len();
        }
        self.foreign(end, "`no:` and `has:` ask this", format!("{key}:{name}"))
    }

    /// Returns the fault of the next bytes, which are something else here.
    fn foreign(&self, length: usize, what: &'static str, meant: String) -> Fault {
        Fault {
            kind: FaultKind::Foreign { what, meant },
            place: Place(self.at..self.at + length),
        }
    }

    /// Reads an atom with or without a negation; none where it is about the list as a whole.
    fn unary(&mut self, depth: usize) -> Parsed<Option<QueryTree>> {
        let start = self.at;
        if let Some(after) = self.rest().strip_prefix('!')
            && (after.starts_with('(') || key_head(after).is_some() || self.is_strict(after))
        {
            return Err(self.foreign(1, "a dash negates", "-".to_owned()));
        }
        let negated = self.takes("-") || self.operator("NOT");
        if !negated {
            return self.atom(depth);
        }
        self.space_after_not(start)?;
        // None is about the list as a whole, which has no place below a negation.
        let atom = self.atom(depth + 1)?;
        Ok(atom.map(|atom| QueryTree::Not(Box::new(atom))))
    }

    fn space_after_not(&mut self, start: usize) -> Parsed<()> {
        if self.at > start + 1 {
            self.space();
        }
        let rest = self.rest();
        let is_operator = ["OR", "AND", "NOT"].iter().any(|name| {
            let after = rest.strip_prefix(name);
            after.is_some_and(|after| after.is_empty() || after.starts_with(is_end))
        });
        match self.peek() {
            _ if is_operator => Err(Fault::new("nothing is negated here", start..self.at)),
            None | Some('-' | ')') => Err(Fault::new("nothing is negated here", start..self.at)),
            Some(c) if c.is_whitespace() => {
                Err(Fault::new("nothing is negated here", start..self.at))
            }
            Some(_) => Ok(()),
        }
    }

    fn atom(&mut self, depth: usize) -> Parsed<Option<QueryTree>> {
        // Before anything below it is read: the stack is bounded by this.
        if depth > DEEPEST {
            return Err(self.fault("brackets are 32 deep at most"));
        }
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(self.fault("a query has 256 parts at most"));
        }
        match self.peek() {
            Some('(') => self.brackets(depth).map(Some),
            Some('"') => Ok(Some(QueryTree::Text(self.phrase()?))),
            Some('@') => {
                self.at += 1;
                let name = self.word();
                match name.text.is_empty() {
                    true => Err(Fault::new("@ names nothing", name.place.0)),
                    false => Ok(Some(QueryTree::Saved(name))),
                }
            }
            Some('#') if self.is_strict(&self.rest()[1..]) => {
                let label = self.word().text;
                self.at -= label.len();
                let meant = format!("label:{}", label.trim_start_matches('#'));
                Err(self.foreign(label.len(), "a label has its key before it", meant))
            }
            _ => self.term_or_word(depth),
        }
    }

    /// Returns whether a sign before a text is no part of a word: where all is read strictly, before a letter.
    fn is_strict(&self, text: &str) -> bool {
        self.unknown == UnknownKeys::Refused && text.starts_with(char::is_alphabetic)
    }

    fn brackets(&mut self, depth: usize) -> Parsed<QueryTree> {
        let open = self.at;
        self.at += 1;
        let tree = self.either(depth + 1)?;
        self.space();
        if !self.takes(")") {
            return Err(Fault::new("this bracket is never closed", open..open + 1));
        }
        match tree == QueryTree::default() {
            true => Err(Fault::new("these brackets are empty", open..self.at)),
            false => Ok(tree),
        }
    }

    /// Reads what is in quotes; `\"` and `\\` are a quote and a backslash.
    fn phrase(&mut self) -> Parsed<QueryWord> {
        let open = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = open + at + 1;
                    return Ok(QueryWord {
                        text,
                        is_quoted: true,
                        place: Place(open..self.at),
                    });
                }
                '\\' => match chars.next() {
                    Some((_, c @ ('"' | '\\'))) => text.push(c),
                    Some((_, c)) => text.extend(['\\', c]),
                    None => break,
                },
                c => text.push(c),
            }
        }
        Err(Fault::new("this quote is never closed", open..open + 1))
    }

    /// Reads up to a space or a bracket.
    fn word(&mut self) -> QueryWord {
        self.until(is_end)
    }

    fn until(&mut self, ends: impl Fn(char) -> bool) -> QueryWord {
        let rest = self.rest();
        let text = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let start = self.at;
        self.at += text.len();
        QueryWord {
            text: text.to_owned(),
            is_quoted: false,
            place: Place(start..self.at),
        }
    }

    fn term_or_word(&mut self, depth: usize) -> Parsed<Option<QueryTree>> {
        // A name alone is a word of a search: `status: broken` is text.
        let Some(head) = key_head(self.rest()) else {
            return Ok(Some(QueryTree::Text(self.word())));
        };
        let (start, name) = (self.at, head.name);
        let behind = &self.rest()[head.length..];
        let has_value = !behind.is_empty() && !behind.starts_with(is_end);
        match (Key::named(name), self.unknown) {
            (Some(key), unknown) if has_value || unknown == UnknownKeys::Refused => {
                self.at += head.length;
                let term = self.term(key, start, depth)?;
                Ok(match head.is_negated {
                    true => term.map(|term| QueryTree::Not(Box::new(term))),
                    false => term,
                })
            }
            (None, UnknownKeys::Refused) => Err(Fault {
                kind: FaultKind::UnknownKey(name.to_owned()),
                place: Place(start..start + name.len()),
            }),
            _ => Ok(Some(QueryTree::Text(self.word()))),
        }
    }

    fn compared(&mut self) -> Compared {
        let (compared, length) = sign(self.rest());
        self.at += length;
        if length > 0 {
            self.space();
        }
        compared
    }

    /// Reads the values of a key.
    fn term(&mut self, key: Key, start: usize, depth: usize) -> Parsed<Option<QueryTree>> {
        let signs = self.at;
        let compared = self.compared();
        if compared != Compared::Equal && !key.is_ordered() {
            let place = signs..self.at;
            return Err(Fault::new("this key has no order to compare by", place));
        }
        let mut values = Vec::new();
        loop {
            // The first counts as the term itself.
            self.parts += usize::from(!values.is_empty());
            if self.parts > MOST_PARTS {
                return Err(self.fault("a query has 256 parts at most"));
            }
            let word = match self.peek() {
                Some('"') => self.phrase()?,
                _ => self.until(|c| is_end(c) || c == ','),
            };
            if word.text.is_empty() {
                return Err(Fault::new("a value is missing here", start..self.at));
            }
            if word.text.eq_ignore_ascii_case("currentUser") && self.takes("()") {
                let length = self.at - word.place.0.start;
                self.at = word.place.0.start;
                return Err(self.foreign(length, "you are `me`", "me".to_owned()));
            }
            values.push(value_of(key, word));
            if !self.takes(",") {
                break;
            }
        }
        if self.peek().is_some_and(|c| !is_end(c)) {
            return Err(self.fault("a space or a comma is missing here"));
        }
        if matches!(key, Key::Sort | Key::Group | Key::At) {
            return self.whole(key, values, start, depth).map(|()| None);
        }
        Ok(Some(QueryTree::Term(Term {
            key,
            compared,
            values,
            place: Place(start..self.at),
        })))
    }

    /// Keeps what is said about the list as a whole: once, and outside of brackets.
    fn whole(
        &mut self,
        key: Key,
        mut values: Vec<QueryValue>,
        start: usize,
        depth: usize,
    ) -> Parsed<()> {
        let place = start..self.at;
        let slot = match key {
            Key::Sort => &mut self.query.sort,
            Key::Group => &mut self.query.group,
            _ => &mut self.query.at,
        };
        match (values.pop(), values.is_empty()) {
            _ if depth > 0 => Err(Fault::new(
                "sort:, group: and at: are outside of brackets and not negated",
                place,
            )),
            _ if slot.is_some() => Err(Fault::new("this is said twice", place)),
            (Some(QueryValue::One(word)), true) => {
                *slot = Some(word);
                Ok(())
            }
            _ => Err(Fault::new("one value is enough here", place)),
        }
    }
}
