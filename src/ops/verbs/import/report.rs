//! The answer of an import.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::answer::{Answer, AnswerKind, is_zero};

/// What an import did.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Imported {
    /// Issues that are new.
    pub created: usize,
    /// Issues that were here and changed.
    pub updated: usize,
    /// Issues that were here already, with what the file says or newer.
    pub unchanged: usize,
    /// Issues of which something that the file says was not taken: it differs, and is not newer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_newer: Vec<String>,
    /// Issues that had changed here and in another tracker, which has counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// Issues of which a later file was imported before.
    #[serde(skip_serializing_if = "is_zero")]
    pub older: usize,
    /// The tracker that the file is of, where that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'static str>,
    /// Parts of the file of another tracker that have no place here, each with the number of issues.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left_out: BTreeMap<String, usize>,
    /// Entries of memory that are new.
    pub memory: usize,
    /// Lines that gave way to a newer line of the same id.
    pub duplicates: usize,
    /// Issues whose links, labels and comments the file has not.
    #[serde(skip_serializing_if = "is_zero")]
    pub without_links: usize,
    /// Lines that were not taken, each with its number.
    pub errors: Vec<LineError>,
}

/// A line, or an element of an array, that was not taken.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct LineError {
    /// The file of a folder, where it is not that of the issues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its number, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The number of the element, from 1, where the file is an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<usize>,
    /// Why.
    pub message: String,
}

/// The unit that a file is counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Unit {
    #[default]
    Line,
    Element,
}

impl LineError {
    pub(super) fn new(unit: Unit, number: usize, message: String) -> Self {
        Self {
            file: None,
            line: (unit == Unit::Line).then_some(number),
            element: (unit == Unit::Element).then_some(number),
            message,
        }
    }

    pub(super) fn in_file(self, file: &str) -> Self {
        Self {
            file: Some(file.to_owned()),
            ..self
        }
    }

    /// Returns the place, as a person reads it.
    pub(crate) fn place(&self) -> String {
        let file = self.file.iter().map(|file| format!("{file}: "));
        let number = match (self.line, self.element) {
            (_, Some(element)) => format!("element {element}"),
            (line, None) => format!("line {}", line.unwrap_or_default()),
        };
        file.chain([number]).collect()
    }
}

impl Answer for Imported {
    fn kind(&self) -> AnswerKind {
        AnswerKind::Report
    }
}
