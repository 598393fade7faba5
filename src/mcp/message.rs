//! A line of input: a message, or what to answer instead.
//!
//! A request that can't be read is answered all the same wherever its id can be found, since its
//! client waits. Input that is no JSON and has no id is ignored, as the official SDKs do: an answer
//! to garbage may be taken for garbage and answered again.

use rmcp::service::{RoleServer, RxJsonRpcMessage};
use serde_json::{Value, json};

pub(super) enum InputLine {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    Refused(String),
    /// A line that needs no answer.
    Nothing,
}

pub(super) fn parse(line: &[u8]) -> InputLine {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return InputLine::Nothing;
    }
    // Half a surrogate pair, as a cut text has it, is JSON to JavaScript and none to serde.
    let Ok(value) = serde_json::from_str(text)
        .or_else(|_| serde_json::from_str::<Value>(&replace_lone_surrogates(text)))
    else {
        return refusal(line, -32700, "the message is no valid JSON");
    };
    // Before rmcp's own types, which would only say that the request is invalid.
    if let Some(wrong) = wrong_call(&value) {
        return InputLine::Refused(answer(&value["id"], -32602, wrong));
    }
    let (id, is_call) = (value["id"].clone(), value.get("method").is_some());
    match serde_json::from_value(value) {
        Ok(message) => InputLine::Message(Box::new(message)),
        // An unknown notification needs no answer.
        Err(_) if is_call && id.is_null() => InputLine::Nothing,
        Err(_) => InputLine::Refused(answer(&id, -32600, "Invalid request")),
    }
}

/// Returns the answer to a line that can't be read, if its request is known.
pub(super) fn refusal(line: &[u8], code: i64, message: &str) -> InputLine {
    id_of(line).map_or(InputLine::Nothing, |id| {
        InputLine::Refused(answer(&id, code, message))
    })
}

fn answer(id: &Value, code: i64, message: &str) -> String {
    let error = json!({"code": code, "message": message});
    // An answer without a receiver: the schema of MCP knows an id that is absent, not one that is null.
    if id.is_null() {
        return json!({"jsonrpc": "2.0", "error": error}).to_string();
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
}

/// Returns the fault of a call whose parts have wrong types.
fn wrong_call(value: &Value) -> Option<&'static str> {
    if value["method"] != "tools/call" || value["id"].is_null() {
        return None;
    }
    let (name, arguments) = (&value["params"]["name"], &value["params"]["arguments"]);
    if !name.is_string() {
        return Some("params.name must be the name of a tool");
    }
    let is_valid = arguments.is_object() || arguments.is_null();
    (!is_valid).then_some("params.arguments must be an object")
}

/// Replaces halves of surrogate pairs, which clients send when they cut a text in the middle of an emoji.
fn replace_lone_surrogates(text: &str) -> String {
    let unit = |at: usize| {
        let escape = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(escape, 16).ok()
    };
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    while let Some(found) = text[at..].find('\\') {
        out.push_str(&text[at..at + found]);
        at += found;
        let length = match (unit(at), unit(at + 6)) {
            // A whole pair: two escapes of six characters.
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push_str("\\ufffd");
                at += 6;
                continue;
            }
            // Any other escape goes by in one step: a `u` after two backslashes begins none.
            _ => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&text[at..at + length]);
        at += length;
    }
    out.push_str(&text[at..]);
    out
}

/// Returns the id of a request that is broken somewhere: the value of `id` in the outermost object.
fn id_of(line: &[u8]) -> Option<Value> {
    let (mut depth, mut at) = (0, 0);
    while at < line.len() {
        match line[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let end = string_end(line, at)?;
                let rest = line[end..].trim_ascii_start();
                // Only the message's own id: one further inside belongs to its parameters.
                if depth == 1 && &line[at..end] == b"\"id\"" && rest.first() == Some(&b':') {
                    return scalar(&rest[1..]);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn string_end(line: &[u8], at: usize) -> Option<usize> {
    let mut end = at + 1;
    while line.get(end)? != &b'"' {
        end += if line[end] == b'\\' { 2 } else { 1 };
    }
    Some(end + 1)
}

fn scalar(rest: &[u8]) -> Option<Value> {
    let rest = rest.trim_ascii_start();
    let end = match rest.first()? {
        b'"' => string_end(rest, 0)?,
        _ => rest
            .iter()
            .position(|byte| !byte.is_ascii_digit() && *byte != b'-')
            .unwrap_or(rest.len()),
    };
    serde_json::from_slice(&rest[..end]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> Option<Value> {
        match parse(line.as_bytes()) {
            InputLine::Refused(answer) => Some(serde_json::from_str(&answer).unwrap()),
            InputLine::Message(_) | InputLine::Nothing => None,
        }
    }

    #[test]
    fn halves_of_pairs_are_mended_and_nothing_else() {
        let text = r#"a\ud83d b\\ud83d c\ud83d\ude00 d\udc00 \u00e9 \" \ud83"#;
        assert_eq!(
            replace_lone_surrogates(text),
            r#"a\ufffd b\\ud83d c\ud83d\ude00 d\ufffd \u00e9 \" \ud83"#
        );
        let cut = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"t":"\ud83d"}}}"#;
        assert!(matches!(parse(cut.as_bytes()), InputLine::Message(_)));
    }

    #[test]
    fn a_broken_request_is_answered_by_its_id() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","params":{{"id":"no","x":{}}},"id":"seven"}}"#,
            "[".repeat(200) + &"]".repeat(200)
        );
        for (line, id) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"n":1e400}}"#,
                json!(7),
            ),
            (r#"{"id" : "a\"b", "method":"#, json!("a\"b")),
            (deep.as_str(), json!("seven")),
        ] {
            let answer = refused(line).unwrap();
            assert_eq!(
                (&answer["id"], &answer["error"]["code"]),
                (&id, &json!(-32700)),
                "{line}"
            );
        }
        for line in [
            "not json",
            "{\"method\":",
            "",
            "\u{feff}",
            r#"{"params":{"id":3},"#,
        ] {
            assert!(refused(line).is_none(), "{line}");
        }
    }

    #[test]
    fn calls_of_wrong_types_are_named() {
        for (params, message) in [
            (json!({"name": 5}), "params.name must be the name of a tool"),
            (
                json!({"name": "x", "arguments": []}),
                "params.arguments must be an object",
            ),
        ] {
            let line = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
                .to_string();
            let answer = refused(&line).unwrap();
            assert_eq!(
                (&answer["error"]["code"], &answer["error"]["message"]),
                (&json!(-32602), &json!(message))
            );
        }
    }
}
