//! A store with some issues, and texts in them that want to be more than text.

use git_beads::ops::act::{ActRequest, Acted, perform};
use git_beads::ops::verbs::init::{Init, init};
use git_beads::ops::{Intent, Tracker, open};
use serde_json::{Value, json};

use crate::scratch::Scratch;

const HOSTILE: &str =
    "a\u{1b}[31mb\u{202e}c\u{7}\n# d\n\n- <script>\n\n| e | f |\n|-|-|\n| 日本 | 👩\u{200d}💻 |\n\n```\n\u{9b}2J\n```";

/// A repository with issues, its tracker, and their ids.
pub struct Filled {
    pub scratch: Scratch,
    pub tracker: Tracker,
    pub ids: Vec<String>,
}

impl Filled {
    /// Makes one.
    pub fn new(target: &str) -> Self {
        let scratch = Scratch::new(target);
        let tracker = open(&scratch.location(), None, Intent::Write).expect("a tracker");
        let begin: Init = serde_json::from_value(json!({"prefix": "bd"})).expect("a request");
        init(&tracker, &begin).expect("a store");
        let mut filled = Self { scratch, tracker, ids: Vec::new() };
        filled.create(json!({"title": "Epic", "type": "epic", "description": HOSTILE}));
        filled.create(json!({"title": "Task", "priority": "0", "parent": filled.ids[0], "label": "x"}));
        filled.create(json!({"title": "Waits \u{202e}", "assignee": "ann", "on": [filled.ids[1]]}));
        filled.create(json!({"title": "x".repeat(300), "due": "2026-01-01", "design": HOSTILE}));
        let (first, last) = (filled.ids[1].clone(), filled.ids[3].clone());
        filled.act(&json!({"act": "ask", "id": first, "text": "Which?", "option": ["one", "two"]}));
        filled.act(&json!({"act": "done", "ids": [last], "reason": "easy"}));
        filled.scratch.keep();
        filled
    }

    fn create(&mut self, mut act: Value) {
        act["act"] = "create".into();
        let done = serde_json::to_value(self.act(&act)).expect("JSON");
        self.ids.push(done["heads"][0]["id"].as_str().expect("an id").to_owned());
    }

    fn act(&self, act: &Value) -> Acted {
        let request: ActRequest = serde_json::from_value(act.clone()).unwrap_or_else(|error| panic!("{error}: {act}"));
        perform(&self.tracker, &request, &[]).unwrap_or_else(|error| panic!("{error:?}: {act}"))
    }
}
