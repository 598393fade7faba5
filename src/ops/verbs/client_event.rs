//! `hook beat`, `hook stop` and `hook session-end`: what a client of an agent reports. No one reads an error, and nothing
//! depends on it.

use crate::index::{Condition, Fact, Order};
use crate::ops::{Command, Result, Tracker};

/// Number of issues that a reminder names.
const NAMED: usize = 3;

/// An event in the session of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientEvent {
    /// It has used a tool.
    Beat,
    /// It has ended its turn.
    Stop,
    /// The session has ended.
    SessionEnd,
}

impl ClientEvent {
    /// Parses the name of an event.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "beat" => Self::Beat,
            "stop" => Self::Stop,
            "session-end" => Self::SessionEnd,
            _ => return None,
        })
    }
}

/// Notes an event; returns what the session is to be reminded of at the end of a turn: what it has in progress, where
/// that is not what it was reminded of the last time.
pub(crate) fn client_event(tracker: &Tracker, event: ClientEvent) -> Result<Option<String>> {
    let Some(agent) = tracker.agent().map(|agent| agent.name.clone()) else {
        return Ok(None);
    };
    let agents = tracker.store().agents();
    match event {
        ClientEvent::SessionEnd => agents.note_end(&agent),
        ClientEvent::Beat | ClientEvent::Stop => {
            tracker.note_activity();
        }
    }
    if event != ClientEvent::Stop {
        return Ok(None);
    }
    let held = held(tracker)?;
    let ids = held.iter().map(|(id, _)| id.clone()).collect();
    let is_new = agents.note_reminder(&agent, ids);
    Ok((is_new && !held.is_empty()).then(|| reminder(&held)))
}

/// Returns the ids and titles of what the agent has in progress.
fn held(tracker: &Tracker) -> Result<Vec<(String, String)>> {
    tracker.read(|view| {
        let own = Condition::from(Fact::Open).and(Fact::Holder(view.tracker.party()));
        let rows = view.index.first(&own, Order::Priority, NAMED + 1, 0)?;
        Ok(rows.into_iter().map(|row| (row.id, row.title)).collect())
    })
}

fn reminder(held: &[(String, String)]) -> String {
    let mut named: Vec<String> = held
        .iter()
        .take(NAMED)
        .map(|(id, title)| format!("{id} {title}"))
        .collect();
    if held.len() > NAMED {
        named.push("others".to_owned());
    }
    let done = Command::of("done")
        .placeholder("ID")
        .flag("-r")
        .placeholder("what was done");
    let stop = Command::of("stop").placeholder("ID");
    format!(
        "still in progress by this session: {}; {done} ends one, {stop} gives it back",
        named.join(", ")
    )
}
