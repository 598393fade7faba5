//! Acts as JSON: each is done or refused, a refusal changes nothing, and what is done can be read.
//!
//! An input is up to four steps, separated by newlines. One that begins with `{` is an act as it is written; else its bytes
//! choose an act and its members.

#![no_main]

use std::cell::RefCell;

use fuzz::bytes::Bytes;
use fuzz::store::Filled;
use git_beads::ops::act::{ActRequest, perform};
use git_beads::ops::scene::scene;
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};

const MOST_STEPS: usize = 4;
/// The acts, and members that some of them have.
const ACTS: [&str; 22] = [
    "answer", "ask", "note", "resolve", "accept", "start", "stop", "done", "reopen", "block", "unblock", "defer", "update",
    "create", "split", "dep_add", "dep_rm", "label", "delete", "restore", "undo", "redo",
];
const LISTS: [&str; 6] = ["ids", "labels", "rm", "option", "on", "label"];
const WORDS: [&str; 28] = [
    "id", "text", "to", "reason", "commit", "pr", "file", "until", "plan", "title", "description", "priority", "status", "type",
    "assignee", "due", "defer", "parent", "external_ref", "estimate", "notes", "design", "acceptance", "dep_type", "blocked",
    "blocker", "finding", "seen",
];
const TEXTS: [&str; 12] =
    ["1", "P0", "open", "closed", "bug", "me", "none", "3d", "2026-01-01", "blocks", "- [ ] one\n  - two", "related"];

thread_local!(static FILLED: RefCell<Option<Filled>> = const { RefCell::new(None) });

fuzz_target!(|data: &[u8]| {
    FILLED.with_borrow_mut(|filled| {
        let filled = filled.get_or_insert_with(|| Filled::new("act"));
        filled.scratch.reset();
        // Ids, and the commits of what was done.
        let mut known = filled.ids.clone();
        for step in data.split(|byte| *byte == b'\n').filter(|step| !step.is_empty()).take(MOST_STEPS) {
            let act = serde_json::from_slice(step).unwrap_or_else(|_| chosen(&mut Bytes::new(step), &known));
            take(filled, &act, &mut known);
        }
    });
});

fn take(filled: &Filled, act: &Value, known: &mut Vec<String>) {
    let Ok(request) = serde_json::from_value::<ActRequest>(act.clone()) else { return };
    let before = filled.scratch.tip();
    match perform(&filled.tracker, &request, known) {
        Ok(done) => {
            assert_eq!(done.commit.is_some(), before != filled.scratch.tip(), "{act}: {}", done.said);
            for scene_name in ["rows", "board", "log", "stats"] {
                let found = scene(&filled.tracker, scene_name, json!({}));
                assert!(found.is_ok(), "{act}: {scene_name} {found:?}");
            }
            known.extend(done.commit);
        }
        Err(error) => assert_eq!(before, filled.scratch.tip(), "{act}: {error}"),
    }
}

fn chosen(bytes: &mut Bytes<'_>, known: &[String]) -> Value {
    let mut act = Map::new();
    act.insert("act".to_owned(), json!(bytes.one(&ACTS)));
    for _ in 0..bytes.below(6) {
        let is_list = bytes.below(2) == 0;
        let name = if is_list { *bytes.one(&LISTS) } else { *bytes.one(&WORDS) };
        let value = match is_list {
            true => (0..bytes.below(4)).map(|_| word(bytes, known)).collect(),
            false => word(bytes, known),
        };
        act.insert(name.to_owned(), value);
    }
    Value::Object(act)
}

fn word(bytes: &mut Bytes<'_>, known: &[String]) -> Value {
    match bytes.below(8) {
        0 => bytes.value(),
        1 => json!(bytes.text()),
        2 => json!(bytes.one(&TEXTS)),
        _ => json!(bytes.one(known)),
    }
}
