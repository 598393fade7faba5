//! The JSON Schema of answers, from the types that are serialised.

use std::borrow::Cow;

use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::Value;

use super::ui::Versioned;
use crate::ops::answer::{Envelope, Failure};

/// Makes a schema.
pub(super) type Schema = fn() -> Value;

/// Returns the schema of an answer as it is printed, in its envelope.
pub(super) fn of<T: JsonSchema>() -> Value {
    root(
        <Versioned<Envelope<T>>>::schema_name,
        <Versioned<Envelope<T>>>::json_schema,
    )
}

/// Returns the schema of a document: the same code for all types, of which there are many.
fn root(
    name: fn() -> Cow<'static, str>,
    derive: fn(&mut SchemaGenerator) -> schemars::Schema,
) -> Value {
    // What is left out when empty is not required.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let dialect = settings.meta_schema.clone();
    let mut generator = settings.into_generator();
    let mut schema = derive(&mut generator);
    let document = schema.ensure_object();
    document.insert("$schema".into(), dialect.into());
    document.entry("title").or_insert_with(|| name().into());
    let definitions = generator.take_definitions(true);
    if !definitions.is_empty() {
        document.insert("$defs".into(), definitions.into());
    }
    schema.to_value()
}

/// Returns the schema of an error.
pub(super) fn of_error() -> Value {
    of::<Failure>()
}
