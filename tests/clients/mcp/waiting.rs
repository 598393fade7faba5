//! Calls that wait: they end with news, take no thread meanwhile, and can be cancelled.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;

/// Calls of tools that are made beside each other, by the number of each.
impl Agent {
    fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Reads the answer of a call, which has to be the next one.
    #[track_caller]
    fn answer(&mut self, id: u64) -> Value {
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        serde_json::from_str(text).unwrap()
    }

    /// Calls until the server has begun with all calls before: it takes them in their order.
    fn settle(&mut self) {
        self.call("task_list", json!({}));
    }
}

fn world() -> (World, Agent, String) {
    let world = World::with_store();
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    let id = agent.create("Wire cache", json!({}));
    (world, agent, id)
}

/// Waits for news of an issue, after the server has looked at it.
fn wait(agent: &mut Agent, id: &str) -> u64 {
    let call = agent.begin("task_status", json!({"id": id, "wait": 50}));
    agent.settle();
    std::thread::sleep(Duration::from_millis(300));
    call
}

#[test]
fn each_kind_of_news_ends_a_wait() {
    let (world, mut agent, id) = world();
    let other = agent.create("Other", json!({}));
    let changed = |answer: &Value| {
        assert_eq!(answer["next"], "continue", "{answer}");
        assert_eq!(answer["waited"], json!({"changed": true}), "{answer}");
    };
    let call = wait(&mut agent, &id);
    world.bd(&["note", &id, "a comment"]).ok();
    changed(&agent.answer(call));
    // That it waits for another one is a change; that it does not any more makes it ready.
    let call = wait(&mut agent, &id);
    world.bd(&["dep", "add", &id, "--on", &other]).ok();
    changed(&agent.answer(call));
    let call = wait(&mut agent, &id);
    world.bd(&["done", &other]).ok();
    let ready = agent.answer(call);
    changed(&ready);
    assert!(ready.get("blocked_by").is_none(), "{ready}");
    agent.call("task_progress", json!({"id": id, "question": "Keep it?"}));
    let call = wait(&mut agent, &id);
    world.bd_as("lea", &["answer", &id, "yes"]).ok();
    let answered = agent.answer(call);
    changed(&answered);
    assert_eq!(answered["questions"][0]["answer"], "yes");
    agent.settle();
    agent.call("task_status", json!({}));
    let call = wait(&mut agent, &id);
    world.bd(&["done", &id]).ok();
    let closed = agent.answer(call);
    changed(&closed);
    assert_eq!(closed["issue"]["status"], "closed");
    // There is nothing more to wait for.
    let closed = agent.call("task_status", json!({"id": id, "wait": 50}));
    assert_eq!(closed["waited"], json!({"changed": false}));
    assert_eq!(closed["next"], "continue");
}

#[test]
fn a_notice_about_another_issue_ends_a_wait() {
    let (world, mut agent, id) = world();
    let other = agent.create("Other", json!({}));
    agent.call("task_start", json!({"id": other}));
    let call = wait(&mut agent, &id);
    world.bd_as("lea", &["start", &other, "--force"]).ok();
    let told = agent.answer(call);
    assert_eq!(told["waited"], json!({"changed": true}), "{told}");
    assert!(told.to_string().contains("was taken over by lea"), "{told}");
}

#[test]
fn no_one_is_waited_for_once_the_input_has_ended() {
    let (_world, mut agent, id) = world();
    wait(&mut agent, &id);
    let closed = Instant::now();
    agent.close();
    let answer = agent.receive();
    assert!(
        answer.to_string().contains("the input has ended"),
        "{answer}"
    );
    assert_eq!(agent.end().0, 0);
    // Calls that still run are given five seconds.
    assert!(closed.elapsed() < Duration::from_secs(4));
}

#[test]
fn what_the_caller_does_itself_is_no_news() {
    let (world, mut agent, id) = world();
    let call = wait(&mut agent, &id);
    agent.call("task_progress", json!({"id": id, "findings": ["slow"]}));
    world.create(&["Something else"]);
    std::thread::sleep(Duration::from_millis(400));
    agent.settle();
    world.bd(&["note", &id, "a comment"]).ok();
    assert_eq!(agent.answer(call)["waited"], json!({"changed": true}));
}

#[test]
fn a_wait_that_is_over_asks_to_be_repeated() {
    let (_world, mut agent, id) = world();
    let begin = Instant::now();
    let over = agent.call("task_status", json!({"id": id, "wait": 1}));
    assert!(begin.elapsed() >= Duration::from_secs(1));
    assert_eq!(
        (&over["next"], &over["kind"]),
        (&"retry".into(), &"issue".into())
    );
    assert_eq!(over["waited"], json!({"changed": false}));
    let none = agent.call("task_status", json!({"id": id, "wait": 0}));
    assert!(none.get("waited").is_none(), "{none}");
}

#[test]
fn what_was_not_told_yet_ends_a_wait_at_once() {
    let (world, mut agent, id) = world();
    agent.call("task_progress", json!({"id": id, "question": "Keep it?"}));
    world.bd_as("lea", &["answer", &id, "yes"]).ok();
    let answered = agent.call("task_status", json!({"id": id, "wait": 50}));
    assert_eq!(answered["waited"], json!({"changed": true}));
    assert_eq!(answered["questions"][0]["by"], "lea 2026-11-20");
    assert_eq!(answered["notices"].as_array().unwrap().len(), 1);
    let again = agent.call("task_status", json!({"id": id, "wait": 1}));
    assert_eq!(again["waited"], json!({"changed": false}));
}

#[test]
fn waiting_calls_take_no_thread_and_can_be_cancelled() {
    let (world, mut agent, id) = world();
    let calls: Vec<u64> = (0..12)
        .map(|_| agent.begin("task_status", json!({"id": id, "wait": 50})))
        .collect();
    agent.settle();
    // Far more than the threads of the pool wait, and the others go on, reads and writes.
    let begin = Instant::now();
    for n in 0..5 {
        agent.create(&format!("Beside {n}"), json!({}));
    }
    assert!(begin.elapsed() < Duration::from_secs(30));
    let (cancelled, kept) = calls.split_at(11);
    for call in cancelled {
        let params = json!({"requestId": call, "reason": "no more"});
        agent.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
                .to_string(),
        );
    }
    agent.settle();
    std::thread::sleep(Duration::from_millis(300));
    world.bd(&["note", &id, "a comment"]).ok();
    // Only the one that was not cancelled is answered.
    assert_eq!(agent.answer(kept[0])["waited"], json!({"changed": true}));
}

#[test]
fn the_tool_wait_is_the_verb() {
    let (world, mut agent, id) = world();
    let ready = agent.call("wait", json!({"ids": [id], "until": "ready"}));
    assert_eq!(
        ready,
        json!({"kind": "report", "next": "continue", "until": "ready", "waited": "0s",
            "true": [{"id": id, "status": "open"}]})
    );
    let over = agent.call("wait", json!({"ids": id, "until": "closed", "timeout": 1}));
    assert_eq!(
        over,
        json!({"kind": "report", "next": "retry", "until": "closed", "waited": "1s"})
    );
    let call = agent.begin("wait", json!({"ids": [id], "until": "CLOSED"}));
    let anything = agent.begin("wait", json!({"until": "changed"}));
    agent.settle();
    std::thread::sleep(Duration::from_millis(300));
    world.bd(&["done", &id]).ok();
    let mut said: Vec<(Value, Value)> = (0..2)
        .map(|_| agent.receive())
        .map(|answer| {
            let text = answer["result"]["content"][0]["text"].as_str().unwrap();
            let answered: Value = serde_json::from_str(text).unwrap();
            (answer["id"].clone(), answered["true"].clone())
        })
        .collect();
    said.sort_by_key(|(id, _)| id.as_u64());
    let closed = json!([{"id": id, "status": "closed"}]);
    assert_eq!(
        said,
        [(call.into(), closed.clone()), (anything.into(), closed)]
    );
}

#[test]
fn every_refusal_says_what_is_missing() {
    let (_world, mut agent, id) = world();
    let refused = agent.refused("task_status", json!({"wait": 5}));
    assert_eq!(
        refused["message"],
        "Missing required fields: id, which wait is for"
    );
    assert_eq!(refused["hint"], "task_status(id=\"ID\", wait=50)");
    assert_eq!(
        agent.message("wait", json!({"ids": [id]})),
        "Missing required fields: until"
    );
    assert_eq!(
        agent.message("wait", json!({"ids": [id], "until": "done"})),
        "`done` is not a state: closed, ready, answered, changed"
    );
    assert_eq!(
        agent.message("wait", json!({"until": "closed"})),
        "no ID given that is to be closed"
    );
    let nothing = agent.refused("wait", json!({"ids": [id], "until": "answered"}));
    assert_eq!(
        nothing["hint"],
        format!("task_progress(id=\"{id}\", question=\"QUESTION\")")
    );
    agent.call("task_done", json!({"id": id, "reason": "ok"}));
    let closed = agent.refused("wait", json!({"ids": [id], "until": "ready"}));
    assert_eq!(
        (&closed["code"], &closed["next"]),
        (&"closed".into(), &"await_user".into())
    );
    let elsewhere = agent.refused("task_list", json!({"wait": 5}));
    assert_eq!(elsewhere["hint"], "task_status(wait=5)");
}

#[test]
fn a_batch_of_the_two_tools_waits_as_well() {
    let (world, mut agent, id) = world();
    let mut two = Agent::with(&world, &["--profile", "two"]);
    let context = json!({"workspaceId": "default", "sessionId": "s", "memory": "m", "goal": "g"});
    let calls = json!([
        {"tool": "task_status", "params": {"id": id, "wait": 50}},
        {"tool": "task_status", "params": {"id": id, "wait": 50}},
    ]);
    let call = two.begin(
        "useTools",
        json!({"context": context, "strategy": "parallel", "calls": calls}),
    );
    std::thread::sleep(Duration::from_secs(1));
    agent.call("task_progress", json!({"id": id, "findings": ["slow"]}));
    let answer = two.answer(call);
    let results = answer["data"]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{answer}");
    for result in results {
        assert_eq!(
            result["data"]["waited"],
            json!({"changed": true}),
            "{answer}"
        );
    }
}
