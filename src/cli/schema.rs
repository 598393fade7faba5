//! The JSON Schema of answers, from the types that are serialised.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::ui::Versioned;
use crate::ops::answer::{Envelope, Failure};

/// Makes a schema.
pub(super) type Schema = fn() -> Value;

/// Returns the schema of an answer as it is printed, in its envelope.
pub(super) fn of<T: JsonSchema>() -> Value {
    // What is left out when empty is not required.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let generator = settings.into_generator();
    generator
        .into_root_schema_for::<Versioned<Envelope<T>>>()
        .to_value()
}

/// Returns the schema of an error.
pub(super) fn of_error() -> Value {
    of::<Failure>()
}
