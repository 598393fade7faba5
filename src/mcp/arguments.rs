//! Arguments of a call, converted to fit a tool's schema: strict about names, lenient about
//! spelling.
//!
//! Agents write `2` for `"2"`, a text for a list of one, `null` for nothing. All of that has one
//! meaning and is accepted. A name that the tool does not know is refused, with a list of the
//! allowed ones.

use serde_json::{Map, Number, Value};

use super::alias;
use crate::ops::{Code, Error, Hint, Result};

/// Checks arguments and brings them into the form that the schema describes.
pub(super) fn conform(
    schema: &Map<String, Value>,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>> {
    object(schema, arguments, "")
}

fn object(
    schema: &Map<String, Value>,
    map: Map<String, Value>,
    path: &str,
) -> Result<Map<String, Value>> {
    let mut out = Map::new();
    let Some(Value::Object(known)) = schema.get("properties") else {
        return Ok(map);
    };
    for (name, value) in alias::read(known, map)? {
        let Some(property) = known.get(&name) else {
            return Err(unknown(&name, path, known));
        };
        // Models write `null` for what they leave out.
        if value.is_null() {
            continue;
        }
        let at = match path {
            "" => name.clone(),
            path => format!("{path}.{name}"),
        };
        out.insert(name, fit(property, value, &at)?);
    }
    Ok(out)
}

fn fit(schema: &Value, value: Value, at: &str) -> Result<Value> {
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or("any");
    match (kind, value) {
        ("string", Value::Number(number)) => Ok(Value::from(match whole(&number) {
            Some(whole) => whole.to_string(),
            None => number.to_string(),
        })),
        ("integer", Value::String(text)) => match text.trim().parse::<i64>() {
            Ok(number) => Ok(Value::from(number)),
            // `P1` is how a person writes it, and the answers of the command line.
            Err(_) => priority(&text).ok_or_else(|| wrong(at, "an integer")),
        },
        ("integer", Value::Number(number)) if number.as_i64().is_none() => whole(&number)
            .map(Value::from)
            .ok_or_else(|| wrong(at, "an integer")),
        ("boolean", Value::String(text)) => match text.trim().to_lowercase().as_str() {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(wrong(at, "true or false")),
        },
        ("array", Value::Array(items)) => list(schema, items, at),
        // Some clients send a list as the text of its JSON; any other text is a list of one.
        ("array", Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Array(items)) => list(schema, items, at),
            _ => list(schema, vec![Value::String(text)], at),
        },
        ("array", one @ (Value::Number(_) | Value::Object(_))) => list(schema, vec![one], at),
        ("object", Value::Object(map)) => match schema {
            Value::Object(schema) => object(schema, map, at).map(Value::Object),
            _ => Ok(Value::Object(map)),
        },
        ("object", Value::String(text)) => match serde_json::from_str(&text) {
            Ok(value @ Value::Object(_)) => fit(schema, value, at),
            _ => Err(wrong(at, "an object")),
        },
        ("any", value)
        | ("string", value @ Value::String(_))
        | ("integer", value @ Value::Number(_))
        | ("boolean", value @ Value::Bool(_)) => Ok(value),
        (kind, _) if kind.starts_with(['a', 'i', 'o']) => Err(wrong(at, &format!("an {kind}"))),
        (kind, _) => Err(wrong(at, &format!("a {kind}"))),
    }
}

/// Returns the integer that a number such as `2.0` equals.
fn whole(number: &Number) -> Option<i64> {
    let float = number
        .as_f64()
        // Beyond that a float no longer holds every whole number.
        .filter(|n| n.fract() == 0.0 && n.abs() < 1e15);
    number.as_i64().or_else(|| float.map(|n| n as i64))
}

/// Parses `P2` where a priority is a number.
fn priority(text: &str) -> Option<Value> {
    let digits = text.trim().strip_prefix(['P', 'p'])?;
    digits
        .parse::<i64>()
        .ok()
        .filter(|n| (0..=4).contains(n))
        .map(Value::from)
}

fn list(schema: &Value, items: Vec<Value>, at: &str) -> Result<Value> {
    let each = schema.get("items").unwrap_or(&Value::Null);
    let mut fitting = Vec::new();
    for (i, item) in items.into_iter().enumerate() {
        fitting.push(fit(each, item, &format!("{at}[{i}]"))?);
    }
    Ok(Value::Array(fitting))
}

fn wrong(at: &str, what: &str) -> Error {
    Error::invalid(format!("`{at}` must be {what}"))
}

fn unknown(name: &str, path: &str, known: &Map<String, Value>) -> Error {
    let allowed: Vec<&str> = known.keys().map(String::as_str).collect();
    let shown: String = name.chars().take(60).collect();
    let place = match path {
        "" => String::new(),
        path => format!(" in {path}"),
    };
    let list = match allowed[..] {
        [] => "none".to_owned(),
        _ => allowed.join(", "),
    };
    let message = format!("unknown field `{shown}`{place}; allowed: {list}");
    let error = Error::new(Code::UnknownField, message);
    match misspelt(name, &allowed) {
        Some(near) => error.hinted(Hint::text(format!("did you mean `{near}`?"))),
        None => error,
    }
}

/// Returns the known word of which another is a misspelling: one letter is wrong, or two are swapped. A word that is less
/// like it may mean something else.
pub(super) fn misspelt<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    let is_near = |known: &&&str| strsim::osa_distance(known, &word) == 1;
    known.iter().find(is_near).copied()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Map<String, Value> {
        let schema = json!({"properties": {
            "title": {"type": "string"}, "limit": {"type": "integer"}, "brief": {"type": "boolean"},
            "on": {"type": "array", "items": {"type": "string"}},
            "subs": {"type": "array", "items": {"type": "object", "properties": {"title": {"type": "string"}}}},
        }});
        schema.as_object().unwrap().clone()
    }

    fn run(arguments: Value) -> Result<Value, String> {
        let Value::Object(map) = arguments else {
            panic!()
        };
        conform(&schema(), map)
            .map(Value::Object)
            .map_err(|error| error.message)
    }

    #[test]
    fn spellings_with_one_meaning_are_taken() {
        let given = json!({"title": 5, "limit": "20", "brief": "true", "on": "a", "subs": null});
        assert_eq!(
            run(given).unwrap(),
            json!({"title": "5", "limit": 20, "brief": true, "on": ["a"]})
        );
        assert_eq!(
            run(json!({"on": "[\"a\", 1]"})).unwrap(),
            json!({"on": ["a", "1"]})
        );
        assert_eq!(run(json!({"limit": 3.0})).unwrap(), json!({"limit": 3}));
        assert_eq!(
            run(json!({"subs": "[{\"title\": \"x\"}]"})).unwrap(),
            json!({"subs": [{"title": "x"}]})
        );
    }

    #[test]
    fn anything_else_is_refused_with_its_place() {
        assert_eq!(
            run(json!({"titel": "x"})).unwrap_err(),
            "unknown field `titel`; allowed: brief, limit, on, subs, title"
        );
        assert_eq!(
            run(json!({"subs": [{"x": 1}]})).unwrap_err(),
            "unknown field `x` in subs[0]; allowed: title"
        );
        assert_eq!(
            run(json!({"title": ["x"]})).unwrap_err(),
            "`title` must be a string"
        );
        assert_eq!(
            run(json!({"limit": "many"})).unwrap_err(),
            "`limit` must be an integer"
        );
        assert_eq!(
            run(json!({"limit": 1.5})).unwrap_err(),
            "`limit` must be an integer"
        );
        assert_eq!(
            run(json!({"on": [["x"]]})).unwrap_err(),
            "`on[0]` must be a string"
        );
        assert_eq!(
            run(json!({"brief": "maybe"})).unwrap_err(),
            "`brief` must be true or false"
        );
    }
}
