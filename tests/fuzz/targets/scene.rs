//! Scenes: whatever is asked, there is an answer or a reason, and nothing changes.
//!
//! An input is the name of a scene on a line, and JSON behind it; without JSON its bytes choose the members.

#![no_main]

use std::cell::RefCell;

use fuzz::bytes::Bytes;
use fuzz::store::Filled;
use git_beads::ops::scene::scene;
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};

const NAMES: [&str; 8] = ["graph", "stats", "board", "rows", "log", "issue", "words", "none"];
const MEMBERS: [&str; 14] = [
    "query", "offset", "count", "most", "steps", "id", "closed", "keep", "way", "sort", "group", "columns", "issue", "at",
];
const QUERIES: [&str; 10] = [
    "is:open", "-is:ready task", "sort:priority-asc", "group:epic", "label:x OR (priority:0..2)", "\"a b\"", "has:", "due:<3d",
    "text:日", "((((",
];

thread_local!(static FILLED: RefCell<Option<Filled>> = const { RefCell::new(None) });

fuzz_target!(|data: &[u8]| {
    FILLED.with_borrow_mut(|filled| {
        let filled = filled.get_or_insert_with(|| Filled::new("scene"));
        let at = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
        let (name, rest) = (String::from_utf8_lossy(&data[..at]), data.get(at + 1..).unwrap_or_default());
        let (name, asked) = match serde_json::from_slice(rest) {
            Ok(asked) => (name.into_owned(), asked),
            Err(_) => chosen(&mut Bytes::new(data), &filled.ids),
        };
        let before = filled.scratch.tip();
        match scene(&filled.tracker, &name, asked.clone()) {
            Ok(found) => assert!(found["at"].is_string(), "{name} {asked}: {found}"),
            Err(error) => assert!(error.to_string().len() < 20_000, "{name} {asked}: {error}"),
        }
        assert_eq!(before, filled.scratch.tip(), "{name} {asked}");
    });
});

fn chosen(bytes: &mut Bytes<'_>, ids: &[String]) -> (String, Value) {
    let name = (*bytes.one(&NAMES)).to_owned();
    let mut asked = Map::new();
    for _ in 0..bytes.below(5) {
        let member = *bytes.one(&MEMBERS);
        let value = match bytes.below(6) {
            0 => bytes.value(),
            1 => json!(bytes.one(ids)),
            2 => json!(format!("{} {}", bytes.one(&QUERIES), bytes.text())),
            3 => json!(bytes.one(&QUERIES)),
            4 => json!(i64::from(bytes.byte()) - 4),
            _ => json!(bytes.below(2) == 0),
        };
        asked.insert(member.to_owned(), value);
    }
    (name, Value::Object(asked))
}
