//! Holds a JSON value against a JSON Schema: the subset that our schemas use, and stricter in one
//! point: a key that no branch of the schema declares is an error.

use std::collections::BTreeSet;

use serde_json::Value;

/// What is wrong with a value, a line each; nothing if it is as the schema says.
pub fn violations(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Check { root: schema }.hold(schema, value, "$", &mut found);
    found
}

struct Check<'a> {
    root: &'a Value,
}

impl Check<'_> {
    /// A value with a schema of its own: all branches together must declare all its keys.
    fn hold(&self, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
        let declared = self.branch(schema, value, at, found);
        let Some(object) = value.as_object() else {
            return;
        };
        if !declared.contains("*") {
            let unknown = object.keys().filter(|key| !declared.contains(*key));
            found.extend(unknown.map(|key| format!("{at}.{key} is declared nowhere")));
        }
    }

    /// One schema among those of a value; answers with the keys it declares (`*`: all).
    fn branch(
        &self,
        schema: &Value,
        value: &Value,
        at: &str,
        found: &mut Vec<String>,
    ) -> BTreeSet<String> {
        let mut declared = BTreeSet::new();
        let schema = match schema {
            Value::Bool(true) => return BTreeSet::from(["*".to_owned()]),
            Value::Object(schema) => schema,
            other => {
                found.push(format!("{at}: {other} allows nothing"));
                return declared;
            }
        };
        if schema
            .keys()
            .all(|key| matches!(key.as_str(), "title" | "description" | "default"))
        {
            declared.insert("*".to_owned());
        }
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            let target = self.root.pointer(name.trim_start_matches('#'));
            let target = target.unwrap_or_else(|| panic!("{name} is defined nowhere"));
            declared.extend(self.branch(target, value, at, found));
        }
        if let Some(types) = schema.get("type")
            && !names(types).any(|name| is_of(value, name))
        {
            found.push(format!("{at}: {value} is no {types}"));
        }
        if schema.get("const").is_some_and(|only| only != value) {
            found.push(format!("{at}: {value} is not {}", schema["const"]));
        }
        if let Some(Value::Array(all)) = schema.get("enum")
            && !all.contains(value)
        {
            found.push(format!("{at}: {value} is none of {}", schema["enum"]));
        }
        if let (Some(least), Some(number)) = (
            schema.get("minimum").and_then(Value::as_f64),
            value.as_f64(),
        ) && number < least
        {
            found.push(format!("{at}: {value} is below {least}"));
        }
        if let Some(text) = value.as_str() {
            let long = text.chars().count() as u64;
            let limit = |name: &str| schema.get(name).and_then(Value::as_u64);
            if limit("minLength").is_some_and(|least| long < least)
                || limit("maxLength").is_some_and(|most| long > most)
            {
                found.push(format!("{at}: {value} has {long} characters"));
            }
        }
        for all in schema
            .get("allOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            declared.extend(self.branch(all, value, at, found));
        }
        for word in ["anyOf", "oneOf"] {
            if let Some(branches) = schema.get(word).and_then(Value::as_array) {
                declared.extend(self.one_of(branches, value, at, found));
            }
        }
        if let (Some(items), Some(array)) = (schema.get("items"), value.as_array()) {
            for (i, item) in array.iter().enumerate() {
                self.hold(items, item, &format!("{at}[{i}]"), found);
            }
        }
        self.members(schema, value, at, found, &mut declared);
        declared
    }

    fn members(
        &self,
        schema: &serde_json::Map<String, Value>,
        value: &Value,
        at: &str,
        found: &mut Vec<String>,
        declared: &mut BTreeSet<String>,
    ) {
        let Some(object) = value.as_object() else {
            return;
        };
        for key in schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            if !object.contains_key(key.as_str().unwrap()) {
                found.push(format!("{at}: {key} is required and missing"));
            }
        }
        let none = serde_json::Map::new();
        let properties = schema
            .get("properties")
            .and_then(Value::as_object)
            .unwrap_or(&none);
        for (key, schema) in properties {
            declared.insert(key.clone());
            if let Some(value) = object.get(key) {
                self.hold(schema, value, &format!("{at}.{key}"), found);
            }
        }
        if let Some(more) = schema
            .get("additionalProperties")
            .filter(|more| **more != Value::Bool(false))
        {
            declared.insert("*".to_owned());
            for (key, value) in object
                .iter()
                .filter(|(key, _)| !properties.contains_key(*key))
            {
                self.hold(more, value, &format!("{at}.{key}"), found);
            }
        }
    }

    /// The branches that hold, or what is wrong with the one that comes nearest.
    fn one_of(
        &self,
        branches: &[Value],
        value: &Value,
        at: &str,
        found: &mut Vec<String>,
    ) -> BTreeSet<String> {
        let mut declared = BTreeSet::new();
        let mut nearest: Option<Vec<String>> = None;
        let mut held = false;
        for branch in branches {
            let mut wrong = Vec::new();
            let keys = self.branch(branch, value, at, &mut wrong);
            if wrong.is_empty() {
                held = true;
                declared.extend(keys);
            } else if nearest
                .as_ref()
                .is_none_or(|before| wrong.len() < before.len())
            {
                nearest = Some(wrong);
            }
        }
        if !held {
            found.extend(nearest.unwrap_or_default());
            declared.insert("*".to_owned());
        }
        declared
    }
}

fn names(types: &Value) -> impl Iterator<Item = &str> {
    let one = types.as_str().into_iter();
    one.chain(
        types
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str),
    )
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type {other}"),
    }
}

/// The checker itself must find faults.
#[test]
fn faults_are_found() {
    let schema = serde_json::json!({
        "$defs": {"Kind": {"oneOf": [{"const": "a", "type": "string"}, {"const": "b", "type": "string"}]}},
        "type": "object",
        "properties": {"kind": {"$ref": "#/$defs/Kind"}, "name": {"minLength": 2, "maxLength": 3}, "n": {"type": ["integer", "null"], "minimum": 0}},
        "required": ["kind"],
        "anyOf": [{"type": "object", "properties": {"x": {"items": {"type": "string"}, "type": "array"}}}],
    });
    let wrong = |value: Value| violations(&schema, &value).len();
    assert_eq!(
        wrong(serde_json::json!({"kind": "a", "n": 1, "x": ["y"]})),
        0
    );
    assert_eq!(wrong(serde_json::json!({"kind": "c"})), 1);
    assert_eq!(wrong(serde_json::json!({"n": -1})), 2);
    assert_eq!(wrong(serde_json::json!({"kind": "b", "x": [1]})), 1);
    assert_eq!(wrong(serde_json::json!({"kind": "b", "y": 1})), 1);
    for (name, faults) in [("é", 1), ("éé", 0), ("four", 1)] {
        assert_eq!(
            wrong(serde_json::json!({"kind": "b", "name": name})),
            faults
        );
    }
}
