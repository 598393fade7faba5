//! What needs no store: requests as JSON, the table, and why an act is not possible.

use std::collections::BTreeSet;

use schemars::schema_for;
use serde_json::{Value, json};

use super::table::ACTS;
use super::*;
use crate::model::Party;
use crate::ops::answer::{Reference, Summary};
use crate::ops::scene::rows::Head;

fn read(json: Value) -> Result<ActRequest, String> {
    serde_json::from_value(json).map_err(|error| error.to_string())
}

/// Returns a request of each act with the least that it asks for.
fn least() -> Vec<Value> {
    vec![
        json!({"act": "answer", "id": "a-1", "text": "yes"}),
        json!({"act": "ask", "id": "a-1", "text": "why"}),
        json!({"act": "note", "id": "a-1"}),
        json!({"act": "resolve", "id": "a-1", "field": "title"}),
        json!({"act": "accept", "ids": ["a-1"]}),
        json!({"act": "start", "id": "a-1"}),
        json!({"act": "stop", "ids": ["a-1"]}),
        json!({"act": "done", "ids": ["a-1"]}),
        json!({"act": "reopen", "ids": ["a-1"]}),
        json!({"act": "block", "ids": ["a-1"]}),
        json!({"act": "unblock", "ids": ["a-1"]}),
        json!({"act": "defer", "ids": ["a-1"]}),
        json!({"act": "update", "ids": ["a-1"]}),
        json!({"act": "create"}),
        json!({"act": "split", "id": "a-1", "plan": "- A"}),
        json!({"act": "dep_add", "id": "a-1", "on": ["a-2"]}),
        json!({"act": "dep_rm", "id": "a-1", "on": ["a-2"]}),
        json!({"act": "label", "ids": ["a-1"]}),
        json!({"act": "delete", "ids": ["a-1"]}),
        json!({"act": "restore", "ids": ["a-1"]}),
        json!({"act": "undo", "commit": "c"}),
        json!({"act": "redo", "commit": "c"}),
    ]
}

#[test]
fn each_act_is_read_and_takes_nothing_unknown() {
    for (line, given) in least().into_iter().enumerate() {
        let request = read(given.clone()).unwrap();
        assert_eq!(request.seen, None, "{line}");
        let mut with = given.clone();
        with["seen"] = json!("abc");
        assert_eq!(read(with).unwrap().seen.as_deref(), Some("abc"));
        let mut with = given.clone();
        with["colour"] = json!("red");
        let refusal = read(with).unwrap_err();
        assert!(refusal.starts_with("unknown field `colour`"), "{refusal}");
        for member in given.as_object().unwrap().keys() {
            let mut without = given.clone();
            without.as_object_mut().unwrap().remove(member);
            let may_lack = given["act"] == "resolve" && member != "act";
            assert!(
                read(without).is_err() != may_lack,
                "{given} without {member}"
            );
        }
    }
    assert!(read(json!({"act": "purge", "ids": ["a-1"]})).is_err());
    assert!(read(json!({"act": "update", "ids": ["a-1"], "status": "closed"})).is_err());
    assert!(read(json!({"act": "update", "ids": ["a-1"], "priority": 1})).is_err());
    assert!(read(json!({"act": "accept", "ids": ["a-1"], "seen": 1})).is_err());
}

#[test]
fn the_schema_has_each_act_with_its_members() {
    let schema = json!(schema_for!(ActRequest));
    let acts = schema["oneOf"].as_array().unwrap();
    assert_eq!(acts.len(), least().len());
    for (schema, given) in acts.iter().zip(sorted(acts)) {
        let properties = schema["properties"].as_object().unwrap();
        assert_eq!(schema["additionalProperties"], false, "{schema}");
        assert!(properties.contains_key("seen"));
        for member in given.as_object().unwrap().keys() {
            assert!(properties.contains_key(member), "{member}: {schema}");
        }
    }
}

/// Returns the least requests in the order of the schema.
fn sorted(acts: &[Value]) -> Vec<Value> {
    let names = acts
        .iter()
        .map(|schema| &schema["properties"]["act"]["const"]);
    let all = least();
    let find = |name: &Value| {
        all.iter()
            .find(|given| given["act"] == *name)
            .unwrap()
            .clone()
    };
    names.map(find).collect()
}

#[test]
fn the_table_has_each_act_once() {
    let kinds: BTreeSet<String> = ACTS
        .iter()
        .map(|line| json!(line.kind).to_string())
        .collect();
    let known: BTreeSet<String> = least()
        .iter()
        .map(|given| given["act"].to_string())
        .collect();
    assert_eq!((kinds, ACTS.len()), (known, least().len()));
    let words: BTreeSet<&str> = ACTS.iter().map(|line| line.words).collect();
    assert_eq!(words.len(), ACTS.len());
}

fn head(status: &str) -> Head {
    Head {
        summary: Summary {
            id: "a-1".to_owned(),
            status: status.to_owned(),
            ..Summary::default()
        },
        uid: "00000000000000000000000001".parse().unwrap(),
        ..Head::default()
    }
}

fn party(person: &str, agent: Option<&str>) -> Party {
    Party {
        person: person.to_owned(),
        agent: agent.map(str::to_owned),
    }
}

/// Returns why Ann can't do something, with the acts named as JSON names them.
fn why(kind: ActKind, head: &Head) -> Option<String> {
    why_not(kind, head, &party("Ann", None))
}

fn why_not(kind: ActKind, head: &Head, caller: &Party) -> Option<String> {
    let name = |act: ActKind| json!(act).as_str().unwrap().to_owned();
    kind.can(head, caller).err().map(|why| why.sentence(name))
}

#[test]
fn each_state_has_its_sentence() {
    use ActKind as Act;
    let said = |text: &str| Some(text.to_owned());
    let open = head("open");
    let closed = head("closed");
    let deleted = head("tombstone");
    let in_progress = head("in_progress");
    for line in &ACTS {
        let expected = match line.kind {
            Act::Restore | Act::Undo | Act::Redo | Act::Create => None,
            _ => said("deleted: `restore` brings it back"),
        };
        assert_eq!(why(line.kind, &deleted), expected);
    }
    for kind in [
        Act::Ask,
        Act::Start,
        Act::Stop,
        Act::Done,
        Act::Block,
        Act::Unblock,
        Act::Defer,
    ] {
        assert_eq!(
            why(kind, &closed),
            said("closed: `reopen` reopens"),
            "{kind:?}"
        );
    }
    for kind in [
        Act::Accept,
        Act::Reopen,
        Act::Note,
        Act::Update,
        Act::Label,
        Act::Delete,
        Act::Split,
    ] {
        assert_eq!(why(kind, &closed), None, "{kind:?}");
    }
    for kind in [Act::Accept, Act::Reopen] {
        assert_eq!(
            why(kind, &open),
            said("not closed: `done` closes"),
            "{kind:?}"
        );
    }
    for kind in [
        Act::Start,
        Act::Done,
        Act::Block,
        Act::Defer,
        Act::Update,
        Act::DepAdd,
        Act::DepRm,
        Act::Resolve,
    ] {
        assert_eq!(why(kind, &open), None, "{kind:?}");
    }
    assert_eq!(why(Act::Restore, &open), said("not deleted"));
    assert_eq!(
        why(Act::Stop, &open),
        said("not in progress: `start` starts")
    );
    assert_eq!(why(Act::Stop, &in_progress), None);
    assert_eq!(
        why(Act::Answer, &open),
        said("asks nothing: `note` comments")
    );
    assert_eq!(
        why(
            Act::Answer,
            &Head {
                asks: true,
                ..head("open")
            }
        ),
        None
    );
    assert_eq!(
        why(Act::Unblock, &open),
        said("not blocked: `block` blocks it")
    );
    assert_eq!(why(Act::Unblock, &head("deferred")), None);
}

#[test]
fn what_others_have_has_its_sentence() {
    use ActKind as Act;
    let said = |text: &str| Some(text.to_owned());
    let held = |status: &str, by: Party| {
        let mut head = head(status);
        (head.summary.assignee, head.summary.agent) = (Some(by.person), by.agent);
        head
    };
    assert_eq!(
        why(Act::Start, &held("open", party("Ben", None))),
        said("assigned to Ben: `update` assigns")
    );
    assert_eq!(why(Act::Start, &held("open", party("Ann", None))), None);
    let mine = held("in_progress", party("Ann", None));
    assert_eq!(
        why(Act::Start, &mine),
        said("you work on it: `stop` lets go")
    );
    // The verb knows whether its agent has left it.
    assert_eq!(
        why(Act::Start, &held("in_progress", party("Ben", Some("bot")))),
        None
    );
    let waits = Head {
        blockers: vec![Reference {
            id: "a-2".to_owned(),
            title: String::new(),
        }],
        blocker_count: 3,
        ..head("open")
    };
    assert_eq!(
        why(Act::Unblock, &waits),
        said("waits for a-2 and 2 more: `dep_rm` removes that")
    );
    let agent = party("Ann", Some("bot"));
    assert_eq!(
        why_not(Act::Accept, &head("closed"), &agent),
        said("only a person can accept")
    );
    let asks = Head {
        asks: true,
        ..head("open")
    };
    assert_eq!(
        why_not(Act::Answer, &asks, &agent),
        said("only a person can answer")
    );
    let mut review = head("open");
    review.summary.labels = vec!["review".to_owned()];
    assert_eq!(why(Act::Accept, &review), None);
}
