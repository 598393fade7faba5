//! Values of fields.

use serde_json::Value;

use crate::model::Field;

/// Returns a value of a register as a person reads it; `text` is given the texts of fields.
pub(crate) fn value_text(field: &str, value: &Value, text: impl Fn(&str) -> String) -> String {
    match value {
        Value::String(value) => text(value),
        Value::Null => "(empty)".to_owned(),
        Value::Number(number) if field == Field::Priority.key() => format!("P{number}"),
        other => other["s"]
            .as_str()
            .map_or_else(|| other.to_string(), str::to_owned),
    }
}
