//! A scripted agent: it knows a goal, and of the tools only what they list, what they answer, and what `next` says.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::{self, Display};
use std::ops::Add;

use serde_json::{Value, json};

use super::Agent;
use super::hints::calls;
use super::schemas::tokens;
use crate::support::World;

/// A step towards a goal. What comes between two of them is decided by the answers.
pub enum Wish {
    /// A call. A text `@/...` stands for a value of the newest answer that has it (`*`: the first member), `@mine`
    /// for the issue in progress that is the caller's, `@TITLE` for the issue of that title in a list.
    Do(&'static str, Value),
    /// Where the answer asks for a person: they say what to do, which is the step after this one.
    Told,
    /// Where the answer asks for a person: they agree to what the hint proposes.
    Agreed,
}

/// What calls cost a model: `o200k` tokens of the calls that it writes, and of the answers that it reads.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    pub calls: usize,
    sent: usize,
    received: usize,
}

impl Cost {
    /// Counts a call.
    pub fn count(&mut self, tool: &str, arguments: &Value, answer: &str) {
        self.calls += 1;
        self.sent += tokens(&json!({"name": tool, "arguments": arguments}).to_string());
        self.received += tokens(answer);
    }
}

impl Add for Cost {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            sent: self.sent + other.sent,
            received: self.received + other.received,
        }
    }
}

impl Display for Cost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            calls,
            sent,
            received,
        } = self;
        write!(out, "{calls} | {sent} | {received}")
    }
}

/// The agent.
pub struct Scripted {
    agent: Agent,
    /// The tools that are listed, with what is said of each.
    listed: BTreeMap<String, Value>,
    goal: VecDeque<Wish>,
    answers: Vec<Value>,
    /// The issues that it knows to be its own.
    mine: BTreeSet<String>,
    world: String,
    pub cost: Cost,
}

impl Scripted {
    pub fn new(world: &World, mut agent: Agent) -> Self {
        let tools = agent.tools().into_iter();
        Self {
            listed: tools
                .map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool))
                .collect(),
            agent,
            goal: VecDeque::new(),
            answers: Vec::new(),
            mine: BTreeSet::new(),
            world: world.path("").display().to_string(),
            cost: Cost::default(),
        }
    }

    /// Sets a goal.
    pub fn wants(&mut self, goal: impl IntoIterator<Item = Wish>) -> &mut Self {
        self.goal.extend(goal);
        self
    }

    /// Works until the goal is met; returns the last answer.
    #[track_caller]
    pub fn works(&mut self) -> Value {
        while self.step() {}
        assert!(self.goal.is_empty());
        self.answers.last().unwrap().clone()
    }

    /// Makes the next call, if there is one to make.
    #[track_caller]
    pub fn step(&mut self) -> bool {
        let last = self.answers.last().cloned().unwrap_or_default();
        let next = last["next"].as_str().unwrap_or("continue");
        let call = match next {
            _ if self.is_of_another(&last) => Some(hinted(&last)),
            "retry" => Some(hinted(&last)),
            "start_next_ready" => Some(ready(&last)),
            "continue" => self.goal.pop_front().map(|wish| self.wished(wish, &last)),
            "await_user" => self.goal.pop_front().map(|wish| match wish {
                Wish::Agreed => hinted(&last),
                Wish::Told => {
                    let wish = self.goal.pop_front().unwrap();
                    self.wished(wish, &last)
                }
                Wish::Do(tool, _) => panic!("sent to a person before {tool}: {last}"),
            }),
            _ => panic!("{last}"),
        };
        if let Some((tool, arguments)) = &call {
            self.call(tool, arguments);
        }
        call.is_some()
    }

    fn wished(&self, wish: Wish, last: &Value) -> (String, Value) {
        let Wish::Do(tool, arguments) = wish else {
            panic!("nobody is asked: {last}")
        };
        let arguments = self.filled(arguments);
        for name in arguments.as_object().unwrap().keys() {
            let known = &self.listed[tool];
            let named = known["inputSchema"]["properties"].get(name).is_some();
            let told = known["description"].as_str().unwrap().contains(name);
            assert!(named || told, "{tool} says nothing of {name}");
        }
        (tool.to_owned(), arguments)
    }

    fn call(&mut self, tool: &str, arguments: &Value) {
        assert!(self.listed.contains_key(tool), "{tool} is not listed");
        let (text, _) = self.agent.raw(tool, arguments);
        let answer: Value = serde_json::from_str(&text).unwrap();
        self.cost
            .count(tool, arguments, &text.replace(&self.world, "WORLD/"));
        let claims = answer["claims"].as_object().into_iter().flatten();
        let mine = claims.filter(|(_, claim)| claim["mine"] == true);
        self.mine.extend(mine.map(|(id, _)| id.clone()));
        self.answers.push(answer);
    }

    /// Whether an issue that was to be started is in progress by somebody who has the same session.
    fn is_of_another(&self, answer: &Value) -> bool {
        let id = answer["issue"]["id"].as_str().unwrap_or_default();
        answer.get("already_in_progress").is_some()
            && answer["kind"] != "error"
            && !self.mine.contains(id)
    }

    /// Puts what was answered into the arguments of a call.
    fn filled(&self, value: Value) -> Value {
        match value {
            Value::String(text) => match text.strip_prefix('@') {
                Some(name) => json!(self.known(name)),
                None => json!(text),
            },
            Value::Array(values) => values.into_iter().map(|it| self.filled(it)).collect(),
            Value::Object(members) => members
                .into_iter()
                .map(|(name, it)| (name, self.filled(it)))
                .collect(),
            other => other,
        }
    }

    fn known(&self, name: &str) -> String {
        if name == "mine" {
            return self.mine.first().unwrap().clone();
        }
        let mut newest = self.answers.iter().rev();
        let found = newest.find_map(|answer| match name.strip_prefix('/') {
            Some(path) => path.split('/').try_fold(answer, member),
            None => titled(answer, name),
        });
        found.unwrap().as_str().unwrap().to_owned()
    }
}

/// Returns the member of a value that has a name or number, or the first one.
fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) if name == "*" => members.values().next(),
        Value::Object(members) => members.get(name),
        Value::Array(values) => values.get(name.parse::<usize>().unwrap_or(0)),
        _ => None,
    }
}

fn titled<'a>(answer: &'a Value, title: &str) -> Option<&'a Value> {
    let list = answer.as_array().or_else(|| answer["issues"].as_array());
    let found = list?.iter().find(|issue| issue["title"] == title);
    found.map(|issue| &issue["id"])
}

/// Returns the call that a hint proposes.
#[track_caller]
fn hinted(answer: &Value) -> (String, Value) {
    let hint = answer["hint"].as_str().unwrap_or_default();
    let call = calls(hint).into_iter().next();
    call.unwrap_or_else(|| panic!("no call to go on with: {answer}"))
}

/// Returns the call that starts what is ready, as the instructions say it.
fn ready(answer: &Value) -> (String, Value) {
    if answer.get("hint").is_some() {
        return hinted(answer);
    }
    let mut start = json!({"view": "meta", "memory_limit": 5});
    let first = [&answer["next_ready"]["id"], &answer["issues"][0]["id"]];
    match first.into_iter().find(|id| id.is_string()) {
        Some(id) => start["id"] = id.clone(),
        None => start["id"] = json!("next"),
    }
    if answer["epic_id"].is_string() {
        start["parent"] = answer["epic_id"].clone();
    }
    ("task_start".to_owned(), start)
}
