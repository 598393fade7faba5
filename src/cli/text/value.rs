//! Values of fields.

use serde_json::Value;

use crate::cli::ui::Ui;
use crate::model::Field;
use crate::text::value as text;

/// Returns a value of a register as a person reads it.
pub(in crate::cli) fn value_text(ui: &Ui, field: &str, value: &Value) -> String {
    text::value_text(field, value, |text| string(ui, field, text))
}

/// Returns a text of a field; of a date as the reader wants dates.
pub(in crate::cli) fn string(ui: &Ui, field: &str, text: &str) -> String {
    // Kept in UTC, with milliseconds.
    match [Field::Due.key(), Field::Defer.key()].contains(&field) {
        true => ui.dates.limit(text),
        false => text.to_owned(),
    }
}
