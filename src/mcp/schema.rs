//! From a derived JSON Schema to the one a client is sent: strict, portable and terse.
//!
//! Clients pay for every byte in every session, and some reject what JSON Schema allows: `$ref`, lists of
//! types, `null` among them. So titles, formats and bounds go, references are inlined, an optional field
//! is one that is not required, and every object with properties is closed.

use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value};

const NOISE: [&str; 8] = [
    "$schema", "$defs", "title", "format", "minimum", "maximum", "default", "nullable",
];

pub(super) fn of<T: JsonSchema>() -> Map<String, Value> {
    root(T::json_schema)
}

/// Returns the schema of a request: the same code for all types, of which there are many.
fn root(derive: fn(&mut SchemaGenerator) -> schemars::Schema) -> Map<String, Value> {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = derive(&mut settings.into_generator()).to_value();
    // The tool describes its type.
    if let Value::Object(root) = &mut schema {
        root.remove("description");
    }
    terse(&mut schema);
    match schema {
        Value::Object(mut root) => {
            root.entry("type").or_insert_with(|| "object".into());
            root.entry("properties")
                .or_insert_with(|| Value::Object(Map::new()));
            root.insert("additionalProperties".into(), false.into());
            root
        }
        _ => Map::new(),
    }
}

fn terse(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    if let Some(only) = without_null(map) {
        let text = map.remove("description");
        *map = only;
        if let Some(text) = text {
            map.insert("description".into(), text);
        }
    }
    map.retain(|key, _| !NOISE.contains(&key.as_str()));
    if let Some(Value::Array(types)) = map.get("type") {
        let only = types.iter().find(|name| *name != "null").cloned();
        map.insert("type".into(), only.unwrap_or_else(|| "string".into()));
    }
    if let Some(Value::Array(allowed)) = map.get_mut("enum") {
        allowed.retain(|value| !value.is_null());
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        for property in properties.values_mut() {
            terse(property);
        }
        map.insert("additionalProperties".into(), false.into());
    }
    if let Some(items) = map.get_mut("items") {
        terse(items);
        // The element of a list is described by the list.
        if let Value::Object(items) = items {
            items.remove("description");
        }
    }
}

/// Returns the other branch of `anyOf: [X, null]`.
fn without_null(map: &Map<String, Value>) -> Option<Map<String, Value>> {
    let branches = map.get("anyOf")?.as_array()?;
    let mut others = branches
        .iter()
        .filter(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
    match (others.next(), others.next()) {
        (Some(Value::Object(only)), None) => Some(only.clone()),
        _ => None,
    }
}
