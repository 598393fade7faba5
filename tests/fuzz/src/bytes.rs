//! Choices made by the input: bytes taken from the front, zeros when it has come to its end.
//!
//! No derived decoder: a small change of the input stays a small change of what is made of it.

use serde_json::Value;

/// What is left of an input.
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// Takes choices from an input.
    pub fn new(input: &'a [u8]) -> Self {
        Self(input)
    }

    /// Whether all of it was taken.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n.max(1)
    }

    /// One of several.
    pub fn one<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }

    /// A text of up to 63 bytes, whatever bytes they are.
    pub fn text(&mut self) -> String {
        let length = self.below(64).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    /// A JSON value: a scalar, a text, or one inside of others, at times far inside.
    pub fn value(&mut self) -> Value {
        match self.below(10) {
            0 => Value::Null,
            1 => Value::Bool(true),
            2 => Value::from(i64::from(self.byte())),
            3 => Value::from(i64::MIN),
            4 => Value::from("x".repeat(self.below(5) * 300)),
            5 => self.object(),
            6 => Value::Array((0..self.below(4)).map(|_| self.value()).collect()),
            7 => (0..self.below(128)).fold(Value::Null, |inner, _| Value::Array(vec![inner])),
            _ => Value::from(self.text()),
        }
    }

    /// An object with keys that mean something somewhere.
    pub fn object(&mut self) -> Value {
        const KEYS: [&str; 10] = ["s", "reason", "auto", "to", "at", "v", "ref", "by", "created_at", "$number"];
        (0..self.below(4)).map(|_| (self.one(&KEYS).to_string(), self.value())).collect()
    }
}
