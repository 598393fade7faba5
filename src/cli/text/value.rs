//! Values of fields.

use serde_json::Value;

/// Returns a value of a register as a person reads it.
pub(in crate::cli) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "(empty)".to_owned(),
        other => other["s"]
            .as_str()
            .map_or_else(|| other.to_string(), str::to_owned),
    }
}
