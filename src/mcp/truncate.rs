//! Answers of bounded size: longer ones are cut and say so.
//!
//! A list of rows is the common case and is cut without looking into the rows. Anything else is
//! parsed and shortened, the longest texts and lists first, until the answer fits.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::sanitize::harmless;

/// Largest number of characters of an answer, below the limit at which clients warn.
pub(super) const LONGEST: usize = 40_000;
/// Texts are not cut shorter than this.
const SHORTEST_TEXT: usize = 200;
/// Rows are shorter than this.
const LONGEST_ROW: usize = 2_000;

/// The key by which a part of a longer list is known.
const TOTAL: &str = "total_count";
/// Claims of the issues in a list: left out where the list is cut, as `task_status` with an id shows them.
const CLAIMS: &str = "claims";
/// Hint of a page that was cut, as JSON.
const PAGE_HINT: &str = "\"the page was cut: ask for a smaller limit\"";

/// The entries of an object in their order, as they are written.
struct ObjectEntries<'a>(Vec<(&'a str, &'a RawValue)>);

impl<'de> Deserialize<'de> for ObjectEntries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = ObjectEntries<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(ObjectEntries(entries))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Leaves out the last rows of an answer that is mainly one list of short ones; none if it is
/// anything else.
pub(super) fn cut_rows(text: &str, limit: usize) -> Option<String> {
    let ObjectEntries(mut entries) = serde_json::from_str(text).ok()?;
    let others = entries.iter().position(|(name, _)| *name == CLAIMS);
    let claims = others.map_or(0, |n| entries.remove(n).1.get().len());
    let length = text.len() - claims;
    let (name, list) = entries.iter().max_by_key(|(_, value)| value.get().len())?;
    let mut rows: Vec<&RawValue> = serde_json::from_str(list.get()).ok()?;
    // Not a list of rows after all, or rows so long that cutting inside of them keeps more.
    if list.get().len() * 2 < length || rows.iter().any(|row| row.get().len() > LONGEST_ROW) {
        return None;
    }
    // 200 for the members that say what was left out.
    let room = limit.checked_sub(200 + length - list.get().len())?;
    let total = rows.len();
    let mut used = 0;
    rows.retain(|row| {
        used += row.get().len() + 1;
        used < room
    });
    let list = format!(
        "[{}]",
        rows.iter()
            .map(|row| row.get())
            .collect::<Vec<_>>()
            .join(",")
    );
    let is_page = entries.iter().any(|(name, _)| *name == TOTAL);
    let part = |(key, value): &(&str, &RawValue)| match *key {
        key if key == *name => Some(format!("\"{key}\":{list}")),
        // Written again below.
        "truncated" => None,
        "hint" if is_page => Some(format!("\"hint\":{PAGE_HINT}")),
        key => Some(format!("\"{key}\":{}", value.get())),
    };
    let mut parts: Vec<String> = entries.iter().filter_map(part).collect();
    parts.push("\"truncated\":true".to_owned());
    if !is_page {
        parts.push(format!("\"more\":{{\"{name}\":{}}}", total - rows.len()));
    }
    Some(format!("{{{}}}", parts.join(",")))
}

/// Leaves out the last rows of an answer that is a list, and says so in a row behind them; none if it is anything else.
pub(super) fn cut_list(text: &str, limit: usize) -> Option<String> {
    let rows: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    // 60 for the row that says what was left out.
    let room = limit.saturating_sub(60);
    let mut used = 0;
    let kept = rows.iter().take_while(|row| {
        used += row.get().len() + 1;
        used < room
    });
    let mut list: Vec<String> = kept.map(|row| row.get().to_owned()).collect();
    // The first row is in the answer in any case, cut inside.
    let is_cut = list.is_empty().then(|| rows.first()).flatten();
    list.extend(is_cut.map(|row| cut(serde_json::from_str(row.get()).unwrap_or_default(), room)));
    let more = rows.len() - list.len();
    list.push(format!("{{\"truncated\":true,\"more\":{more}}}"));
    Some(format!("[{}]", list.join(",")))
}

/// Returns true if a text is a list of short rows, or of more rows than to cut inside of each.
pub(super) fn is_list_of_rows(text: &str, limit: usize) -> bool {
    let rows: Result<Vec<&RawValue>, _> = serde_json::from_str(text);
    rows.is_ok_and(|rows| {
        rows.len() > limit / LONGEST_ROW || rows.iter().all(|row| row.get().len() <= LONGEST_ROW)
    })
}

/// Shortens an answer until it fits: the longest texts and lists first; flags name the parts that
/// were cut.
pub(super) fn cut(mut value: Value, limit: usize) -> String {
    if let Value::Object(map) = &mut value {
        map.remove(CLAIMS);
    }
    loop {
        let text = in_order(&value);
        let excess = text.chars().count().saturating_sub(limit);
        if excess == 0 || !shorten(&mut value, excess) {
            return text;
        }
    }
}

/// Writes an answer with `kind` and `next` first, as they were before it was parsed.
fn in_order(value: &Value) -> String {
    // Parsed objects are sorted by name; a model should read `kind` and `next` first.
    let (Value::Object(map), true) = (value, value.get("kind").is_some()) else {
        return harmless(value);
    };
    let first = ["kind", "next"]
        .into_iter()
        .filter_map(|key| Some((key, map.get(key)?)));
    let rest = map
        .iter()
        .filter(|(key, _)| !["kind", "next"].contains(&key.as_str()));
    let all = first.chain(rest.map(|(key, value)| (key.as_str(), value)));
    let parts: Vec<String> = all
        .map(|(key, value)| format!("{}:{}", harmless(&key), harmless(value)))
        .collect();
    format!("{{{}}}", parts.join(","))
}

/// Cuts the largest text or list by as much as is too much, by half at most; false if nothing is left to
/// cut.
fn shorten(value: &mut Value, excess: usize) -> bool {
    let mut largest = (0, Vec::new());
    find(value, &mut Vec::new(), &mut largest);
    let (size, path) = largest;
    if path.is_empty() {
        return false;
    }
    // The excess is in characters, sizes are in bytes, and flags take space too.
    let part =
        |n: usize| n - (n * (excess + excess / 8 + 200) / size.max(1)).clamp(1, n.div_ceil(2));
    let pointer = format!("/{}", path.join("/"));
    let left_out = match value.pointer_mut(&pointer) {
        Some(Value::String(text)) => {
            let keep = part(text.chars().count());
            *text = text.chars().take(keep).chain("...".chars()).collect();
            0
        }
        Some(Value::Array(items)) => {
            let keep = part(items.len());
            // Of memory the newest entries stay; they come last.
            if path[0] == "memory" {
                items.drain(..items.len() - keep).count()
            } else {
                items.drain(keep..).count()
            }
        }
        _ => return false,
    };
    flag(value, &path, left_out);
    true
}

fn flag(value: &mut Value, path: &[String], left_out: usize) {
    let last = path.last().cloned().unwrap_or_default();
    if path[0] == "memory" {
        let memory = &mut value["memory"];
        memory["truncated"] = true.into();
        if left_out > 0 {
            let known = memory["more"][&last].as_u64().unwrap_or(0);
            memory["more"][&last] = (known + left_out as u64).into();
        }
        return;
    }
    let Value::Object(map) = value else { return };
    if ["description", "design", "acceptance"].contains(&last.as_str())
        && path[0] == "issue"
        && path.len() == 2
    {
        let cut = map
            .entry("meta_truncated")
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(cut) = cut
            && !cut.iter().any(|name| *name == last)
        {
            cut.push(last.into());
        }
        return;
    }
    if path[0] == "issues" && map.contains_key(TOTAL) {
        map.insert(
            "hint".into(),
            serde_json::from_str(PAGE_HINT).unwrap_or_default(),
        );
    } else if left_out > 0 {
        let more = map
            .entry("more")
            .or_insert_with(|| Value::Object(Map::new()));
        more[&last] = (more[&last].as_u64().unwrap_or(0) + left_out as u64).into();
    }
    map.insert("truncated".into(), true.into());
}

fn find(value: &Value, path: &mut Vec<String>, largest: &mut (usize, Vec<String>)) {
    let mut consider = |size: usize, path: &[String]| {
        if size > largest.0 && !path.is_empty() {
            *largest = (size, path.to_vec());
        }
    };
    match value {
        Value::String(text) if text.len() > SHORTEST_TEXT => consider(text.len(), path),
        Value::Array(items) if items.len() > 1 => {
            let sizes = items.iter().map(|item| harmless(item).len());
            let (total, most) =
                sizes.fold((0, 0), |(sum, most), size| (sum + size, most.max(size)));
            // One long text in a list is cut itself.
            if most * 2 < total {
                consider(total, path);
            }
        }
        _ => {}
    }
    let mut below = |name: String, value: &Value| {
        path.push(name);
        find(value, path, largest);
        path.pop();
    };
    match value {
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                below(i.to_string(), item);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                // As a JSON pointer spells them.
                below(key.replace('~', "~0").replace('/', "~1"), item);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mcp::response::{Response, fit};

    #[test]
    fn long_answers_are_cut_and_say_so() {
        let texts: Vec<String> = (0..500)
            .map(|i| format!("{i} {}", "x".repeat(300)))
            .collect();
        let answer = json!({"kind": "issue", "issue": {"id": "a", "description": "d".repeat(60_000)},
            "memory": {"findings": texts}});
        let text = Response::new(&answer).text;
        assert!(text.chars().count() <= LONGEST);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["meta_truncated"], json!(["description"]));
        let kept = value["memory"]["findings"].as_array().unwrap();
        assert_eq!(kept.last().unwrap(), &texts[499]);
        assert_eq!(
            value["memory"]["more"]["findings"].as_u64().unwrap() as usize,
            500 - kept.len()
        );
        let rows: Vec<Value> = (0..900)
            .map(|i| json!({"id": i, "message": "m".repeat(80)}))
            .collect();
        for (list, limit) in [
            (json!(rows), LONGEST),
            (json!(rows), 500),
            (json!(vec![json!({"n": "n".repeat(2_500)}); 900]), LONGEST),
            (json!(vec![json!({"n": "n".repeat(2_500)}); 900]), 500),
            (json!([{"n": "n".repeat(90_000)}, "o", "p"]), LONGEST / 50),
        ] {
            let text = fit(list.to_string(), limit);
            assert!(text.chars().count() <= limit, "{}", text.len());
            let kept: Vec<Value> = serde_json::from_str(&text).unwrap();
            let all = list.as_array().unwrap().len();
            let last = json!({"truncated": true, "more": all + 1 - kept.len()});
            assert_eq!((kept.len() > 1, kept.last()), (true, Some(&last)));
        }
        let rows: Vec<Value> = (0..900)
            .map(|i| json!({"id": i, "title": "t".repeat(80)}))
            .collect();
        let claims: Map<String, Value> = (0..900)
            .map(|i| (i.to_string(), json!({"by": "Ann/claude-3f2ak"})))
            .collect();
        let mut list = json!({"issues": rows, "claims": claims});
        let response = Response::new(&list).text;
        assert!(response.chars().count() <= LONGEST);
        let value: Value = serde_json::from_str(&response).unwrap();
        let kept = value["issues"].as_array().unwrap().len();
        assert!(kept > 300, "{kept}");
        assert_eq!(
            value["more"]["issues"].as_u64().unwrap() as usize,
            900 - kept
        );
        assert_eq!(
            (&value["truncated"], &value["claims"]),
            (&json!(true), &Value::Null)
        );
        list["total_count"] = 1000.into();
        list["hint"] = "offset=900 shows the next".into();
        let value: Value = serde_json::from_str(&Response::new(&list).text).unwrap();
        assert_eq!(value["hint"], "the page was cut: ask for a smaller limit");
    }
}
