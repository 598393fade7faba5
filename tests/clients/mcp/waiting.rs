//! Calls that wait: they end with news, take no thread meanwhile, and can be cancelled.

use serde_json::{Value, json};

use super::Agent;
use crate::support::World;
use crate::support::events::{CANCELLED, Events, WAITS_FOR_NEWS};

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

/// An agent and an issue that it made.
struct Scene {
    world: World,
    events: Events,
    agent: Agent,
    id: String,
    /// The issue that it waits for.
    before: String,
}

fn scene() -> Scene {
    let mut world = World::with_store();
    let events = world.events();
    let mut agent = Agent::with(&world, &["--profile", "full"]);
    let id = agent.create("Wire cache", json!({}));
    // A wait for what can be started already would be over at once.
    let before = agent.create("Before it", json!({}));
    agent.call("task_link", json!({"id": id, "depends_on": [before]}));
    Scene {
        world,
        events,
        agent,
        id,
        before,
    }
}

impl Scene {
    /// Waits for news of the issue, after the server has looked at it.
    fn wait(&mut self) -> u64 {
        let before = self.events.count(WAITS_FOR_NEWS);
        let arguments = json!({"id": self.id, "wait": 50});
        let call = self.agent.begin("task_status", arguments);
        self.events.wait(WAITS_FOR_NEWS, before + 1);
        call
    }
}

#[test]
fn each_kind_of_news_ends_a_wait() {
    let mut scene = scene();
    let other = scene.agent.create("Other", json!({}));
    let changed = |answer: &Value| {
        assert_eq!(answer["next"], "continue", "{answer}");
        assert_eq!(answer["waited"], json!({"changed": true}), "{answer}");
    };
    let call = scene.wait();
    scene.world.bd(&["note", &scene.id, "a comment"]).ok();
    changed(&scene.agent.answer(call));
    // That it waits for another one is a change; that it does not any more makes it ready.
    let call = scene.wait();
    scene
        .world
        .bd(&["dep", "add", &scene.id, "--on", &other])
        .ok();
    changed(&scene.agent.answer(call));
    scene.world.bd(&["done", &scene.before]).ok();
    let call = scene.wait();
    scene.world.bd(&["done", &other]).ok();
    let ready = scene.agent.answer(call);
    changed(&ready);
    assert!(ready.get("blocked_by").is_none(), "{ready}");
    scene.agent.call(
        "task_progress",
        json!({"id": scene.id, "question": "Keep it?"}),
    );
    let call = scene.wait();
    scene.world.bd_as("lea", &["answer", &scene.id, "yes"]).ok();
    let answered = scene.agent.answer(call);
    changed(&answered);
    assert_eq!(answered["questions"][0]["answer"], "yes");
    scene.agent.settle();
    scene.agent.call("task_status", json!({}));
    scene.world.bd_as("lea", &["start", &scene.id]).ok();
    let call = scene.wait();
    scene.world.bd_as("lea", &["done", &scene.id]).ok();
    let closed = scene.agent.answer(call);
    changed(&closed);
    assert_eq!(closed["issue"]["status"], "closed");
    // There is nothing more to wait for.
    let closed = scene
        .agent
        .call("task_status", json!({"id": scene.id, "wait": 50}));
    assert_eq!(closed["waited"], json!({"changed": false}));
    assert_eq!(closed["next"], "continue");
}

#[test]
fn a_notice_about_another_issue_ends_a_wait() {
    let mut scene = scene();
    let other = scene.agent.create("Other", json!({}));
    scene.agent.call("task_start", json!({"id": other}));
    let call = scene.wait();
    scene.world.bd_as("lea", &["start", &other, "--force"]).ok();
    let told = scene.agent.answer(call);
    assert_eq!(told["waited"], json!({"changed": true}), "{told}");
    assert!(told.to_string().contains("was taken over by lea"), "{told}");
}

#[test]
fn no_one_is_waited_for_once_the_input_has_ended() {
    let mut scene = scene();
    scene.wait();
    scene.agent.close();
    let answer = scene.agent.receive();
    assert!(
        answer.to_string().contains("the input has ended"),
        "{answer}"
    );
    assert_eq!(scene.agent.end().0, 0);
}

#[test]
fn what_the_caller_does_itself_is_no_news() {
    let mut scene = scene();
    let call = scene.wait();
    scene.agent.call(
        "task_progress",
        json!({"id": scene.id, "findings": ["slow"]}),
    );
    // It looks again after each change, and waits on.
    scene.events.wait(WAITS_FOR_NEWS, 2);
    scene.world.create(&["Something else"]);
    scene.events.wait(WAITS_FOR_NEWS, 3);
    scene.world.bd(&["note", &scene.id, "a comment"]).ok();
    assert_eq!(scene.agent.answer(call)["waited"], json!({"changed": true}));
}

#[test]
fn a_wait_that_is_over_asks_to_be_repeated() {
    let mut scene = scene();
    let over = scene
        .agent
        .call("task_status", json!({"id": scene.id, "wait": 1}));
    assert_eq!(scene.events.count(WAITS_FOR_NEWS), 1);
    assert_eq!(
        (&over["next"], &over["kind"]),
        (&"retry".into(), &"issue".into())
    );
    assert_eq!(over["waited"], json!({"changed": false}));
    let none = scene
        .agent
        .call("task_status", json!({"id": scene.id, "wait": 0}));
    assert!(none.get("waited").is_none(), "{none}");
}

#[test]
fn what_is_so_already_is_not_waited_for() {
    let mut scene = scene();
    let wait = |scene: &mut Scene, seconds: u8| {
        let arguments = json!({"id": scene.id, "wait": seconds});
        let answer = scene.agent.call("task_status", arguments);
        assert_eq!(answer["waited"], json!({"changed": false}), "{answer}");
        answer["next"].clone()
    };
    scene.world.bd(&["done", &scene.before]).ok();
    assert_eq!(wait(&mut scene, 50), "continue", "ready");
    // What is mine can change, but no one has said that it will.
    scene.agent.call("task_start", json!({"id": scene.id}));
    assert_eq!(wait(&mut scene, 1), "continue", "mine");
    scene.agent.call(
        "task_progress",
        json!({"id": scene.id, "question": "Keep it?"}),
    );
    assert_eq!(wait(&mut scene, 1), "retry", "an answer can come");
    scene.world.bd_as("lea", &["answer", &scene.id, "yes"]).ok();
    scene.agent.call("task_status", json!({}));
    assert_eq!(wait(&mut scene, 50), "continue", "answered");
    // What was blocked for what it waited for is open with that.
    let later = scene.agent.create("Later", json!({}));
    scene
        .agent
        .call("task_link", json!({"id": later, "depends_on": [scene.id]}));
    scene
        .agent
        .call("task_progress", json!({"id": later, "status": "blocked"}));
    scene
        .agent
        .call("task_done", json!({"id": scene.id, "reason": "ok"}));
    scene.id = later;
    assert_eq!(wait(&mut scene, 50), "continue", "free again");
    assert_eq!(scene.events.count(WAITS_FOR_NEWS), 2);
}

#[test]
fn what_was_not_told_yet_ends_a_wait_at_once() {
    let mut scene = scene();
    scene.agent.call(
        "task_progress",
        json!({"id": scene.id, "question": "Keep it?"}),
    );
    scene.world.bd_as("lea", &["answer", &scene.id, "yes"]).ok();
    let answered = scene
        .agent
        .call("task_status", json!({"id": scene.id, "wait": 50}));
    assert_eq!(answered["waited"], json!({"changed": true}));
    assert_eq!(answered["questions"][0]["by"], "lea 2026-11-20");
    assert_eq!(answered["notices"].as_array().unwrap().len(), 1);
    let again = scene
        .agent
        .call("task_status", json!({"id": scene.id, "wait": 1}));
    assert_eq!(again["waited"], json!({"changed": false}));
}

#[test]
fn waiting_calls_take_no_thread_and_can_be_cancelled() {
    let mut scene = scene();
    let calls: Vec<u64> = (0..12)
        .map(|_| {
            scene
                .agent
                .begin("task_status", json!({"id": scene.id, "wait": 50}))
        })
        .collect();
    // Far more than the threads of the pool wait, and the others go on, reads and writes.
    scene.events.wait(WAITS_FOR_NEWS, 12);
    for n in 0..5 {
        scene.agent.create(&format!("Beside {n}"), json!({}));
    }
    let (cancelled, kept) = calls.split_at(11);
    for call in cancelled {
        let params = json!({"requestId": call, "reason": "no more"});
        scene.agent.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
                .to_string(),
        );
    }
    scene.events.wait(CANCELLED, 11);
    scene.world.bd(&["note", &scene.id, "a comment"]).ok();
    // Only the one that was not cancelled is answered.
    assert_eq!(
        scene.agent.answer(kept[0])["waited"],
        json!({"changed": true})
    );
}

#[test]
fn the_tool_wait_is_the_verb() {
    let mut scene = scene();
    scene.world.bd(&["done", &scene.before]).ok();
    let ready = scene
        .agent
        .call("wait", json!({"ids": [scene.id], "until": "ready"}));
    assert_eq!(
        ready,
        json!({"kind": "report", "next": "continue", "until": "ready", "waited": "0s",
            "true": [{"id": scene.id, "status": "open"}]})
    );
    let over = scene.agent.call(
        "wait",
        json!({"ids": scene.id, "until": "closed", "timeout": 1}),
    );
    assert_eq!(
        over,
        json!({"kind": "report", "next": "retry", "until": "closed", "waited": "1s"})
    );
    let before = scene.events.count(WAITS_FOR_NEWS);
    let call = scene
        .agent
        .begin("wait", json!({"ids": [scene.id], "until": "CLOSED"}));
    let anything = scene.agent.begin("wait", json!({"until": "changed"}));
    scene.events.wait(WAITS_FOR_NEWS, before + 2);
    scene.world.bd(&["done", &scene.id]).ok();
    let mut said: Vec<(Value, Value)> = (0..2)
        .map(|_| scene.agent.receive())
        .map(|answer| {
            let text = answer["result"]["content"][0]["text"].as_str().unwrap();
            let answered: Value = serde_json::from_str(text).unwrap();
            (answer["id"].clone(), answered["true"].clone())
        })
        .collect();
    said.sort_by_key(|(id, _)| id.as_u64());
    let closed = json!([{"id": scene.id, "status": "closed"}]);
    assert_eq!(
        said,
        [(call.into(), closed.clone()), (anything.into(), closed)]
    );
}

#[test]
fn every_refusal_says_what_is_missing() {
    let mut scene = scene();
    let refused = scene.agent.refused("task_status", json!({"wait": 5}));
    assert_eq!(
        refused["message"],
        "Missing required fields: id, which wait is for"
    );
    assert_eq!(refused["hint"], "task_status(id=\"ID\", wait=50)");
    assert_eq!(
        scene.agent.message("wait", json!({"ids": [scene.id]})),
        "Missing required fields: until"
    );
    assert_eq!(
        scene
            .agent
            .message("wait", json!({"ids": [scene.id], "until": "done"})),
        "`done` is not a state: closed, ready, answered, changed"
    );
    assert_eq!(
        scene.agent.message("wait", json!({"until": "closed"})),
        "no ID given that is to be closed"
    );
    let nothing = scene
        .agent
        .refused("wait", json!({"ids": [scene.id], "until": "answered"}));
    assert_eq!(
        nothing["hint"],
        format!("task_progress(id=\"{}\", question=\"QUESTION\")", scene.id)
    );
    scene
        .agent
        .call("task_done", json!({"id": scene.id, "reason": "ok"}));
    let closed = scene
        .agent
        .refused("wait", json!({"ids": [scene.id], "until": "ready"}));
    assert_eq!(
        (&closed["code"], &closed["next"]),
        (&"closed".into(), &"await_user".into())
    );
    let elsewhere = scene.agent.refused("task_list", json!({"wait": 5}));
    assert_eq!(elsewhere["hint"], "task_status(wait=5)");
}

#[test]
fn a_batch_of_the_two_tools_waits_as_well() {
    let mut scene = scene();
    let mut two = Agent::with(&scene.world, &["--profile", "two"]);
    let context = json!({"workspaceId": "default", "sessionId": "s", "memory": "m", "goal": "g"});
    let calls = json!([
        {"tool": "task_status", "params": {"id": scene.id, "wait": 50}},
        {"tool": "task_status", "params": {"id": scene.id, "wait": 50}},
    ]);
    let call = two.begin(
        "useTools",
        json!({"context": context, "strategy": "parallel", "calls": calls}),
    );
    scene.events.wait(WAITS_FOR_NEWS, 2);
    scene.agent.call(
        "task_progress",
        json!({"id": scene.id, "findings": ["slow"]}),
    );
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
